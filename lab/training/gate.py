"""The gate of the index detector: a small net that says where the detector has to look, in a picture of half the size.

It learns from the detector itself where that finds anything in drawn scenes and in parts of photographs, whether it is
an index or not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np
from torch import Tensor, nn
from torch.nn import functional

from lab.training.blocks import block
from lab.training.detector_scenes import SIZE, DetectorScenes, Floats
from lab.training.drawn_cards import DeckArtwork
from lab.training.eight_bits import GREY
from vision.faces.detector_gate import grey_levels
from vision.faces.onnx_session import open_net
from vision.faces.pyramid import halved
from vision.frames import Image

BATCH = 32
"""Scenes and parts of photographs in a batch."""
NEW_EVERY, REPEATED = 8, 400
"""They are new at every eighth step, and are repeated, rotated, for `REPEATED` steps."""
LEAST = 0.1
"""Score of the detector from which a place must be looked at; lower than the scores that count in the reader."""
OCTAVES = (-1.0, 2.0)
"""Binary logarithm of the side of a part of a photograph, relative to that of a scene: least and largest."""
MISSED = 30.0
"""Weight of a place of which the detector is certain, relative to an empty one: a missed index is lost."""

Taught = list[tuple[Floats, Floats]]


class GateNet(nn.Module):
    """From (N, 3, H, W) float32, -1 to 1, sides divisible by 8, to logits (N, 1, H / 4, W / 4); 61,000 weights.

    Two convolutions at the end see the surroundings of a cell: 47 pixels of the picture, nearly three times the height
    of the largest index.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(block(3, 16, 2), block(16, 32, 2), block(32, 48, 2), block(48, 48), block(48, 48))
        self.head = nn.Conv2d(48, 4, 1)

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the logits."""
        return functional.pixel_shuffle(self.head(self.body(pictures)), 2)


class GateScenes:
    """The scenes of `DetectorScenes` in half their size, and what the detector in the ONNX file `teacher` finds.

    As many parts of `photographs` come with them, which need no labels, because the detector says what they show. New
    scenes are drawn only for every eighth step, because drawing takes longer than training.
    """

    lookback = REPEATED

    def __init__(
        self,
        artwork: DeckArtwork,
        seed: int,
        backgrounds: Sequence[Image],
        teacher: str | Path,
        photographs: Sequence[Image] = (),
    ) -> None:
        self._scenes = DetectorScenes(artwork, seed, backgrounds)
        self._photographs = photographs
        self._teacher = open_net(teacher)
        self._seed = seed

    def draw(self, step: int) -> Taught:
        """Return the pictures (112, 112, 3) that are new at a step, and the detector's scores there, (28, 28)."""
        if step % NEW_EVERY:
            return []
        scenes = [picture for picture, _ in self._scenes.draw(step)]
        rng = np.random.default_rng((self._seed, 9, step))
        parts = [any_part(self._photographs, rng) for _ in scenes] if self._photographs else []
        return [self._taught(picture) for picture in scenes + parts]

    def batch(self, step: int, drawn: Callable[[int], Taught]) -> tuple[Floats, Floats]:
        """Return pictures (N, 3, 112, 112) and the detector's highest score in each of their cells, (N, 1, 28, 28)."""
        rng = np.random.default_rng((self._seed, 7, step))
        pool = [sample for old in range(max(step - REPEATED, 0), step + 1) for sample in drawn(old)]
        pictures, scores = [], []
        for k in rng.integers(len(pool), size=BATCH).tolist():
            turns, light = int(rng.integers(4)), float(rng.uniform(0.8, 1.25))
            picture, score = (np.rot90(part, turns) for part in pool[k])
            pictures.append(np.clip((picture + 1) * light - 1, -1, 1).transpose(2, 0, 1))
            scores.append(score[None])
        return np.asarray(np.stack(pictures), np.float32), np.asarray(np.stack(scores), np.float32)

    def _taught(self, picture: Image) -> tuple[Floats, Floats]:
        heat = self._teacher.run(["places"], {"picture": grey_levels(picture)})[0][0, 0]
        score = heat.reshape(heat.shape[0] // 2, 2, heat.shape[1] // 2, 2).max(axis=(1, 3))
        return np.asarray(halved(picture) / GREY - 1, np.float32), np.asarray(score, np.float32)


def any_part(photographs: Sequence[Image], rng: np.random.Generator) -> Image:
    """Return a square part of any of the photographs, (224, 224, 3) uint8 BGR, at a random scale.

    It is as large as the photograph's shorter side at most.
    """
    photograph = photographs[int(rng.integers(len(photographs)))]
    shorter = min(photograph.shape[:2])
    side = min(int(SIZE * np.exp2(rng.uniform(*OCTAVES))), shorter)
    top, left = (int(rng.integers(whole - side + 1)) for whole in photograph.shape[:2])
    part = photograph[top : top + side, left : left + side]
    way = cv2.INTER_AREA if side > SIZE else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, (SIZE, SIZE), interpolation=way), np.uint8)


def loss(found: Tensor, score: Tensor) -> Tensor:
    """Return the weighted cross-entropy of the cells. `score`: of the detector there, 0 to 1."""
    wanted = (score >= LEAST).float()
    weight = 1 + wanted * score.sqrt() * (MISSED - 1)
    cross = functional.binary_cross_entropy_with_logits(found, wanted, weight=weight, reduction="sum")
    return cross / weight.sum()
