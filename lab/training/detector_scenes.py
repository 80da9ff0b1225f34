"""Training data of the index detector: batches of drawn scenes, the same for the same seed and step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from lab.training.detector_net import CHANNELS, MAX_HEIGHT, MIN_HEIGHT, target
from lab.training.drawn_cards import CardPool, DeckArtwork
from lab.training.eight_bits import GREY
from lab.training.scenes import Backgrounds, DrawnIndex, scene
from vision.frames import Image

SIZE = 224
"""Width and height of a scene, pixels."""
NEW_SCENES = 8
"""Scenes drawn for a step."""
HARD_SHARE = 0.12
"""Fraction of the scenes with a hardship (`hardships`)."""
REPEAT_AFTER = (5, 13)
"""Steps after which scenes are repeated, rotated: drawing one takes longer than training on it."""

Floats = npt.NDArray[np.float32]
Scenes = list[tuple[Image, list[DrawnIndex]]]


class DetectorScenes:
    """Scenes drawn during training; they depend on the seed and the step only."""

    lookback = max(REPEAT_AFTER)

    def __init__(self, artwork: DeckArtwork, seed: int, backgrounds: Sequence[Image] = (), size: int = SIZE) -> None:
        self._cards, self._backgrounds = CardPool(artwork, seed), Backgrounds(backgrounds)
        self._seed, self._size = seed, size

    def draw(self, step: int) -> Scenes:
        """Return the scenes that are new at a step, with the indices in them."""
        rng = np.random.default_rng((self._seed, 5, step))
        heights = (0.85 * MIN_HEIGHT, 1.15 * MAX_HEIGHT)
        drawing = self._cards, self._backgrounds, self._size, heights, rng, step, HARD_SHARE
        return [scene(*drawing) for _ in range(NEW_SCENES)]

    def batch(self, step: int, drawn: Callable[[int], Scenes]) -> tuple[Floats, Floats, Floats]:
        """Return pictures (N, 3, size, size), outputs (N, 6, size / 4, size / 4) and weights (N, 2, …) of a step."""
        scenes = list(drawn(step))
        rng = np.random.default_rng((self._seed, 6, step))
        for back in REPEAT_AFTER:
            if step >= back:
                scenes += [rotated(*scene, int(rng.integers(4))) for scene in drawn(step - back)]
        cells = self._size // 4
        pictures = np.empty((len(scenes), 3, self._size, self._size), np.float32)
        maps = np.empty((len(scenes), CHANNELS, cells, cells), np.float32)
        weights = np.empty((len(scenes), 2, cells, cells), np.float32)
        for k, (picture, places) in enumerate(scenes):
            light = rng.uniform(0.8, 1.25)
            pictures[k] = np.clip(picture.astype(np.float32) * (light / GREY) - 1, -1, 1).transpose(2, 0, 1)
            maps[k], weights[k] = target(places, self._size)
        return pictures, maps, weights


def rotated(picture: Image, places: list[DrawnIndex], quarters: int) -> tuple[Image, list[DrawnIndex]]:
    """Return the scene rotated counterclockwise by quarter turns."""
    for _ in range(quarters):
        last = picture.shape[1] - 1
        picture = np.ascontiguousarray(np.rot90(picture))
        places = [
            DrawnIndex(p.y, last - p.x, p.down_y, -p.down_x, p.visible, p.rank, p.suit) for p in places
        ]  # fmt: skip
    return picture, places
