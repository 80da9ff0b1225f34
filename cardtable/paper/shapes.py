"""Drawings in millimetres, from which pictures and PDF pages are made.

A drawing is a sequence of shapes; later shapes cover earlier ones. The origin is at the top left, x points right, y
down. `picture` renders a drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import cos, pi, sin
from typing import Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""
Ring = npt.NDArray[np.float64]
"""A closed polygon: (N, 2), mm."""

BLACK: Final[Colour] = (17, 17, 17)
INK: Final[Colour] = (0, 0, 0)
WHITE: Final[Colour] = (255, 255, 255)
RED: Final[Colour] = (200, 16, 36)
GREY: Final[Colour] = (128, 128, 128)


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Closed polygons of one colour: filled (even-odd rule), or outlined with lines `line` mm wide."""

    rings: tuple[Ring, ...]
    colour: Colour
    line: float | None = None

    def moved(self, dx: float, dy: float) -> Shape:
        """Return the shape shifted by (dx, dy) mm."""
        return Shape(tuple(ring + np.array([dx, dy]) for ring in self.rings), self.colour, self.line)

    def turned(self, degrees: float, x: float, y: float) -> Shape:
        """Return the shape turned clockwise by `degrees` about the point (x, y)."""
        angle = degrees * pi / 180
        turn = np.array([[cos(angle), sin(angle)], [-sin(angle), cos(angle)]])
        return Shape(tuple((ring - (x, y)) @ turn + (x, y) for ring in self.rings), self.colour, self.line)


Drawing = tuple[Shape, ...]


def moved(drawing: Iterable[Shape], dx: float, dy: float) -> Drawing:
    """Return the drawing shifted by (dx, dy) mm."""
    return tuple(shape.moved(dx, dy) for shape in drawing)


def turned(drawing: Iterable[Shape], degrees: float, x: float, y: float) -> Drawing:
    """Return the drawing turned clockwise by `degrees` about the point (x, y)."""
    return tuple(shape.turned(degrees, x, y) for shape in drawing)


def box(x: float, y: float, width: float, height: float, colour: Colour, line: float | None = None) -> Shape:
    """Return a rectangle with its top left corner at (x, y), mm. `line`: width of the outline; None fills it."""
    ring = np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], dtype=np.float64)
    return Shape((ring,), colour, line)


def rounded(
    x: float, y: float, width: float, height: float, radius: float, colour: Colour, line: float | None = None
) -> Shape:
    """Return a rectangle with round corners of `radius` mm."""
    quarter = np.linspace(0, pi / 2, 9)
    corner = np.stack([np.cos(quarter), np.sin(quarter)], axis=1) * radius
    left, right, top, bottom = x + radius, x + width - radius, y + radius, y + height - radius
    inner = ((left, top), (right, top), (right, bottom), (left, bottom))
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    parts = [
        (corner if sx * sy > 0 else corner[::-1]) * (sx, sy) + middle
        for (sx, sy), middle in zip(signs, inner, strict=True)
    ]
    return Shape((np.concatenate(parts),), colour, line)


def stroke(points: Sequence[tuple[float, float]], colour: Colour, line: float) -> Shape:
    """Return an open line through these points, mm."""
    return Shape((np.array([*points], dtype=np.float64),), colour, line)


def modules(dark: npt.NDArray[np.bool_], x: float, y: float, size: float) -> Shape:
    """Return a square pattern (N, N) of dark modules, `size` mm wide, with its top left corner at (x, y).

    The outlines of connected dark areas are drawn, because single modules would show hairlines between them.
    """
    large = np.kron(np.pad(dark, 1), np.ones((4, 4))).astype(np.uint8)
    found, _ = cv2.findContours(large, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    # A contour runs through the middles of pixels; the nearest multiples of 4 are the corners of modules.
    rings = (np.rint((ring[:, 0] + 0.5) / 4) - 1 for ring in found)
    return Shape(tuple(ring * (size / dark.shape[0]) + (x, y) for ring in rings), INK)


_SAMPLE = 4
"""Factor by which a glyph is drawn larger before its outline is traced."""


@cache
def _outline(text: str, weight: int) -> tuple[tuple[Ring, ...], float]:
    """Return the outlines of `text`, with capitals of height 1 and the baseline at y = 0, and its width."""
    # The zero of the font is slashed, which is unusual on playing cards.
    text = text.replace("0", "O")
    face = cv2.FontFace("sans")
    # Long texts are printed small, so that a lower resolution is enough.
    size = 240 if len(text) <= 12 else 60

    def ink(words: str) -> npt.NDArray[np.uint8]:
        area = np.zeros((2 * size, size * (len(words) + 2)), np.uint8)
        cv2.putText(area, words, (size // 2, int(1.5 * size)), (255, 255, 255), face, size, weight=weight)
        return area

    capital = np.flatnonzero(ink("H").max(axis=1) > 127)
    height = float(capital[-1] - capital[0] + 1)
    written = ink(text)
    written = written[:, : int(np.flatnonzero(written.max(axis=0))[-1]) + 3]
    big = cv2.resize(written, None, fx=_SAMPLE, fy=_SAMPLE, interpolation=cv2.INTER_CUBIC)
    found, _ = cv2.findContours((big > 127).astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    rings = [cv2.approxPolyDP(ring, 1.2, True)[:, 0].astype(np.float64) / _SAMPLE for ring in found]
    left = min(float(ring[:, 0].min()) for ring in rings)
    right = max(float(ring[:, 0].max()) for ring in rings)
    base = float(capital[-1] + 1)
    return tuple((ring - (left, base)) / height for ring in rings), (right - left) / height


def text_width(words: str, height: float, weight: int = 600) -> float:
    """Return the width in mm of `words` with capitals `height` mm high. `weight`: 100 to 900."""
    return _outline(words, weight)[1] * height


def text(
    words: str,
    x: float,
    baseline: float,
    height: float,
    colour: Colour = BLACK,
    *,
    align: Literal["left", "middle", "right"] = "left",
    weight: int = 600,
) -> Shape:
    """Return `words` as outlines, capitals `height` mm high on `baseline`, aligned at `x`. `weight`: 100 to 900."""
    rings, width = _outline(words, weight)
    start = x - {"left": 0.0, "middle": 0.5, "right": 1.0}[align] * width * height
    return Shape(tuple(ring * height + (start, baseline) for ring in rings), colour)


def _curve(*points: tuple[float, float]) -> Ring:
    """Return a closed polygon along cubic Bézier curves: the start, then three points for each curve."""
    t = np.linspace(0, 1, 17)[1:, None]
    out = [np.array([points[0]], dtype=np.float64)]
    for i in range(0, len(points) - 1, 3):
        p0, p1, p2, p3 = (np.array(p, dtype=np.float64) for p in points[i : i + 4])
        out.append((1 - t) ** 3 * p0 + 3 * (1 - t) ** 2 * t * p1 + 3 * (1 - t) * t**2 * p2 + t**3 * p3)
    return np.concatenate(out)


def _mirrored(*half: tuple[float, float]) -> Ring:
    """Complete the closed polygon of which `half` is the right half, from the top of the axis x = 0.5 to its bottom."""
    left = [(1 - x, y) for x, y in reversed(half)]
    return _curve(*half, *left[1:])


def _circle(x: float, y: float, radius: float) -> Ring:
    angle = np.linspace(0, 2 * pi, 48, endpoint=False)
    return np.stack([x + radius * np.cos(angle), y + radius * np.sin(angle)], axis=1)


_STEM = _mirrored((0.5, 0.55), (0.52, 0.8), (0.58, 0.94), (0.72, 1.0), (0.65, 1.0), (0.6, 1.0), (0.5, 1.0))
# Each symbol fills a unit square. Its rings overlap and are therefore filled one by one.
_SUITS: Final[dict[str, tuple[Ring, ...]]] = {
    "H": (_mirrored((0.5, 0.24), (0.58, 0.02), (0.98, -0.02), (0.97, 0.32), (0.96, 0.6), (0.62, 0.74), (0.5, 1.0)),),
    "D": (_mirrored((0.5, 0.0), (0.6, 0.18), (0.75, 0.37), (0.88, 0.5), (0.75, 0.63), (0.6, 0.82), (0.5, 1.0)),),
    "S": (
        _mirrored((0.5, 0.0), (0.6, 0.24), (0.97, 0.36), (0.97, 0.64), (0.97, 0.88), (0.62, 0.9), (0.5, 0.68)),
        _STEM,
    ),
    "C": (
        _circle(0.5, 0.235, 0.225),
        _circle(0.255, 0.59, 0.225),
        _circle(0.745, 0.59, 0.225),
        _STEM,
        np.array([(0.44, 0.3), (0.56, 0.3), (0.62, 0.66), (0.38, 0.66)]),
    ),
}


def suit(letter: str, x: float, y: float, size: float, colour: Colour) -> Drawing:
    """Return the symbol of a suit (`S`, `H`, `D`, `C`), `size` mm high, with its centre at (x, y)."""
    return tuple(Shape((ring * size + (x - size / 2, y - size / 2),), colour) for ring in _SUITS[letter])


_FRACTION_BITS = 8


def picture(
    drawing: Iterable[Shape], width_mm: float, height_mm: float, px_per_mm: float, paper: Colour = WHITE
) -> Image:
    """Render the drawing on `paper`: (height, width, 3) uint8 BGR, antialiased.

    The picture is rendered larger and reduced, so that edges are exact to less than a pixel.
    """
    width, height = round(width_mm * px_per_mm), round(height_mm * px_per_mm)
    larger = 4 if width * height < 150_000 else 2
    area = np.full((height * larger, width * larger, 3), paper[::-1], np.uint8)
    scale = np.array([width / width_mm, height / height_mm]) * larger
    for shape in drawing:
        # Pixel centres are at half units here, and at integers in OpenCV.
        rings = [np.round((ring * scale - 0.5) * 2**_FRACTION_BITS).astype(np.int32) for ring in shape.rings]
        colour = shape.colour[::-1]
        if shape.line is None:
            cv2.fillPoly(area, rings, colour, cv2.LINE_AA, _FRACTION_BITS)
        else:
            thick = max(1, round(shape.line * float(scale[0])))
            cv2.polylines(area, rings, True, colour, thick, cv2.LINE_AA, _FRACTION_BITS)
    return np.asarray(cv2.resize(area, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
