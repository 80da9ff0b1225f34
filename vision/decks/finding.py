"""Cards in a picture, of whatever deck: outlines of four sides, upright."""

from __future__ import annotations

from typing import Final

import numpy as np

from vision.faces.crops import Quad
from vision.faces.edges import refined
from vision.faces.geometry import overlap, portrait, sides, turned
from vision.faces.quads import Quads
from vision.frames import Image

MAY_BE: Final = 1.2
"""A card's sides may be so many times longer or shorter than the scale says."""
CARD_SHAPES: Final = (0.5, 1.0)
"""Width of a card as a part of its height: a tarot card's is 0.54, a poker card's 0.72, some children's cards' 1."""
_ONE: Final = 0.94
_NEARLY_SQUARE: Final = 1.35
"""A card that looks no longer than this, as a part of its width, may be seen from its long side."""
_LEAST_SUPPORT: Final = 0.5


def card_outlines(
    image: Image,
    levels: list[Image],
    size: tuple[float, float] | None = None,
    may_be: float = MAY_BE,
    frames: bool = True,
) -> list[Quad]:
    """What may be a card, each from its own top left or from the corner across.

    `levels`: the picture's pyramid. `size`: a card's width and height, pixels, where the scale is known; then a card on
    other cards is found too. `frames`: a frame printed near the edge has sides as straight as the card's own, and may
    be taken for it: others about it, or in it, are given as well. A card's shadow may be among them.
    """
    quads = Quads(levels)
    proposals = [p.quad for p in quads.contours()]
    if frames:
        proposals += [p.quad for p in quads.contours(frames=True)]
    if size is not None:
        proposals += [p.quad for p in quads.rectangles(size) if p.support > _LEAST_SUPPORT]
    found: list[Quad] = []
    for proposal in proposals:
        quad = portrait(refined(levels, proposal))
        if size is not None and not _fits(quad, size, may_be):
            continue
        if any(overlap(quad, other) > _ONE for other in found):
            continue
        found.append(quad)
        if size is None and _length(quad) < _NEARLY_SQUARE:
            found.append(turned(quad, 1))
    return found


def whole_outline(image: Image) -> Quad | None:
    """The outline of a picture that has a card's shape: it may be the card itself, cut out. None for others."""
    height, width = image.shape[:2]
    if not CARD_SHAPES[0] <= min(width, height) / max(width, height) <= CARD_SHAPES[1]:
        return None
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    return turned(corners, 1 if width > height else 0)


def dimensions(quad: Quad) -> tuple[float, float]:
    """Width and height of an outline, pixels."""
    a, b, c, d = sides(quad)
    return (a + c) / 2, (b + d) / 2


def _length(quad: Quad) -> float:
    width, height = dimensions(quad)
    return height / max(width, 1e-6)


def _fits(quad: Quad, size: tuple[float, float], may_be: float) -> bool:
    across, along = (own / other for own, other in zip(dimensions(quad), size, strict=True))
    return 1 / may_be < across < may_be and 1 / may_be < along < may_be
