"""What the trace says of a card in each of its statuses, and of an action without a card."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.actions import Action
from engine.cards import parse_card
from engine.observations import ActionCard, Said, Zone
from engine.referee.observed_cards import ObservedCard
from engine.referee.trace import Ignored, NotTaken, Taken, TraceEvent, _event
from tests.engine.referee.table_top import TableTop

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


def test_a_word_laid_as_a_card() -> None:
    card = ObservedCard(ActionCard("stand"), SAY, 1.0, 4)
    card.count(STAND, 3)
    assert _event(card) == Taken(ActionCard("stand"), SAY, STAND)


def test_a_word_from_the_page_that_is_refused_and_one_that_is_accepted() -> None:
    top = TableTop()
    top.lay("2H", "turn-up")
    top.trace.clear()
    top.referee.observe(Said(3.0, "page", 0, "stand"))
    (event,) = top.trace
    assert isinstance(event, NotTaken)
    assert (event.card, event.zone, event.action, event.code) == (
        None,
        None,
        Action("say", 0, word="stand"),
        "not-your-turn",
    )
    assert event.message == next(prompt.text for prompt in top.referee.prompts if prompt.kind == "refused")
    top.trace.clear()
    top.referee.observe(Said(4.0, "page", 1, "stand"))
    assert top.trace == [Taken(None, None, STAND)]
