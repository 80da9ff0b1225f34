"""Learned cards survive the end of the program; learning from a terminal and from pictures."""

from __future__ import annotations

import json
import os
import pty
import signal
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from cardtable.cli import main
from cardtable.config.decks import find_deck, keep_deck
from cardtable.errors import CardtableError
from cardtable.setup.deck_files import one_learner, pictures_in
from cardtable.setup.deck_lessons import Exam, Lesson
from cardtable.terminal.input import Typed
from engine.cards import parse_card
from tests.cardtable.setup.test_deck_lessons import FOUR, WANTED, Recorder, face, go_through
from tests.drawing.decks import drawn_deck, photograph
from tests.programs import Program
from vision.decks.deck import LearnedDeck

ROOT = Path(__file__).parents[3]
LEARN = ["deck", "learn", "mine", "--cards", "brown-1,brown-2,red-1,red-2", "--no-page"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a table, with a deck of two cards."""
    monkeypatch.chdir(tmp_path)
    keep_deck(
        tmp_path / "decks" / "mine.deck", LearnedDeck("mine", {WANTED[0]: face("brown-1"), WANTED[2]: face("red-1")})
    )
    return tmp_path


@pytest.mark.long
def test_stopping_before_the_first_card_keeps_the_old_deck(folder: Path) -> None:
    with Program(*LEARN, "--anew", "--source", "usb:99") as program:
        assert "There is no camera usb:99" in program.stdout.readline()
        program.send_signal(signal.SIGINT)
        _, message = program.communicate(timeout=60)
    assert program.returncode == 130
    assert message == "mine: nothing was learned, and nothing has changed\n"
    assert list(find_deck("mine").faces) == [WANTED[0], WANTED[2]]
    with Program(*LEARN, "--source", "usb:99") as program:
        assert program.stdout.readline()
        program.send_signal(signal.SIGINT)
        _, message = program.communicate(timeout=60)
    assert message == "mine: 2 cards are learned; the same command learns the others\n"
    with Program("deck", "learn", "other", "--no-page", "--source", "usb:99") as program:
        assert program.stdout.readline()
        program.send_signal(signal.SIGTERM)
        program.communicate(timeout=60)
    assert not (folder / "decks" / "other.deck").exists()


def test_cards_reported_as_learned_survive_kill_9(folder: Path) -> None:
    with Program(*LEARN, "--anew", "--json", "--source", FOUR) as program:
        first = json.loads(program.stdout.readline())
        program.kill()
    assert (first["card"], first["good"], first["done"], first["of"]) == ("brown-1", True, 1, 4)
    learned = list(find_deck("mine").faces)
    assert learned == WANTED[: len(learned)] and learned


def test_a_card_that_cannot_be_stored_is_not_reported_as_learned() -> None:
    class Full(Recorder):
        def keep(self) -> None:
            raise CardtableError("the disk is full")

    recorder = Full()
    with pytest.raises(CardtableError, match="the disk is full"):
        go_through(Lesson(LearnedDeck("own"), WANTED), FOUR, recorder)
    assert recorder.reported == []


def test_one_program_at_a_time_learns_a_deck(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Program(*LEARN, "--source", "usb:99") as program:
        assert program.stdout.readline()
        for command in ([*LEARN, "--source", FOUR], ["deck", "import", "copy.deck", "mine", "--anew"]):
            main(["deck", "export", "mine", "copy.deck"])
            assert main(command) == 1
            message = "cardtable: another program is learning decks/mine.deck already: wait until it has ended"
            assert message in capsys.readouterr().err


def test_a_read_only_folder_is_reported_before_a_card_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "decks").write_text("a file, where the folder should be")
    assert main([*LEARN, "--source", FOUR]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("cardtable: decks/mine.deck cannot be written: ")
    with pytest.raises(CardtableError), one_learner(tmp_path / "decks" / "mine.deck"):
        pass


def test_a_recording_with_two_similar_cards_ends_with_an_error() -> None:
    """Otherwise the third card would be learned under the name of the second."""
    lesson = Lesson(LearnedDeck("own"), WANTED)
    with pytest.raises(CardtableError, match=r"brown 2, laid at \d+\.\d s, looks like an earlier card"):
        go_through(lesson, "synthetic:deck?game=its-15&cards=brown-1,brown-1,red-1", Recorder())
    assert list(lesson.deck.faces) == [WANTED[0]]


def test_a_deck_without_cards_cannot_be_tested(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep_deck(folder / "decks" / "none.deck", LearnedDeck("none"))
    assert main(["deck", "test", "none", "--source", FOUR]) == 2
    assert "none has no cards yet: cardtable deck learn none" in capsys.readouterr().err


# A terminal without a page


def test_a_number_is_typed_instead_of_a_button() -> None:
    ours, theirs = pty.openpty()
    with open(theirs) as lines:
        typed = Typed(lines)
        assert list(typed.pressed()) == []
        os.write(ours, b"2\nx\n\n 4 \n")
        assert list(typed.pressed()) == ["skip", "stop"]
        assert list(typed.pressed()) == []
    os.close(ours)
    lesson = Lesson(LearnedDeck("own"), WANTED)
    message = "A number, and Enter: 2: Leave brown 1 out, 4: Stop, and continue later"
    assert Typed(sys.stdin).choices(lesson.buttons) == message


def test_the_end_of_the_input_is_not_a_button() -> None:
    read, write = os.pipe()
    os.close(write)
    with os.fdopen(read) as lines:
        typed = Typed(lines)
        assert list(typed.pressed()) == [] and list(typed.pressed()) == []


def test_a_deck_is_learned_with_typed_buttons() -> None:
    ours, theirs = pty.openpty()
    os.write(ours, b"2\n")
    lesson, recorder = Lesson(LearnedDeck("own"), WANTED[:2]), Recorder()
    with open(theirs) as lines:
        go_through(lesson, "synthetic:deck?game=its-15&cards=brown-2", recorder, Typed(lines))
    os.close(ours)
    assert recorder.reported == ["brown 1 is left out.", "brown 2 is learned."]
    assert "A number, and Enter: 2: Leave brown 2 out, 4: Stop, and continue later" in recorder.sentences


# A folder of pictures


def shot(path: Path, name: str) -> None:
    cv2.imwrite(str(path), photograph(drawn_deck("numbers")[parse_card(name)], np.random.default_rng(3), 3.0)[0])


def test_two_pictures_of_one_card_are_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures = folder / "pictures"
    pictures.mkdir()
    shot(pictures / "brown-1.png", "brown-1")
    shot(pictures / "BROWN-1.JPG", "red-2")
    assert main(["deck", "learn", "twice", "--from", "pictures"]) == 1
    out = capsys.readouterr().out
    assert "brown-1.png: brown 1 is in BROWN-1.JPG already: take one of them away" in out
    assert "twice: 1 card is learned, 1 is not" in out


def test_a_folder_without_pictures_is_an_error_even_if_the_deck_has_cards(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "pictures").mkdir()
    assert main(["deck", "learn", "mine", "--from", "pictures"]) == 2
    assert "deck learn: pictures has no picture of a card" in capsys.readouterr().err
    assert len(find_deck("mine").faces) == 2


def test_a_test_reports_every_picture(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures = folder / "pictures"
    pictures.mkdir()
    shot(pictures / "brown-1.png", "brown-1")
    (pictures / "red-1.png").write_bytes(b"broken")
    assert main(["deck", "test", "mine", "--from", "pictures"]) == 1
    assert capsys.readouterr().out == "red-1.png: not a picture\nmine: 1 of 1 read; 1 not laid\n"
    assert main(["deck", "test", "mine", "--from", "pictures", "--json"]) == 1
    broken, whole = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert broken == {"card": "red-1", "read": None, "error": "red-1.png: not a picture"}
    assert whole == {"deck": "mine", "laid": 1, "of": 2, "misread": 0}


def test_every_file_named_after_a_card_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures = folder / "pictures"
    pictures.mkdir()
    shot(pictures / "brown-1.png", "brown-1")
    (pictures / "brown-2.heic").write_bytes(b"of a telephone")
    (pictures / "notes.txt").write_text("not a card")
    assert main(["deck", "learn", "new", "--from", "pictures", "--cards", "brown-1,red-1,red-2"]) == 1
    out, err = capsys.readouterr()
    assert out == ("brown 1 is learned.\nbrown-2.heic: not a picture\nnew: 1 card is learned, 3 are not\n")
    assert err == "pictures has no picture of red 1 red 2\n"


def test_pictures_come_in_the_order_of_a_sorted_deck(tmp_path: Path) -> None:
    for name in ("trump-10.png", "trump-9.png", "2S.jpg", "10s.png", "KS.png", "AH.PNG", "a.png", "AS.png", "x.txt"):
        (tmp_path / name).touch()
    assert [name for name, _ in pictures_in(tmp_path)] == ["AS", "2S", "10s", "KS", "AH", "trump-9", "trump-10", "a"]


def test_a_card_too_similar_to_another_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures = folder / "pictures"
    pictures.mkdir()
    for name in ("cat-1", "cat-2"):
        shot(pictures / f"{name}.png", "red-1")
    assert main(["deck", "learn", "twins", "--from", "pictures"]) == 0
    assert "cat 2 and cat 1 look nearly alike" in capsys.readouterr().err
    assert main(["deck", "test", "twins", "--from", "pictures"]) == 1
    message = "cat 1 is not read: the picture is not sharp, or another card is too much like it.\n"
    assert message in capsys.readouterr().out


def test_a_damaged_deck_can_be_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "decks" / "mine.deck").write_bytes(b"damaged")
    assert main([*LEARN, "--source", FOUR]) == 2
    assert "decks/mine.deck is not a deck (damaged, or another kind of file): learn it again with --anew" in (
        capsys.readouterr().err
    )
    learn_one = ["deck", "learn", "mine", "--cards", "brown-1", "--no-page"]
    assert main([*learn_one, "--anew", "--source", "synthetic:deck?game=its-15&cards=brown-1"]) == 0
    assert list(find_deck("mine").faces) == WANTED[:1]


def test_a_missing_card_does_not_count_as_read() -> None:
    exam, recorder = Exam(LearnedDeck("own", {WANTED[0]: face("brown-1")}), WANTED[:2]), Recorder(skip="Lay brown 1")
    go_through(exam, "synthetic:deck?game=its-15&cards=red-1", recorder)
    assert (exam.laid, exam.progress, len(exam.misread)) == (1, (2, 2), 1)
