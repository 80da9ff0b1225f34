"""`lab.benchmarks.gate`: what the gate of the index detector saves, and what it leaves out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.cards import RANKS, SUITS, parse_card
from lab.benchmarks import gate
from lab.benchmarks.gate import Found, examined, left_out, main
from tests.drawing.cards import row
from vision.faces.card_assembly import IndexReading
from vision.faces.index_detector import IndexDetector, IndexPose
from vision.faces.index_reader import IndexReader
from vision.faces.settings import DEFAULTS


def reading(name: str, x: float) -> IndexReading:
    """A certain index at (x, 50), 20 pixels high."""
    card = parse_card(name)
    rank, suit = np.zeros(14, np.float32), np.zeros(5, np.float32)
    rank[RANKS.index(card.rank)] = suit[SUITS.index(card.suit)] = 1
    return IndexReading(IndexPose(x, 50, 0, 20, 0.9), rank, suit)


def test_an_index_that_is_not_read_there_is_left_out() -> None:
    seven, queen = reading("7H", 50), reading("QS", 200)
    assert left_out([seven, queen], [reading("QS", 203), reading("7H", 56)]) == 0
    assert left_out([seven, queen], [reading("7H", 80), queen]) == 1
    assert left_out([seven, queen], [reading("7D", 50)]) == 2
    assert left_out([], [seven]) == 0


def test_a_blind_gate_leaves_out_every_index() -> None:
    picture, cards = row(2.0, 4)
    everywhere, blind = (IndexDetector(settings=replace(DEFAULTS.detector, gate_score=least)) for least in (0.0, 1.1))
    found = examined(picture, everywhere, blind, IndexReader())
    assert found.pictures == 1 and found.left_out == found.read >= len(cards)
    seeing = examined(picture, everywhere, IndexDetector(), IndexReader())
    assert seeing.read == found.read and seeing.left_out == 0


def test_a_folder_without_photographs_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert capsys.readouterr().err.endswith(f"{tmp_path}: there are no photographs\n")


def test_too_many_that_are_left_out_are_a_missed_goal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gate, "pictures", lambda: {"rows": [row(2.0, 5)[0]], "others": [row(2.0, 6)[0]]})
    assert main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["rows", "others", "all"] and lines[-1] == "goal met"
    monkeypatch.setattr(gate, "examined", lambda *arguments: Found(1, 1.0, 0.5, 50, 1))
    assert main() == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        f"{'all':28} {2:8} {0.5:6.2f} {100:8} {2:9}",
        "more than 1% are left out: MISSED",
    ]
