"""`cardtable run`: an evening at the real table, as table.toml describes it."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from cardtable import stopping
from cardtable.starts import keep_good, note_start, started
from cardtable.terminal.arguments import add_diagnostics, port, start_logging
from cardtable.terminal.output import say
from cardtable.terminal.progress import load
from engine.texts import text

if TYPE_CHECKING:
    from cardtable.config.model import TableConfig
    from cardtable.setup.terminal import TerminalQuestions
    from engine.texts import Text

SUMMARY = text("run the table: cameras, referee, journal and board, as table.toml says")
ACTIVITY = text("starting the table")
EXAMPLE = "cardtable run -c table.toml"
_DEFAULT = "table.toml"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "-c",
        "--config",
        default=_DEFAULT,
        metavar="FILE",
        help=text("the configuration (default: table.toml; without it the board asks what the table needs)"),
    )
    parser.add_argument("--new", action="store_true", help=text("begin a new game, even if the last one is not over"))
    parser.add_argument(
        "--port", type=port, metavar="N", help=text("serve the board on port N instead of the configured one")
    )
    parser.add_argument(
        "--network",
        action="store_true",
        help=text("let phones on the network open the board, as `network` in [board] does"),
    )
    parser.add_argument(
        "--safe-mode",
        action="store_true",
        help=text("if the table cannot start, show on the board why and what can be done, instead of ending"),
    )
    parser.add_argument(
        "--journal", type=Path, metavar="FILE", help=text("store the games in FILE instead of the configured journal")
    )
    add_diagnostics(parser)


def run(args: argparse.Namespace, questions: TerminalQuestions | None = None) -> int:
    """Run until Ctrl-C; an interrupted game is continued. Return 0.

    `questions` ask in the terminal first what the table needs; if they are not finished, the table ends.

    Raises `CardtableError` for hardware, files or a port that cannot be used, `UsageError` for a wrong configuration,
    unless the board shows the error (`cardtable.safe_mode`).
    """
    start_logging(args.log_level)
    report: Text | None = None
    while True:
        try:
            if args.safe_mode:
                note_start(Path(args.config))
            if not _evening(args, questions, report):
                return 0
            report = None
        except (Exception, SystemExit) as error:  # a plug-in may exit
            if not args.safe_mode or stopping.requested() is not None:
                raise
            started(Path(args.config))
            from cardtable.safe_mode import wait_in_safe_mode

            report = wait_in_safe_mode(Path(args.config), error, args.port, args.journal)
        args.new = False


def _evening(args: argparse.Namespace, questions: TerminalQuestions | None, report: Text | None) -> bool:
    """Run the table with the present configuration; return whether it is to be opened again, with a changed one.

    The port that was chosen at the first time is kept in `args`. `report`: what the board shows at first.
    """
    load("cv2", "cardtable.web.server", "cardtable.evening.host", "cardtable.history.pages")
    from cardtable.config.model import use_time_zone
    from cardtable.maintenance.backup import in_use
    from cardtable.open_table import OpenTable

    with ExitStack() as stack:
        restored = stack.enter_context(in_use(Path(args.config)))
        if restored is not None:
            say(restored, sys.stderr)
        config = _configuration(args)
        written = Path(args.config).read_bytes() if args.safe_mode else b""
        use_time_zone(config.time_zone)
        if questions is not None:  # not also asked on the board
            config = config.model_copy(update={"first_start": False})
        table = OpenTable(config, Path(args.config), stack, args.trace, args.trace_hands, restored)
        args.port = table.page.port
        if questions is None or questions.finished:
            table.begin(args.new, restored or report)
        elif not table.ask(questions):
            return table.reopening.is_set()
        if args.safe_mode:
            keep_good(Path(args.config), written)
            started(Path(args.config))
        table.run()
    return table.reopening.is_set()


def _configuration(args: argparse.Namespace) -> TableConfig:
    """Return the configuration in the file, with what the command line changes. Raises `UsageError`.

    Without a file of the default name, one is written with which the board asks the questions of the first start.
    """
    from cardtable.config.load import read_config
    from cardtable.config.writing import change_config

    path = Path(args.config)
    if args.config == _DEFAULT and not path.exists():
        change_config(path, {("first_start",): True})
    config = read_config(path)
    changes = {"port": args.port} if args.port is not None else {}
    changes |= {"network": True} if args.network else {}
    if changes:
        config = config.model_copy(update={"board": config.board.model_copy(update=changes)})
    if args.journal is not None:
        config = config.model_copy(update={"journal": args.journal})
    return config
