"""Learning and testing a deck card by card: answers, buttons, and the camera."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardtable.config.model import BoardConfig, TableConfig
from cardtable.errors import CardtableError, UsageError
from cardtable.setup.deck_course import Course, open_deck_camera
from cardtable.setup.deck_lessons import Exam, Lesson, Misread, alike
from cardtable.table.cameras import mat_for
from cardtable.terminal.input import Typed
from cardtable.web.guide import Guidance
from engine.cards import Card, parse_card
from tests.drawing.decks import drawn_deck, learned, photograph, seen_face
from vision.decks.deck import LearnedDeck
from vision.frames import Image

NAMES = ("brown-1", "brown-2", "red-1", "red-2")
WANTED = [parse_card(name) for name in NAMES]


def face(name: str, seed: int = 1) -> Image:
    seen = seen_face(*photograph(drawn_deck("numbers")[parse_card(name)], np.random.default_rng(seed)))
    assert seen is not None
    return seen


def test_card_after_card_is_learned() -> None:
    lesson = Lesson(LearnedDeck("own"), WANTED)
    for number, name in enumerate(NAMES):
        assert (str(lesson.next), lesson.progress) == (name, (number, 4))
        answer = lesson.show(face(name), (62.0 + number, 88.0))
        assert answer.good and "is learned" in answer.text
    assert lesson.next is None and lesson.progress == (4, 4)
    assert lesson.deck.size_mm == (64.0, 88.0)
    assert lesson.show(face("red-1"), None).text == "All cards are learned."


def test_a_card_left_on_the_table_is_not_learned_as_the_next_one() -> None:
    lesson = Lesson(LearnedDeck("own"), WANTED)
    lesson.show(face("brown-1"), None)
    answer = lesson.show(face("brown-1", 2), None)
    assert not answer.good and answer.text.startswith(
        "This looks like brown 1, which is already learned. If it is brown 2,"
    )
    assert str(lesson.next) == "brown-2"
    assert dict(lesson.buttons)["take"] == "Learn it as brown 2"
    assert lesson.show(face("brown-2"), None).good
    assert "take" not in dict(lesson.buttons)


def test_a_similar_card_is_learned_after_confirmation() -> None:
    lesson = Lesson(LearnedDeck("own"), WANTED)
    lesson.show(face("brown-1"), None)
    assert lesson.press("take") is None
    lesson.show(face("brown-1", 2), None)
    answer = lesson.press("take")
    assert answer is not None and answer.good
    assert str(lesson.next) == "red-1"
    assert alike(lesson.deck) in ([(WANTED[0], WANTED[1])], [(WANTED[1], WANTED[0])])


def test_skipping_a_card_and_going_back() -> None:
    lesson = Lesson(LearnedDeck("own"), WANTED)
    assert [do for do, _ in lesson.buttons] == ["skip", "stop"]
    lesson.press("skip")
    assert str(lesson.next) == "brown-2"
    lesson.show(face("brown-2"), None)
    assert dict(lesson.buttons)["back"] == "brown 2 again"
    answer = lesson.press("back")
    assert answer is not None and answer.text == "Show brown 2 again."
    assert str(lesson.next) == "brown-2" and lesson.progress == (0, 4)


def test_a_partly_learned_deck_is_continued() -> None:
    deck = LearnedDeck("own", {WANTED[0]: face("brown-1"), WANTED[2]: face("red-1")})
    lesson = Lesson(deck, WANTED)
    assert (str(lesson.next), lesson.progress) == ("brown-2", (2, 4))


def test_the_misread_list() -> None:
    deck = LearnedDeck("own", {card: seen for card, seen in learned("numbers").faces.items() if str(card) != "red-1"})
    exam = Exam(deck, WANTED)
    assert exam.show(face("brown-1")).text == "brown 1 is read."
    assert exam.show(face("brown-3")).text == "brown 2 is read as brown 3."
    answer = exam.show(face("red-1"))
    assert not answer.good and answer.text.startswith("red 1 is not read; it is most like ")
    assert dict(exam.buttons)["skip"] == "red 2 is not here"
    first, second = exam.misread
    assert first == Misread(parse_card("brown-2"), parse_card("brown-3"), parse_card("brown-3"))
    assert (second.shown, second.read) == (parse_card("red-1"), None)
    exam.press("back")
    assert (exam.next, exam.progress, len(exam.misread)) == (parse_card("red-1"), (2, 4), 1)
    exam.press("skip")
    exam.press("skip")
    assert (exam.progress, exam.laid) == ((4, 4), 2)
    exam.press("back")
    assert (exam.progress, exam.laid) == ((3, 4), 2)
    exam.press("skip")
    assert exam.next is None and exam.show(face("red-1")).text == "All cards have been laid."


@pytest.mark.long
def test_distinguishable_cards_are_not_called_alike() -> None:
    assert alike(learned("numbers")) == []


# With a camera

TABLE = TableConfig(game="its-15", players=("Ann", "Bo"), dealer=0, board=BoardConfig(port=0))
FOUR = "synthetic:deck?game=its-15&cards=brown-1,brown-2,red-1,red-2"


class Recorder:
    """A page and a terminal, and what they were given. `press`: a button, and the state in which it is pressed."""

    def __init__(self, **press: str) -> None:
        self.guidance: list[Guidance] = []
        self.pictures = 0
        self.reported: list[str] = []
        self.sentences: list[str] = []
        self.kept = 0
        self._press = press

    def show(self, guidance: Guidance, image: Image | None = None) -> None:
        self.guidance.append(guidance)
        self.pictures += image is not None

    def pressed(self) -> Iterable[str]:
        text = self.guidance[-1].text if self.guidance else ""
        for button, when in list(self._press.items()):
            if when in text:
                del self._press[button]
                yield button

    def report(self, text: str, entry: dict[str, Any]) -> None:
        self.reported.append(text)

    def say(self, text: str) -> None:
        self.sentences.append(text)

    def keep(self) -> None:
        self.kept += 1


def go_through(lesson: Lesson | Exam, source: str, recorder: Recorder, keys: Typed | None = None) -> None:
    with closing(open_deck_camera(source, TABLE)) as camera:
        page: Any = recorder if keys is None else None
        Course(lesson, camera, mat_for(TABLE.header), "own", recorder, recorder.keep, page, keys).run()


@pytest.mark.long
def test_a_deck_is_learned_under_the_camera_and_read_under_another() -> None:
    lesson, recorder = Lesson(LearnedDeck("own"), WANTED), Recorder()
    go_through(lesson, FOUR, recorder)
    assert recorder.reported == [f"{card.glyph} is learned." for card in WANTED] and recorder.kept == 4
    assert recorder.sentences[:2] == ["Take all cards off the table, and your hands.", "0 of 4: Show brown 1."]
    assert recorder.sentences[-1] == "3 of 4: Show red 2."
    assert [guidance.progress for guidance in (recorder.guidance[0], recorder.guidance[-1])] == [(0, 4), (4, 4)]
    assert recorder.pictures > 4
    assert lesson.deck.size_mm == pytest.approx((63, 88), abs=1.5)
    exam, recorder = Exam(lesson.deck, WANTED), Recorder()
    go_through(exam, "synthetic:deck?game=its-15&seed=5&cards=brown-1,red-1,brown-2,red-2", recorder)
    assert [(str(wrong.shown), str(wrong.read)) for wrong in exam.misread] == [
        ("brown-2", "red-1"),
        ("red-1", "brown-2"),
    ]
    assert recorder.guidance[-1].title == "Testing the deck own"


def test_the_stop_button_of_the_page() -> None:
    lesson, recorder = Lesson(LearnedDeck("own"), WANTED), Recorder(skip="Show brown 1", stop="Show brown 2")
    go_through(lesson, FOUR, recorder)
    assert recorder.reported == ["brown 1 is left out."]
    assert lesson.deck.faces == {}


def test_a_recording_with_an_unreadable_card_ends_with_an_error(tmp_path: Path) -> None:
    """Two cards at once, then one, which would get the name of the first."""
    import cv2

    from tests.drawing.faces import cloth, lay

    bare = cloth(960, 540, np.random.default_rng(1))
    two = bare.copy()
    for x in (300, 640):
        lay(two, drawn_deck("numbers")[parse_card("red-1")], (x, 270), 4, 2.0)
    for number, picture in enumerate([*[bare] * 5, *[two] * 6, *[bare] * 6]):
        cv2.imwrite(str(tmp_path / f"{number:02}.png"), picture)
    lesson = Lesson(LearnedDeck("own"), WANTED)
    with pytest.raises(
        CardtableError, match=r"brown 1, taken away at 1\.\d s, was not recognised; the cards before it are"
    ):
        go_through(lesson, f"dir:{tmp_path}", Recorder())
    assert lesson.deck.faces == {}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("synthetic:its-15", "does not show a deck card by card: write synthetic:deck"),
        ("synthetic:deck?game=its-51", "there is no game 'its-51'; did you mean 'its-15'"),
        (
            "synthetic:deck?crads=QS",
            "has no 'crads', it has game, marks, seed, cards, at_once, pace; did you mean 'cards'?",
        ),
        ("synthetic:deck?cards=XX", "'XX' is not a card"),
        ("synthetic:deck?seed=x", "a seed is a whole number"),
        ("synthetic:deck?marks=none", "marks are faces, qr, aruco, plain, not 'none'"),
        ("dir:nowhere", "There is no folder"),
    ],
)
def test_an_impossible_source(source: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        open_deck_camera(source, TABLE)
    assert message in str(refused.value)


def test_a_missing_camera_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder(stop="There is no camera usb:99")
    go_through(Lesson(LearnedDeck("own"), WANTED), "usb:99", recorder)
    assert recorder.sentences[0].startswith("There is no camera usb:99") and recorder.guidance[-1].alert in (
        True,
        False,
    )


def test_cards_are_values() -> None:
    assert {card for card in drawn_deck("paintings")} == {Card(str(number), "trump") for number in range(1, 23)}
