"""`cardtable calibrate`: show what a camera sees of marks, zones and cards, and store its view of the mat."""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cardtable import stopping
from cardtable.errors import CardtableError, UsageError, guess_or_all, why
from cardtable.terminal.arguments import add_config, add_port
from cardtable.terminal.output import say, translated
from cardtable.terminal.progress import Progress, load
from engine.texts import either, text

if TYPE_CHECKING:
    from cardtable.config.devices import CameraConfig
    from cardtable.config.model import TableConfig
    from cardtable.setup.calibration import Calibration

SUMMARY = text("show what a camera sees, and store where the mat lies in its picture")
ACTIVITY = text("looking for the mat")
EXAMPLE = (
    "cardtable calibrate -c table.toml\n"
    "  cardtable calibrate -c table.toml -o picture.png\n"
    "  cardtable calibrate 'synthetic:all-fives?seed=7' -o picture.png"
)
FRAMES: Final = 60
"""Frames to read if no page is served: two seconds."""
_PAGE_PERIOD_S: Final = 0.2
_IDLE_S: Final = 0.05


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "source", nargs="?", metavar="SOURCE", help=text("a camera or recording to use instead of the configured ones")
    )
    add_config(parser, None, text("the configuration (default: table.toml, if it exists)"))
    parser.add_argument("--camera", metavar="NAME", help=text("which camera, if the configuration has several"))
    parser.add_argument("-o", "--output", type=Path, metavar="PICTURE", help=text("save the picture and exit"))
    parser.add_argument(
        "--store", type=Path, metavar="FILE", help=text("store the view in FILE instead of the camera's own file")
    )
    parser.add_argument("--page", action="store_true", help=text("serve the page even with -o or --json"))
    add_port(parser)
    parser.add_argument(
        "--json", action="store_true", help=text("print everything that is seen as one JSON object, and exit")
    )


def run(args: argparse.Namespace) -> int:
    """Show what the camera sees until Ctrl-C, or once with `-o` or `--json`.

    Return 1 if not all four marks were seen, else 0. Raises `CardtableError`.
    """
    load("cv2", "cardtable.table.cameras")
    from cardtable.evening.playing import checked
    from cardtable.languages import translator
    from cardtable.setup.calibration import Calibration
    from cardtable.table.cameras import mat_for, open_camera  # OpenCV loads only when it is needed

    if args.output is not None and args.output.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise UsageError(text("calibrate: -o: {output} will be a picture: call it picture.png", output=args.output))
    config = _table(args)
    header = checked(config.header)
    camera = _camera(config, args)
    served = args.page or (args.output is None and not args.json)
    with ExitStack() as stack:
        progress = stack.enter_context(Progress(shown=not served and not args.json))
        progress.at(text("opening {camera}", camera=camera.source))
        pipeline = open_camera(camera.model_copy(update={"calibration": None}), header, config.marks)
        stack.enter_context(closing(pipeline))
        path = _path(args, camera, config)
        calibration = Calibration(pipeline, mat_for(header), header.players, path, translator(config.language))
        if served:
            _guide(calibration, config, args)
            return 0
        for _ in progress.each(range(FRAMES), text("reading the pictures of the camera")):
            calibration.step()
            if pipeline.ended or pipeline.retry_in > 0:
                break
        progress.clear()
        return _once(calibration, args)


def _table(args: argparse.Namespace) -> TableConfig:
    """Return the configuration. A simulated table uses its own game, unless `-c` names a configuration."""
    from cardtable.config.load import find_config, read_config

    config = read_config(Path(args.config or "table.toml")) if args.source is None else find_config(args.config)
    if args.config is None and args.source is not None and args.source.startswith("synthetic:"):
        from cardtable.simulation.source import parse_setting

        setting = parse_setting(args.source.removeprefix("synthetic:"))
        header = setting.header
        changes = {
            "game": header.game,
            "players": header.players,
            "dealer": header.dealer,
            "options": header.options,
            "marks": ("faces",) if setting.marks == "plain" else (setting.marks,),
        }
        config = config.model_copy(update=changes)
    if args.port is not None:
        config = config.model_copy(update={"board": config.board.model_copy(update={"port": args.port})})
    return config


def _camera(config: TableConfig, args: argparse.Namespace) -> CameraConfig:
    from cardtable.config.devices import CameraConfig

    if args.source is not None:
        return CameraConfig(source=args.source)
    names = tuple(camera.name for camera in config.cameras)
    if not names:
        raise UsageError(text("calibrate: this table has no camera; name a SOURCE, for example usb:0"))
    if args.camera is None and len(names) > 1:
        raise UsageError(text("calibrate: which camera? {names}", names=either([f"--camera {name}" for name in names])))
    wanted = args.camera or names[0]
    for camera in config.cameras:
        if camera.name == wanted:
            return camera
    guess = guess_or_all(wanted, names)
    raise UsageError(text("calibrate: --camera: there is no camera {wanted!r}{guess}", wanted=wanted, guess=guess))


def _path(args: argparse.Namespace, camera: CameraConfig, config: TableConfig) -> Path | None:
    """Return the file for the view of the mat; None for a source that is not in the configuration."""
    from cardtable.config.load import calibration_file

    if args.store is not None or args.source is not None:
        return Path(args.store) if args.store else None
    beside = Path(args.config or "table.toml").parent
    return camera.calibration or beside / calibration_file(camera.name)


def _once(calibration: Calibration, args: argparse.Namespace) -> int:
    if args.output is not None:
        _save(calibration, args.output)
    if args.json:
        seen: dict[str, Any] = calibration.to_json()
        print(json.dumps({**seen, "picture": str(args.output) if args.output else None}, ensure_ascii=False))
    else:
        _print(calibration)
        say(text("the picture: {output}", output=args.output))
    return 0 if calibration.ready else 1


def _save(calibration: Calibration, path: Path) -> None:
    import cv2

    picture = calibration.picture()
    if picture is None:
        raise CardtableError(text("there is no picture to save: {advice}", advice=calibration.advice()))
    done, data = cv2.imencode(path.suffix.lower(), picture)
    try:
        path.write_bytes(data.tobytes() if done else b"")
    except OSError as error:
        raise CardtableError(
            text("{path} cannot be written: {why}; name another file", path=path, why=why(error))
        ) from error


def _print(calibration: Calibration) -> None:
    from cardtable.cli.doctor import print_finding

    for finding in calibration.findings():
        print_finding(finding)
    print(translated(calibration.advice()), flush=True)


def _guide(calibration: Calibration, config: TableConfig, args: argparse.Namespace) -> None:
    """Serve the page until Ctrl-C, and print the advice whenever it changes."""
    from cardtable.web.guide import Guidance, Guide

    camera, printed, due = calibration.camera, "", 0.0
    title = text("Calibrating: {camera}", camera=camera.name)
    with closing(Guide(config.board, config.language)) as guide:
        say(text("what the camera sees: {url} (Ctrl-C ends)", url=guide.url), sys.stderr)
        while True:
            stopping.check()
            calibration.step()
            if camera.ended or camera.retry_in > 0:
                time.sleep(_IDLE_S)
            if time.monotonic() < due:
                continue
            due = time.monotonic() + _PAGE_PERIOD_S
            advice = calibration.advice()
            if camera.ended:
                advice = text("The recording is over. {advice}", advice=advice)
            if advice != printed:
                printed = advice
                if args.json:
                    print(json.dumps({**calibration.to_json(), "picture": None}, ensure_ascii=False), flush=True)
                else:
                    print(translated(advice), flush=True)
            findings = [finding.for_page() for finding in calibration.findings()]
            alert = any(finding["state"] == "trouble" for finding in findings)
            guide.show(Guidance(title, advice, alert, findings), calibration.picture(with_findings=False))
            if args.output is not None and calibration.ready:
                _save(calibration, args.output)
