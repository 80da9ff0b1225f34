"""Outlines of covered cards are as large as the cards around them, and lie on the edges that show."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.cards import Card
from tests.drawing.outline_scenes import decks, picture
from tests.drawing.outlines import compare
from vision.faces import FaceReader
from vision.faces.covered_outlines import CoveredOutlines
from vision.frames import Image
from vision.readings import Reading

Decks = dict[str, dict[Card, Image]]


@pytest.fixture(scope="module")
def all_decks() -> Decks:
    return decks()


@pytest.fixture
def before(monkeypatch: pytest.MonkeyPatch) -> list[Reading]:
    """The readings of the last picture as they were before their outlines were completed."""
    kept: list[Reading] = []
    complete = CoveredOutlines.complete

    def remembered(self: CoveredOutlines, readings: list[Reading], doubted: set[int]) -> list[Reading]:
        kept[:] = readings
        return complete(self, readings, doubted)

    monkeypatch.setattr(CoveredOutlines, "complete", remembered)
    return kept


@pytest.mark.sampled(1)
@pytest.mark.parametrize("lean", [0, 1])
def test_covered_cards_lie_where_they_are_drawn(lean: int, all_decks: Decks, before: list[Reading]) -> None:
    now: list[float] = []
    extrapolated: list[float] = []
    for lie, seed in (("fan", 8), ("row", 6), ("thrown", 30)):
        drawn = picture(all_decks["drawn"], lie, seed + lean)
        truths = [outline for _, outline in drawn.cards]
        found = compare(FaceReader().read(drawn.image), truths)
        now += [pair[0] for pair in found if pair and pair[1].outline_from == "index"]
        extrapolated += [pair[0] for pair in compare(before, truths) if pair and pair[1].outline_from == "index"]
    assert len(now) >= 15
    assert np.median(now) > max(0.88, np.median(extrapolated) + 0.05)
    assert np.mean(np.array(now) > 0.8) > 0.9


def test_outlines_on_edges_and_the_cards_stay_as_they_are(all_decks: Decks, before: list[Reading]) -> None:
    for lie in ("thrown", "apart"):
        found = FaceReader().read(picture(all_decks["framed"], lie, 5).image)
        assert [(reading.face, reading.confidence, reading.outline_from) for reading in found] == [
            (reading.face, reading.confidence, reading.outline_from) for reading in before
        ]
        same = [reading.outline is earlier.outline for reading, earlier in zip(found, before, strict=True)]
        on_edges = [reading.outline_from == "edges" for reading in found]
        assert all(kept for kept, exact in zip(same, on_edges, strict=True) if exact)
        assert any(on_edges)


def test_an_outline_around_a_row_is_not_said_to_lie_on_edges(all_decks: Decks) -> None:
    drawn = picture(all_decks["drawn"], "row", 5)
    found = FaceReader().read(drawn.image)
    pairs = [pair for pair in compare(found, [outline for _, outline in drawn.cards]) if pair]
    assert len(pairs) >= 8
    assert all(value > 0.85 for value, reading in pairs if reading.outline_from == "edges")
    (queen,) = (reading for reading in found if str(reading.face) == "QS")
    assert queen.outline_from == "index"
    assert min(value for value, _ in pairs) > 0.6  # around the whole row it would be below 0.3


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("deck", "dim", "ground"), [("drawn", 0.95, 245), ("drawn", 0.75, 245), ("framed", 0.63, 240)])
def test_cards_on_ground_as_light_as_they_are_keep_their_outlines(
    deck: str, dim: float, ground: int, all_decks: Decks
) -> None:
    """No edge of theirs is darker outside; what is printed on them is."""
    picture = np.full((700, 900, 3), ground, np.float32)
    cards = list(all_decks[deck].values())
    truths = []
    for left, face in ((100, cards[7]), (520, cards[12])):
        picture[150:502, left : left + 252] = cv2.resize(face, (252, 352), interpolation=cv2.INTER_AREA) * dim
        truths.append(np.array([[left, 150], [left + 252, 150], [left + 252, 502], [left, 502]], np.float64))
    soft = cv2.GaussianBlur(picture, (0, 0), 0.8) + np.random.default_rng(1).normal(0, 2, picture.shape)
    found = FaceReader().read(np.asarray(np.clip(soft, 0, 255), np.uint8))
    assert [pair is not None and pair[0] > 0.95 for pair in compare(found, truths)] == [True, True]
