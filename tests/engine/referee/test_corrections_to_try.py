"""The table is right: which corrections of the record are tried, in which order, and how many."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.observations import Zone
from engine.record import Header
from engine.referee import table_or_record
from engine.referee.corrections import SeenCard
from engine.referee.table_or_record import corrections_to_try, follow_table
from engine.table import Table
from tests.engine.referee.test_table_right import ANN, BEGUN, BO, TURN_UP, card, scene, table

GREEN, BID = Zone("table"), Zone("bid", 0)
ITS_15 = Header("its-15", ("Ann", "Bo"), 0)
STAYED = ("turn green-5", "0 say stay", "1 say stay")
TURNED_UP = card("2H", TURN_UP[1], "p0", 0)


@pytest.fixture(autouse=True)
def last_action_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove and undo the last action alone, so that the lists stay short."""
    monkeypatch.setattr(table_or_record, "LAST_REMOVED", 1)
    monkeypatch.setattr(table_or_record, "LAST_UNDONE", 1)


def tried(made: Table, seen: Sequence[SeenCard]) -> list[str]:
    """Each correction as its weight, the actions after those that `made` keeps, and the action that is lost."""
    found = []
    for weight, correction in corrections_to_try(made.header, made, seen):
        after = [*map(str, correction.redone)]
        lost = [f"lost: {correction.misfit.action}"] if correction.misfit else []
        found.append(f"{weight}: " + ", ".join((f"keep {correction.kept}", *after, *lost)))
    return found


def test_explanations_try_the_record_first_then_omissions_and_undos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_or_record, "LAST_REMOVED", 2)
    monkeypatch.setattr(table_or_record, "LAST_UNDONE", 3)
    made = table(*BEGUN, "1 play KS", "0 play 3S", "1 gather", "0 expose 9S")
    seen = [TURNED_UP, card("9S", Zone("show", 0), "p3", 5)]
    assert tried(made, seen) == [
        "0: keep 6",
        "1: keep 5",
        "2: keep 4",
        "3: keep 4, 0 expose 9S",
        "3: keep 3",
    ]


def test_the_number_of_corrections_is_limited_and_the_smallest_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    made = table(*BEGUN, "1 play KS", "0 play 3S")
    monkeypatch.setattr(table_or_record, "LAST_UNDONE", 12)
    monkeypatch.setattr(table_or_record, "MAX_TRIALS", 3)
    assert tried(made, [TURNED_UP]) == ["0: keep 4", "1: keep 3", "2: keep 2"]
    assert tried(table(), []) == ["0: keep 0"], "a game that has just begun can only stay as it is"


def test_a_missing_card_is_refused_misplaced_or_unplayed() -> None:
    made = table(*BEGUN, "0 expose 9S", "1 play KS")
    show = Zone("show", 1)
    seen = [TURNED_UP, card("QS", BO, "p1", None), card("9S", show, "p2", None), card("JS", None, "p3", None)]
    assert tried(made, seen) == [
        "0: keep 4",
        "1: keep 3",  # the king was not played, or that is undone
        "2: keep 3, 1 play QS",  # in place of the king
        "3: keep 2, 1 play KS",  # the nine was not exposed
        "4: keep 2, 1 expose 9S, 1 play KS",  # by the other seat
    ]
    another = [TURNED_UP, card("KS", BO, "p1", 3), card("8S", show, "p2", None)]
    assert tried(made, another) == ["0: keep 4", "1: keep 4, 1 expose 8S", "1: keep 3", "3: keep 2, 1 play KS"]


def test_a_refused_card_was_missed_or_another_was_misread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_or_record, "MAX_ALTERNATIVES", 2)
    made = table(*BEGUN, "1 play KS", "0 play 3S")
    laid = [card("KS", BO, "p1", 2), card("3S", ANN, "p2", 3, ["5S", "4S", "8S"])]
    again = card("3S", BO, "p3", None, ["2S"])
    assert tried(made, [TURNED_UP, *laid, again]) == [
        "0: keep 4",
        "1: keep 3",
        "2: keep 3, 0 play 5S",
        "2: keep 3, 0 play 4S",
    ]
    another = card("8H", BO, "p3", None)
    assert tried(made, [TURNED_UP, *laid, another]) == ["0: keep 4", "1: keep 4, 1 play 8H", "1: keep 3"]
    hidden = SeenCard(None, BO, None, (), (("camera", "p3"),), refused=True)
    assert tried(made, [TURNED_UP, *laid, hidden]) == ["0: keep 4", "1: keep 3"]


THREE = Header("all-fives", ("Ann", "Bo", "Cy"), 0)


def test_an_action_that_no_longer_fits_weighs_as_much_as_three_steps() -> None:
    made = table(*BEGUN, "1 play KS", "2 play 3S", header=THREE)
    seen = [TURNED_UP, card("3S", Zone("play", 2), "p1", 3)]
    assert tried(made, seen) == ["0: keep 4", "1: keep 3", "5: keep 2, lost: 2 play 3S"]


def test_of_several_cards_of_an_action_only_the_missing_one_is_left_out() -> None:
    made = table(*STAYED, "0 bid red-1 red-2", header=ITS_15)
    seen = [card("green-5", GREEN, "p0", 0), card("red-1", BID, "p1", 3)]
    assert tried(made, seen) == ["0: keep 4", "1: keep 3", "2: keep 3, 0 bid red-1"]
    found = follow_table(made.header, made, seen, [scene(("green-5", GREEN), ("red-1", BID))])
    assert found is not None
    assert [str(action) for action in found[0].actions] == [*STAYED, "0 bid red-1"], "not a bid to be made again"


def test_of_equal_corrections_the_first_suggested_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    made = table(*BEGUN, "1 play KS", "2 play 3S", header=THREE)
    monkeypatch.setattr(table_or_record, "LAST_UNDONE", 12)
    undone = follow_table(made.header, made, [TURNED_UP], [scene(TURN_UP)])
    assert undone is not None and undone[0].misfit is None and len(undone[0].actions) == 2
    monkeypatch.setattr(table_or_record, "LOSS_WEIGHT", 0)
    lost = follow_table(made.header, made, [TURNED_UP], [scene(TURN_UP)])
    assert lost is not None and lost[0].misfit is not None
    monkeypatch.setattr(table_or_record, "MAX_TRIALS", 1)
    assert follow_table(made.header, made, [TURNED_UP], [scene(TURN_UP)]) is None


def test_a_card_that_has_not_been_judged_yet_needs_no_correction() -> None:
    made = table(*BEGUN, "1 play KS", header=THREE)
    lying = scene(TURN_UP, ("KS", BO), ("3S", Zone("play", 2)))
    found = follow_table(made.header, made, [TURNED_UP, card("KS", BO, "p1", 2)], [lying])
    assert found is not None and found[0].actions == made.actions, "not undone to be concluded from what lies there"


def test_what_one_source_does_not_see_another_may() -> None:
    made = table(*BEGUN, "1 play KS")
    scenes = [scene(TURN_UP, source="readers"), scene(("KS", BO))]
    found = follow_table(made.header, made, [TURNED_UP, card("KS", BO, "p0", 2)], scenes)
    assert found is not None and found[0].actions == made.actions


def test_a_card_of_an_earlier_trick_is_not_judged_after_a_new_play() -> None:
    made = table(*BEGUN, "1 play 8D", "0 play 2S", "1 gather", "1 play KS", "0 play 3S")
    seen = [TURNED_UP, card("8D", BO, "p1", None, done=True)]
    found = follow_table(made.header, made, seen, [scene(TURN_UP, ("8D", BO))])
    assert found is not None and found[0].actions == made.actions
    assert [each.card_id for each in found[1][0].sightings] == ["p0"]
