"""The last step of reading a picture of unknown scale: outlines that miss the edges of their cards are replaced.

Which cards there are has been decided before, and does not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.faces.card_assembly import AssembledCard, IndexReading, estimate_outline, is_within
from vision.faces.edges import refine_outline
from vision.faces.geometry import Quad, containment, dimensions, iou, portrait, starting_at, unevenness
from vision.faces.index_detector import IndexPose
from vision.faces.index_places import ends_on
from vision.faces.index_reader import is_index_of
from vision.faces.outline_fitting import OutlineFitter
from vision.faces.outlined_cards import OutlinedCard
from vision.faces.pyramid import from_level, to_level
from vision.faces.settings import DEFAULTS, ReaderSettings
from vision.frames import Image
from vision.readings import CARD_MM, Reading


@dataclass(frozen=True, slots=True)
class _Sample:
    """An index on a card that lies in full: its middle in card millimetres, and the card's middle and scale, pixels."""

    right: float
    down: float
    height: float
    x: float
    y: float
    px_per_mm: float


class UsualIndex:
    """Where the cards of this picture that lie in full have their indices, and how large they are.

    `outlined`: the cards read in an outline. `indices`: those found in the picture.
    """

    def __init__(
        self, outlined: Sequence[OutlinedCard], indices: Sequence[IndexReading], settings: ReaderSettings = DEFAULTS
    ) -> None:
        self._settings = settings
        self._samples: list[_Sample] = []
        for card in outlined:
            if len(card.verdict.corners) < 2:
                continue
            for corner in card.verdict.corners:
                quad = starting_at(card.reading.outline, corner)
                across, along = dimensions(quad)
                x, y = quad.mean(axis=0).tolist()
                for one in indices:
                    if one.card is not card.verdict.card or not is_index_of(one.pose, quad, settings.indices):
                        continue
                    ends = ends_on(one.pose, quad)
                    assert ends is not None  # `is_index_of` found them
                    (left, top), (right, foot) = ends
                    scale = (across / CARD_MM[0] + along / CARD_MM[1]) / 2
                    self._samples.append(_Sample((left + right) / 2, (top + foot) / 2, foot - top, x, y, scale))

    @property
    def place(self) -> tuple[float, float] | None:
        """Where the middle of an index is on a card, millimetres right of its corner and below; None if unknown."""
        if not self._samples:
            return None
        right, down = np.median([(one.right, one.down) for one in self._samples], axis=0).tolist()
        return right, down

    def estimate(self, card: AssembledCard) -> Quad:
        """Return the outline of a card of which only indices are known, as if it were one of these."""
        settings, pose = self._settings, card.indices[0].pose
        if not self._samples:
            return estimate_outline(card, settings=settings.assembly)
        right, down, height = np.median([(one.right, one.down, one.height) for one in self._samples], axis=0).tolist()
        nearest = min(self._samples, key=lambda one: float(np.hypot(one.x - pose.x, one.y - pose.y)))
        own = pose.height / height
        least, most = settings.outlines.fit.same_scale
        scale = nearest.px_per_mm if least < own / nearest.px_per_mm < most else own
        height = pose.height / scale
        return estimate_outline(
            card, settings=replace(settings.assembly, height_mm=height, left_mm=right, top_mm=down - height / 2)
        )


def fitted(
    levels: list[Image],
    fitter: OutlineFitter,
    level: int,
    readings: Sequence[Reading],
    indices: Sequence[IndexReading],
    usual: UsualIndex,
    settings: ReaderSettings = DEFAULTS,
) -> tuple[list[Reading], set[int]]:
    """Return the readings with better outlines, if there are any; each says whether it lies on edges.

    Also return the numbers of those whose outline was found, but does not lie on edges; others that say so have an
    extrapolated one.

    `levels`: the image pyramid. `fitter` works in its `level`. `indices`: those found in the picture. `usual`: where
    its cards have them.
    """
    small = [to_level(one.outline, level) for one in readings]
    done: list[Reading] = []
    on_edges: set[int] = set()
    for k, reading in enumerate(readings):
        others = small[:k] + small[k + 1 :]
        if reading.outline_from == "edges" and fitter.fits(small[k], others):
            done.append(reading)
            on_edges.add(k)
            continue
        own = own_indices(reading, indices, settings)
        found = fitter.better(small[k], pose_in(level, own[0].pose) if own else None, others)
        if found is not None:
            refined = portrait(refine_outline(levels, from_level(found, level), settings.outlines))
            outline = min((starting_at(refined, 0), starting_at(refined, 2)), key=lambda one: _apart(one, found, level))
            done.append(replace(reading, outline=outline, outline_from="edges"))
        else:
            done.append(reading)
    if any(one is not other for one, other in zip(done, readings, strict=True)):
        on_edges.clear()  # a moved outline may lie beside the others now
    return _checked(done, on_edges, fitter, level, indices, usual, settings)


def _checked(
    readings: Sequence[Reading],
    on_edges: set[int],
    fitter: OutlineFitter,
    level: int,
    indices: Sequence[IndexReading],
    usual: UsualIndex,
    settings: ReaderSettings,
) -> tuple[list[Reading], set[int]]:
    """Return what `fitted` returns; an outline that cannot be right is replaced by an extrapolated one.

    It cannot if another card has the same one, if it is uneven beside another card, or if several others lie in it.
    `on_edges`: the numbers of those that are known to lie on edges.
    """
    fit = settings.outlines.fit
    owned = [own_indices(one, indices, settings) for one in readings]
    small = [to_level(one.outline, level) for one in readings]
    done: list[Reading] = []
    doubted: set[int] = set()
    for k, reading in enumerate(readings):
        others = small[:k] + small[k + 1 :]
        touching = [other for other in others if iou(other, small[k]) > 0]
        shared = any(iou(other, small[k]) > fit.same_card for other in touching)
        uneven = bool(touching) and unevenness(small[k]) >= fit.most_uneven
        inside = sum(
            bool(own) and _lies_in(own[0].pose, reading.outline) and containment(other, small[k]) > fit.inside
            for own, other in zip(owned[:k] + owned[k + 1 :], others, strict=True)
        )
        wrong = shared or uneven or inside >= fit.many_inside
        if reading.outline_from != "edges" or (not wrong and (k in on_edges or fitter.is_on_edges(small[k], others))):
            done.append(reading)
        elif wrong and owned[k]:
            outline = usual.estimate(AssembledCard(owned[k][0].card, reading.confidence, tuple(owned[k])))
            done.append(replace(reading, outline=outline, outline_from="index"))
        else:
            doubted.add(k)
            done.append(replace(reading, outline_from="index"))
    return done, doubted


def _apart(one: Quad, found: Quad, level: int) -> float:
    return float(np.abs(to_level(one, level)[0] - found[0]).max())


def _lies_in(pose: IndexPose, outline: Quad) -> bool:
    return cv2.pointPolygonTest(outline, (pose.x, pose.y), False) > 0


def own_indices(reading: Reading, indices: Sequence[IndexReading], settings: ReaderSettings) -> list[IndexReading]:
    """Return the indices of the card, the surest first."""
    own = [
        one for one in indices if one.card is reading.face and is_within(one.pose, reading.outline, settings.assembly)
    ]
    return sorted(own, key=lambda one: -one.confidence)


def pose_in(level: int, pose: IndexPose) -> IndexPose:
    """Return the pose in pixels of `level`."""
    scale = 2.0**-level
    x, y = to_level(np.array([pose.x, pose.y], np.float32), level).tolist()
    return IndexPose(x, y, pose.down_x * scale, pose.down_y * scale, pose.score)
