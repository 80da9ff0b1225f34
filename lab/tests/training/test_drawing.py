"""Training data: the same for the same seed, and labelled correctly."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.cards import RANKS, STANDARD_DECK, Card
from lab.tests.training.decks import rendered
from lab.tests.training.fonts import needs_fonts
from lab.training import corners, drawn_cards
from lab.training.artwork import HEIGHT, WIDTH
from lab.training.corner_crops import CornerCrops
from lab.training.corners import Decks, font_corner
from lab.training.drawn_cards import CardPool, DeckArtwork, any_card, index_box
from lab.training.files import held_out, imwrite
from lab.training.german_signs import Sign, german_sign
from lab.training.nets import Model, source_of
from lab.training.photos import photo_backgrounds
from lab.training.prefetch import Prefetcher
from lab.training.scenes import Backgrounds, DrawnIndex, scene
from lab.training.suit_shapes import strange_suit

pytestmark = needs_fonts


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rendered(tmp_path_factory.mktemp("decks"))


@pytest.fixture(scope="module")
def artwork(folder: Path) -> DeckArtwork:
    return DeckArtwork(Decks(folder))


def test_crops_are_the_same_for_the_same_seed_and_step(folder: Path) -> None:
    first = Prefetcher(CornerCrops(Decks(folder), 8, 3), 0, 13)(12)
    again = Prefetcher(CornerCrops(Decks(folder), 8, 3), 0, 13)(12)
    other = Prefetcher(CornerCrops(Decks(folder), 8, 4), 0, 13)(12)
    for drawn, repeated in zip(first, again, strict=True):
        assert np.array_equal(drawn, repeated)
    assert not np.array_equal(first[0], other[0])


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("model", ["index", "places", "gate", "glyphs", "cards"])
def test_batches_after_an_interruption_are_the_same(folder: Path, model: Model, workers: int) -> None:
    """For each net's own source: what a batch takes from earlier steps is drawn again."""
    source = source_of(model, Decks(folder), 3)
    whole, broken = Prefetcher(source, 0, 16), Prefetcher(source, workers, 16)
    for step in range(14):
        whole(step)
    for step in (14, 15):
        for expected, drawn in zip(whole(step), broken(step), strict=True):
            assert np.array_equal(expected, drawn)


def test_the_gate_also_learns_from_photographs(folder: Path) -> None:
    """Parts can be of any size, even of a photograph that is smaller than a scene."""
    grain = np.random.default_rng(4).integers(0, 40, (90, 130, 3), np.uint8)
    photographs = [grain, np.asarray(np.tile(grain, (9, 7, 1)) + np.uint8(200), np.uint8)]
    source = source_of("gate", Decks(folder), 3, photographs=photographs)
    drawn, again = source.draw(8), source.draw(8)
    assert len(drawn) == 2 * len(source_of("gate", Decks(folder), 3).draw(8)) and source.draw(9) == []
    parts = [picture for picture, _ in drawn[len(drawn) // 2 :]]
    assert {picture.shape for picture in parts} == {(112, 112, 3)}
    assert {bool(picture.mean() > 0) for picture in parts} == {True, False}, "both photographs are seen"
    for (picture, score), (same_picture, same_score) in zip(drawn, again, strict=True):
        assert np.array_equal(picture, same_picture) and np.array_equal(score, same_score)


def _scene(artwork: DeckArtwork, seed: int) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.uint8]], list[DrawnIndex]]:
    return scene(CardPool(artwork, 1), Backgrounds(), 224, (14, 40), np.random.default_rng(seed), 0)


def test_ranks_beside_the_sign_of_a_fifth_suit_have_no_suit(folder: Path, artwork: DeckArtwork) -> None:
    rng = np.random.default_rng(5)
    labels = [font_corner(Decks(folder), rng, strange=True)[1] for _ in range(20)]
    assert {suit for _, suit in labels} == {"none"} and {rank for rank, _ in labels} <= set(RANKS)
    cards = [any_card(artwork, np.random.default_rng(k), strange_share=1.0) for k in range(30)]
    suits = [card.suit for card in cards if card.indices]
    assert suits.count("none") > 8 and set(suits) <= {*"SHDC", "none"}
    assert "none" not in {any_card(artwork, np.random.default_rng(k)).suit for k in range(30)}


def test_cards_of_german_decks_have_german_signs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    drawn: list[str] = []

    def noted(suit: str, rng: np.random.Generator) -> Sign:
        drawn.append(suit)
        return german_sign(suit, rng)

    for room in (corners, drawn_cards):
        monkeypatch.setattr(room, "german_sign", noted)
    decks = Decks(folder, german=True)
    artwork = DeckArtwork(decks)
    for _ in range(20):
        label = font_corner(decks, rng)[1]
        card = drawn_cards.typeset(artwork, rng)
        assert drawn == [label[1], card.suit]
        drawn.clear()
    assert font_corner(decks, rng, strange=True)[1][1] == "none" and not drawn


def test_only_hearts_of_french_decks_are_german_cards(folder: Path) -> None:
    decks = Decks(folder, german=True)
    rng = np.random.default_rng(7)
    names = {decks.any(rng)[1] for _ in range(300)}
    assert names == {rank + "H" for rank in RANKS if rank != "Q"}


def test_every_strange_sign_has_ink_up_to_its_border() -> None:
    for seed in range(200):
        sign = strange_suit(np.random.default_rng(seed))
        assert min(sign.shape) > 8 and all(side.max() > 40 for side in (sign[0], sign[-1], sign[:, 0], sign[:, -1]))


def test_scenes_are_the_same_for_the_same_seed(artwork: DeckArtwork) -> None:
    for seed in range(4):
        picture, places = _scene(artwork, seed)
        again, same = _scene(artwork, seed)
        assert np.array_equal(picture, again) and places == same
    assert not np.array_equal(_scene(artwork, 0)[0], _scene(artwork, 1)[0])


def test_the_index_of_a_deck_is_found_on_its_cards(artwork: DeckArtwork) -> None:
    """It is where `face_of` draws rank and suit: in the upper left corner, rank above suit."""
    box = artwork.boxes["one"]
    assert 0.5 < box.left < box.right < 15
    assert 0.5 < box.top < box.bottom < 28
    picture = next(p for deck, name, p in artwork.decks.cards if deck == "one" and name == "7C")
    inside = picture[round(box.top * 4) : round(box.bottom * 4), round(box.left * 4) : round(box.right * 4)]
    assert inside.min() < 100
    assert index_box([np.full((HEIGHT, WIDTH, 3), 255, np.uint8)] * 20) is None


def test_a_frame_goes_around_the_card_and_through_no_index(
    artwork: DeckArtwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawn_cards, "tinted", lambda picture, rng: picture)
    cards = {}
    for share in (0.0, 1.0):
        monkeypatch.setattr(drawn_cards, "FRAMED", share)
        rngs = [np.random.default_rng(seed) for seed in range(12)]
        cards[share] = [drawn_cards.typeset(artwork, rng) for rng in rngs]
    for plain, framed in zip(cards[0.0], cards[1.0], strict=True):
        before, after = plain.sizes[0], framed.sizes[0]
        changed = (before != after).any(axis=2)
        for index in plain.indices:
            top, bottom = (round(4 * (index.y + side * index.height / 2)) for side in (-1, 1))
            middle = round(4 * index.x)
            assert not changed[top:bottom, middle - 2 : middle + 2].any()
        rows, columns = np.nonzero(changed)
        assert np.ptp(rows) > 0.8 * HEIGHT and np.ptp(columns) > 0.7 * WIDTH


def test_a_line_around_a_typeset_corner_leaves_the_index_free(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corners, "tinted", lambda card, rng: card)
    monkeypatch.setattr(corners, "_lay", lambda canvas, card, rng: card)
    decks = Decks(folder)
    inside = 0
    for seed in range(40):
        drawn = []
        for share in (0.0, 1.0):
            monkeypatch.setattr(corners, "FRAMED", share)
            drawn.append(font_corner(decks, np.random.default_rng(seed))[0])
        plain, framed = drawn
        changed = (plain != framed).any(axis=2)
        assert changed.any()
        rows, columns = np.nonzero(changed)
        inside += rows.min() > 1
        clear = np.full_like(changed, True)
        margin = int(max(rows.min(), columns.min())) + 6
        clear[margin:, margin:] = False
        assert not changed[~clear].any()  # above and left of the index alone
    assert 8 <= inside <= 32


def test_the_visible_fraction_of_an_index(artwork: DeckArtwork) -> None:
    """In many scenes some indices are free and some covered; what is outside the picture is not visible."""
    seen = [place for seed in range(30) for place in _scene(artwork, seed)[1]]
    assert {place.suit for place in seen} == set("SHDC")
    assert any(place.visible > 0.95 for place in seen) and any(place.visible < 0.6 for place in seen)
    for place in seen:
        assert 0 < place.visible <= 1
        if place.visible == 1:
            assert -1 < place.x < 224 and -1 < place.y < 224
            assert Card(place.rank, place.suit) in STANDARD_DECK


def test_one_photograph_in_four_is_held_out_and_backgrounds_show_no_card(tmp_path: Path) -> None:
    names = [f"{k}.png" for k in range(200)]
    assert 30 < sum(held_out("set", name) for name in names) < 70
    trained_on = [name for name in names if not held_out("set", name)][:2]
    (tmp_path / "set" / "images").mkdir(parents=True)
    entries = []
    for name in (*trained_on, next(name for name in names if held_out("set", name))):
        picture = np.full((400, 600, 3), 90, np.uint8)
        picture[20:220, 30:170] = 255
        imwrite(tmp_path / "set" / "images" / name, picture)
        box = {"label": "AS", "xyxy": [30, 20, 170, 220], "kind": "card"}
        entries.append({"image": name, "cards": ["AS"], "complete": True, "boxes": [box]})
    (tmp_path / "set" / "truth.json").write_text(json.dumps(entries))
    backgrounds = photo_backgrounds(tmp_path / "set")
    assert len(backgrounds) == 2
    assert all(ground.max() == 90 and min(ground.shape[:2]) >= 130 for ground in backgrounds)
