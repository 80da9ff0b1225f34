"""Render drawings as pictures."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np

from cardtable.printing.shapes import WHITE, Colour, Shape
from vision.frames import Image

_FRACTION_BITS = 8


def picture(
    drawing: Iterable[Shape], width_mm: float, height_mm: float, px_per_mm: float, paper: Colour = WHITE
) -> Image:
    """Return the drawing as a picture: (height, width, 3) uint8 BGR, antialiased. `paper`: the background colour.

    It is rendered larger and reduced, so that edges are exact to less than a pixel.
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
