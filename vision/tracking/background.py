"""The bare table: how it looks where no card lies, learned while it is seen."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.tracking.motion import Mask, apart
from vision.tracking.track import LIKE

_SHADOW = (-70.0, 14.0)
"""How much darker or lighter a shadow or a reflection may make a place, in steps of a look."""

_AROUND: Final = 31
"""Pixels of the small picture from which the look of a place that has never been seen bare is guessed."""


def same_look(now: Image, then: Image) -> npt.NDArray[np.bool_]:
    """Where two looks, (h, w, 3), show the same thing, if need be in a soft shadow: darker, without colour or edge."""
    same: npt.NDArray[np.bool_] = apart(now, then) < LIKE
    if same.all():
        return same
    difference = cv2.subtract(now, then, dtype=cv2.CV_16S)
    channels = cv2.split(difference)
    low = cv2.min(cv2.min(channels[0], channels[1]), channels[2])
    high = cv2.max(cv2.max(channels[0], channels[1]), channels[2])
    around = cv2.blur(high, (5, 5))
    shadow = (
        (cv2.subtract(high, low) <= 10) & (cv2.absdiff(high, around) <= 6) & (low >= _SHADOW[0]) & (high <= _SHADOW[1])
    )
    return np.asarray(same | shadow, dtype=np.bool_)


class BackgroundModel:
    """The table without cards. `bare`: a look; `known`: 255 where it has been seen, elsewhere it is a guess."""

    def __init__(self, look: Image) -> None:
        self.bare: Image = look.copy()
        self.known: Mask = np.full(look.shape[:2], 255, np.uint8)

    def forget(self, where: Mask) -> None:
        """Something lay in `where` when the picture was taken for the bare table: guess from what lies around."""
        self.known[where > 0] = 0
        ys, xs = np.nonzero(self.known == 0)
        if not len(ys):
            return
        height, width = self.known.shape
        box = (
            slice(max(int(ys.min()) - _AROUND, 0), min(int(ys.max()) + _AROUND, height)),
            slice(max(int(xs.min()) - _AROUND, 0), min(int(xs.max()) + _AROUND, width)),
        )
        weight = (self.known[box] > 0).astype(np.float32)
        if not weight.any():
            return
        middle = np.median(self.bare[box][weight > 0].reshape(-1, 3), axis=0)
        near = cv2.blur(self.bare[box].astype(np.float32) * weight[..., None], (_AROUND, _AROUND))
        share = cv2.blur(weight, (_AROUND, _AROUND))[..., None]
        guess = np.where(share > 0.02, near / np.maximum(share, 1e-6), middle)
        unknown = self.known[box] == 0
        self.bare[box][unknown] = np.clip(guess, 0, 255).astype(np.uint8)[unknown]

    def learn(self, where: npt.NDArray[np.bool_], look: Image) -> None:
        """`where` is seen bare: this is how the table looks there."""
        self.bare[where] = look[where]
        self.known[where] = 255

    def follow(self, settled: Image) -> None:
        """Takes slow changes of light over from the settled picture, wherever that shows the bare table."""
        alike = cv2.threshold(apart(settled, self.bare), LIKE - 1, 255, cv2.THRESH_BINARY_INV)[1]
        cv2.copyTo(settled, cv2.bitwise_and(alike, self.known), self.bare)

    def warp(self, small_to_small: npt.NDArray[np.float64]) -> None:
        """The camera was moved."""
        size = (self.known.shape[1], self.known.shape[0])
        warped = cv2.warpPerspective(self.bare, small_to_small, size, borderMode=cv2.BORDER_REPLICATE)
        self.bare = np.asarray(warped, dtype=np.uint8)
        known = cv2.warpPerspective(self.known, small_to_small, size, flags=cv2.INTER_NEAREST)
        self.known = np.asarray(known, dtype=np.uint8)


def edge_strength(look: Image, contour: npt.NDArray[np.bool_]) -> float:
    """How strong the picture's edges are along `contour`, a boolean mask."""
    if not contour.any():
        return 0.0
    kernel = np.ones((3, 3), np.uint8)
    spread = apart(np.asarray(cv2.dilate(look, kernel), np.uint8), np.asarray(cv2.erode(look, kernel), np.uint8))
    return float(spread[contour].mean())


def contour_of(shape: Mask) -> npt.NDArray[np.bool_]:
    """The edge of a mask, three pixels wide; not where it leaves the picture."""
    kernel = np.ones((3, 3), np.uint8)
    ring = cv2.subtract(cv2.dilate(shape, kernel), cv2.erode(shape, kernel))
    ring[[0, -1], :] = 0
    ring[:, [0, -1]] = 0
    return np.asarray(ring > 0, dtype=np.bool_)
