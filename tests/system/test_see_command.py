"""`cardtable see`: its output, on which other programs rely."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from cardtable.cli import main
from cardtable.paper.drawings import card_picture
from cardtable.simulation.deck import face_picture
from engine.cards import parse_card
from tests.drawing.faces import cloth, face_of, lay, photographed
from vision.frames import Image

ENTRY_KEYS = ["card", "confidence", "by", "outline"]


def two_rows() -> Image:
    rng = np.random.default_rng(12)
    table = cloth(1000, 700, rng)
    for text, middle, degrees in (
        ("QS", (160, 180), 8),
        ("10D", (480, 190), 95),
        ("3H", (800, 170), -170),
        ("AC", (250, 520), 0),
        ("KH", (700, 510), -30),
    ):
        lay(table, face_of(parse_card(text)), middle, degrees, 2.8)
    return photographed(table, rng)


def saved(folder: Path, name: str, image: Image) -> str:
    path = folder / name
    assert cv2.imwrite(str(path), image)
    return str(path)


def answers(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_one_object_for_each_picture_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    full = saved(tmp_path, "full.png", two_rows())
    empty = saved(tmp_path, "empty.jpg", cloth(640, 480, np.random.default_rng(0)))
    assert main(["see", empty, full, "--json"]) == 0
    first, second = answers(capsys)
    assert list(first) == list(second) == ["image", "width", "height", "ms", "cards"]
    assert (first["image"], first["width"], first["height"], first["cards"]) == (empty, 640, 480, [])
    assert (second["image"], second["width"], second["height"]) == (full, 1000, 700)
    assert second["ms"] > 0
    assert [entry["card"] for entry in second["cards"]] == ["QS", "10D", "3H", "AC", "KH"]


def test_each_card_has_its_outline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["see", "--json", saved(tmp_path, "a.png", two_rows())]) == 0
    (answer,) = answers(capsys)
    for entry in answer["cards"]:
        assert list(entry) == ENTRY_KEYS
        assert entry["by"] == "face"
        assert 0 < entry["confidence"] <= 1
        outline = np.array(entry["outline"])
        assert outline.shape == (4, 2)
        top, right = outline[1] - outline[0], outline[2] - outline[1]
        assert top[0] * right[1] - top[1] * right[0] > 0
        assert np.linalg.norm(top) < np.linalg.norm(right)
        assert abs(np.linalg.norm(top) - 63 * 2.8) < 6
    queen = np.array(answer["cards"][0]["outline"])
    assert np.linalg.norm(queen.mean(axis=0) - (160, 180)) < 4


def test_files_that_are_not_pictures_are_reported_and_the_others_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = saved(tmp_path, "a.png", two_rows())
    text = tmp_path / "b.txt"
    text.write_text("no picture", "utf-8")
    missing = str(tmp_path / "c.jpg")
    assert main(["see", str(text), missing, str(tmp_path), good, "--json"]) == 1
    bad, gone, folder, fine = answers(capsys)
    assert bad == {"image": str(text), "error": "not a picture"}
    assert gone == {"image": missing, "error": "there is no such file"}
    assert set(folder) == {"image", "error"}
    assert len(fine["cards"]) == 5


def test_marks_and_faces_in_one_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(3)
    table = cloth(1200, 520, rng)
    pictures = (
        card_picture(parse_card("4C"), "aruco", 6.0),
        face_picture(parse_card("8H")),
        card_picture(parse_card("JS"), "qr", 6.0),
    )
    for k, picture in enumerate(pictures):
        lay(table, np.asarray(cv2.resize(picture, (378, 528)), np.uint8), (220 + 380 * k, 260), 10 * k - 12, 3.6)
    path = saved(tmp_path, "mixed.png", photographed(table, rng))
    assert main(["see", path, "--json"]) == 0
    (answer,) = answers(capsys)
    assert [(e["card"], e["by"]) for e in answer["cards"]] == [("4C", "aruco"), ("8H", "face"), ("JS", "qr")]
    assert main(["see", path, "--json", "--marks", "qr"]) == 0
    (answer,) = answers(capsys)
    assert [(e["card"], e["by"]) for e in answer["cards"]] == [("JS", "qr")]


def test_output_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path, "a.png", two_rows())
    empty = saved(tmp_path, "b.png", cloth(300, 300, np.random.default_rng(0)))
    assert main(["see", path, empty, str(tmp_path / "none.png")]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines() == [f"{path}: Q♠ 10♦ 3♥ A♣ K♥", f"{empty}: no card"]
    assert "no such file" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "IMAGE"),
        (["a.png", "--deck", "ordinry"], "ordinary"),
        (["a.png", "--marks", "barcodes"], "aruco"),
    ],
)
def test_wrong_arguments_exit_with_2_and_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["see", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert len(err.strip().splitlines()) == 1


def test_the_program_itself(tmp_path: Path) -> None:
    """As a process, from another folder: standard output has only the answers."""
    saved(tmp_path, "a b.png", two_rows())
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-m", "cardtable", "see", "a b.png", "none.png", "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        timeout=120,
    )
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert done.returncode == 1, done.stderr
    assert (first["image"], second["image"]) == ("a b.png", "none.png")
    assert [entry["card"] for entry in first["cards"]] == ["QS", "10D", "3H", "AC", "KH"]
