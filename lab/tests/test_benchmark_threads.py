"""`lab.benchmarks.threads`: which threads OpenCV and the nets should have."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest

from engine.cards import parse_card
from lab.benchmarks import threads
from lab.benchmarks.eye import shoot
from lab.benchmarks.threads import Spent, Way, main, wasted
from tests.drawing.placed import Layout, table_of


@pytest.fixture
def photographs(tmp_path: Path) -> Path:
    """A set of five pictures, of which the first and the last are read."""
    images = tmp_path / "felt" / "images"
    images.mkdir(parents=True)
    picture = table_of(Layout(), [(parse_card("QS"), (200.0, 160.0), 10.0)], size=(400, 320))
    for number in range(5):
        assert cv2.imwrite(str(images / f"{number}.png"), picture)
    entries = [{"image": f"{number}.png", "cards": ["QS"]} for number in range(5)]
    (tmp_path / "felt" / "truth.json").write_text(json.dumps(entries), "utf-8")
    return tmp_path


@pytest.mark.usefixtures("any_threads")
def test_each_way_is_a_row(
    photographs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stage, film, eighth = shoot("faces")
    monkeypatch.setattr(threads, "ROUNDS", 1)
    monkeypatch.setattr(threads, "shoot", lambda marks: (stage, film[:6], eighth))
    monkeypatch.setattr(threads, "wasted", lambda ways: False)  # no test depends on the time that something takes
    monkeypatch.setattr(cv2, "getNumberOfCPUs", lambda: 2)
    assert main([str(photographs)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.split()[:1] in (["1"], ["2"])]
    assert [row[:2] for row in rows] == [["1", "1"], ["1", "2"], ["2", "1"], ["2", "2"]]
    assert [row[6:] for row in rows] == [[], ["*"], [], []]
    assert all(float(value) > 0 for row in rows for value in row[2:6])


def test_with_one_core_there_is_nothing_to_compare(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cv2, "getNumberOfCPUs", lambda: 1)
    assert main([]) == 0
    assert capsys.readouterr().out == "This machine has one core: there is nothing to compare.\n"


def test_the_least_of_the_rounds_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    passing, used = iter([0.0, 6.0, 10.0, 14.0, 20.0, 30.0]), iter([0.0, 2.0, 2.0, 6.0, 6.0, 7.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(passing))
    monkeypatch.setattr("time.process_time", lambda: next(used))
    spent = Spent()
    for passed, processor in ((3000.0, 1000.0), (2000.0, 1000.0), (2000.0, 500.0)):
        spent.measure(lambda: None, 2)
        assert (spent.passed, spent.processor) == (passed, processor)


@pytest.mark.parametrize(
    ("other", "is_wasted"),
    [((4.0, 9.0, 50.0, 99.0), False), ((3.9, 9.0, 99.0, 99.0), True), ((9.0, 9.0, 99.0, 1.0), True)],
)
def test_a_way_that_takes_much_less_is_a_miss(other: tuple[float, ...], is_wasted: bool) -> None:
    used = Way(1, 4, Spent(5.0, 5.0), Spent(60.0, 60.0))
    unused = Way(4, 4, Spent(*other[:2]), Spent(*other[2:]))
    assert wasted([unused, used]) == is_wasted
