"""The outlines of cards that are covered in part: as large as the cards around them, and on the edges that show.

All cards of a picture lie on one table and have one size. A card that lies in full shows how the camera sees both. The
index of a covered card says where on the table the card lies, up to a few millimetres and degrees, and the edges of it
that can be seen say the rest (`visible_edges`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

import numpy as np

from engine.cards import Card
from vision.faces.card_assembly import IndexReading, are_opposite
from vision.faces.crops import CORNERS_MM, in_millimetres, on_card
from vision.faces.fitted_cards import UsualIndex, own_indices, pose_in
from vision.faces.geometry import Floats, Quad, dimensions, iou, is_plausible_card, starting_at, turned
from vision.faces.index_detector import IndexPose
from vision.faces.index_places import place_on
from vision.faces.outline_fitting import OutlineFitter
from vision.faces.pyramid import from_level, to_level
from vision.faces.settings import ReaderSettings
from vision.faces.visible_edges import VisibleEdges
from vision.readings import CARD_MM, Reading

_Vector = tuple[float, float]
_SIZE_MM: Final = np.array(CARD_MM)


@dataclass(frozen=True, slots=True, eq=False)
class _Covered:
    """A card to outline: its number, its indices in the working picture, the outline so far, its paper's grey level."""

    number: int
    poses: tuple[IndexPose, ...]
    quad: Quad
    paper: float


@dataclass(frozen=True, slots=True, eq=False)
class _Measure:
    """A card by which others are measured: its outline, and where the middle of its index is, mm from its corner.

    With an index in every corner there are two such places at its upper end.
    """

    quad: Quad
    places: tuple[_Vector, ...]

    def mirrored(self) -> _Measure:
        """Return the same with the index in the upper right corner."""
        (right, down), *_ = self.places
        return _Measure(self.quad, ((CARD_MM[0] - right, down),))


class CoveredOutlines:
    """Completes the outlines in one picture that do not lie on edges.

    `fitter` works in `level` of the picture's pyramid. `indices`: those found in the picture. `usual`: where its cards
    have them.
    """

    def __init__(
        self,
        fitter: OutlineFitter,
        level: int,
        indices: Sequence[IndexReading],
        usual: UsualIndex,
        settings: ReaderSettings,
    ) -> None:
        self._fitter, self._level, self._usual, self._settings = fitter, level, usual, settings
        self._indices = indices

    def complete(self, readings: Sequence[Reading], doubted: Collection[int] = ()) -> list[Reading]:
        """Return the readings with better outlines, if there are any, where the outline does not lie on edges.

        `doubted`: the numbers of those whose outline was found nevertheless, as on ground as light as the card. Such an
        outline stays if it touches no other. A reading whose outline shows that it is of another one's card is left
        out.
        """
        done = list(readings)
        waiting = self._covered(readings, doubted)
        if not waiting:
            return done
        edges = VisibleEdges(self._fitter.darkest(), self._settings.covered)
        measures = [
            self._measure(to_level(one.outline, self._level), self._usual.place)
            for one in readings
            if one.outline_from == "edges"
        ]
        in_full: tuple[_Covered, Quad] | None = None
        if not measures and (in_full := self._best_measure(waiting, edges)):
            card, quad = in_full
            measures = [self._measure(quad, _place(quad, card.poses[0])[0])]
        quads = self._outlines(waiting, measures, edges)
        if in_full:
            quads[waiting.index(in_full[0])] = in_full[1]
        before = edges.support(np.array([card.quad for card in waiting]), _papers(waiting))
        support = edges.support(quads, _papers(waiting))
        settings = self._settings.covered
        better = (support > before + settings.gain) & (support > settings.least_support)
        for card, quad, is_better in zip(waiting, quads, better, strict=True):
            if is_better and self._is_card(quad):
                done[card.number] = replace(done[card.number], outline=from_level(quad, self._level))
        return self._once_each(done)

    def _once_each(self, readings: Sequence[Reading]) -> list[Reading]:
        """Return the readings without those that show a card again, with the outline of a surer one."""
        same = self._settings.outlines.fit.same_card
        kept: list[int] = []
        for k in sorted(range(len(readings)), key=lambda k: readings[k].outline_from == "index"):
            one = readings[k]
            twins = (readings[other] for other in kept if readings[other].face is one.face)
            if one.outline_from != "index" or all(iou(other.outline, one.outline) < same for other in twins):
                kept.append(k)
        return [readings[k] for k in sorted(kept)]

    def _is_card(self, quad: Quad) -> bool:
        outlines = self._settings.outlines
        return is_plausible_card(quad, outlines.min_long_side, outlines)

    def _covered(self, readings: Sequence[Reading], doubted: Collection[int]) -> list[_Covered]:
        """Return the cards whose outlines do not lie on edges and may be moved, and whose indices were found."""
        cards = []
        for number, reading in enumerate(readings):
            others = (other.outline for other in readings if other is not reading)
            if reading.outline_from != "index":
                continue
            if number in doubted and not any(iou(other, reading.outline) > 0 for other in others):
                continue
            own = own_indices(reading, self._indices, self._settings)
            if own:
                poses = tuple(pose_in(self._level, one.pose) for one in own)
                quad = to_level(reading.outline, self._level)
                (_, down), _ = _place(quad, poses[0])
                quad = quad if down < CARD_MM[1] / 2 else starting_at(quad, 2)
                cards.append(_Covered(number, poses, quad, float(self._fitter.paper_at(poses[0]).min())))
        return cards

    def _measure(self, quad: Quad, place: tuple[float, float] | None) -> _Measure:
        """Return the card with this outline as a measure. `place`: of its index, None if a usual card's."""
        usual, level = self._settings.assembly, self._level
        right, down = place or (usual.left_mm, usual.top_mm + usual.height_mm / 2)
        seen: tuple[set[Card], set[Card]] = (set(), set())  # whose indices are on the left, and on the right
        for one in self._indices:
            for corner in (0, 2):
                if found := place_on(pose_in(level, one.pose), starting_at(quad, corner)):
                    seen[found.right > CARD_MM[0] / 2].add(one.card)
        return _Measure(quad, ((right, down), (CARD_MM[0] - right, down)) if seen[0] & seen[1] else ((right, down),))

    def _best_measure(self, cards: Sequence[_Covered], edges: VisibleEdges) -> tuple[_Covered, Quad] | None:
        """Return a card by which the others can be measured, and its outline, if there is any.

        For each of a few cards the best outline is looked for. The one counts with which these cards have most edges,
        unless their indices alone give them clearly more (`measure_loss`).
        """
        settings = self._settings.covered
        some = sorted(cards, key=lambda one: -len(one.poses))[: settings.max_measured]
        alone = self._best(some, [[card.quad] for card in some], settings.scale_unknown, edges)
        most, best = sum(score for _, score in alone) - settings.measure_loss, None
        tried = some[: settings.max_measures]
        for card, quad in zip(tried, self._without_measure(tried, edges), strict=True):
            if not self._is_card(quad):
                continue
            measure = self._measure(quad, _place(quad, card.poses[0])[0])
            like = self._best(some, [self._likely(measure, one) for one in some], settings.scale, edges)
            total = sum(score for _, score in like)
            if total > most:
                most, best = total, (card, quad)
        return best

    def _without_measure(self, cards: Sequence[_Covered], edges: VisibleEdges) -> Floats:
        """Return the best outline of each card by itself.

        The camera may look from above or at an angle, and the index may be of any size: several outlines are tried.
        """
        settings = self._settings.covered
        ways = list(product(settings.squashed, settings.enlarged))
        starts = [[_seen_lower(card.quad, card.poses[0], *way) for way in ways] for card in cards]
        best = self._best(cards, starts, settings.scale_unknown, edges)
        return edges.by_sides(np.array([quad for quad, _ in best]), _papers(cards))

    def _outlines(self, cards: Sequence[_Covered], measures: Sequence[_Measure], edges: VisibleEdges) -> Floats:
        """Return where each card lies, as the nearest of `measures` and its edges say."""
        settings = self._settings.covered
        if not measures:
            best = self._best(cards, [[card.quad] for card in cards], settings.scale_unknown, edges)
            return edges.exactly_moved(np.array([quad for quad, _ in best]), _papers(cards))[0]
        nearest = [_nearest(measures, card.poses[0]) for card in cards]
        ways = [self._likely(one, card) for one, card in zip(nearest, cards, strict=True)]
        best = self._best(cards, ways, settings.scale, edges)
        unsure = [k for k, (_, score) in enumerate(best) if score < settings.least_like]
        others = [[*self._likely(nearest[k].mirrored(), cards[k]), cards[k].quad] for k in unsure]
        found = self._best([cards[k] for k in unsure], others, settings.scale, edges)
        for k, other in zip(unsure, found, strict=True):
            if other[1] > best[k][1] + settings.other_gain:
                best[k] = other
        return edges.exactly_moved(np.array([quad for quad, _ in best]), _papers(cards))[0]

    def _best(
        self, cards: Sequence[_Covered], ways: Sequence[Sequence[Quad]], scale: float, edges: VisibleEdges
    ) -> list[tuple[Quad, float]]:
        """Return for each card the best of its possible outlines, roughly moved onto edges, and the evidence for it."""
        if not cards:
            return []
        papers = np.repeat(_papers(cards), [len(some) for some in ways])
        moved, scores = edges.roughly_moved(np.concatenate([np.array(some) for some in ways]), papers, scale)
        found, start = [], 0
        for some in ways:
            best = start + int(scores[start : start + len(some)].argmax())
            found.append((moved[best], float(scores[best])))
            start += len(some)
        return found

    def _likely(self, measure: _Measure, card: _Covered) -> list[Quad]:
        """Return the outlines that the card may have, like the card `measure`."""
        ways = product(measure.places, self._shapes(measure.quad, card))
        return [self._like(measure.quad, card, place, shape) for place, shape in ways]

    def _shapes(self, measure: Quad, card: _Covered) -> list[float]:
        """Return how much longer than poker cards these may be, as a factor: as they seem, if they lie askew."""
        across, along = dimensions(measure)
        seen = along / across * _SIZE_MM[0] / _SIZE_MM[1]
        _, (right, down) = _place(measure, card.poses[0])
        settings = self._settings.covered
        is_askew = abs(right) > settings.askew * float(np.hypot(right, down))
        return [1.0, seen] if is_askew and abs(np.log(seen)) > np.log(settings.other_shape) else [1.0]

    def _like(self, measure: Quad, card: _Covered, place: _Vector, shape: float) -> Quad:
        """Return the outline of the card as its indices place it on the table on which the card `measure` lies.

        `shape`: how much longer the cards are than poker cards, as a factor.
        """
        real, place_now = np.array([1.0, shape]), _place(measure, card.poses[0])
        (middle, seen), origin, printed = np.array(place_now) * real, np.array(place) * real, np.array([0.0, 1.0])
        for other in card.poses[1:]:
            if are_opposite(card.poses[0], other, self._settings.assembly):  # more exact than one index's direction
                end = np.array(_place(measure, other)[0]) * real
                seen, printed = end - middle, _SIZE_MM * real - 2 * origin
                middle, origin = (middle + end) / 2, _SIZE_MM * real / 2
                break
        angle = float(np.arctan2(seen[1], seen[0]) - np.arctan2(printed[1], printed[0]))
        corners = turned(CORNERS_MM * real - origin, angle) + middle
        return np.asarray(on_card(measure, corners / real), np.float32)


def _papers(cards: Sequence[_Covered]) -> Floats:
    return np.array([card.paper for card in cards], np.float32)


def _nearest(measures: Sequence[_Measure], pose: IndexPose) -> _Measure:
    return min(measures, key=lambda one: float(np.hypot(*(one.quad.mean(axis=0) - (pose.x, pose.y)))))


def _place(quad: Quad, pose: IndexPose) -> tuple[_Vector, _Vector]:
    """Return where the middle of the index is, and how it points down, in millimetres of the card `quad`."""
    (left, top), (right, foot) = in_millimetres(quad, pose.ends).tolist()
    return ((left + right) / 2, (top + foot) / 2), (right - left, foot - top)


def _seen_lower(quad: Quad, pose: IndexPose, squashed: float, enlarged: float) -> Quad:
    """Return the outline `quad` of a card with an index at `pose` in a picture that shows squares lower than wide.

    It is enlarged around the index.
    """
    square = np.array([1, 1 / squashed])
    own = np.array([pose.down_x, pose.down_y])
    other = own * square
    along = np.linalg.inv(np.array([[own[1], -own[0]], own]))
    back = np.array([[other[1], -other[0]], other])
    return np.asarray((quad - (pose.x, pose.y)) @ along @ back * enlarged / square + (pose.x, pose.y), np.float32)
