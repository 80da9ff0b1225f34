"""`vision` as a library: reading a picture with one call."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

import vision
from engine.cards import parse_card
from tests.drawing.cards import DrawnTable, face_picture
from vision.decks.deck import LearnedDeck
from vision.frames import Image
from vision.see import readers_for


def photo_of(card: str) -> Image:
    table = DrawnTable((500, 400))
    table.lay(face_picture(parse_card(card)), (250, 200), 15)
    return table.photo(1)


def test_a_picture_is_read_from_a_path_and_from_an_array(tmp_path: Path) -> None:
    photo = photo_of("8H")
    path = tmp_path / "photo.png"
    cv2.imwrite(str(path), photo)
    for picture in (str(path), path, photo):
        (reading,) = vision.read(picture)
        assert reading.face is parse_card("8H")
        assert 0.8 < reading.confidence <= 1
        assert reading.outline.shape == (4, 2)
        assert np.linalg.norm(np.array(reading.centre) - (250, 200)) < 5
        assert repr(reading).startswith("<Reading 8H, confidence ")


def test_marks_and_readers_select_what_is_read() -> None:
    photo = photo_of("8H")
    assert vision.read(photo, marks="aruco") == []
    assert vision.read(photo, readers=[]) == []
    assert len(vision.read(photo, readers=readers_for("faces"))) == 1
    assert vision.read(photo, mm_per_px=2.0) == []


def test_a_grey_picture_is_read() -> None:
    grey = np.asarray(cv2.cvtColor(photo_of("KS"), cv2.COLOR_BGR2GRAY), np.uint8)
    assert [str(reading.face) for reading in vision.read(grey)] == ["KS"]


def test_a_file_that_is_not_a_picture_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no picture", "utf-8")
    with pytest.raises(vision.NotAPicture, match="not a picture"):
        vision.read(tmp_path / "notes.txt")
    with pytest.raises(vision.NotAPicture, match="no such file"):
        vision.read(tmp_path / "missing.jpg")


@pytest.mark.parametrize("shape", [(10,), (0, 0, 3), (10, 10, 2), (2, 10, 10, 3)])
def test_an_array_that_is_not_a_picture_is_an_error(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="is not a picture"):
        vision.read(np.zeros(shape, np.uint8))


def test_readers_come_in_order_of_precedence() -> None:
    def names(*args: object) -> list[str]:
        return [type(reader).__name__ for reader in readers_for(*args)]  # type: ignore[arg-type]

    assert names() == names("all") == ["ArucoReader", "QrReader", "FaceReader"]
    assert names(("faces", "aruco")) == ["ArucoReader", "FaceReader"]
    assert names("all", LearnedDeck("mine")) == ["ArucoReader", "QrReader", "DeckReader"]
    assert names("qr", LearnedDeck("mine")) == ["QrReader"]


def test_importing_vision_loads_no_opencv() -> None:
    code = "import sys, vision; assert 'cv2' not in sys.modules and 'numpy' not in sys.modules; print(dir(vision))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(name in done.stdout for name in vision.__all__)
    with pytest.raises(AttributeError, match="no attribute 'reed'"):
        vision.reed  # type: ignore[attr-defined]  # noqa: B018
