"""What a referee takes for granted at its start: when it is settled, and which cards lay there."""

from __future__ import annotations

from engine.cards import parse_card
from engine.observations import Scene, Zone
from engine.referee.observed_cards import ObservedCard
from engine.referee.unseen import Start
from engine.table import Table
from tests.engine.talk import do, table_of


def scene(time: float, source: str = "camera") -> Scene:
    return Scene(time, source, ())


def start(table: Table | None = None, watched: bool = False) -> Start:
    """A start whose first scene, at 10 s, is judged now."""
    found = Start(table or table_of("all-fives"), watched)
    found.report(scene(10.0))
    found.begin()
    return found


def card(name: str | None, since: float, zone: Zone | None = None, hand_phase: int = 1) -> ObservedCard:
    face = None if name is None else parse_card(name)
    return ObservedCard(face, zone or Zone("play", 0), since, hand_phase, {("camera", name or "?"): ()})


def test_a_start_is_settled_once_nothing_new_was_reported_for_a_second() -> None:
    begun = start()
    assert begun.started and not begun.settled
    assert not begun.is_due("camera", 10.9) and begun.is_due("camera", 11.0) and not begun.is_due("readers", 99.0)
    begun.report(scene(10.9))
    assert not begun.is_due("camera", 11.8) and begun.is_due("camera", 11.9)
    for time in (11.8, 12.7):
        begun.report(scene(time))
    assert not begun.is_due("camera", 12.9) and begun.is_due("camera", 13.0), "after three seconds, at the latest"
    begun.report(scene(13.0))
    assert begun.settled


def test_a_source_that_is_lost_and_a_table_that_was_watched_need_no_wait() -> None:
    begun = start()
    begun.lose("camera")
    assert begun.settled
    assert start(watched=True).settled
    assert Start(table_of("all-fives"), watched=True).started is False


def test_the_cards_at_the_start_are_those_at_rest_in_the_first_scene() -> None:
    begun = start()
    first, hidden = card("KS", 10.0), card(None, 9.0)
    assert begun.found([first, hidden], first=True) == {first, hidden}
    late, new = card("QS", 9.9), card("JS", 10.1)
    assert begun.found([first, hidden, late, new], first=False) == {late}
    hidden.face = parse_card("2H")
    assert begun.found([first, hidden, late, new], first=False) == {hidden}, "it is read now"
    assert begun.found([first, hidden, late, new], first=False) == set()


def drawing(*actions: str) -> Table:
    """It's 15 in the phase in which seat 0 draws or stays."""
    table = table_of("its-15", 2, 0)
    do(table, "turn green-5", *actions)
    return table


def test_a_face_down_card_may_have_been_drawn_only_after_a_restart() -> None:
    table = drawing()
    phase, zone = 2, Zone("show", 0)
    laid = card(None, 9.0, zone, phase)
    begun = start(table)
    assert begun.perhaps_drawn([laid]) == 0
    assert begun.perhaps_drawn([]) is None
    assert begun.perhaps_drawn([card("green-1", 9.0, zone, phase)]) is None, "it is known"
    assert begun.perhaps_drawn([card(None, 9.0, Zone("show", 1), phase)]) is None
    assert begun.perhaps_drawn([card(None, 9.0, zone, phase - 1)]) is None, "it was dealt"
    assert start(table, watched=True).perhaps_drawn([laid]) is None
    assert Start(table, watched=False).perhaps_drawn([laid]) is None, "not started"
    do(table, "0 say stay")
    assert begun.perhaps_drawn([laid]) is None, "it is the other seat's turn"


def test_a_game_that_begins_after_the_start_is_seen_from_the_beginning() -> None:
    table = table_of("its-15", 2, 0)
    begun = start(table)
    do(table, "turn green-5")
    assert begun.perhaps_drawn([card(None, 11.0, Zone("show", 0), 2)]) is None


def test_a_dealt_card_that_was_counted_in_this_hand_was_not_drawn() -> None:
    zone = Zone("show", 0)
    dealt, laid = card(None, 9.0, zone, 1), card(None, 9.0, zone, 2)
    elsewhere = card(None, 9.0, Zone("show", 1), 1)
    named, of_last_hand = card("green-1", 9.0, zone, 1), card(None, 9.0, zone, 0)
    begun = start(drawing())
    begun.count_face_down([elsewhere, named, of_last_hand, laid])
    assert begun.perhaps_drawn([laid]) == 0
    begun.count_face_down([dealt])
    begun.count_face_down([])
    assert begun.perhaps_drawn([laid]) is None, "the card that it was dealt is known"


def test_cards_dealt_before_the_start_lie_in_that_hand_or_the_next() -> None:
    table = drawing("0 say stay", "1 say stay", "0 bid red-1", "1 bid blue-1")
    in_hand = start(table)
    do(table, "0 show brown-6", "1 show brown-9")
    assert table.between_hands
    between = start(table)
    do(table, "turn green-4")
    laid = card(None, 11.0, Zone("show", 1), 4)
    assert between.perhaps_drawn([laid]) == 1
    assert in_hand.perhaps_drawn([laid]) is None, "the start was in the hand before"
