"""Suits as they may be printed: those of the system's fonts and drawn ones, changed as decks differ; other signs."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from lab.training.glyphs import FONT_FOLDERS, SIZE, letter, trim, warped
from vision.frames import Image

SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
FONT_FAMILIES = (
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf"), ("DejaVuMathTeXGyre.ttf",), ("FreeSerif.ttf",),
    ("FreeSans.ttf", "FreeSansBold.ttf"), ("FreeMono.ttf", "FreeMonoBold.ttf"), ("Symbola*.ttf",),
    ("NotoSansSymbols2-Regular.ttf",), ("LinLibertine_R.otf", "LinLibertine_RB.otf"), ("LinBiolinum_R.otf",),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf", "LiberationMono-Regular.ttf"), ("FiraCode-Regular.ttf",),
    ("ClearSans-Regular.ttf", "ClearSans-Bold.ttf"), ("NimbusRoman-Regular.otf",), ("NimbusSans-Bold.otf",),
    ("URWBookman-Light.otf",),
)  # fmt: skip
"""Fonts that have the four suits, one group for each shape. FreeSerif's bold fonts have clubs and spades exchanged."""
SYMBOL_FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf", "FreeSerif.ttf", "FreeMono.ttf")
"""Fonts that have most of `SYMBOLS`, and a box for the others."""
FROM_FONT = 0.45
"""Fraction of the suits that are taken from a font; the others are drawn."""
SHADED, HOLLOW, THICKER, WARPED = 0.18, 0.03, 0.3, 0.4
"""Fractions of the suits with a gradient, printed as an outline only, with thicker or thinner strokes, and bent."""
SYMBOLS = "★☆✦✧✱✚✖☾☀☁☂☎♫♪⚓⚙✈☮☯❄❀✿▲▼■●◯✠✡☻✂✎⌘☢☣♔♕♗♘"
"""Characters that are no suit of ordinary cards."""
Points = list[tuple[float, float]]


@cache
def suit_fonts() -> tuple[tuple[Path, ...], ...]:
    """Return the fonts of this machine that have the four suits, grouped by family."""
    found = (
        tuple(path for name in family for folder in FONT_FOLDERS for path in sorted(folder.rglob(name)))
        for family in FONT_FAMILIES
    )
    return tuple(family for family in found if family)


@cache
def symbol_fonts() -> tuple[Path, ...]:
    """Return the fonts of this machine that have most of `SYMBOLS`."""
    return tuple(path for name in SYMBOL_FONTS for folder in FONT_FOLDERS for path in sorted(folder.rglob(name)))


def any_suit_font(rng: np.random.Generator) -> Path:
    """Return a random font that has the four suits; all families are equally likely."""
    every = suit_fonts()
    family = every[rng.integers(len(every))]
    return family[rng.integers(len(family))]


@cache
def font_suit(font: Path, suit: str) -> Image:
    """Return the suit of a font as a trimmed grey mask."""
    picture = Pillow.new("L", (SIZE * 3, SIZE * 2), 0)
    ImageDraw.Draw(picture).text((SIZE // 2, 10), SUITS[suit], fill=255, font=ImageFont.truetype(str(font), SIZE))
    return trim(np.asarray(picture, np.uint8))


def _fill(mask: Image, points: Points) -> None:
    """Fill the polygon of cubic Bézier curves: a start, then two control points and an end for each."""
    path: list[npt.NDArray[np.float64]] = []
    t = np.linspace(0, 1, 12)[:, None]
    for k in range(0, len(points) - 1, 3):
        a, b, c, d = (np.array(points[k + j], np.float64) for j in range(4))
        path.append((1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d)
    cv2.fillPoly(mask, [np.round(np.vstack(path)).astype(np.int32)], 255, cv2.LINE_AA)


def _mirrored(right: Points) -> Points:
    """Return the curve from the first point of `right` to its last, on the axis x = 80, and back on the left."""
    return right + [(160 - x, y) for x, y in reversed(right[:-1])]


def drawn_suit(suit: str, rng: np.random.Generator) -> Image:
    """Return a drawn suit with random proportions, as a trimmed grey mask."""
    mask = np.zeros((170, 170), np.uint8)
    u = rng.uniform
    match suit:
        case "D":
            half, bend, round_off = u(34, 62), u(-8, 9), u(-4, 4)
            middle_x, upper, lower = 80 + half / 2 + bend, 80 - 33 - bend, 80 + 33 + bend
            _fill(mask, _mirrored([
                (80, 15), (middle_x + round_off, upper), (middle_x, upper), (80 + half, 80),
                (middle_x, lower), (middle_x + round_off, lower), (80, 145),
            ]))  # fmt: skip
        case "H":
            _fill(mask, _heart(rng))
        case "S":
            flat, foot = u(0.72, 0.95), u(118, 134)
            _fill(mask, [(x, foot - flat * (y - 8)) for x, y in _heart(rng)])
            _stem(mask, foot - u(22, 40), rng)
        case _:
            _club(mask, rng)
    return trim(mask)


def _heart(rng: np.random.Generator) -> Points:
    u = rng.uniform
    dip, wide, low = u(20, 50), u(48, 76), u(70, 115)
    side, belly, point = u(0.82, 1.0), u(0.55, 0.9), u(2, 34)
    return _mirrored([
        (80, dip), (80 + u(2, 18), u(-2, 8)), (80 + wide, u(-2, 14)), (80 + wide * side, 55),
        (80 + wide * belly, low), (80 + point, u(112, 132)), (80, 145),
    ])  # fmt: skip


def _club(mask: Image, rng: np.random.Generator) -> None:
    """Draw three lobes, round or long and thin, that touch, overlap or only meet in the middle, and a stem.

    Large lobes that overlap leave hardly any notch; when small and blurred, such clubs look like spades.
    """
    u = rng.uniform
    outward, across = u(20, 38), u(0.8, 1.15) if rng.random() < 0.65 else u(0.5, 0.8)
    droop, middle = np.deg2rad(u(8, 34)), (80.0, u(68, 78))
    reach = max(outward * u(0.85, 1.35), 24.0)
    axes = (round(outward), round(max(outward * across, 12)))
    for angle in (-np.pi / 2, droop, np.pi - droop):
        x, y = middle[0] + reach * np.cos(angle), middle[1] + reach * np.sin(angle)
        cv2.ellipse(mask, (round(x), round(y)), axes, float(np.rad2deg(angle)), 0, 360, 255, -1, cv2.LINE_AA)
        if reach > outward * 0.9:
            thick = round(u(4, 16))
            cv2.line(mask, (80, round(middle[1])), (round(x), round(y)), 255, thick, cv2.LINE_AA)
    if rng.random() < 0.7:
        cv2.circle(mask, (80, round(middle[1])), round(u(5, 17)), 255, -1, cv2.LINE_AA)
    _stem(mask, middle[1], rng)


def _stem(mask: Image, top: float, rng: np.random.Generator) -> None:
    """Draw the stem of a club or a spade from `top` down: a flare, a wedge or a bar, rarely none."""
    kind, u = rng.random(), rng.uniform
    bottom, foot, waist = u(138, 156), u(8, 36), u(2, 9)
    if kind < 0.65:
        _fill(mask, _mirrored([
            (80, top), (80 + waist, top), (80 + waist, top), (80 + waist, top),
            (80 + waist, bottom - u(10, 30)), (80 + foot * u(0.3, 1), bottom - u(2, 8)), (80 + foot, bottom),
            (80 + foot, bottom), (80, bottom), (80, bottom),
        ]))  # fmt: skip
    elif kind < 0.85:
        corners = [[80, top], [80 + foot, bottom], [80 - foot, bottom]]
        cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 255, cv2.LINE_AA)
    elif kind < 0.97:
        cv2.rectangle(mask, (round(80 - waist), round(top)), (round(80 + waist), round(bottom)), 255, -1)


def any_suit(suit: str, rng: np.random.Generator) -> Image:
    """Return a suit as a grey mask, 255 for full ink: from a font or drawn, and often changed."""
    is_drawn = not suit_fonts() or rng.random() > FROM_FONT
    mask = drawn_suit(suit, rng) if is_drawn else font_suit(any_suit_font(rng), suit)
    if rng.random() < WARPED:
        mask = warped(mask, rng)
    share = max(mask.shape) / 100
    if rng.random() < THICKER:
        kernel = np.ones((max(2, round(share * rng.uniform(2, 7))),) * 2, np.uint8)
        mask = np.asarray(cv2.dilate(mask, kernel), np.uint8) if rng.random() < 0.5 else _thinner(mask, kernel)
    change = rng.random()
    if change < HOLLOW:
        mask = _hollow(mask, round(share * rng.uniform(3, 6)))
    elif change < HOLLOW + SHADED:
        mask = _shaded(mask, rng)
    return trim(mask)


def _thinner(mask: Image, kernel: npt.NDArray[np.uint8]) -> Image:
    """Return the mask with less ink at its edges, but not less than half of it."""
    thin = cv2.erode(mask, kernel)
    return np.asarray(thin if int(thin.sum()) > 0.5 * int(mask.sum()) else mask, np.uint8)


def _hollow(mask: Image, thickness: int) -> Image:
    """Return the outline of the mask, `thickness` pixels wide."""
    framed = cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT)
    inner = cv2.erode(framed, np.ones((3, 3), np.uint8), iterations=max(2, thickness))
    return np.asarray(cv2.subtract(mask, inner[1:-1, 1:-1]), np.uint8)


def _shaded(mask: Image, rng: np.random.Generator) -> Image:
    """Return the mask with ink that becomes lighter to one side, or in a spot."""
    height, width = mask.shape
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    turn = rng.uniform(0, 2 * np.pi)
    side = 0.5 + 0.5 * (x * np.cos(turn) + y * np.sin(turn)) / 1.42
    spot = np.exp(-((x - rng.uniform(-0.5, 0.5)) ** 2 + (y - rng.uniform(-0.5, 0.5)) ** 2) / rng.uniform(0.1, 0.6))
    light = rng.uniform(0.2, 0.65) * (side if rng.random() < 0.5 else spot)
    return np.asarray(np.clip(mask * (1 - light), 0, 255), np.uint8)


def strange_suit(rng: np.random.Generator, german: bool = False) -> Image:
    """Return the sign of a fifth suit, or of no suit, as a grey mask: most often a star.

    `german`: the cards have German suits; French clubs, diamonds and spades are strange then.
    """
    if german and rng.random() < 0.4:
        return any_suit("CDCDS"[rng.integers(5)], rng)
    kind = rng.random()
    fonts = symbol_fonts()
    if kind < 0.3 and fonts:
        return letter(fonts[rng.integers(len(fonts))], SYMBOLS[rng.integers(len(SYMBOLS))])
    mask = np.zeros((64, 64), np.uint8)
    thickness = -1 if rng.random() < 0.6 else int(rng.integers(3, 12))
    if kind < 0.72:
        corners = int(rng.choice([4, 4, 5, 5, 5, 6, 6, 7, 8]))
        inner = rng.uniform(0.2, 0.42 if corners == 4 else 0.7)  # a star of four blunt points is a diamond
        _polygon(mask, np.where(np.arange(2 * corners) % 2 == 0, 31, 31 * inner), rng.choice([0, 0, 0, np.pi]))
    elif kind < 0.78:
        cv2.circle(mask, (32, 32), 26, 255, thickness)
    elif kind < 0.84:
        cv2.rectangle(mask, (6, 6), (57, 57), 255, thickness)
    elif kind < 0.91:
        half = int(rng.integers(5, 12))
        mask[:, 32 - half : 32 + half] = mask[32 - half : 32 + half] = 255
    elif kind < 0.96:
        _polygon(mask, np.full(int(rng.choice([3, 5, 6])), 31.0), rng.choice([0, np.pi]))
    else:  # a crescent
        cv2.circle(mask, (32, 32), 30, 255, -1)
        cv2.circle(mask, (int(rng.integers(40, 52)), int(rng.integers(24, 33))), int(rng.integers(20, 28)), 0, -1)
    return trim(mask)


def _polygon(mask: Image, radii: npt.NDArray[np.floating[Any]], turn: float) -> None:
    """Fill the polygon whose corners lie at these distances from the middle of the mask, the first on top."""
    angles = np.arange(len(radii)) * 2 * np.pi / len(radii) - np.pi / 2 + turn
    corners = np.stack([32 + radii * np.cos(angles), 32 + radii * np.sin(angles)], axis=1)
    cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 255)
