"""Indices in photographs as training data: only what the labels confirm, smaller and in worse light."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.cards import RANKS, SUITS, parse_card
from lab.tests.training.decks import rendered
from lab.tests.training.fonts import needs_fonts
from lab.training.files import held_out
from lab.training.photo_indices import HEIGHTS, PhotoIndex, photo_indices, seen_again
from tests.drawing.degrading import Photo, six_cards
from tests.drawing.tables import drawn_decks
from vision.faces.crops import index_crop
from vision.faces.index_classifier import GLYPH_MODEL, IndexClassifier
from vision.faces.pyramid import image_pyramid


def photographed(folder: Path, **labels: Any) -> Photo:
    """Write a set with one picture of six cards, and `labels` in place of the complete ones; return the picture."""
    photo = six_cards(drawn_decks()["drawn"], 40.0, 3)
    (folder / "images").mkdir(parents=True)
    name = next(name for name in ("a.png", "b.png", "c.png", "d.png") if not held_out(folder.name, name))
    cv2.imwrite(str(folder / "images" / name), photo.image)
    entry = {"image": name, "cards": photo.cards, "complete": True, **labels}
    (folder / "truth.json").write_text(json.dumps([entry]), "utf-8")
    return photo


@pytest.fixture(scope="module")
def indices(tmp_path_factory: pytest.TempPathFactory) -> list[PhotoIndex]:
    folder = tmp_path_factory.mktemp("photos") / "own"
    photographed(folder)
    return photo_indices(folder)


def test_both_indices_of_each_card_are_found(tmp_path: Path) -> None:
    photo = photographed(tmp_path / "own")
    found = photo_indices(tmp_path / "own")
    assert sorted(str(index.card) for index in found) == sorted(2 * photo.cards)
    for index in found:
        height, width = index.picture.shape[:2]
        assert 0 < index.pose.x < width and 0 < index.pose.y < height
        assert 0.7 < index.pose.height / 40 < 1.4


def test_what_the_labels_do_not_confirm_is_left_out(tmp_path: Path) -> None:
    photo = photographed(tmp_path / "own", cards=["2?"])
    assert photo_indices(tmp_path / "own") == []
    x, y = photo.indices[1].tolist()
    box = {"label": photo.cards[1], "xyxy": [x - 30, y - 30, x + 30, y + 30], "kind": "index"}
    photographed(tmp_path / "boxes", boxes=[box, {**box, "label": "2?", "xyxy": [0, 0, *photo.image.shape[1::-1]]}])
    assert [str(index.card) for index in photo_indices(tmp_path / "boxes")] == [photo.cards[1]]


def test_pictures_that_are_held_out_are_not_used(tmp_path: Path) -> None:
    photographed(tmp_path / "own")
    (entry,) = json.loads((tmp_path / "own" / "truth.json").read_text("utf-8"))
    entry["image"] = next(name for k in range(99) if held_out("own", name := f"{k}.png"))
    (tmp_path / "own" / "truth.json").write_text(json.dumps([entry]), "utf-8")
    assert photo_indices(tmp_path / "own") == []


def test_an_index_is_where_its_pose_says_also_when_it_is_smaller(indices: list[PhotoIndex]) -> None:
    """Nearly all parts that are at least 24 pixels high are still read correctly."""
    classify, rng = IndexClassifier(GLYPH_MODEL), np.random.default_rng(2)
    right, heights = [], []
    for index in indices * 12:
        part, pose = seen_again(index, rng)
        heights.append(pose.height)
        rank, suit = classify([index_crop(image_pyramid(part), pose)])
        if pose.height > 24:
            right.append(RANKS[int(rank[0, :13].argmax())] + SUITS[int(suit[0, :4].argmax())] == str(index.card))
    assert np.mean(right) > 0.8
    assert min(heights) < 1.2 * HEIGHTS[0] and max(heights) < 1.1 * 50


@needs_fonts
def test_a_quarter_of_the_crops_are_from_photographs(indices: list[PhotoIndex], tmp_path: Path) -> None:
    """They have the labels of their cards, or none; the same for the same seed and step."""
    from lab.training.corners import Decks
    from lab.training.glyph_crops import NEW_CROPS, NONE, PHOTO_SHARE
    from lab.training.nets import source_of

    decks = Decks(rendered(tmp_path))
    only = parse_card("AS")
    source = source_of("glyphs", decks, 3, indices=[index._replace(card=only) for index in indices])
    drawn, again = source.draw(4), source.draw(4)
    assert len(drawn) == NEW_CROPS
    labels = [label[1:] for step in range(4) for label in source.draw(step)[: round(PHOTO_SHARE * NEW_CROPS)]]
    assert set(labels) == {(RANKS.index(only.rank), SUITS.index(only.suit)), NONE}
    assert 0 < labels.count(NONE) < len(labels) / 3
    assert [label[1:] for label in drawn] == [label[1:] for label in again]
    assert all(np.array_equal(first[0], second[0]) for first, second in zip(drawn, again, strict=True))
    assert len(source_of("glyphs", decks, 3).draw(4)) == NEW_CROPS


@needs_fonts
@pytest.mark.parametrize(("model", "more", "taken"), [("glyphs", [], 1), ("glyphs", ["--german"], 0), ("index", [], 0)])
def test_french_indices_are_learned_by_the_glyph_classifier_only(
    model: str, more: list[str], taken: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lab.training import __main__ as training
    from lab.training import photo_indices as module

    photographed(tmp_path / "own")
    folders: list[Path] = []
    monkeypatch.setattr(module, "photo_indices", lambda folder: folders.append(folder) or [])
    options = {
        "model": model,
        "decks": rendered(tmp_path / "decks"),
        "checkpoint": tmp_path / "x.pt",
        "photos": tmp_path / "own",
    }
    arguments = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    monkeypatch.setattr("sys.argv", ["lab.training", "train", *arguments, *more, "--steps", "0"])
    training.main()
    assert len(folders) == taken
