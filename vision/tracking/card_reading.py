"""Running the readers on a part of the frame, and dropping readings that cannot be a card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.frames import Image
from vision.mat.homography import Homography, Points, TopView, corners_of, is_distorted, top_view
from vision.readings import CARD_MM, LearnsDeck, Reader, Reading
from vision.tracking.boxes import Box
from vision.tracking.footprint import Outline, distance
from vision.tracking.reading_settings import ReadSettings
from vision.tracking.working_frame import WorkingFrame


@dataclass(frozen=True, slots=True, eq=False)
class ReadRequest:
    """A picture to read: (h, w, 3) uint8 BGR, the part `box` of the frame, in pixels of the frame.

    `near`: if given, the picture shows a card with about this outline, in millimetres, on a plain surface, and only a
    card near it counts.
    """

    image: Image
    box: Box
    near: Outline | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CardReading:
    """A reading, and the card's outline in millimetres on the mat."""

    reading: Reading
    outline: Outline


def read_cards(
    request: ReadRequest, readers: Sequence[Reader], working: WorkingFrame, settings: ReadSettings
) -> list[CardReading]:
    """Run the readers, and return their readings except faces that cannot be trusted, and outlines of other sizes.

    A face read on a card with a mark is dropped: the print beside the mark may look like an index. So is one read on a
    card that the picture cuts off where the frame goes on: its other edges are not seen, and it may lie elsewhere.
    """
    image, table = np.ascontiguousarray(request.image), working.table
    offset = np.array([request.box[1].start, request.box[0].start], np.float32)
    if (above := _from_above(request, working, settings)) is not None:
        image, table, offset = above.image, above.table, np.zeros(2, np.float32)
    part = corners_of(request.box) if above is None else working.table.to_px(table.to_mm(corners_of(_whole(image))))
    found: list[CardReading] = []
    for reader in readers:
        for reading in reader.read(image, table.mm_per_px):
            outline = np.asarray(table.to_mm(reading.outline + offset), np.float32)
            if request.near is not None and distance(outline, request.near) >= settings.near_mm:
                continue
            if reading.by == "face" and request.near is None and _is_cut_off(outline, part, working, settings):
                continue
            size = working.card_mm if reading.by == "face" else CARD_MM  # a card with a mark is printed in poker size
            if _card_sized(outline, size, _max_size_error(reading, settings)):
                found.append(CardReading(reading, outline))
    sizes = [reader.card_mm for reader in readers if isinstance(reader, LearnsDeck)]
    working.card_mm = sizes[0] if sizes else working.card_mm
    marked = [each.outline for each in found if each.reading.by != "face"]
    return [
        each
        for each in found
        if each.reading.by != "face" or all(distance(each.outline, other) > settings.marked_mm for other in marked)
    ]


def _from_above(request: ReadRequest, working: WorkingFrame, settings: ReadSettings) -> TopView | None:
    """Return what is to be read as seen from above; None if the camera sees it nearly so."""
    table, limit = working.table, settings.max_distortion
    if not is_distorted(request.box, table, table.mm_per_px, limit):
        return None
    if request.near is None:  # the picture is a part of the frame, which goes on around it
        return top_view(working.frame.image, request.box, table)
    rows, columns = request.box
    shifted = table.matrix @ np.array([[1, 0, columns.start], [0, 1, rows.start], [0, 0, 1]], np.float64)
    height, width = request.image.shape[:2]
    return top_view(request.image, _whole(request.image), Homography(shifted, (width, height)))


def _is_cut_off(outline: Outline, part: Points, working: WorkingFrame, settings: ReadSettings) -> bool:
    """Return whether too little of the card lies in the part of the frame that was read.

    What the frame itself cuts off is not judged, unless it does not show the card at all. `outline`: of the card,
    millimetres. `part`: its corners, (4, 2) pixels of the frame.
    """
    card = np.asarray(working.table.to_px(outline), np.float32)
    in_frame, seen = cv2.intersectConvexConvex(card, corners_of(working.whole).astype(np.float32))
    if in_frame <= 0:
        return True
    in_part, _ = cv2.intersectConvexConvex(seen, part.astype(np.float32))
    return in_part < settings.min_share_in_part * in_frame


def _whole(image: Image) -> Box:
    height, width = image.shape[:2]
    return slice(0, height), slice(0, width)


def _max_size_error(reading: Reading, settings: ReadSettings) -> float:
    return settings.max_size_error_printed if reading.by == "face" else settings.max_size_error_marked


def _card_sized(outline: Outline, card_mm: tuple[float, float], max_error: float) -> bool:
    """Return whether both sides of `outline`, in millimetres, are a card's, to within the relative `max_error`."""
    sides = np.linalg.norm(outline - np.roll(outline, -1, axis=0), axis=1)
    short, long = sorted((float(sides[0] + sides[2]) / 2, float(sides[1] + sides[3]) / 2))
    return abs(short / card_mm[0] - 1) < max_error and abs(long / card_mm[1] - 1) < max_error
