"""Outlines of cards of any deck in a picture, upright."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.faces.edges import refine_outline
from vision.faces.geometry import Quad, containment, dimensions, fits_size, iou, portrait, starting_at
from vision.faces.outline_finder import OutlineFinder
from vision.frames import Image


@dataclass(frozen=True, slots=True)
class CardOutlineSettings:
    """Which outlines may be cards of any deck, and which of them are the same card."""

    size_tolerance: float = 1.2
    """Factor by which a card's sides may differ from the scale. Higher: borders printed on cards pass as cards; lower:
    cards are missed if the deck's size was measured roughly."""
    card_shapes: tuple[float, float] = (0.5, 1.0)
    """Width of a card relative to its height: 0.54 for tarot, 0.72 for poker, up to 1 for some children's cards. Wider:
    other pictures are taken for a card that fills them."""
    same_outline_iou: float = 0.94
    """Of several outlines with a higher IoU only the first is returned. Higher: slower; lower: a better outline may be
    dropped."""
    nearly_square: float = 1.35
    """A card that appears less elongated than this may be seen from its long side; both orientations are returned.
    Higher: slower; lower: wide cards seen at an angle are not read."""
    min_edge_score: float = 0.5
    """Edge score (0 to 1) of a rectangle that is not a contour. Higher: white cards on white cards are missed; lower:
    more false outlines, slower."""
    nested_containment: float = 0.5
    """An outline with more of its area inside a larger one is printed on that card. Higher: print is taken for a card;
    lower: cards that overlap are lost."""
    overlap_iou: float = 0.03
    """Two outlines with a higher IoU do not lie apart. Higher: a covered card may be learned."""


DEFAULTS: Final = CardOutlineSettings()


def card_outlines(
    image: Image,
    levels: list[Image],
    size: tuple[float, float] | None = None,
    tolerance: float = DEFAULTS.size_tolerance,
    borders: bool = True,
    settings: CardOutlineSettings = DEFAULTS,
) -> list[Quad]:
    """Return outlines that may be cards, each from its own top left or from the opposite corner, pixels.

    `levels`: the picture's image pyramid. `size`: a card's width and height in pixels, if the scale is known; cards on
    other cards are then found too. `tolerance`: factor by which they may differ from it. `borders`: a border printed
    near the edge has sides as straight as the card's own and may be taken for it; with `borders` both are returned. A
    card's shadow may be among the outlines.
    """
    finder = OutlineFinder(levels)
    proposals = [proposal.quad for proposal in finder.contours()]
    if borders:
        proposals += [proposal.quad for proposal in finder.contours(borders=True)]
    if size is not None:
        rectangles = finder.rectangles(size)
        proposals += [proposal.quad for proposal in rectangles if proposal.edge_score > settings.min_edge_score]
    found: list[Quad] = []
    for proposal in proposals:
        quad = portrait(refine_outline(levels, proposal))
        if size is not None and not fits_size(quad, size, tolerance):
            continue
        if any(iou(quad, other) > settings.same_outline_iou for other in found):
            continue
        found.append(quad)
        if size is None and _elongation(quad) < settings.nearly_square:
            found.append(starting_at(quad, 1))
    return found


def whole_outline(image: Image, settings: CardOutlineSettings = DEFAULTS) -> Quad | None:
    """Return the outline of the whole picture if it has a card's shape, and may be the card itself; else None."""
    height, width = image.shape[:2]
    narrowest, widest = settings.card_shapes
    if not narrowest <= min(width, height) / max(width, height) <= widest:
        return None
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    return starting_at(corners, 1 if width > height else 0)


def outermost(quads: list[Quad], settings: CardOutlineSettings = DEFAULTS) -> list[Quad]:
    """Return those of `quads`, (4, 2) pixels, that are not inside another, largest first.

    A border printed on a card has four sides too.
    """
    kept: list[Quad] = []
    for quad in sorted(quads, key=lambda one: -float(cv2.contourArea(one))):
        if not any(containment(quad, other) > settings.nested_containment for other in kept):
            kept.append(quad)
    return kept


def separate(quads: list[Quad], settings: CardOutlineSettings = DEFAULTS) -> list[Quad]:
    """Return those of `quads`, (4, 2) pixels, that do not overlap an earlier one: cards to be learned lie apart."""
    kept: list[Quad] = []
    for quad in quads:
        if not any(iou(quad, other) > settings.overlap_iou for other in kept):
            kept.append(quad)
    return kept


def _elongation(quad: Quad) -> float:
    width, height = dimensions(quad)
    return height / max(width, 1e-6)
