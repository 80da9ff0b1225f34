"""What the trace says of a card in each of its statuses, and of an action without a card."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.actions import Action
from engine.cards import parse_card
from engine.observations import Zone
from engine.referee.observed_cards import ObservedCard
from engine.referee.trace import Ignored, NotTaken, Taken, TraceEvent, _event

KING = parse_card("KS")
PLAY, ZONE = Action("play", 1, KING), Zone("play", 1)
STAND, SAY = Action("say", 1, word="stand"), Zone("say", 1)


def refused(card: ObservedCard) -> None:
    card.refuse("not-your-turn", "It is Ann who must play now.", PLAY)


def refused_at_once(card: ObservedCard) -> None:
    card.refuse("two-cards")


def retired(card: ObservedCard) -> None:
    card.count(PLAY, 7)
    card.retire()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda card: None, None),
        (lambda card: card.count(PLAY, 7), Taken(KING, ZONE, PLAY)),
        (lambda card: card.recognise(KING, None, assumed=False), Taken(KING, ZONE, None)),
        (refused, NotTaken(KING, ZONE, PLAY, "not-your-turn", "It is Ann who must play now.")),
        (refused_at_once, NotTaken(KING, ZONE, None, "two-cards", "")),
        (lambda card: card.mark_misread(), NotTaken(KING, ZONE, None, "misread", "")),
        (lambda card: card.leave_over(), Ignored(KING, ZONE, "left-over")),
        (lambda card: card.nudge(), Ignored(KING, ZONE, "nudged")),
        (lambda card: card.retire(), Ignored(KING, ZONE, "spent")),
        (retired, Taken(KING, ZONE, PLAY)),
    ],
)
def test_a_card_in_each_status(change: Callable[[ObservedCard], None], expected: TraceEvent | None) -> None:
    card = ObservedCard(KING, ZONE, 1.0, 4)
    change(card)
    assert _event(card) == expected
