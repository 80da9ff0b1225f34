"""`cardtable setup`: the first start in a terminal, from the language to the lobby."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from cardtable.terminal.arguments import add_config, add_log_level
from cardtable.terminal.output import say
from cardtable.terminal.progress import load
from engine.texts import text

SUMMARY = text("set up a table, one question at a time, and open its board")
ACTIVITY = text("preparing the questions")
EXAMPLE = "cardtable setup\n  cardtable setup -c table.toml"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_config(parser, about=text("the configuration to write (default: table.toml)"))
    parser.add_argument(
        "--again", action="store_true", help=text("begin with the first question instead of the last one asked")
    )
    add_log_level(parser)


def run(args: argparse.Namespace) -> int:
    """Ask the questions, then run the table. Return 0, or 1 if the input ended before.

    Raises `CardtableError`, also if the table runs already.
    """
    load("cardtable.config.writing", "cardtable.setup.terminal")
    from cardtable.cli import run as running
    from cardtable.config.writing import change_config
    from cardtable.maintenance.systemd import refuse_while_running
    from cardtable.setup.first_start import progress_path
    from cardtable.setup.terminal import TerminalQuestions
    from cardtable.terminal.arguments import Parser

    path = Path(args.config)
    config = change_config(path, {})  # makes the file
    port = config.board.port
    wrong = (
        "setup: the table is running: open {url}/start on its display, or stop it first (sudo systemctl stop cardtable)"
    )
    refuse_while_running(port, text(wrong, url=f"http://127.0.0.1:{port}"))
    if args.again:
        progress_path(config.journal).unlink(missing_ok=True)
    parser = Parser("run", running.EXAMPLE, running.SUMMARY)
    running.configure(parser)
    questions = TerminalQuestions()
    level = ["--log-level", args.log_level] if args.log_level else []
    running.run(parser.read(["-c", str(path), *level]), questions)
    if not questions.finished:
        say(text("Your answers are stored; continue later: cardtable setup -c {path}", path=path), sys.stderr)
        return 1
    say(text("written: {path}; start the table: cardtable run -c {path}", path=path))
    return 0
