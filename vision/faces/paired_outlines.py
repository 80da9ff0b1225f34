"""The outline of a card at a table that two opposite indices prove and no contour and no rectangle shows.

The middle of the card is the middle between its indices, and its long side points as they do, wherever the deck prints
them. The size is known, so that a few rectangles are tried, turned and moved a little, and the one with most edges is
moved onto them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np

from vision.faces.card_assembly import IndexReading
from vision.faces.card_size import difference
from vision.faces.edges import refine_outline
from vision.faces.examined_picture import ExaminedPicture
from vision.faces.geometry import Quad, dimensions, fits_size
from vision.faces.index_detector import IndexPose
from vision.faces.settings import ReaderSettings

_TURNS: Final = np.radians(np.arange(-9, 9.1, 1.5))
_SHIFTS: Final = (-0.03, 0.0, 0.03)
"""In short sides of the card."""
_LEAST_DOWN: Final = 0.2
"""Least distance of opposite indices along the card, in its long sides."""


def paired_outlines(
    indices: Sequence[IndexReading], picture: ExaminedPicture, size: tuple[float, float], settings: ReaderSettings
) -> list[Quad]:
    """Return outlines of `size` (width, height, pixels) around every two equal, opposite indices, moved onto edges.

    If that changes the size, the outline before is returned as well. None for two indices that are unsure. How well an
    outline lies on edges is for the caller to judge.
    """
    found = []
    for first, second in combinations(indices, 2):
        sure = min(first.confidence, second.confidence) >= settings.min_candidate
        if not (sure and first.card is second.card and _fit_on_one_card(first.pose, second.pose, size, settings)):
            continue
        tried = _rectangles(first.pose, second.pose, size)
        best = tried[int(np.argmax(picture.finder.edge_scores(tried)))]
        refined = refine_outline(picture.levels, best, settings.outlines)
        if fits_size(refined, size, settings.size_tolerance):
            found.append(refined)
        if difference(dimensions(refined), size) > settings.exact_size:  # a side moved onto the edge of another card
            found.append(best)
    return found


def _fit_on_one_card(first: IndexPose, second: IndexPose, size: tuple[float, float], settings: ReaderSettings) -> bool:
    """Return whether the two may be the opposite indices of a card of `size`, each to the lower right of the other."""
    across, along = size
    for one, other in ((first, second), (second, first)):
        x, y = other.x - one.x, other.y - one.y
        right = (x * one.down_y - y * one.down_x) / one.height
        down = (x * one.down_x + y * one.down_y) / one.height
        if not (0 < right < across and _LEAST_DOWN * along < down < along):
            return False
    cosine = (first.down_x * second.down_x + first.down_y * second.down_y) / (first.height * second.height)
    return cosine < settings.assembly.max_opposite_cosine


def _rectangles(first: IndexPose, second: IndexPose, size: tuple[float, float]) -> list[Quad]:
    """Return rectangles around the middle of both poses, turned and moved by a little, from the card's own top left."""
    middle = np.array([first.x + second.x, first.y + second.y]) / 2
    down = np.array([first.down_x, first.down_y]) / first.height
    down = down - np.array([second.down_x, second.down_y]) / second.height
    angle = np.arctan2(-down[0], down[1])
    wide, tall = size
    corners = np.array([[-wide, -tall], [wide, -tall], [wide, tall], [-wide, tall]]) / 2
    tried = []
    for turn in angle + _TURNS:
        cosine, sine = np.cos(turn), np.sin(turn)
        across, along = np.array([cosine, sine]), np.array([-sine, cosine])
        turned = corners @ np.stack([across, along]) + middle
        tried += [turned + wide * (x * across + y * along) for x in _SHIFTS for y in _SHIFTS]
    return [np.asarray(quad, np.float32) for quad in tried]
