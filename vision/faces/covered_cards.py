"""Cards known by their indices alone: which of them are sure, and where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import NamedTuple

from engine.cards import COURT_RANKS
from vision.faces.card_assembly import AssembledCard
from vision.faces.crops import corner_crop
from vision.faces.deck_knowledge import DeckKnowledge
from vision.faces.examined_picture import ExaminedPicture
from vision.faces.fitted_cards import UsualIndex
from vision.faces.geometry import Floats, Quad, iou, starting_at
from vision.faces.half_indices import CornerReading, comes_first, conflicts, is_misread
from vision.faces.index_classifier import IndexClassifier
from vision.faces.index_outlines import outline_around
from vision.faces.index_places import PlacedCard, ends_on
from vision.faces.index_reader import is_index_of, outline_of, shows_others
from vision.faces.outlined_cards import OutlinedCard
from vision.faces.score_fusion import (
    Verdict,
    alternatives,
    card_probabilities,
    confirmed,
    number_of,
    weighed,
    with_confidence,
)
from vision.faces.second_opinion import may_be_club
from vision.faces.settings import ReaderSettings
from vision.faces.whole_card import WholeCardReader
from vision.readings import CARD_MM, OutlineFrom, Reading


class _Candidate(NamedTuple):
    """A card that may be reported.

    `outline`: where it lies, pixels. `edge_score`: how well that lies on edges, 0 to 1; 0 if it is only extrapolated.
    `probabilities`: of each card, (52,), by everything that was read on this one. `sure_before`: confidence before the
    corner classifier changed it; None if that did not.
    """

    card: AssembledCard
    outline: Quad
    edge_score: float
    probabilities: Floats
    sure_before: float | None = None

    @property
    def corner(self) -> CornerReading:
        """The corner in which the card's surest index stands."""
        ends = ends_on(self.card.indices[0].pose, self.outline)
        on_the_right = ends is not None and sum(right for right, _ in ends) / 2 > CARD_MM[0] / 2
        return CornerReading(self.outline, self.card.card, self.card.confidence, on_the_right)

    def judged(self, probabilities: Floats) -> _Candidate:
        """Return the candidate with these probabilities of each card, (52,), and the confidence that follows."""
        confidence = float(probabilities[number_of(self.card.card)])
        return self._replace(card=replace(self.card, confidence=confidence), probabilities=probabilities)


class CoveredCardReader:
    """Finds the cards that only indices show.

    `corners`: the corner classifier. `deck`: what is known at a table of its deck.
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
        settings = self._settings
        readings = [card.reading for card in outlined] + [
            _reading(one.card, one.outline, _probabilities(one.card), settings) for one in placed
        ]
        outlines = [one.outline for one in readings]
        corners_read = _corners_read(outlined, placed)
        kept: list[_Candidate] = []
        candidates = self._candidates(picture, assembled, usual)
        for one in sorted(candidates, key=lambda one: _order(one, outlines, settings)):
            repeated = any(
                other.face is one.card.card and iou(other.outline, one.outline) > settings.repeated_iou
                for other in readings
            )
            if repeated or self._is_refuted(one, kept, corners_read, picture.mm_per_px is not None):
                continue
            kept.append(one)
            outline_from: OutlineFrom = "edges" if one.edge_score > 0 else "index"
            readings.append(_reading(one.card, one.outline, one.probabilities, settings, outline_from))
        return readings[len(outlined) :]

    def _candidates(
        self, picture: ExaminedPicture, assembled: Sequence[AssembledCard], usual: UsualIndex | None
    ) -> list[_Candidate]:
        """Return the cards that are sure enough and, at a table, lie on edges."""
        settings, has_scale = self._settings, picture.mm_per_px is not None
        least_sure = settings.min_confidence_alone_at_table if has_scale else settings.min_confidence_alone
        least_score = settings.min_edge_score_alone if has_scale else 0.0
        candidates = [
            _Candidate(card, *self._outline(picture, card, usual), _probabilities(card))
            for card in assembled
            if card.confidence >= (least_sure if has_scale else settings.min_candidate)
        ]
        if not has_scale:
            candidates = self._judged(picture, candidates, assembled)
        return [one for one in candidates if one.card.confidence >= least_sure and one.edge_score >= least_score]

    def _is_refuted(
        self, one: _Candidate, kept: Sequence[_Candidate], corners_read: Sequence[CornerReading], has_scale: bool
    ) -> bool:
        """Return whether a candidate is part of another card.

        `kept`: those before it that are not. `corners_read`: of the cards that are known otherwise.
        """
        if has_scale:  # none counts as surer than one that came before it
            before = [other.corner._replace(confidence=1.0) for other in kept]
            return conflicts(one.corner, [*corners_read, *before], self._settings)
        others = [other.card for other in kept]
        return one.edge_score > 0 and is_misread(one.card, one.outline, others, self._settings)

    def _outline(self, picture: ExaminedPicture, card: AssembledCard, usual: UsualIndex | None) -> tuple[Quad, float]:
        """Return where the card lies, pixels, and the edge score of that outline, 0 if it is only extrapolated.

        `usual`: as in `__call__`; None at a table.
        """
        settings, scale, deck = self._settings, picture.mm_per_px, self._deck
        places = deck.places if scale is not None else None  # a picture of unknown scale may show another deck
        outline, score = outline_of(card, picture.outlines, picture.scores, scale, settings, places)
        if score == 0 and usual is not None:
            outline = usual.estimate(card)
        if scale is None or score >= settings.min_edge_score_alone:
            return outline, score
        if not deck.size.known or card.confidence < settings.places.min_confidence_around:
            return outline, score
        pose, size = card.indices[0].pose, deck.size.in_pixels(scale)
        return outline_around(pose, picture, size, deck.places.printed, settings) or (outline, score)

    def _judged(
        self, picture: ExaminedPicture, candidates: Sequence[_Candidate], assembled: Sequence[AssembledCard]
    ) -> list[_Candidate]:
        """Return the candidates; those whose indices are unsure are judged by more than these.

        A card that lies in full is judged by its whole picture, another one by the corner classifier. Blurred court
        cards, possible clubs, and covered cards below `least_covered` are left out.
        """
        settings, fusion = self._settings, self._settings.fusion
        judged: list[_Candidate] = []
        covered: list[_Candidate] = []
        for one in candidates:
            if one.edge_score > 0 and not shows_others(one.outline, one.card, assembled, settings):
                whole = self._with_whole(picture, one) if one.card.confidence < fusion.unsure_alone else one
                judged += [whole] if whole is not None else []
            elif one.card.confidence >= fusion.unsure_covered:
                judged.append(one)
            elif one.card.confidence >= settings.least_covered:
                covered.append(one)
        return judged + self._with_corners(picture, covered)

    def _with_whole(self, picture: ExaminedPicture, one: _Candidate) -> _Candidate | None:
        """Return a candidate whose indices are not sure, judged by all of its picture as well.

        It is None if the card may be a blurred club, or is a court card whose indices are below `least_court_index`, or
        one of spades that is then below `least_spade_court`.
        """
        settings, card = self._settings, one.card
        if card.card.rank in COURT_RANKS and card.confidence < settings.least_court_index:
            return None
        whole = self._whole_card(picture.levels, one.outline, card.card.rank)
        if may_be_club(card.card, card.indices[0].confidence, whole, settings, settings.half_sure_spade):
            return None
        judged = one.judged(weighed(one.probabilities, whole))
        is_spade_court = card.card.rank in COURT_RANKS and card.card.suit == "S"
        return None if is_spade_court and judged.card.confidence < settings.least_spade_court else judged

    def _with_corners(self, picture: ExaminedPicture, covered: Sequence[_Candidate]) -> list[_Candidate]:
        """Return candidates whose indices are not sure, judged by the corner classifier as well.

        It reads the corners of all candidates at once.
        """
        settings = self._settings
        ends = [_ends_with_index(one, settings) for one in covered]
        crops = [corner_crop(picture.levels, end, settings.pyramid) for end in chain.from_iterable(ends)]
        shown = iter(card_probabilities(*self._corners(crops)))
        return [
            self._with_corner_readings(one, list(islice(shown, len(own))))
            for one, own in zip(covered, ends, strict=True)
        ]

    def _with_corner_readings(self, one: _Candidate, shown: Sequence[Floats]) -> _Candidate:
        """Return a candidate whose indices are not sure, judged by what the corner classifier has `shown` as well.

        `shown`: the probability of each card, (52,), in each corner that it read. A corner in which it sees no index
        does not count (`least_seen`). The confidence in a spade or a club rises only if it then is at least
        `least_spade_covered` or `least_club_covered`: in hard light each looks like the other.
        """
        settings, card = self._settings, one.card
        seen = [probabilities for probabilities in shown if probabilities.sum() > settings.least_seen]
        if not seen:
            return one
        own = Verdict(card.card, card.confidence, (), (), one.probabilities)
        verdict = confirmed(own, seen, settings=settings.fusion)
        least = {"S": settings.least_spade_covered, "C": settings.least_club_covered}.get(card.card.suit, 0.0)
        if card.confidence < verdict.confidence < least:
            return one.judged(with_confidence(card.card, card.confidence, verdict.probabilities))
        return one.judged(verdict.probabilities)._replace(sure_before=card.confidence)


def _ends_with_index(one: _Candidate, settings: ReaderSettings) -> list[Quad]:
    """Return the outline from each of its two corners in which the card's indices stand; from the first if in none."""
    ends = [starting_at(one.outline, corner) for corner in (0, 2)]
    poses = [index.pose for index in one.card.indices]
    return [end for end in ends if any(is_index_of(pose, end, settings.indices) for pose in poses)] or ends[:1]


def _corners_read(outlined: Sequence[OutlinedCard], placed: Sequence[PlacedCard]) -> list[CornerReading]:
    """Return each corner in which an index of these cards was read."""
    read = [
        CornerReading(starting_at(card.reading.outline, corner), card.verdict.card, card.verdict.confidence)
        for card in outlined
        for corner in card.verdict.corners
    ]
    return read + [
        CornerReading(starting_at(one.outline, 2 * end), one.card.card, one.card.confidence)
        for one in placed
        for end in range(min(len(one.places), 2))
    ]


def _probabilities(card: AssembledCard) -> Floats:
    """Return the probability of each card, (52,), by all of its indices."""
    return with_confidence(card.card, card.confidence, card.probabilities)


def _order(one: _Candidate, outlines: Sequence[Quad], settings: ReaderSettings) -> tuple[bool, float]:
    """Return the key by which candidates are sorted: those that count first have the smallest.

    A rise by the corner classifier does not count: it may have read the same half of an index again.
    """
    sure = one.card.confidence if one.sure_before is None else min(one.card.confidence, one.sure_before)
    return not comes_first(replace(one.card, confidence=sure), outlines, settings), -sure


def _reading(
    card: AssembledCard,
    outline: Quad,
    probabilities: Floats,
    settings: ReaderSettings,
    outline_from: OutlineFrom = "edges",
) -> Reading:
    other = alternatives(card.card, probabilities, settings.fusion)
    return Reading(card.card, card.confidence, "face", outline, other, outline_from)
