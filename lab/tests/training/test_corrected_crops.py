"""Training reads the pictures of corrected cards that a table keeps."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cardtable.history.pictures import CorrectedCrops
from engine.cards import parse_card
from tests.drawing.decks import drawn_deck
from tests.drawing.faces import cloth, lay

pytest.importorskip("PIL")

from lab.training.files import held_out
from lab.training.photos import photo_corners


def test_corners_of_corrected_cards_are_samples(tmp_path: Path) -> None:
    folder = tmp_path / "corrected"
    crops = CorrectedCrops(folder)
    for number, card in enumerate(map(parse_card, ("QS", "10H", "AC", "7D", "KS"))):
        picture = cloth(1920, 1080, np.random.default_rng(1))
        corners = lay(picture, drawn_deck("packaged")[card], (900, 500), 17.0 * number, 4.0)
        crops.keep(picture, tuple((float(x) / 1920, float(y) / 1080) for x, y in corners), card)
    names = [entry["image"] for entry in json.loads((folder / "truth.json").read_text("utf-8"))]
    wanted = {name.split("-")[1].removesuffix(".png") for name in names if not held_out(folder.name, name)}
    labels = [rank + suit for _, (rank, suit) in photo_corners(folder)]
    assert len(wanted) >= 2
    assert set(labels) == wanted and all(labels.count(label) >= 2 for label in wanted)
