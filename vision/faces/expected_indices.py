"""Indices read where this table's deck prints them, in outlines in which the detector has not found them.

The detector locates unusual indices inaccurately, or not at all. Where the deck prints its indices is known after a few
cards, so that an outline shows exactly where to look.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from vision.faces.card_assembly import IndexReading
from vision.faces.geometry import Quad, starting_at
from vision.faces.index_detector import IndexPose
from vision.faces.index_places import IndexPlace, pose_on

Read = Callable[[list[IndexPose]], list[IndexReading]]
"""Reads the indices at some poses; those that show none are left out."""


def expected_indices(read: Read, outlines: Sequence[Quad], places: Sequence[IndexPlace]) -> list[IndexReading]:
    """Return the readings at the `places` in both halves of each outline, if both show the same card.

    One index alone does not count: a wrong outline would then need no second witness.
    """
    ends = [
        (pose_on(place, outline), pose_on(place, starting_at(outline, 2))) for outline in outlines for place in places
    ]
    found = read([pose for pair in ends for pose in pair])
    agreeing: list[IndexReading] = []
    for pair in ends:
        first, second = (_nearest(found, pose) for pose in pair)
        if first is not None and second is not None and first.card is second.card:
            agreeing += [first, second]
    return agreeing


def _nearest(found: Sequence[IndexReading], pose: IndexPose) -> IndexReading | None:
    """Return the reading nearest to the pose; None if there is none within half its height."""
    near = min(found, key=lambda one: math.hypot(one.pose.x - pose.x, one.pose.y - pose.y), default=None)
    if near is None or math.hypot(near.pose.x - pose.x, near.pose.y - pose.y) > pose.height / 2:
        return None
    return near
