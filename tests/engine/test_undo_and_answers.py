"""The answers of a table: undo, replays, views, and reasons of the operating system."""

from __future__ import annotations

import errno

import pytest

from engine.actions import Action, BadAction
from engine.cards import parse_card
from engine.errors import Refused
from engine.observations import UndoAsked
from engine.record import Header, Record, read_record
from engine.table import Outcome, Table, answer, answers
from engine.texts import Text, in_language, text, why
from engine.views import Event, Point

LINES = [
    '{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": 0}',
    '{"do": "turn", "card": "10H"}',
    '{"do": "say", "seat": 0, "word": "beg"}',
    '{"do": "say", "seat": 1, "word": "beg"}',
]

HAND_POINTS = (Point(1, 4, "ace"), Point(1, 3, "king"), Point(1, 2, "queen"), Point(1, 1, "jack"))
"""The points at the end of `one_hand`."""


def test_undo_without_an_action_is_refused() -> None:
    table = Table("all-fives", ["Ann", "Bo"], 0)
    assert not table.can("undo")
    with pytest.raises(Refused) as error:
        table.do("undo")
    assert (error.value.code, error.value.message) == (
        "nothing-to-undo",
        "There is nothing to undo yet.",
    )
    assert str(error.value) == "There is nothing to undo yet. (nothing-to-undo)"


def one_hand() -> Table:
    """All Fives after a whole first hand: Bo won every trick with the spades, which are trumps."""
    table = Table("all-fives", ["Ann", "Bo"], 0)
    for written in ("turn 10S", "say stand"):
        table.do(written)
    for mine, yours in zip(["AS", "KS", "QS", "JS", "9S", "8S"], ["2H", "3H", "4H", "5H", "6H", "7H"], strict=True):
        table.do(f"1 play {mine}")
        table.do(f"0 play {yours}")
    return table


def test_undo_over_the_end_of_a_hand_and_back_to_the_start() -> None:
    table = one_hand()
    assert table.phase == "deal" and table.scores == (0, 10)
    assert table.undo() == Outcome()
    assert (table.phase, table.turn, table.scores) == ("play", 0, (0, 0))
    assert table.do("0 play 7H").events[-1].event == "hand-over"
    table.do("turn 2D")
    table.undo()
    assert table.scores == (0, 10)
    # The view shows the points of the action that is the last one again.
    assert table.view().points == HAND_POINTS
    while table.actions:
        table.undo()
    assert (table.phase, table.turn, table.scores) == ("deal", None, (0, 0))
    assert table.view() == Table("all-fives", ["Ann", "Bo"], 0).view()


def test_undo_in_a_later_hand_keeps_the_scores_of_those_before() -> None:
    table = one_hand()
    table.do("turn 2D")
    table.do("say stand")
    assert table.can("undo") and table.can(Action("undo"))
    table.undo()
    assert (table.phase, table.scores, table.view().dealer) == ("say", (0, 10), 1)
    assert table.actions[-1] == Action.parse("turn 2D")


def test_the_points_and_events_of_an_action_are_shown_until_the_next() -> None:
    table = one_hand()
    assert table.view().points and table.view().events
    table.do("turn 2D")
    assert table.view().points == () and table.view().events == ()


def test_a_seat_that_is_not_at_the_table() -> None:
    table = Table("all-fives", ["Ann", "Bo"], 0)
    for action in (Action("gather", 2), Action("say", 0, word="revoke", against=2), Action("say", -1, word="beg")):
        assert not table.can(action)
        with pytest.raises(BadAction, match=r"^there is no seat (2|-1): the seats are 0 to 1$"):
            table.do(action)
    assert table.actions == ()


def test_answers_name_the_line_of_each_action() -> None:
    record = read_record([LINES[0], "", "", LINES[1]])
    assert next(answers(record))["n"] == 4
    with pytest.raises(ValueError):
        list(answers(Record(record.header, record.actions, ())))


def test_events_of_an_answer() -> None:
    header = Header("all-fives", ("Ann", "Bo"), 0)
    record = Record(header, one_hand().actions, tuple(range(2, 16)))
    *each, result = answers(record)
    assert each[3]["events"] == [{"event": "trick", "seat": 1}]
    assert each[-1]["events"] == [{"event": "trick", "seat": 1}, {"event": "hand-over"}]
    assert each[-1]["points"] == [{"seat": 1, "points": points, "for": reason} for _, points, reason in HAND_POINTS]
    assert result["scores"] == [0, 10]


def test_a_round_without_a_winner_is_reported_with_its_seat() -> None:
    outcome = Outcome(
        (Point(0, 2, "fifteen"),), (Event("round", won=True), Event("revoke-proven", 1, parse_card("9H")), Event("x"))
    )
    assert answer(5, outcome, (2, 0), None, "play") == {
        "n": 5,
        "ok": True,
        "scores": [2, 0],
        "turn": None,
        "phase": "play",
        "points": [{"seat": 0, "points": 2, "for": "fifteen"}],
        "events": [
            {"event": "round", "seat": None},
            {"event": "revoke-proven", "seat": 1, "card": "9H"},
            {"event": "x"},
        ],
    }


@pytest.mark.parametrize(("shown", "stale"), [(None, False), (3, False), (2, True), (4, True), (0, True)])
def test_a_request_to_undo_is_stale_if_another_action_was_shown(shown: int | None, stale: bool) -> None:
    assert UndoAsked(1.0, "page", shown).is_stale(3) is stale


def test_reasons_of_the_operating_system() -> None:
    reason = why(OSError(errno.EACCES, "other words"))
    assert reason == "Permission denied" and isinstance(reason, Text)
    assert why(OSError(errno.E2BIG, "Argument list too long")) == "Argument list too long"
    assert why(OSError("no number")) == "no number"


def test_a_text_is_translated_with_its_values() -> None:
    def upper(template: str, plural: str = "", count: int = 1, /) -> str:
        return template.upper() if "{" not in template else template

    assert in_language(text("{a}, {b}", a=text("hearts"), b=3), upper) == "HEARTS, 3"
    assert in_language("plain", upper) == "plain"
