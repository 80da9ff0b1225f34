"""What has changed on the table: hands, and things that have come to rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.tracking.background import contour_of, edge_strength, same_look
from vision.tracking.boxes import Box, around, overlap
from vision.tracking.motion import Mask
from vision.tracking.tracks import Tracks
from vision.tracking.working_frame import WorkingFrame

_SPECK_MM2: Final = 30.0
_GHOST_AGE: Final = 10
"""Frames after which something still at the picture's border may turn out to be the trace of what went away."""


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """Something that was not there before and has come to rest: its box, and its shape within the box."""

    box: Box
    shape: npt.NDArray[np.bool_]

    def mask(self, shape: tuple[int, int]) -> Mask:
        """The shape in the whole small picture."""
        whole = np.zeros(shape, np.uint8)
        whole[self.box][self.shape] = 255
        return whole


def find_strange(surface: WorkingFrame, pieces: Tracks) -> Mask:
    """What has changed and is neither the bare table nor a card that is known to lie there."""
    motion = surface.motion
    strange = motion.changed.copy()
    rows, columns = np.nonzero(strange.any(axis=1))[0], np.nonzero(strange.any(axis=0))[0]
    if not len(rows):
        return strange
    box = (slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1))
    strange[box][same_look(motion.look[box], surface.ground.bare[box])] = 0
    for piece in pieces:
        spot = piece.footprint
        if piece.laid and strange[spot.box].any():
            known = spot.known & same_look(motion.look[spot.box], spot.look)
            strange[spot.box][known] = 0
    return strange


def part_hands(surface: WorkingFrame, strange: Mask, pieces: Tracks) -> list[Change]:
    """Parts what is strange into hands (`surface.hand`) and changes that have come to rest, which it returns.

    A hand moves, or reaches in over the picture's border. Specks and what turns out to be the bare table are taken
    out of `strange`.
    """
    motion = surface.motion
    surface.hand = np.asarray(motion.moving & strange, dtype=np.uint8)
    if not strange.any():
        return []
    changes: list[Change] = []
    joined = cv2.morphologyEx(strange, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    count, found, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    labels = np.asarray(found, dtype=np.int32)
    height, width = motion.shape
    for label in range(1, count):
        left, top, wide, high, area = (int(v) for v in stats[label])
        change = Change((slice(top, top + high), slice(left, left + wide)), np.zeros((0, 0), np.bool_))
        shape = labels[change.box] == label
        change = Change(change.box, shape)
        ages = motion.age[change.box][shape]
        restless = float((ages == 0).mean()) > 0.02
        at_border = left == 0 or top == 0 or left + wide == width or top + high == height
        if area * surface.mm**2 < _SPECK_MM2:
            if not restless and int(ages.min()) > 2:
                strange[change.box][shape] = 0
        elif restless:
            surface.hand[change.box][shape] = 255
        elif not at_border:
            changes.append(change)
        elif int(np.percentile(ages, 5)) >= _GHOST_AGE and went_away(surface, change):
            learn_bare(surface, change, pieces)
            strange[change.box][shape] = 0
        else:
            surface.hand[change.box][shape] = 255
    return changes


def went_away(surface: WorkingFrame, change: Change) -> bool:
    """Whether something went away here, rather than came: then its contour was in the settled picture."""
    motion = surface.motion
    contour = contour_of(change.mask(motion.shape))
    return edge_strength(motion.look, contour) < 0.7 * edge_strength(motion.settled, contour)


def learn_bare(surface: WorkingFrame, change: Change, pieces: Tracks) -> None:
    """The change shows the bare table, which had not been seen there."""
    surface.ground.learn((change.mask(surface.motion.shape) > 0) & ~pieces.occupied(), surface.motion.look)


def grouped(surface: WorkingFrame, changes: list[Change]) -> list[list[Change]]:
    """Changes so near to one another that one card may have made them."""
    groups: list[tuple[Box, list[Change]]] = []
    for change in changes:
        reach, members = surface.roomy(change.box), [change]
        while near := next((group for group in groups if overlap(group[0], reach)), None):
            groups.remove(near)
            reach, members = around(reach, near[0]), [*near[1], *members]
        groups.append((reach, members))
    return [members for _, members in groups]


def fewer(group: list[Change]) -> list[list[Change]]:
    """The changes as one card's, or else each as a card of its own."""
    return [group, *([change] for change in group if len(group) > 1)]


def box_of(group: list[Change]) -> Box:
    """The smallest box that holds all of them."""
    box = group[0].box
    for change in group[1:]:
        box = around(box, change.box)
    return box
