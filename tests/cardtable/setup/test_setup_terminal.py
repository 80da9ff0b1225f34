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
from cardtable.web.connections import own_addresses
from tests.cardtable.setup.programs import Programs
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

    def at(self, title: str) -> None:
        """Wait for this question."""
        while not re.fullmatch(r".*— \d/\d ", self.until(title), re.DOTALL):
            pass


@contextmanager
def setup(folder: Path) -> Iterator[tuple[Terminal, Program]]:
    """Start the command in `folder`; return its terminal and process. It is killed at the end."""
    keyboard, follower = pty.openpty()
    with Program("setup", folder=folder, terminal=follower) as program:
        os.close(follower)
        yield Terminal(keyboard), program
    os.close(keyboard)


def test_from_the_language_to_the_lobby(tmp_path: Path, programs: Programs) -> None:
    (tmp_path / "table.toml").write_text(FILE)
    with setup(tmp_path) as (terminal, _):
        terminal.at(" · ".join(NAMES.values()))
        terminal.type(str([*NAMES].index("fr") + 1))
        terminal.at("Fuseau horaire")
        terminal.type("2")  # Europe
        terminal.until("Paris")
        terminal.type("2")
        terminal.at("Wi-Fi")
        terminal.type("1")
        terminal.until("Mot de passe")
        terminal.type("correct-horse")
        if next(own_addresses(), None):
            terminal.at("Un téléphone")
            terminal.type("s")
        assert "correct-horse" not in terminal.until("La caméra")
        terminal.type("\x04")
        terminal.until("cardtable setup -c table.toml")
    with setup(tmp_path) as (terminal, program):
        terminal.at("La caméra")  # it goes on where it was
        terminal.type("b")
        terminal.until("b revient")
        terminal.type("s")
        terminal.at("La caméra")
        terminal.type("")  # without one, there is no mat to look for
        terminal.until("http://127.0.0.1:")
        program.send_signal(signal.SIGINT)
        assert program.wait(30) == 130
    assert (programs.folder / "zone").read_text() == "Europe/Paris\n"
    assert (programs.folder / "joined").read_text() == "Home\n"
    written = (tmp_path / "table.toml").read_text()
    assert tomllib.loads(written) == {"first_start": False, "language": "fr", "board": {"port": 0}}
    assert written.startswith("# ours\n") and "port = 0  # any" in written
    assert not (tmp_path / "first-start.json").exists()
