"""`cardtable setup` on a real pseudo-terminal, from the first question to a running table."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cardtable.languages import NAMES
from tests.cardtable.setup.programs import Programs
from tests.cardtable.stored import read_games
from tests.programs import Program

pytestmark = pytest.mark.slow
FILE = "# ours\nfirst_start = true\n\n[board]\nport = 0  # any\n"


class Terminal:
    """The program's terminal."""

    def __init__(self, keyboard: int) -> None:
        self._keyboard = keyboard
        self.shown = ""

    def until(self, wanted: str) -> str:
        """Wait until the program has written this; return what it wrote since the last time."""
        while wanted not in self.shown:
            assert select.select([self._keyboard], [], [], 60)[0], f"{wanted!r} does not come: {self.shown}"
            try:
                read = os.read(self._keyboard, 4096)
            except OSError:  # the program has ended
                read = b""
            assert read, f"{wanted!r} does not come: {self.shown}"
            self.shown += read.decode()
        before, _, self.shown = self.shown.partition(wanted)
        return before

    def type(self, line: str) -> None:
        os.write(self._keyboard, f"{line}\n".encode())

    def at(self, number: int, title: str) -> None:
        """Wait for the question with this number."""
        self.until(f"— {number}/13 {title}")


@contextmanager
def setup(folder: Path) -> Iterator[tuple[Terminal, Program]]:
    """Start the command in `folder`; return its terminal and process. It is killed at the end."""
    keyboard, follower = pty.openpty()
    with Program("setup", folder=folder, terminal=follower) as program:
        os.close(follower)
        yield Terminal(keyboard), program
    os.close(keyboard)


def test_from_the_language_to_the_first_game(tmp_path: Path, programs: Programs) -> None:
    (tmp_path / "table.toml").write_text(FILE)
    with setup(tmp_path) as (terminal, _):
        terminal.at(1, " · ".join(NAMES.values()))
        terminal.type(str([*NAMES].index("fr") + 1))
        terminal.at(2, "Fuseau horaire")
        terminal.type("2")  # Europe
        terminal.until("Paris")
        terminal.type("2")
        terminal.at(3, "Wi-Fi")
        terminal.type("1")
        terminal.until("Mot de passe")
        terminal.type("correct-horse")
        terminal.at(4, "Un téléphone")
        assert "correct-horse" not in terminal.until("Entrée")
        terminal.type("")
        terminal.at(5, "La caméra")
        terminal.type("\x04")
        terminal.until("cardtable setup -c table.toml")
    with setup(tmp_path) as (terminal, program):
        terminal.at(5, "La caméra")  # it goes on where it was
        terminal.type("b")
        terminal.at(4, "Un téléphone")
        terminal.type("s")
        terminal.at(5, "La caméra")
        terminal.type("s")
        terminal.type("s")
        terminal.at(7, "Le tapis")
        terminal.type("1")
        terminal.until("corners.pdf")
        terminal.type("p")
        terminal.until("corners.pdf")
        for _ in range(5):
            terminal.type("s")
        terminal.at(12, "Qui joue")
        terminal.type("Ann")
        terminal.until("place 0")
        terminal.type("Bo")
        terminal.until("place 1")
        terminal.type("")
        terminal.at(13, "Commencer")
        number = re.search(r"(\d+)  Cribbage", terminal.until("s passe"))
        assert number is not None
        terminal.type(number[1])
        terminal.until("s passe")
        terminal.type("3")  # the cut decides
        terminal.until("http://127.0.0.1:")
        program.send_signal(signal.SIGINT)
        assert program.wait(30) == 130
    assert (tmp_path / "corners.pdf").read_bytes().startswith(b"%PDF")
    assert (programs.folder / "zone").read_text() == "Europe/Paris\n"
    assert (programs.folder / "joined").read_text() == "Home\n"
    written = (tmp_path / "table.toml").read_text()
    assert tomllib.loads(written) == {"first_start": False, "language": "fr", "board": {"port": 0}}
    assert written.startswith("# ours\n") and "port = 0  # any" in written
    assert not (tmp_path / "first-start.json").exists()
    assert [(game.header.game, game.header.players) for game in read_games(tmp_path / "journal.sqlite")] == [
        ("cribbage", ("Ann", "Bo"))
    ]
