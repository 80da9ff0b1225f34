"""The reading of a request's JSON object: what is refused, with which status, and that no more than asked is read."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message

from cardtable.languages import translator
from cardtable.web.serving import BadRequest, Worker, json_answer, read_json, refusal


class Laid(BaseModel):
    """A card laid before a seat."""

    model_config = ConfigDict(extra="forbid", strict=True)

    seat: int


LAID = TypeAdapter(Laid)


async def lay(request: Request) -> Response:
    try:
        laid = await read_json(request, LAID, most=32)
    except BadRequest as bad:
        return refusal(bad.status, str(bad), translator("fr"))
    return json_answer({"seat": laid.seat, "name": "Zoé"})


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(Starlette(routes=[Route("/lay", lay, methods=["POST"])])) as client:
        yield client


@pytest.mark.parametrize(
    ("content", "kind", "status", "refused"),
    [
        (b'{"seat": 1}', "text/plain", 415, "Cette requête doit être"),
        (b'{"seat": 1}', "", 415, "Cette requête doit être"),
        (b"seat=1", "application/x-www-form-urlencoded", 415, "Cette requête doit être"),
        (b" " * 33, "application/json", 413, "trop long"),
        (b"", "application/json", 400, "le message n’est pas du JSON"),
        (b'{"seat": "1"}', "application/json", 400, "seat\xa0: il faut un nombre entier"),
        (b'{"seat": true}', "application/json", 400, "seat\xa0: il faut un nombre entier"),
        (b'{"seat": 1, "at": 2}', "application/json", 400, "at\xa0: cette clé n’existe pas"),
        (b"{}", "application/json", 400, "seat\xa0: cela manque"),
        (b"[]", "application/json", 400, "le message n’est pas un objet"),
        (b"[" * 32, "application/json", 400, "le message n’est pas du JSON"),
        (b"\xff", "application/json", 400, "le message n’est pas du JSON"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(
    client: TestClient, content: bytes, kind: str, status: int, refused: str
) -> None:
    got = client.post("/lay", content=content, headers={"content-type": kind})
    assert got.status_code == status
    assert refused in got.json()["refused"]


def test_an_object_is_read_and_answered(client: TestClient) -> None:
    got = client.post("/lay", content=b'{"seat": 1}', headers={"content-type": "application/json; charset=utf-8"})
    assert got.status_code == 200
    assert got.headers["cache-control"] == "no-store"
    assert got.content == json.dumps({"seat": 1, "name": "Zoé"}, ensure_ascii=False).encode()


def test_no_more_is_read_than_asked() -> None:
    parts = 0

    async def receive() -> Message:
        nonlocal parts
        parts += 1
        return {"type": "http.request", "body": b" " * 16, "more_body": True}

    headers = [(b"content-type", b"application/json")]
    request = Request({"type": "http", "method": "POST", "headers": headers}, receive)
    with ThreadPoolExecutor(1) as pool, pytest.raises(BadRequest) as refused:
        pool.submit(lambda: asyncio.run(read_json(request, LAID, most=32))).result()  # this thread may have a loop
    assert refused.value.status == 413
    assert parts == 3


def a_request(gone: bool = False) -> Request:
    async def receive() -> Message:
        return {"type": "http.disconnect" if gone else "http.request"}

    return Request({"type": "http"}, receive)


def test_requests_of_strangers_or_of_clients_that_have_gone_do_not_delay_others() -> None:
    worker, answered, go = Worker("test"), list[str](), threading.Event()

    def answering(name: str) -> Response:
        go.wait()
        answered.append(name)
        return Response()

    async def ask() -> None:
        kinds = [("first", False), *[("gone", True)] * 50, *[("stranger", False)] * 50, ("player", False)]
        asked = []
        for name, gone in kinds:
            stranger = name in ("gone", "stranger")
            asked.append(asyncio.create_task(worker.answer(a_request(gone), stranger, partial(answering, name))))
            await asyncio.sleep(0)
        go.set()
        await asyncio.gather(*asked)

    with ThreadPoolExecutor(1) as pool:  # this thread may have a loop
        pool.submit(asyncio.run, ask()).result()
    worker.close()
    assert "gone" not in answered and answered.count("stranger") == 50
    assert answered.index("player") <= 2
