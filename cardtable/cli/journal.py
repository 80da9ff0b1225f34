"""`cardtable journal salvage`: get the games out of a damaged journal."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardtable.terminal.output import say
from engine.texts import both, plural, text

SUMMARY = text("get out of a damaged journal what can be got out, into a new one")
ACTIVITY = text("reading the journal")
EXAMPLE = "cardtable journal salvage --journal journal.sqlite -o salvaged.sqlite"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("what", choices=("salvage",), help=text("salvage: the old journal stays as it is"))
    parser.add_argument(
        "--journal", type=Path, default=Path("journal.sqlite"), metavar="FILE", help=text("default: journal.sqlite")
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help=text("the new journal; default: FILE.salvaged")
    )


def run(args: argparse.Namespace) -> int:
    """Write the new journal, and say what is in it; return 0. Raises `JournalError`."""
    from cardtable.journal.salvage import salvage  # slow to load

    output = args.output or args.journal.with_name(f"{args.journal.name}.salvaged")
    found = salvage(args.journal, output)
    games = plural("{count} game", "{count} games", found.games)
    actions = plural("{count} action", "{count} actions", found.actions)
    say(text("written: {output}, with {parts}", output=output, parts=both([games, actions])))
    if found.cut:
        say(plural("{count} game has lost its end", "{count} games have lost their end", found.cut))
    if found.lost:
        say(plural("{count} game could not be read", "{count} games could not be read", found.lost))
    return 0
