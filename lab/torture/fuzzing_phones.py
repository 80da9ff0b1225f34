"""The parsers of paired phones as targets: requests, and the file."""

from __future__ import annotations

import contextlib
from typing import Any, Final

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.types import Message

from cardtable.maintenance.pages import CareRequest
from cardtable.setup.pages import StartRequest
from cardtable.table.messages import Identity
from cardtable.web.access import Access, Denied
from cardtable.web.access_file import PIN
from cardtable.web.phones import BODIES, NewPin, WrittenCode
from cardtable.web.serving import BadRequest, read_json
from cardtable_club.hub.director import DIRECTIVE
from cardtable_club.hub.pages import Ready, WantedCertificate
from lab.torture.fuzzing_files import folder

SCOPE: Final = {"type": "http", "method": "POST", "headers": [(b"content-type", b"application/json")]}


OBJECTS: Final = tuple(TypeAdapter(kind) for kind in (StartRequest, CareRequest, Ready, WantedCertificate))
PAIRING: Final = tuple(TypeAdapter(kind) for kind in BODIES)


def pairing_request(data: bytes) -> None:
    """The body of a request to the table or the hub; if it pairs a phone or sets a PIN, what that leads to."""
    for kind in (*OBJECTS, DIRECTIVE):
        _read(data, kind)
    access = Access(clock=lambda: 0.0, now=lambda: 0.0)
    access.make_code("Ann", 0)
    for body in (_read(data, kind) for kind in PAIRING):
        with contextlib.suppress(Denied):
            if isinstance(body, WrittenCode):
                access.pair(body.code, Identity(False), None, "")
            if isinstance(body, NewPin) and body.pin != "1234":  # hashing a valid one is slow
                access.set_pin(body.pin if not PIN.fullmatch(body.pin or "") else None)


def _read(data: bytes, kind: TypeAdapter[Any]) -> object:
    """Return the object of a request with this content, or None if it is refused."""

    async def receive() -> Message:
        return {"type": "http.request", "body": data, "more_body": False}

    reading = read_json(Request(SCOPE, receive), kind)
    try:
        reading.send(None)  # nothing in it waits, so no event loop is needed
    except StopIteration as read:
        return read.value
    except BadRequest as bad:
        assert bad.status in (400, 413)
        return None
    raise AssertionError("reading waits for something that has already arrived")


def phones_file(data: bytes) -> None:
    """The file of phones and PIN: a damaged one counts as empty."""
    path = folder() / "phones.json"
    path.write_bytes(data)
    access = Access(path=path)
    for phone in access.phones():
        access.sender(Identity(False, phone.id), ("Ann", "Bo"))
    access.identify(False, data[:40].decode("latin-1"))
