"""The suit and the rank of a whole card by its pips, which are larger than its index.

In a blurred picture the index of a club looks like that of a spade, and that of a five like that of a six; its pips, up
to ten and twice as large, do not, and they can be counted.
"""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import COURT_RANKS
from vision.faces.crops import card_crop, paper_levels, paper_tables
from vision.faces.fusion_settings import FusionSettings
from vision.faces.geometry import Floats, Quad, dimensions
from vision.faces.onnx_session import open_net
from vision.faces.pip_colours import CELL, suits_by_colour
from vision.faces.score_fusion import IS_COURT
from vision.faces.settings import DEFAULTS
from vision.frames import Image
from vision.readings import CARD_MM

SUIT_MODEL: Final = "suit_finder.onnx"
PX_PER_MM: Final = 2.5
"""Scale of the card's picture. The net was trained with it, with `CARD_PX`, and with the brightness of `crops`."""
CARD_PX: Final = (160, 220)
"""Width and height of the card's picture."""
MM_PER_PX: Final = (1 / PX_PER_MM, 1 / PX_PER_MM)
"""Scale of that picture on the card, across and down."""
_CELL_MM: Final = CELL / PX_PER_MM
"""Side of one cell of the net's output on the card."""


def paper_relative(card: Image) -> Image:
    """Return the net's input, (220, 160) uint8: the darkest channel of each pixel; the paper is `crops.PAPER`."""
    table = paper_tables(np.array(paper_levels(card)))
    return np.asarray(reduce(np.minimum, cv2.split(cv2.LUT(card, table[None]))), np.uint8)


class SuitFinder:
    """The net of `suit_finder.onnx`."""

    def __init__(self, net: str | Path = SUIT_MODEL, settings: FusionSettings = DEFAULTS.fusion) -> None:
        self._session = open_net(net, memory_arena=False)
        self._settings = settings

    def __call__(self, levels: list[Image], quad: Quad, rank: str) -> Floats:
        """Return the logarithm of the likelihood of each card, and of no card or two, (53,), from the pips.

        `levels`: an image pyramid. `quad`: the card in pixels of its first level. `rank`: what its index seems to show.
        """
        card = card_crop(levels, quad, CARD_PX, MM_PER_PX)
        (answer,) = self._session.run(["suits"], {"cards": paper_relative(card)[None, None]})
        chance = np.asarray(answer[0], np.float32)
        is_small = dimensions(quad)[1] / CARD_MM[1] < self._settings.small_px_per_mm
        suits, ranks = self._suits(chance, rank, card if is_small else None), self._ranks(chance, rank)
        likelihood = np.repeat(ranks[:13, None], 4, axis=1)
        if suits is not None:  # what looks like pips on a court card whose index was misread is part of its picture
            likelihood[~IS_COURT] += suits
        return np.asarray(np.append(likelihood, ranks[13]), np.float32)

    def _peaks(self, chance: Floats, least: float) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats]:
        """Return the cells where a pip has its middle: rows, columns, and (N, 2) millimetres on the card."""
        pip = 1 - chance[4]
        peak = (pip > least) & (pip >= cv2.dilate(pip, np.ones((self._settings.pip_window,) * 2, np.uint8)))
        rows, columns = np.nonzero(peak)
        return rows, columns, np.asarray((np.stack([columns, rows], axis=1) + 0.5) * _CELL_MM, np.float32)

    def _suits(self, chance: Floats, rank: str, card: Image | None) -> Floats | None:
        """Return the logarithm of the likelihood of each suit, (4,).

        It is from the shape of the pips and, with `card`, the card's picture, from their colour as well.
        None if less than the share `pips_seen` of the pips of `rank` is found, as on a card that is covered, and for
        court cards: their pips are few, and their pictures have shapes like pips.
        """
        settings = self._settings
        if rank in COURT_RANKS:
            return None
        rows, columns, place = self._peaks(chance, settings.least_pip)
        if rank == "A":  # the ornaments of an ace are not pips
            own = np.hypot(*(place - np.array(CARD_MM) / 2).T) < settings.ace_mm
        else:
            own = ~(np.minimum(place, np.array(CARD_MM) - place) < settings.index_corner_mm).all(axis=1)
        count = 1 if rank == "A" else int(rank)
        if own.sum() < max(settings.pips_seen * count, 1):
            return None
        shown = np.maximum(chance[:4, rows[own], columns[own]], settings.least_probability)
        logarithm = np.log(shown / shown.sum(axis=0)).sum(axis=1) / np.sqrt(own.sum())
        logarithm = settings.pip_weight * logarithm
        if card is not None:
            logarithm = logarithm + suits_by_colour(card, rows[own], columns[own], settings)
        return np.asarray(logarithm - logarithm.max(), np.float32)

    def _ranks(self, chance: Floats, rank: str) -> Floats:
        """Return the logarithm of the likelihood of each rank, and of no card or two, (14,), from the number of pips.

        Those near the long edges belong to the indices, which are that large in jumbo decks.
        """
        settings = self._settings
        rows, columns, place = self._peaks(chance, settings.least_counted)
        inside = np.minimum(place[:, 0], CARD_MM[0] - place[:, 0]) > settings.index_column_mm
        kept: list[Floats] = []
        for k in np.argsort(chance[4, rows, columns], kind="stable"):
            if inside[k] and all(np.hypot(*(place[k] - one)) > settings.pip_distance_mm for one in kept):
                kept.append(place[k])
        count = len(kept)
        courts = settings.pips_on_courts
        away = np.abs(np.arange(1, 11) - count)
        numbers = np.select([away == 0, away == 1], settings.counted[:2], settings.counted[2])
        court = courts[min(count, len(courts) - 1)]
        # The pips of a court card do not confirm it: they are like those of two cards in one outline.
        none = settings.counted_on_none if count and rank not in COURT_RANKS else court
        likelihood = np.concatenate([numbers, [court] * 3, [none]])
        return np.asarray(np.log(likelihood / likelihood.max()), np.float32)
