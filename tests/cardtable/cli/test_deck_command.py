"""`cardtable deck`: decks learned from pictures and from a camera, listed, tested, exported, imported, and read."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from cardtable.cli import main
from cardtable.config.decks import find_deck
from cardtable.config.load import read_config
from cardtable.doctor.cameras import cameras
from cardtable.errors import UsageError
from cardtable.evening.playing import Parts, one_game
from cardtable.simulation.checking import Readings
from cardtable.simulation.source import SyntheticSource, parse_setting
from cardtable.table.cameras import card_readers, mat_for, open_camera
from engine.cards import parse_card
from tests.drawing.decks import drawn_deck, learned, photograph
from vision.camera_pipeline import CameraPipeline
from vision.decks.deck import load_deck, save_deck
from vision.decks.matching import DeckReader
from vision.faces import FaceReader

NAMES = ("brown-1", "brown-2", "red-1", "red-2")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pictures of four cards, two scans and two photographs, and the deck learned from them."""
    made = tmp_path_factory.mktemp("made")
    pictures = made / "pictures"
    pictures.mkdir()
    for number, name in enumerate(NAMES):
        face = drawn_deck("numbers")[parse_card(name)]
        image = face if number < 2 else photograph(face, np.random.default_rng(number), 4.0)[0]
        cv2.imwrite(str(pictures / f"{name}.png"), image)
    (pictures / "readme.txt").write_text("not a picture")
    with contextlib.chdir(made):
        assert main(["deck", "learn", "mine", "--from", "pictures"]) == 0
    return made


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a table, with the pictures."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made / "pictures", tmp_path / "pictures")
    return tmp_path


@pytest.fixture
def mine(made: Path, folder: Path) -> Path:
    """The folder of a table, with the learned deck, too."""
    shutil.copytree(made / "decks", folder / "decks")
    return folder


def answers(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_learned_from_a_folder_listed_and_tested(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deck", "list"]) == 0
    assert "no deck in decks; to learn one: cardtable deck learn my-deck" in capsys.readouterr().out
    assert main(["deck", "learn", "mine", "--from", "pictures", "--json"]) == 0
    *cards, whole = answers(capsys)
    assert cards == [{"card": name, "learned": True} for name in NAMES]
    assert whole == {"deck": "mine", "file": "decks/mine.deck", "cards": 4, "missing": 0}
    assert main(["deck", "list", "--json"]) == 0
    assert answers(capsys) == [{"deck": "mine", "file": "decks/mine.deck", "size_mm": None, "cards": list(NAMES)}]
    assert main(["deck", "list"]) == 0
    assert capsys.readouterr().out == "mine: 4 cards: brown 1 brown 2 red 1 red 2\n"
    shots = folder / "shots"
    shots.mkdir()
    for name, true in (("brown-1", "brown-1"), ("brown-2", "red-2"), ("red-1", "red-1")):
        image, _ = photograph(drawn_deck("numbers")[parse_card(true)], np.random.default_rng(9), 2.4, light="warm lamp")
        cv2.imwrite(str(shots / f"{name}.jpg"), image)
    assert main(["deck", "test", "mine", "--from", "shots", "--json"]) == 1
    assert answers(capsys) == [
        {"card": "brown-2", "read": "red-2", "nearest": "red-2"},
        {"deck": "mine", "laid": 3, "of": 3, "misread": 1},
    ]
    (shots / "brown-2.jpg").unlink()
    assert main(["deck", "test", "mine", "--from", "shots"]) == 0
    assert capsys.readouterr().out == "mine: 2 of 2 read\n"


def test_unusable_pictures_are_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures = folder / "pictures"
    cv2.imwrite(str(pictures / "green-1.png"), np.full((300, 400, 3), 90, np.uint8))
    (pictures / "green-2.png").write_bytes(b"broken")
    (pictures / "holiday.png").write_bytes((pictures / "red-1.png").read_bytes())
    assert main(["deck", "learn", "mine", "--from", "pictures"]) == 1
    out = capsys.readouterr().out
    assert "green-1.png: no card is found in it: lay it alone on plain dark cloth" in out
    assert "green-2.png: not a picture" in out
    assert "holiday.png: 'holiday' is not a card" in out
    assert "mine: 4 cards are learned, 3 are not" in out


@pytest.mark.long
def test_learned_under_the_camera_in_two_goes_and_tested(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show = "synthetic:deck?game=its-15&cards="
    learn = ["deck", "learn", "mine", "--cards", "brown-2,red-1", "--no-page", "--json"]
    assert main([*learn, "--source", f"{show}brown-2"]) == 1
    assert answers(capsys)[-1] == {"deck": "mine", "file": "decks/mine.deck", "cards": 1, "missing": 1}
    assert main([*learn, "--source", f"{show}red-1"]) == 0
    *cards, whole = answers(capsys)
    assert [entry["card"] for entry in cards] == ["red-1"]
    assert whole["cards"] == 2
    assert main([*learn, "--source", show]) == 2
    assert "all cards of mine are learned; to learn them again: --anew" in capsys.readouterr().err
    source = f"{show}red-1,brown-2&seed=4"
    assert main(["deck", "test", "mine", "--source", source, "--no-page"]) == 1
    out = capsys.readouterr().out
    assert "brown 2 is read as red 1.\nred 1 is read as brown 2.\nmine: 0 of 2 read\n" in out


def test_messages_are_in_the_language_of_the_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("table.toml").write_text('game = "its-15"\nplayers = ["Ann", "Bo"]\ndealer = 0\nlanguage = "fr"\n', "utf-8")
    learn = ["deck", "learn", "mine", "--cards", "brown-1"]
    assert main([*learn, "--source", "synthetic:deck?game=its-15&cards=brown-1", "--no-page"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Retirez de la table toutes les cartes, et vos mains."
    assert lines[1:3] == ["0 sur 1\u00a0: Montrez brun 1.", "brun 1 est apprise."]
    assert lines[-1] == "mine\u00a0: 1 carte est apprise"


def test_exported_and_imported_as_one_file(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deck", "export", "mine", "copy.deck"]) == 0
    assert main(["deck", "import", "copy.deck"]) == 2
    assert "mine is here already; replace it with --anew, or name it" in capsys.readouterr().err
    assert main(["deck", "import", "copy.deck", "other"]) == 0
    assert main(["deck", "import", "copy.deck", "--anew"]) == 0
    capsys.readouterr()
    main(["deck", "list", "--json"])
    first, second = answers(capsys)
    assert (first["deck"], second["deck"]) == ("mine", "other") and first["cards"] == second["cards"]
    (mine / "decks" / "broken.deck").write_bytes(b"x")
    assert main(["deck", "list"]) == 1
    assert "broken: decks/broken.deck is not a deck" in capsys.readouterr().out


def test_exported_into_a_folder_and_by_the_name_of_its_file(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = mine
    (folder / "decks" / "mine.deck").rename(folder / "decks" / "other.deck")
    (folder / "stick").mkdir()
    assert main(["deck", "export", "other", "stick"]) == 0
    assert main(["deck", "export", "decks/other.deck"]) == 0
    assert load_deck(folder / "stick" / "other.deck").name == load_deck(folder / "other.deck").name == "other"
    foreign = load_deck(folder / "other.deck")
    foreign.name = "../../other"
    save_deck(folder / "foreign.deck", foreign)
    capsys.readouterr()
    assert main(["deck", "import", "foreign.deck"]) == 2
    assert "small letters, digits and -, like my-tarot; name it: cardtable deck import foreign.deck my-deck" in (
        capsys.readouterr().err
    )
    assert main(["deck", "import", "foreign.deck", "mine"]) == 0
    assert sorted(path.name for path in folder.rglob("*.deck")) == [
        "foreign.deck", "mine.deck", "other.deck", "other.deck", "other.deck",
    ]  # fmt: skip


def test_cards_of_the_game_that_were_not_learned_are_named(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = mine / "frames"
    source.mkdir()
    cv2.imwrite(str(source / "1.png"), np.zeros((540, 960, 3), np.uint8))
    watch = ["watch", "dir:frames", "--players", "Ann,Bo", "--dealer", "Ann", "--deck", "mine", "--json", "--game"]
    capsys.readouterr()
    assert main([*watch, "its-15"]) == 0
    err = capsys.readouterr().err
    assert "the deck mine has not learned 27 of the 31 cards of its-15, which will not be read: brown 3 brown 4 " in err
    assert "; to learn them: cardtable deck learn mine --game its-15\n" in err
    assert main([*watch, "all-fives"]) == 2
    assert "the deck mine has no card of all-fives: cardtable deck list shows" in capsys.readouterr().err
    assert main([*watch[:-3], "ordinary", "--json", "--game", "all-fives"]) == 0


def test_see_reads_pictures_with_a_learned_deck(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image, outline = photograph(drawn_deck("numbers")[parse_card("red-2")], np.random.default_rng(5), 3.0, light="cold")
    cv2.imwrite("shot.png", image)
    capsys.readouterr()
    for deck in ("mine", "decks/mine.deck"):
        target = deck if deck == "mine" else str(mine / "decks" / "mine.deck")
        assert main(["see", "shot.png", "--deck", target, "--json"]) == 0
        ((answer),) = answers(capsys)
        (card,) = answer["cards"]
        assert (card["card"], card["by"]) == ("red-2", "face")
        assert np.abs(np.mean(card["outline"], axis=0) - outline.mean(axis=0)).max() < 3
    assert main(["see", "shot.png", "--deck", "mien"]) == 2
    assert "there is no deck 'mien' in decks; did you mean 'mine'?" in capsys.readouterr().err


def test_a_deck_in_the_configuration(mine: Path) -> None:
    path = mine / "table.toml"
    head = 'game = "its-15"\nplayers = ["Ann", "Bo"]\ndealer = 0\n'
    path.write_text(f'{head}[camera]\nsource = "usb:99"\ndeck = "mine"\n', "utf-8")
    (camera,) = read_config(path).cameras
    assert camera.deck == str(mine / "decks" / "mine.deck")
    config = read_config(path)
    gap = next(cameras(config))
    assert gap.state == "warning" and "has not learned 27 of the 31 cards of its-15" in gap.text
    eye = open_camera(camera, config.header, config.marks)
    assert [type(reader) for reader in eye.tracker._readers][-1] is DeckReader
    eye.close()
    path.write_text(f'{head}marks = ["qr"]\n[camera]\nsource = "usb:99"\ndeck = "mine"\n', "utf-8")
    with pytest.raises(UsageError, match="the deck 'mine' is read by its faces: add \"faces\" to marks"):
        read_config(path)
    path.write_text(f'{head}[camera]\nsource = "usb:99"\ndeck = "ordinary"\n', "utf-8")
    (camera,) = read_config(path).cameras
    eye = open_camera(camera, config.header, config.marks)
    assert [type(reader) for reader in eye.tracker._readers][-1] is FaceReader
    eye.close()


@pytest.mark.long
def test_a_game_is_played_with_unmarked_cards(folder: Path) -> None:
    """It's 15 before the simulated camera, with a deck that was learned from photographs on another cloth."""
    (folder / "decks").mkdir()
    save_deck(folder / "decks" / "mine.deck", learned("numbers"))
    setting = parse_setting("its-15?seed=3&marks=plain&pace=fast")
    source, readings = SyntheticSource(setting), Readings()
    eye = CameraPipeline(source, mat_for(setting.header), card_readers(["faces"], find_deck("mine")))
    with one_game(Parts(setting.header, [eye], observed=readings.take)) as playing:
        playing.run(until=lambda: playing.game.snapshot.n >= 3)
    count = readings.count(source.stage.cards_laid)
    assert count.right >= 2 and count.wrong == 0
    assert source.director.laid_again == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["learn"], "deck learn: NAME is missing; for example: cardtable deck learn my-deck"),
        (["learn", "My Deck"], "a deck's name has small letters, digits and -, like my-tarot"),
        (["learn", "ordinary"], "the deck ordinary needs no learning"),
        (["learn", "german-suits"], "the deck german-suits needs no learning: its cards are read by their indices"),
        (["learn", "mine", "extra"], "'extra' is one argument too many"),
        (["check", "--from", "pictures"], "leave --from out"),
        (["learn", "mine", "--from", "nowhere"], "there is no folder nowhere"),
        (["learn", "mine", "--game", "its-51", "--source", "usb:0"], "there is no game 'its-51'"),
        (["learn", "mine", "--cards", "QS,XX"], "deck: --cards: 'XX' is not a card"),
        (["learn", "mine", "--port", "99999"], "--port: 99999 is not a port"),
        (["lern", "mine"], "did you mean 'learn'?"),
        (["test", "mine"], "there is no deck 'mine' in decks"),
        (["export", "mine"], "there is no deck 'mine' in decks"),
        (["import", "nothing.deck"], "there is no file nothing.deck"),
        (["import", "pictures/red-1.png"], "is not a deck"),
        (["test", "../x"], "there is no deck 'x' in decks/..; decks known here: ordinary, german-suits"),
        (["test", "naïve"], "decks known here: ordinary, german-suits; a deck's name has small letters, digits and -"),
        (["export", "ordinary"], "the deck ordinary needs no learning: its cards are read by their indices"),
    ],
)
def test_a_wrong_argument(arguments: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deck", *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1


def test_the_help_says_what_each_action_does_and_what_the_exit_status_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["deck", "--help"])
    help_text = " ".join(capsys.readouterr().out.split())
    assert "status 0 if every card was read" in help_text
    assert all(f"{action}: " in help_text for action in ("check", "learn", "test", "list"))
    assert "check: german-suits, or a learned deck" in help_text
