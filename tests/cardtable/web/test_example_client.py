"""The example of a client, as its readers start it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cardtable.at_the_table import AtTheTable

CLIENT: Final = Path(__file__).parents[3] / "docs" / "examples" / "board_client.py"


def test_the_client_prints_what_the_board_shows() -> None:
    table = AtTheTable()
    try:
        with subprocess.Popen([sys.executable, CLIENT, table.board.url], stdout=subprocess.PIPE, text=True) as client:
            assert client.stdout is not None
            try:
                assert client.stdout.readline() == "All Fives: Ann 0, Bo 0\n"
                table.lay(("4H", "turn-up", None))
                assert client.stdout.readline() == "All Fives: Ann 0, Bo 0; Bo to act\n"
            finally:
                client.kill()
    finally:
        table.board.close()


@pytest.mark.parametrize(
    ("argument", "status", "printed"),
    [
        ("--help", 0, "usage: board_client.py [-h] [address]"),
        ("nonsense", 1, "There is no board at nonsense: "),
        ("http://127.0.0.1:1", 1, "There is no board at http://127.0.0.1:1: "),
    ],
)
def test_the_client_explains_itself(argument: str, status: int, printed: str) -> None:
    ended = subprocess.run([sys.executable, CLIENT, argument], capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == status
    assert (ended.stdout + ended.stderr).startswith(printed)
