"""Ranks as they may be printed: letters of the system's fonts, slightly changed; and inks."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from vision.frames import Image

FONT_FOLDERS = (Path("/usr/share/fonts"),)
LETTER_FONTS = (
    "DejaVuSans*.ttf", "DejaVuSerif*.ttf", "Liberation*.ttf", "FreeSans*.ttf", "FreeSerif*.ttf", "FreeMono*.ttf",
    "NotoSans-*.ttf", "NotoSerif-*.ttf", "NotoSansDisplay-*.ttf", "NotoSerifDisplay-*.ttf", "NotoSansMono-*.ttf",
    "NotoMono-*.ttf", "Nimbus*.otf", "C059-*.otf", "P052-*.otf", "URW*.otf",
    "Gillius*.otf", "Switzera*.otf", "Universalis*.otf", "TribunADFStd*.otf", "VeranaSans*.otf", "MekanusADFStd*.otf",
    "LibrisADFStd*.otf", "Cabin-*.otf", "Cantarell*.otf", "Century-Catalogue.ttf", "Courier*.otf", "Carlito-*.ttf",
    "Dosis-*.otf", "EBGaramond*.otf", "FiraCode*.ttf", "GFSDidot*.otf", "GoudyBook*.otf",
    "Hack-*.ttf", "Inter-*.otf", "JunicodeTwoBeta-*.otf", "Lato-*.ttf", "LinLibertine_R*.otf", "LinBiolinum_R*.otf",
    "OldStandard-*.ttf", "OpenSans-*.ttf", "Play-*.ttf", "Quicksand-*.ttf", "Roboto-*.ttf", "RobotoSlab-*.otf",
    "Andika-*.ttf", "CharisSIL-*.ttf", "GenBas*.ttf", "Tuffy*.ttf", "Vollkorn-*.ttf", "YanoneKaffeesatz-*.otf",
    "JetBrainsMono-*.ttf", "ClearSans-*.ttf", "Comfortaa-*.ttf", "AveriaSerifGWF-*.ttf", "Prociono.otf",
)  # fmt: skip
TOO_THIN = ("Hairline", "Thin", "ExtraLight")
SIZE = 64
"""Size of the fonts, pixels."""


@cache
def letter_fonts() -> tuple[Path, ...]:
    """Return the upright fonts of this machine that have letters and figures. Raises `SystemExit` if there is none."""
    found = {
        path.name: path for folder in FONT_FOLDERS for pattern in LETTER_FONTS for path in sorted(folder.rglob(pattern))
    }
    upright = [p for n, p in sorted(found.items()) if not any(w in n for w in ("Italic", "Oblique", *TOO_THIN))]
    if not upright:
        raise SystemExit("no fonts found: install fonts-dejavu, fonts-liberation, fonts-freefont-ttf, fonts-noto-core")
    return tuple(upright)


@cache
def families() -> tuple[tuple[Path, ...], ...]:
    """Return the same fonts grouped by family: `Lato-Bold` and `Lato-Black` are not two ways to print a seven."""
    together: dict[str, list[Path]] = {}
    for font in letter_fonts():
        together.setdefault(re.split("[-_.]", font.name)[0], []).append(font)
    return tuple(tuple(fonts) for fonts in together.values())


def any_font(rng: np.random.Generator) -> Path:
    """Return a random font; all families are equally likely."""
    every = families()
    family = every[rng.integers(len(every))]
    return family[rng.integers(len(family))]


def trim(mask: Image) -> Image:
    """Return the part of a grey mask that has ink."""
    rows, columns = np.where(mask > 40)
    return mask[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]


@cache
def letter(font: Path, text: str) -> Image:
    """Return the text as a trimmed grey mask; 255 is ink. `10` is set tight, as on cards."""
    face = ImageFont.truetype(str(font), SIZE)
    picture = Pillow.new("L", (SIZE * 3, SIZE * 2), 0)
    draw = ImageDraw.Draw(picture)
    if text == "10":
        digit, nought = letter(font, "1"), letter(font, "0")
        height = max(digit.shape[0], nought.shape[0])
        joined = np.zeros((height, digit.shape[1] + nought.shape[1] + 5), np.uint8)
        joined[height - digit.shape[0] :, : digit.shape[1]] = digit
        joined[height - nought.shape[0] :, digit.shape[1] + 5 :] = nought
        return joined
    draw.text((SIZE // 2, 10), text, fill=255, font=face)
    return trim(np.asarray(picture, np.uint8))


def warped(mask: Image, rng: np.random.Generator) -> Image:
    """Return the mask slightly slanted and bent, unlike any font of this machine."""
    height, width = mask.shape
    room = 6
    y, x = np.mgrid[-room : height + room, -room : width + room].astype(np.float32)
    lean = rng.normal(0, 0.06)
    bends = rng.normal(0, 0.028 * min(height, width), (2, 3, 3)).astype(np.float32)
    size = (width + 2 * room, height + 2 * room)
    off_x, off_y = (cv2.resize(bend, size, interpolation=cv2.INTER_CUBIC) for bend in bends)
    moved = cv2.remap(mask, x + lean * (y - height / 2) + off_x, y + off_y, cv2.INTER_LINEAR)
    return trim(np.asarray(moved, np.uint8))


def barred(mask: Image, rng: np.random.Generator) -> Image:
    """Return a jack's letter with a bar at its top, to the left or to both sides, as in many decks."""
    height, width = mask.shape
    thick = max(4, round(height * rng.uniform(0.09, 0.17)))
    columns = np.nonzero(mask[: height // 3].max(axis=0) > 40)[0]
    stem, right = int(columns[0]), int(columns[-1])
    left = max(0, stem - round(width * rng.uniform(0.3, 0.7)))
    out = mask.copy()
    end = width - 1 if rng.random() < 0.3 else right
    out[:thick, left : end + 1] = 255
    return out


def varied(mask: Image, text: str, rng: np.random.Generator) -> Image:
    """Return the rank `text` as in the font, or slightly changed."""
    if text == "J" and rng.random() < 0.35:
        mask = barred(mask, rng)
    return warped(mask, rng) if rng.random() < 0.5 else mask


THINNER, THICKER, HEAVY = 0.09, 0.21, 0.15
"""Fractions of the ranks with thinner strokes, with thicker ones, and with strokes as thick as their shape allows."""


def printed(font: Path, text: str, rng: np.random.Generator) -> Image:
    """Return the rank `text` as decks print it: a font's letters, slightly changed, often of another weight."""
    mask = varied(letter(font, text), text, rng)
    kind = rng.random()
    if kind > THINNER + THICKER + HEAVY:
        return mask
    kernel = np.ones((rng.integers(2, 6), rng.integers(2, 6)), np.uint8)
    if kind < THINNER:
        return np.asarray(cv2.erode(mask, kernel[:3, :3]), np.uint8)
    if kind < THINNER + THICKER:
        return np.asarray(cv2.dilate(mask, kernel), np.uint8)
    return heavy(mask, rng)


def heavy(mask: Image, rng: np.random.Generator) -> Image:
    """Return the mask with strokes thicker by up to a sixth of its height, but without closing a gap in its shape."""
    room = max(mask.shape) // 4
    wide = cv2.copyMakeBorder(mask, room, room, room, room, cv2.BORDER_CONSTANT)
    shape = cv2.MORPH_ELLIPSE if rng.random() < 0.5 else cv2.MORPH_RECT
    for size in range(round(mask.shape[0] * rng.uniform(0.06, 0.17)), 1, -1):
        thick = cv2.dilate(wide, cv2.getStructuringElement(shape, (size, size)))
        wider = cv2.dilate(thick, np.ones((3, 3), np.uint8))  # gaps of a pixel are not left either
        if _regions(thick) == _regions(wider) == _regions(wide):
            return trim(np.asarray(thick, np.uint8))
    return mask


def _regions(mask: npt.NDArray[Any]) -> int:
    """Return the number of areas without ink: one more than the shape has holes."""
    return int(cv2.connectedComponents((mask < 128).astype(np.uint8), connectivity=4)[0])


TYPESET = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "J", "Q", "K")
"""Ranks of typeset indices: jacks twice, because they have three letters, one of which, B, resembles an 8."""
FOUR_COLOURED = 0.2
"""Fraction of the cards of clubs, diamonds and spades that have a colour of their own."""
FOUR_INKS = {"D": ((110, 20, 0), (255, 150, 80)), "C": ((0, 70, 0), (90, 180, 80)), "S": ((60, 20, 0), (160, 90, 60))}
"""Least and most blue, green and red of four-coloured decks: blue diamonds, green clubs, sometimes blue spades."""


def any_ink(suit: str, rng: np.random.Generator) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return a colour, BGR, for a suit: usually red or black, sometimes one of four colours."""
    if rng.random() < FOUR_COLOURED and suit in FOUR_INKS:
        low, high = FOUR_INKS[suit]
        return rng.uniform(low, high)
    if suit in "HD":
        return np.array([rng.uniform(10, 75), rng.uniform(5, 70), rng.uniform(150, 245)])
    return np.full(3, rng.uniform(0, 70)) + rng.uniform(0, 15, 3)


def stamp(card: Image, mask: Image, x: float, y: float, width: float, height: float, ink: object) -> None:
    """Print `mask` at (x, y) with the given size, pixels of the canvas.

    `ink`: one colour, BGR, or that of each pixel of the mask, (H, W, 3).
    """
    size = (max(3, round(width)), max(3, round(height)))
    small = cv2.resize(mask, size, interpolation=cv2.INTER_AREA)
    colour = np.asarray(ink, np.float32)
    if colour.ndim == 3:
        colour = np.asarray(cv2.resize(colour, size, interpolation=cv2.INTER_AREA), np.float32)
    left, top = max(0, round(x)), max(0, round(y))
    part = card[top : top + size[1], left : left + size[0]]
    alpha = small[: part.shape[0], : part.shape[1], None].astype(np.float32) / 255
    colour = colour[: part.shape[0], : part.shape[1]] if colour.ndim == 3 else colour
    part[:] = (part * (1 - alpha) + colour * alpha).astype(np.uint8)
