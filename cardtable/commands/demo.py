"""`cardtable demo`: a whole game on the simulated table, through everything that a real table has."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from cardtable.cli import port
from cardtable.commands._rfid_demo import play_with_readers
from cardtable.config.hardware import LANGUAGES
from cardtable.config.model import BoardConfig
from cardtable.decks.library import ORDINARY, own_deck
from cardtable.errors import CardtableError, UsageError, why
from cardtable.play.hardware_outputs import HardwareOutputs
from cardtable.play.journal import Journal
from cardtable.play.session import Play, mat_for, open_game, readers_for
from cardtable.simulation.checking import OverheardEye, Readings, first_difference
from cardtable.simulation.source import Setting, SyntheticSource, marks_for
from cardtable.simulation.textures import MARKS
from cardtable.simulation.wiring import SimulatedWiring
from cardtable.terminal.output import say, translated
from engine.actions import Action
from engine.texts import both, text
from engine.views import side_names
from vision.decks.deck import OwnDeck

SUMMARY = text("play a whole game on the simulated table, and compare the record with what was really played")
EXAMPLE = "cardtable demo --headless --fast --players 3 --seed 7"

_LINGER_S: Final = 20.0
"""The board shows the end of the game for so long."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--game", default="all-fives", metavar="G", help=text("the game (default: all-fives)"))
    parser.add_argument("--players", type=int, default=2, metavar="N", help=text("how many play (default: 2)"))
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help=text("another seed, another game (default: 1)")
    )
    parser.add_argument(
        "--marks",
        choices=MARKS,
        help=text("what is printed on the cards (default: faces; aruco where the game has cards of its own)"),
    )
    parser.add_argument(
        "--deck", metavar="D", help=text("cards without marks, read as a deck of your own that was learned")
    )
    parser.add_argument(
        "--reader",
        choices=("simavr",),
        help=text("RFID readers instead of the camera: the firmware on a simulated Arduino"),
    )
    parser.add_argument(
        "--known",
        action="store_true",
        help=text("with --reader: the cards are dealt across readers, the hands are known"),
    )
    parser.add_argument(
        "--wired",
        type=Path,
        metavar="FOLDER",
        help=text(
            "buttons, lights and displays at the seats: words are said by buttons; what displays and pins show is "
            "written to FOLDER"
        ),
    )
    parser.add_argument(
        "--language", choices=LANGUAGES, help=text("of the board, the displays and the terminal (default: en)")
    )
    parser.add_argument("--headless", action="store_true", help=text("without the board"))
    parser.add_argument("--fast", action="store_true", help=text("quick hands, no pauses, as fast as the computer can"))
    parser.add_argument("--port", type=port, default=8015, help=text("where the board is served (default: 8015)"))
    parser.add_argument("--json", action="store_true", help=text("the summary as one JSON object"))


def run(args: argparse.Namespace) -> int:
    """Play; 0 only if the record agrees with what the robots did."""
    own = args.deck is not None and args.deck != ORDINARY
    if own and (args.marks or args.reader):
        raise UsageError(
            text("demo: --deck is for cards without marks, before a camera: leave --marks and --reader out")
        )
    deck = own_deck(args.deck, args.game) if own else None
    marks = "plain" if deck else args.marks or marks_for(args.game)
    setting = Setting(args.game, args.players, args.seed, marks, "fast" if args.fast else "human", args.known)
    if args.known and not args.reader:
        raise UsageError(text("demo: --known needs readers across which cards are dealt: add --reader simavr"))
    setting.check()
    if args.reader and args.wired:
        raise UsageError(text("demo: --wired is for the table with a camera: leave --reader or --wired out"))
    journal = Journal(_state_folder() / f"demo-{setting.name}.sqlite")
    try:
        past = open_game(journal, setting.header)
        board = None if args.headless else BoardConfig(port=args.port)
        if args.reader:
            summary = play_with_readers(setting, journal, past, standing(past), board, args.language or "en")
        else:
            summary = _play(setting, journal, past, board, args.fast, args.wired, args.language or "en", deck)
    finally:
        journal.close()
    print(json.dumps(summary) if args.json else _text(summary))
    return 0 if summary["agree"] else 1


def _state_folder() -> Path:
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "cardtable"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        told = "{folder} cannot be made: {why}; set XDG_STATE_HOME to a folder that can be written to"
        raise CardtableError(text(told, folder=folder, why=why(error))) from error
    return folder


def _play(
    setting: Setting,
    journal: Journal,
    past: Sequence[Action],
    board: BoardConfig | None,
    fast: bool,
    folder: Path | None,
    language: str,
    deck: OwnDeck | None = None,
) -> dict[str, Any]:
    with ExitStack() as stack:
        wiring = None
        if folder is not None:
            wiring = SimulatedWiring(setting, folder, lambda: source.stage.time, language)
            stack.callback(wiring.close)
        source = SyntheticSource(
            setting, standing(past), None if fast else time.sleep, wiring.fingers if wiring else None
        )
        wired = wiring.open() if wiring else None
        return _play_on(source, setting, journal, past, board, fast, wired, language, deck)


def _play_on(
    source: SyntheticSource,
    setting: Setting,
    journal: Journal,
    past: Sequence[Action],
    board: BoardConfig | None,
    fast: bool,
    wired: HardwareOutputs | None,
    language: str,
    deck: OwnDeck | None,
) -> dict[str, Any]:
    header, readings = setting.header, Readings()
    readers = readers_for(["faces"] if setting.marks == "plain" else [setting.marks], deck)
    eye = OverheardEye(source, mat_for(header), readers)
    eye.overhear = readings.take
    started = time.monotonic()
    with Play(header, [eye], journal, past, board, wired=wired, language=language) as play:
        controller = play.controller
        if past:
            say(text("going on with the game that was broken off, {past} actions old", past=len(past)), sys.stderr)
        if play.board:
            say(text("the board: {url}", url=play.board.url), sys.stderr)
        play.run()
        seconds = time.monotonic() - started
        director = source.director
        difference = first_difference(controller.table.actions, director.done, director.again)
        if board and not fast:
            end = time.monotonic() + _LINGER_S
            play.run(until=lambda: time.monotonic() > end)
        view = controller.shown.view
        return {
            "game": header.game,
            "players": list(header.players),
            "cards": asdict(readings.count(source.stage.pieces)),
            "laid_again": director.laid_again,
            "actions": len(controller.table.actions),
            "scores": list(view.scores),
            "winners": list(view.winners),
            "frames": eye.frame.number + 1 if eye.frame else 0,
            "seconds": round(seconds, 1),
            "agree": difference is None and source.gave_up is None,
            "difference": source.gave_up or difference,
        }


def standing(past: Sequence[Action]) -> list[Action]:
    """The actions that stand, once those undone are gone."""
    standing: list[Action] = []
    for action in past:
        if action.do == "undo":
            standing.pop()
        else:
            standing.append(action)
    return standing


def _text(summary: dict[str, Any]) -> str:
    cards, sides = summary["cards"], side_names(summary["players"], len(summary["scores"]))
    scores = ", ".join(f"{side} {score}" for side, score in zip(sides, summary["scores"], strict=True))
    agreed = text("the record     {count} actions, agrees with what was really played", count=summary["actions"])
    if not summary["agree"]:
        differs = "the record     {count} actions, DIFFERS: {difference}"
        agreed = text(differs, count=summary["actions"], difference=summary["difference"])
    final = text("final scores   {scores}", scores=scores)
    if summary["winners"]:
        won = both([sides[side] for side in summary["winners"]])
        final = text("final scores   {scores}; {names} won", scores=scores, names=won)
    lines = [
        text(
            "cards laid     {laid}, read right {right}, wrong {wrong}, missed {missed}; laid again {again}",
            laid=cards["laid"],
            right=cards["right"],
            wrong=cards["wrong"],
            missed=cards["missed"],
            again=summary["laid_again"],
        ),
        text("frames         {count} in {seconds} s", count=summary["frames"], seconds=summary["seconds"]),
        final,
        agreed,
    ]
    return "\n".join(map(translated, lines))
