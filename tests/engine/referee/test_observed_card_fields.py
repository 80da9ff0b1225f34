"""What the methods of an observed card change besides its status."""

from __future__ import annotations

import pytest

from engine.cards import Card, parse_card
from engine.observations import Sighting, Zone
from engine.referee.observed_cards import Status
from tests.engine.referee.cards_in_states import (
    JACK,
    KING,
    PHASE,
    PLAY,
    QUEEN,
    STATUSES,
    ZONE,
    counted,
    in_status,
    laid,
)


def test_counting_notes_the_action_and_ends_an_assumption() -> None:
    card = laid()
    card.refuse("wrong-phase", "Not now.", PLAY)
    card.recognise(QUEEN, None, assumed=True)
    assert (card.face, card.assumed, card.action_number) == (QUEEN, True, None)
    card.count(PLAY, 7)
    assert (card.action, card.action_number, card.assumed) == (PLAY, 7, False)
    assert (card.code, card.message, card.tried) == ("", "", None)


def test_a_recognised_card_has_the_action_that_laid_it() -> None:
    card = laid()
    card.recognise(KING, (2, PLAY), assumed=False)
    assert (card.action, card.action_number, card.assumed) == (PLAY, 2, False)


def test_a_refused_card_says_why_and_loses_its_number() -> None:
    card = counted()
    card.refuse("wrong-phase", "Not now.", PLAY)
    assert (card.code, card.message, card.tried) == ("wrong-phase", "Not now.", PLAY)
    assert (card.action, card.action_number) == (PLAY, None)
    card.reopen()
    assert (card.code, card.message, card.tried) == ("", "", None)


def test_a_misread_card_keeps_its_number_until_it_is_undone() -> None:
    card = in_status("misread")
    assert (card.code, card.counted_as, card.face, card.action_number) == ("misread", KING, QUEEN, 3)
    card.refuse("undone")
    assert card.action_number is None


def test_a_rejected_assumption_leaves_nothing_of_the_action() -> None:
    card = laid()
    card.recognise(KING, (2, PLAY), assumed=True)
    card.reject_assumption()
    assert (card.action, card.action_number, card.assumed) == (None, None, False)


def test_a_moved_card_keeps_its_action() -> None:
    card = counted()
    card.move(Zone("show", 1), 9.0)
    assert (card.zone, card.since) == (Zone("show", 1), 9.0)
    assert (card.action, card.action_number) == (PLAY, 3)


def test_a_left_over_card_read_as_another_is_refused_as_laid_before() -> None:
    for status in ("left-over", "nudged"):
        card = in_status(status)
        card.read_as(JACK, PHASE)
        assert (card.code, card.face) == ("before", JACK)


def test_what_a_card_counted_as_is_known_when_it_is_read_as_another() -> None:
    for status in ("counted", "spent", "nudged"):
        card = in_status(status, numbered=True)
        assert card.read_as(JACK, PHASE)
        assert (card.counted_as, card.face, card.read_face) == (KING, JACK, JACK)


def test_a_supposed_face_is_not_the_one_read() -> None:
    card = laid()
    card.suppose(JACK)
    assert (card.face, card.read_face) == (JACK, KING)
    uncertain = Sighting("a", KING, ZONE, 1.0, 0.8, (JACK,))
    assert card.agrees_with(uncertain)
    assert not card.agrees_with(Sighting("a", KING, ZONE, 1.0))
    assert card.agrees_with(Sighting("a", JACK, ZONE, 1.0))


def test_the_phase_of_a_predated_card_is_the_earlier_one() -> None:
    card = laid()
    card.predate(2)
    assert card.hand_phase == 2


def test_how_often_a_card_was_put_back_may_be_known_late() -> None:
    card = laid()
    card.set_put_back_count(2)
    assert card.put_back_count == 2


def test_one_sure_source_leaves_no_alternatives() -> None:
    card = laid()
    card.sight(("readers", "b"), (JACK, QUEEN))
    assert card.alternatives == ()
    card.sight(("camera", "a"), (JACK, QUEEN, parse_card("2H")))
    assert card.alternatives == (JACK, QUEEN)


@pytest.mark.parametrize("status", STATUSES)
def test_a_status_asks_for_something_or_is_done_or_neither(status: Status) -> None:
    card = in_status(status)
    assert card.is_refused == (status in ("refused", "misread"))
    assert card.is_done == (status in ("spent", "left-over", "nudged"))
    assert isinstance(card.face, Card)
