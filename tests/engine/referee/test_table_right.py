"""The table is right: which correction of the record is found. The record is right: which cards are to be moved."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.actions import Action
from engine.cards import parse_card
from engine.corrections import Correction
from engine.observations import Scene, Sighting, UndoAsked, Zone
from engine.record import Header
from engine.referee.corrections import SeenCard
from engine.referee.table_or_record import follow_table, moves
from engine.table import Table
from tests.engine.referee.table_top import TableTop, read
from tests.engine.talk import do

BO, ANN = Zone("play", 1), Zone("play", 0)
TURN_UP = ("2H", Zone("turn-up"))
BEGUN = ("turn 2H", "1 say stand")


def table(*written: str, header: Header | None = None) -> Table:
    made = Table(header or Header("all-fives", ("Ann", "Bo"), 0))
    do(made, *written)
    return made


def scene(*cards: tuple[str | None, Zone | None], source: str = "camera") -> Scene:
    laid = (Sighting(f"p{n}", read(face), zone, float(n)) for n, (face, zone) in enumerate(cards))
    return Scene(20.0, source, tuple(laid))


def follow(top: TableTop) -> tuple[list[str], list[str]]:
    """Return the actions corrected to what lies on the table top, and the names of the cards still to be judged."""
    scenes = [Scene(top.clock, "camera", tuple(top.lying.values()))]
    found = follow_table(top.table.header, top.table, top.referee.seen(), scenes)
    assert found is not None
    return [str(action) for action in found[0].actions], [each.card_id for each in found[1][0].sightings]


def test_a_table_that_agrees_needs_no_correction() -> None:
    top = TableTop().started()
    word = top.lay("say:stand", "say", 1)
    before = list(map(str, top.table.actions))
    old = [top.lay(face, "play", seat) for face, seat in (("KS", 1), ("3S", 0))]
    lead = top.lay("QS", "play", 1)
    actions, judged = follow(top)
    assert actions == [*before, "1 play KS", "0 play 3S", "1 play QS"]
    assert lead in judged and not {word, *old} & {*judged}, "action cards and the last trick are finished with"


def test_a_card_that_lies_where_another_counted_is_that_card() -> None:
    top = TableTop(("Ann", "Bo", "Cy")).started()
    led = top.lay("KS", "play", 1)
    top.lay("3S", "play", 2)
    del top.lying[led]
    top.lay("QS", "play", 1)
    assert follow(top)[0] == [*BEGUN, "1 play QS", "2 play 3S"]


def test_a_card_undone_by_mistake_is_played_again() -> None:
    top = TableTop().started()
    top.lay("KS", "play", 1)
    top.referee.observe(UndoAsked(top.clock, "page"))
    assert follow(top)[0] == [*BEGUN, "1 play KS"]


def test_a_card_that_counted_and_is_not_there_was_not_played() -> None:
    made = table(*BEGUN, "1 play KS")
    found = follow_table(made.header, made, [], [scene(TURN_UP)])
    assert found is not None and list(map(str, found[0].actions)) == [*BEGUN]
    assert found[0].misfit is None


def card(
    face: str, zone: Zone | None, name: str, number: int | None, alternatives: Sequence[str] = (), done: bool = False
) -> SeenCard:
    faces = tuple(map(parse_card, alternatives))
    refused = number is None and not done
    return SeenCard(parse_card(face), zone, number, faces, (("camera", name),), refused, done)


def test_a_card_exposed_by_another_seat() -> None:
    made, show = table(*BEGUN, "0 expose 9S"), Zone("show", 1)
    laid = [card("2H", TURN_UP[1], "p0", 0), card("9S", show, "p1", None)]
    found = follow_table(made.header, made, laid, [scene(TURN_UP, ("9S", show))])
    assert found is not None
    assert found[0] == Correction(made.actions, (*made.actions[:2], Action.parse("1 expose 9S")))


def test_of_two_equal_cards_the_first_is_another() -> None:
    made = table(*BEGUN, "1 play KS")
    laid = [card("2H", TURN_UP[1], "p0", 0), card("KS", BO, "p1", 2, ["KC"]), card("KS", ANN, "p2", None)]
    lying = scene(TURN_UP, ("KS", BO), ("KS", ANN))
    unsure = Sighting("p1", parse_card("KS"), BO, 1.0, alternatives=(parse_card("KC"),), confidence=0.8)
    lying = Scene(20.0, "camera", (lying.sightings[0], unsure, lying.sightings[2]))
    found = follow_table(made.header, made, laid, [lying])
    assert found is not None and str(found[0].actions[2]) == "1 play KC"


def test_a_card_laid_out_of_turn_does_not_change_a_card_that_counts() -> None:
    """If the king were the one of clubs, Bo would have won the trick and could lead."""
    made = table(*BEGUN, "1 play 3S", "0 play KS")
    unsure = Sighting("p2", parse_card("KS"), ANN, 2.0, alternatives=(parse_card("KC"),), confidence=0.8)
    first = scene(TURN_UP, ("3S", BO)).sightings
    lying = Scene(20.0, "camera", (*first, unsure, Sighting("p3", parse_card("QS"), BO, 3.0)))
    laid = [card("2H", TURN_UP[1], "p0", 0), card("3S", BO, "p1", 2)]
    laid += [card("KS", ANN, "p2", 3, ["KC"]), card("QS", BO, "p3", None)]
    found = follow_table(made.header, made, laid, [lying])
    assert found is None or "0 play KC" not in map(str, found[0].actions)


def test_a_card_that_has_had_its_effect_and_must_lie_there_is_judged() -> None:
    made, show = table(*BEGUN, "0 expose 9S"), Zone("show", 0)
    laid = [card("2H", TURN_UP[1], "p0", 0), card("9S", show, "p1", None, done=True)]
    found = follow_table(made.header, made, laid, [scene(TURN_UP, ("9S", show))])
    assert found is not None and found[0] == Correction(made.actions, made.actions)
    assert [each.card_id for each in found[1][0].sightings] == ["p0", "p1"]


def test_of_two_equal_cards_the_one_that_has_had_its_effect_is_not_judged() -> None:
    header = Header("its-15", ("Ann", "Bo"), 0)
    made, bid = table("turn green-5", "0 say stay", "1 say stay", "0 bid red-1", header=header), Zone("bid", 0)
    green = ("green-5", Zone("table"))
    laid = [card("green-5", green[1], "p0", 0), card("red-1", bid, "p1", None, done=True), card("red-1", bid, "p2", 3)]
    found = follow_table(made.header, made, laid, [scene(green, ("red-1", bid), ("red-1", bid))])
    assert found is not None and found[0] == Correction(made.actions, made.actions)
    assert [each.card_id for each in found[1][0].sightings] == ["p0", "p2"]


def test_nothing_is_found_for_a_card_of_another_game() -> None:
    made = table(*BEGUN)
    assert follow_table(made.header, made, [card("brown-3", BO, "p1", None)], [scene(TURN_UP, ("brown-3", BO))]) is None


# The record is right


@pytest.mark.parametrize(
    ("lying", "asked"),
    [
        ([TURN_UP, ("KS", BO)], []),
        ([TURN_UP, ("KS", BO), (None, ANN), ("say:stand", Zone("say", 1)), ("9D", Zone("say", 0)), ("8D", None)], []),
        ([TURN_UP], ["Lay K♠ in front of Bo."]),
        ([TURN_UP, ("KS", ANN)], ["Lay K♠ in front of Bo."]),
        ([("say:stand", BO), ("KS", BO)], []),
        (
            [TURN_UP, ("QS", BO), ("9D", ANN)],
            [
                "Take Q♠ away: it lies in front of Bo.",
                "Take 9♦ away: it lies in front of Ann.",
                "Lay K♠ in front of Bo.",
            ],
        ),
    ],
)
def test_what_must_be_moved(lying: list[tuple[str | None, Zone | None]], asked: list[str]) -> None:
    assert moves(table(*BEGUN, "1 play KS"), [scene(*lying)]) == asked


def test_a_card_that_two_sources_see_lies_there_once() -> None:
    made = table(*BEGUN, "1 play KS")
    assert moves(made, [scene(TURN_UP, ("KS", BO)), scene(("KS", BO), source="readers")]) == []


def test_a_card_that_may_be_cleared_away_may_lie_there() -> None:
    made = table(*BEGUN, "1 play KS", "0 play 3S")
    assert moves(made, [scene(TURN_UP, ("KS", BO), ("3S", ANN))]) == []
    do(made, "1 gather")
    assert moves(made, [scene(TURN_UP)]) == []


def test_each_of_several_equal_cards_counts() -> None:
    made = table(
        *("turn green-5", "0 say stay", "1 say stay", "0 bid red-1 red-1"), header=Header("its-15", ("Ann", "Bo"), 0)
    )
    green, red = ("green-5", Zone("table")), ("red-1", Zone("bid", 0))
    assert moves(made, [scene(green, red, red)]) == []
    assert moves(made, [scene(green, red)]) == ["Lay red 1 in the bid zone of Ann."]
    assert moves(made, [scene(green, red, red, red)]) == ["Take red 1 away: it lies in the bid zone of Ann."]
