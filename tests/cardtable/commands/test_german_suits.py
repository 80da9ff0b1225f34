"""`deck = "german-suits"`: cards with acorns, leaves, hearts and bells, in pictures and at a table."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.drawn.faces import cloth, face_of, lay, photographed
from benchmarks.drawn.german import german_style
from cardtable.cli import main
from cardtable.config.load import read_config
from cardtable.decks.library import GERMAN, ORDINARY, is_printed, suits_of
from cardtable.play.camera_source import open_camera
from engine.cards import parse_card
from vision.decks.deck import PRINTED
from vision.frames import Image

CARDS = ("QC", "JS", "KH", "10D")


@pytest.fixture(scope="module")
def picture() -> Image:
    """An ober of acorns, an unter of leaves, a king of hearts and a ten of bells."""
    rng = np.random.default_rng(2)
    table = cloth(1300, 420, rng)
    for k, name in enumerate(CARDS):
        lay(table, face_of(parse_card(name), german_style()), (180 + 310 * k, 210), 20 * k - 30, 2.8)
    return photographed(table, rng)


@pytest.fixture
def folder(tmp_path: Path, picture: Image, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    cv2.imwrite("trick.png", picture)
    return tmp_path


def seen(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [entry["card"] for entry in json.loads(capsys.readouterr().out)["cards"]]


def test_see_reads_them_if_the_deck_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["see", "trick.png", "--json", "--deck", "german-suits"]) == 0
    assert seen(capsys) == list(CARDS)
    assert main(["see", "trick.png", "--json"]) == 0
    assert "QC" not in seen(capsys)


def test_a_table_reads_them_if_its_camera_has_such_a_deck(
    folder: Path, picture: Image, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "table.toml"
    path.write_text(
        'game = "skat"\nplayers = ["Ann", "Bo", "Cy"]\n[camera]\nsource = "usb:99"\ndeck = "german-suits"\n', "utf-8"
    )
    assert main(["config", "--check", str(path)]) == 0
    config = read_config(path)
    (camera,) = config.cameras
    assert camera.deck == GERMAN
    for deck in (camera.deck, None):
        eye = open_camera(camera.source, config.header, config.marks, deck=deck)
        found = {str(one.face) for one in eye.tracker._readers[-1].read(picture)}
        eye.close()
        assert found == set(CARDS) if deck else "QC" not in found


def test_names_of_decks_that_are_not_learned() -> None:
    assert PRINTED == (ORDINARY, GERMAN) and all(map(is_printed, PRINTED)) and not is_printed("mine")
    assert [suits_of(deck) for deck in (None, ORDINARY, GERMAN, "mine")] == ["french", "french", "german", "french"]


def test_the_simulated_table_has_no_such_deck(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--deck", "german-suits", "--headless"]) == 2
    assert "the simulated deck has French suits: leave --deck out" in capsys.readouterr().err
