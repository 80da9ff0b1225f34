"""Indices of German-suited cards: signs of several colours, acorns, leaves, hearts and bells, and their letters.

The signs stand for clubs, spades, hearts and diamonds, in this order; U and O for jack and queen. No drawing of
Debian's decks is used: `svg-xskat-german` serves for measuring only.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from lab.training.artwork import SCALE
from lab.training.glyphs import any_ink, stamp
from lab.training.suit_shapes import any_suit, drawn_suit
from vision.frames import Image

SIDE: Final = 170
"""Width and height of the canvas that a sign is drawn on, pixels."""
LETTERS: Final = {"A": ("A", "A", "D"), "Q": ("O",), "J": ("U",)}
"""What is printed for a rank. D stands for Daus, the ace."""
LEANING: Final = 0.3
"""Fraction of the signs that are inclined by more than a few degrees."""

UPSIDE_DOWN: Final = {"C": 0.5, "S": 0.05, "H": 0.0, "D": 0.35}
"""Fraction of the signs of a suit that are printed upside down: decks differ in this."""

Ink = npt.NDArray[np.floating[Any]]


class Sign(NamedTuple):
    """A suit's sign: `mask`, (H, W), 255 is ink; `ink`, BGR: one colour, (3,), or that of each pixel, (H, W, 3)."""

    mask: Image
    ink: Ink


def any_german_suit(rng: np.random.Generator) -> str:
    """Return a suit: acorns most often, which are hardest to learn, and hearts, which look like French ones, least."""
    return "SHDCC"[rng.integers(5)] if rng.random() < 0.7 else "SDC"[rng.integers(3)]


def german_letters(rank: str, rng: np.random.Generator) -> str:
    """Return what a German-suited deck prints for a rank."""
    texts = LETTERS.get(rank, (rank,))
    return texts[rng.integers(len(texts))]


def letter_ink(sign: Sign, rng: np.random.Generator) -> Ink:
    """Return the colour of the letters beside a sign: usually dark, sometimes the sign's own."""
    if rng.random() < 0.75:
        return np.full(3, rng.uniform(0, 70)) + rng.uniform(0, 15, 3)
    return sign.ink if sign.ink.ndim == 1 else np.median(sign.ink[sign.mask > 128], axis=0)


def german_sign(suit: str, rng: np.random.Generator) -> Sign:
    """Return the German sign of a suit of the four, `C`, `S`, `H` or `D`."""
    if suit == "H" and rng.random() < 0.6:
        return Sign(any_suit("H", rng), any_ink("H", rng))
    mask, ink = np.zeros((SIDE, SIDE), np.uint8), np.zeros((SIDE, SIDE, 3), np.float32)
    {"C": _acorn, "S": _leaf, "H": _heart, "D": _bell}[suit](mask, ink, rng)
    if rng.random() < 0.6:  # light from one side, as on a round thing
        ramp = np.linspace(rng.uniform(0.5, 1), rng.uniform(0.8, 1.3), SIDE, dtype=np.float32)
        ink *= (ramp[None, :] if rng.random() < 0.7 else ramp[:, None])[..., None]
    _outlined(mask, ink, rng)
    turn = rng.normal(0, 30) if rng.random() < LEANING else rng.normal(0, 4)
    return _turned(mask, np.clip(ink, 0, 255), turn, flipped=bool(rng.random() < UPSIDE_DOWN[suit]))


def beside(card: Image, sign: Sign, left: float, rng: np.random.Generator) -> None:
    """Print large signs beside an index that ends `left` millimetres from the card's edge, as most decks do."""
    tall = rng.uniform(7, 15)
    wide = tall * sign.mask.shape[1] / sign.mask.shape[0]
    top = rng.uniform(0.5, 10)
    for k in range(int(rng.integers(1, 4))):
        x, y = left + rng.uniform(0, 5), top + k * tall * rng.uniform(0.5, 1.1)
        stamp(card, sign.mask, x * SCALE, y * SCALE, wide * SCALE, tall * SCALE, sign.ink)


def _colour(rng: np.random.Generator, *kinds: str) -> tuple[float, float, float]:
    """Return a colour, BGR, of one of these kinds."""
    low, high = COLOURS[kinds[rng.integers(len(kinds))]]
    blue, green, red = rng.uniform(low, high).tolist()
    return blue, green, red


COLOURS: Final = {
    "green": ((0, 70, 0), (90, 190, 90)), "red": ((10, 5, 140), (80, 70, 250)),
    "yellow": ((0, 150, 190), (90, 230, 255)), "brown": ((0, 40, 70), (60, 120, 170)),
    "blue": ((110, 40, 0), (240, 160, 90)), "dark": ((0, 0, 0), (60, 60, 60)),
}  # fmt: skip
"""Least and most blue, green and red of each colour."""


def _paint(mask: Image, ink: npt.NDArray[np.float32], part: Image, colour: tuple[float, float, float]) -> None:
    """Print a part of a sign over what is there: `part` is (H, W), 255 is ink."""
    alpha = part[..., None].astype(np.float32) / 255
    ink[:] = ink * (1 - alpha) + np.array(colour, np.float32) * alpha
    np.maximum(mask, part, out=mask)


def _empty() -> Image:
    return np.zeros((SIDE, SIDE), np.uint8)


def _outlined(mask: Image, ink: npt.NDArray[np.float32], rng: np.random.Generator) -> None:
    """Draw a dark line around the sign, as most decks do."""
    if rng.random() < 0.7:
        wide = int(rng.integers(3, 9))
        inner = cv2.erode(mask, np.ones((wide, wide), np.uint8))
        _paint(mask, ink, np.asarray(cv2.subtract(mask, inner), np.uint8), _colour(rng, "dark"))


def _turned(mask: Image, ink: npt.NDArray[np.float32], degrees: float, flipped: bool) -> Sign:
    """Return the sign turned clockwise, and upside down if it is `flipped`, without the empty border."""
    matrix = cv2.getRotationMatrix2D((SIDE / 2, SIDE / 2), degrees + 180.0 * flipped, 0.75)
    size = (SIDE, SIDE)
    seen = np.asarray(cv2.warpAffine(mask, matrix, size), np.uint8)
    colours = cv2.warpAffine(ink, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    rows, columns = np.where(seen > 40)
    part = np.s_[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    return Sign(seen[part], np.asarray(colours[part], np.float32))


def _placed(shape: Image, box: tuple[float, float, float, float]) -> Image:
    """Return a canvas with the shape in a box: left, top, width, height."""
    canvas = _empty()
    left, top, wide, tall = (round(value) for value in box)
    canvas[top : top + tall, left : left + wide] = cv2.resize(shape, (wide, tall), interpolation=cv2.INTER_AREA)
    return canvas


def _heart(mask: Image, ink: npt.NDArray[np.float32], rng: np.random.Generator) -> None:
    shape = drawn_suit("H", rng)
    _paint(mask, ink, _placed(shape, (20, 20, 130, 130)), _colour(rng, "red"))
    if rng.random() < 0.6:  # a darker half, or a line
        half = mask.copy()
        half[:, : SIDE // 2] = 0
        if rng.random() < 0.5:
            half[:, SIDE // 2 + int(rng.integers(2, 8)) :] = 0
        _paint(mask, ink, half, (20, 10, rng.uniform(70, 150)))


def _leaf(mask: Image, ink: npt.NDArray[np.float32], rng: np.random.Generator) -> None:
    """Draw a lime leaf with its tip up: a heart upside down with a thin, often curved stalk."""
    wide, tall = rng.uniform(85, 140), rng.uniform(105, 130)
    stalk, thick = _empty(), int(rng.integers(4, 13))
    sway = rng.uniform(-30, 30)
    curve = [(85 + sway * t * t, 90 + 70 * t) for t in np.linspace(0, 1, 12)]
    cv2.polylines(stalk, [np.round(np.array(curve)).astype(np.int32)], False, 255, thick, cv2.LINE_AA)
    green = _colour(rng, "green")
    _paint(mask, ink, stalk, green if rng.random() < 0.6 else _colour(rng, "green", "brown", "dark"))
    shape = np.ascontiguousarray(drawn_suit("H", rng)[::-1])
    blade = _placed(shape, ((SIDE - wide) / 2, 12, wide, tall))
    _paint(mask, ink, blade, green)
    if rng.random() < 0.3:
        half = blade.copy()
        half[:, : SIDE // 2] = 0
        _paint(mask, ink, half, _colour(rng, "green", "green", "yellow"))
    veins = _empty()
    thin = int(rng.integers(1, 5))
    cv2.line(veins, (85, 30), (85, round(12 + tall)), 255, thin, cv2.LINE_AA)
    for y in np.arange(12 + 0.45 * tall, 12 + tall, rng.uniform(12, 30)):
        for side in (-1, 1):
            cv2.line(veins, (85, round(y)), (round(85 + side * 0.4 * wide), round(y - 25)), 255, thin, cv2.LINE_AA)
    if rng.random() < 0.75:
        light = np.array(green) * (rng.uniform(0.2, 0.6) if rng.random() < 0.7 else rng.uniform(1.3, 1.8))
        blue, dim, red = np.clip(light, 0, 255).tolist()
        _paint(mask, ink, np.asarray(cv2.min(veins, blade), np.uint8), (blue, dim, red))


def _acorn(mask: Image, ink: npt.NDArray[np.float32], rng: np.random.Generator) -> None:
    """Draw an acorn with its tip up: a nut in a wider, round cup, and a short stalk."""
    half, top, seam = rng.uniform(26, 46), rng.uniform(12, 30), rng.uniform(82, 108)
    stalk = _empty()
    foot = (round(85 + rng.uniform(-18, 18)), round(rng.uniform(146, 164)))
    cv2.line(stalk, (85, 120), foot, 255, int(rng.integers(6, 15)), cv2.LINE_AA)
    cup_colour = _colour(rng, "green", "green", "brown", "dark", "yellow", "red")
    _paint(mask, ink, stalk, cup_colour if rng.random() < 0.6 else _colour(rng, "green", "brown"))
    nut = _empty()
    angles = np.linspace(-np.pi, 0, 40)
    square = rng.uniform(0.55, 1.0)  # 1: half an ellipse; less: a barrel
    x = 85 + half * np.sign(np.cos(angles)) * np.abs(np.cos(angles)) ** square
    y = seam + (seam - top) * np.sign(np.sin(angles)) * np.abs(np.sin(angles)) ** square
    cv2.fillPoly(nut, [np.round(np.stack([x, y], 1)).astype(np.int32)], 255, cv2.LINE_AA)
    if rng.random() < 0.6:
        cv2.line(nut, (85, round(top - rng.uniform(2, 9))), (85, round(top + 20)), 255, int(rng.integers(3, 9)))
    nut_colour = _colour(rng, "red", "red", "yellow", "brown", "green")
    _paint(mask, ink, nut, nut_colour)
    if rng.random() < 0.4:  # one side of the nut in another colour, or a light stripe
        stripe = nut.copy()
        edge = round(85 + rng.uniform(-0.4, 0.4) * half)
        stripe[:, :edge] = 0
        if rng.random() < 0.5:
            stripe[:, edge + int(rng.integers(5, 20)) :] = 0
        _paint(mask, ink, stripe, _colour(rng, "red", "yellow", "green", "brown"))
    cup = _empty()
    middle, axes = (85, round(seam)), (round(half * rng.uniform(1.1, 1.4)), round(rng.uniform(26, 42)))
    cv2.ellipse(cup, middle, axes, 0, 0, 180, 255, -1, cv2.LINE_AA)
    rim = round(rng.uniform(3, 16))
    cv2.ellipse(cup, middle, (axes[0], rim), 0, 0, 360, 255, -1, cv2.LINE_AA)
    _paint(mask, ink, cup, cup_colour)
    if rng.random() < 0.5:  # scales of the cup
        net = _empty()
        for at in range(-80, 170, int(rng.integers(10, 22))):
            cv2.line(net, (at, 60), (at + 90, 150), 255, 2)
            cv2.line(net, (at + 90, 60), (at, 150), 255, 2)
        _paint(mask, ink, np.asarray(cv2.min(net, cup), np.uint8), _colour(rng, "dark", "yellow", "green"))


def _bell(mask: Image, ink: npt.NDArray[np.float32], rng: np.random.Generator) -> None:
    """Draw a round bell: a ball with bands across it, a slit below and a ring on top."""
    radius, middle = rng.uniform(52, 64), (85, round(rng.uniform(86, 94)))
    axes = (round(radius * rng.uniform(0.92, 1.05)), round(radius))
    ring = _empty()
    high = round(middle[1] - radius - rng.uniform(2, 9))
    cv2.circle(ring, (85, high), int(rng.integers(5, 13)), 255, -1 if rng.random() < 0.4 else int(rng.integers(3, 7)))
    gold = _colour(rng, "yellow", "yellow", "yellow", "red", "green")
    _paint(mask, ink, ring, gold)
    ball = _empty()
    cv2.ellipse(ball, middle, axes, 0, 0, 360, 255, -1, cv2.LINE_AA)
    _paint(mask, ink, ball, gold)
    sag = round(rng.uniform(-18, 18))
    for _ in range(int(rng.integers(1, 4))):
        band = _empty()
        y, thick = middle[1] + rng.uniform(-0.6, 0.5) * radius, int(rng.integers(6, 26))
        cv2.ellipse(band, (85, round(y)), (axes[0] + 4, max(abs(sag), 1)), 0, 0, 180 if sag > 0 else -180, 255, thick)
        colour = _colour(rng, "red", "blue", "green", "brown", "dark")
        _paint(mask, ink, np.asarray(cv2.min(band, ball), np.uint8), colour)
    if rng.random() < 0.8:  # the slit
        slit = _empty()
        low = middle[1] + round(radius * rng.uniform(0.35, 0.7))
        cv2.line(slit, (85, low), (85, middle[1] + round(radius)), 255, int(rng.integers(3, 10)), cv2.LINE_AA)
        cv2.circle(slit, (85, low), int(rng.integers(3, 11)), 255, -1, cv2.LINE_AA)
        _paint(mask, ink, np.asarray(cv2.min(slit, ball), np.uint8), _colour(rng, "dark"))
