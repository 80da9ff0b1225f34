"""Read the separated cards of a learned deck by their whole face, whatever is printed on it."""

from __future__ import annotations

from typing import ClassVar

from vision.decks.appearance import cut_out
from vision.decks.deck import OwnDeck
from vision.decks.matching import DEFAULTS, Match, Matcher
from vision.decks.outlines import card_outlines, whole_outline
from vision.faces.geometry import Quad, iou, starting_at
from vision.faces.pyramid import image_pyramid
from vision.frames import Image
from vision.readings import CARD_MM, Reading


class DeckReader:
    """A `Reader` for the cards of one deck. Cards that are partly covered are not read.

    An outline begins at the card's own top left if the card was upright when it was learned.
    """

    min_px_per_mm: ClassVar[float] = 1.1
    """Below it, small signs are lost: `python -m benchmarks.decks`."""

    def __init__(self, deck: OwnDeck) -> None:
        self._size = deck.size_mm or CARD_MM
        self._matcher = Matcher(deck.faces)

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """Return the cards of the deck that lie apart in `image` ((H, W, 3) uint8 BGR).

        Other cards, and those that may be either of two, are left out. Without a scale the whole picture may be one
        card, cut out at its edges.
        """
        if mm_per_px is not None and mm_per_px * self.min_px_per_mm > 1:
            return []
        size = None if mm_per_px is None else (self._size[0] / mm_per_px, self._size[1] / mm_per_px)
        levels = image_pyramid(image)
        found = self._match(levels, card_outlines(image, levels, size))
        if not found and size is None and (whole := whole_outline(image)) is not None:
            found = self._match(levels, [whole])
        kept: list[tuple[Match, Quad]] = []
        for match, quad in sorted(found, key=lambda one: one[0].difference):
            if not any(iou(quad, other) > DEFAULTS.same_card_iou for _, other in kept):
                kept.append((match, quad))
        return [Reading(match.card, match.confidence, "face", quad) for match, quad in kept if match.card is not None]

    def _match(self, levels: list[Image], quads: list[Quad]) -> list[tuple[Match, Quad]]:
        """Return the outlines that show a card of the deck, from its own top left."""
        found: list[tuple[Match, Quad]] = []
        for quad in quads:
            match = self._matcher.match(cut_out(levels, quad))
            if match.card is not None:
                found.append((match, starting_at(quad, 2) if match.upside_down else quad))
        return found
