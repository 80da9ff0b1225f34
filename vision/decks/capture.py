"""Capture the faces of cards laid under a camera one after another.

The table is first seen empty. What then differs from it and has a card's outline is the card. While anything moves,
nothing is judged. The next card may be laid in the place of the last one, or on it: a hand comes in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from vision.decks.deck import cut_out
from vision.decks.pictures import SIZE_TOLERANCE, card_outlines, outermost, separate
from vision.faces.geometry import Quad, containment, dimensions
from vision.faces.pyramid import image_pyramid
from vision.frames import Image
from vision.mat.homography import Homography
from vision.mat.layout import Mat
from vision.readings import CARD_MM

State = Literal["clear the table", "empty", "moving", "card", "several", "no outline", "done"]


STILL_FRAMES: Final = 3
"""Frames without movement before a picture is judged; as many are averaged for the face. Higher: less noise, slower."""
UNKNOWN_SIZE_TOLERANCE: Final = 1.6
"""Factor by which cards may differ from poker cards while the deck's size is not known. Higher: other things are
learned as cards."""
WORK_WIDTH_PX: Final = 480
"""Width of the grey picture in which changes are measured, pixels. Higher: smaller changes are seen, slower."""
BLUR_PX: Final = 5
"""Window of the blur of that picture, pixels (odd). Higher: less noise, but small changes are missed."""
CHANGED_LEVEL: Final = 22
"""Difference from the empty table that counts as a change, grey levels. Higher: cards of the table's colour are missed;
lower: shadows and noise count as cards."""
MOVING_LEVEL: Final = 14
"""Difference between two frames that counts as movement, grey levels. Higher: a slow hand is not noticed; lower: the
picture of a noisy camera is never still."""
MOVING_AREA: Final = 0.0012
"""Area that must move to count. Higher and lower: as above."""
EMPTY_AREA: Final = 0.002
"""Area that may differ from the empty table while it counts as empty. Higher: small cards are missed; lower: with a
shadow on it the table never counts as empty."""
MIN_CHANGED: Final = 0.35
"""Area of a card's outline that must have changed. Higher: cards of the table's colour are missed; lower: lines on the
table are taken for cards."""
BORDER_PX: Final = 5.0
"""Pixels from the picture's border: an outline that is nearer may continue outside. Lower: cards that are cut off are
learned."""
AGREEMENT_WIDTHS: Final = 0.01
"""Distance between the outlines of one still card, in picture widths. Higher: faces that do not fit are averaged;
lower: a card is not learned if its outline is unsteady."""
SAME_CHANGE: Final = 0.8
"""Outlines with less than this fraction of the largest changed area are filled only in part, and dropped. Higher: one
of several cards is overlooked; lower: an outline formed by a card and a line on the mat is taken for the card."""
MARK_CONTAINMENT: Final = 0.5
"""An outline that contains more than this fraction of a corner mark is not a card. Higher: the mark may be learned as a
card; lower: cards beside a mark are refused."""
FOLLOW_RATE: Final = 0.1
"""Weight of each frame in the picture of the empty table, which follows daylight. Higher: follows faster."""


@dataclass(frozen=True, slots=True, eq=False)
class CaptureResult:
    """What one frame showed.

    `outline`: of the card, pixels. `face`: of a card that is new, (176, 126, 3) uint8 BGR; None in every other frame.
    `size_mm`: its width and height, if the scale is known. `missed`: the table is empty again and the card that was
    there could not be read; reported once.
    """

    state: State
    outline: Quad | None = None
    face: Image | None = None
    size_mm: tuple[float, float] | None = None
    missed: bool = False


class FaceCapture:
    """Watches frames for one card after another.

    `mat`: its corner marks are not taken for cards. `size_mm`: width and height of the deck's cards, if known.
    """

    def __init__(
        self,
        mat: Mat | None = None,
        size_mm: tuple[float, float] | None = None,
    ) -> None:
        self._mat = mat
        self._size_mm = size_mm
        self._before: Image | None = None
        self._empty_table: npt.NDArray[np.float32] | None = None
        self._still = 0
        self._captured = False
        """The card on the table has been returned."""
        self._unread = False
        """The card that is, or was, on the table has not been read."""
        self._faces: list[Image] = []
        self._outline: Quad | None = None

    def recapture(self) -> None:
        """Treat the card on the table as new again."""
        self._captured = False
        self._faces.clear()

    def process(self, image: Image, table: Homography | None = None) -> CaptureResult:
        """Process the next frame, (H, W, 3) uint8 BGR. `table`: where the mat lies in it, if known."""
        grey = self._small_grey(image)
        moving = self._before is None or _area_above(cv2.absdiff(grey, self._before), MOVING_LEVEL) > MOVING_AREA
        self._before = grey
        if moving:
            self._still = 0
            self._faces.clear()
            if self._empty_table is not None:
                self._captured = False
            return CaptureResult("clear the table" if self._empty_table is None else "moving")
        self._still += 1
        if self._still < STILL_FRAMES:
            waiting: State = "done" if self._captured else "moving"
            return CaptureResult("clear the table" if self._empty_table is None else waiting)
        if self._empty_table is None:
            self._empty_table = grey.astype(np.float32)
            return CaptureResult("empty")
        changed = cv2.absdiff(grey, self._empty_table.astype(np.uint8))
        if _area_above(changed, CHANGED_LEVEL) < EMPTY_AREA:
            cv2.accumulateWeighted(grey, self._empty_table, FOLLOW_RATE)  # daylight changes
            missed, self._unread, self._captured = self._unread, False, False
            return CaptureResult("empty", missed=missed)
        if self._captured:
            return CaptureResult("done", self._outline)
        return self._judge(image, table, changed)

    def _judge(self, image: Image, table: Homography | None, changed: npt.NDArray[np.generic]) -> CaptureResult:
        """Return the card that has come since the table was empty; its face once enough frames agree."""
        self._unread = True
        levels = image_pyramid(image)
        size, tolerance = None, UNKNOWN_SIZE_TOLERANCE
        if table is not None:
            if self._size_mm is not None:
                tolerance = SIZE_TOLERANCE
            width, height = self._size_mm or CARD_MM
            size = (width / table.mm_per_px, height / table.mm_per_px)
        # A known scale distinguishes the card from a border printed on it, and from its shadow.
        outlines = card_outlines(image, levels, size, tolerance, borders=size is None)
        found = separate(outermost(self._changed_outlines(outlines, table, changed, image)))
        if not found:
            return CaptureResult("no outline")
        if len(found) > 1:
            return CaptureResult("several")
        quad = found[0]
        last = self._outline
        near = last is not None and float(np.abs(quad - last).max()) < AGREEMENT_WIDTHS * image.shape[1]
        self._outline = quad
        self._faces = [*(self._faces if near else []), cut_out(levels, quad)]
        if len(self._faces) < STILL_FRAMES:
            return CaptureResult("card", quad)
        face = np.mean(np.array(self._faces, np.float32), axis=0).round().astype(np.uint8)
        self._faces.clear()
        self._captured, self._unread = True, False
        size_mm = None
        if table is not None:
            across, along = dimensions(np.asarray(table.to_mm(quad), np.float32))
            size_mm = (round(across, 1), round(along, 1))
        return CaptureResult("card", quad, face, size_mm)

    def _changed_outlines(
        self, quads: list[Quad], table: Homography | None, changed: npt.NDArray[np.generic], image: Image
    ) -> list[Quad]:
        """Return the outlines in which something has changed and that are not corner marks.

        A card's edge and a line on the mat may form an outline too, of which the card fills only a part.
        """
        scale = changed.shape[1] / image.shape[1]
        marks: list[Quad] = []
        if table is not None and self._mat is not None:
            marks = [np.asarray(table.to_px(corners), np.float32) for corners in self._mat.marks.values()]
        filled: list[tuple[float, Quad]] = []
        for quad in quads:
            mask = np.zeros(changed.shape[:2], np.uint8)
            cv2.fillConvexPoly(mask, np.rint(quad * scale).astype(np.int32), (255,))
            far = np.array(image.shape[1::-1]) - 1 - BORDER_PX
            whole = quad.min() > BORDER_PX and (quad < far).all()
            if whole and mask.any() and not any(containment(mark, quad) > MARK_CONTAINMENT for mark in marks):
                filled.append((float((np.asarray(changed)[mask > 0] > CHANGED_LEVEL).mean()), quad))
        most = max((area for area, _ in filled), default=0.0)
        return [quad for area, quad in filled if area >= max(MIN_CHANGED, SAME_CHANGE * most)]

    def _small_grey(self, image: Image) -> Image:
        size = WORK_WIDTH_PX, round(image.shape[0] * WORK_WIDTH_PX / image.shape[1])
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        window = (BLUR_PX, BLUR_PX)
        return np.asarray(cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), window, 0), np.uint8)


def _area_above(difference: npt.ArrayLike, level: int) -> float:
    """Return the fraction of pixels that differ by more than `level`."""
    return float((np.asarray(difference) > level).mean())
