"""`cardtable backup`: save games, players, decks and calibrations in one file, or restore them."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from cardtable.terminal.arguments import add_config
from cardtable.terminal.output import say
from engine.texts import commas, plural, text

SUMMARY = text("save games, players, decks and calibrations in one file, or restore them")
ACTIVITY = text("working on the backup")
EXAMPLE = "cardtable backup -c table.toml -o /media/stick/table.zip\n  cardtable backup --restore table.zip"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_config(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help=text("default: cardtable-backup-DATE-TIME.zip")
    )
    parser.add_argument(
        "--restore",
        type=Path,
        metavar="FILE",
        help=text("restore this backup; the previous files are kept as FILE.aside-1"),
    )


def run(args: argparse.Namespace) -> int:
    """Write or restore a backup; return 0. Raises `UsageError` and `CardtableError`."""
    from cardtable.maintenance.backup import restore_backup, write_backup

    config = Path(args.config)
    if args.restore is None:
        output = args.output or Path(time.strftime("cardtable-backup-%Y%m%d-%H%M%S.zip"))
        written = write_backup(config, output)
        single, many = "written: {output}, with {count} file", "written: {output}, with {count} files"
        say(plural(single, many, len(written.names), output=output))
        for warning in written.warnings():
            say(warning, sys.stderr)
        return 0
    restored = restore_backup(args.restore, config)
    say(text("restored: {packed}; start the table: cardtable run -c {path}", packed=args.restore, path=config))
    if restored.kept:
        say(text("the previous files: {files}", files=commas([str(path) for path in restored.kept])))
    if restored.own:
        say(restored.kept_keys())
    return 0
