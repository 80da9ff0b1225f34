"""Cards of a deck that no model was trained on, laid on the simulated table: exactly these are reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import placements
from benchmarks.laying import Deal, main
from benchmarks.unseen_decks import drawn
from vision.faces import FaceReader


def test_every_card_is_reported_and_none_wrongly() -> None:
    tally = Deal(5, drawn, FaceReader()).run(16)
    assert (tally.laid, tally.wrong, tally.corrected, tally.again) == (16, 0, 0, 0)
    assert tally.notes == []


def test_the_benchmark_goes_on_from_its_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong card that was recorded counts, even if no more cards are laid."""
    record = tmp_path / "laid.jsonl"
    kept = {
        "laid": 52,
        "wrong": 1,
        "corrected": 2,
        "again": 3,
        "frames": 400,
        "ms": 4000.0,
        "notes": ["frame 9: 2S reported"],
    }
    record.write_text(json.dumps({"seed": 0, **kept}) + "\n")
    assert main(["--cards", "52", "--record", str(record)]) == 1
    out = capsys.readouterr().out
    assert "deal 0, frame 9: 2S reported" in out
    assert out.splitlines()[-1].split()[1:6] == ["52", "1", "2", "3", "400"]


def test_a_deck_with_inset_indices_is_reported_from_the_first_card() -> None:
    """Its number cards print their indices 12 mm from the short edge."""
    tally = placements.laid(placements.layouts()["courts usual, others 12 mm"], 8, seed=5)
    assert (tally.laid, tally.wrong, tally.corrected, tally.again) == (8, 0, 0, 0)
    assert tally.notes == []
