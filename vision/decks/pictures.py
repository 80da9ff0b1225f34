"""Pictures of the cards of a deck, one card in each: the card itself, cut out or scanned, or a card on some ground.

A picture of a card's shape may be either, and a card may have a frame that looks like a card on a ground. So all the
pictures of a deck are looked at, and decided upon together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np

from vision.decks.finding import card_outlines, dimensions, whole_outline
from vision.decks.looks import cut_out
from vision.decks.showing import apart, outermost
from vision.faces.crops import Quad
from vision.faces.reader import pyramid
from vision.frames import Image
from vision.readings import CARD_MM

Kind = Literal["on a ground", "within a card", "among other things", "nothing"]
Trouble = Literal["no card", "several"]

_LOOK_SO: Final = (0.49, 0.92)
"""So cards look that are seen aslant. Of another shape are planks, and what is printed on cards."""
_POKER: Final = 0.03
_FILLS: Final = 0.72
"""What fills more of a picture of a card's shape is its frame …"""
_FILLS_POKER: Final = 0.2
"""… and in one of just a poker card's shape what fills more than this: a sheet of A4 has nearly that shape too."""
_CLEAN: Final = 0.02
"""A ground has no more edges than this, as a part of it; on a card there is print beside what may be taken for one."""
_EDGE: Final = 0.4
"""An edge is so steep, as a part of how steep the outline's own edges are."""
_SIZE: Final = 800
_SEVERAL: Final = 0.6
"""Another outline, so large as a part of the largest, is another card."""
_ON_A_GROUND: Final = 0.25
"""Of a deck that was photographed, so many pictures at least show a card on a plain ground."""
_SAME: Final = 0.12
"""… if its shape, the logarithm of width by height, differs by no more."""


@dataclass(frozen=True, slots=True, eq=False)
class CardPicture:
    """What one picture may show. `whole`: it is the face, where it has a card's shape (`poker`: just that of a poker
    card); `found`: the face within the largest outline, `shape` the logarithm of its width by its height, `kind` what
    it seems to be; `several`: it is not the only one.
    """

    whole: Image | None
    poker: bool
    found: Image | None
    kind: Kind
    shape: float
    several: bool


def look_at(image: Image) -> CardPicture:
    """Looks at one picture."""
    levels = pyramid(image)
    height, width = image.shape[:2]
    shape = min(width, height) / max(width, height)
    edge = whole_outline(image)
    whole = None if edge is None else cut_out(levels, edge)
    poker = abs(shape / (CARD_MM[0] / CARD_MM[1]) - 1) < _POKER
    quads = sorted(outermost(card_outlines(image, levels)), key=lambda quad: -float(cv2.contourArea(quad)))
    if not quads:
        return CardPicture(whole, poker, None, "nothing", 0.0, False)
    quad = quads[0]
    area = float(cv2.contourArea(quad))
    part = area / (width * height)
    across, along = sorted(dimensions(quad))
    look = float(np.log(across / along))
    kind = _kind(image, quad, part, poker)
    if kind == "among other things" and look >= np.log(_LOOK_SO[1]):
        kind = "within a card"
    several = kind != "on a ground" and any(_another(other, area, look) for other in apart(quads)[1:])
    return CardPicture(whole, poker, cut_out(levels, quad), kind, look, several)


def _another(quad: Quad, area: float, shape: float) -> bool:
    """Whether an outline beside the largest, of that area and shape, is another card."""
    across, along = sorted(dimensions(quad))
    return cv2.contourArea(quad) > _SEVERAL * area and abs(float(np.log(across / along)) - shape) < _SAME


def faces(pictures: Sequence[CardPicture]) -> list[Image | Trouble]:
    """The face in each picture, of one deck, or why there is none."""
    shaped = [picture for picture in pictures if picture.whole is not None and not picture.poker]
    cut = _are_cut_out(shaped)
    return [_face(picture, picture.poker or cut) for picture in pictures]


def _face(picture: CardPicture, cut: bool) -> Image | Trouble:
    if picture.whole is not None and cut and picture.kind != "on a ground":
        return picture.whole
    if picture.found is None:
        return "no card"
    if picture.kind != "on a ground" and not _looks_like_a_card(picture.shape):
        return "no card"
    return "several" if picture.several else picture.found


def _are_cut_out(pictures: Sequence[CardPicture]) -> bool:
    """Whether pictures of a card's shape are the cards themselves."""
    kinds = [picture.kind for picture in pictures]
    if not kinds or kinds.count("on a ground") >= _ON_A_GROUND * len(kinds):
        return False
    return kinds.count("within a card") >= len(kinds) / 2


def _looks_like_a_card(shape: float) -> bool:
    return bool(np.log(_LOOK_SO[0]) < shape < np.log(_LOOK_SO[1]))


def _kind(image: Image, quad: Quad, part: float, poker: bool) -> Kind:
    """What the largest outline seems to be: a card, or something that is printed on one."""
    if part > _FILLS:
        return "within a card"
    height, width = image.shape[:2]
    scale = _SIZE / max(width, height)
    small = cv2.cvtColor(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    soft = cv2.GaussianBlur(small, (0, 0), 2.0)
    right, down = (cv2.Sobel(soft, cv2.CV_32F, *way) for way in ((1, 0), (0, 1)))
    slope = cv2.magnitude(right, down)
    inner = np.zeros(soft.shape[:2], np.uint8)
    cv2.fillConvexPoly(inner, np.rint(quad * scale).astype(np.int32), (255,))
    rim = cv2.morphologyEx(inner, cv2.MORPH_GRADIENT, np.ones((7, 7), np.uint8)) > 0
    outside = cv2.dilate(inner, np.ones((21, 21), np.uint8)) == 0
    outside[:6], outside[-6:], outside[:, :6], outside[:, -6:] = False, False, False, False
    if not outside.any():
        return "within a card"
    clean = float((slope[outside] > _EDGE * np.percentile(slope[rim], 60)).mean()) < _CLEAN
    middle = np.abs(quad.mean(axis=0) / (width, height) - 0.5).max() < 0.02
    (dx, dy) = np.abs(quad[1] - quad[0])
    boxed = middle and min(dx, dy) < 0.012 * max(dx, dy)
    if clean and boxed:  # a box printed in the middle of a card is darker than its paper; a card is brighter than cloth
        clean = float(np.median(soft[rim & (inner > 0)])) > float(np.median(soft[outside]))
    if clean and not (poker and part > _FILLS_POKER):
        return "on a ground"
    return "within a card" if boxed else "among other things"
