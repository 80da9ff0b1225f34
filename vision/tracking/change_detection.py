"""Changes on the table: which changed pixels are hands, which are new objects, and which show the bare table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.percentiles import percentiles
from vision.tracking.appearance import edge_strength, same_appearance
from vision.tracking.boxes import Box, covering_boxes, grown, overlap, union
from vision.tracking.motion import Mask
from vision.tracking.settings import AppearanceSettings, ChangeSettings
from vision.tracking.track import Track
from vision.tracking.working_frame import WorkingFrame


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A connected area that has changed and does not move. `shape`: (h, w) over `box`, at working scale."""

    box: Box
    shape: npt.NDArray[np.bool_]

    def mask(self, shape: tuple[int, int]) -> Mask:
        """Return the area in the whole picture, whose height and width are `shape`."""
        whole = np.zeros(shape, np.uint8)
        whole[self.box][self.shape] = 255
        return whole


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """The changed pixels of one frame, sorted. Masks are (h, w) at working scale.

    `hands`: what moves, or reaches in from the border. `still`: what was added, or taken away, and does not move.
    `bare`: what turned out to be the bare table. `unexplained`: everything that differs from the bare table and the
    known cards, except specks and what turned out to be the bare table.
    """

    hands: Mask
    still: Sequence[Change]
    bare: Sequence[Change]
    unexplained: Mask


def detect_changes(
    working: WorkingFrame, tracks: Iterable[Track], settings: ChangeSettings, appearance: AppearanceSettings
) -> Changes:
    """Sort the changed pixels of the current frame into hands, changes and bare table."""
    motion = working.motion
    unexplained = _unexplained(working, tracks, appearance)
    hands = np.asarray(motion.moving & unexplained, dtype=np.uint8)
    still: list[Change] = []
    bare: list[Change] = []
    height, width = motion.shape
    for change, area in connected_areas(unexplained):
        box, (high, wide) = change.box, change.shape.shape
        top, left = box[0].start, box[1].start
        moves = np.count_nonzero((motion.age[box] == 0) & change.shape)
        restless = moves > settings.max_restless_share * area
        at_border = left == 0 or top == 0 or left + wide == width or top + high == height
        if area * working.mm_per_px**2 < settings.min_area_mm2:
            if not restless and int(motion.age[box][change.shape].min()) > settings.speck_age:
                unexplained[box][change.shape] = 0
        elif restless:
            hands[box][change.shape] = 255
        elif not at_border:
            still.append(change)
        elif _rests(motion.age[box][change.shape], settings) and vanished(working, change, settings):
            bare.append(change)
            unexplained[box][change.shape] = 0
        else:
            hands[box][change.shape] = 255
    return Changes(hands, still, bare, unexplained)


def _rests(ages: npt.NDArray[np.uint8], settings: ChangeSettings) -> bool:
    """Return whether a change at the border with pixels of these `ages` has been still for long."""
    return int(percentiles(ages, settings.border_age_percentile)[0]) >= settings.border_age


def connected_areas(mask: Mask) -> Iterator[tuple[Change, int]]:
    """Yield the connected areas of `mask`, (h, w), with gaps of a pixel closed, and the number of their pixels."""
    left, top, wide, high = cv2.boundingRect(mask)
    if not wide:
        return
    left, top, right, foot = max(left - 2, 0), max(top - 2, 0), left + wide + 2, top + high + 2
    joined = cv2.morphologyEx(mask[top:foot, left:right], cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    contours, nesting = cv2.findContours(joined, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    for index in reversed(range(len(contours))):  # from the top of the picture down
        if nesting[0, index, 3] >= 0:
            continue  # the edge of a hole
        x, y, across, down = cv2.boundingRect(contours[index])
        shape = np.zeros((down, across), np.uint8)
        cv2.drawContours(shape, contours, index, (1,), cv2.FILLED, cv2.LINE_8, nesting, 1, (-x, -y))
        box = (slice(top + y, top + y + down), slice(left + x, left + x + across))
        yield Change(box, shape.view(np.bool_)), cv2.countNonZero(shape)


def vanished(working: WorkingFrame, change: Change, settings: ChangeSettings) -> bool:
    """Return whether something was taken away: the reference has an edge along the outline, the current picture not."""
    motion = working.motion
    contour = _contour_of(change.mask(motion.shape))
    now, before = edge_strength(motion.current, contour), edge_strength(motion.reference, contour)
    return now < settings.vanished_edge_ratio * before


def grouped(working: WorkingFrame, changes: Iterable[Change]) -> list[list[Change]]:
    """Group changes that are so near to each other that one card may have caused them."""
    groups: list[tuple[Box, list[Change]]] = []
    for change in changes:
        reach, members = working.reach(change.box), [change]
        while near := next((group for group in groups if overlap(group[0], reach)), None):
            groups.remove(near)
            reach, members = union(reach, near[0]), [*near[1], *members]
        groups.append((reach, members))
    return [members for _, members in groups]


def box_of(group: Sequence[Change]) -> Box:
    """Return the smallest box that contains all changes of `group`, which must not be empty."""
    box = group[0].box
    for change in group[1:]:
        box = union(box, change.box)
    return box


def area_mm2(group: Iterable[Change], working: WorkingFrame) -> float:
    """Return the area of the changes on the table, square millimetres."""
    return sum(int(change.shape.sum()) * working.mm_per_px_in(change.box) ** 2 for change in group)


def _unexplained(working: WorkingFrame, tracks: Iterable[Track], settings: AppearanceSettings) -> Mask:
    """Return the changed pixels that show neither the bare table nor a reported card in its place."""
    motion = working.motion
    unexplained = motion.changed.copy()
    around = settings.shadow_window_px // 2
    for box in covering_boxes(motion.changed, settings.shadow_window_px):
        larger = grown(box, around)
        same = same_appearance(motion.current[larger], working.background.bare[larger], settings)
        top, left = (span.start - outer.start for span, outer in zip(box, larger, strict=True))
        high, wide = (span.stop - span.start for span in box)
        unexplained[box][same[top : top + high, left : left + wide]] = 0
    for track in tracks:
        place = track.footprint
        if track.reported and unexplained[place.box].any():
            card = place.seen & same_appearance(motion.current[place.box], place.appearance, settings)
            unexplained[place.box][card] = 0
    return unexplained


def _contour_of(shape: Mask) -> npt.NDArray[np.bool_]:
    """Return the edge of a mask, three pixels wide, without the border of the picture."""
    kernel = np.ones((3, 3), np.uint8)
    ring = cv2.subtract(cv2.dilate(shape, kernel), cv2.erode(shape, kernel))
    ring[[0, -1], :] = 0
    ring[:, [0, -1]] = 0
    return np.asarray(ring > 0, dtype=np.bool_)
