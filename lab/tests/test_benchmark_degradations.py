"""`lab.benchmarks.degradations` says which goals a line misses, and counts those that are met."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest

from engine.cards import STANDARD_DECK
from lab.benchmarks import degradations
from lab.benchmarks.degradations import Goals, Judged, Tally, line, main, read
from lab.benchmarks.photo_heights import measured
from lab.benchmarks.score import Score
from tests.drawing.degrading import six_cards
from tests.drawing.faces import Style, face_of
from tests.drawing.tables import drawn_decks
from vision.faces import FaceReader


@pytest.mark.parametrize(
    ("right", "wrong", "missed", "met"),
    [
        (60, 0, "", 2),
        (54, 0, "", 2),
        (53, 0, "   MISSED: recall", 1),
        (59, 1, "   MISSED: precision", 1),
        (53, 1, "   MISSED: recall, precision", 0),
        (0, 0, "   MISSED: recall", 1),
    ],
)
def test_a_line_names_the_goals_that_it_misses(right: int, wrong: int, missed: str, met: int) -> None:
    """One wrong reading of sixty is more than 0.5 %; if nothing is read, nothing is wrong."""
    goals = Goals()
    total = Tally()
    total.score, total.red = Score(60, right, wrong), Score(20, 15, 0)
    total.judged = [Judged(0.99, True)] * right + [Judged(0.96, False)] * wrong
    printed = line("blur", "2.5", total, goals)
    assert printed.endswith(f"{wrong:6d} {wrong:5d}{missed}") and printed.split()[4] == "75.0%"
    total.red = Score()
    assert line("blur", "2.5", total, Goals()).split()[4] == "-"
    assert (goals.met, goals.of) == (met, 2)


def test_hearts_and_diamonds_are_counted_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    photo, reader = six_cards(drawn_decks()["drawn"], 30.0, 3), FaceReader()
    red = [card for card in photo.cards if card[-1] in "HD"]
    assert 0 < len(red) < len(photo.cards) == 6
    total = read(reader, photo, {"cards": photo.cards})
    assert (total.score.right, total.red.cards, total.red.right) == (6, len(red), len(red))
    seen = [reading for reading in reader.read(photo.image) if str(reading.face) not in red[:1]]
    monkeypatch.setattr(reader, "read", lambda _: seen)
    total.add(read(reader, photo, {"cards": photo.cards}))
    assert (total.score.right, total.red.cards, total.red.right) == (11, 2 * len(red), 2 * len(red) - 1)
    assert len(total.judged) == 11


def test_the_last_line_counts_the_goals(capsys: pytest.CaptureFixture[str]) -> None:
    """Undegraded pictures are read without a mistake; those with indices of ten pixels are not."""
    assert main(["--only", "none", "--rounds", "1"]) == 0
    printed = capsys.readouterr().out
    assert "MISSED" not in printed and printed.splitlines()[-1] == "goals met: 4 of 4"
    assert main(["--only", "index, px", "--rounds", "1"]) == 1
    *lines, last = capsys.readouterr().out.splitlines()
    missed = sum(each.count("recall") + each.count("precision") for each in lines if "MISSED: " in each)
    met, of = (int(number) for number in last.removeprefix("goals met: ").split(" of "))
    assert missed and of - met == missed and of >= 8


def test_decks_with_german_suits_are_read_by_their_own_nets(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Undegraded cards of both drawn decks are read without a mistake; the nets for French suits read few of them."""
    assert main(["--german", "--only", "none", "--rounds", "1"]) == 0
    german = capsys.readouterr().out.splitlines()
    monkeypatch.setattr(degradations, "FaceReader", lambda suits: FaceReader())
    assert main(["--german", "--only", "none", "--rounds", "1"]) == 1
    french = capsys.readouterr().out.splitlines()
    assert german[1].split()[:4] == ["none", "0", "12", "100.0%"]
    assert french[1].split()[:3] == ["none", "0", "12"] and "MISSED: recall" in french[1]


def photo_set(folder: Path, height: float, **labels: object) -> None:
    """Write a set with one picture whose indices have this height."""
    photo = six_cards(drawn_decks()["drawn"], height, 3)
    (folder / "images").mkdir(parents=True)
    cv2.imwrite(str(folder / "images" / "one.png"), photo.image)
    (folder / "truth.json").write_text(json.dumps([{"image": "one.png", "cards": photo.cards, **labels}]), "utf-8")


def test_photographs_are_scaled_to_indices_of_one_height(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Photographs with smaller indices or without complete labels are left out; small indices can be requested."""
    for name, height in (("large", 60.0), ("other", 50.0), ("small", 22.0)):
        photo_set(tmp_path / name, height)
    photo_set(tmp_path / "partly", 60.0, complete=False)
    kept = list(measured(tmp_path, 2, 30.0))
    assert [round(photo.height / 10) for photo in kept] == [6, 5]
    for photo in kept:
        assert (photo.photo(15.0).height, photo.photo(15.0).cards) == (15.0, photo.labelled.entry["cards"])
        assert photo.photo(15.0).image.shape[0] == pytest.approx(
            photo.labelled.image.shape[0] * 15 / photo.height, abs=1
        )
    every = ["--photos", str(tmp_path), "--scaled", "--rounds", "1", "--only", "none", "index, px", "glare"]
    assert main([*every, "--sets", "large"]) in (0, 1)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[:3] for line in lines[1:5]] == [
        ["none", "0", "6"], ["index,", "px", "16"], ["index,", "px", "12"], ["index,", "px", "10"],
    ]  # fmt: skip
    main(["--photos", str(tmp_path), "--rounds", "1", "--only", "none", "index, px"])
    assert "none                  0     24" in (printed := capsys.readouterr().out) and "index" not in printed
    main(["--photos", str(tmp_path), "--sets", "small", "--only", "none"])
    assert "none                  0      6" in capsys.readouterr().out


def test_what_cannot_be_measured_on_photographs_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    photo_set(tmp_path / "small", 22.0)
    photos = ["--photos", str(tmp_path)]
    for wrong, message in (
        (["--scaled"], "--scaled and --sets need --photos"),
        (["--sets", "small"], "--scaled and --sets need --photos"),
        ([*photos, "--german"], "--photos excludes --decks and --german"),
        ([*photos, "--only", "index, px"], "cannot be degraded so: index, px"),
        ([*photos, "--scaled", "--only", "glare"], "cannot be degraded so: glare"),
    ):
        with pytest.raises(SystemExit):
            main(wrong)
        assert message in capsys.readouterr().err
    for wrong, message in (
        ([*photos, "--scaled"], "no photograph has indices of 30 pixels"),
        ([*photos, "--sets", "smal"], "no set smal in .*there are: small"),
        (["--photos", str(tmp_path / "small"), "--only", "none"], "no set at all in .*there are: none"),
    ):
        with pytest.raises(SystemExit, match=message):
            main(wrong)


def test_ordinary_decks_are_others_of_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A deck that is missing is named; `--ordinary` needs a folder, and excludes `--german` and `--photos`."""
    (tmp_path / "react-casino").mkdir()
    for card in STANDARD_DECK.cards:
        cv2.imwrite(str(tmp_path / "react-casino" / f"{card}.png"), face_of(card, Style()))
    assert main(["--decks", str(tmp_path), "--ordinary", "--only", "none", "--rounds", "1"]) == 0
    printed = capsys.readouterr().out
    assert "younestouati: left out" in printed and "jolly" not in printed
    assert [line.split()[:4] for line in printed.splitlines() if line.startswith("none")] == [
        ["none", "0", "6", "100.0%"]
    ]
    for excluded in ([], ["--german", "--decks", str(tmp_path)], ["--photos", str(tmp_path), "--decks", str(tmp_path)]):
        with pytest.raises(SystemExit):
            main(["--ordinary", *excluded])
        assert "--ordinary needs --decks" in capsys.readouterr().err
