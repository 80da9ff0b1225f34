"""Boxes in the small picture: rows and columns, and what of one box lies in another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Box = tuple[slice, slice]
"""Rows and columns."""


def overlap(one: Box, other: Box) -> bool:
    """Whether the boxes have a pixel in common."""
    return all(a.start < b.stop and b.start < a.stop for a, b in zip(one, other, strict=True))


def around(one: Box, other: Box) -> Box:
    """The smallest box that holds both."""
    rows, columns = (slice(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(one, other, strict=True))
    return rows, columns


def grown(before: Box, after: Box) -> int:
    """By how many pixels `after` reaches farther than `before`, on the side where it does so most; 0 for none."""
    reach = [max(a.start - b.start, b.stop - a.stop) for a, b in zip(before, after, strict=True)]
    return int(max(0, *reach))


def moved_into(picture: npt.NDArray[np.uint8], box: Box, wanted: Box) -> npt.NDArray[np.uint8]:
    """`picture`, which belongs to `box`, as seen in the box `wanted`; 0 where it does not reach."""
    size = (wanted[0].stop - wanted[0].start, wanted[1].stop - wanted[1].start, *picture.shape[2:])
    result = np.zeros(size, picture.dtype)
    if overlap(box, wanted):
        spans = [(max(a.start, b.start), min(a.stop, b.stop)) for a, b in zip(box, wanted, strict=True)]
        target = tuple(slice(a - w.start, b - w.start) for (a, b), w in zip(spans, wanted, strict=True))
        origin = tuple(slice(a - o.start, b - o.start) for (a, b), o in zip(spans, box, strict=True))
        result[target] = picture[origin]
    return result


def part_of(mask: npt.NDArray[np.bool_], box: Box, wanted: Box) -> npt.NDArray[np.bool_]:
    """`mask`, which belongs to `box`, as seen in the box `wanted`."""
    return moved_into(mask.view(np.uint8), box, wanted).view(np.bool_)
