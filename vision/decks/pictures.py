"""Learn a deck from picture files, one card in each: the card itself, cut out or scanned, or a card on a background.

A picture with a card's shape may be either, and a card may have a printed border that looks like a card on a
background. All pictures of a deck are therefore analyzed first and decided together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np

from vision.decks.deck import cut_out
from vision.faces.edges import refine_outline
from vision.faces.geometry import Quad, containment, dimensions, fits_size, iou, portrait, starting_at
from vision.faces.outline_finder import OutlineFinder
from vision.faces.pyramid import image_pyramid
from vision.frames import Image
from vision.readings import CARD_MM

# Outlines of cards of any deck in a picture, upright.


SIZE_TOLERANCE: Final = 1.2
"""Factor by which a card's sides may differ from the scale. Higher: borders printed on cards pass as cards; lower:
cards are missed if the deck's size was measured roughly."""
OUTLINE_SHAPES: Final = (0.5, 1.0)
"""Width of a card relative to its height: 0.54 for tarot, 0.72 for poker, up to 1 for some children's cards. Wider:
other pictures are taken for a card that fills them."""
SAME_OUTLINE_IOU: Final = 0.94
"""Of several outlines with a higher IoU only the first is returned. Higher: slower; lower: a better outline may be
dropped."""
NEARLY_SQUARE: Final = 1.35
"""A card that appears less elongated than this may be seen from its long side; both orientations are returned. Higher:
slower; lower: wide cards seen at an angle are not read."""
MIN_EDGE_SCORE: Final = 0.5
"""Edge score (0 to 1) of a rectangle that is not a contour. Higher: white cards on white cards are missed; lower: more
false outlines, slower."""
NESTED_CONTAINMENT: Final = 0.5
"""An outline with more of its area inside a larger one is printed on that card. Higher: print is taken for a card;
lower: cards that overlap are lost."""
OVERLAP_IOU: Final = 0.03
"""Two outlines with a higher IoU do not lie apart. Higher: a covered card may be learned."""


def card_outlines(
    image: Image,
    levels: list[Image],
    size: tuple[float, float] | None = None,
    tolerance: float = SIZE_TOLERANCE,
    borders: bool = True,
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
        proposals += [proposal.quad for proposal in rectangles if proposal.edge_score > MIN_EDGE_SCORE]
    found: list[Quad] = []
    for proposal in proposals:
        quad = portrait(refine_outline(levels, proposal))
        if size is not None and not fits_size(quad, size, tolerance):
            continue
        if any(iou(quad, other) > SAME_OUTLINE_IOU for other in found):
            continue
        found.append(quad)
        if size is None and _elongation(quad) < NEARLY_SQUARE:
            found.append(starting_at(quad, 1))
    return found


def whole_outline(image: Image) -> Quad | None:
    """Return the outline of the whole picture if it has a card's shape, and may be the card itself; else None."""
    height, width = image.shape[:2]
    narrowest, widest = OUTLINE_SHAPES
    if not narrowest <= min(width, height) / max(width, height) <= widest:
        return None
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    return starting_at(corners, 1 if width > height else 0)


def outermost(quads: list[Quad]) -> list[Quad]:
    """Return those of `quads`, (4, 2) pixels, that are not inside another, largest first.

    A border printed on a card has four sides too.
    """
    kept: list[Quad] = []
    for quad in sorted(quads, key=lambda outline: -float(cv2.contourArea(outline))):
        if not any(containment(quad, other) > NESTED_CONTAINMENT for other in kept):
            kept.append(quad)
    return kept


def separate(quads: list[Quad]) -> list[Quad]:
    """Return those of `quads`, (4, 2) pixels, that do not overlap an earlier one: cards to be learned lie apart."""
    kept: list[Quad] = []
    for quad in quads:
        if not any(iou(quad, other) > OVERLAP_IOU for other in kept):
            kept.append(quad)
    return kept


def _elongation(quad: Quad) -> float:
    width, height = dimensions(quad)
    return height / max(width, 1e-6)


Kind = Literal["on a background", "print", "unclear", "nothing"]
"""What the largest outline is: a card on a plain background, something printed on a card, either, or there is none."""
PictureProblem = Literal["no card", "several"]


CARD_SHAPES: Final = (0.49, 0.92)
"""Width by height of a card in perspective. Other shapes are table planks, or print on a card. Wider: these are learned
as cards."""
POKER_TOLERANCE: Final = 0.03
"""Relative deviation from a poker card's shape up to which a picture counts as one. Higher: other pictures are learned
whole, with their background."""
MAX_AREA: Final = 0.72
"""An outline with more area is the printed border of a card that fills the picture. Higher: cards lose their border;
lower: cards that nearly fill a photograph keep its background."""
MAX_AREA_POKER: Final = 0.2
"""The same in a picture with a poker card's shape: an A4 sheet has nearly that shape as well."""
MAX_EDGE_AREA: Final = 0.02
"""Area of edges outside the outline up to which the background is plain; a card has print there. Higher: boxes printed
on cards are cut out; lower: photographs on a patterned table are refused."""
EDGE_STRENGTH: Final = 0.4
"""Gradient that counts as an edge, relative to that of the outline's own edges. Higher: more backgrounds seem plain."""
WORK_SIZE_PX: Final = 800
"""The longer side of the picture in which edges are counted, pixels. Higher: finer patterns count, slower."""
RIM_PX: Final = 7
"""Width (odd) of the strip along the outline in which its own edges are measured, pixels of that picture. Wider: print
near the edge counts as well."""
RIM_PERCENTILE: Final = 60.0
"""Percentile of the gradients in that strip that is the strength of its edges. Higher: more backgrounds seem plain."""
MARGIN_PX: Final = 21
"""Size (odd) of the window by which the outline is widened before edges outside it are counted. Lower: the blurred edge
of the card counts as a pattern of the background."""
BORDER_PX: Final = 6
"""Strip along the picture's border in which no edges are counted. Lower: the border of the table does."""
BLUR_PX: Final = 2.0
"""Blur (standard deviation) of that picture. Higher: fine patterns of the background do not count; lower: noise
does."""
SECOND_CARD: Final = 0.6
SAME_SHAPE: Final = 0.12
"""Another outline is another card if it has the fraction `SECOND_CARD` of the largest one's area, and the logarithms of
width by height differ by less than `SAME_SHAPE`. Lower fraction, higher difference: print is taken for a second card,
and the picture is refused."""
OFF_CENTRE: Final = 0.02
CROOKED: Final = 0.012
"""An outline whose middle is at most `OFF_CENTRE` picture sizes from the picture's, and whose upper side slopes by less
than `crooked`, may be a box printed on a card that fills the picture. Higher: photographs taken with care are taken for
such cards; lower: the box is learned instead of the card."""
PHOTOGRAPHED_SHARE: Final = 0.25
"""If this fraction of a deck's pictures show a card on a background, the deck was photographed, not cut out. Higher:
backgrounds may be learned with the cards; lower: a few misjudged pictures of a scanned deck decide for all."""


@dataclass(frozen=True, slots=True, eq=False)
class CardPicture:
    """What one picture may show.

    `whole`: the picture as a face, if it has a card's shape; `poker`: that shape is a poker card's. `found`: the face
    inside the largest outline, if any. `kind`: what that outline is. `log_aspect`: logarithm of its width by its
    height. `several`: there is another card.
    """

    whole: Image | None
    poker: bool
    found: Image | None
    kind: Kind
    log_aspect: float
    several: bool


def analyze_picture(image: Image) -> CardPicture:
    """Return what the picture, (H, W, 3) uint8 BGR, may show."""
    levels = image_pyramid(image)
    height, width = image.shape[:2]
    shape = min(width, height) / max(width, height)
    edge = whole_outline(image)
    whole = None if edge is None else cut_out(levels, edge)
    poker = abs(shape / (CARD_MM[0] / CARD_MM[1]) - 1) < POKER_TOLERANCE
    quads = sorted(outermost(card_outlines(image, levels)), key=lambda quad: -float(cv2.contourArea(quad)))
    if not quads:
        return CardPicture(whole, poker, None, "nothing", 0.0, False)
    quad = quads[0]
    area = float(cv2.contourArea(quad))
    log_aspect = _log_aspect(quad)
    kind = _kind(image, quad, area / (width * height), poker)
    if kind == "unclear" and log_aspect >= np.log(CARD_SHAPES[1]):
        kind = "print"
    several = kind != "on a background" and any(
        _is_another_card(other, area, log_aspect) for other in separate(quads)[1:]
    )
    return CardPicture(whole, poker, cut_out(levels, quad), kind, log_aspect, several)


def _log_aspect(quad: Quad) -> float:
    across, along = sorted(dimensions(quad))
    return float(np.log(across / along))


def _is_another_card(quad: Quad, area: float, log_aspect: float) -> bool:
    """Return whether `quad` is a card beside the largest one, which has this area (square pixels) and aspect."""
    large = cv2.contourArea(quad) > SECOND_CARD * area
    return large and abs(_log_aspect(quad) - log_aspect) < SAME_SHAPE


def extract_faces(pictures: Sequence[CardPicture]) -> list[Image | PictureProblem]:
    """Return the face in each picture of one deck, (176, 126, 3) uint8 BGR, or why there is none."""
    shaped = [picture for picture in pictures if picture.whole is not None and not picture.poker]
    cut = _are_cut_out(shaped)
    return [_face(picture, picture.poker or cut) for picture in pictures]


def _face(picture: CardPicture, cut: bool) -> Image | PictureProblem:
    if picture.whole is not None and cut and picture.kind != "on a background":
        return picture.whole
    if picture.found is None:
        return "no card"
    if picture.kind != "on a background" and not _has_card_shape(picture.log_aspect):
        return "no card"
    return "several" if picture.several else picture.found


def _are_cut_out(pictures: Sequence[CardPicture]) -> bool:
    """Return whether pictures with a card's shape are the cards themselves."""
    kinds = [picture.kind for picture in pictures]
    if not kinds or kinds.count("on a background") >= PHOTOGRAPHED_SHARE * len(kinds):
        return False
    return kinds.count("print") >= len(kinds) / 2


def _has_card_shape(log_aspect: float) -> bool:
    least, most = CARD_SHAPES
    return bool(np.log(least) < log_aspect < np.log(most))


def _kind(image: Image, quad: Quad, area: float, poker: bool) -> Kind:
    """Return what the largest outline, with this fraction of the picture's area, is."""
    if area > MAX_AREA:
        return "print"
    height, width = image.shape[:2]
    scale = WORK_SIZE_PX / max(width, height)
    small = cv2.cvtColor(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    soft = cv2.GaussianBlur(small, (0, 0), BLUR_PX)
    right, down = (cv2.Sobel(soft, cv2.CV_32F, *way) for way in ((1, 0), (0, 1)))
    slope = cv2.magnitude(right, down)
    inner = np.zeros(soft.shape[:2], np.uint8)
    cv2.fillConvexPoly(inner, np.rint(quad * scale).astype(np.int32), (255,))
    rim = cv2.morphologyEx(inner, cv2.MORPH_GRADIENT, np.ones((RIM_PX, RIM_PX), np.uint8)) > 0
    outside = cv2.dilate(inner, np.ones((MARGIN_PX, MARGIN_PX), np.uint8)) == 0
    border = BORDER_PX
    outside[:border], outside[-border:], outside[:, :border], outside[:, -border:] = False, False, False, False
    if not outside.any():
        return "print"
    edges = slope[outside] > EDGE_STRENGTH * np.percentile(slope[rim], RIM_PERCENTILE)
    plain = float(edges.mean()) < MAX_EDGE_AREA
    centred = np.abs(quad.mean(axis=0) / (width, height) - 0.5).max() < OFF_CENTRE
    (dx, dy) = np.abs(quad[1] - quad[0])
    boxed = centred and min(dx, dy) < CROOKED * max(dx, dy)
    if plain and boxed:  # a box printed in the middle of a card is darker than its paper; a card is brighter than cloth
        plain = float(np.median(soft[rim & (inner > 0)])) > float(np.median(soft[outside]))
    if plain and not (poker and area > MAX_AREA_POKER):
        return "on a background"
    return "print" if boxed else "unclear"
