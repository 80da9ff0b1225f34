"""The outline of a card at a table that its indices prove and no contour and no rectangle shows.

The middle of a card is the middle between its opposite indices, and its long side points as they do, wherever the deck
prints them. One index is enough once it is known where that is. The size is known, so that a few rectangles are tried,
turned and moved a little, and the one with most edges counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np

from vision.faces.card_assembly import IndexReading, direction_cosine, offset
from vision.faces.card_size import difference
from vision.faces.edges import refine_outline
from vision.faces.examined_picture import ExaminedPicture
from vision.faces.geometry import Quad, dimensions, iou
from vision.faces.index_detector import IndexPose
from vision.faces.index_places import IndexPlace
from vision.faces.settings import ReaderSettings
from vision.readings import CARD_MM

_TURNS: Final = np.radians(np.arange(-9, 9.1, 1.5))
_SHIFTS: Final = (-0.03, 0.0, 0.03)
"""In short sides of the card."""
_LEAST_DOWN: Final = 0.2
"""Least distance of opposite indices along the card, in its long sides."""


def paired_outlines(
    indices: Sequence[IndexReading], picture: ExaminedPicture, size: tuple[float, float], settings: ReaderSettings
) -> list[Quad]:
    """Return outlines of `size` (width, height, pixels) around every two equal, opposite indices, moved onto edges.

    If that changes the size, the outline before is returned as well, or instead if the size no longer fits. None for
    two indices that are unsure. How well an outline lies on edges is for the caller to judge.
    """
    found = []
    for first, second in combinations(indices, 2):
        sure = min(first.confidence, second.confidence) >= settings.min_candidate
        if not (sure and first.card is second.card and _fit_on_one_card(first.pose, second.pose, size, settings)):
            continue
        middle, angle = _between(first.pose, second.pose)
        tried = _rectangles(middle, angle, size)
        best = tried[int(np.argmax(picture.finder.edge_scores(tried)))]
        refined = refine_outline(picture.levels, best, settings.outlines)
        if picture.may_be_card(refined, size):
            found.append(refined)
        if difference(dimensions(refined), size) > settings.exact_size:  # a side moved onto the edge of another card
            found.append(best)
    return found


def _fit_on_one_card(first: IndexPose, second: IndexPose, size: tuple[float, float], settings: ReaderSettings) -> bool:
    """Return whether the two may be the opposite indices of a card of `size`, each to the lower right of the other."""
    across, along = size
    for one, other in ((first, second), (second, first)):
        right, down = (part * one.height for part in offset(one, other))
        if not (0 < right < across and _LEAST_DOWN * along < down < along):
            return False
    return direction_cosine(first, second) < settings.assembly.max_opposite_cosine


def outline_around(
    index: IndexPose,
    picture: ExaminedPicture,
    size: tuple[float, float],
    places: Sequence[IndexPlace],
    settings: ReaderSettings,
) -> tuple[Quad, float] | None:
    """Return the outline of `size` with most edges that has the index in one of the `places`, and its edge score.

    It begins at the left corner of the end at which the index stands. None without a place in which the deck prints an
    index of this height, or if the outline does not lie on edges or not in the picture. Also None if a different one
    that reaches beyond the picture lies on edges better, as far as it is seen.
    """
    limit, height = settings.places.height_ratio, index.height / size[1] * CARD_MM[1]
    angle = float(np.arctan2(-index.down_x, index.down_y))
    tried = [
        quad
        for place in places
        if 1 / limit < place.height / height < limit
        for quad in _rectangles((index.x, index.y), angle, size, (place.right / CARD_MM[0], place.down / CARD_MM[1]))
    ]
    if not tried:
        return None
    scores = picture.finder.edge_scores(tried)
    best = int(np.argmax(scores))
    tall, wide = picture.levels[0].shape[:2]
    quads = np.array(tried)
    inside = np.all((quads >= 0) & (quads < (wide, tall)), axis=(1, 2))
    if not inside[best] or scores[best] < settings.min_edge_score_alone:
        return None
    seen = picture.finder.seen_scores(tried)
    better = np.flatnonzero(~inside & (seen > seen[best]))  # most of them are the same one, moved a little
    if any(iou(tried[k], tried[best]) <= settings.same_card_iou for k in better):
        return None
    return tried[best], scores[best]


def _between(first: IndexPose, second: IndexPose) -> tuple[tuple[float, float], float]:
    """Return the middle between two opposite poses, and the angle of the card whose indices they are, radians."""
    down = np.array([first.down_x, first.down_y]) / first.height
    down = down - np.array([second.down_x, second.down_y]) / second.height
    return ((first.x + second.x) / 2, (first.y + second.y) / 2), float(np.arctan2(-down[0], down[1]))


def _rectangles(
    point: tuple[float, float], angle: float, size: tuple[float, float], part: tuple[float, float] = (0.5, 0.5)
) -> list[Quad]:
    """Return rectangles of `size`, turned by about `angle` (radians), each from the card's own top left.

    `point`, moved a little, lies at `part` of their width and height.
    """
    corners = (np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) - part) * size
    tried = []
    for turn in angle + _TURNS:
        cosine, sine = np.cos(turn), np.sin(turn)
        across, along = np.array([cosine, sine]), np.array([-sine, cosine])
        turned = corners @ np.stack([across, along]) + point
        tried += [turned + size[0] * (x * across + y * along) for x in _SHIFTS for y in _SHIFTS]
    return [np.asarray(quad, np.float32) for quad in tried]
