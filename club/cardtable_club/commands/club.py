"""`cardtable club`: enrol this table at the hub of its club."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from cardtable.terminal.output import say
from engine.texts import text

SUMMARY = text("enrol this table at the hub of its club, with a code that the hub has printed")
ACTIVITY = text("enrolling this table")
EXAMPLE = "cardtable club ABCD-EFGH-IJKL-MNOP-QRST-UVWX --hub http://192.168.1.20:8020"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("code", metavar="CODE", help=text("the code that cardtable hub enroll has printed"))
    parser.add_argument("--hub", required=True, metavar="URL", help=text("the address of the hub's pages"))
    parser.add_argument(
        "--folder", type=Path, default=Path(), metavar="FOLDER", help=text("where key and certificates are kept")
    )


def run(args: argparse.Namespace) -> int:
    """Enrol, and print the section for table.toml; return 0. Raises `CardtableError`."""
    from cardtable_club.member.enrolment import enrol

    enrolled = enrol(args.code, args.hub, args.folder)
    sys.stdout.write(enrolled.lines())
    say(text("enrolled: write these lines into table.toml, and start the table again"), sys.stderr)
    return 0
