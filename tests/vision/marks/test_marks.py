from __future__ import annotations

import sys
from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt
import pytest
import zxingcpp

from cardtable.paper.drawings import aruco_pattern, card_picture
from engine.cards import STANDARD_DECK, parse_card
from engine.games import word_marks
from engine.observations import ActionCard
from tests.drawing.marks import Laid, camera, lay, seen_mat, twelve_cards, worn
from tests.vision.drawn_table import DrawnTable
from vision.marks import ArucoReader, MissingLibrary, QrReader, aruco_id, qr_face, qr_text
from vision.marks.aruco import find_marks
from vision.marks.names import ARUCO_MM, COLOURS, CORNER_IDS, QR_MM, faces_by_id
from vision.mat.layout import lay_out
from vision.readings import Reader, Reading

LONG_NAMES = (ActionCard("german-whist"), ActionCard("knock-out-whist"))
"""Faces whose QR code is larger than the smallest."""
SMALL = (960, 540)
"""Size of a picture of the middle of the mat, pixels."""


def off(reading: Reading, corners: npt.NDArray[np.float64], turns: tuple[int, ...] = (0,)) -> float:
    """Largest error of a corner, pixels."""
    return min(float(np.hypot(*(np.roll(reading.outline, turn, axis=0) - corners).T).max()) for turn in turns)


def match(
    readings: Sequence[Reading],
    laid: Sequence[Laid],
    turns: tuple[int, ...] = (0,),
) -> list[float]:
    """Assert that exactly the cards in the scene were read; return each outline's error."""
    assert sorted(str(r.face) for r in readings) == sorted(str(face) for face, _ in laid)
    by_face = {reading.face: reading for reading in readings}
    return [off(by_face[face], corners, turns) for face, corners in laid]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("px_per_module", [2.5, 3.0, 6.0, 4.0])
@pytest.mark.parametrize("seed", [12, 11])
def test_every_aruco_card_is_read_and_located(px_per_module: float, seed: int) -> None:
    image, laid = twelve_cards("aruco", px_per_module, seed)
    reader = ArucoReader(word_marks())
    # A card with its mark at both ends looks the same upside down.
    assert max(match(reader.read(image), laid, turns=(0, 2))) < 3.5
    assert max(match(reader.read(image, ARUCO_MM / 6 / px_per_module), laid, turns=(0, 2))) < 3.5


def test_aruco_cards_out_of_focus_are_read() -> None:
    image, laid = twelve_cards("aruco", 4.0, 11)
    soft = cv2.GaussianBlur(image, (0, 0), 1.5)
    assert max(match(ArucoReader(word_marks()).read(np.asarray(soft, np.uint8)), laid, turns=(0, 2))) < 5


@pytest.mark.sampled(1)
@pytest.mark.parametrize("px_per_module", [3.0, 4.0, 6.0])
@pytest.mark.parametrize("seed", [21, 22])
def test_every_qr_card_is_read_and_located(px_per_module: float, seed: int) -> None:
    image, laid = twelve_cards("qr", px_per_module, seed)
    reader = QrReader()
    assert max(match(reader.read(image), laid)) < 4
    assert max(match(reader.read(image, QR_MM / 21 / px_per_module), laid)) < 4


def test_pyzbar_reads_most_of_the_same_cards() -> None:
    image, laid = twelve_cards("qr", 4.0, 21)
    readings = QrReader("pyzbar").read(image)
    assert len(readings) >= 10
    read = {reading.face for reading in readings}
    assert max(match(readings, [(face, corners) for face, corners in laid if face in read])) < 4


@pytest.mark.parametrize("covered", ["top left", "bottom right"])
def test_a_half_covered_aruco_card_is_read_once_and_located(covered: str) -> None:
    view = camera(2.0, SMALL)
    image = seen_mat(lay_out(2, ["play"]), view, SMALL)
    corners = lay(image, parse_card("7C"), "aruco", view, (300, 250), 33) - 0.5
    a, b, c, d = corners
    half = [a, b, (b + c) / 2, (a + d) / 2] if covered == "top left" else [(a + d) / 2, (b + c) / 2, c, d]
    cv2.fillPoly(image, [np.round(half).astype(np.int32)], (60, 90, 150))
    (reading,) = ArucoReader(word_marks()).read(worn(image, 1))
    assert reading.face == parse_card("7C") and reading.by == "aruco"
    assert off(reading, corners, turns=(0, 2)) < 4


def test_two_equal_cards_side_by_side_are_two() -> None:
    view = camera(2.0, SMALL)
    for marks, reader in (("aruco", ArucoReader(word_marks())), ("qr", QrReader())):
        image = seen_mat(lay_out(2, ["play"]), view, SMALL)
        places = [
            lay(image, parse_card("brown-4"), "qr" if marks == "qr" else "aruco", view, at, 20) - 0.5
            for at in ((300, 250), (380, 250))
        ]
        readings: list[Reading] = reader.read(worn(image, 2), 0.5)
        assert [reading.face for reading in readings] == [parse_card("brown-4")] * 2
        for corners in places:
            assert min(off(reading, corners, turns=(0, 2)) for reading in readings) < 3


def test_overlapping_cards_of_a_trick_are_all_read() -> None:
    view = camera(2.0, SMALL)
    image = seen_mat(lay_out(3, ["play"]), view, SMALL)
    laid = [
        (card, lay(image, card, "aruco", view, at, turn) - 0.5)
        for card, at, turn in (
            (parse_card("AS"), (420.0, 300.0), 10.0),
            (parse_card("10H"), (470.0, 270.0), 75.0),
            (parse_card("QD"), (420.0, 235.0), -20.0),
        )
    ]
    assert max(match(ArucoReader(word_marks()).read(worn(image, 3), 0.5), laid, turns=(0, 2))) < 4


def test_an_action_card_upside_down_is_read() -> None:
    view = camera(2.0, SMALL)
    for marks, reader in (("aruco", ArucoReader(word_marks())), ("qr", QrReader())):
        image = seen_mat(lay_out(2, ["say"]), view, SMALL)
        corners = lay(image, ActionCard("take-one"), "qr" if marks == "qr" else "aruco", view, (440, 250), 181) - 0.5
        (reading,) = reader.read(worn(image, 4))
        assert reading.face == ActionCard("take-one")
        assert off(reading, corners, turns=(0, 2)) < 3


def test_corner_marks_and_foreign_marks_are_no_cards() -> None:
    view = camera(1.8)
    image = seen_mat(lay_out(2, ["play"]), view)
    reader = ArucoReader(word_marks())
    assert reader.read(image) == []
    foreign = np.kron(~aruco_pattern(108), np.ones((8, 8), bool))
    image[500:564, 900:964] = 255
    image[508:556, 908:956] = np.where(foreign, 255, 0)[..., None]
    assert reader.read(image) == []


@pytest.mark.parametrize("engine", ["zxing", "pyzbar"])
def test_foreign_qr_codes_are_no_cards(engine: str) -> None:
    reader = QrReader("pyzbar" if engine == "pyzbar" else "zxing")
    image = np.full((400, 700, 3), 255, np.uint8)
    for left, text in ((40, "https://example.org"), (380, "ct1:nonsense")):
        code = np.asarray(
            zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode).to_image(scale=8, add_quiet_zones=False)
        )
        image[60 : 60 + code.shape[0], left : left + code.shape[1]] = code[..., None]
    assert reader.read(image) == []


def test_without_zbar_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "pyzbar"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    with pytest.raises(MissingLibrary, match="apt install libzbar0"):
        QrReader("pyzbar")
    QrReader()


@pytest.mark.parametrize("reader", [ArucoReader(word_marks()), QrReader(), QrReader("pyzbar")])
def test_nothing_is_read_in_an_empty_picture(reader: Reader) -> None:
    rng = np.random.default_rng(5)
    assert reader.read(rng.integers(0, 255, (480, 640, 3), dtype=np.uint8)) == []
    assert reader.read(np.full((480, 640, 3), 128, np.uint8)) == []
    assert reader.read(np.full((12, 9, 3), 255, np.uint8)) == []


def test_readers_accept_views_of_arrays() -> None:
    image, laid = twelve_cards("aruco", 4.0, 11)
    face, corners = laid[5]
    left, top = np.floor(corners.min(axis=0)).astype(int) - 10
    right, bottom = np.ceil(corners.max(axis=0)).astype(int) + 10
    (reading,) = ArucoReader(word_marks()).read(image[top:bottom, left:right], ARUCO_MM / 24)
    assert reading.face == face


def test_the_table_of_ids_never_changes() -> None:
    # Decks are printed with these.
    assert aruco_id(parse_card("AS")) == 4
    assert aruco_id(parse_card("KC")) == 55
    assert aruco_id(parse_card("brown-1")) == 56
    assert aruco_id(parse_card("green-9")) == 74
    assert aruco_id(parse_card("red-1")) == 75
    assert aruco_id(parse_card("purple-2")) == 86
    words = "stand beg take-one change revoke call accept switch - go card stay pass nil blind-nil"
    words += " spade heart diamond club alone"
    ids = {word: 100 + number for number, word in enumerate(words.split(" ")) if word != "-"}
    assert {word: id_ for word, id_ in word_marks().items() if 100 <= id_ < 120} == ids
    table = [
        "again",
        "new-game",
        "night",
        "all-fives",
        "cribbage",
        "fifteen",
        "its-15",
        "le-quinze",
        "hearts",
        "oh-hell",
        "whist",
        "spades",
        "euchre",
    ]
    assert {word: id_ for word, id_ in word_marks().items() if id_ < 100} == {
        word: 87 + number for number, word in enumerate(table)
    }
    of_bridge = ["bridge", "play-on", "claim", "redouble", "double", "1c", "1d", "1h", "1s", "1nt", "2c"]
    assert [word_marks()[word] for word in (*of_bridge, "7nt")] == [*range(193, 204), 232]


def test_every_face_has_its_own_mark() -> None:
    words = word_marks()
    faces = faces_by_id(words)
    assert len(faces) == 52 + 19 + 2 * len(COLOURS) + len(words)
    assert not faces.keys() & set(CORNER_IDS)
    for id_, face in faces.items():
        assert aruco_id(face, words) == id_
        assert qr_face(qr_text(face)) == face
        assert len(qr_text(face)) <= 17 or face in LONG_NAMES, "fits the smallest code"


def test_cards_are_read_from_their_pictures() -> None:
    reader, codes = ArucoReader(word_marks()), QrReader()
    for card in STANDARD_DECK.cards[::5]:  # every rank and every suit
        for marks, read in (("aruco", reader.read), ("qr", codes.read)):
            picture = card_picture(card, "qr" if marks == "qr" else "aruco", 2.2)
            assert [reading.face for reading in read(picture)] == [card]


def test_faces_without_a_mark_are_an_error() -> None:
    with pytest.raises(ValueError, match="no ArUco mark for say:abracadabra"):
        aruco_id(ActionCard("abracadabra"))
    for text in ("", "ct1:", "ct1:say:", "ct1:say:two words", "ct1:1S", "ct2:AS", "AS"):
        assert qr_face(text) is None


def test_a_half_covered_mark_of_a_card_that_is_read_is_not_another_card() -> None:
    table = DrawnTable()
    table.lay("6H", ("play", 0))
    table.lay("2C", ("play", 0), dx=53)
    frame = table.read()
    assert "AH" in {
        str(faces_by_id().get(mark.id)) for mark in find_marks(cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY))
    }
    assert {str(reading.face) for reading in ArucoReader(word_marks()).read(frame.image)} == {"6H", "2C"}
