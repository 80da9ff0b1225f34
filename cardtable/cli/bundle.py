"""`cardtable bundle`: pack everything that a bug report needs into one file."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from cardtable.errors import CardtableError, UsageError, why
from cardtable.files import private_opener
from cardtable.terminal.arguments import add_config
from cardtable.terminal.output import say
from cardtable.terminal.progress import Progress, load
from engine.texts import plural, text

SUMMARY = text("collect what a bug report needs: configuration, last game, log, pictures")
ACTIVITY = text("collecting what a bug report needs")
EXAMPLE = "cardtable bundle -c table.toml -o report.zip"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_config(parser)
    parser.add_argument(
        "--hands", action="store_true", help=text("include the hands that readers know, even if the game is not over")
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=text("default: cardtable-DATE-TIME.zip"))


def run(args: argparse.Namespace) -> int:
    """Write the bundle; return 0 whatever is wrong with the table. Raises `UsageError`, `CardtableError`."""
    import zipfile

    load("cardtable.maintenance.support_bundle")
    from cardtable.doctor import Machine
    from cardtable.maintenance.support_bundle import parts
    from vision.atomic_files import zip_entry

    path = Path(args.config)
    if not path.exists():
        raise UsageError(text("bundle: there is no file {path}; name the table's configuration with -c", path=path))
    output = args.output or Path(time.strftime("cardtable-%Y%m%d-%H%M%S.zip"))
    try:
        with (
            open(output, "wb", opener=private_opener) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed,
            Progress() as progress,
        ):
            progress.at(text("collecting the parts of the bundle: {count} so far", count=0))
            for number, (name, content) in enumerate(parts(path, Machine(), args.hands), 1):
                packed.writestr(zip_entry(name), content)
                progress.at(text("collecting the parts of the bundle: {count} so far", count=number))
                say(plural("{name}: {count} byte", "{name}: {count} bytes", len(content), name=name))
    except OSError as error:
        if output.is_file():  # an incomplete bundle is useless, and the disk may be full
            output.unlink()
        raise CardtableError(
            text("bundle: {output} cannot be written: {why}", output=output, why=why(error))
        ) from error
    held = "written: {output}; it holds the players' names, and what the cameras see: look before you send it"
    say(text(held, output=output))
    if args.hands:
        say(text("it also holds the hands of the last game"))
    else:
        say(text("the hands of a game that is not over are left out (--hands adds them)"))
    return 0
