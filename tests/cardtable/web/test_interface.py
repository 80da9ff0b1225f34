"""The documented interface of the board: everything is described, and every state has the documented shape."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cardtable.table.live_game import LiveGame
from cardtable.table.messages import BadMessage, read_message
from cardtable.web.server import STATE, interface_schema
from cardtable.web.state import state_of
from engine.record import read_record
from engine.table import Table
from tests.cardtable.web.states import ASLEEP
from tools.docs_hook import tables_in
from tools.interface_tables import messages, shape_table

DOCUMENT = Path(__file__).parents[3] / "docs" / "reference" / "interface.md"
RECORDS = Path(__file__).parents[2] / "engine" / "records"


def test_every_shape_is_documented() -> None:
    shapes = set(interface_schema()["$defs"]) - set(messages()) - {"Refusal"}
    assert set(tables_in(DOCUMENT.read_text("utf-8"), "shape")) == shapes | {"messages"}


def test_every_message_is_described() -> None:
    rows = shape_table("messages").splitlines()[2:]
    assert len(rows) == len(messages())
    assert [row for row in rows if row.endswith("|  |")] == []


def test_every_key_of_every_state_is_described_or_plain() -> None:
    """Keys that all states have are described in each of them."""
    for name in ("LobbyState", "GameScreen", "ResultState", "AsleepState"):
        assert interface_schema()["$defs"][name]["properties"]["notice"]["description"]


@pytest.mark.parametrize("record", sorted(RECORDS.glob("*-r00[01].record.jsonl")), ids=lambda path: path.stem)
def test_every_state_of_a_game_has_the_documented_shape(record: Path) -> None:
    lines = read_record(record.read_bytes().splitlines())
    game = Table(lines.header)
    for action in lines.actions:
        if game.can(action):
            game.do(action)
    for count in (0, 3, len(game.actions)):
        snapshot = LiveGame(Table(lines.header), None, (), game.actions[:count]).snapshot
        state = json.loads(json.dumps(state_of(snapshot, "Title")))
        assert STATE.validate_python(state)["screen"] == "game"


def test_a_state_with_an_unknown_key_does_not_fit() -> None:
    STATE.validate_python(ASLEEP)
    with pytest.raises(ValueError, match="more"):
        STATE.validate_python({**ASLEEP, "more": 1})


@pytest.mark.parametrize(
    "message",
    [
        '{"do": "add-player", "name": ""}',
        '{"do": "add-player", "name": "   "}',
        '{"do": "add-player", "name": "\\n\\u202e"}',
        '{"do": "add-player", "name": "' + "A" * 41 + '"}',
        '{"do": "rename-player", "name": "Ann", "to": ""}',
    ],
)
def test_a_name_that_cannot_be_used_is_refused_in_plain_words(message: str) -> None:
    with pytest.raises(BadMessage, match="A name has 1 to 40 characters"):
        read_message(message, 0.0, 0, 2)


@pytest.mark.parametrize(
    "message",
    [
        '{"do": "begin", "now": true}',
        '{"do": "go-on", "id": "3"}',
        '{"do": "choose-game", "game": "../etc"}',
        '{"do": "move-player", "name": "Ann", "seat": -1}',
        '{"do": "set-option", "name": "target", "value": 1.5}',
    ],
)
def test_a_malformed_message_for_the_evening_is_refused(message: str) -> None:
    with pytest.raises(BadMessage):
        read_message(message, 0.0, 0, 2)
