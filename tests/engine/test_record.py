"""Reading and writing records: what is read, and which broken files are named; test_messages.py has the sentences."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.actions import KEYS, Action, BadAction
from engine.cards import STANDARD_DECK, Card, UnknownCard, parse_card
from engine.errors import RecordError
from engine.games import load_game
from engine.record import Header, json_line, read_record, write_record
from engine.table import Table
from tests.engine.properties.plays import examples
from tests.engine.talk import action

HEADER = '{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": 1}'


def error(*lines: str | bytes) -> RecordError:
    with pytest.raises(RecordError) as caught:
        read_record(lines)
    assert "\n" not in str(caught.value)
    return caught.value


def test_cards_are_read_in_several_forms_and_written_in_one() -> None:
    for text, written in (("tc", "10C"), ("10c", "10C"), ("TC", "10C"), ("qS", "QS"), ("Brown-7", "brown-7")):
        assert str(parse_card(text)) == written
    for card in STANDARD_DECK:
        assert parse_card(str(card)) is card
    for wrong in ("", "1S", "11S", "0D", "QX", " QS", "QS ", "QSS", "brown-0", "brown"):
        with pytest.raises(UnknownCard):
            parse_card(wrong)


@pytest.mark.parametrize("text", ["5X", "1S", "", "unknown-1", "joker", "Ä♠"])
def test_a_card_of_no_deck_keeps_its_text(text: str) -> None:
    line = json.dumps({"do": "turn", "card": text})
    record = read_record([HEADER, line])
    assert json.loads(list(write_record(record.header, record.actions))[1]) == {"do": "turn", "card": text}
    assert record.actions[0].card not in STANDARD_DECK


def test_every_kind_of_action_is_read_and_written() -> None:
    actions = [
        action("1 cut AS"),
        action("0 deal AS 10H"),
        action("0 hold AS 10H"),
        action("turn QC"),
        action("0 say stand"),
        action("0 say revoke 1 5S"),
        action("1 discard"),
        action("1 discard 3S"),
        action("0 give 3S"),
        action("0 play 3S"),
        action("0 withdraw 3S"),
        action("0 gather"),
        action("0 take 3S 4S"),
        Action("bid", 0, cards=(Card("2", "blue"),)),
        Action("show", "crib", cards=(parse_card("3S"),)),
        action("0 expose 3S"),
        action("undo"),
    ]
    assert {each.do for each in actions} == set(KEYS)
    header = Header("all-fives", ("Änn", "Bo"), 1, {"target": 31})
    lines = list(write_record(header, actions))
    record = read_record(lines)
    assert (record.header, list(record.actions)) == (header, actions)
    assert record.lines == tuple(range(2, 2 + len(actions)))


def test_a_record_has_no_line_ends_within_a_line() -> None:
    said = action("undo").to_json() | {"note": "Ann\u2028 \x85Bo\u2029"}
    assert json_line(said).splitlines() == [json_line(said)]
    assert json.loads(json_line(said)) == said


def test_keys_that_a_kind_does_not_have_are_passed_over() -> None:
    assert Action.from_json({"do": "undo", "seat": 9, "note": "oops"}) == Action("undo")


def test_bytes_blank_lines_and_a_byte_order_mark() -> None:
    record = read_record([b"\xef\xbb\xbf" + HEADER.encode() + b"\r\n", b"\n", b'{"do": "undo"}\n', b"\n"])
    assert record.lines == (3,)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("null", "one object"),
        ("{}", "None"),
        ('{"do": ["play"], "seat": 0}', "no game has"),
        ('{"do": "play", "card": "QS"}', "'seat'"),
        ('{"do": "deal", "seat": 0}', "'cards'"),
        ('{"do": "say", "seat": 0}', "'word'"),
        ('{"do": "play", "seat": true, "card": "QS"}', "True"),
        ('{"do": "play", "seat": "0", "card": "QS"}', "'0'"),
        ('{"do": "play", "seat": "crib", "card": "QS"}', "crib"),
        ('{"do": "play", "seat": 0, "card": null}', "None"),
        ('{"do": "deal", "seat": 0, "cards": ["QS", 5]}', "5"),
    ],
)
def test_a_broken_line_is_named(line: str, words: str) -> None:
    caught = error(HEADER, '{"do": "undo"}', line)
    assert caught.line == 3
    assert words in caught.reason


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ('{"record": 1, "game": "mah-jongg", "players": ["A", "B"]}', "'mah-jongg'"),
        ('{"record": 1, "game": "all-fives", "players": ["A"]}', "2 or 3"),
        ('{"record": 1, "game": "all-fives", "players": ["A", "B"], "dealer": true}', "'dealer'"),
        ('{"record": 1, "game": "all-fives", "players": ["A", "B"], "dealer": 2}', "0 to 1"),
        ('{"record": 1, "game": "all-fives", "players": ["A", "B"], "dealer": -1}', "0 to 1"),
        ('{"record": 1, "game": "all-fives", "players": ["A", "B"], "options": {"goal": 5}}', "'goal'"),
        ('{"record": 1, "game": "all-fives", "players": ["A", "B"], "options": {"target": 0}}', "from 1"),
        ('{"record": 1, "game": "all-fives", "players": ["A", "B"], "options": {"target": 61.0}}', "from 1"),
        (
            '{"record": 1, "game": "all-fives", "players": ["A", "B"], "options": {"discard_to_six": 1}}',
            "true or false",
        ),
    ],
)
def test_a_broken_header_is_line_1(header: str, words: str) -> None:
    caught = error(header)
    assert caught.line == 1
    assert words in caught.reason


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(("do", "seat", "card", "cards", "word")), inner),
    max_leaves=8,
)


@pytest.mark.slow
@examples(200)
@given(st.binary() | st.text().map(str.encode) | json_values.map(lambda value: json.dumps(value).encode()))
@example(b'{"do": "say", "seat": 0, "word": "\\ud800"}')
def test_whatever_a_line_holds_it_is_read_or_refused_by_name(line: bytes) -> None:
    try:
        read_record([HEADER.encode(), line])
    except RecordError as refusal:
        assert refusal.line == 2


@pytest.mark.slow
@examples(200)
@given(json_values)
def test_an_action_is_read_or_refused(value: object) -> None:
    try:
        read = Action.from_json(value)
    except BadAction as refusal:
        assert str(refusal)
    else:
        assert Action.from_json(read.to_json()) == read


@pytest.mark.parametrize(
    ("game", "players", "option", "usual"),
    [
        ("spades", ("Ann", "Bo", "Cy", "Dee"), "nil_helps", False),
        ("euchre", ("Ann", "Bo", "Cy", "Dee"), "stick_the_dealer", False),
        ("knock-out-whist", ("Ann", "Bo"), "dogs_life", True),
    ],
)
def test_a_new_game_says_what_an_older_record_left_out(
    game: str, players: tuple[str, ...], option: str, usual: bool
) -> None:
    assert Table(game, players, 0).header.options == {option: usual}
    assert load_game(game)(players, 0, {}).values[option] is not usual
