"""Boxes of pixels, as slices of rows and columns, and cutting pictures from one box into another."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Box = tuple[slice, slice]
"""Rows and columns, in pixels; both slices have a start and a stop."""


def overlap(one: Box, other: Box) -> bool:
    """Return whether the boxes share a pixel."""
    return all(a.start < b.stop and b.start < a.stop for a, b in zip(one, other, strict=True))


def union(one: Box, other: Box) -> Box:
    """Return the smallest box that contains both."""
    rows, columns = (slice(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(one, other, strict=True))
    return rows, columns


def growth(before: Box, after: Box) -> int:
    """Return by how many pixels `after` extends beyond `before` on the side where it does most; 0 if on none."""
    reach = [max(a.start - b.start, b.stop - a.stop) for a, b in zip(before, after, strict=True)]
    return int(max(0, *reach))


def covering_boxes(mask: npt.NDArray[np.uint8], gap: int) -> list[Box]:
    """Return boxes, side by side, that contain every pixel of `mask`, (h, w), that is not 0, and little else.

    Between two of them at least `gap` columns are 0.

    >>> mask = np.zeros((30, 40), np.uint8)
    >>> mask[2:5, 3:9] = mask[20:22, 5:7] = mask[10, 30] = 255
    >>> [[(span.start, span.stop) for span in box] for box in covering_boxes(mask, 8)]
    [[(2, 22), (3, 9)], [(10, 11), (30, 31)]]
    """
    columns = np.flatnonzero(mask.max(axis=0))
    boxes: list[Box] = []
    for span in np.split(columns, np.flatnonzero(np.diff(columns) > gap) + 1) if len(columns) else ():
        left, right = int(span[0]), int(span[-1]) + 1
        _, top, _, high = cv2.boundingRect(mask[:, left:right])
        boxes.append((slice(top, top + high), slice(left, right)))
    return boxes


def grown(box: Box, by: int) -> Box:
    """Return the box with `by` more pixels on each side, except beyond the top and left border of the picture."""
    rows, columns = (slice(max(span.start - by, 0), span.stop + by) for span in box)
    return rows, columns


def crop_to(picture: npt.NDArray[np.uint8], box: Box, wanted: Box) -> npt.NDArray[np.uint8]:
    """Return the part of `picture` in the box `wanted`, zero outside `box`.

    `picture`: (h, w) or (h, w, 3), covers `box`.
    """
    size = (wanted[0].stop - wanted[0].start, wanted[1].stop - wanted[1].start, *picture.shape[2:])
    result = np.zeros(size, picture.dtype)
    if overlap(box, wanted):
        spans = [(max(a.start, b.start), min(a.stop, b.stop)) for a, b in zip(box, wanted, strict=True)]
        target = tuple(slice(a - w.start, b - w.start) for (a, b), w in zip(spans, wanted, strict=True))
        origin = tuple(slice(a - o.start, b - o.start) for (a, b), o in zip(spans, box, strict=True))
        result[target] = picture[origin]
    return result


def crop_mask(mask: npt.NDArray[np.bool_], box: Box, wanted: Box) -> npt.NDArray[np.bool_]:
    """Return the part of `mask`, (h, w) over `box`, in the box `wanted`, False outside `box`."""
    return crop_to(mask.view(np.uint8), box, wanted).view(np.bool_)
