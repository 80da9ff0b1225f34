"""The rank and the suit of a whole card: by its indices, its pips and its picture together.

In a bad picture the index of a club looks like that of a spade, and that of a five like that of a six; or too much
light leaves nothing of it. Pips, up to ten and twice as large, do not look alike, and they can be counted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from vision.faces.crops import card_crop, net_levels
from vision.faces.fusion_settings import FusionSettings
from vision.faces.geometry import Floats, Quad
from vision.faces.onnx_session import open_net
from vision.faces.score_fusion import IS_COURT
from vision.faces.settings import DEFAULTS
from vision.frames import Image
from vision.readings import CARD_MM

CARD_MODEL: Final = "card_classifier.onnx"
CARD_PX: Final = (128, 176)
"""Width and height of the card's picture, about 2 pixels per millimetre. The net was trained with it."""
MM_PER_PX: Final = (CARD_MM[0] / CARD_PX[0], CARD_MM[1] / CARD_PX[1])
"""Scale of that picture on the card, across and down."""
_LEAST: Final = 1e-6
"""Probability that the net gives at least; below it, it is not calibrated."""


class CardClassifier:
    """The net of `card_classifier.onnx`."""

    def __init__(self, net: str | Path = CARD_MODEL, settings: FusionSettings = DEFAULTS.fusion) -> None:
        self._session = open_net(net, memory_arena=False)
        self._settings = settings

    def __call__(self, levels: list[Image], quad: Quad) -> Floats:
        """Return the logarithm of the likelihood of each card, and of no card or two, (53,), weighted.

        `levels`: an image pyramid. `quad`: the card in pixels of its first level. It is read both ways up; the mean
        counts. The cards are ordered by rank, then by suit.
        """
        card = card_crop(levels, quad, CARD_PX, MM_PER_PX)
        given = net_levels(np.stack([card, card[::-1, ::-1]]))
        rank, suit = self._session.run(["rank", "suit"], {"cards": given})
        settings = self._settings
        none = 1 - (1 - rank[:, 13]) * (1 - suit[:, 4])
        ranks, suits, nothing = (np.log(np.maximum(one, _LEAST)).mean(axis=0) for one in (rank, suit, none))
        weights = np.where(IS_COURT, settings.court_suit, settings.whole_suit)
        every = settings.whole_rank * ranks[:13, None] + weights[:, None] * suits[:4]
        likelihood = np.append(every, settings.whole_none * nothing + settings.no_card)
        return np.asarray(likelihood - likelihood.max(), np.float32)
