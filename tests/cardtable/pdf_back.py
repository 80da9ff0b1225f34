"""Reads a PDF page back into a picture: the paths that our pages are made of, at their true place and size.

It knows only what is needed: closed paths of straight lines, filled by the even-odd rule or stroked.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from pypdf import PdfReader
from pypdf.generic import ContentStream

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
        self._read(ContentStream(page.get_contents(), reader))

    def _read(self, content: ContentStream) -> None:
        matrix = np.eye(3)
        kept: list[tuple[npt.NDArray[np.float64], tuple[float, ...], tuple[float, ...]]] = []
        fill, line = (0.0,), (0.0,)
        rings: list[list[tuple[float, float]]] = []
        for operands, operator in content.operations:
            numbers = [float(value) for value in operands if isinstance(value, int | float)]
            match operator:
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
                    rings.append([(numbers[0], numbers[1])])
                case b"l":
                    rings[-1].append((numbers[0], numbers[1]))
                case b"f*" | b"S" | b"s":
                    points = [np.column_stack([np.array(ring), np.ones(len(ring))]) @ matrix for ring in rings]
                    height = self.size_mm[1]
                    mm = [np.stack([p[:, 0] * MM_PER_POINT, height - p[:, 1] * MM_PER_POINT], axis=1) for p in points]
                    self.painted.append((operator == b"f*", fill if operator == b"f*" else line, mm))
                    rings = []
                case b"h" | b"n" | b"w" | b"gs" | b"J" | b"j" | b"M" | b"d" | b"BT" | b"ET" | b"Tf":
                    pass
                case _:
                    raise AssertionError(f"our pages have no {operator!r}")

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
