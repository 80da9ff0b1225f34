"""Read ordinary cards by their printed indices, whatever the deck."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np

from vision.faces.card_assembly import IndexReading, assemble_cards, surest
from vision.faces.card_size import difference
from vision.faces.covered_cards import CoveredCardReader
from vision.faces.covered_outlines import CoveredOutlines
from vision.faces.deck_knowledge import DeckKnowledge
from vision.faces.examined_picture import ExaminedPicture
from vision.faces.expected_indices import expected_indices
from vision.faces.fitted_cards import UsualIndex, fitted
from vision.faces.geometry import Quad, containment, dimensions, fits_size, iou, may_be_landscape, portrait, starting_at
from vision.faces.half_indices import without_half_indices
from vision.faces.index_classifier import IndexClassifier
from vision.faces.index_evidence import (
    left_over,
    shows_other_index,
    shows_own_index,
    with_usual,
    without_disputed_courts,
)
from vision.faces.index_outlines import paired_outlines
from vision.faces.index_places import PlacedCard
from vision.faces.index_reader import IndexReader, index_heights
from vision.faces.outline_finder import Proposal
from vision.faces.outline_reader import OutlineReader
from vision.faces.outlined_cards import (
    OutlinedCard,
    has_credible_size,
    is_outweighed,
    is_printed_on,
    non_max_suppression,
    sure_outline,
    without_suppressed,
)
from vision.faces.placed_cards import belongs_to_placed, contradicts, is_outvoted, placed_cards
from vision.faces.reader_nets import NETS, UNREAD_ADVICE, Suits, settings_for
from vision.faces.second_opinion import with_second_opinion
from vision.faces.settings import DEFAULTS, ReaderSettings
from vision.faces.whole_card import WholeCardReader
from vision.frames import Image
from vision.readings import Reading


class FaceReader:
    """A `Reader` for any ordinary deck: cards that lie apart, on one another, or covered up to an index.

    At a known scale, that is at a table, it learns from sure cards where the deck prints its indices and how large its
    cards are. Use one reader for each table. `suits`: the signs that the deck prints.

    >>> FaceReader().read(np.full((300, 400, 3), 90, np.uint8))  # an empty table
    []
    """

    min_px_per_mm: ClassVar[float] = 1.25
    """Below it, indices are too small to be read with certainty: `python -m lab.benchmarks.faces` shows it at 1.1."""

    def __init__(self, settings: ReaderSettings = DEFAULTS, suits: Suits = "french") -> None:
        self._settings = settings = settings_for(suits, settings)
        at_table = settings.fusion.unsure_at_table
        unsure = replace(settings.fusion, unsure=at_table, unsure_together=at_table[1])
        self._at_table = replace(
            settings,
            fusion=unsure,
            min_candidate=settings.min_candidate_at_table,
            min_confidence=settings.min_confidence_at_table,
            border_share=settings.border_share_at_table,
        )
        self.unread_advice = UNREAD_ADVICE[suits]
        nets = NETS[suits]
        self._indices = IndexReader(settings, nets.glyphs)
        self._whole_card = WholeCardReader(settings.fusion, nets.cards, counts_pips=nets.counts_pips)
        corners = IndexClassifier(nets.corners)
        self._read_outlines = OutlineReader(self._whole_card, corners)
        self._deck = DeckKnowledge(settings)
        self._covered = CoveredCardReader(self._whole_card, corners, self._deck, settings)

    @property
    def card_mm(self) -> tuple[float, float]:
        """Width and height of the cards at the table, millimetres: as set, as learned, or poker size."""
        return self._deck.size.mm

    @property
    def drawback(self) -> str:
        """Why this deck suits a table badly, and what to do; empty if it does not, or if too little is known."""
        return self._deck.places.drawback()

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """Return the cards in `image` ((H, W, 3) uint8 BGR) that can be read with confidence.

        `mm_per_px`: the scale at the table, if known; cards of another size than the deck's are then ignored, and a
        picture coarser than `min_px_per_mm` gives none.
        """
        if mm_per_px is None:
            return self._read_single(image)
        return [] if mm_per_px * self.min_px_per_mm > 1 else self._read_at_table(image, mm_per_px)

    def _read_single(self, image: Image) -> list[Reading]:
        """Return the cards in a picture of unknown scale."""
        settings = self._settings
        picture = ExaminedPicture(image, None, settings, 0.0)
        outlined = non_max_suppression(self._read_any_size(picture), settings)
        complete = [card.reading.outline for card in outlined if len(card.verdict.corners) == 2]
        indices = self._indices.find(picture.levels, index_heights(None, complete, settings.indices))
        if more := self._read_rectangles(picture, outlined, indices):
            outlined = non_max_suppression(outlined + more, settings)
        outlined, rejected = self._confirmed(picture, outlined, indices)
        unclaimed = left_over(indices, outlined, rejected, settings)
        unclaimed = without_disputed_courts(unclaimed, indices, outlined, settings)
        assembled = assemble_cards(unclaimed, settings.assembly, settings.fusion)
        sure = [quad for card in assembled if (quad := sure_outline(card, settings)) is not None]
        outlined = [
            card for card in outlined if not any(is_printed_on(card.reading.outline, quad, settings) for quad in sure)
        ]
        usual = UsualIndex(outlined, indices, settings)
        found = [card.reading for card in outlined] + self._covered(picture, outlined, [], assembled, usual)
        fitter, level = picture.finder.fitter()
        readings, doubted = fitted(picture.levels, fitter, level, found, indices, usual, settings)
        readings = CoveredOutlines(fitter, level, indices, usual, settings).complete(readings, doubted)
        proven = [card.verdict.card for card in outlined if len(card.verdict.corners) == 2]
        return without_half_indices(readings, indices, proven, settings)

    def _read_at_table(self, image: Image, mm_per_px: float) -> list[Reading]:
        """Return the cards in a picture of known scale, where no outline of another size is a card; learn from them."""
        settings, deck = self._at_table, self._deck
        size = deck.size.in_pixels(mm_per_px)
        picture = ExaminedPicture(image, mm_per_px, settings, deck.size.least_mm(settings.size_tolerance))
        outlined = non_max_suppression(self._read_known_size(picture, mm_per_px), settings)
        heights = index_heights(mm_per_px, [], settings.indices, deck.size.smallest)
        detected = self._indices.find(picture.levels, heights)
        indices = surest([*detected, *self._expected(picture, outlined, size)], settings.assembly)
        outlined, rejected = self._confirmed(picture, outlined, indices)
        outlined = [
            card
            for card in outlined
            if has_credible_size(card, deck.size, mm_per_px, settings)
            and shows_own_index(card, indices, deck.places, settings)
            and not is_outweighed(card, indices, deck.places, settings)
        ]
        rejected = [card for card in rejected if not is_outvoted(card, indices, deck.places, settings)]
        unclaimed = left_over(indices, outlined, rejected, settings, deck.places)
        placed = self._placed(picture, unclaimed, outlined, size)
        outlined = [card for card in outlined if not any(contradicts(one, card, settings) for one in placed)]
        unclaimed = [one for one in unclaimed if not any(belongs_to_placed(one, card, settings) for card in placed)]
        deck.learn(outlined, placed, detected, picture.whole, mm_per_px)
        covered = self._covered(
            picture, outlined, placed, assemble_cards(unclaimed, settings.assembly, settings.fusion)
        )
        return [card.reading for card in without_suppressed(outlined, covered, settings)] + covered

    def _confirmed(
        self, picture: ExaminedPicture, outlined: list[OutlinedCard], indices: list[IndexReading]
    ) -> tuple[list[OutlinedCard], list[OutlinedCard]]:
        """Return the outlined cards that the `indices` and the whole card confirm, and those that they do not.

        Those that an index away from the corners refutes are among neither: their corners cast no doubt on others.
        """
        at_table = picture.mm_per_px is not None
        whole = partial(self._whole_card, picture.levels, at_table=at_table)
        judged = [
            (card, with_second_opinion(card, indices, whole, picture.settings, not at_table)) for card in outlined
        ]
        confirmed = [sure for _, sure in judged if sure is not None]
        unrefuted = [card for card in confirmed if not shows_other_index(card, indices, picture.settings)]
        return unrefuted, [card for card, sure in judged if sure is None]

    def _expected(
        self, picture: ExaminedPicture, outlined: list[OutlinedCard], size: tuple[float, float]
    ) -> list[IndexReading]:
        """Return the indices that stand where this deck prints them in outlines on edges in which no card was read.

        If the deck prints some away from the corners, all outlines are read, also where ordinary decks print theirs.
        """
        settings, places = self._settings, self._deck.places
        if not places.in_pairs:
            return []
        read = [
            card.reading.outline
            for card in outlined
            if len(card.verdict.corners) == 2 and card.verdict.confidence >= picture.settings.min_confidence
        ]
        expected = places.expected
        if places.away_from_corners(settings.indices):
            read, expected = [], with_usual(expected, settings)
        outlines = [
            quad
            for quad, _ in picture.on_edges(settings.min_edge_score_alone, self._deck.size)
            if difference(dimensions(quad), size) <= settings.exact_size
            and not any(iou(quad, other) > settings.covered_iou for other in read)
        ]
        return expected_indices(partial(self._indices.read, picture.levels), outlines, expected)

    def _placed(
        self,
        picture: ExaminedPicture,
        unclaimed: list[IndexReading],
        outlined: list[OutlinedCard],
        size: tuple[float, float],
    ) -> list[PlacedCard]:
        """Return the cards at a known scale that indices of no outlined card prove, wherever they are printed."""
        settings = self._settings

        def proven() -> list[PlacedCard]:
            outlines = picture.on_edges(settings.min_edge_score_alone, self._deck.size)
            return placed_cards(unclaimed, outlines, picture.whole, outlined, self._deck.places, settings)

        placed = proven()
        rest = [one for one in unclaimed if not any(belongs_to_placed(one, card, settings) for card in placed)]
        if more := paired_outlines(rest, picture, size, settings):
            picture.add(more)
            placed = proven()
        return placed

    def _read_any_size(self, picture: ExaminedPicture) -> list[OutlinedCard]:
        """Read outlines from the outside in: what lies inside a card that was read is print on it."""
        proposals = picture.finder.contours()
        cards: list[OutlinedCard] = []
        waiting = list(range(len(proposals)))
        while waiting:
            outermost = [k for k in waiting if proposals[k].parent not in waiting]
            waiting = [k for k in waiting if k not in outermost]
            quads = [proposals[k].quad for k in outermost if not self._inside_any(proposals[k].quad, cards)]
            upright = [picture.refined(quad) for quad in quads]
            found = self._read_outlines(picture, upright)
            sideways = [
                starting_at(quad, 1)
                for quad in upright
                if may_be_landscape(quad, self._settings.max_landscape_ratio) and not self._inside_any(quad, found)
            ]
            cards += found + self._read_outlines(picture, sideways)
        return cards

    def _read_rectangles(
        self, picture: ExaminedPicture, cards: list[OutlinedCard], indices: list[IndexReading]
    ) -> list[OutlinedCard]:
        """Return the cards in rectangles as large as the `cards`, near indices that belong to none of these.

        They are searched only if there is such an index and paper outside the cards, and only from edges at that paper.

        `indices`: all of the picture.
        """
        sizes = [dimensions(card.reading.outline) for card in cards if len(card.verdict.corners) == 2]
        known = [card.reading.outline for card in cards]
        unclaimed = left_over(indices, cards, [], self._settings)
        if not sizes or not unclaimed:
            return []
        least_area, least_share = min(w * h for w, h in sizes), self._settings.outlines.min_paper_in_single
        paper = picture.finder.unread_paper(known, least_area, least_share)
        if paper is None:
            return []
        width, height = np.median(np.array(sizes), axis=0).tolist()
        near = np.array([(one.pose.x, one.pose.y) for one in unclaimed], np.float32)
        found = [one.quad for one in picture.finder.rectangles((width, height), near, paper)]
        rectangles = [quad for quad in found if not self._inside_any(quad, cards)]
        return self._read_outlines(picture, picture.different(rectangles, (width, height), []))

    def _read_known_size(self, picture: ExaminedPicture, mm_per_px: float) -> list[OutlinedCard]:
        """Read the outlines of a card's size: those that fill a contour, and those with edges on all sides."""
        size = self._deck.size.in_pixels(mm_per_px)
        proposals = picture.finder.contours()
        tolerance = self._settings.size_tolerance
        contours = [one.quad for one in proposals if fits_size(portrait(one.quad), size, tolerance)]
        picture.whole = picture.different(contours, size, [])
        others = [] if self._deck.size.known else self._of_other_sizes(picture, proposals, mm_per_px)
        cards = self._read_outlines(picture, picture.whole)
        read = [card.reading.outline for card in cards if len(card.verdict.corners) == 2]
        if picture.finder.unread_paper(read, size[0] * size[1], self._settings.outlines.min_paper) is not None:
            rectangles = [proposal.quad for proposal in picture.finder.rectangles(size)]
            cards += self._read_outlines(picture, picture.different(rectangles, size, picture.whole))
        picture.whole = picture.whole + others
        return cards + [card for card in self._read_outlines(picture, others) if len(card.verdict.corners) == 2]

    def _of_other_sizes(self, picture: ExaminedPicture, proposals: list[Proposal], mm_per_px: float) -> list[Quad]:
        """Return the contours that may be cards of another size than the one assumed, and lie in no such other."""
        found: list[Quad] = []
        inside: list[bool] = []  # whether each proposal is such a contour, or lies in one
        for one in proposals:
            refined = picture.refined(portrait(one.quad))
            across, along = dimensions(refined)
            is_in_card = one.parent is not None and inside[one.parent]
            possible = picture.is_even(refined) and self._deck.size.possible((across * mm_per_px, along * mm_per_px))
            inside.append(is_in_card or possible)
            if possible and not is_in_card and not any(iou(portrait(one.quad), other) > 0 for other in picture.whole):
                found.append(refined)
        return found

    def _inside_any(self, quad: Quad, cards: list[OutlinedCard]) -> bool:
        """Return whether `quad` lies inside a card that was read."""
        return any(containment(quad, card.reading.outline) > self._settings.inside_card for card in cards)
