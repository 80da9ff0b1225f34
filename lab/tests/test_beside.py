"""`lab.benchmarks.beside`, with drawn pictures and the commit that is checked out."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest

from engine.cards import parse_card
from lab.benchmarks.beside import Program, Times, compared, main
from tests.drawing.placed import Layout, table_of


@pytest.fixture
def photographs(tmp_path: Path) -> Path:
    """Two sets of two pictures of one card."""
    for name in ("cloth", "felt"):
        images = tmp_path / name / "images"
        images.mkdir(parents=True)
        for card in ("QS", "9H"):
            picture = table_of(Layout(), [(parse_card(card), (200.0, 160.0), 10.0)], size=(400, 320))
            assert cv2.imwrite(str(images / f"{card}.png"), picture)
        entries = [{"image": f"{card}.png", "cards": [card]} for card in ("QS", "9H")]
        (tmp_path / name / "truth.json").write_text(json.dumps(entries), "utf-8")
    return tmp_path


def test_the_times_are_shares_of_those_of_the_commit(photographs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["HEAD", str(photographs), "--every", "1", "felt"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row[:2] for row in rows] == [["cloth", "2"], ["felt", "2"], ["all", "2"]]
    assert all(float(share) > 0 for row in rows for share in row[2:4])
    assert rows[0][2:] == rows[2][2:]


def test_shares_and_other_cards_are_added() -> None:
    first, second = Times([2.0, 4.0], [1.0, 2.0], 1), Times([10.0], [10.0], 2)
    first.add(second)
    mean, high = first.ratios
    assert (round(mean, 3), first.differing) == (round(13 / 16, 3), 3)
    assert round(high, 3) == round((2 + 0.9 * 8) / (4 + 0.9 * 6), 3)


def test_pictures_that_show_other_cards_are_counted(photographs: Path) -> None:
    class Reads(Program):
        def __init__(self, cards: list[str]) -> None:
            self.cards = iter(cards)

        def read(self, picture: Path) -> tuple[float, list[str]]:
            return 1.0, [next(self.cards)]

    assert compared(Reads(["QS", "9H", "4C"]), Reads(["QS", "9S", "4C"]), [photographs] * 3).differing == 1


def test_an_unknown_commit_and_a_missing_picture_are_said(photographs: Path) -> None:
    with pytest.raises(SystemExit, match="there is no commit 'no-such-commit'"):
        main(["no-such-commit", str(photographs)])
    (photographs / "cloth" / "images" / "QS.png").unlink()
    with pytest.raises(SystemExit, match=r"could not read .*QS\.png"):
        main(["HEAD", str(photographs)])


def test_without_a_commit_it_says_what_to_give(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0
    assert "give a commit" in capsys.readouterr().out
