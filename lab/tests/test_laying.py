"""Cards of a deck that no network was trained on are laid on the simulated table: exactly these are reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cards import STANDARD_DECK
from lab.benchmarks import placements
from lab.benchmarks.laying import Deal, Dealt, Tally, main
from tests.drawing import unseen_decks
from tests.drawing.unseen_decks import drawn
from vision.faces import FaceReader
from vision.image_files import NotAPicture


def test_every_card_is_reported_and_none_wrongly() -> None:
    tally = Deal(5, drawn, FaceReader()).run(16)
    assert (tally.laid, tally.wrong, tally.corrected, tally.again) == (16, 0, 0, 0)
    assert tally.notes == []


KEPT = {"laid": 52, "wrong": 0, "corrected": 2, "again": 0, "frames": 400, "ms": 4000.0, "notes": []}


def test_the_benchmark_goes_on_from_its_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong card that was recorded counts, even if no more cards are laid."""
    record = tmp_path / "laid.jsonl"
    kept = KEPT | {"wrong": 1, "again": 3, "notes": ["frame 9: 2S reported"]}
    record.write_text(json.dumps({"deck": "drawn", "seed": 0, **kept}) + "\n")
    assert main(["--cards", "52", "--record", str(record)]) == 1
    out = capsys.readouterr().out
    assert "drawn, deal 0, frame 9: 2S reported" in out
    assert out.splitlines()[-2].split()[1:7] == ["52", "1", "2", "3", "0", "400"]


@pytest.mark.parametrize(("wrong", "again", "status"), [(0, 0, 0), (1, 0, 1), (0, 1, 1)])
def test_of_twelve_decks_each_must_reach_the_goal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: int, again: int, status: int
) -> None:
    """One card of 104 laid again is more than 1 in 1,000, although it is not of all twelve decks together."""
    record, names = tmp_path / "laid.jsonl", unseen_decks.names()
    lines = [{"deck": name, "seed": seed, **KEPT} for name in names for seed in (5, 6)]
    lines[7] |= {"wrong": wrong, "again": again}
    record.write_text("".join(json.dumps(line) + "\n" for line in lines))
    arguments = ["--twelve", str(tmp_path), "--cards", "104", "--seed", "5", "--record", str(record)]
    assert main(arguments) == status
    rows = capsys.readouterr().out.splitlines()[1:]
    assert [row[:34].rstrip() for row in rows] == list(names) and len(names) == 12
    assert [("MISSED" in row) for row in rows] == [status == 1 and name == lines[7]["deck"] for name in names]


def test_random_decks_are_judged_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One card of 1,040 laid again is below 1 in 1,000."""
    record = tmp_path / "laid.jsonl"
    lines = [{"deck": f"random {number}", "seed": 5, **KEPT} for number in range(20)]
    lines[7]["again"] = 2
    arguments = ["--random", "20", "--cards", "52", "--seed", "5", "--record", str(record)]
    for status in (1, 0):
        record.write_text("".join(json.dumps(line) + "\n" for line in lines))
        assert main(arguments) == status
        row = capsys.readouterr().out.splitlines()[-1]
        assert row.split()[:5] == ["all", "1040", "0", "40", str(1 + status)] and ("MISSED" in row) == bool(status)
        lines[7]["again"] = 1


def test_a_missing_deck_is_named_with_the_command_that_renders_it(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"younestouati.*render --unseen"):
        unseen_decks.deck("younestouati", tmp_path)


def test_a_folder_may_have_the_name_of_one_of_the_twelve_decks(tmp_path: Path) -> None:
    record, name = tmp_path / "laid.jsonl", "younestouati"
    record.write_text(json.dumps({"deck": name, "seed": 3, **KEPT}) + "\n")
    deal = Dealt(name, 4, tmp_path / name)
    with pytest.raises(NotAPicture):  # its own folder, in which there is none, and not one inside it
        deal.run()
    assert main(["--deck", str(tmp_path / name), "--seed", "3", "--cards", "52", "--record", str(record)]) == 0


def test_drawn_decks_have_fifty_two_different_cards() -> None:
    for name in (*unseen_decks.PLACED, *unseen_decks.STYLED, *unseen_decks.random_names(4)):
        faces = unseen_decks.deck(name, Path())
        assert len({faces(card).tobytes() for card in STANDARD_DECK}) == 52


def test_a_deck_with_inset_indices_is_reported_from_the_first_card() -> None:
    """Its number cards print their indices 12 mm from the short edge."""
    tally = placements.laid(placements.layouts()["courts usual, others 12 mm"], 8, seed=5)
    assert (tally.laid, tally.wrong, tally.corrected, tally.again) == (8, 0, 0, 0)
    assert tally.notes == []


@pytest.mark.parametrize(("read", "status"), [("all", 0), ("one twice", 1)])
def test_single_pictures_of_a_deck_with_inset_indices(
    read: str, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if read == "one twice":
        plain = FaceReader.read
        monkeypatch.setattr(FaceReader, "read", lambda *args: (found := plain(*args)) + found[:1])
    assert placements.main(["--single", "courts usual"]) == status
    head, row, total = capsys.readouterr().out.splitlines()
    assert head.split() == ["deck", "cards", "read", "wrong", "recall", "precision"]
    cards, right, wrong, recall, _ = row.split()[-5:]
    assert (cards, right, recall, int(wrong) > 0) == ("52", "52", "1.000", status == 1)
    assert total.split()[1:] == row.split()[-5:]


@pytest.mark.parametrize(("wrong", "again", "never", "status"), [(0, 3, 0, 0), (1, 0, 0, 1), (0, 3, 1, 1)])
def test_a_wrong_or_missing_card_misses_the_goal_of_placements(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    wrong: int,
    again: int,
    never: int,
    status: int,
) -> None:
    """A card that counts when it is laid again does not."""
    result = Tally(laid=20, wrong=wrong, again=again, frames=90, never=never)
    monkeypatch.setattr(placements, "laid", lambda *_: result)
    assert placements.main(["courts usual"]) == status
    head, row, total = capsys.readouterr().out.splitlines()
    assert head.split() == ["deck", "laid", "wrong", "corrected", "again", "never", "frames", "ms/frame", "of", "YOLO"]
    assert row.split()[-8:-2] == total.split()[1:] == ["20", str(wrong), "0", str(again), str(never), "90"]
