"""Read the indices of a picture wherever they are, whether or not the rest of the card is visible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vision.faces.card_assembly import AssembledCard, IndexReading, estimate_outline, is_within
from vision.faces.crops import index_crop
from vision.faces.geometry import Floats, Quad, side_lengths, starting_at
from vision.faces.index_classifier import GLYPH_MODEL, IndexClassifier
from vision.faces.index_detector import IndexDetector, IndexPose
from vision.faces.index_places import IndexPlaces, ends_on, is_far, place_on
from vision.faces.index_settings import IndexReaderSettings
from vision.faces.settings import DEFAULTS, ReaderSettings
from vision.frames import Image
from vision.readings import CARD_MM


class IndexReader:
    """Finds and reads the indices of a picture."""

    def __init__(self, settings: ReaderSettings = DEFAULTS, model: str | Path = GLYPH_MODEL) -> None:
        self._settings, self._detector_settings = settings.indices, settings.detector
        self._detect = IndexDetector(settings=settings.detector)
        self._classify = IndexClassifier(model)

    def find(self, levels: list[Image], heights: tuple[float, float]) -> list[IndexReading]:
        """Return the indices in the picture that are `heights` (least, greatest) pixels high.

        `levels`: its image pyramid. If the least height is 0, large indices are searched first, in the smaller levels;
        those that are sure show whether the full picture, which takes longest, can contain others.
        """
        settings, detector = self._settings, self._detector_settings
        if heights[0] > 0:
            return self.read(levels, self._detect(levels, heights))
        coarse = settings.coarse_factor * detector.min_height
        large = self.read(levels, self._detect(levels, (coarse, heights[1])))
        sure = [reading.pose.height for reading in large if reading.confidence >= settings.sure]
        least = min(sure) * settings.height_mm[0] / settings.height_mm[1] if sure else 0.0
        fine = settings.fine_factor * detector.max_height
        small = self.read(levels, self._detect(levels, (least, fine)))
        near = detector.min_distance
        return large + [one for one in small if not any(same_place(one.pose, other.pose, near) for other in large)]

    def read(self, levels: list[Image], poses: list[IndexPose]) -> list[IndexReading]:
        """Return the reading at the poses, or near them if an index is read there with more confidence.

        Indices that the picture's edge may cut are left out.
        """
        settings = self._settings
        poses = [pose for pose in poses if is_whole(pose, levels[0], settings)]
        found, first = self._read_at(levels, poses)
        unsure = [
            k
            for k, reading in enumerate(found)
            if poses[k].score >= settings.min_score_to_shift
            and first[k] >= settings.min_probability_to_shift
            and _confidence(reading) < settings.sure
        ]
        shifts = settings.shifts
        near = [_shifted(poses[k], *shift) for k in unsure for shift in shifts]
        probability = _shown(*self._classify([index_crop(levels, pose) for pose in near])).reshape(-1, len(shifts))
        tried = {
            k: near[row * len(shifts) + int(some.argmax())]
            for row, (k, some) in enumerate(zip(unsure, probability, strict=True))
            if some.max() > settings.min_shifted
        }
        for k, reading in zip(tried, self._read_at(levels, list(tried.values()))[0], strict=True):
            before = found[k]
            agrees = (
                before is None
                or before.confidence <= settings.min_shifted
                or (reading is not None and reading.card is before.card)
            )
            if agrees and _confidence(reading) > _confidence(before):
                found[k] = reading
        return [reading for reading in found if reading is not None]

    def _read_at(self, levels: list[Image], poses: list[IndexPose]) -> tuple[list[IndexReading | None], Floats]:
        """Return what each pose shows in three crops, None if the first shows no index; and what the first shows.

        The latter is the probability of its most likely card, (N,). If the first crop is certain, it counts alone.
        """
        settings = self._settings
        ranks, suits = self._classify([index_crop(levels, pose) for pose in poses])
        first = _shown(ranks, suits)
        shown = np.flatnonzero(first > settings.min_probability).tolist()
        turns, zoom = settings.extra_turns, settings.extra_zoom
        doubted = [k for k in shown if first[k] < settings.certain]
        extra = [index_crop(levels, _rotated(poses[k], turn, zoom)) for k in doubted for turn in turns]
        more_ranks, more_suits = self._classify(extra)
        found: list[IndexReading | None] = [None] * len(poses)
        for k in shown:
            found[k] = IndexReading(poses[k], ranks[k], suits[k])
        for k, some in zip(doubted, range(0, len(extra), len(turns)), strict=True):
            rank = _geometric_mean(ranks[k], more_ranks[some : some + len(turns)])
            suit = _geometric_mean(suits[k], more_suits[some : some + len(turns)])
            reading = IndexReading(poses[k], rank, suit)
            found[k] = reading if reading.confidence > settings.min_probability else None
        return found, first


def is_whole(pose: IndexPose, image: Image, settings: IndexReaderSettings = DEFAULTS.indices) -> bool:
    """Return whether the index lies inside the picture, with some of the paper around it.

    What is left of an index that the picture's edge cuts may look like another one: a five upside down like a queen.
    """
    long, wide = 0.5 + settings.paper_around, settings.half_width + settings.paper_around
    reach_x = long * abs(pose.down_x) + wide * abs(pose.down_y)
    reach_y = long * abs(pose.down_y) + wide * abs(pose.down_x)
    tall, across = image.shape[:2]
    return bool(reach_x <= pose.x <= across - 1 - reach_x and reach_y <= pose.y <= tall - 1 - reach_y)


def _shown(ranks: Floats, suits: Floats) -> Floats:
    """Return the probability (N,) of the most likely card of each crop, from (N, 14) and (N, 5)."""
    return np.asarray(ranks[:, :13].max(axis=1) * suits[:, :4].max(axis=1), np.float32)


def _confidence(reading: IndexReading | None) -> float:
    return 0.0 if reading is None else reading.confidence


def _shifted(pose: IndexPose, factor: float, down: float) -> IndexPose:
    """Return the pose made `factor` times as high and moved down by `down` of its height."""
    x, y = pose.x + down * pose.down_x, pose.y + down * pose.down_y
    return IndexPose(x, y, factor * pose.down_x, factor * pose.down_y, pose.score)


def _rotated(pose: IndexPose, turn: float, zoom: float) -> IndexPose:
    """Return the pose rotated by `turn` radians and made `zoom` times as high."""
    cos, sin = zoom * math.cos(turn), zoom * math.sin(turn)
    down = cos * pose.down_x - sin * pose.down_y, sin * pose.down_x + cos * pose.down_y
    return IndexPose(pose.x, pose.y, *down, pose.score)


def _geometric_mean(first: Floats, others: Floats) -> Floats:
    """Return the normalized geometric mean (C,) of several readings of one index, so that each can veto."""
    every = np.concatenate([first[None], others])
    mean = np.exp(np.log(np.maximum(every, 1e-6)).mean(axis=0))
    return np.asarray(mean / mean.sum(), np.float32)


def same_place(one: IndexPose, other: IndexPose, distance: float) -> bool:
    """Return whether the middles of two poses are less than `distance` apart, in heights of the larger one."""
    return math.hypot(one.x - other.x, one.y - other.y) < distance * max(one.height, other.height)


def index_heights(
    mm_per_px: float | None,
    cards: Sequence[Quad],
    settings: IndexReaderSettings = DEFAULTS.indices,
    smallest: float = 1.0,
) -> tuple[float, float]:
    """Return the least and greatest height of an index in the picture, pixels.

    They follow from the table's scale, or from `cards`, the outlines already read; (0, inf) if there is neither. Cards
    nearer to the camera than those may be any number of times larger: to search for them takes little time. `smallest`:
    height of the cards, relative to poker size: small cards have small indices.
    """
    if mm_per_px is not None:
        return smallest * settings.height_mm[0] / mm_per_px, settings.height_mm[1] / mm_per_px
    if not cards:
        return 0.0, math.inf
    scales = [max(side_lengths(card)) / CARD_MM[1] for card in cards]
    return settings.height_mm[0] * min(scales) / settings.size_ratio, math.inf


def outline_of(
    card: AssembledCard,
    outlines: Sequence[Quad],
    scores: Sequence[float],
    mm_per_px: float | None,
    settings: ReaderSettings = DEFAULTS,
    places: IndexPlaces | None = None,
) -> tuple[Quad, float]:
    """Return where the card lies, pixels, and the edge score of that outline, 0 if it is only extrapolated.

    The best of `outlines` (with their edge `scores`) in whose corner the index stands; else an estimate from the index.
    `places`: where this deck prints indices, besides the usual places.
    """
    best, most = None, 0.0
    pose = card.indices[0].pose
    for quad, score in zip(outlines, scores, strict=True):
        if score <= most or is_far(pose, quad):
            continue
        for corner in (0, 2):
            upright = starting_at(quad, corner)
            if _has_card_aspect(upright, settings.indices) and is_in_place(pose, upright, places, settings):
                best, most = upright, score
                break
    if best is not None:
        return best, most
    if mm_per_px is None:
        return estimate_outline(card, settings=settings.assembly), 0.0
    unit = mm_per_px * pose.height
    return estimate_outline(card, (CARD_MM[0] / unit, CARD_MM[1] / unit), settings.assembly), 0.0


def is_in_place(pose: IndexPose, upright: Quad, places: IndexPlaces | None, settings: ReaderSettings) -> bool:
    """Return whether the index stands where any deck, or the one with these `places`, prints it."""
    if is_index_of(pose, upright, settings.indices):
        return True
    place = place_on(pose, upright, settings.places) if places is not None else None
    return places is not None and place is not None and places.fits(place)


def _has_card_aspect(upright: Quad, settings: IndexReaderSettings) -> bool:
    """Return whether the sides, the upper one first, can be those of a card, in perspective."""
    upper, right, lower, left = side_lengths(upright)
    ratio = (upper + lower) / CARD_MM[0] * CARD_MM[1] / max(right + left, 1e-6)
    return 1 / settings.max_slant < ratio < settings.max_slant


def is_index_of(pose: IndexPose, card: Quad, settings: IndexReaderSettings = DEFAULTS.indices) -> bool:
    """Return whether the pose is where a card with this outline, own top left first, has its index."""
    if (ends := ends_on(pose, card)) is None:
        return False
    (top_x, top_y), (foot_x, foot_y) = ends
    height = math.hypot(foot_x - top_x, foot_y - top_y)
    low, high = settings.height_mm
    return (
        low / settings.height_error < height < settings.height_error * high
        and (foot_y - top_y) > settings.min_upright_cosine * height
        and settings.middle_mm[0] < (top_x + foot_x) / 2 < settings.middle_mm[1]
        and settings.top_mm[0] < top_y < settings.top_mm[1]
    )


def shows_others(
    outline: Quad, card: AssembledCard, others: Sequence[AssembledCard], settings: ReaderSettings = DEFAULTS
) -> bool:
    """Return whether an index of another card lies in the outline, away from its corners: that card covers it."""
    poses = [
        index.pose
        for other in others
        if other is not card and other.confidence >= settings.min_candidate
        for index in other.indices
    ]
    inside = [pose for pose in poses if is_within(pose, outline, settings.assembly)]
    return any(
        not any(is_index_of(pose, starting_at(outline, corner), settings.indices) for corner in range(4))
        for pose in inside
    )
