"""What the reader learns at a table about its deck: where the indices stand, and how large the cards are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.cards import Card
from vision.faces.card_assembly import IndexReading
from vision.faces.card_size import CardSize
from vision.faces.geometry import Quad, dimensions, starting_at
from vision.faces.index_places import IndexPlaces, PlacedCard, place_on
from vision.faces.outlined_cards import OutlinedCard, belongs_to
from vision.faces.settings import ReaderSettings


class DeckKnowledge:
    """The places of the indices and the size of the cards, for as long as the reader lives."""

    def __init__(self, settings: ReaderSettings) -> None:
        self._settings = settings
        self.places: Final = IndexPlaces(settings.places)
        self.size: Final = CardSize(settings.card_mm, settings.places)

    def learn(
        self,
        outlined: Sequence[OutlinedCard],
        placed: Sequence[PlacedCard],
        indices: Sequence[IndexReading],
        whole: Sequence[Quad],
        mm_per_px: float,
    ) -> None:
        """Learn from the cards that are sure.

        `outlined`, `placed`: the cards read in a picture. `indices`: those that the detector has located in it; an
        index that was looked for in a known place teaches nothing. `whole`: outlines on which nothing lies. A card that
        shows one index teaches only if nothing can hide the other.
        """
        least = self._settings.places.min_confidence_learnt
        for card in outlined:
            ends, outline = card.verdict.corners, card.reading.outline
            if card.verdict.confidence < least or (len(ends) < 2 and not any(outline is quad for quad in whole)):
                continue
            self._measure(card.verdict.card, outline, mm_per_px, len(ends))
            own = (one for one in indices if one.card is card.verdict.card and belongs_to(one, card, self._settings))
            corners = [starting_at(outline, corner) for corner in ends]
            found = (place_on(one.pose, corner, self._settings.places) for one in own for corner in corners)
            self.places.learn(card.verdict.card, [place for place in found if place is not None], len(ends))
        for one in placed:
            if one.card.confidence >= least and all(index in indices for index in one.card.indices):
                shown = min(len(one.places), 2)
                self._measure(one.card.card, one.outline, mm_per_px, shown)
                self.places.learn(one.card.card, one.places, shown)

    def _measure(self, card: Card, outline: Quad, mm_per_px: float, ends: int) -> None:
        if ends == 2 or not self.places.in_pairs:
            across, along = dimensions(outline)
            self.size.learn(card, (across * mm_per_px, along * mm_per_px))
