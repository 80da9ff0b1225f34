"""The exact messages about malformed actions, headers and records."""

from __future__ import annotations

import pickle

import pytest

from engine.actions import KEYS, Action, BadAction
from engine.cards import UnknownCard, parse_card
from engine.errors import HeaderError, RecordError, Refused, guess_or_all, suggestion
from engine.record import Header, json_line, read_record
from engine.table import LegalActions, Table

HEADER = '{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": 1}'


@pytest.mark.parametrize("written", ["", "1", "crib", "shout", "1 shout hello", "0 play QS KS"])
def test_text_that_is_not_an_action(written: str) -> None:
    with pytest.raises(BadAction) as error:
        Action.parse(written)
    assert str(error.value) == f"{written!r} is not an action; write it like “1 play KS” or “0 say go”"


@pytest.mark.parametrize(
    ("written", "do", "key"), [("0 play", "play", "card"), ("0 say", "say", "word"), ("turn", "turn", "card")]
)
def test_text_that_lacks_a_part_of_an_action(written: str, do: str, key: str) -> None:
    with pytest.raises(BadAction) as error:
        Action.parse(written)
    assert str(error.value) == f"{do!r} needs {key!r}"


def test_repr_of_actions_and_cards_shows_the_short_notation() -> None:
    assert repr(Action.parse("0 say revoke 1 5s")) == "Action('0 say revoke 1 5S')"
    assert repr(parse_card("tc")) == "Card('10C')"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (["play"], """an action is an object like {"do": "play", "seat": 0, "card": "QS"}"""),
        ({"do": "fly"}, f"no game has the action 'fly'; known: {', '.join(KEYS)}"),
        ({"do": "play", "seat": 0}, "'play' needs 'card'"),
        ({"do": "play", "seat": 0, "card": 7}, 'a card is written like "QS", not 7'),
        ({"do": "show", "seat": 0, "cards": "QS"}, "'cards' is a list of cards, not 'QS'"),
        ({"do": "gather", "seat": -1}, "a seat is a number from 0, not -1"),
        ({"do": "say", "seat": 0, "word": 7}, "a word is a text, not 7"),
    ],
)
def test_object_that_is_not_an_action(value: object, message: str) -> None:
    with pytest.raises(BadAction) as error:
        Action.from_json(value)
    assert str(error.value) == message


def test_text_that_is_not_a_card() -> None:
    with pytest.raises(UnknownCard) as error:
        parse_card("1S")
    assert str(error.value) == "'1S' is not a card; cards are written like QS, 10H or brown-7"


@pytest.mark.parametrize(
    ("value", "key", "message"),
    [
        (
            {},
            "record",
            """the header is missing: line 1 is like {"record": 1, "game": "all-fives", "players": ["Ann", "Bo"]}""",
        ),
        ({"record": 2}, "record", "this program reads records of version 1, not 2"),
        ({"record": True}, "record", "this program reads records of version 1, not True"),
        ({"record": 1, "players": []}, "game", "the header needs 'game'"),
        ({"record": 1, "game": "all-fives"}, "players", "the header needs 'players'"),
        ({"record": 1, "game": 5, "players": []}, "game", "'game' is a name, not 5"),
        ({"record": 1, "game": "all-fives", "players": "Ann"}, "players", "'players' is a list of names, not 'Ann'"),
        ({"record": 1, "game": "all-fives", "players": [1]}, "players", "'players' is a list of names, not [1]"),
        (
            {"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": "Bo"},
            "dealer",
            "'dealer' is a seat number, not 'Bo'; left out, the cut decides",
        ),
        (
            {"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "options": 3},
            "options",
            "'options' is an object, not 3",
        ),
    ],
)
def test_header_that_is_wrong(value: object, key: str, message: str) -> None:
    with pytest.raises(HeaderError) as error:
        Header.from_json(value)
    assert (error.value.key, str(error.value)) == (key, message)


def test_name_that_is_not_utf_8() -> None:
    with pytest.raises(HeaderError) as error:
        Header("all-fives", ("Ann", "\ud800")).check()
    assert error.value.key == "players"
    assert str(error.value).startswith("the name '\\ud800' is not UTF-8 text")


@pytest.mark.parametrize(
    ("lines", "number", "reason"),
    [
        ([], 1, "the file is empty: the header is missing"),
        ([HEADER, '{"do": "gather", "seat": 2}'], 2, "there is no seat 2: the seats are 0 to 1"),
        (
            [HEADER, "", '{"do": "say", "seat": 1, "word": "revoke", "against": 5}'],
            3,
            "there is no seat 5: the seats are 0 to 1",
        ),
        ([b'{"a": "\xff"}'], 1, "this is not UTF-8 text: invalid start byte at byte 8"),
        ([HEADER, '{"do": }'], 2, "this is not JSON: Expecting value at column 8"),
        ([HEADER, "[" * 100_000], 2, "this JSON cannot be read: it is nested too deeply, or a number is too long"),
        ([HEADER, "9" * 5000], 2, "this JSON cannot be read: it is nested too deeply, or a number is too long"),
        ([HEADER, f'"{"x" * 50}"'], 2, f"a line holds one object in braces, not '\"{'x' * 39}'"),
    ],
)
def test_line_that_cannot_be_read(lines: list[str | bytes], number: int, reason: str) -> None:
    with pytest.raises(RecordError) as error:
        read_record(lines)
    assert (error.value.line, error.value.reason) == (number, reason)
    assert str(error.value) == f"line {number}: {reason}"


def test_json_lines_keep_letters_and_escape_line_ends() -> None:
    assert json_line(["Zoë", "a\u2028b\u2029c\x85"]) == '["Zoë", "a\\u2028b\\u2029c\\u0085"]'


def test_suggestions() -> None:
    assert suggestion("Beg", ("stand", "beg")) == "; did you mean 'beg'?"
    assert suggestion("xyz", ("stand", "beg")) == ""
    assert guess_or_all("stnd", ("stand", "beg")) == "; did you mean 'stand'?"
    assert guess_or_all("xyz", ("stand", "beg")) == "; known: stand, beg"
    assert guess_or_all("xyz", ()) == "; known: none"


def test_repr_of_legal_actions() -> None:
    action = Action("undo")
    assert repr(LegalActions()) == "<0 legal actions>"
    assert repr(LegalActions([action])) == "<1 legal action: undo>"
    assert repr(LegalActions([action] * 12)) == f"<12 legal actions: {', '.join(['undo'] * 12)}>"
    assert repr(LegalActions([action] * 13)) == f"<13 legal actions: {', '.join(['undo'] * 12)}, ...>"


def test_seat_left_out_is_the_one_on_turn() -> None:
    table = Table("all-fives", ["Ann", "Bo"])
    assert not table.can("cut QS") and not table.can("fly")
    with pytest.raises(BadAction) as error:
        table.do("cut QS")
    assert str(error.value) == "'cut QS' needs a seat: “0 cut QS”"
    table = Table("all-fives", ["Ann", "Bo"], 0)
    table.do("turn 10H")
    assert table.can("say beg")
    table.do("say beg")
    assert table.actions[-1] == Action("say", 1, word="beg")


def test_errors_are_the_same_after_pickling() -> None:
    for error in (Refused("wrong-phase", "Not now."), RecordError(3, "wrong")):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), again.args, str(again)) == (type(error), error.args, str(error))
    assert Refused("wrong-phase", "Not now.").args == ("wrong-phase", "Not now.")
    assert RecordError(3, "wrong").args == (3, "wrong")
