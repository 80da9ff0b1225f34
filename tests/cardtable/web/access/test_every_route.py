"""Every request and message that changes something, and the roles that may send it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from cardtable import open_table
from cardtable.config.model import BoardConfig, TableConfig
from cardtable.table.messages import MESSAGE
from cardtable.web.access import Access
from cardtable.web.server import Board
from engine.table import Table
from tests.cardtable.web.access.phones import Device, refused

ROOT: Final = Path(__file__).parents[4]
DIRECTING: Final = frozenset({"board", "director"})
ALL: Final = DIRECTING | {"seat", "spectator"}
ELSEWHERE: Final = {"x-forwarded-for": "192.0.2.7"}
"""What a proxy on this machine adds to the request of a device in the network."""

ROUTES: Final[dict[str, tuple[frozenset[str], dict[str, Any]]]] = {
    "/phone/code": (DIRECTING, {"seat": 9}),
    "/phone/hide": (DIRECTING, {"seat": 9}),
    "/phone/remove": (DIRECTING, {"id": 999}),
    "/phone/answer": (DIRECTING, {"id": 999, "allowed": True}),
    "/phone/app": (DIRECTING, {}),
    "/phone/screens": (DIRECTING, {}),
    "/phone/network": (frozenset({"board"}), {}),
    "/phone/pair": (ALL, {"code": "AAAAAA"}),
    "/phone/secure": (ALL, {}),
    "/phone/keepsake": (DIRECTING, {"id": 999}),
    "/phone/leave": (ALL, {}),
    "/director": (ALL, {"pin": "0000"}),
    "/director/pin": (frozenset({"board"}), {"pin": "none"}),
    "/care/do": (DIRECTING, {"do": "nothing"}),
    "/care/restore": (DIRECTING, {}),
    "/start/do": (DIRECTING, {"do": "nothing"}),
}
"""The POST requests to a table: who may send them, and a body that changes nothing."""
ELSEWHERE_TESTED: Final = {"/safe/do", "/ready", "/enrol", "/director/do", "/director/message"}
"""tests/system/test_safe_mode.py and club/tests/hub/test_director_pages.py."""
SOCKETS: Final = {"/live", "/tables/{name}/live"}
"""A hub's pages ignore what they are sent; that of the guide: tests/cardtable/web/test_guide.py."""

OF_A_SEAT: Final = {"say", "misread", "undo"}
"""The messages of the board's page that a player's phone may send, for this player."""


def test_every_route_is_listed() -> None:
    posted, sockets, handled = set[str](), set[str](), 0
    for path in [*ROOT.glob("cardtable/**/*.py"), *ROOT.glob("club/cardtable_club/**/*.py")]:
        source = path.read_text("utf-8")
        posted |= set(found := re.findall(r'\bRoute\(\s*"([^"]+)",[^\n]*methods=\["POST"\]', source))
        sockets |= set(re.findall(r'WebSocketRoute\("([^"]+)"', source))
        handled += source.count("methods=") - len(found)
    assert (posted, sockets, handled) == (ROUTES.keys() | ELSEWHERE_TESTED, SOCKETS, 0)


VALUES: Final = {"n": 3, "word": "beg", "game": "all-fives", "name": "points"}
"""What a message must have to be understood: for one, the number of actions of the game so far."""


def simplest(shape: dict[str, Any]) -> dict[str, Any]:
    """Return a message of this shape."""
    kinds = {"integer": 0, "string": "4H", "boolean": False, "array": []}
    given: dict[str, Any] = {"do": shape["properties"]["do"]["const"]}
    for name in set(shape["required"]) - {"do"}:
        value = shape["properties"][name]
        value = value.get("anyOf", [value])[0]
        given[name] = value["enum"][0] if "enum" in value else kinds[value["type"]]
    return given | {name: value for name, value in VALUES.items() if name in given}


def test_every_message_but_those_of_a_seat_is_for_directors(board: Board, table: Table, phone: Device) -> None:
    shapes = [shape for shape in MESSAGE.json_schema()["$defs"].values() if "do" in shape.get("properties", {})]
    assert len(shapes) > 20
    allowed = set()
    for is_paired in (False, True):
        if is_paired:
            phone.pair(0)
        with phone.open() as page:
            for message in map(simplest, shapes):
                if is_paired and message["do"] in OF_A_SEAT:
                    continue
                sentence = refused(page, **message)
                if not re.search(" is possible on | can be said on ", sentence):
                    allowed.add((message["do"], sentence))
    assert allowed == set()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Access]]:
    folder = tmp_path_factory.mktemp("table")
    config = TableConfig(journal=folder / "journal.sqlite", board=BoardConfig(port=0), first_start=True)
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setattr("cardtable.web.serving.own_addresses", lambda: iter(()))
        page = open_table.OpenTable(config, folder / "table.toml", stack).page
        page.access.set_pin("4711")
        yield page.url, page.access


@contextmanager
def device(url: str, access: Access, role: str) -> Iterator[httpx.Client]:
    """Return a new device with this role."""
    with httpx.Client(base_url=url, headers={} if role == "board" else ELSEWHERE) as device:
        if role == "director":
            assert device.post("/director", json={"pin": "4711"}).status_code == 200
        if role == "seat":
            assert device.post("/phone/pair", json={"code": access.make_code("Ann", 0).code}).status_code == 200
        yield device


@pytest.mark.parametrize("role", sorted(ALL))
def test_each_route_for_each_role(served: tuple[str, Access], role: str) -> None:
    wrong = {}
    for path, (may, body) in ROUTES.items():
        with device(*served, role) as sender:
            sentence = sender.post(path, json=body).json().get("refused", "")
        if sentence.startswith("This is for the board") == (role in may):
            wrong[path] = sentence
    assert wrong == {}
