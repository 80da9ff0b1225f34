"""`cardtable watch`: referee a game from any source of frames, without a display."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from cardtable.errors import CardtableError, UsageError, suggestion, why
from cardtable.terminal.arguments import add_diagnostics, start_logging
from cardtable.terminal.output import say, translated
from cardtable.terminal.progress import load, show_activity
from engine.record import Header, json_line, write_record
from engine.referee.prompts import turn
from engine.texts import decimals, is_small_number, text
from engine.views import Prompt, View

if TYPE_CHECKING:
    from cardtable.config.model import Marks
    from cardtable.evening.playing import Playing
    from cardtable.table.snapshot import Snapshot

SUMMARY = text("referee a game from a camera, a video or a folder of pictures, without a display")
ACTIVITY = text("watching the table")
EXAMPLE = "cardtable watch game.mp4 --game all-fives --players Ann,Bo --record game.jsonl"
DECKS: Final = ("all", "faces", "qr", "aruco")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help=text(
            "video:FILE, dir:FOLDER, url:ADDRESS, usb:N, picamera, synthetic:GAME?seed=N, or the path of a video or "
            "a folder"
        ),
    )
    parser.add_argument("--game", required=True, metavar="G", help=text("the game; cardtable games lists them"))
    parser.add_argument(
        "--players", required=True, metavar="A,B", help=text("the players' names, clockwise from seat 0")
    )
    parser.add_argument("--dealer", metavar="A", help=text("the player who deals first (default: the cut decides)"))
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=text("an option of the game; may be repeated"),
    )
    parser.add_argument(
        "--marks", choices=DECKS, default="all", help=text("what is printed on the cards (default: all)")
    )
    parser.add_argument(
        "--deck", metavar="D", help=text("the deck: german-suits, or a learned deck (see cardtable deck list)")
    )
    parser.add_argument("--json", action="store_true", help=text("print one JSON object for each action and prompt"))
    parser.add_argument(
        "--record", type=Path, metavar="OUT.jsonl", help=text("write the record of the game to this file")
    )
    add_diagnostics(parser)


def run(args: argparse.Namespace) -> int:
    """Watch until the source ends or, with a live camera, the game is over.

    Return 1 if the source broke off, else 0.
    """
    load("cv2", "cardtable.evening.playing")
    from cardtable.config.decks import unlearned
    from cardtable.config.devices import CameraConfig
    from cardtable.evening.playing import Parts, checked, one_game  # OpenCV loads only when it is needed
    from cardtable.table.cameras import open_camera
    from cardtable.table.trace import open_trace

    start_logging(args.log_level)
    header = checked(_header(args))
    marks: tuple[Marks, ...] = ("faces", "qr", "aruco") if args.marks == "all" else (args.marks,)
    with ExitStack() as stack:
        settings = CameraConfig.model_construct(source=args.source, deck=args.deck, exposure="auto")
        camera = open_camera(settings, header, marks)
        stack.callback(camera.close)
        if (gap := unlearned(args.deck, header.game)) is not None:
            say(gap, sys.stderr)
        record = stack.enter_context(_create(args.record)) if args.record else None
        printer = Printer(header, args.json, record)
        trace = open_trace(args.trace, header, args.trace_hands)
        playing = stack.enter_context(one_game(Parts(header, [camera], outputs=[printer], trace=trace)))
        show_activity(lambda: text("watching: {count} pictures", count=camera.frame.number + 1 if camera.frame else 0))
        if camera.source.live:
            playing.run(until=lambda: playing.table.over)
        else:
            playing.run()
        printer.end(playing)
        for name in getattr(camera.source, "broken", ()):
            say(text("watch: {name} is not a readable picture; it was skipped", name=name), sys.stderr)
        sources = playing.game.snapshot.sources
        return 1 if sources and sources[0].trouble else 0


def _header(args: argparse.Namespace) -> Header:
    players = tuple(name.strip() for name in args.players.split(","))
    if not all(players) or len(set(players)) < len(players):
        raise UsageError(
            text("watch: --players: {players!r} should be different names, like Ann,Bo", players=args.players)
        )
    return Header.new(args.game, players, _dealer(args.dealer, players), dict(map(_option, args.option)))


def _dealer(dealer: str | None, players: tuple[str, ...]) -> int | None:
    if dealer is None:
        return None
    if dealer in players:
        return players.index(dealer)
    if is_small_number(dealer):
        return int(dealer)
    raise UsageError(
        text(
            "watch: --dealer: {dealer!r} is neither one of {players} nor a seat{guess}",
            dealer=dealer,
            players=", ".join(players),
            guess=suggestion(dealer, players),
        )
    )


def _option(setting: str) -> tuple[str, object]:
    name, equals, value = setting.partition("=")
    if not name or not equals:
        raise UsageError(text("watch: --option: write {value!r} like target=31", value=setting))
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


@contextmanager
def _create(path: Path) -> Iterator[TextIO]:
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(text("watch: --record: {path} cannot be written: {why}", path=path, why=why(error))) from error
    try:
        yield file
    finally:
        with suppress(OSError):  # every line was flushed, or its loss reported
            file.close()


class Printer:
    """Write accepted actions to the record, and print them with the prompts and the result.

    `as_json` prints JSON Lines (docs/reference/commands.md) instead of text. `record` is an open file, or None. Raises
    `CardtableError` if the record cannot be written.
    """

    def __init__(self, header: Header, as_json: bool, record: TextIO | None) -> None:
        self._players = header.players
        self._json = as_json
        self._record = record
        self._accepted = 0
        self._prompts: tuple[Prompt, ...] = ()
        self._write(*write_record(header, ()))

    def show(self, snapshot: Snapshot, view_of: Callable[[int | None], View]) -> None:
        """Print the news of `snapshot`, and its prompts that are new."""
        from engine.rules.wording import describe

        self._write(*(json_line(entry.action.to_json()) for entry in snapshot.news))
        time = round(snapshot.time, 3)
        for entry in snapshot.news:
            self._accepted += 1
            points = "".join(f", {self._players[p.seat]} {p.points:+d} {p.reason}" for p in entry.points)
            events = "".join(f", {event.event}" for event in entry.events)
            self._print(
                {**entry.to_json(), "t": time, "action": entry.action.to_json()},
                f"{translated(describe(entry.action, self._players))}{points}{events}",
            )
        for prompt in snapshot.prompts:
            if replace(prompt, urgent=False) not in self._prompts:
                line = {"kind": prompt.kind, "seat": prompt.seat, "text": prompt.text}
                self._print({"t": time, "prompt": line}, f"  {translated(prompt.text)}")
        self._prompts = tuple(replace(prompt, urgent=False) for prompt in snapshot.prompts)

    def end(self, playing: Playing) -> None:
        """Print the result, as `replay` does."""
        table = playing.table
        result = {
            "over": table.over,
            "winners": list(table.winners),
            "scores": list(table.scores),
            "accepted": self._accepted,
            "refused": 0,
            **table.result,
        }
        scores = "–".join(map(str, table.scores))
        line = turn(table.view()).text if table.over else text("The game is not over: {scores}", scores=scores)
        self._print({**result, "t": round(playing.game.snapshot.time, 3)}, translated(line))

    def _print(self, value: Mapping[str, Any], line: str) -> None:
        time = value["t"]
        print(json_line(value) if self._json else f"{translated(decimals(time, 2)):>8}  {line}", flush=True)

    def _write(self, *lines: str) -> None:
        if self._record is None or not lines:
            return
        try:
            self._record.write("".join(f"{line}\n" for line in lines))
            self._record.flush()
        except OSError as error:
            raise CardtableError(
                text("the record cannot be written: {why}; make room, then start again", why=why(error))
            ) from error
