"""Answers of the board that do not depend on what is played: its files, the page of a phone, the interface's schema."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from cardtable.board.interface import interface_schema

PAGE: Final = Path(__file__).parent / "page"


async def get_files(request: Request) -> Response:
    """Answer with the names of all files of the page, for its service worker."""
    files = sorted(path.relative_to(PAGE).as_posix() for path in PAGE.rglob("*") if path.is_file())
    return JSONResponse({"files": ["./", "texts.json", *files]})


async def get_schema(request: Request) -> Response:
    """Answer with the JSON schema of the interface."""
    return JSONResponse(interface_schema())


async def get_phone_page(request: Request) -> Response:
    """Answer with the page of a phone."""
    return FileResponse(PAGE / "phone.html")
