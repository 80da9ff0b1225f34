"""Cards known by their indices alone: which of them are sure, and where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from engine.cards import COURT_RANKS, Card
from vision.faces.card_assembly import AssembledCard
from vision.faces.crops import corner_crop
from vision.faces.deck_knowledge import DeckKnowledge
from vision.faces.examined_picture import ExaminedPicture
from vision.faces.fitted_cards import UsualIndex
from vision.faces.geometry import Floats, Quad, iou, starting_at
from vision.faces.half_indices import free_first, is_misread
from vision.faces.index_classifier import IndexClassifier
from vision.faces.index_outlines import outline_around
from vision.faces.index_places import PlacedCard
from vision.faces.index_reader import outline_of, shows_others
from vision.faces.outlined_cards import OutlinedCard, conflicts
from vision.faces.score_fusion import (
    Verdict,
    alternatives,
    card_probabilities,
    checked,
    confirmed,
    with_confidence,
)
from vision.faces.second_opinion import may_be_club
from vision.faces.settings import ReaderSettings
from vision.faces.whole_card import WholeCardReader
from vision.readings import OutlineFrom, Reading


class _Candidate(NamedTuple):
    """A card that may be reported: where it lies, pixels, and the edge score of that outline, 0 if extrapolated."""

    card: AssembledCard
    outline: Quad
    score: float


class CoveredCardReader:
    """Finds the cards that only indices show.

    `corners`: the net that reads the corners of outlines. `deck`: what is known at a table of its deck.
    """

    def __init__(
        self, whole_card: WholeCardReader, corners: IndexClassifier, deck: DeckKnowledge, settings: ReaderSettings
    ) -> None:
        self._whole_card, self._corners, self._deck, self._settings = whole_card, corners, deck, settings

    def __call__(
        self,
        picture: ExaminedPicture,
        outlined: Sequence[OutlinedCard],
        placed: Sequence[PlacedCard],
        assembled: Sequence[AssembledCard],
        usual: UsualIndex | None = None,
    ) -> list[Reading]:
        """Return the cards of `placed`, and those of `assembled` that are sure and not among the others.

        `outlined`: the cards read in an outline. `usual`: where the cards of a picture of unknown scale have their
        indices.
        """
        settings, has_scale = self._settings, picture.mm_per_px is not None
        readings = [card.reading for card in outlined] + [_reading(one.card, one.outline, settings) for one in placed]
        read = _corners_read(outlined, placed)
        kept: list[AssembledCard] = []
        least = settings.min_confidence_alone if has_scale else settings.min_candidate
        candidates = [
            _Candidate(card, *self._outline(picture, card, usual))
            for card in free_first(assembled, [one.outline for one in readings], settings)
            if card.confidence >= least
        ]
        if not has_scale:
            candidates = self._checked(picture, candidates, assembled)
        for card, outline, score in candidates:
            if has_scale and score < settings.min_edge_score_alone:
                continue
            if card.confidence < settings.min_confidence_alone:
                continue
            repeated = any(
                one.face is card.card and iou(one.outline, outline) > settings.repeated_iou for one in readings
            )
            if has_scale:
                refuted = conflicts(outline, card, read, settings)
            else:
                refuted = score > 0 and is_misread(card, outline, kept, settings)
            if repeated or refuted:
                continue
            kept.append(card)
            read.append((outline, card.card, 1.0))  # it counts more than those that follow
            readings.append(_reading(card, outline, settings, "edges" if score > 0 else "index"))
        return readings[len(outlined) :]

    def _outline(self, picture: ExaminedPicture, card: AssembledCard, usual: UsualIndex | None) -> tuple[Quad, float]:
        """Return where the card lies, pixels, and the edge score of that outline, 0 if it is only extrapolated."""
        settings, scale, deck = self._settings, picture.mm_per_px, self._deck
        outline, score = outline_of(card, picture.outlines, picture.scores, scale, settings, deck.places)
        if score == 0 and usual is not None:
            outline = usual.estimate(card)
        if scale is None or score >= settings.min_edge_score_alone:
            return outline, score
        if not deck.size.known or card.confidence < settings.places.min_confidence_around:
            return outline, score
        pose, size = card.indices[0].pose, deck.size.in_pixels(scale)
        return outline_around(pose, picture, size, deck.places.expected, settings) or (outline, score)

    def _checked(
        self, picture: ExaminedPicture, candidates: Sequence[_Candidate], assembled: Sequence[AssembledCard]
    ) -> list[_Candidate]:
        """Return the candidates, those whose indices are not sure with the confidence that more evidence gives them.

        What counts for a card that lies in full is all of its picture, and for others another net that reads the
        corners, those of all cards at once.
        """
        settings, fusion = self._settings, self._settings.fusion
        confidences = [one.card.confidence for one in candidates]
        covered: list[int] = []
        for k, (card, outline, score) in enumerate(candidates):
            if score > 0 and not shows_others(outline, card, assembled, settings):
                if card.confidence < fusion.unsure_alone:
                    confidences[k] = self._with_whole(picture, card, outline)
            elif settings.least_covered <= card.confidence < fusion.unsure_covered:
                covered.append(k)
        corners = [(k, corner) for k in covered for corner in (0, 2)[: len(candidates[k].card.indices)]]
        quads = [starting_at(candidates[k].outline, corner) for k, corner in corners]
        crops = [corner_crop(picture.levels, quad, settings.pyramid) for quad in quads]
        shown = card_probabilities(*self._corners(crops))
        for k in covered:
            own = [one for one, (number, _) in zip(shown, corners, strict=True) if number == k]
            confidences[k] = self._with_corners(candidates[k].card, own)
        return [
            one._replace(card=replace(one.card, confidence=confidence))
            for one, confidence in zip(candidates, confidences, strict=True)
        ]

    def _with_whole(self, picture: ExaminedPicture, card: AssembledCard, outline: Quad) -> float:
        """Return the confidence in a card whose indices are not sure, with what all of its picture shows.

        It is 0 if the card may be a blurred club, or is a court card whose indices are below `least_court_index`.
        """
        settings = self._settings
        if card.card.rank in COURT_RANKS and card.confidence < settings.least_court_index:
            return 0.0
        whole = self._whole_card(picture.levels, outline, card.card.rank)
        if may_be_club(card.card, card.indices[0].confidence, whole, settings, settings.half_sure_spade):
            return 0.0
        return checked(card.card, card.confidence, card.probabilities, whole)

    def _with_corners(self, card: AssembledCard, shown: Sequence[Floats]) -> float:
        """Return the confidence in a card whose indices are not sure, with what another net reads in its corners.

        `shown`: the probability of each card, (52,), in each corner. A corner in which that net sees no index does not
        count. The confidence in a black card does not rise to less than `least_black_alone`.
        """
        settings = self._settings
        seen = [one for one in shown if one.sum() > settings.least_seen]
        if not seen:
            return card.confidence
        own = with_confidence(card.card, card.confidence, card.probabilities)
        verdict = confirmed(Verdict(card.card, card.confidence, (), (), own), seen, settings=settings.fusion)
        least = dict(zip("SC", settings.least_black_alone, strict=True)).get(card.card.suit, 0.0)
        return verdict.confidence if verdict.confidence >= least else min(verdict.confidence, card.confidence)


def _corners_read(outlined: Sequence[OutlinedCard], placed: Sequence[PlacedCard]) -> list[tuple[Quad, Card, float]]:
    """Return each outline from the corner in which an index was read, with the card and its confidence."""
    read = [
        (starting_at(card.reading.outline, corner), card.verdict.card, card.verdict.confidence)
        for card in outlined
        for corner in card.verdict.corners
    ]
    return read + [
        (starting_at(one.outline, 2 * end), one.card.card, one.card.confidence)
        for one in placed
        for end in range(min(len(one.places), 2))
    ]


def _reading(
    card: AssembledCard, outline: Quad, settings: ReaderSettings, outline_from: OutlineFrom = "edges"
) -> Reading:
    other = alternatives(card.probabilities, settings.fusion)
    return Reading(card.card, card.confidence, "face", outline, other, outline_from)
