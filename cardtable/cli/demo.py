"""`cardtable demo`: a hand or a whole game on the simulated table, through everything that a real table has."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from cardtable.config.decks import GERMAN, ORDINARY, learned_deck
from cardtable.config.model import BoardConfig
from cardtable.errors import CardtableError, UsageError, why
from cardtable.evening.playing import Parts, Playing, one_game, open_game
from cardtable.evening.results import no_games, result_of
from cardtable.journal.journal import Journal
from cardtable.languages import LANGUAGES, translator
from cardtable.simulation.checking import Count, Readings, first_difference
from cardtable.simulation.rfid import RfidTable
from cardtable.simulation.source import (
    Setting,
    SyntheticSource,
    actions_of,
    fewest_players,
    marks_for,
    parse_option,
)
from cardtable.simulation.sprites import MARKS
from cardtable.simulation.wiring import SimulatedWiring
from cardtable.table.cameras import card_readers, mat_for
from cardtable.table.outputs import HardwareOutputs, open_outputs
from cardtable.table.readers import open_readers
from cardtable.table.snapshot import Snapshot
from cardtable.table.trace import Trace, open_trace
from cardtable.terminal.arguments import add_diagnostics, port, start_logging
from cardtable.terminal.input import any_key
from cardtable.terminal.output import say, translated
from cardtable.terminal.progress import hide_activity, show_activity
from cardtable.web.screens import Result
from engine.actions import Action
from engine.games import DEFAULT_GAME, game_names, load_game
from engine.rules.dealing import DealtOutGame
from engine.table import Table
from engine.texts import Text, both, plural, text
from engine.views import side_names
from firmware_bridge import BridgeError
from vision.camera_pipeline import CameraPipeline
from vision.decks.deck import LearnedDeck

_RESULT_S: Final = 20.0
"""Seconds for which the board shows the end of the demo without a keyboard to end it."""
_BAR: Final = 24
"""Characters of the progress bar."""


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """A demo to play.

    `journal` has begun or resumed the game; `past` are its actions so far. `board`: where to serve the board; None for
    no board. `fast`: no pauses. `whole`: play to the end of the game, not only of the present hand. `language`: of the
    board and the displays. `trace`: where observations and their effects are written.
    """

    setting: Setting
    journal: Journal
    past: Sequence[Action]
    board: BoardConfig | None
    fast: bool
    whole: bool
    language: str
    trace: Trace | None = None

    @property
    def standing(self) -> list[Action]:
        """The actions of `past` without undos and the actions that they took back."""
        out: list[Action] = []
        for action in self.past:
            if action.do == "undo":
                out.pop()
            else:
                out.append(action)
        return out

    @property
    def hands(self) -> int | None:
        """How many hands of the game have been played when the demo ends; None for all of them."""
        if self.whole:
            return None
        table = Table(self.setting.header)
        for action in self.past:
            table.do(action)
        return len(table.hand_starts)

    @property
    def parts(self) -> Parts:
        """What the game is played with, apart from cameras and readers."""
        return Parts(
            self.setting.header, journal=self.journal, past=self.past, trace=self.trace, result_of=self.result_of
        )

    def announce(self, playing: Playing) -> None:
        """Print to standard error whether a game is continued, the address of the board, and how far the demo is."""
        if self.past:
            say(text("continuing the game, {past} actions so far", past=len(self.past)), sys.stderr)
        if playing.board:
            say(text("the board: {url}", url=playing.board.url), sys.stderr)
        actions = cache(lambda: actions_of(self.setting, self.hands))  # asked for on a terminal only

        def played() -> Text:
            done, count = len(playing.table.actions), actions()
            filled = _BAR * done // count
            bar = "█" * filled + "░" * (_BAR - filled)
            return text("playing: {bar} {done} of {count} actions", bar=bar, done=done, count=count)

        show_activity(played)

    def result_of(self, shown: Snapshot) -> Result | None:
        """Return what the board shows of the game when it is over: who won, and what decided it."""
        number = self.journal.number
        if number is None:
            return None
        entry = next(entry for entry in reversed(self.journal.games.entries()) if entry.id == number)
        seconds = (entry.ended or entry.started) - entry.started
        return result_of(
            shown, self.setting.header, number, seconds, no_games(), translator(self.language), choices=False
        )

    def summary(
        self, playing: Playing, robots: SyntheticSource | RfidTable, cards: Count, frames: int, began: float
    ) -> dict[str, Any]:
        """Return the object that `demo --json` prints: what the robots did, and whether the record agrees."""
        director, view, actions = robots.director, playing.game.snapshot.view, playing.table.actions
        difference = robots.gave_up or first_difference(actions, director.done, director.again)
        return {
            "game": self.setting.game,
            "players": list(self.setting.header.players),
            "cards": asdict(cards),
            "laid_again": director.laid_again,
            "actions": len(actions),
            "scores": list(view.scores),
            "winners": list(view.winners),
            "frames": frames,
            "seconds": round(time.monotonic() - began, 1),
            "agree": difference is None,
            "difference": difference,
        }

    def show_result(self, playing: Playing) -> None:
        """Keep the board with the end of the demo until a key is pressed; without a terminal, for some seconds.

        Return at once without a board, and with `fast` if no key can be pressed.
        """
        hide_activity()
        if playing.board is None:
            return
        with any_key(_keyboard()) as pressed:
            if pressed is not None:
                over = playing.table.over
                message = "the game is over" if over else "the hand is over; with --whole the game is played to its end"
                say(text(message), sys.stderr)
                say(text("the board stays open: press any key to end"), sys.stderr)
                playing.run(until=pressed)
            elif not self.fast:
                end = time.monotonic() + _RESULT_S
                playing.run(until=lambda: time.monotonic() > end)


def _keyboard() -> int:
    """Return the descriptor of standard input; -1 without one."""
    try:
        return sys.stdin.fileno()
    except (AttributeError, ValueError):  # closed, or replaced by an object without one
        return -1


# The demo with a camera: robots play, a rendered camera watches, the program referees.


def play_with_camera(options: DemoOptions, wired: Path | None, deck: LearnedDeck | None) -> dict[str, Any]:
    """Play the game; return the summary that `demo --json` prints.

    `wired`: the folder for what simulated displays and pins show; None for no hardware. `deck`: the learned deck that
    reads unmarked cards. Raises `CardtableError`.
    """
    with ExitStack() as stack:
        wiring = None
        if wired is not None:
            wiring = SimulatedWiring(options.setting, wired, lambda: source.stage.time, options.language)
            stack.callback(wiring.close)
        pause = None if options.fast else time.sleep
        fingers = wiring.fingers if wiring else None
        source = SyntheticSource(options.setting, options.standing, pause, fingers, hands=options.hands)
        outputs = None
        if wiring:
            pins = wiring.pins
            outputs = open_outputs(wiring.config, lambda: pins, wiring.clock, stepped=True)
        if outputs:
            stack.callback(outputs.close)
        return play_before(source, options, outputs, deck)


def play_before(
    source: SyntheticSource,
    options: DemoOptions,
    outputs: HardwareOutputs | None = None,
    deck: LearnedDeck | None = None,
) -> dict[str, Any]:
    """Referee the game that robots play before a rendered camera; return the summary as `play_with_camera` does.

    `outputs`: what shows the state of play besides the board. `deck`: as for `play_with_camera`.
    """
    header, readings = options.setting.header, Readings()
    readers = card_readers(
        ["faces"] if options.setting.marks == "plain" else [options.setting.marks], deck, header.game
    )
    camera = CameraPipeline(source, mat_for(header), readers)
    began = time.monotonic()
    parts = replace(options.parts, cameras=[camera], hardware=outputs, observed=readings.take)
    with one_game(parts, options.board, options.language) as playing:
        options.announce(playing)
        playing.run()
        frames = camera.frame.number + 1 if camera.frame else 0
        summary = options.summary(playing, source, readings.count(source.stage.cards_laid), frames, began)
        options.show_result(playing)
        return summary


# The demo with RFID readers: the real firmware runs on a simulated Arduino and reads the robots' cards.


def play_with_readers(options: DemoOptions) -> dict[str, Any]:
    """Play the game; return the summary that `demo --json` prints.

    Raises `CardtableError` if the simulator is not installed.
    """
    try:
        table = RfidTable(options.setting, options.journal.path.parent, options.standing, hands=options.hands)
    except BridgeError as error:
        raise CardtableError(str(error)) from error
    readings, began = Readings(), time.monotonic()

    def clock() -> float:
        return table.time if table.stepped else time.monotonic() - began

    def ended() -> bool:
        """Run robots and boards for a frame; the program runs between two of these calls."""
        if not table.ended:
            table.turn()
        return table.ended

    with ExitStack() as stack:
        stack.callback(table.close)
        readers = open_readers(table.configs, options.journal, clock, table.port if table.stepped else None)
        parts = replace(options.parts, readers=readers, observed=readings.take)
        playing = stack.enter_context(one_game(parts, options.board, options.language))
        options.announce(playing)
        table.watch(lambda: playing.game.snapshot.view, lambda: playing.game.snapshot.prompts)
        if table.stepped:
            playing.run(until=ended)
        else:
            _play_in_real_time(playing, table, began)
        cards = readings.count(table.on_readers())
        summary = options.summary(playing, table, cards, table.frames, began) | {"refused": table.director.refused}
        options.show_result(playing)
        return summary


def _play_in_real_time(playing: Playing, table: RfidTable, began: float) -> None:
    """Run robots, boards and program at the same time, as at a real table."""
    stop = threading.Event()
    robots = threading.Thread(target=table.play, args=(stop.is_set, began), name="robots", daemon=True)
    robots.start()
    try:
        playing.run(until=lambda: not robots.is_alive())
    finally:
        stop.set()
        robots.join(5)
    if not table.ended:
        table.gave_up = "the robots stopped: see above for why"


SUMMARY = text("play on the simulated table, and compare the record with what was really played")
ACTIVITY = text("preparing the simulated table")
EXAMPLE = "cardtable demo --headless --fast --players 3 --seed 7"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--game", default=DEFAULT_GAME, metavar="G", help=text("the game (default: all-fives)"))
    parser.add_argument(
        "--players", type=int, metavar="N", help=text("the number of players (default: the fewest possible)")
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=text("an option of the game, such as target=5; may be repeated"),
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=10,
        metavar="S",
        help=text("the seed of the robots' choices; another seed gives another game (default: 10)"),
    )
    parser.add_argument(
        "--marks",
        choices=MARKS,
        help=text("what is printed on the cards (default: faces; aruco if the game has cards of its own)"),
    )
    parser.add_argument("--deck", metavar="D", help=text("play with the unmarked cards of this learned deck"))
    parser.add_argument(
        "--reader",
        choices=("simavr",),
        help=text("use RFID readers instead of the camera: the firmware on a simulated Arduino"),
    )
    parser.add_argument(
        "--known",
        action="store_true",
        help=text("play with known hands: dealt across readers, or laid open if the whole pack is dealt"),
    )
    parser.add_argument(
        "--wired",
        type=Path,
        metavar="FOLDER",
        help=text(
            "put buttons, lights and displays at the seats: buttons say the words; what displays and lights show is "
            "written to FOLDER"
        ),
    )
    parser.add_argument(
        "--language", choices=LANGUAGES, help=text("language of the board, the displays and the terminal (default: en)")
    )
    parser.add_argument("--whole", action="store_true", help=text("play the whole game (default: one hand of it)"))
    parser.add_argument("--headless", action="store_true", help=text("do not serve the board"))
    parser.add_argument(
        "--fast", action="store_true", help=text("play as fast as the computer can, with quick hands and no pauses")
    )
    parser.add_argument("--port", type=port, default=8015, help=text("the port of the board (default: 8015)"))
    parser.add_argument("--json", action="store_true", help=text("print the summary as one JSON object"))
    add_diagnostics(parser)


def run(args: argparse.Namespace) -> int:
    """Play; return 0 only if the record agrees with what the robots did."""
    start_logging(args.log_level)
    if args.deck == GERMAN:
        raise UsageError(text("demo: the simulated deck has French suits: leave --deck out"))
    is_learned = args.deck is not None and args.deck != ORDINARY
    if is_learned and (args.marks or args.reader):
        raise UsageError(text("demo: --deck is for cards without marks under a camera: leave --marks and --reader out"))
    deck = learned_deck(args.deck, args.game) if is_learned else None
    marks = "plain" if deck else args.marks or marks_for(args.game)
    players = args.players if args.players is not None else fewest_players(args.game)
    pace = "fast" if args.fast else "human"
    chosen = tuple(parse_option(args.game, option) for option in args.option) if args.game in game_names() else ()
    setting = Setting(args.game, players, args.seed, marks, pace, args.known, chosen)
    setting.check()
    if args.known and not (args.reader or issubclass(load_game(args.game), DealtOutGame)):
        raise UsageError(text("demo: --known needs readers across which cards are dealt: add --reader simavr"))
    if args.reader and args.wired:
        raise UsageError(text("demo: --wired is for the table with a camera: leave --reader or --wired out"))
    with closing(Journal(_state_folder() / f"demo-{setting.name}.sqlite")) as journal:
        past = open_game(journal, setting.header, report=lambda message: say(message, sys.stderr))
        board = None if args.headless else BoardConfig(port=args.port)
        trace = open_trace(args.trace, setting.header, args.trace_hands)
        options = DemoOptions(setting, journal, past, board, args.fast, args.whole, args.language or "en", trace)
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
    final = text("scores         {scores}", scores=scores)
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
