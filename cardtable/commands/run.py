"""`cardtable run`: play a game on the real table, as table.toml describes it."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from cardtable.terminal.arguments import port
from cardtable.terminal.diagnostics import add_diagnostics, start_logging
from cardtable.terminal.output import say, translated
from engine.texts import text

if TYPE_CHECKING:
    from cardtable.config.cameras import CameraConfig
    from cardtable.config.model import TableConfig
    from vision.camera_pipeline import CameraPipeline

SUMMARY = text("run the table: cameras, referee, journal and board, as table.toml says")
EXAMPLE = "cardtable run -c table.toml"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "-c", "--config", default="table.toml", metavar="FILE", help=text("the configuration (default: table.toml)")
    )
    parser.add_argument("--new", action="store_true", help=text("begin a new game, even if the last one is not over"))
    parser.add_argument(
        "--port", type=port, metavar="N", help=text("serve the board on port N instead of the configured one")
    )
    parser.add_argument(
        "--journal", type=Path, metavar="FILE", help=text("store the games in FILE instead of the configured journal")
    )
    add_diagnostics(parser)


def run(args: argparse.Namespace) -> int:
    """Run until Ctrl-C; an interrupted game is continued. Return 0.

    Raises `CardtableError` for hardware, files or a port that cannot be used, `UsageError` for a wrong configuration.
    """
    from cardtable.config.load import read_config
    from cardtable.decks.library import unlearned
    from cardtable.play.games import open_game
    from cardtable.play.hardware_outputs import open_outputs
    from cardtable.play.journal import Journal
    from cardtable.play.rfid_source import open_readers
    from cardtable.play.session import Session  # OpenCV and the web server load only when they are needed
    from cardtable.play.trace import open_trace
    from cardtable.service.systemd import Service

    start_logging(args.log_level)
    config = read_config(Path(args.config))
    if args.port is not None:
        config = config.model_copy(update={"board": config.board.model_copy(update={"port": args.port})})
    if args.journal is not None:
        config = config.model_copy(update={"journal": args.journal})
    header = config.header
    calibrations = {camera.name: camera.calibration for camera in config.cameras if camera.calibration}
    with ExitStack() as stack:
        journal = stack.enter_context(closing(Journal(config.journal)))
        cameras = []
        for camera in config.cameras:
            cameras.append(_open(camera, config))
            if (gap := unlearned(camera.deck, header.game)) is not None:
                say(gap, sys.stderr)
            stack.callback(cameras[-1].close)  # in case the session, which closes them too, cannot be made
        readers = open_readers(config.reader, journal)
        for reader in readers:
            stack.callback(reader.close)
        outputs = open_outputs(config)
        if outputs:
            stack.callback(outputs.close)
        past = open_game(
            journal, header, args.new, lambda message: say(message, sys.stderr)
        )  # last, so that a failure above begins no game
        service = Service()
        with Session(
            header,
            cameras,
            journal,
            past,
            config.board,
            calibrations=calibrations,
            readers=readers,
            outputs=outputs,
            alive=service.alive,
            language=config.language,
            trace=open_trace(args.trace, header, args.trace_hands),
        ) as session:
            if past:
                say(
                    text("continuing the interrupted game: {past} actions so far", past=len(past)),
                    sys.stderr,
                )
            if session.board:
                say(text("the board: {url} (Ctrl-C ends)", url=session.board.url), sys.stderr)
                service.ready(translated(text("the board: {url}", url=session.board.url)))
            session.run(until=lambda: False)
    return 0


def _open(camera: CameraConfig, config: TableConfig) -> CameraPipeline:
    from cardtable.play.camera_source import open_camera
    from cardtable.play.recordings import Recording

    spec = f"video:{camera.source}" if Path(camera.source).is_file() else camera.source
    more = {"video": Recording}
    return open_camera(
        spec, config.header, config.marks, camera.name, camera.calibration, more, camera.settings, camera.deck
    )
