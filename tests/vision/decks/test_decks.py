"""Learned decks: cards learned from one picture are read in other light, and cards of other decks are not."""

from __future__ import annotations

import json
import os
import zipfile
from functools import cache
from pathlib import Path
from threading import Thread

import cv2
import numpy as np
import pytest

from cardtable.simulation.deck import face_picture
from engine.cards import parse_card
from tests.drawing.decks import drawn_deck, learned, painting, photograph, seen_face, under
from tests.drawing.faces import back, cloth, lay, photographed
from tests.vision.broken_pictures import png_header
from vision.decks.deck import BadDeck, LearnedDeck, cut_out, load_deck, save_deck
from vision.decks.matching import MIN_LEAD, DeckReader, Matcher
from vision.decks.pictures import analyze_picture, card_outlines, extract_faces
from vision.faces.pyramid import image_pyramid
from vision.frames import Image

PLACES = {"brown-7": (170, 190, 20), "red-2": (480, 200, -160), "blue-2": (800, 190, 95), "green-9": (330, 530, 260)}


@cache
def reader() -> DeckReader:
    """Return a reader of the deck of numbers; it keeps nothing of what it has read."""
    return DeckReader(learned("numbers"))


def table(names: dict[str, tuple[int, int, int]], px_per_mm: float = 2.4, light: str = "white") -> Image:
    """Cards of the deck of numbers on a cloth, each at x, y and rotated by some degrees."""
    rng = np.random.default_rng(5)
    picture = cloth(1000, 700, rng)
    for name, (x, y, degrees) in names.items():
        lay(picture, drawn_deck("numbers")[parse_card(name)], (x, y), degrees, px_per_mm)
    return under(photographed(picture, rng, 0.0), rng, light)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("light", ["white", "warm lamp", "cold", "dim", "shadow"])
@pytest.mark.parametrize("scale", [None, 1 / 2.4])
def test_separated_cards_are_read_in_any_light_and_at_any_angle(light: str, scale: float | None) -> None:
    readings = reader().read(table(PLACES, light=light), scale)
    assert {str(reading.face) for reading in readings} == set(PLACES)
    for reading in readings:
        x, y, degrees = PLACES[str(reading.face)]
        assert reading.by == "face" and 0.8 < reading.confidence < 1
        assert np.linalg.norm(reading.outline.mean(axis=0) - (x, y)) < 4
        top = reading.outline[1] - reading.outline[0]
        turn = np.degrees(np.arctan2(top[1], top[0])) - degrees
        assert abs((turn + 90) % 180 - 90) < 3  # it was learned at any angle: either end may be its top


@pytest.mark.parametrize(
    "style", ["numbers", *(pytest.param(style, marks=pytest.mark.long) for style in ("framed", "packaged"))]
)
def test_a_card_with_a_shadow_across_it_is_not_taken_for_another(style: str) -> None:
    """Neither if it was learned, nor if it is not in the deck."""
    rng = np.random.default_rng(11)
    faces = learned(style).faces
    matcher, read, some = Matcher(faces), 0, list(faces)[::16]
    for card in some:
        face = seen_face(*photograph(drawn_deck(style)[card], rng, light="shadow"))
        assert face is not None
        match = matcher.match(face)
        assert match.card in (card, None)
        read += match.card is card
        assert Matcher({other: known for other, known in faces.items() if other is not card}).match(face).card is None
    assert read >= 0.7 * len(some)


def test_a_frame_printed_near_the_edge_is_not_taken_for_the_card() -> None:
    rng = np.random.default_rng(12)
    for number in range(1, 23, 4):
        image, outline = photograph(drawn_deck("framed")[parse_card(f"trump-{number}")], rng, 2.5)
        (found,) = extract_faces([analyze_picture(image)])
        assert not isinstance(found, str)
        wanted = cut_out(image_pyramid(image), outline)
        assert min(float(np.abs(found.astype(int) - each).mean()) for each in (wanted, wanted[::-1, ::-1])) < 12


def test_small_cards_are_not_read() -> None:
    picture = table({"brown-7": (170, 190, 20)}, 1.0)
    assert reader().read(picture, 1.0) == []
    assert 1 / DeckReader.min_px_per_mm < 1.0


@pytest.mark.parametrize(
    ("style", "card"),
    [("numbers", "red-1"), *(pytest.param("packaged", card, marks=pytest.mark.long) for card in ("8C", "QH"))],
)
def test_an_unlearned_card_is_not_taken_for_the_most_similar_one(style: str, card: str) -> None:
    missing = parse_card(card)
    deck = LearnedDeck("drawn", {name: face for name, face in learned(style).faces.items() if name is not missing})
    face = seen_face(*photograph(drawn_deck(style)[missing], np.random.default_rng(3)))
    assert face is not None
    match = Matcher(deck.faces).match(face)
    assert match.card is None
    assert Matcher(learned(style).faces).match(face).card is missing


def test_a_distinct_picture_is_recognized_despite_larger_differences() -> None:
    """A card without similar ones may differ more than one of many similar ones, but not by a sign."""
    rng = np.random.default_rng(13)
    pictures = {parse_card(f"trump-{number}"): painting(number) for number in range(1, 4)}
    faces = {
        card: face for card, picture in pictures.items() if (face := seen_face(*photograph(picture, rng))) is not None
    }
    assert faces.keys() == pictures.keys()
    for card, picture in pictures.items():
        height, width = picture.shape[:2]
        signed = picture.copy()
        cv2.circle(signed, (width // 2, height // 2), width // 10, (255, 255, 255), -1)
        cv2.circle(signed, (width // 2, height // 2), width // 20, (0, 0, 0), -1)
        for light in ("white", "shadow"):
            seen, other = (seen_face(*photograph(each, rng, light=light)) for each in (picture, signed))
            assert seen is not None and other is not None
            assert Matcher(faces).match(seen).card is card
            assert Matcher(faces).match(other).card is None


def test_backs_and_other_decks_are_not_read() -> None:
    rng = np.random.default_rng(4)
    picture = cloth(1000, 500, rng)
    for x, other in ((170, back()), (500, painting(99)), (830, cv2.resize(face_picture(parse_card("7S")), (378, 528)))):
        lay(picture, other, (x, 250), 12, 2.4)
    image = photographed(picture, rng)
    assert len(card_outlines(image, image_pyramid(image))) >= 3
    assert reader().read(image) == []


def test_a_covered_card_is_not_read_and_the_one_on_it_is() -> None:
    rng = np.random.default_rng(6)
    picture = cloth(600, 600, rng)
    lay(picture, drawn_deck("numbers")[parse_card("brown-4")], (270, 300), 5, 2.4)
    lay(picture, drawn_deck("numbers")[parse_card("green-3")], (330, 320), -20, 2.4)
    readings = reader().read(photographed(picture, rng), 1 / 2.4)
    assert [str(reading.face) for reading in readings] == ["green-3"]


def test_two_cards_that_cannot_be_distinguished_are_not_guessed() -> None:
    rng = np.random.default_rng(8)
    face = drawn_deck("numbers")[parse_card("brown-7")]
    twins = {}
    for name in ("brown-7", "brown-8"):
        seen = seen_face(*photograph(face, rng))
        assert seen is not None
        twins[parse_card(name)] = seen
    seen = seen_face(*photograph(face, rng))
    assert seen is not None
    match = Matcher(twins).match(seen)
    assert match.card is None and match.lead < MIN_LEAD and match.nearest in twins


def test_an_empty_deck_reads_nothing() -> None:
    assert DeckReader(LearnedDeck("new")).read(table(PLACES)) == []


# Files


def test_a_deck_is_stored_and_read_back(tmp_path: Path) -> None:
    deck = LearnedDeck("tarot", dict(list(learned("numbers").faces.items())[:3]), (61.0, 112.5))
    path = tmp_path / "tarot.deck"
    save_deck(path, deck)
    again = load_deck(path)
    assert (again.name, again.size_mm, list(again.faces)) == ("tarot", (61.0, 112.5), list(deck.faces))
    assert all(np.array_equal(again.faces[card], face) for card, face in deck.faces.items())
    assert sorted(zipfile.ZipFile(path).namelist()) == ["brown-1.png", "brown-2.png", "brown-3.png", "deck.json"]
    assert list(tmp_path.iterdir()) == [path]


def written(path: Path, about: object, **pictures: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("deck.json", json.dumps(about))
        for name, data in pictures.items():
            archive.writestr(f"{name}.png", data)
    return path


def test_an_invalid_deck_is_an_error_that_says_why(tmp_path: Path) -> None:
    path = tmp_path / "a.deck"
    about = {"cardtable-deck": 1, "name": "a", "size_mm": None, "cards": ["QS"]}
    small = cv2.imencode(".png", np.zeros((8, 8, 3), np.uint8))[1].tobytes()
    with pytest.raises(FileNotFoundError):
        load_deck(path)
    path.write_bytes(b"no zip")
    with pytest.raises(
        BadDeck, match=r"is not a deck \(damaged, or another kind of file\): learn it again with --anew"
    ):
        load_deck(path)
    for data, pictures, message in (
        (
            {**about, "cardtable-deck": 2},
            {},
            "is a deck of another version of cardtable: update the older of the two",
        ),
        ([], {}, "damaged, or another kind of file"),
        (about, {}, "QS.png is not in it"),
        (about, {"QS": b"text"}, "QS.png is not a picture of a face"),
        (about, {"QS": small}, "QS.png is not a picture of a face"),
        (about, {"QS": bytes(3_000_000)}, "QS.png is too large"),
        ({**about, "cards": ["../QS"]}, {}, "is not a card"),
        ({**about, "cards": ["QS"] * 1000}, {}, "has 1000 cards; a deck has 400 at most"),
        (
            {**about, "size_mm": "large"},
            {"QS": cv2.imencode(".png", np.zeros((176, 126, 3)))[1].tobytes()},
            "not a deck",
        ),
    ):
        with pytest.raises(BadDeck, match=message):
            load_deck(written(path, data, **pictures))


def test_impossible_card_sizes_are_an_error(tmp_path: Path) -> None:
    about = {"cardtable-deck": 1, "name": "a", "cards": []}
    for size in ([0, 0], [float("nan"), 88], [63, float("inf")], [63, 1e9], [-63, 88]):
        with pytest.raises(BadDeck, match=r"is not a deck \(its cards are .* mm\)"):
            load_deck(written(tmp_path / "a.deck", {**about, "size_mm": size}))


def test_a_picture_that_would_fill_the_memory_is_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = {"cardtable-deck": 1, "name": "a", "size_mm": None, "cards": ["QS"]}
    path = written(tmp_path / "a.deck", about, QS=png_header(12_000, 12_000))
    monkeypatch.delattr(cv2, "imdecode")
    with pytest.raises(BadDeck, match=r"QS.png is not a picture of a face"):
        load_deck(path)


def test_a_damaged_archive_is_an_error_wherever_the_damage_is(tmp_path: Path) -> None:
    """Each library raises its own errors: for a password, an unknown or broken compression, deep nesting."""
    good = tmp_path / "good.deck"
    with zipfile.ZipFile(good, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("deck.json", json.dumps({"cardtable-deck": 1, "name": "a", "cards": [], "size_mm": None}))
    data = good.read_bytes()
    assert load_deck(good).faces == {}
    entry = data.index(b"PK\x01\x02")
    path = tmp_path / "a.deck"
    for places, value in (((6, entry + 8), 1), ((8, entry + 10), 99), (range(41, 60), 0xFF)):
        damaged = bytearray(data)
        for place in places:
            damaged[place] = value
        path.write_bytes(damaged)
        with pytest.raises(BadDeck, match="damaged, or another kind of file"):
            load_deck(path)
    for end in range(0, len(data), 7):
        path.write_bytes(data[:end])
        with pytest.raises(BadDeck, match="damaged, or another kind of file"):
            load_deck(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("deck.json", "[" * 200_000)
    with pytest.raises(BadDeck, match="damaged, or another kind of file"):
        load_deck(path)


def test_saving_writes_into_a_device_and_follows_a_link(tmp_path: Path) -> None:
    """Exporting a deck as root must not replace a device with a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    deck = LearnedDeck("mine", dict(list(learned("numbers").faces.items())[:1]))
    received: list[bytes] = []
    reading = Thread(target=lambda: received.append(pipe.read_bytes()))
    reading.start()
    save_deck(pipe, deck)
    reading.join()
    assert pipe.is_fifo() and received[0][:2] == b"PK"
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "mine.deck"
    link.symlink_to(tmp_path / "elsewhere" / "real.deck")
    save_deck(link, deck)
    assert link.is_symlink() and load_deck(tmp_path / "elsewhere" / "real.deck").faces.keys() == deck.faces.keys()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "mine.deck", "pipe"]
