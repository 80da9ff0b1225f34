"""Pictures of corrected cards: `deck learn` can read them, and their number is limited."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cardtable.history.pictures import CorrectedCrops
from cardtable.setup.deck_files import learn_pictures
from cardtable.terminal.progress import Reporter
from engine.cards import Card, parse_card
from tests.drawing.decks import drawn_deck
from tests.drawing.faces import cloth, lay
from vision.decks.deck import LearnedDeck
from vision.frames import Image

CARDS = tuple(map(parse_card, ("QS", "10H", "AC")))


def photographed(card: Card, degrees: float = 0.0) -> tuple[Image, tuple[tuple[float, float], ...]]:
    """A picture of a card that lies on cloth, and its corners as fractions of the picture."""
    picture = cloth(1920, 1080, np.random.default_rng(1))
    corners = lay(picture, drawn_deck("packaged")[card], (900, 500), degrees, 4.0)
    return picture, tuple((float(x) / 1920, float(y) / 1080) for x, y in corners)


def test_only_the_owner_and_deck_learn_read_them(tmp_path: Path) -> None:
    kept = tmp_path / "corrected"
    crops = CorrectedCrops(kept)
    for number, card in enumerate(CARDS):
        crops.keep(*photographed(card, 17 * number), card)
    assert kept.stat().st_mode & 0o777 == 0o700
    files = [path for path in kept.rglob("*") if path.is_file()]
    assert len(files) == 2 * len(CARDS) + 1
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    deck = LearnedDeck("own", {})
    assert learn_pictures(kept, deck, Reporter(False)) == 0
    assert set(deck.faces) == set(CARDS)


def test_the_oldest_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardtable.history.pictures.MAX_CROP_BYTES", 1)
    picture, corners = photographed(CARDS[0])
    crops = CorrectedCrops(tmp_path)
    for card in CARDS[:3]:
        crops.keep(picture, corners, card)
    assert [path.name for path in (tmp_path / "images").iterdir()] == ["000003-AC.png"]
    assert [entry["image"] for entry in json.loads((tmp_path / "truth.json").read_text("utf-8"))] == ["000003-AC.png"]
    (tmp_path / "truth.json").write_text("{")
    crops.keep(picture, corners, parse_card("brown-3"))
    assert json.loads((tmp_path / "truth.json").read_text("utf-8"))[-1]["boxes"] == []
