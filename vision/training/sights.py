"""What the place net learns from: batches of drawn scenes, the same for the same seed and step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.training.place_net import CHANNELS, LEAST, MOST, target
from vision.training.scenes import Clutter, Place, scene
from vision.training.whole import Pack, Sheaf

SIZE = 224
FRESH = 8
AGAIN = (5, 13)
"""Scenes of so many steps before come again, turned: drawing one takes longer than learning from it."""

Floats = npt.NDArray[np.float32]
Scenes = list[tuple[Image, list[Place]]]


class Sights:
    """Scenes made as training goes: those of a step are the same whenever it is run."""

    reach = max(AGAIN)

    def __init__(self, sheaf: Sheaf, seed: int, grounds: Sequence[Image] = (), size: int = SIZE) -> None:
        self._pack, self._clutter, self._seed, self._size = Pack(sheaf, seed), Clutter(grounds), seed, size

    def drawn(self, step: int) -> Scenes:
        """The scenes that are new at a step, and where in them indices are."""
        rng = np.random.default_rng((self._seed, 5, step))
        heights = (0.85 * LEAST, 1.15 * MOST)
        return [scene(self._pack, self._clutter, self._size, heights, rng, step) for _ in range(FRESH)]

    def together(self, step: int, drawn: Callable[[int], Scenes]) -> tuple[Floats, Floats, Floats]:
        """Pictures (N, 3, size, size), maps (N, 6, size / 4, size / 4) and weights (N, 2, …) of a step."""
        scenes = list(drawn(step))
        rng = np.random.default_rng((self._seed, 6, step))
        for back in AGAIN:
            if step >= back:
                scenes += [turned(*one, int(rng.integers(4))) for one in drawn(step - back)]
        cells = self._size // 4
        pictures = np.empty((len(scenes), 3, self._size, self._size), np.float32)
        maps = np.empty((len(scenes), CHANNELS, cells, cells), np.float32)
        weights = np.empty((len(scenes), 2, cells, cells), np.float32)
        for k, (picture, places) in enumerate(scenes):
            light = rng.uniform(0.8, 1.25)
            pictures[k] = np.clip(picture.astype(np.float32) * (light / 127.5) - 1, -1, 1).transpose(2, 0, 1)
            maps[k], weights[k] = target(places, self._size)
        return pictures, maps, weights


def turned(picture: Image, places: list[Place], quarters: int) -> tuple[Image, list[Place]]:
    """The scene turned by quarters against the clock."""
    for _ in range(quarters):
        last = picture.shape[1] - 1
        picture = np.ascontiguousarray(np.rot90(picture))
        places = [
            Place(p.y, last - p.x, p.down_y, -p.down_x, p.visible, p.rank, p.suit) for p in places
        ]  # fmt: skip
    return picture, places
