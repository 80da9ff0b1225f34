"""One list of cards from several readers: each physical card once, in reading order; and pictures from files."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.cards import Card, parse_card
from engine.observations import Word
from tests.vision.drawn_faces import cloth, face_of, lay, photographed
from vision.frames import Image
from vision.marks import ArucoReader, QrReader
from vision.readings import By, Reading
from vision.see import Marks, NotAPicture, load_picture, readers_for, reading_order, see


def card_at(face: str | Word, x: float, y: float, by: By = "face", degrees: float = 0.0) -> Reading:
    """A reading of a card of 63 x 88 pixels with its middle at (x, y)."""
    angle = np.deg2rad(degrees)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]]) @ spin.T + (x, y)
    return Reading(parse_card(face) if isinstance(face, str) else face, 0.99, by, corners.astype(np.float32))


@dataclass
class Finds:
    """A reader that finds what it is told."""

    readings: list[Reading]

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        return self.readings


def seen(*readers: Finds) -> list[str]:
    return [f"{r.face} {r.by}" for r in see(np.zeros((600, 800, 3), np.uint8), readers)]


def test_rows_are_read_from_left_to_right() -> None:
    cards = [
        card_at("2S", 500, 110),
        card_at("3S", 100, 100),
        card_at("4S", 300, 90, degrees=90),
        card_at("5S", 320, 300),
        card_at("6S", 120, 320),
    ]
    assert [str(r.face) for r in reading_order(cards)] == ["3S", "4S", "2S", "6S", "5S"]
    assert reading_order([]) == []


def test_the_order_given_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    cards = [card_at("AS", float(x), float(y)) for x, y in rng.uniform(50, 700, (12, 2))]
    once = [r.outline.tolist() for r in reading_order(cards)]
    for _ in range(5):
        rng.shuffle(cards)
        assert [r.outline.tolist() for r in reading_order(cards)] == once


def test_a_card_that_two_readers_see_is_one_card_and_the_first_reader_s() -> None:
    marks, faces = Finds([card_at("QS", 200, 200, "qr")]), Finds([card_at("QS", 203, 198, degrees=180)])
    assert seen(marks, faces) == ["QS qr"]
    assert seen(faces, marks) == ["QS face"]


def test_what_a_mark_says_outranks_the_print_about_it() -> None:
    assert seen(Finds([card_at("QS", 200, 200, "aruco")]), Finds([card_at("9H", 202, 199)])) == ["QS aruco"]


def test_cards_that_overlap_are_two_cards() -> None:
    marks = Finds([card_at("QS", 200, 200, "aruco")])
    assert seen(marks, Finds([card_at("9H", 230, 240)])) == ["QS aruco", "9H face"]


def test_two_copies_side_by_side_are_two_cards() -> None:
    assert seen(Finds([card_at("QS", 200, 200)]), Finds([card_at("QS", 290, 200)])) == ["QS face", "QS face"]


def test_nothing_is_an_empty_list() -> None:
    assert seen() == []
    assert see(np.zeros((50, 60, 3), np.uint8), readers_for("all")) == []


@pytest.mark.parametrize(
    ("marks", "kinds"),
    [("faces", ["FaceReader"]), ("qr", ["QrReader"]), ("aruco", ["ArucoReader"])],
)
def test_only_the_readers_asked_for(marks: Marks, kinds: list[str]) -> None:
    assert [type(r).__name__ for r in readers_for(marks)] == kinds


def test_marks_come_before_faces() -> None:
    first, second, last = readers_for("all")
    assert isinstance(first, ArucoReader)
    assert isinstance(second, QrReader)
    assert type(last).__name__ == "FaceReader"


# Pictures from files


def picture(card: Card) -> Image:
    rng = np.random.default_rng(6)
    table = cloth(420, 360, rng)
    lay(table, face_of(card), (200, 180), 25, 2.5)
    return photographed(table, rng)


def with_orientation(jpeg: bytes, orientation: int) -> bytes:
    """The JPEG with an Exif block that says how it is to be turned (TIFF tag 274)."""
    tiff = b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, 274, 3, 1, orientation, 0, 0)
    block = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + jpeg[2:]


def encoded(kind: str, image: Image) -> bytes:
    done, data = cv2.imencode(kind, image)
    assert done
    return data.tobytes()


@pytest.mark.parametrize("kind", [".jpg", ".png", ".bmp", ".webp"])
def test_kinds_of_pictures(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"ein Bild ä{kind}"
    path.write_bytes(encoded(kind, picture(parse_card("7C"))))
    assert [str(r.face) for r in see(load_picture(path), readers_for("faces"))] == ["7C"]


def test_grey_and_see_through_pictures(tmp_path: Path) -> None:
    image = picture(parse_card("7C"))
    grey, clear = tmp_path / "grey.png", tmp_path / "clear.png"
    grey.write_bytes(encoded(".png", np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)))
    clear.write_bytes(encoded(".png", np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2BGRA), np.uint8)))
    for path in (grey, clear):
        assert [str(r.face) for r in see(load_picture(path), readers_for("faces"))] == ["7C"]


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_outlines_fit_the_picture_as_stored(orientation: int, tmp_path: Path) -> None:
    """A phone's note of how it was held changes nothing: a card is read at any angle."""
    jpeg = encoded(".jpg", picture(parse_card("KD")))
    path = tmp_path / "phone.jpg"
    path.write_bytes(with_orientation(jpeg, orientation))
    image = load_picture(path)
    assert image.shape == (360, 420, 3)
    (reading,) = see(image, readers_for("faces"))
    assert str(reading.face) == "KD"
    assert np.linalg.norm(reading.outline.mean(axis=0) - (200, 180)) < 3


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "not a picture"), (b"milk, eggs", "not a picture"), (b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "not a picture")],
)
def test_what_is_no_picture(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    path.write_bytes(content)
    with pytest.raises(NotAPicture, match=message):
        load_picture(path)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(NotAPicture, match="no such file"):
        load_picture(tmp_path / "none.jpg")
    with pytest.raises(NotAPicture, match="folder"):
        load_picture(tmp_path)
