"""Reads ordinary cards by their printed indices, whatever the deck."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import Card
from vision.faces.crops import Quad, corner_crop
from vision.faces.edges import refined
from vision.faces.geometry import inside, overlap, portrait, sides, turned
from vision.faces.index import RANKS, SUITS, IndexModel
from vision.faces.quads import Quads
from vision.frames import Image
from vision.readings import CARD_MM, Reading

Floats = npt.NDArray[np.float32]
SIZE_MAY_BE = 1.2
"""A card's sides may be so many times larger or smaller than the table's scale says."""
LEAST_CONFIDENCE = 0.8
"""Below it a card is unknown and not reported."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the two index corners of a quadrilateral say together."""

    card: Card | None
    confidence: float


def fuse(rank: Floats, suit: Floats) -> Verdict:
    """One card from two corners: `rank` (2, 14), `suit` (2, 5) probabilities, the last of each `no index`.

    Both corners show the same card, or one of them is hidden. The probabilities of each card under both are summed
    and set against all else the corners may mean: two different cards, or none.
    """
    shows = (rank[:, :13, None] * suit[:, None, :4]).reshape(2, -1)
    blank = np.minimum(1.0, rank[:, 13] + suit[:, 4] - rank[:, 13] * suit[:, 4])
    both = shows[0] * shows[1]
    alone = 0.25 * (shows[0] * blank[1] + shows[1] * blank[0])
    evidence = both + alone
    best = int(evidence.argmax())
    nothing = blank[0] * blank[1]
    differ = shows[0].sum() * shows[1].sum() - both.sum()
    total = evidence.sum() + nothing + differ
    card = Card(RANKS[best // 4], SUITS[best % 4])
    return Verdict(card, float(evidence[best] / max(total, 1e-9)))


class FaceReader:
    """A `Reader` for separated cards of any ordinary deck."""

    def __init__(self) -> None:
        self._model = IndexModel()

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """All cards whose outline and index are found; what is not sure is left out.

        With the scale known, only outlines of a card's size count, and cards on cards are looked for too.
        """
        levels = pyramid(image)
        quads = Quads(levels)
        proposals = quads.contours()
        size = None if mm_per_px is None else (CARD_MM[0] / mm_per_px, CARD_MM[1] / mm_per_px)
        readings: list[Reading] = []
        waiting = list(range(len(proposals)))
        while waiting:  # from the outside in: what lies within a card that was read is its print
            now = [k for k in waiting if proposals[k].within not in waiting]
            waiting = [k for k in waiting if k not in now]
            sized = [proposals[k].quad for k in now if size is None or _sized(proposals[k].quad, size)]
            readings += self._both_ways(levels, sized, readings)
        if size is not None:
            readings += self._both_ways(levels, [p.quad for p in quads.rectangles(size)], readings)
        return _one_each(readings)

    def _both_ways(self, levels: list[Image], quads: list[Quad], known: list[Reading]) -> list[Reading]:
        """What the outlines show that do not lie on `known` cards; tall ones also as if seen from the side."""
        upright = [portrait(refined(levels, quad)) for quad in quads if not _covered(quad, known)]
        found = self._readings(levels, upright)
        sideways = [turned(quad, 1) for quad in upright if _may_be_landscape(quad) and not _covered(quad, found)]
        return found + self._readings(levels, sideways)

    def _readings(self, levels: list[Image], quads: list[Quad]) -> list[Reading]:
        crops = [corner_crop(levels, turned(quad, turn)) for quad in quads for turn in (0, 2)]
        ranks, suits = self._model(crops)
        found = []
        for k, quad in enumerate(quads):
            verdict = fuse(ranks[2 * k : 2 * k + 2], suits[2 * k : 2 * k + 2])
            if verdict.card is not None and verdict.confidence >= LEAST_CONFIDENCE:
                found.append(Reading(verdict.card, verdict.confidence, "face", quad))
        return found


def pyramid(image: Image) -> list[Image]:
    """The picture, and each time halved, down to some 200 pixels."""
    levels = [image]
    while min(levels[-1].shape[:2]) >= 400:
        height, width = (side // 2 for side in levels[-1].shape[:2])
        half = cv2.resize(levels[-1][: 2 * height, : 2 * width], (width, height), interpolation=cv2.INTER_AREA)
        levels.append(np.asarray(half, np.uint8))
    return levels


def _sized(quad: Quad, size: tuple[float, float]) -> bool:
    """Whether a card of that size, in pixels, may look so, a little nearer or farther, a little tilted."""
    length = sides(portrait(quad))
    across, along = (length[0] + length[2]) / 2 / size[0], (length[1] + length[3]) / 2 / size[1]
    return 1 / SIZE_MAY_BE < across < SIZE_MAY_BE and 1 / SIZE_MAY_BE < along < SIZE_MAY_BE


def _may_be_landscape(quad: Quad) -> bool:
    """Whether perspective may make a card's long side look the shorter."""
    length = sides(quad)
    return bool((length[1] + length[3]) < 1.9 * (length[0] + length[2]))


def _covered(quad: Quad, readings: list[Reading]) -> bool:
    """Whether a card that was read lies where `quad` is, or around it."""
    return any(inside(quad, reading.outline) > 0.6 for reading in readings)


def _one_each(readings: list[Reading]) -> list[Reading]:
    """Without those that lie on a surer one."""
    kept: list[Reading] = []
    for reading in sorted(readings, key=lambda r: -r.confidence):
        if not any(overlap(reading.outline, other.outline) > 0.3 for other in kept):
            kept.append(reading)
    return kept
