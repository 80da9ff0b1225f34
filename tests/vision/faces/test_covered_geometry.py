"""A covered card is placed as its index, the other cards, and its visible edges say, however it and they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest

from engine.cards import RANKS, SUITS, parse_card
from vision.faces.card_assembly import IndexReading
from vision.faces.covered_outlines import CoveredOutlines
from vision.faces.crops import on_card
from vision.faces.edges import darkest_channel, derivatives, gradient
from vision.faces.fitted_cards import UsualIndex, fitted
from vision.faces.geometry import Quad, iou, starting_at, turned
from vision.faces.index_detector import IndexPose
from vision.faces.outline_fitting import OutlineFitter
from vision.faces.pyramid import image_pyramid
from vision.faces.settings import DEFAULTS
from vision.readings import OutlineFrom, Reading

PX_PER_MM = 2.0
POKER = (63.0, 88.0)


@dataclass
class Lying:
    """A card on the table, and the corners in which an index of it is seen."""

    name: str
    quad: Quad
    corners: tuple[int, ...]
    says: OutlineFrom = "index"
    askew: float = 0.0  # degrees by which the first index seems turned
    outline: Quad | None = None

    @property
    def indices(self) -> list[IndexReading]:
        """Of a poker card: 6 mm from its left and 11 mm below its top, of 14 mm height."""
        card = parse_card(self.name)
        found: list[IndexReading] = []
        for corner in self.corners:
            left = 57.0 if corner % 2 else 6.0
            ends = np.array([[left, 4.0], [left, 18.0]])
            top, foot = on_card(starting_at(self.quad, corner - corner % 2), ends)
            turn = 0.0 if found else np.radians(self.askew)
            (x, y), (down_x, down_y) = (top + foot) / 2, turned((foot - top)[None], turn)[0]
            pose = IndexPose(float(x), float(y), float(down_x), float(down_y), 1.0)
            rank = np.eye(14, dtype=np.float32)[RANKS.index(card.rank)]
            suit = np.eye(5, dtype=np.float32)[SUITS.index(card.suit)]
            found.append(IndexReading(pose, rank, suit))
        return found

    @property
    def reading(self) -> Reading:
        outline = self.quad if self.outline is None else self.outline
        return Reading(parse_card(self.name), 1.0, "face", outline, outline_from=self.says)


def lying(
    name: str, at: tuple[float, float], degrees: float, corners: Sequence[int], size: tuple[float, float] = POKER
) -> Lying:
    """A card with its middle at a place of the picture, turned clockwise."""
    wide, tall = (side * PX_PER_MM / 2 for side in size)
    corner = np.array([[-wide, -tall], [wide, -tall], [wide, tall], [-wide, tall]])
    return Lying(name, np.asarray(turned(corner, np.radians(degrees)) + at, np.float32), tuple(corners))


def rough(card: Lying, degrees: float = 8.0, size: float = 1.15) -> Lying:
    """The card with an outline that its index alone may give."""
    pivot = np.array([card.indices[0].pose.x, card.indices[0].pose.y])
    outline = turned(size * (card.quad - pivot), np.radians(degrees)) + pivot
    return replace(card, outline=np.asarray(outline, np.float32))


def setting(cards: Sequence[Lying]) -> tuple[OutlineFitter, list[IndexReading], np.ndarray]:
    """A picture of the cards on one another, the last on top, with what is seen in it."""
    picture = np.full((700, 900, 3), (50, 80, 40), np.uint8)
    for card in cards:
        points = np.rint(card.quad * 16).astype(np.int32)
        cv2.polylines(picture, [points], True, (150, 150, 150), 2, cv2.LINE_AA, 4)
        cv2.fillConvexPoly(picture, points, (225, 235, 240), cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.float32)
    noisy = np.clip(soft + np.random.default_rng(1).normal(0, 2, soft.shape), 0, 255).astype(np.uint8)
    plane = np.asarray(cv2.GaussianBlur(darkest_channel(noisy), (5, 5), 1.0), np.uint8)
    fitter = OutlineFitter(noisy, gradient(derivatives([plane])), np.zeros((0, 4, 2), np.float32))
    return fitter, [index for card in cards for index in card.indices], noisy


def completed(cards: Sequence[Lying]) -> list[float]:
    """Complete the outlines; return the IoU of each with where its card lies."""
    fitter, indices, _ = setting(cards)
    outlines = CoveredOutlines(fitter, 0, indices, UsualIndex([], []), DEFAULTS)
    found = outlines.complete([card.reading for card in cards])
    assert [reading.outline_from for reading in found] == [card.says for card in cards]
    return [iou(reading.outline, card.quad) for reading, card in zip(found, cards, strict=True)]


def test_without_cards_nothing_is_done() -> None:
    assert completed([]) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("says", ["edges", "index"])
@pytest.mark.parametrize("first", [0, 2])
def test_card_size_comes_from_a_whole_card_read_at_any_corner(says: OutlineFrom, first: int) -> None:
    """Also if nothing proves its outline, and if only the index opposite to its first corner is seen."""
    full = replace(lying("QS", (600, 330), 20, (0,)), says=says)
    full = replace(full, outline=starting_at(full.quad, first))
    below = [rough(lying("4H", (230, 300), -30, (0,)), 8, 1.35), rough(lying("9C", (320, 330), 10, (0,)), -7, 1.35)]
    assert all(iou(card.reading.outline, card.quad) < 0.9 for card in below)
    assert min(completed([*below, full])) > 0.95


def test_two_opposite_indices_place_a_card_of_which_a_strip_is_seen() -> None:
    card = replace(rough(lying("4H", (300, 330), 0, (0, 2))), askew=14)
    over = [lying(name, (338, y), 90, ()) for name, y in (("2C", 220), ("3C", 330), ("5C", 440))]
    full = replace(lying("QS", (650, 330), 5, (0, 2)), says="edges")
    fitter, indices, _ = setting([card, *over, full])
    outlines = CoveredOutlines(fitter, 0, indices, UsualIndex([], []), DEFAULTS)
    found, _ = outlines.complete([card.reading, full.reading])
    assert iou(found.outline, card.quad) > 0.9


@pytest.mark.parametrize("corners", [(0, 1, 2, 3), (0, 2)])
def test_an_index_on_the_right_is_on_the_right(corners: tuple[int, ...]) -> None:
    """Whether or not the other card shows that this deck has one in every corner."""
    full = replace(lying("QS", (650, 330), 0, corners), says="edges")
    card = rough(lying("4H", (300, 330), 15, (1,)), 0, 1.0)
    mistaken = replace(
        card, outline=np.asarray(card.quad + on_card(card.quad, np.array([[51.0, 0.0]])) - card.quad[0], np.float32)
    )
    values = completed([mistaken, full])
    assert iou(mistaken.reading.outline, card.quad) < 0.5
    assert values[0] > 0.95


def test_narrow_cards_that_lie_across_each_other_have_one_shape() -> None:
    bridge = (57.0, 88.0)
    full = replace(lying("QS", (650, 330), 0, (0, 2), bridge), says="edges")
    card = rough(lying("4H", (300, 330), 90, (0, 2), bridge), 5, 1.1)
    over = lying("2C", (380, 380), 10, (), bridge)
    fitter, indices, _ = setting([card, over, full])
    outlines = CoveredOutlines(fitter, 0, indices, UsualIndex([], []), DEFAULTS)
    found, _ = outlines.complete([card.reading, full.reading])
    assert iou(found.outline, card.quad) > 0.95


def test_an_exact_outline_of_a_covered_card_hardly_moves() -> None:
    cards = [lying("4H", (300, 330), 0, (0,)), lying("9C", (360, 345), 0, (0,)), lying("QS", (420, 360), 0, (0,))]
    values = completed(cards)
    assert values[0] == 1
    assert min(values) > 0.94


def test_a_card_on_which_two_others_lie_is_no_row() -> None:
    """Their indices lie on it, but most of both lies beside it."""
    card = replace(lying("4H", (363, 238), 0, (0, 2)), says="edges")
    others = [
        replace(lying("9C", (500, 238), -45, (0,)), says="edges"),
        replace(lying("QS", (226, 238), 135, (0,)), says="edges"),
    ]
    cards = [card, *others]
    fitter, indices, picture = setting(cards)
    assert all(
        cv2.pointPolygonTest(card.quad, (other.indices[0].pose.x, other.indices[0].pose.y), False) > 0
        for other in others
    )
    found, _ = fitted(
        image_pyramid(picture), fitter, 0, [other.reading for other in cards], indices, UsualIndex([], [])
    )
    assert found[0].outline_from == "edges"
    assert iou(found[0].outline, card.quad) > 0.97


@pytest.mark.parametrize("exact_first", [True, False])
def test_a_card_read_again_by_an_extrapolated_outline_is_reported_once(exact_first: bool) -> None:
    exact = replace(lying("4H", (300, 330), 5, (0, 2)), says="edges")
    again = rough(replace(exact, says="index"))
    fitter, indices, _ = setting([exact])
    outlines = CoveredOutlines(fitter, 0, indices, UsualIndex([], []), DEFAULTS)
    both = [exact.reading, again.reading]
    (found,) = outlines.complete(both if exact_first else both[::-1])
    assert found.outline_from == "edges"


def test_an_outline_that_was_found_and_touches_no_other_stays() -> None:
    cards = [
        rough(lying("4H", (250, 330), 5, (0, 2)), 3, 1.05),
        replace(lying("QS", (650, 330), 5, (0, 2)), says="edges"),
    ]
    fitter, indices, _ = setting(cards)
    outlines = CoveredOutlines(fitter, 0, indices, UsualIndex([], []), DEFAULTS)
    readings = [card.reading for card in cards]
    assert outlines.complete(readings, {0})[0].outline is readings[0].outline
    assert iou(outlines.complete(readings)[0].outline, cards[0].quad) > 0.95
