"""Somebody shows the camera one card after another: when a new one lies there, still and alone, and its face.

The table is looked at empty first. What differs from it and has a card's outline is the card; while anything moves
nothing is judged. The next card may be laid in the place of the last, or on it: a hand comes in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from vision.decks.finding import card_outlines, dimensions
from vision.decks.looks import cut_out
from vision.faces.crops import Quad
from vision.faces.geometry import inside, overlap
from vision.faces.reader import pyramid
from vision.frames import Image
from vision.readings import CARD_MM
from vision.table.homography import TableFrame
from vision.table.mat import Mat

State = Literal["clear the table", "empty", "moving", "card", "several", "no outline", "done"]

STILL: Final = 3
"""So many frames without a movement, and the picture is judged."""
OTHER_CARDS: Final = 1.6
"""While the size of a deck's cards is not known they may be so many times larger or smaller than poker cards."""
_SMALL: Final = 480
_CHANGED: Final = 22
_MOVES: Final = 14
_MOVING_PART: Final = 0.0012
"""Part of the picture that must move to count."""
_EMPTY_PART: Final = 0.002
_ON_THE_CARD: Final = 0.35
_BORDER: Final = 2.0
"""Pixels from the picture's border: what reaches farther may go on outside."""
_AGREE_PX: Final = 0.01
"""Two outlines of one still card agree within this part of the picture's width."""


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What one frame told. `face`: of a card that is new; None in every other frame. `outline`: of the card, pixels."""

    state: State
    outline: Quad | None = None
    face: Image | None = None
    size_mm: tuple[float, float] | None = None
    missed: bool = False
    """The table is empty again, and what lay there was never made out; told once."""


class Showing:
    """Watches frames for one card after another. `mat`: so that its corner marks are not taken for cards."""

    def __init__(self, mat: Mat | None = None, size_mm: tuple[float, float] | None = None) -> None:
        self._mat = mat
        self._size_mm = size_mm
        self._before: Image | None = None
        self._bare: npt.NDArray[np.float32] | None = None
        self._still = 0
        self._done = False
        """The card that lies there has been told."""
        self._unknown = False
        """What lies, or lay, there has not been made out."""
        self._faces: list[Image] = []
        self._outline: Quad | None = None

    def again(self) -> None:
        """The card that lies there counts as new once more."""
        self._done = False
        self._faces.clear()

    def see(self, image: Image, table: TableFrame | None = None) -> Shown:
        """Takes the next frame. `table`: where the mat lies in it, where that is known."""
        grey = _small_grey(image)
        moving = self._before is None or _part(cv2.absdiff(grey, self._before), _MOVES) > _MOVING_PART
        self._before = grey
        if moving:
            self._still = 0
            self._faces.clear()
            if self._bare is not None:
                self._done = False
            return Shown("clear the table" if self._bare is None else "moving")
        self._still += 1
        if self._still < STILL:
            return Shown("clear the table" if self._bare is None else "done" if self._done else "moving")
        if self._bare is None:
            self._bare = grey.astype(np.float32)
            return Shown("empty")
        changed = cv2.absdiff(grey, self._bare.astype(np.uint8))
        if _part(changed, _CHANGED) < _EMPTY_PART:
            cv2.accumulateWeighted(grey, self._bare, 0.1)  # daylight moves on
            missed, self._unknown, self._done = self._unknown, False, False
            return Shown("empty", missed=missed)
        if self._done:
            return Shown("done", self._outline)
        return self._judge(image, table, changed)

    def _judge(self, image: Image, table: TableFrame | None, changed: npt.NDArray[np.generic]) -> Shown:
        self._unknown = True
        levels = pyramid(image)
        size, may_be = None, OTHER_CARDS
        if table is not None:
            if self._size_mm is not None:
                may_be = 1.2
            width, height = self._size_mm or CARD_MM
            size = (width / table.mm_per_px, height / table.mm_per_px)
        # Where the scale is known it tells the card from a frame on it, and from its shadow.
        outlines = card_outlines(image, levels, size, may_be, frames=size is None)
        found = apart(outermost(self._new(outlines, table, changed, image)))
        if not found:
            return Shown("no outline")
        if len(found) > 1:
            return Shown("several")
        quad = found[0]
        last = self._outline
        near = last is not None and float(np.abs(quad - last).max()) < _AGREE_PX * image.shape[1]
        self._outline = quad
        self._faces = [*(self._faces if near else []), cut_out(levels, quad)]
        if len(self._faces) < STILL:
            return Shown("card", quad)
        face = np.mean(np.array(self._faces, np.float32), axis=0).round().astype(np.uint8)
        self._faces.clear()
        self._done, self._unknown = True, False
        size_mm = None
        if table is not None:
            across, along = dimensions(np.asarray(table.to_mm(quad), np.float32))
            size_mm = (round(across, 1), round(along, 1))
        return Shown("card", quad, face, size_mm)

    def _new(
        self, quads: list[Quad], table: TableFrame | None, changed: npt.NDArray[np.generic], image: Image
    ) -> list[Quad]:
        """Those where something has come since the table was empty, and which are no corner mark.

        A card's edge and a line on the mat may make an outline too, of which the card fills only a part.
        """
        scale = changed.shape[1] / image.shape[1]
        marks: list[Quad] = []
        if table is not None and self._mat is not None:
            marks = [np.asarray(table.to_px(corners), np.float32) for corners in self._mat.marks.values()]
        filled: list[tuple[float, Quad]] = []
        for quad in quads:
            mask = np.zeros(changed.shape[:2], np.uint8)
            cv2.fillConvexPoly(mask, np.rint(quad * scale).astype(np.int32), (255,))
            whole = quad.min() > _BORDER and (quad < np.array(image.shape[1::-1]) - 1 - _BORDER).all()
            if whole and mask.any() and not any(inside(mark, quad) > 0.5 for mark in marks):
                filled.append((float((np.asarray(changed)[mask > 0] > _CHANGED).mean()), quad))
        most = max((part for part, _ in filled), default=0.0)
        return [quad for part, quad in filled if part >= max(_ON_THE_CARD, 0.8 * most)]


def outermost(quads: list[Quad]) -> list[Quad]:
    """Those that lie in no other: a frame printed on a card has four sides too."""
    kept: list[Quad] = []
    for quad in sorted(quads, key=lambda one: -float(cv2.contourArea(one))):
        if not any(inside(quad, other) > 0.5 for other in kept):
            kept.append(quad)
    return kept


def apart(quads: list[Quad]) -> list[Quad]:
    """Those that share no ground with a larger one: cards that are shown lie apart."""
    kept: list[Quad] = []
    for quad in quads:
        if not any(overlap(quad, other) > 0.03 for other in kept):
            kept.append(quad)
    return kept


def _small_grey(image: Image) -> Image:
    height = round(image.shape[0] * _SMALL / image.shape[1])
    small = cv2.resize(image, (_SMALL, height), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), (5, 5), 0), np.uint8)


def _part(difference: npt.ArrayLike, limit: int) -> float:
    return float((np.asarray(difference) > limit).mean())
