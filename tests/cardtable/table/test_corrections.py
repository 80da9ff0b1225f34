"""Corrections by people: stored whole with who has made them, shown once, and what lies there counts for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from cardtable.journal.corrections import MadeCorrection, What
from cardtable.journal.journal import Journal
from cardtable.table.live_game import LiveGame
from cardtable.table.messages import BOARD, AddCard, CorrectCard, CorrectionMessage, Refusal, UndoTo
from cardtable.table.snapshot import Snapshot
from engine.actions import Action
from engine.cards import Card, parse_card
from engine.observations import Said
from engine.record import Header
from engine.table import Table, replay
from tests.cardtable.limits import full_disk
from tests.cardtable.scenes import Scenes
from tests.cardtable.shown import Shown
from tests.cardtable.stored import read_games

HEADER = Header("all-fives", ("Ann", "Bo"), 0)


class Game:
    """A game with a real journal and one camera."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.shown: list[Snapshot] = []
        last = journal.last()
        if last is None:
            journal.begin(HEADER)
        else:
            journal.resume(last.id)
        self.scenes = Scenes()
        self.live = LiveGame(Table(HEADER), journal, [Shown(self.shown.append)], last.actions if last else ())
        self.take = self.live.take

    def begin(self) -> None:
        """Hearts are trumps, Bo has stood; Bo has led K♠, as the camera reads it."""
        self.take(self.scenes.again())
        self.take(self.scenes.lay("2H", "turn-up"))
        self.take(Said(0.0, "page", 1, "stand"))
        self.take(self.scenes.lay("KS", "play", 1))
        assert self.record == ["turn 2H", "1 say stand", "1 play KS"]

    @property
    def now(self) -> Snapshot:
        return self.live.snapshot

    @property
    def table(self) -> Table:
        return self.live.table

    @property
    def record(self) -> list[str]:
        return [str(action) for action in self.table.actions]

    @property
    def kinds(self) -> list[str]:
        return [prompt.kind for prompt in self.now.prompts]

    def stored(self) -> tuple[Action, ...]:
        last = self.journal.last()
        assert last is not None
        return last.actions

    def replace(self, number: int, was: str, card: str) -> Refusal | None:
        return self.correct(CorrectCard(do="correct-card", n=self.now.n, line=self.line(number), card=was, to=card))

    def correct(self, message: CorrectionMessage) -> Refusal | None:
        return self.live.correct(message, BOARD)

    def line(self, number: int) -> int:
        return self.now.history[number].n


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with closing(Journal(path, clock=lambda: 1000.0)) as journal:
        yield journal


@pytest.fixture
def game(journal: Journal) -> Game:
    game = Game(journal)
    game.begin()
    return game


def card(name: str) -> Card:
    return parse_card(name)


def test_a_named_card_stays_what_people_say_whatever_the_camera_reads(game: Game) -> None:
    game.replace(2, "KS", "QS")
    assert game.record == ["turn 2H", "1 say stand", "1 play QS"]
    assert game.kinds == ["corrected", "turn"]
    game.take(game.scenes.again())
    game.take(game.scenes.lay("3S", "play", 0))
    assert game.record[2:] == ["1 play QS", "0 play 3S"]
    assert game.kinds == ["turn"]
    game.take(game.scenes.lift("KS", "3S"))
    assert game.record[-1] == "1 gather"
    game.take(game.scenes.lay("KS", "play", 1))  # now the king itself
    assert game.record[-1] == "1 play KS"


def test_a_correction_is_stored_with_who_and_when_and_the_record_replays(game: Game, path: Path) -> None:
    game.replace(2, "KS", "QS")
    what = What("replace", Action.parse("1 play QS"), card("KS"))
    assert game.journal.corrections == (MadeCorrection(3, "board", 1000.0, what),)
    assert [str(action) for action in game.stored()] == ["turn 2H", "1 say stand", "1 play KS", "undo", "1 play QS"]
    assert [each.sentence for each in game.now.corrections] == ["Corrected: Bo plays Q♠, not K♠."]
    assert [each.n for each in game.now.corrections] == [5]
    answers = list(replay(read_games(path)[0].record()))
    assert all(answer["ok"] for answer in answers[:-1]) and answers[-1]["scores"] == list(game.table.scores)
    again = Game(game.journal)
    assert again.record == game.record
    assert again.now.corrections == game.now.corrections


def test_it_is_announced_once(game: Game) -> None:
    count = len(game.shown)
    game.replace(2, "KS", "QS")
    assert len(game.shown) == count + 1
    assert game.now.prompts[0].text == "Corrected: Bo plays Q♠, not K♠."
    assert not any(prompt.urgent for prompt in game.now.prompts)
    game.take(game.scenes.lay("3S", "play", 0))
    assert "corrected" not in game.kinds


def test_a_card_that_is_not_there_is_left_out_until_it_is_gone(game: Game) -> None:
    game.correct(CorrectCard(do="correct-card", n=game.now.n, line=game.line(2), card="KS"))
    assert game.record == ["turn 2H", "1 say stand"]
    game.take(game.scenes.again())
    assert game.record == ["turn 2H", "1 say stand"] and game.kinds == ["corrected", "turn"]
    game.take(game.scenes.lift("KS"))
    game.take(game.scenes.lay("KS", "play", 1))
    assert game.record[-1] == "1 play KS"


def test_a_card_that_no_camera_sees_is_added_and_gathered_with_the_others(game: Game) -> None:
    game.correct(AddCard(do="add-card", n=game.now.n, card="3S", seat=0))
    assert game.record[-1] == "0 play 3S" and game.kinds == ["corrected", "turn"]
    game.take(game.scenes.again())
    assert game.record[-1] == "0 play 3S" and game.kinds == ["corrected", "turn"]
    game.take(game.scenes.lift("KS"))
    assert game.record[-1] == "1 gather"


def test_a_card_refused_for_a_misread_counts_after_the_correction(game: Game) -> None:
    true = game.scenes.lay("AD", "play", 0)  # which is K♠: Bo has led Q♠
    ann = replace(true.sightings[-1], face=card("KS"))
    game.take(replace(true, sightings=(*true.sightings[:-1], ann)))
    assert "take-back" in game.kinds
    game.replace(2, "KS", "QS")
    assert game.record[2:] == ["1 play QS", "0 play KS"]
    assert "take-back" not in game.kinds


def test_undo_to_a_point_asks_to_take_back_what_lies_there(game: Game) -> None:
    game.take(game.scenes.lay("3S", "play", 0))
    game.correct(UndoTo(do="undo-to", n=game.now.n, line=game.line(1)))
    assert game.record == ["turn 2H", "1 say stand"]
    assert game.kinds.count("take-back") == 2
    assert game.now.prompts[0].text == "Taken back: 2 actions."
    game.take(game.scenes.lift("KS", "3S"))
    assert game.kinds == ["corrected", "turn"]


def test_nothing_is_corrected_if_it_cannot_be_stored(game: Game) -> None:
    before = game.record
    with full_disk(0):
        for _ in range(2):
            assert "full" in (game.replace(2, "KS", "QS") or {})["refused"]
            assert game.record == before and game.now.trouble is not None and not game.now.corrections
    game.live.check_store()
    game.take(game.scenes.again())
    assert game.record == before and game.now.trouble is None
    game.replace(2, "KS", "QS")
    assert game.record[2] == "1 play QS"


KILLED = """
import os, sys
from pathlib import Path
from cardtable.journal.corrections import What
from cardtable.journal.journal import Journal
from engine.actions import Action
from engine.record import Header
from tests.cardtable.stored import append
journal = Journal(Path(sys.argv[1]))
journal.begin(Header("all-fives", ("Ann", "Bo"), 0))
append(journal, [Action.parse(each) for each in ("turn 2H", "1 say stand", "1 play KS")])
stop = int(sys.argv[2])
def trace(statement):
    global stop
    if "correction" in statement or "INSERT INTO action" in statement or "COMMIT" in statement:
        stop -= 1
        if stop < 0:
            os.kill(os.getpid(), 9)
journal._database.set_trace_callback(trace)
queen = Action.parse("1 play QS")
append(journal, [Action("undo"), queen], correction=("seat 1", What("replace", queen)))
print("stored", flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("steps", range(6))
def test_a_kill_leaves_all_of_a_correction_or_nothing(path: Path, steps: int) -> None:
    command = [sys.executable, "-c", KILLED, str(path), str(steps)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL, done.stderr
    with closing(Journal(path)) as journal:
        game = journal.last()
        assert game is not None
        journal.resume(game.id)
        record = [str(action) for action in game.actions]
        assert (len(record), len(journal.corrections)) in ((3, 0), (5, 1))
        assert ("stored" in done.stdout) <= (len(record) == 5)
        assert (record[-1] == "1 play QS") == (len(journal.corrections) == 1)


def test_corrections_follow_a_game_whose_file_was_moved(game: Game, path: Path) -> None:
    game.replace(2, "KS", "QS")
    path.rename(path.with_suffix(".moved"))
    game.journal.check()
    assert game.stored()[-1] == Action.parse("1 play QS")
    with closing(Journal(path)) as other:
        last = other.last()
        assert last is not None
    game.journal.put_down()
    game.journal.resume(last.id)
    assert [each.who for each in game.journal.corrections] == ["board"]


def test_a_damaged_row_of_a_correction_spoils_nothing_else(game: Game, path: Path) -> None:
    game.replace(2, "KS", "QS")
    for what in ("{", "[]", '{"kind": "other"}', '{"kind": "replace", "was": "XX"}', '{"kind": "name", "action": {}}'):
        assert MadeCorrection.from_row(1, "board", 1.0, what) is None
    with game.journal.writing() as database:
        database.execute("UPDATE correction SET what = '{'")
    again = Game(game.journal)
    assert again.record == game.record and again.now.corrections == ()


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        (What("remove", Action.parse("1 play QS"), card("QS")), "Corrected: Q♠ was not there (Bo plays Q♠)."),
        (What("remove", Action.parse("1 gather")), "Corrected: this did not happen: Bo gathers the trick."),
        (What("add", Action.parse("1 play QS"), count=1), "Added: Bo plays Q♠. 1 later action undone."),
        (What("give", Action.parse("1 play QS")), "Corrected: Bo plays Q♠."),
        (What("undo-to", count=1), "Taken back: 1 action."),
        (What("name", was=card("JS"), card=card("QS")), "Corrected: the card is Q♠, not J♠."),
        (What("name", card=card("QS")), "Corrected: the card is Q♠."),
        (What("name", was=card("QS")), "Corrected: there is no card where Q♠ was seen."),
        (What("record-right"), "The record is right: the cards are put back as it has them."),
        (What("table-right"), "The record was made to agree with the table."),
        (What("replace", Action.parse("1 deal AS KS"), card("JS")), "Corrected: Bo is dealt cards."),
    ],
)
def test_each_correction_is_a_sentence_and_is_stored_whole(what: What, sentence: str) -> None:
    assert str(what.sentence(("Ann", "Bo"))) == sentence
    made = MadeCorrection(4, "board", 1.0, what)
    assert MadeCorrection.from_row(*made.row) == made
