"""`cardtable demo`: a whole game on the simulated table, through everything that a real table has."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from cardtable.config.model import BoardConfig
from cardtable.decks.library import GERMAN, ORDINARY, own_deck
from cardtable.demo.camera_demo import play_with_camera
from cardtable.demo.options import DemoOptions
from cardtable.demo.rfid_demo import play_with_readers
from cardtable.errors import CardtableError, UsageError, why
from cardtable.languages import LANGUAGES
from cardtable.play.games import open_game
from cardtable.play.journal import Journal
from cardtable.play.trace import open_trace
from cardtable.simulation.source import Setting, fewest_players, marks_for, parse_option
from cardtable.simulation.textures import MARKS
from cardtable.terminal.arguments import port
from cardtable.terminal.diagnostics import add_diagnostics, start_logging
from cardtable.terminal.output import say, translated
from engine.games import DEFAULT_GAME, game_names, load_game
from engine.rules.dealing_out import DealtOutGame
from engine.texts import both, plural, text
from engine.views import side_names

SUMMARY = text("play a whole game on the simulated table, and compare the record with what was really played")
DOING = text("preparing the simulated table")
EXAMPLE = "cardtable demo --headless --fast --players 3 --seed 7"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--game", default=DEFAULT_GAME, metavar="G", help=text("the game (default: all-fives)"))
    parser.add_argument("--players", type=int, metavar="N", help=text("how many play (default: the fewest possible)"))
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=text("an option of the game, such as target=5; can be repeated"),
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help=text("another seed, another game (default: 1)")
    )
    parser.add_argument(
        "--marks",
        choices=MARKS,
        help=text("what is printed on the cards (default: faces; aruco if the game has cards of its own)"),
    )
    parser.add_argument(
        "--deck", metavar="D", help=text("cards without marks, read as this deck of your own, which you have learned")
    )
    parser.add_argument(
        "--reader",
        choices=("simavr",),
        help=text("RFID readers instead of the camera: the firmware on a simulated Arduino"),
    )
    parser.add_argument(
        "--known",
        action="store_true",
        help=text("the hands are known: dealt across readers, or laid open if the whole pack is dealt"),
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
        "--language", choices=LANGUAGES, help=text("language of the board, the displays and the terminal (default: en)")
    )
    parser.add_argument("--headless", action="store_true", help=text("without the board"))
    parser.add_argument("--fast", action="store_true", help=text("quick hands, no pauses, as fast as the computer can"))
    parser.add_argument("--port", type=port, default=8015, help=text("the port of the board (default: 8015)"))
    parser.add_argument("--json", action="store_true", help=text("the summary as one JSON object"))
    add_diagnostics(parser)


def run(args: argparse.Namespace) -> int:
    """Play; return 0 only if the record agrees with what the robots did."""
    start_logging(args.log_level)
    if args.deck == GERMAN:
        raise UsageError(text("demo: the simulated deck has French suits: leave --deck out"))
    own = args.deck is not None and args.deck != ORDINARY
    if own and (args.marks or args.reader):
        raise UsageError(text("demo: --deck is for cards without marks under a camera: leave --marks and --reader out"))
    deck = own_deck(args.deck, args.game) if own else None
    marks = "plain" if deck else args.marks or marks_for(args.game)
    players = args.players if args.players is not None else fewest_players(args.game)
    pace = "fast" if args.fast else "human"
    given = tuple(parse_option(args.game, option) for option in args.option) if args.game in game_names() else ()
    setting = Setting(args.game, players, args.seed, marks, pace, args.known, given)
    setting.check()
    if args.known and not (args.reader or issubclass(load_game(args.game), DealtOutGame)):
        raise UsageError(text("demo: --known needs readers across which cards are dealt: add --reader simavr"))
    if args.reader and args.wired:
        raise UsageError(text("demo: --wired is for the table with a camera: leave --reader or --wired out"))
    with closing(Journal(_state_folder() / f"demo-{setting.name}.sqlite")) as journal:
        past = open_game(journal, setting.header, report=lambda message: say(message, sys.stderr))
        board = None if args.headless else BoardConfig(port=args.port)
        trace = open_trace(args.trace, setting.header, args.trace_hands)
        options = DemoOptions(setting, journal, past, board, args.fast, args.language or "en", trace)
        summary = play_with_readers(options) if args.reader else play_with_camera(options, args.wired, deck)
    print(json.dumps(summary) if args.json else _text(summary))
    return 0 if summary["agree"] else 1


def _state_folder() -> Path:
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "cardtable"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = "{folder} cannot be made: {why}; set XDG_STATE_HOME to a folder that can be written to"
        raise CardtableError(text(message, folder=folder, why=why(error))) from error
    return folder


def _text(summary: dict[str, Any]) -> str:
    cards, sides = summary["cards"], side_names(summary["players"], len(summary["scores"]))
    scores = ", ".join(f"{side} {score}" for side, score in zip(sides, summary["scores"], strict=True))
    actions = plural("{count} action", "{count} actions", summary["actions"])
    agreed = text("the record     {actions}, agrees with what was really played", actions=actions)
    if not summary["agree"]:
        differs = "the record     {actions}, DIFFERS: {difference}"
        agreed = text(differs, actions=actions, difference=summary["difference"])
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
