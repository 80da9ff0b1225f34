"""Cards known by their indices: what all of their picture, or the corner classifier, says if these are not sure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from engine.cards import RANKS, SUITS, parse_card
from tests.vision.faces.test_faces_sure import index
from vision.faces.card_assembly import AssembledCard, IndexReading
from vision.faces.covered_cards import CoveredCardReader
from vision.faces.deck_knowledge import DeckKnowledge
from vision.faces.examined_picture import ExaminedPicture
from vision.faces.geometry import Floats
from vision.faces.index_detector import IndexPose
from vision.faces.index_places import PlacedCard
from vision.faces.reader_nets import settings_for
from vision.faces.score_fusion import number_of
from vision.faces.settings import DEFAULTS, ReaderSettings
from vision.frames import Image
from vision.readings import Reading

PLACE = np.array([[0, 0], [126, 0], [126, 176], [0, 176]], np.float32)
"""A card of 63 x 88 mm at 2 pixels per mm; `index` lies in its first corner."""

GERMAN = settings_for("german", DEFAULTS)


class Corners:
    """A corner classifier with a given answer for each corner that it is to read.

    `answers`: the suit, and the probability of each rank; the rest is that of no index. `calls`: how many corners were
    read in each call. `marked`: whether each of them was the first one of `PLACE`, which is white in the picture.
    """

    def __init__(self, *answers: tuple[str, Mapping[str, float]]) -> None:
        self._answers = list(answers)
        self.calls: list[int] = []
        self.marked: list[bool] = []

    def __call__(self, crops: Sequence[Image]) -> tuple[Floats, Floats]:
        self.calls.append(len(crops))
        self.marked += [bool(crop.mean() > 100) for crop in crops]
        answers, self._answers = self._answers[: len(crops)], self._answers[len(crops) :]
        rank, suit = np.zeros((len(crops), 14), np.float32), np.zeros((len(crops), 5), np.float32)
        for k, (sign, shown) in enumerate(answers):
            suit[k, SUITS.index(sign)] = 1
            for each, probability in shown.items():
                rank[k, RANKS.index(each)] = probability
            rank[k, 13] = 1 - rank[k].sum()
        assert len(answers) == len(crops), "it is asked about other corners"
        return rank, suit


def lies_in_full(*_: object) -> Floats:
    raise AssertionError("the card does not lie in full")


def card(name: str, confidence: float, *more: IndexReading) -> AssembledCard:
    """Return a card with an index in the first corner of `PLACE`, and `more`."""
    return AssembledCard(parse_card(name), confidence, (index(name, confidence), *more))


def placed(reading: IndexReading, x: float, y: float, down: float = 32) -> IndexReading:
    """Return the index at another place, pixels; it is upside down if `down` is negative."""
    return replace(reading, pose=IndexPose(x, y, 0, down, 0.9))


def at_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    """All cards have `PLACE` as their outline, on visible edges."""
    monkeypatch.setattr(CoveredCardReader, "_outline", lambda *_: (PLACE, 0.9))


def covered(
    cards: Sequence[AssembledCard],
    corners: Corners,
    whole: Callable[..., Floats] = lies_in_full,
    settings: ReaderSettings = DEFAULTS,
    mm_per_px: float | None = None,
    placed_cards: Sequence[PlacedCard] = (),
) -> list[Reading]:
    image = np.zeros((200, 200, 3), np.uint8)
    image[:60, :40] = 255
    picture = ExaminedPicture(image, mm_per_px, settings, 0.0)
    reader = CoveredCardReader(whole, corners, DeckKnowledge(settings), settings)  # type: ignore[arg-type]
    return reader(picture, [], placed_cards, cards)


@pytest.mark.parametrize(
    ("confidence", "evidence", "read"), [(0.82, 6.0, 0), (0.82, 7.0, 1), (0.85, 3.0, 0), (0.85, 3.5, 1), (0.91, 0.0, 1)]
)
def test_a_spade_that_its_indices_alone_show_needs_pips_as_well(
    confidence: float, evidence: float, read: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = np.full(53, -evidence, np.float32)
    whole[SUITS.index("S")] = 0
    at_edges(monkeypatch)
    ace = AssembledCard(parse_card("AS"), 0.95, (index("AS", confidence / 0.992),))
    assert len(covered([ace], Corners(), lambda *_: whole)) == read


@pytest.mark.parametrize(("confidence", "read"), [(0.74, 0), (0.76, 1)])
def test_the_picture_does_not_read_a_blurred_court_card(
    confidence: float, read: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_edges(monkeypatch)
    for name, expected in (("QH", read), ("9H", 1)):
        whole = np.full(53, -9.0, np.float32)
        whole[number_of(parse_card(name))] = 0
        assert len(covered([card(name, confidence)], Corners(), lambda *_, shown=whole: shown)) == expected


@pytest.mark.parametrize(
    ("name", "confidence", "used", "read"),
    [
        ("QS", 0.93, DEFAULTS, 0),
        ("QS", 0.95, DEFAULTS, 1),
        ("QC", 0.93, DEFAULTS, 1),
        ("9S", 0.93, DEFAULTS, 1),
        ("QS", 0.93, GERMAN, 1),
    ],
)
def test_a_court_card_of_spades_must_be_surer(
    name: str, confidence: float, used: ReaderSettings, read: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blurred clubs look like spades, and only number cards have pips that show it; acorns do not look like leaves."""
    at_edges(monkeypatch)
    read_card = AssembledCard(parse_card(name), confidence, (index(name, 0.99),))
    silent = np.zeros(53, np.float32)
    assert len(covered([read_card], Corners(), lambda *_: silent, used)) == read
    shown = np.full(53, -9.0, np.float32)
    shown[number_of(read_card.card)] = 0
    assert len(covered([read_card], Corners(), lambda *_: shown, used)) == 1  # the whole picture makes it surer


@pytest.mark.parametrize(
    ("name", "confidence", "seen", "read"),
    [
        ("9H", 0.8, {"9": 0.9}, True),
        ("KH", 0.65, {"K": 0.95}, True),  # a court card lying in full would have to be surer
        ("9H", 0.58, {"9": 1.0}, False),
        ("9H", 0.8, {"8": 0.9}, False),
        ("9H", 0.98, {"8": 0.9}, False),
        ("9H", 0.98, {"8": 0.45}, True),  # it hardly sees an index
        ("9H", 0.61, {"9": 0.45}, False),
        ("9H", 0.98, {"8": 0.55}, False),
        ("9C", 0.8, {"9": 0.5, "8": 0.3}, False),
        ("9S", 0.8, {"9": 0.5, "8": 0.01}, True),
        ("9S", 0.8, {"9": 0.3, "8": 0.55}, False),
        ("9S", 0.8, {"9": 0.5, "8": 0.3}, True),  # not sure enough for a club
        ("9D", 0.8, {"9": 0.3, "8": 0.55}, True),
        ("9C", 0.84, {"9": 0.9}, True),
        ("9C", 0.86, {"9": 0.4, "8": 0.4}, True),  # not raised, but sure enough by its indices
        ("9C", 0.95, {"8": 0.9}, False),
        ("9S", 0.95, {"8": 0.9}, False),
        ("9H", 0.99, {"8": 0.9}, True),  # it is not asked
    ],
)
def test_the_corner_classifier_reads_the_unsure_index_of_a_covered_card(
    name: str, confidence: float, seen: dict[str, float], read: bool
) -> None:
    """It reads the corner of an outline that is extrapolated from the index. In hard light black cards need more."""
    corners = Corners((name[-1], seen))
    assert len(covered([card(name, confidence)], corners)) == read
    assert sum(corners.calls) == (DEFAULTS.least_covered <= confidence < DEFAULTS.fusion.unsure_covered)


@pytest.mark.parametrize(("name", "shown"), [("9C", {"9": 0.5, "8": 0.3}), ("9S", {"9": 0.3, "8": 0.55})])
@pytest.mark.parametrize(("used", "read"), [(DEFAULTS, 0), (GERMAN, 1)], ids=["french", "german"])
def test_acorns_and_leaves_need_no_more_than_other_suits(
    name: str, shown: dict[str, float], used: ReaderSettings, read: int
) -> None:
    """They do not look like each other."""
    assert len(covered([card(name, 0.8)], Corners((name[-1], shown)), settings=used)) == read


def test_the_corner_classifier_reads_all_covered_cards_at_once() -> None:
    cards = [card(name, 0.8) for name in ("9H", "8D", "7H", "6D")]
    cards[2] = AssembledCard(parse_card("7H"), 0.99, (index("7H", 0.99),))  # sure: it is not asked
    cards = [
        AssembledCard(nine.card, nine.confidence, (placed(nine.indices[0], 12 + 400 * k, 24),))
        for k, nine in enumerate(cards)
    ]
    corners = Corners(("H", {"9": 0.95}), ("D", {"7": 0.95}), ("D", {"6": 0.95}))
    assert {str(reading.face) for reading in covered(cards, corners)} == {"9H", "7H", "6D"}
    assert corners.calls == [3]


@pytest.mark.parametrize(
    ("other", "answers", "read"),
    [
        (placed(index("9H", 0.8), 114, 152, -32), [{"9": 0.9}, {"9": 0.9}], True),
        (placed(index("9H", 0.95), 114, 152, -32), [{}, {"8": 0.9}], False),
        (placed(index("9H", 0.95), 114, 152, -32), [{"8": 0.9}, {}], False),
        (placed(index("9H", 0.8), 114, 24), [{"9": 0.9}], True),  # in the upper right corner
    ],
)
def test_it_reads_the_corners_in_which_the_indices_stand(
    other: IndexReading, answers: list[dict[str, float]], read: bool
) -> None:
    corners = Corners(*[("H", answer) for answer in answers])
    assert len(covered([card("9H", 0.95 if not read else 0.8, other)], corners)) == read
    assert corners.calls == [len(answers)] and corners.marked == [True, False][: len(answers)]


def test_each_card_is_judged_by_its_own_corners() -> None:
    nine = card("9H", 0.8, placed(index("9H", 0.8), 114, 152, -32))
    seven = AssembledCard(parse_card("7D"), 0.8, (placed(index("7D", 0.8), 500, 24),))
    corners = Corners(("H", {"9": 0.95}), ("H", {"9": 0.95}), ("D", {"8": 0.95}))
    assert [str(reading.face) for reading in covered([nine, seven], corners)] == ["9H"]
    assert corners.calls == [3]


def test_it_reads_the_first_corner_if_the_index_stands_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CoveredCardReader, "_outline", lambda *_: (PLACE, 0.0))
    corners = Corners(("H", {"9": 0.95}))
    away = AssembledCard(parse_card("9H"), 0.8, (placed(index("9H", 0.8), 63, 88),))
    assert len(covered([away], corners)) == 1 and corners.calls == [1] and corners.marked == [True]


def test_a_card_on_edges_on_which_another_one_lies_is_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index of a five stands in the middle of its outline."""
    at_edges(monkeypatch)
    five = AssembledCard(parse_card("5D"), 0.999, (placed(index("5D", 0.999), 63, 88),))
    corners = Corners(("H", {"9": 0.95}))
    assert "9H" in {str(reading.face) for reading in covered([five, card("9H", 0.8)], corners)}
    assert corners.calls == [1]


def test_at_a_table_the_corner_classifier_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """There a card is read again; it would answer that this one is an eight."""
    at_edges(monkeypatch)
    corners = Corners(("H", {"8": 0.99}))
    found = covered([card("9H", 0.95)], corners, mm_per_px=0.5)
    assert [str(reading.face) for reading in found] == ["9H"] and found[0].confidence == 0.95 and not corners.calls
