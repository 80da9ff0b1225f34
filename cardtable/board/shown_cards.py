"""The cards of the state that can be corrected: those that lie there or were counted by the record, and those that
cameras see.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import zip_longest

from cardtable.board.screen_game import LyingCard, PicturedCard
from cardtable.board.snapshot import LogEntry, LyingDetail, Snapshot
from engine.cards import Card, Deck
from engine.views import CountedHand


def lying_cards(shown: Snapshot) -> list[LyingCard]:
    """Return the cards that lie face up by the record."""
    cards: list[LyingCard] = []
    for entry, detail in zip_longest(shown.view.lying, shown.lying, fillvalue=LyingDetail()):
        if isinstance(entry, LyingDetail) or not isinstance(detail, LyingDetail):
            break
        others = [str(card) for card in detail.alternatives]
        zone = entry.zone
        cards.append(
            {"card": str(entry.card), "zone": zone.name, "seat": zone.seat, "n": detail.line, "others": others}
        )
    return cards


def counted_lines(hand: CountedHand, history: Sequence[LogEntry]) -> list[int | None]:
    """Return the line of the action that laid each card of `hand`, then that of its starter, if it has one.

    Actions of earlier hands are left out: those up to the last end of a hand, if cards were laid after it, and else
    those up to the end before. None for a card that no action laid that everybody has seen.
    """
    ends = [number for number, done in enumerate(history) if any(event.ends == "hand" for event in done.events)]
    if ends and not any(done.seen_cards for done in history[ends[-1] + 1 :]):
        ends.pop()
    laid: dict[Card, list[int]] = {}
    for done in history[ends[-1] + 1 if ends else 0 :]:
        for card in done.seen_cards:
            laid.setdefault(card, []).append(done.n)
    cards = (*hand.cards, hand.starter) if hand.starter else hand.cards
    return [lines.pop() if (lines := laid.get(card)) else None for card in cards]


def cards_by_suit(deck: Deck) -> list[list[str]]:
    """Return for each suit or colour of the deck its name, then its ranks or numbers, in the deck's order."""
    ranks: dict[str, list[str]] = {}
    for card in deck:
        ranks.setdefault(card.suit, []).append(card.rank)
    return [[suit, *of_suit] for suit, of_suit in ranks.items()]


def pictured_cards(shown: Snapshot, cameras: Collection[str]) -> list[PicturedCard]:
    """Return the cards that these cameras see."""
    return [
        {
            "source": card.source,
            "id": card.card_id,
            "card": None if card.face is None else str(card.face),
            "n": card.line,
            "others": [str(other) for other in card.alternatives],
            "corners": [list(corner) for corner in card.corners],
        }
        for card in shown.placed
        if card.source in cameras
    ]
