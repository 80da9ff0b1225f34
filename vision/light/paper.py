"""Cards and marks as they are seen from above, and whether a card shows white paper."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.light.measures import rectified
from vision.light.settings import DEFAULTS, LightSettings
from vision.percentiles import percentiles
from vision.table.homography import Homography

PX_PER_MM: Final = 1.0
"""Scale at which light is measured, so that pixels are mm²; blur needs `measures.PX_PER_MM`."""
Corners = npt.ArrayLike
"""(4, 2) mm on the mat, clockwise from the top left of a card or mark."""
Seen = tuple[npt.NDArray[np.float64], Image]
"""The corners of a card or mark, (4, 2) mm on the mat, and its picture from above at 1 pixel per mm."""


def seen_from_above(image: Image, homography: Homography, places: Iterable[Corners]) -> list[Seen]:
    """Return the cards or marks at these places that lie in the picture as a whole, seen from above."""
    outlines = [np.asarray(each, np.float64) for each in places]
    pictures = [rectified(image, homography, each, PX_PER_MM) for each in outlines]
    return [(each, picture) for each, picture in zip(outlines, pictures, strict=True) if picture is not None]


def white_of(picture: Image, settings: LightSettings = DEFAULTS) -> list[float]:
    """Return the white of a card or mark in each of its three colours."""
    return [percentiles(picture[..., k], settings.white_percentile)[0] for k in range(3)]


def is_paper(picture: Image, paper: npt.NDArray[np.float64], settings: LightSettings = DEFAULTS) -> bool:
    """Return whether a card that was not read shows mostly white paper. `paper`: the colour of white, (3,)."""
    return bool((np.median(picture.reshape(-1, 3), axis=0) >= settings.paper * paper).all())
