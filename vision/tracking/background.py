"""The background model: the bare table, learned wherever it is visible."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.tracking.appearance import difference
from vision.tracking.footprint import Footprint
from vision.tracking.motion import Mask
from vision.tracking.settings import BackgroundSettings


class BackgroundModel:
    """The table without cards, at working scale.

    `bare`: (h, w, 3) uint8, in levels. `known`: (h, w), 255 where the bare table has been seen; elsewhere `bare` is a
    guess. `complete`: False during the first readings of the whole frame; cards found until then lay there first.
    """

    def __init__(self, picture: Image, settings: BackgroundSettings) -> None:
        """Start with `picture`, (h, w, 3) levels, as the background."""
        self.bare: Image = picture.copy()
        self.known: Mask = np.full(picture.shape[:2], 255, np.uint8)
        self.complete = False
        self._settings = settings

    def add_card(self, footprint: Footprint) -> None:
        """Forget the background under a card that has been confirmed, if it lay there before the table was seen."""
        limits, box = self._settings, footprint.box
        alike = difference(footprint.appearance, self.bare[box]) <= limits.card_difference
        seen = footprint.seen & (self.known[box] > 0)
        if not self.complete or (seen.any() and float(alike[seen].mean()) > limits.card_share):
            self.forget(footprint.mask((self.known.shape[0], self.known.shape[1])))

    def forget(self, where: npt.NDArray[np.bool_]) -> None:
        """Replace the background in `where`, (h, w), by a guess from its surroundings: something lay there."""
        self.known[where] = 0
        ys, xs = np.nonzero(self.known == 0)
        if not len(ys):
            return
        height, width = self.known.shape
        radius = self._settings.guess_radius_px
        box = (
            slice(max(int(ys.min()) - radius, 0), min(int(ys.max()) + radius, height)),
            slice(max(int(xs.min()) - radius, 0), min(int(xs.max()) + radius, width)),
        )
        weight = (self.known[box] > 0).astype(np.float32)
        if not weight.any():
            return
        median = np.median(self.bare[box][weight > 0].reshape(-1, 3), axis=0)
        near = cv2.blur(self.bare[box].astype(np.float32) * weight[..., None], (radius, radius))
        share = cv2.blur(weight, (radius, radius))[..., None]
        guess = np.where(share > self._settings.min_guess_share, near / np.maximum(share, 1e-6), median)
        unknown = self.known[box] == 0
        self.bare[box][unknown] = np.clip(guess, 0, 255).astype(np.uint8)[unknown]

    def learn(self, where: npt.NDArray[np.bool_], picture: Image) -> None:
        """Take the background in `where`, (h, w), from `picture`, which shows the bare table there."""
        self.bare[where] = picture[where]
        self.known[where] = 255

    def follow_light(self, reference: Image) -> None:
        """Follow slow changes of light: take every pixel of `reference` that still shows the known background."""
        alike = cv2.threshold(difference(reference, self.bare), self._settings.same - 1, 255, cv2.THRESH_BINARY_INV)[1]
        cv2.copyTo(reference, cv2.bitwise_and(alike, self.known), self.bare)

    def warp(self, matrix: npt.NDArray[np.float64]) -> None:
        """Follow a camera that has moved. `matrix`: (3, 3), maps old to new pixels at working scale."""
        size = (self.known.shape[1], self.known.shape[0])
        warped = cv2.warpPerspective(self.bare, matrix, size, borderMode=cv2.BORDER_REPLICATE)
        self.bare = np.asarray(warped, dtype=np.uint8)
        known = cv2.warpPerspective(self.known, matrix, size, flags=cv2.INTER_NEAREST)
        self.known = np.asarray(known, dtype=np.uint8)
