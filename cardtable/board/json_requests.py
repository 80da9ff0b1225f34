"""Requests with a JSON object and their answers, for every page of a table and of the hub."""

from __future__ import annotations

import json
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from cardtable.board.request_faults import fault_in
from engine.texts import Translate, in_language, text

MOST_BYTES: Final = 1024
"""Size of the largest object that is read, in bytes, unless a page says otherwise."""
Body = TypeVar("Body")


class BadRequest(Exception):
    """A request that cannot be read. `args`: a sentence that says why. `status`: of HTTP."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def check_type(request: Request, media_type: str) -> None:
    """Raise `BadRequest` (415) if the content is not of `media_type`; forms of other sites cannot send JSON or zip."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != media_type:
        raise BadRequest(415, text("This request must be {kind}.", kind=media_type))


async def read_json(request: Request, kind: TypeAdapter[Body], most: int = MOST_BYTES) -> Body:
    """Return the JSON object of `request`, as `kind`.

    Raises `BadRequest`: 415 for another content type, 413 for more than `most` bytes, 400 if `kind` refuses the object.
    """
    check_type(request, "application/json")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise BadRequest(413, text("the message is too long"))
    try:
        return kind.validate_json(bytes(body))
    except ValidationError as error:
        raise BadRequest(400, fault_in(error)) from None


def json_answer(content: object, status: int = 200) -> Response:
    """Return `content` as JSON, which no browser keeps."""
    written = json.dumps(content, ensure_ascii=False)
    return Response(written, status, {"cache-control": "no-store"}, media_type="application/json")


def refusal(status: int, why: str, translate: Translate) -> Response:
    """Return an answer with the one key `refused`: the sentence `why`, translated."""
    return json_answer({"refused": in_language(why, translate)}, status)
