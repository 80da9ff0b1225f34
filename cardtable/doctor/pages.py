"""The doctor's page on the board's server, for the board and the director.

    GET /doctor               the page
    GET /doctor/findings.json {"findings": [{"check", "state", "text", "advice"}, …]}

Cameras, readers, pins, displays, voice and port are in use by the running table and not examined here. The lobby checks
them live, and the page shows those checks, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from cardtable.config.model import TableConfig
from cardtable.doctor import Machine, examine
from cardtable.table.messages import Role
from cardtable.web.server import PAGE
from cardtable.web.serving import json_answer, page, refusal
from engine.texts import Translate, in_language, text

IN_USE: Final = ("port", "pins", "displays", "voice", "readers", "cameras")
"""The checks that would disturb a running table."""
NAMES: Final = {
    "config": text("configuration"),
    "versions": text("program"),
    "power": text("power supply"),
    "kernel": text("machine"),
    "clock": text("clock"),
    "disk": text("memory"),
    "journal": text("journal"),
    "https": text("certificate"),
    "devices": text("devices"),
}
"""The names of the checks on the page."""


def doctor_routes(
    config: TableConfig,
    translate: Translate,
    role_of: Callable[[Request], Role],
    machine: Machine | None = None,
) -> tuple[BaseRoute, ...]:
    """Return the routes. `role_of` returns the role of the sender of a request. One examination runs at a time."""
    pool: Final = ThreadPoolExecutor(1, "doctor")
    examined: Final = machine or Machine()

    def findings() -> list[dict[str, Any]]:
        found = (finding.in_language(translate).for_page() for finding in examine(config, examined, IN_USE))
        return [each | {"check": in_language(NAMES.get(each["check"], each["check"]), translate)} for each in found]

    async def get_page(request: Request) -> Response:
        return page(PAGE / "doctor.html")

    async def get_findings(request: Request) -> Response:
        if role_of(request) not in ("board", "director"):
            return refusal(403, text("This is for the board and the director only."), translate)
        return json_answer({"findings": await asyncio.get_running_loop().run_in_executor(pool, findings)})

    return (
        Route("/doctor", get_page, middleware=[Middleware(GZipMiddleware)]),
        Route("/doctor/findings.json", get_findings),
    )
