"""What a whole card shows besides its indices: its pips, and what a net reads that sees all of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vision.faces.card_classifier import CARD_MODEL, CardClassifier
from vision.faces.fusion_settings import FusionSettings
from vision.faces.geometry import Floats, Quad
from vision.faces.score_fusion import NO_EVIDENCE
from vision.faces.settings import DEFAULTS
from vision.faces.suit_finder import SuitFinder
from vision.frames import Image


class WholeCardReader:
    """Reads outlined cards whose indices alone are not sure. `counts_pips`: whether the pips have French suits."""

    def __init__(
        self, settings: FusionSettings = DEFAULTS.fusion, model: str | Path = CARD_MODEL, *, counts_pips: bool = True
    ) -> None:
        self._pips = SuitFinder(settings=settings) if counts_pips else None
        self._card = CardClassifier(model, settings)

    def __call__(self, levels: list[Image], quad: Quad, rank: str, at_table: bool = False) -> Floats:
        """Return the logarithm of the likelihood of each card, and of no card or two, (53,).

        `levels`: an image pyramid. `quad`: the card in pixels of its first level. `rank`: what its index seems to show.
        `at_table`: where cards lie on others only the pips count.
        """
        pips = NO_EVIDENCE if self._pips is None else self._pips(levels, quad, rank)
        return pips if at_table else np.asarray(pips + self._card(levels, quad), np.float32)
