"""The suit of a whole card by its pips, which are larger than the suit of its index.

In a blurred picture the index of a club looks like that of a spade; its pips, up to ten and twice as large, do not.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.faces.crops import BRIGHTEST, DARKEST_PAPER, GAIN, MIDDLE, PAPER_PERCENTILE, card_homography
from vision.faces.geometry import Floats, Quad
from vision.faces.onnx_session import open_session
from vision.faces.pyramid import level_for, to_level
from vision.faces.score_fusion import Verdict
from vision.faces.settings import DEFAULTS, FusionSettings, PyramidSettings
from vision.frames import Image
from vision.readings import CARD_MM

SUIT_MODEL = Path(__file__).with_name("suit_finder.onnx")
PX_PER_MM: Final = 2.5
"""Scale of the card's picture. The net was trained with it, with `CARD_PX`, and with the brightness of `crops`."""
CARD_PX: Final = (160, 220)
"""Width and height of the card's picture."""
_CELL_MM: Final = 1.6
"""Side of one cell of the net's output on the card: 4 pixels of the picture."""


def card_picture(levels: list[Image], quad: Quad, settings: PyramidSettings = DEFAULTS.pyramid) -> Image:
    """Return the card in `quad` (pixels of the first level), upright: (220, 160, 3) uint8 BGR."""
    side = float(np.linalg.norm(quad[0] - quad[3]) + np.linalg.norm(quad[1] - quad[2])) / 2
    level = level_for(levels, side / CARD_MM[1] / PX_PER_MM, settings)
    matrix = card_homography(to_level(quad, level)) @ np.diag([1 / PX_PER_MM, 1 / PX_PER_MM, 1.0])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    card = cv2.warpPerspective(levels[level], matrix, CARD_PX, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(card, np.uint8)


def paper_relative(card: Image) -> Floats:
    """Return the net's input, (220, 160) float32: the darkest channel of each pixel, relative to the paper."""
    paper = np.percentile(card.reshape(-1, 3), PAPER_PERCENTILE, axis=0)
    relative = card / np.maximum(paper, DARKEST_PAPER).astype(np.float32)
    return np.asarray((np.minimum(relative.min(axis=2), BRIGHTEST) - MIDDLE) * GAIN, np.float32)


class SuitFinder:
    """The net of `suit_finder.onnx`, run on one thread."""

    def __init__(self, path: Path = SUIT_MODEL, settings: FusionSettings = DEFAULTS.fusion) -> None:
        self._session = open_session(path, memory_arena=False)
        self._settings = settings

    def if_unsure(self, levels: list[Image], quad: Quad, verdict: Verdict) -> Floats | None:
        """Return what the pips say of each suit if the index alone is not sure, `verdict`; None if nothing.

        Court cards are left out: their pips are few, and their pictures have shapes like pips.
        """
        least, most = self._settings.unsure
        rank = verdict.card.rank
        if rank in ("J", "Q", "K") or not least <= verdict.confidence < most:
            return None
        return self(levels, quad, 1 if rank == "A" else int(rank))

    def __call__(self, levels: list[Image], quad: Quad, count: int) -> Floats | None:
        """Return the logarithm of the likelihood of each suit, (4,), from the card's pips.

        `levels`: an image pyramid. `quad`: the card in pixels of its first level. `count`: how many pips it should
        have. Returns None if less than the share `pips_seen` of them is found, as on a card that is covered or has a
        picture.
        """
        settings = self._settings
        given = paper_relative(card_picture(levels, quad))[None, None]
        (answer,) = self._session.run(["suits"], {"cards": given})
        chance = np.asarray(answer[0], np.float32)
        pip = 1 - chance[4]
        peak = (pip > settings.least_pip) & (pip >= cv2.dilate(pip, np.ones((settings.pip_window,) * 2, np.uint8)))
        rows, columns = np.nonzero(peak)
        place = (np.stack([columns, rows], axis=1) + 0.5) * _CELL_MM
        if count == 1:  # the ornaments of an ace are not pips
            own = np.hypot(*(place - np.array(CARD_MM) / 2).T) < settings.ace_mm
        else:
            own = ~(np.minimum(place, np.array(CARD_MM) - place) < settings.index_corner_mm).all(axis=1)
        if own.sum() < max(settings.pips_seen * count, 1):
            return None
        shown = np.maximum(chance[:4, rows[own], columns[own]], settings.least_probability)
        logarithm = np.log(shown / shown.sum(axis=0)).sum(axis=1) / np.sqrt(own.sum())
        return np.asarray(settings.pip_weight * (logarithm - logarithm.max()), np.float32)
