"""Where a card lies in the picture at working scale, and what it looks like there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.tracking.boxes import Box

Outline = npt.NDArray[np.float32]
"""(4, 2) float32: the corners of a card, clockwise from its own top left."""


@dataclass(slots=True, eq=False)
class Footprint:
    """The pixels of one card at working scale. All arrays cover `box`, (h, w)."""

    box: Box
    inner: npt.NDArray[np.bool_]
    """The card's own pixels: a little inside its edge."""
    outer: npt.NDArray[np.bool_]
    """The pixels that it may cover of other cards: a little outside its edge."""
    appearance: Image
    """(h, w, 3) levels: what the card looked like when it was last seen."""
    seen: npt.NDArray[np.bool_]
    """Where `appearance` has been seen."""

    def remember(self, picture: Image, visible: npt.NDArray[np.bool_]) -> None:
        """Take the appearance from `picture`, the whole picture, where the card is `visible`, (h, w) over `box`."""
        new = self.inner & visible
        self.appearance[new] = picture[self.box][new]
        self.seen |= new

    def mask(self, shape: tuple[int, int]) -> npt.NDArray[np.bool_]:
        """Return `outer` in the whole picture, whose height and width are `shape`."""
        whole = np.zeros(shape, np.bool_)
        whole[self.box] = self.outer
        return whole


def centre_of(outline: Outline) -> tuple[float, float]:
    """Return the centre of `outline`, x and y in its unit."""
    x, y = outline.mean(axis=0)
    return float(x), float(y)


def distance(one: Outline, other: Outline) -> float:
    """Return the distance of the centres of two outlines, in their unit."""
    (x0, y0), (x1, y1) = centre_of(one), centre_of(other)
    return math.hypot(x0 - x1, y0 - y1)


def rotation(one: Outline, other: Outline) -> float:
    """Return the angle between two cards, 0 to 90 degrees: half a turn makes no difference."""
    angle = abs(_direction(one) - _direction(other)) % 180
    return min(angle, 180 - angle)


def _direction(outline: Outline) -> float:
    """Return the direction of the card's top edge, degrees."""
    edge = outline[1] - outline[0]
    return math.degrees(math.atan2(float(edge[1]), float(edge[0])))
