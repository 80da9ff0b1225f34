"""The parsers of paired phones as targets: requests, and the file."""

from __future__ import annotations

import contextlib

from pydantic import ValidationError

from cardtable.board.access.access import Access, Denied
from cardtable.board.access.pin import PIN
from cardtable.board.access.routes import BODIES, NewPin, WrittenCode
from cardtable.board.access.sender import Identity
from cardtable.first_start.web import Wanted
from tests.torture.fuzzing_files import folder


def pairing_request(data: bytes) -> None:
    """The body of a request: of the first start, or with which a phone is paired, and what its code or PIN leads to."""
    access = Access(clock=lambda: 0.0, now=lambda: 0.0)
    access.make_code("Ann", 0)
    with contextlib.suppress(ValidationError):
        Wanted.model_validate_json(data)
    for kind in BODIES:
        with contextlib.suppress(ValidationError):
            body = kind.model_validate_json(data)
            with contextlib.suppress(Denied):
                if isinstance(body, WrittenCode):
                    access.pair(body.code, Identity(False), None, "")
                if isinstance(body, NewPin) and body.pin != "1234":  # hashing a good one takes long
                    access.set_pin(body.pin if not PIN.fullmatch(body.pin or "") else None)


def phones_file(data: bytes) -> None:
    """The file of phones and PIN: a damaged one counts as empty."""
    path = folder() / "phones.json"
    path.write_bytes(data)
    access = Access(path=path)
    for phone in access.phones():
        access.sender(Identity(False, phone.id), ("Ann", "Bo"))
    access.identify(False, data[:40].decode("latin-1"))
