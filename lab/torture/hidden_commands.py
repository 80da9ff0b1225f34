"""What commands and the history page make from the journal, for `lab.torture.hidden_table`."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from pathlib import Path

import httpx

from cardtable.cli import main
from cardtable.history.pages import Answers


def of_commands(journal: Path) -> dict[str, bytes]:
    """Return what `history` writes about game 1 and all games, by the name of the output."""
    named = ["--journal", str(journal)]
    return {
        "history": _history(named, "", "--json", "--csv", "--stats", "--stats --json", "--evenings"),
        "history N": _history([*named, "1"], "", "--csv", "--picture", "--pbn"),
        "history N --hands": _history([*named, "1", "--hands"], "", "--csv"),
    }


def of_history(http: httpx.Client, answers: Answers) -> bytes:
    """Return every answer about game 1, which is being played, and about all games."""
    paths = [f"/history/{what}?id={game}&line=2" for what in answers.kinds for game in ("1", "now")]
    return b"\n".join(http.get(path).content for path in paths)


def _history(arguments: Sequence[str], *ways: str) -> bytes:
    """Call `history` in each way; return what it writes."""
    return b"".join(_output(["history", *arguments, *way.split()]) for way in ways)


def _output(arguments: Sequence[str]) -> bytes:
    """Run a command; return what it writes to standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    return f"{code}\n{out.getvalue()}\n{err.getvalue()}".encode()
