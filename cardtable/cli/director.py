"""`cardtable director`: set or remove the PIN with which a device directs the table."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardtable.errors import UsageError
from cardtable.terminal.arguments import add_config
from cardtable.terminal.input import new_pin
from cardtable.terminal.output import say
from engine.texts import text

SUMMARY = text("set or remove the director's PIN")
ACTIVITY = text("storing the PIN")
EXAMPLE = "cardtable director -c table.toml\n  cardtable director --remove"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_config(parser)
    parser.add_argument(
        "--journal", type=Path, metavar="FILE", help=text("the journal of the table, instead of the configured one")
    )
    parser.add_argument(
        "--remove", action="store_true", help=text("remove the PIN: no device can become the director's")
    )


def run(args: argparse.Namespace) -> int:
    """Ask for the PIN twice, or read it from standard input, and set it. Return 0.

    The old PIN is not needed, because only the owner of the table can run this command. Raises `UsageError` for an
    invalid PIN, and `CardtableError` if it cannot be stored.
    """
    from cardtable.config.load import read_config
    from cardtable.web.access import Access, Denied
    from cardtable.web.access_file import phones_file

    journal = args.journal or read_config(Path(args.config)).journal
    access = Access(path=phones_file(journal))
    pin = None if args.remove else new_pin()
    try:
        access.set_pin(pin)
    except Denied as denied:
        raise UsageError(str(denied)) from denied
    if pin is None:
        say(text("the PIN is removed, and no device is the director's any more"))
    else:
        say(text("the PIN is set; devices that used the old one must enter it again"))
    return 0
