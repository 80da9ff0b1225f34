"""Outlines move onto the edges of a card that other cards leave to be seen."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.faces.covered_settings import CoveredSettings
from vision.faces.geometry import Floats, Quad, iou, turned
from vision.faces.visible_edges import VisibleEdges

CARD = np.array([[150, 80], [276, 80], [276, 256], [150, 256]], np.float32)
"""Two pixels per millimetre."""
PAPER = 235.0


def shifted(right: float, down: float) -> Quad:
    """The card, moved."""
    return np.asarray(CARD + np.array([right, down], np.float32), np.float32)


class OneByOne:
    """The edges in a picture, for one card at a time."""

    def __init__(self, darkest: Floats) -> None:
        self.edges, self._papers = VisibleEdges(darkest, CoveredSettings()), np.array([PAPER], np.float32)

    def support(self, quad: Quad) -> float:
        return float(self.edges.support(quad[None], self._papers)[0])

    def roughly_moved(self, quad: Quad, scale: float) -> tuple[Quad, float]:
        found, evidence = self.edges.roughly_moved(quad[None], self._papers, scale)
        return found[0], float(evidence[0])

    def moved(self, quad: Quad, scale: float) -> tuple[Quad, float]:
        found, evidence = self.edges.exactly_moved(self.roughly_moved(quad, scale)[0][None], self._papers)
        return found[0], float(evidence[0])

    def by_sides(self, quad: Quad) -> Quad:
        return np.asarray(self.edges.by_sides(quad[None], self._papers)[0], np.float32)


def photo(*cards: Quad, seed: int = 1) -> OneByOne:
    """The edges in a picture of white cards on a dark table, the last on top, each with a thin shadow around it."""
    picture = np.full((340, 460), 70, np.uint8)
    for card in cards:
        points = np.rint(card * 16).astype(np.int32)
        cv2.polylines(picture, [points], True, 190, 2, cv2.LINE_AA, 4)
        cv2.fillConvexPoly(picture, points, PAPER, cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.float32)
    noisy = soft + np.random.default_rng(seed).normal(0, 2, soft.shape)
    return OneByOne(np.asarray(noisy, np.float32))


def misplaced(quad: Quad, degrees: float, by: tuple[float, float], size: float = 1.0) -> Quad:
    """The outline turned and resized around its first corner, and moved."""
    return np.asarray(turned(size * (quad - quad[0]), np.radians(degrees)) + quad[0] + by, np.float32)


@pytest.mark.parametrize(("degrees", "by"), [(0, (5, -4)), (5, (0, 6)), (-6, (-5, 3)), (7, (4, 4))])
def test_a_nearby_outline_moves_onto_the_card(degrees: float, by: tuple[float, float]) -> None:
    edges = photo(CARD)
    start = misplaced(CARD, degrees, by)
    moved, evidence = edges.moved(start, 0.02)
    assert iou(start, CARD) < 0.92
    assert iou(moved, CARD) > 0.96
    assert 3.5 < evidence <= 4
    assert iou(edges.roughly_moved(start, 0.02)[0], CARD) > 0.93


@pytest.mark.parametrize("covered", ["right", "foot"])
def test_the_visible_half_of_a_card_gives_all_of_its_outline(covered: str) -> None:
    away = {"right": (60, -30), "foot": (-40, 70)}[covered]
    edges = photo(CARD, shifted(*away))
    moved, _ = edges.moved(misplaced(CARD, 4, (-5, 5)), 0.02)
    assert iou(moved, CARD) > 0.96


def test_a_card_that_lies_on_white_paper_is_found_by_the_line_between() -> None:
    paper = np.array([[-9, -9], [470, -9], [470, 350], [-9, 350]], np.float32)
    edges = photo(paper, shifted(60, 40))
    moved, evidence = edges.moved(misplaced(CARD, -4, (64, 36)), 0.02)
    assert iou(moved, shifted(60, 40)) > 0.96
    assert evidence > 1


@pytest.mark.parametrize("size", [0.9, 1.1])
def test_the_size_changes_only_where_it_is_unknown(size: float) -> None:
    edges = photo(CARD)
    start = misplaced(CARD, 0, (0, 0), size)
    assert iou(edges.moved(start, 0.12)[0], CARD) > 0.95
    across = np.ptp(edges.moved(start, 0.01)[0][:, 0]) / np.ptp(start[:, 0])
    assert 0.96 < across < 1.04


def test_by_itself_each_side_finds_its_edge_at_any_angle_of_the_camera() -> None:
    seen = np.array([[152, 84], [268, 80], [278, 244], [146, 252]], np.float32)
    edges = photo(seen)
    moved = edges.by_sides(shifted(-2, -2))
    assert iou(shifted(-2, -2), seen) < 0.92
    assert iou(moved, seen) > 0.95
    assert edges.support(moved) > 3.5


def test_the_evidence_for_an_outline_says_how_many_of_its_sides_are_edges() -> None:
    edges = photo(CARD)
    wider = CARD + np.array([[0, 0], [40, 0], [40, 0], [0, 0]], np.float32)
    elsewhere = shifted(150, 30)
    assert edges.support(CARD) > 3.9
    assert 2.3 < edges.support(wider) < 3.3
    assert edges.support(elsewhere) < 0.5


def test_a_light_empty_table_is_no_evidence() -> None:
    """Noise does not look like a line between two papers."""
    noisy = 220 + np.random.default_rng(2).normal(0, 2, (340, 460))
    edges = OneByOne(np.asarray(noisy, np.float32))
    _, evidence = edges.moved(CARD, 0.02)
    assert evidence < 1
    assert edges.support(CARD) < 1.5


def test_a_known_size_stays() -> None:
    start = misplaced(CARD, 4, (5, -4))
    moved, evidence = photo(CARD).roughly_moved(start, 0.0)
    assert iou(moved, CARD) > 0.95
    assert evidence > 3.5


def test_many_cards_at_once_are_moved_like_each_alone() -> None:
    """More than are moved together."""
    starts = np.array([misplaced(CARD, turn, (shift, -shift)) for turn in range(-6, 7, 2) for shift in range(-3, 4)])
    edges, papers = photo(CARD, shifted(40, 60)), np.full(len(starts), PAPER, np.float32)
    assert len(starts) > 32
    moved, evidence = edges.edges.roughly_moved(starts, papers, 0.02)
    for k in (0, 20, 48):
        alone, own_evidence = edges.roughly_moved(starts[k], 0.02)
        assert np.abs(moved[k] - alone).max() < 1e-3
        assert evidence[k] == pytest.approx(own_evidence)
