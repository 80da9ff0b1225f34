"""The history on the board's server: one route, which answers in a thread of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from cardtable.board.access.sender import Role
from cardtable.errors import CardtableError
from cardtable.history.answers import Answers, HttpAnswer, NotThere, Wanted
from engine.texts import Translate, in_language


def history_routes(
    answers: Answers, translate: Translate, role_of: Callable[[Request], Role] = lambda request: "board"
) -> tuple[BaseRoute, ...]:
    """Return the routes of the history, for the board's server.

    `role_of` returns the role of who sends a request: a spectator sees no hands.

    One request is answered at a time, so that requests cannot take the time of the game that is played.
    """
    pool: Final = ThreadPoolExecutor(1, "history")

    def answered(what: str, wanted: Wanted) -> tuple[int, HttpAnswer]:
        try:
            return 200, answers.answer(what, wanted)
        except NotThere as error:
            return 404, _refusal(str(error), translate)
        except CardtableError as error:
            return 503, _refusal(str(error), translate)

    async def get(request: Request) -> Response:
        wanted = Wanted(dict(request.query_params), hands=role_of(request) != "spectator")
        loop = asyncio.get_running_loop()
        status, answer = await loop.run_in_executor(pool, answered, request.path_params["what"], wanted)
        headers = {} if answer.name is None else {"content-disposition": f'attachment; filename="{answer.name}"'}
        return Response(answer.content, status, headers, answer.media_type)

    return (Route("/history/{what}", get, middleware=[Middleware(GZipMiddleware)]),)


def _refusal(why: str, translate: Translate) -> HttpAnswer:
    content = json.dumps({"error": in_language(why, translate)}, ensure_ascii=False)
    return HttpAnswer(content.encode(), "application/json")
