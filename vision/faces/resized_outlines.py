"""Outlines of the known size in place of those of which a side has moved onto the edge of a card that lies there.

Where a card covers another one's side, the strongest edge near that side is its own, and the outline becomes too short
or too long. At a table the size of the cards is known: a corner of which both sides are right gives the whole outline.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.faces.card_size import difference
from vision.faces.examined_picture import ExaminedPicture
from vision.faces.geometry import Quad, dimensions, iou
from vision.faces.settings import ReaderSettings


def resized_outlines(
    picture: ExaminedPicture, size: tuple[float, float], read: Sequence[Quad], settings: ReaderSettings
) -> list[Quad]:
    """Return outlines of `size` (width, height, pixels) for the examined ones that are larger or smaller.

    `read`: outlines of cards that were read; they stay as they are. Of the four rectangles at an outline's corners
    those on edges are returned, each once.
    """
    found: list[Quad] = []
    for quad in picture.outlines:
        if difference(dimensions(quad), size) <= settings.exact_size or any(quad is other for other in read):
            continue
        tried = [_at_corner(quad, corner, size) for corner in range(4)]
        for one, score in zip(tried, picture.finder.edge_scores(tried), strict=True):
            known = picture.outlines + found
            if score >= settings.min_edge_score_alone and not any(
                iou(one, other) > settings.same_outline_iou for other in known
            ):
                found.append(one)
    return found


def _at_corner(quad: Quad, corner: int, size: tuple[float, float]) -> Quad:
    """Return the rectangle of `size` with the same corner as `quad`, and the same directions of both sides there."""
    own = quad.astype(np.float64)
    point, after, before = own[corner], own[(corner + 1) % 4], own[corner - 1]
    lengths = size if corner % 2 == 0 else size[::-1]
    one, two = (
        (end - point) * (length / max(float(np.hypot(*(end - point))), 1e-6))
        for end, length in zip((after, before), lengths, strict=True)
    )
    turned = np.stack([point, point + one, point + one + two, point + two])
    return np.asarray(np.roll(turned, corner, axis=0), np.float32)
