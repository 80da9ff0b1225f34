"""`deck = "german-suits"`: cards with acorns, leaves, hearts and bells, in pictures and at a table."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import cv2
import numpy as np
import pytest

from cardtable.cli import main
from cardtable.config.decks import GERMAN, ORDINARY, is_printed, suits_of
from cardtable.config.devices import CameraConfig
from cardtable.config.load import read_config
from cardtable.config.model import TableConfig
from cardtable.evening.equipment import Equipment
from cardtable.journal.journal import Journal
from cardtable.setup.deck_report import DeckReport
from cardtable.table.cameras import open_camera
from engine.cards import parse_card
from tests.drawing.faces import cloth, face_of, lay, photographed
from tests.drawing.german import german_style
from vision.decks.deck import PRINTED, check_name
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
    french = seen(capsys)
    assert "KH" in french and "QC" not in french


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
        eye = open_camera(camera.model_copy(update={"deck": deck}), config.header, config.marks)
        found = {str(reading.face) for reading in eye.tracker._readers[-1].read(picture)}
        eye.close()
        assert (found == set(CARDS)) if deck else ("KH" in found and "QC" not in found)


def test_an_evening_reads_them(folder: Path, picture: Image) -> None:
    config = TableConfig(
        game="skat", players=("Ann", "Bo", "Cy"), cameras=(CameraConfig(source="synthetic:skat", deck=GERMAN),)
    )
    with closing(Journal(folder / "journal.sqlite")) as journal, closing(Equipment(config, journal)) as equipment:
        (pipeline,) = equipment.cameras(config.header)
        found = {str(reading.face) for reading in pipeline.tracker._readers[-1].read(picture)}
        assert found == set(CARDS)
        pipeline.close()


def test_a_learned_deck_cannot_have_the_name(folder: Path) -> None:
    with pytest.raises(ValueError, match="needs no learning"):
        check_name(GERMAN)


def test_what_to_do_about_a_deck_that_is_not_read() -> None:
    assert "cardtable deck check german-suits" in DeckReport([parse_card("QC")]).advice()


def test_names_of_decks_that_are_not_learned() -> None:
    assert PRINTED == (ORDINARY, GERMAN) and all(map(is_printed, PRINTED)) and not is_printed("mine")
    assert [suits_of(deck) for deck in (None, ORDINARY, GERMAN, "mine")] == ["french", "french", "german", "french"]


def test_the_simulated_table_has_no_such_deck(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--deck", "german-suits", "--headless"]) == 2
    assert "the simulated deck has French suits: leave --deck out" in capsys.readouterr().err
