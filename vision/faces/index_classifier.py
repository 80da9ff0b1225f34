"""The index classifier: which rank and suit a crop shows."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from vision.faces.crops import net_levels
from vision.faces.onnx_session import open_net
from vision.frames import Image

CORNER_MODEL: Final = "index_classifier.onnx"
"""Reads the corner of an outline (`crops.corner_crop`)."""
GLYPH_MODEL: Final = "glyphs.onnx"
"""Reads an index found by the index detector (`crops.index_crop`)."""


class IndexClassifier:
    """The net of `index_classifier.onnx` or `glyphs.onnx`."""

    def __init__(self, net: str | Path = CORNER_MODEL) -> None:
        self._session = open_net(net)

    def __call__(self, crops: list[Image]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return rank (N, 14) and suit (N, 5) probabilities of N crops, each (80, 48, 3) uint8 BGR.

        The classes are in the order of `engine.cards.RANKS` and `SUITS`; the last of each is "no index".
        """
        if not crops:
            return np.zeros((0, 14), np.float32), np.zeros((0, 5), np.float32)
        batch = net_levels(np.stack(crops))
        rank, suit = self._session.run(["rank", "suit"], {"crops": batch})
        return np.asarray(rank, np.float32), np.asarray(suit, np.float32)
