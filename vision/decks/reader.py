"""Reads the separated cards of a deck that has been learned, by their whole face, whatever is on it."""

from __future__ import annotations

from typing import ClassVar

from vision.decks.deck import OwnDeck
from vision.decks.finding import card_outlines, whole_outline
from vision.decks.looks import cut_out
from vision.decks.matching import Match, Matcher
from vision.faces.crops import Quad
from vision.faces.geometry import overlap, turned
from vision.faces.reader import pyramid
from vision.frames import Image
from vision.readings import CARD_MM, Reading

SAME = 0.3
"""Two outlines that share so much of what both cover show one card."""


class DeckReader:
    """A `Reader` for the cards of one deck. A card of which a part is covered is unknown.

    An outline begins at the card's own top left if the card lay upright when it was learned.
    """

    least_px_per_mm: ClassVar[float] = 1.1
    """Below it small signs are lost: `python -m benchmarks.decks`."""

    def __init__(self, deck: OwnDeck) -> None:
        self._size = deck.size_mm or CARD_MM
        self._matcher = Matcher(deck.faces)

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """All cards of the deck that lie apart; others, and those that might be two, are left out.

        A single picture may be the card itself, cut out at its edges.
        """
        if mm_per_px is not None and mm_per_px * self.least_px_per_mm > 1:
            return []
        size = None if mm_per_px is None else (self._size[0] / mm_per_px, self._size[1] / mm_per_px)
        levels = pyramid(image)
        found = self._read(levels, card_outlines(image, levels, size))
        if not found and size is None and (whole := whole_outline(image)) is not None:
            found = self._read(levels, [whole])
        kept: list[tuple[Match, Quad]] = []
        for match, quad in sorted(found, key=lambda one: one[0].differs):
            if not any(overlap(quad, other) > SAME for _, other in kept):
                kept.append((match, quad))
        return [Reading(match.card, match.confidence, "face", quad) for match, quad in kept if match.card is not None]

    def _read(self, levels: list[Image], quads: list[Quad]) -> list[tuple[Match, Quad]]:
        """Those outlines that show a card of the deck, from its own top left."""
        found: list[tuple[Match, Quad]] = []
        for quad in quads:
            match = self._matcher.match(cut_out(levels, quad))
            if match.card is not None:
                found.append((match, turned(quad, 2) if match.turned else quad))
        return found
