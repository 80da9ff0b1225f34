"""Reading one picture with several readers: which answer counts, and in which order; pictures from files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.cards import Card, parse_card
from engine.observations import ActionCard
from tests.drawing.cards import DrawnTable, face_picture
from tests.vision.broken_pictures import png_header
from vision.frames import Image
from vision.image_files import MAX_FILE_BYTES, NotAPicture, PictureTooLarge, load_picture, picture_size
from vision.readings import By, Reading
from vision.see import readers_for, reading_order, see


def reading(face: Card | ActionCard | str, x: float, y: float, by: By = "face", side: float = 60) -> Reading:
    """Return a reading of a card of `side` x 1.4 `side` pixels with its centre at (x, y)."""
    w, h = side / 2, side * 0.7
    outline = np.array([[x - w, y - h], [x + w, y - h], [x + w, y + h], [x - w, y + h]], np.float32)
    return Reading(parse_card(face) if isinstance(face, str) else face, 0.9, by, outline)


@dataclass
class Fixed:
    """A reader that always returns the same readings."""

    min_px_per_mm = 0.0

    readings: list[Reading]

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        return self.readings


NOTHING = np.zeros((400, 600, 3), np.uint8)


def seen(*readers: list[Reading]) -> list[str]:
    return [f"{r.face} {r.by}" for r in see(NOTHING, [Fixed(found) for found in readers])]


def test_a_card_read_by_two_readers_counts_once() -> None:
    assert seen([reading("QS", 100, 100, "aruco")], [reading("QS", 104, 97)]) == ["QS aruco"]


def test_the_first_reader_wins_if_they_differ() -> None:
    assert seen([reading(ActionCard("beg"), 100, 100, "aruco")], [reading("8S", 100, 101)]) == ["say:beg aruco"]


def test_equal_cards_in_two_places_are_two_cards() -> None:
    assert seen([reading("QS", 100, 100)], [reading("QS", 300, 100)]) == ["QS face", "QS face"]


def test_different_cards_that_overlap_are_two_cards() -> None:
    assert seen([reading("QS", 100, 100, "qr")], [reading("2D", 135, 110)]) == ["QS qr", "2D face"]


def test_reading_order_is_rows_from_the_top() -> None:
    cards = [reading("AS", 300, 108), reading("2S", 100, 110), reading("3S", 90, 300), reading("4S", 200, 95)]
    assert [str(r.face) for r in reading_order(cards)] == ["2S", "4S", "AS", "3S"]
    assert reading_order([]) == []


def test_pictures_from_files(tmp_path: Path) -> None:
    table = DrawnTable((500, 400))
    table.lay(face_picture(parse_card("8H")), (250, 200), 15)
    photo = table.photo(1)
    cv2.imwrite(str(tmp_path / "a.png"), photo)
    assert np.array_equal(load_picture(tmp_path / "a.png"), photo)
    assert [str(r.face) for r in see(photo, readers_for("faces"))] == ["8H"]


def test_the_orientation_tag_of_a_picture_is_ignored(tmp_path: Path) -> None:
    _, jpeg = cv2.imencode(".jpg", np.zeros((40, 60, 3), np.uint8))
    turned = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"  # orientation 6: a quarter turn
    data = jpeg.tobytes()
    (tmp_path / "t.jpg").write_bytes(data[:2] + b"\xff\xe1" + (len(turned) + 2).to_bytes(2, "big") + turned + data[2:])
    assert load_picture(tmp_path / "t.jpg").shape == (40, 60, 3)


@pytest.mark.parametrize("content", [b"", b"hello", b"\x89PNG\r\n\x1a\n broken", b"\xff\xd8\xff\xe0", png_header(0, 9)])
def test_files_that_are_not_pictures_are_refused(
    tmp_path: Path, content: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.png").write_bytes(content)
    with pytest.raises(NotAPicture, match="not a picture"):
        load_picture(tmp_path / "x.png")
    with pytest.raises(NotAPicture, match="no such file"):
        load_picture(tmp_path / "y.png")
    with pytest.raises(NotAPicture, match="a folder"):
        load_picture(tmp_path)
    assert capfd.readouterr().err == ""  # messages of the decoders would not help the user


@pytest.mark.parametrize(("width", "height"), [(12000, 8000), (20000, 20000), (60000, 60000), (30000, 10)])
def test_a_huge_picture_is_refused_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int, height: int
) -> None:
    monkeypatch.delattr(cv2, "imdecode")
    (tmp_path / "x.png").write_bytes(png_header(width, height))
    with pytest.raises(PictureTooLarge, match=f"too large, {width} × {height} pixels: make it smaller"):
        load_picture(tmp_path / "x.png")


@pytest.mark.parametrize("ending", [".png", ".jpg", ".bmp", ".webp", ".tif", ".ppm", ".pam", ".gif", ".avif", ".jp2"])
def test_the_size_is_known_from_the_header_of_every_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    picture = np.random.default_rng(1).integers(0, 255, (200, 310, 3), np.uint8)
    try:
        good, data = cv2.imencode(ending, picture)
    except cv2.error:
        good = False
    if not good:
        pytest.skip("this OpenCV does not write the format")
    assert picture_size(data.tobytes()) == (310, 200)
    (tmp_path / "x").write_bytes(data.tobytes())
    assert load_picture(tmp_path / "x").shape == (200, 310, 3)
    for length in range(200):
        assert picture_size(data.tobytes()[:length]) in (None, (310, 200))
    monkeypatch.setattr("vision.image_files.MAX_PIXELS", 310 * 200 - 1)
    with pytest.raises(PictureTooLarge, match="too large, 310 × 200 pixels: make it smaller"):
        load_picture(tmp_path / "x")


def test_pipes_and_devices_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.png")
    for path in (tmp_path / "x.png", Path("/dev/zero")):
        with pytest.raises(NotAPicture, match="a pipe or a device, not a file"):
            load_picture(path)


def test_a_file_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "x.png").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + (1 << 20))
    with pytest.raises(PictureTooLarge, match="too large, 257 MB: make it smaller, 256 MB at most"):
        load_picture(tmp_path / "x.png")
