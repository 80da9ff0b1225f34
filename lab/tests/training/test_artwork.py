"""Decks rendered from packaged artwork: each kind of package, with files as installed."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.cards import RANKS
from lab.training import artwork
from lab.training.artwork import HEIGHT, WIDTH, flatten, render
from lab.training.files import imread, imwrite

pytestmark = pytest.mark.skipif(shutil.which("rsvg-convert") is None, reason="rsvg-convert is not installed")

_SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}">{2}</svg>'


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The `node_modules` of a machine with one sheet of aisleriot and two npm packages."""
    monkeypatch.setattr(artwork, "AISLERIOT", tmp_path / "aisleriot")
    monkeypatch.setattr(artwork, "CARDDECKS", tmp_path / "carddecks")
    monkeypatch.setattr(artwork, "POKERTH", tmp_path / "pokerth")
    (tmp_path / "aisleriot").mkdir()
    cells = "".join(
        f'<rect x="{30 * column + 1}" y="{42 * row + 1}" width="28" height="40" '
        f'fill="rgb({20 * column},{50 * row},200)"/>'
        for row in range(5)
        for column in range(13)
    )
    sheet = _SVG.format(13 * 30, 5 * 42, cells)
    (tmp_path / "aisleriot" / "anglo.svgz").write_bytes(gzip.compress(sheet.encode()))
    drawn = tmp_path / "node_modules" / "cardsJS" / "cards"
    drawn.mkdir(parents=True)
    for name in ("10H", "RED_BACK"):
        (drawn / f"{name}.svg").write_text(_SVG.format(60, 90, '<rect width="60" height="90" fill="#f00"/>'))
    pictures = tmp_path / "node_modules" / "svg-cards" / "png" / "2x"
    pictures.mkdir(parents=True)
    for name in ("heart_queen", "back_blue"):
        imwrite(pictures / f"{name}.png", np.full((90, 60, 3), (0, 255, 0), np.uint8))
    return tmp_path / "node_modules"


def test_installed_decks_are_rendered_and_the_others_are_reported(
    installed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = render(tmp_path / "decks", installed)
    assert counts == {"aisleriot-anglo": 13 * 4 + 3, "svg-cards": 1, "cardsJS": 1}
    assert "letele: left out" in capsys.readouterr().out
    for name, card, colour in (("svg-cards", "QH", (0, 255, 0)), ("cardsJS", "10H", (0, 0, 255))):
        picture = imread(tmp_path / "decks" / name / f"{card}.png")
        assert picture.shape == (HEIGHT, WIDTH, 3)
        assert np.abs(picture.reshape(-1, 3).mean(axis=0) - colour).max() < 2


@pytest.mark.parametrize(("row", "suit"), list(enumerate("CDHS")))
def test_each_card_of_a_sheet_has_its_own_file(installed: Path, tmp_path: Path, row: int, suit: str) -> None:
    render(tmp_path / "decks", installed)
    for column, rank in enumerate(RANKS):
        picture = imread(tmp_path / "decks" / "aisleriot-anglo" / f"{rank}{suit}.png")
        assert np.abs(picture[HEIGHT // 2, WIDTH // 2] - np.array([200, 50 * row, 20 * column])).max() < 3


def test_complete_decks_are_not_rendered_again_and_interrupted_ones_are(installed: Path, tmp_path: Path) -> None:
    out = tmp_path / "decks"
    counts = render(out, installed)
    (out / "svg-cards" / "QH.png").unlink()
    assert render(out, installed) == counts
    assert not (out / "svg-cards" / "QH.png").exists()
    listed = (out / "decks.json").read_text()
    (out / "decks.json").write_text(listed.replace('"svg-cards": 1,', ""))
    assert render(out, installed) == counts
    assert (out / "svg-cards" / "QH.png").exists()


def test_unseen_decks_are_rendered_alone(installed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    images = installed / "@heruka_urgyen" / "react-playing-cards" / "src" / "images" / "4color"
    images.mkdir(parents=True)
    for name in ("TC", "2J"):
        (images / f"{name}.svg").write_text(_SVG.format(60, 90, '<rect width="60" height="90" fill="#0f0"/>'))
    (images.parent / "2color").mkdir()
    (tmp_path / "pokerth" / "default").mkdir(parents=True)
    for number in range(52):
        imwrite(tmp_path / "pokerth" / "default" / f"{number}.png", np.full((90, 60, 3), number, np.uint8))
    casino = installed / "react-casino" / "dist" / "assets" / "png" / "cards"
    casino.mkdir(parents=True)
    for name in ("TS", "BACK"):
        imwrite(casino / f"{name}.png", np.full((90, 60, 3), (9, 8, 7), np.uint8))
    counts = render(tmp_path / "unseen", installed, unseen=True)
    assert counts == {"heruka-4color": 1, "pokerth-default": 52, "react-casino": 1}
    assert (imread(tmp_path / "unseen" / "react-casino" / "10S.png") == (9, 8, 7)).all()
    assert imread(tmp_path / "unseen" / "heruka-4color" / "10C.png")[9, 9].tolist() == [0, 255, 0]
    order = {"2D": 0, "AD": 12, "2H": 13, "10S": 34, "AC": 51}
    for card, number in order.items():
        assert (imread(tmp_path / "unseen" / "pokerth-default" / f"{card}.png") == number).all()
    assert "heruka-2color: left out" in capsys.readouterr().out


def test_transparent_parts_become_white() -> None:
    clear = np.zeros((20, 10, 4), np.uint8)
    clear[:10] = (0, 0, 255, 255)
    flat = flatten(clear)
    assert flat[HEIGHT // 4, 5].tolist() == [0, 0, 255]
    assert flat[-1, 5].tolist() == [255, 255, 255]
