"""The game lock: one program at a time plays a game, and the lock ends with the program."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from cardtable.evening.playing import open_game
from cardtable.journal.file import JournalError
from cardtable.journal.journal import Journal
from engine.actions import Action
from engine.cards import parse_card
from engine.record import Header
from tests.cardtable.stored import append, readable

HEADER = Header("all-fives", ("Ann", "Bo"), 0)
OTHERS = Header("all-fives", ("Cy", "Di"), 0)
TURN = Action("turn", card=parse_card("4H"))

PLAYING = """
import sys
from pathlib import Path
from cardtable.evening.playing import open_game
from cardtable.journal.journal import Journal
from engine.record import Header

journal = Journal(Path(sys.argv[1]))
open_game(journal, Header("all-fives", ("Ann", "Bo"), 0))
print("playing", flush=True)
sys.stdin.read()
"""


@contextmanager
def another_program(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A program that plays the game of Ann and Bo until it is killed."""
    command = [sys.executable, "-c", PLAYING, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "playing\n"
        yield program
        program.kill()


def test_one_program_at_a_time_plays_a_game(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with closing(Journal(path)) as journal:
        open_game(journal, HEADER)  # closing the journal releases its lock
    with another_program(path) as other:
        with closing(Journal(path)) as journal:
            for new in (False, True):
                with pytest.raises(JournalError, match="another program writes the same game: close it"):
                    open_game(journal, HEADER, new)
            assert open_game(journal, OTHERS) == (), "two tables share a journal"
            append(journal, [TURN])
        other.send_signal(signal.SIGKILL)
        other.wait()
    with closing(Journal(path)) as journal:
        assert open_game(journal, HEADER, new=True) == ()
        append(journal, [TURN])
        assert [(game.header, game.actions) for game in readable(journal.games)] == [
            (HEADER, (TURN,)),  # nothing had happened in it, so it is the new game
            (OTHERS, (TURN,)),
        ]


def test_a_lock_file_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    (tmp_path / "journal.sqlite-lock").mkdir()
    with closing(Journal(path)) as journal, pytest.raises(JournalError, match="read-only: allow writing"):
        open_game(journal, HEADER)
