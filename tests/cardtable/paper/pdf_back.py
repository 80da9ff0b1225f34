"""Render a PDF page as a picture: the paths of our pages, at their true place and size. It supports only closed paths
of straight lines, filled by the even-odd rule or stroked.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from pypdf import PdfReader

from vision.frames import Image

MM_PER_POINT = 25.4 / 72
Rings = list[npt.NDArray[np.float64]]


class PrintedPage:
    """A page: `size_mm`; `fills` and `strokes`, in the order painted, in mm from the top left."""

    def __init__(self, reader: PdfReader, number: int) -> None:
        page = reader.pages[number]
        self.size_mm = (float(page.mediabox.width) * MM_PER_POINT, float(page.mediabox.height) * MM_PER_POINT)
        assert page.get("/UserUnit", 1) == 1 and page.rotation == 0
        self.painted: list[tuple[bool, tuple[float, ...], Rings]] = []
        content = page.get_contents()
        assert content is not None
        self._read(content.get_data())

    def _read(self, content: bytes) -> None:
        matrix = np.eye(3)
        kept: list[tuple[npt.NDArray[np.float64], tuple[float, ...], tuple[float, ...]]] = []
        fill: tuple[float, ...] = (0.0,)
        line: tuple[float, ...] = (0.0,)
        rings: list[list[float]] = []
        numbers: list[float] = []
        for token in content.split():
            if token[:1] in b"-.0123456789":
                numbers.append(float(token))
                continue
            match token:
                case b"q":
                    kept.append((matrix, fill, line))
                case b"Q":
                    matrix, fill, line = kept.pop()
                case b"cm":
                    a, b, c, d, e, f = numbers
                    matrix = np.array([[a, b, 0], [c, d, 0], [e, f, 1]]) @ matrix
                case b"rg" | b"g":
                    fill = tuple(numbers)
                case b"RG" | b"G":
                    line = tuple(numbers)
                case b"m":
                    rings.append(numbers)
                case b"l":
                    rings[-1] += numbers
                case b"f*" | b"S" | b"s":
                    self._paint(token == b"f*", fill if token == b"f*" else line, rings, matrix)
                    rings = []
                case b"h" | b"n" | b"w" | b"gs" | b"J" | b"j" | b"M" | b"d" | b"[]":
                    pass
                case _:
                    assert token.startswith(b"/"), f"our pages have no {token!r}"
            numbers = []

    def _paint(
        self, filled: bool, colour: tuple[float, ...], rings: list[list[float]], matrix: npt.NDArray[np.float64]
    ) -> None:
        points = [np.reshape(ring, (-1, 2)) for ring in rings]
        mapped = [np.column_stack([p, np.ones(len(p))]) @ matrix * MM_PER_POINT for p in points]
        self.painted.append((filled, colour, [np.stack([p[:, 0], self.size_mm[1] - p[:, 1]], axis=1) for p in mapped]))

    def picture(self, px_per_mm: float) -> Image:
        """The page as it would be printed: (height, width, 3) uint8 BGR."""
        fine = 2
        scale = px_per_mm * fine
        width, height = (round(side * scale) for side in self.size_mm)
        image = np.full((height, width, 3), 255, np.uint8)
        for filled, colour, rings in self.painted:
            red, green, blue = (round(part * 255) for part in (colour if len(colour) == 3 else colour * 3))
            points = [np.round((ring * scale - 0.5) * 256).astype(np.int32) for ring in rings]
            if filled:
                cv2.fillPoly(image, points, (blue, green, red), cv2.LINE_AA, 8)
            else:
                cv2.polylines(image, points, True, (blue, green, red), 1, cv2.LINE_AA, 8)
        return np.asarray(cv2.resize(image, None, fx=1 / fine, fy=1 / fine, interpolation=cv2.INTER_AREA), np.uint8)


def printed(path: Path) -> list[PrintedPage]:
    """All pages of a PDF file."""
    reader = PdfReader(path)
    return [PrintedPage(reader, number) for number in range(len(reader.pages))]
