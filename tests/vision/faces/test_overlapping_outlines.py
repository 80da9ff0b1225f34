"""Which of several outlined cards counts where outlines overlap, and which indices count against a card."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.cards import RANKS, SUITS, parse_card
from tests.drawing.placed import Layout, table_of
from tests.vision.faces.test_faces_placed import faces
from vision.faces import FaceReader
from vision.faces.card_assembly import IndexReading
from vision.faces.card_size import CardSize
from vision.faces.examined_picture import ExaminedPicture
from vision.faces.geometry import Quad, fits_size, starting_at
from vision.faces.index_detector import IndexPose
from vision.faces.index_places import IndexPlace, IndexPlaces
from vision.faces.index_reader import IndexReader
from vision.faces.outlined_cards import (
    OutlinedCard,
    belongs_to,
    has_credible_size,
    is_cut,
    is_outweighed,
    non_max_suppression,
)
from vision.faces.score_fusion import Verdict
from vision.faces.settings import DEFAULTS
from vision.readings import CARD_MM, Reading
from vision.tracking.reading_settings import ReadSettings


def quad(left: float, top: float) -> Quad:
    """Return the upright outline of a card at 2 pixels per millimetre."""
    corners = np.array([[0, 0], [126, 0], [126, 176], [0, 176]])
    return (corners + np.array([left, top])).astype(np.float32)


def outlined(name: str, outline: Quad, confidence: float, corners: tuple[int, ...] = (0, 2)) -> OutlinedCard:
    card = parse_card(name)
    verdict = Verdict(card, confidence, corners, (), np.zeros(52, np.float32))
    return OutlinedCard(Reading(card, confidence, "face", outline), verdict, 1.0)


def kept(*cards: OutlinedCard) -> list[str]:
    return sorted(str(card.verdict.card) for card in non_max_suppression(list(cards)))


def index(name: str, x: float, y: float, down: float, confidence: float = 0.99) -> IndexReading:
    """Return an index read at a point; `down`: pixels from its rank to its suit, negative if it is upside down."""
    card = parse_card(name)
    rank, suit = np.eye(14)[RANKS.index(card.rank)], confidence * np.eye(5)[SUITS.index(card.suit)]
    return IndexReading(IndexPose(x, y, 0.0, down, 1.0), rank.astype(np.float32), suit.astype(np.float32))


def test_a_card_on_a_corner_of_a_surer_one_is_kept() -> None:
    """One of its indices lies in the outline of the lower card."""
    assert kept(outlined("9C", quad(0, 0), 0.99), outlined("KC", quad(90, 140), 0.8)) == ["9C", "KC"]


def test_an_outline_whose_indices_all_lie_in_a_surer_card_is_dropped() -> None:
    assert kept(outlined("9C", quad(0, 0), 0.99), outlined("KC", quad(8, 15), 0.8)) == ["9C"]


@pytest.mark.parametrize("corners", [(0,), (2,)])
def test_a_single_index_in_a_surer_card_drops_its_outline(corners: tuple[int, ...]) -> None:
    left, top = (90, 140) if corners == (0,) else (-90, -140)
    assert kept(outlined("9C", quad(0, 0), 0.99), outlined("KC", quad(left, top), 0.8, corners)) == ["9C"]


def test_a_half_covered_index_on_the_right_belongs_to_the_card_below() -> None:
    """Of a deck with four indices: half of a three looks like a five."""
    card, half = outlined("3H", quad(0, 0), 0.999, (2,)), index("5H", 126 - 17, 14, 32, 0.98)
    two, four = IndexPlaces(), IndexPlaces()
    for name in ("AS", "2H"):
        left, right = IndexPlace(8.5, 14.0, 16.0), IndexPlace(54.5, 14.0, 16.0)
        two.learn(parse_card(name), [left], 2)
        four.learn(parse_card(name), [left, right], 2)
    assert belongs_to(half, card, places=four)
    assert not belongs_to(half, card, places=two)
    assert not belongs_to(index("5H", 126 - 17, 28, 32, 0.9995), card, places=four), "surer than the card"
    assert not belongs_to(index("5H", 126 - 17, 60, 32, 0.98), card, places=four), "farther down"


def deep_places() -> IndexPlaces:
    places = IndexPlaces()
    for name in ("AS", "2H"):
        places.learn(parse_card(name), [IndexPlace(20.0, 20.0, 32.0)], 2)
    return places


def test_a_surer_index_opposite_outweighs_a_single_one() -> None:
    """Half of a jumbo 8 looks like a Q; the other index of that card stands in full where the deck prints it."""
    card = outlined("QD", quad(0, 0), 0.89, (0,))
    opposite = index("8D", 126 - 40, 176 - 40, -64)
    assert is_outweighed(card, [opposite], deep_places())
    assert not is_outweighed(card, [opposite], IndexPlaces())  # not a usual place, and nothing is known of the deck


def test_the_same_the_other_way_round() -> None:
    card = outlined("QD", quad(0, 0), 0.89, (2,))
    assert is_outweighed(card, [index("8D", 40, 40, 64)], deep_places())


def test_the_best_reading_of_its_own_index_counts() -> None:
    card, opposite = outlined("8D", quad(0, 0), 0.9, (0,)), index("QD", 86, 136, -64, 0.98)
    assert is_outweighed(card, [opposite], deep_places())
    assert not is_outweighed(card, [opposite, index("8D", 40, 40, 64, 0.99)], deep_places())


@pytest.mark.parametrize(
    ("card", "other"),
    [
        (outlined("QD", quad(0, 0), 0.89, (0, 2)), index("8D", 86, 136, -64)),
        (outlined("QD", quad(0, 0), 0.89, (0,)), index("8D", 86, 136, -64, 0.8)),
        (outlined("QD", quad(0, 0), 0.89, (0,)), index("QD", 86, 136, -64)),
        (outlined("QD", quad(0, 0), 0.89, (0,)), index("8D", 40, 40, 64)),
        (outlined("QD", quad(0, 0), 0.89, (0,)), index("8D", 63, 88, -64)),
    ],
    ids=["both corners read", "less sure", "the same card", "its own corner", "another place"],
)
def test_other_indices_do_not_outweigh_it(card: OutlinedCard, other: IndexReading) -> None:
    assert not is_outweighed(card, [other], deep_places())


def test_the_surer_index_of_one_outline_is_its_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left of the upper index is taken for a 7 of spades; the lower one, which stands far in, is an 8."""
    picture = table_of(Layout(2.2, 3.5), [(parse_card("7S"), (500.0, 260.0), 0.0)])
    picture[270:344, 510:560] = picture[256, 520]  # paper instead of the lower index
    reader, find = FaceReader(), IndexReader.find
    for card in ("AS", "2H"):
        reader._deck.places.learn(parse_card(card), [IndexPlace(20.0, 20.0, 32.0)], 2)
    assert faces(reader, picture) == ["7S"]
    lower = index("8D", 563 - 40, 348 - 40, -64, 0.9999)
    monkeypatch.setattr(IndexReader, "find", lambda *arguments: [*find(*arguments), lower])
    assert faces(reader, picture) == ["8D"]


@pytest.mark.parametrize(
    ("share", "shown", "counts"), [(1.0, 1, True), (0.91, 1, True), (0.88, 1, False), (0.88, 2, True)]
)
def test_one_index_counts_in_an_outline_of_the_known_size(share: float, shown: int, counts: bool) -> None:
    """What a seven leaves of a queen's index looks like a four, in an outline with two sides on the queen's frame."""
    card = outlined("4H", share * quad(0, 0), 0.99, (0, 2)[:shown])
    size = CardSize()
    assert has_credible_size(card, size, 0.5)  # not known yet
    for name in ("AS", "2H"):
        size.learn(parse_card(name), CARD_MM)
    assert has_credible_size(card, size, 0.5) is counts


@pytest.mark.parametrize("off", [-0.09, 0.11])
def test_one_index_counts_where_the_scale_is_not_that_of_the_middle(
    off: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scale of a part of the frame may differ by `max_distortion` from that with which the part is read."""
    assert DEFAULTS.exact_size_one_index > 1 / (1 - ReadSettings().max_distortion) - 1
    picture = table_of(Layout(2.2, 3.5), [(parse_card("4H"), (500.0, 260.0), 0.0)])
    picture[270:344, 510:560] = picture[256, 520]  # paper instead of the lower index
    find = IndexReader.find
    monkeypatch.setattr(
        IndexReader,
        "find",
        lambda *arguments: [replace(reading, rank=0.85 * reading.rank) for reading in find(*arguments)],
    )
    reader = FaceReader()
    for card in ("AS", "2H"):
        reader._deck.size.learn(parse_card(card), CARD_MM)
    assert [str(reading.face) for reading in reader.read(picture, (1 + off) / 2)] == ["4H"]


def test_a_card_of_another_size_is_not_read_by_one_unsure_index(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = table_of(Layout(2.2, 3.5, card_mm=(56.0, 78.0)), [(parse_card("7S"), (500.0, 260.0), 0.0)])
    picture[270:336, 510:554] = picture[256, 520]  # paper instead of the lower index
    find = IndexReader.find
    monkeypatch.setattr(
        IndexReader,
        "find",
        lambda *arguments: [replace(reading, rank=0.85 * reading.rank) for reading in find(*arguments)],
    )
    reader = FaceReader()
    assert faces(reader, picture) == ["7S"]
    for card in ("AS", "2H"):
        reader._deck.size.learn(parse_card(card), CARD_MM)
    assert faces(reader, picture) == []


def test_an_outline_ending_just_inside_the_part_read_is_cut() -> None:
    """At a table; half of a six, upside down at that end, was a queen."""
    part = np.zeros((326 + 4, 700, 3), np.uint8)
    outline = starting_at(quad(437, 326 - 176), 2)
    assert is_cut(outline, part, replace(DEFAULTS, border_share=DEFAULTS.border_share_at_table))
    assert not is_cut(outline, part)
    assert not is_cut(outline, np.zeros((326 + 12, 700, 3), np.uint8), FaceReader()._at_table)
    assert FaceReader()._at_table.border_share == DEFAULTS.border_share_at_table


@pytest.mark.parametrize(("lower_side", "may_be"), [(126, True), (140, True), (148, True), (160, False)])
def test_opposite_sides_are_about_equal_at_a_table(lower_side: int, may_be: bool) -> None:
    """A camera that looks from the side sees the near edge of a card longer, but by less than a fifth.

    In a picture of unknown scale they may differ more: there a card may be nearer to the camera.
    """
    middle = (126 + lower_side) / 4
    corners = [[middle - 63, 0], [middle + 63, 0], [middle + lower_side / 2, 170], [middle - lower_side / 2, 170]]
    outline, blank = np.array(corners, np.float32), np.full((60, 60, 3), 90, np.uint8)
    size = ((126 + lower_side) / 2, 170.0)
    assert ExaminedPicture(blank, 0.5, DEFAULTS, 60.0).may_be_card(outline, size) == may_be
    assert ExaminedPicture(blank, None, DEFAULTS, 0.0).may_be_card(outline, size)


def test_edges_of_two_cards_and_of_the_picture_are_no_outline() -> None:
    """Deal 121024 of `lab.benchmarks.laying`: a three, half covered by a queen, was a nine in this outline."""
    outline = np.array([[355, 163], [451, 133], [449, 314], [337, 300]], np.float32)
    examined = ExaminedPicture(np.full((400, 500, 3), 90, np.uint8), 0.5, DEFAULTS, 60.0)
    assert fits_size(outline, (126.0, 176.0), DEFAULTS.size_tolerance)
    assert not examined.may_be_card(outline, (126.0, 176.0))
    assert examined.different([outline], (126.0, 176.0), []) == []
    single = ExaminedPicture(np.full((400, 500, 3), 90, np.uint8), None, DEFAULTS, 0.0)
    assert len(single.different([outline], (126.0, 176.0), [])) == 1
