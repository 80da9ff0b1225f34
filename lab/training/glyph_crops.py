"""Training data of the glyph classifier: indices in drawn scenes and photographs, and places that resemble an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.cards import RANKS
from lab.training.corner_crops import Batch
from lab.training.drawn_cards import CardPool, DeckArtwork
from lab.training.photo_indices import PhotoIndex, seen_again
from lab.training.scenes import Backgrounds, DrawnIndex, scene
from vision.faces.crops import index_crop, normalized_batch
from vision.faces.index_detector import IndexDetector, IndexPose
from vision.faces.pyramid import image_pyramid
from vision.faces.settings import DEFAULTS
from vision.frames import Image

SUITS = "SHDC"
SIZE = 224
"""Width and height of a scene, pixels."""
HEIGHTS = (11.0, 64.0)
"""Least and greatest height of an index in a scene, pixels."""
NEW_CROPS = 48
"""Crops drawn for a step; as many are repeated from an earlier one."""
REPEAT_AFTER = 7
"""Steps after which crops are repeated."""
CLEAR, HIDDEN = 0.72, 0.4
"""Visible fraction from which an index has to be read, and below which it must not be."""
STRANGE_SHARE = 0.12
"""Fraction of the cards with typeset indices that have the sign of a fifth suit."""
HARD_SHARE = 0.25
"""Fraction of the scenes with a hardship (`hardships`)."""
PHOTO_SHARE = 0.25
"""Fraction of the crops that are cut from photographs, if there are any."""
MISSED_SHARE = 0.15
"""Fraction of these that show no index: a place beside one, or one in another pose."""
LEAST_SCORE = 0.15
"""Score of the detections that are cut out."""
MATCH = 0.3
"""Distance, in heights, within which a detection belongs to an index."""

Sample = tuple[Image, int, int]
NONE = (13, 4)
"""Classes of the rank and of the suit of a crop without an index."""


class GlyphCrops:
    """Crops drawn during training; they depend on the seed and the step only.

    `detector`: the ONNX file of the index detector. Its detections in the scenes are cut out as well, even those that
    the reader ignores: false ones teach most. `photographed`: indices in photographs. The crops depend on both, too.
    """

    lookback = REPEAT_AFTER

    def __init__(
        self,
        artwork: DeckArtwork,
        seed: int,
        backgrounds: Sequence[Image],
        detector: str | Path,
        photographed: Sequence[PhotoIndex] = (),
    ) -> None:
        self._cards, self._backgrounds = CardPool(artwork, seed, strange_share=STRANGE_SHARE), Backgrounds(backgrounds)
        self._seed, self._photographed = seed, photographed
        self._detect = IndexDetector(detector, replace(DEFAULTS.detector, min_score=LEAST_SCORE))

    def batch(self, step: int, drawn: Callable[[int], list[Sample]]) -> Batch:
        """Return crops (N, 3, 80, 48), ranks (N,) and suits (N,) of a step; the last class of each is "none"."""
        samples = drawn(step) + drawn(max(step - REPEAT_AFTER, 0))
        crops = normalized_batch(np.stack([crop for crop, _, _ in samples]))
        return crops, np.array([r for _, r, _ in samples], np.int64), np.array([s for _, _, s in samples], np.int64)

    def draw(self, step: int) -> list[Sample]:
        """Return the crops that are new at a step."""
        rng = np.random.default_rng((self._seed, 9, step))
        known = [self._photo_crop(rng) for _ in range(round(PHOTO_SHARE * NEW_CROPS) if self._photographed else 0)]
        count = NEW_CROPS - len(known)
        samples: list[Sample] = []
        while len(samples) < count:
            picture, places = scene(self._cards, self._backgrounds, SIZE, HEIGHTS, rng, step, HARD_SHARE)
            samples += self._cut(picture, places, rng)
        order = rng.permutation(len(samples))[:count]
        return known + [samples[k] for k in order]

    def _photo_crop(self, rng: np.random.Generator) -> Sample:
        """Return an index in a photograph; now and then a place beside it, or the index in another pose."""
        index = self._photographed[int(rng.integers(len(self._photographed)))]
        picture, pose = seen_again(index, rng)
        levels = image_pyramid(picture)
        if rng.random() < MISSED_SHARE:
            return index_crop(levels, _missed(pose, rng)), *NONE
        return index_crop(levels, _jittered(pose, rng, 0.7)), RANKS.index(index.card.rank), SUITS.index(index.card.suit)

    def _cut(self, picture: Image, places: list[DrawnIndex], rng: np.random.Generator) -> list[Sample]:
        levels = image_pyramid(picture)
        good: list[Sample] = []
        bad: list[Sample] = []
        clear = [p for p in places if p.visible >= CLEAR and p.height >= 0.9 * HEIGHTS[0]]
        for place in clear:
            good.append((index_crop(levels, _jittered(place, rng)), *_label(place)))
            if rng.random() < 0.6:
                bad.append((index_crop(levels, _missed(place, rng)), *NONE))
        for found in self._detect(levels):
            near = min(places, key=lambda p: _away(found, p), default=None)
            if near is None or _away(found, near) > 0.8 or near.visible < HIDDEN:
                bad.append((index_crop(levels, _jittered(found, rng, 0.5)), *NONE))
            elif _agrees(found, near):
                if near.visible >= CLEAR:
                    good.append((index_crop(levels, _jittered(found, rng, 0.5)), *_label(near)))
            elif _direction(found, near) < 0.2:
                bad.append((index_crop(levels, found), *NONE))
        if rng.random() < 0.4:
            height = float(np.exp(rng.uniform(np.log(12), np.log(60))))
            x, y, turn = *rng.uniform(0, SIZE, 2), rng.uniform(0, 2 * np.pi)
            anywhere = IndexPose(x, y, height * np.cos(turn), height * np.sin(turn), 0)
            if all(_away(anywhere, p) > 0.8 for p in places):
                bad.append((index_crop(levels, anywhere), *NONE))
        enough = max(2, round(0.8 * len(good)))
        return good + [bad[k] for k in rng.permutation(len(bad))[:enough]]


def _label(place: DrawnIndex) -> tuple[int, int]:
    """Return the classes of the index's rank and suit."""
    return RANKS.index(place.rank), SUITS.index(place.suit) if place.suit in SUITS else NONE[1]


def _away(found: IndexPose, place: DrawnIndex) -> float:
    """Return the distance of the middles in heights of the index."""
    return float(np.hypot(found.x - place.x, found.y - place.y)) / max(place.height, 1e-6)


def _direction(found: IndexPose, place: DrawnIndex) -> float:
    """Return the cosine of the angle between the directions down."""
    dot = found.down_x * place.down_x + found.down_y * place.down_y
    return float(dot) / max(found.height * place.height, 1e-6)


def _agrees(found: IndexPose, place: DrawnIndex) -> bool:
    ratio = found.height / max(place.height, 1e-6)
    return _away(found, place) < MATCH and _direction(found, place) > 0.9 and 0.7 < ratio < 1.4


def _jittered(place: DrawnIndex | IndexPose, rng: np.random.Generator, much: float = 1.0) -> IndexPose:
    """Return the index's pose with errors like those of the detector."""
    x, y = rng.normal(0, 0.05 * much * place.height, 2)
    return _moved(place, x, y, np.deg2rad(rng.normal(0, 5 * much)), float(np.exp(rng.normal(0, 0.09 * much))))


def _missed(place: DrawnIndex | IndexPose, rng: np.random.Generator) -> IndexPose:
    """Return a pose that is not the index: upside down, sideways, beside it, or of another size."""
    kind = rng.random()
    if kind < 0.45:
        return _moved(place, 0, 0, rng.choice([0.5, 1, 1, 1.5]) * np.pi + rng.normal(0, 0.15), 1)
    if kind < 0.75:
        turn = rng.uniform(0, 2 * np.pi)
        reach = rng.uniform(0.55, 1.2) * place.height
        return _moved(place, reach * np.cos(turn), reach * np.sin(turn), rng.normal(0, 0.15), 1)
    return _moved(place, 0, 0, rng.normal(0, 0.2), rng.choice([0.4, 0.5, 1.9, 2.4]))


def _moved(place: DrawnIndex | IndexPose, x: float, y: float, turn: float, scale: float) -> IndexPose:
    c, s = scale * np.cos(turn), scale * np.sin(turn)
    down = c * place.down_x - s * place.down_y, s * place.down_x + c * place.down_y
    return IndexPose(place.x + x, place.y + y, float(down[0]), float(down[1]), 0)
