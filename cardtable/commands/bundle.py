"""`cardtable bundle`: one file for the report of a fault."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from cardtable.errors import CardtableError, UsageError

SUMMARY = "pack what the report of a fault needs: configuration, last game, log, pictures"
EXAMPLE = "cardtable bundle -c table.toml -o report.zip"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "-c", "--config", default="table.toml", metavar="FILE", help="the configuration (default: table.toml)"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: cardtable-DATE-TIME.zip")


def run(args: argparse.Namespace) -> int:
    """Pack it; always 0, for a bundle is wanted where something does not work."""
    import zipfile

    from cardtable.bundle import parts
    from cardtable.doctor import Machine

    path = Path(args.config)
    if not path.exists():
        raise UsageError(f"bundle: there is no file {path}; name the table's configuration with -c")
    output = args.output or Path(time.strftime("cardtable-%Y%m%d-%H%M%S.zip"))
    try:
        with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in parts(path, Machine()):
                packed.writestr(name, content)
                print(f"{name}: {len(content)} bytes")
    except OSError as error:
        if output.is_file():  # half a bundle is none, and a full disk wants the room
            output.unlink()
        raise CardtableError(f"bundle: {output} cannot be written: {error.strerror}") from error
    print(f"written: {output}; it holds the players' names, and what the cameras see: look before you send it")
    return 0
