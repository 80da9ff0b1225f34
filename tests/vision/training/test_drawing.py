"""What the nets learn from: drawn the same for the same seed, and labelled where it is."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.cards import STANDARD_DECK, Card
from tests.vision.faces.drawn_faces import Style, face_of
from vision.training.ahead import Ahead
from vision.training.artwork import HEIGHT, WIDTH
from vision.training.augment import CornerCrops
from vision.training.corners import Decks
from vision.training.files import held_out, imwrite
from vision.training.glyphs import letter_fonts
from vision.training.photos import photo_grounds
from vision.training.scenes import Clutter, Place, scene
from vision.training.train import Model, source_of
from vision.training.whole import Pack, Sheaf, index_box


def _fonts() -> bool:
    try:
        return bool(letter_fonts())
    except SystemExit:
        return False


pytestmark = pytest.mark.skipif(not _fonts(), reason="no fonts to set indices in")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rendered decks as `render` leaves them, from our own drawn cards."""
    root = tmp_path_factory.mktemp("decks")
    for deck, style in (("one", Style()), ("two", Style(8.0, 600))):
        (root / deck).mkdir()
        for card in STANDARD_DECK:
            picture = cv2.resize(face_of(card, style), (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
            imwrite(root / deck / f"{card}.png", np.asarray(picture, np.uint8))
    return root


@pytest.fixture(scope="module")
def sheaf(folder: Path) -> Sheaf:
    return Sheaf(Decks(folder))


def test_crops_are_the_same_for_the_same_seed_and_step(folder: Path) -> None:
    first = Ahead(CornerCrops(Decks(folder), 8, 3), 0, 13)(12)
    again = Ahead(CornerCrops(Decks(folder), 8, 3), 0, 13)(12)
    other = Ahead(CornerCrops(Decks(folder), 8, 4), 0, 13)(12)
    for one, two in zip(first, again, strict=True):
        assert np.array_equal(one, two)
    assert not np.array_equal(first[0], other[0])


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("model", ["index", "places", "glyphs"])
def test_batches_after_a_break_are_those_without_one(folder: Path, model: Model, workers: int) -> None:
    """Of each net's own source: what a batch takes from the steps before is drawn again."""
    source = source_of(model, Decks(folder), 3)
    whole, broken = Ahead(source, 0, 16), Ahead(source, workers, 16)
    for step in range(14):
        whole(step)
    for step in (14, 15):
        for one, two in zip(whole(step), broken(step), strict=True):
            assert np.array_equal(one, two)


def _scene(sheaf: Sheaf, seed: int) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.uint8]], list[Place]]:
    return scene(Pack(sheaf, 1), Clutter(), 224, (14, 40), np.random.default_rng(seed), 0)


def test_scenes_are_the_same_for_the_same_seed(sheaf: Sheaf) -> None:
    for seed in range(4):
        picture, places = _scene(sheaf, seed)
        again, same = _scene(sheaf, seed)
        assert np.array_equal(picture, again) and places == same
    assert not np.array_equal(_scene(sheaf, 0)[0], _scene(sheaf, 1)[0])


def test_the_index_of_a_deck_is_found_on_its_cards(sheaf: Sheaf) -> None:
    """Where rank and suit are drawn by `face_of`: in the upper left corner, rank above suit."""
    box = sheaf.boxes["one"]
    assert 0.5 < box.left < box.right < 15
    assert 0.5 < box.top < box.bottom < 28
    picture = next(p for deck, name, p in sheaf.decks.cards if deck == "one" and name == "7C")
    inside = picture[round(box.top * 4) : round(box.bottom * 4), round(box.left * 4) : round(box.right * 4)]
    assert inside.min() < 100
    assert index_box([np.full((HEIGHT, WIDTH, 3), 255, np.uint8)] * 20) is None


def test_what_can_be_seen_of_an_index_is_what_is_not_covered(sheaf: Sheaf) -> None:
    """Over many scenes: some are free, some covered; what is outside of the picture does not count as seen."""
    seen = [place for seed in range(30) for place in _scene(sheaf, seed)[1]]
    assert {place.suit for place in seen} == set("SHDC")
    assert any(place.visible > 0.95 for place in seen) and any(place.visible < 0.6 for place in seen)
    for place in seen:
        assert 0 < place.visible <= 1
        if place.visible == 1:
            assert -1 < place.x < 224 and -1 < place.y < 224
            assert Card(place.rank, place.suit) in STANDARD_DECK


def test_a_photograph_in_four_is_held_out_and_grounds_show_no_card(tmp_path: Path) -> None:
    names = [f"{k}.png" for k in range(200)]
    assert 30 < sum(held_out("set", name) for name in names) < 70
    learnt = [name for name in names if not held_out("set", name)][:2]
    (tmp_path / "set" / "images").mkdir(parents=True)
    entries = []
    for name in (*learnt, next(name for name in names if held_out("set", name))):
        picture = np.full((400, 600, 3), 90, np.uint8)
        picture[20:220, 30:170] = 255
        imwrite(tmp_path / "set" / "images" / name, picture)
        box = {"label": "AS", "xyxy": [30, 20, 170, 220], "kind": "card"}
        entries.append({"image": name, "cards": ["AS"], "complete": True, "boxes": [box]})
    (tmp_path / "set" / "truth.json").write_text(json.dumps(entries))
    grounds = photo_grounds(tmp_path / "set")
    assert len(grounds) == 2
    assert all(ground.max() == 90 and min(ground.shape[:2]) >= 130 for ground in grounds)
