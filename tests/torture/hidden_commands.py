"""What the commands that read the journal write, for `tests.torture.hidden_table`."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from pathlib import Path

from cardtable.cli import main


def of_commands(journal: Path) -> dict[str, bytes]:
    """Return what `history` writes about game 1 and all games, by the name of the output."""
    named = ["--journal", str(journal)]
    return {
        "history": _history(named, "", "--json", "--csv", "--stats", "--stats --json", "--evenings"),
        "history N": _history([*named, "1"], "", "--csv", "--picture"),
        "history N --hands": _history([*named, "1", "--hands"], "", "--csv"),
    }


def _history(arguments: Sequence[str], *ways: str) -> bytes:
    """Call `history` in each way; return what it writes."""
    return b"".join(_said(["history", *arguments, *way.split()]) for way in ways)


def _said(arguments: Sequence[str]) -> bytes:
    """Run a command; return what it writes to standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    return f"{code}\n{out.getvalue()}\n{err.getvalue()}".encode()
