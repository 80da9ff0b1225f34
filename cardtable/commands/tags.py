"""`cardtable tags`: store which RFID tag is on which card, and test readers, tags and cable."""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cardtable.errors import CardtableError, UsageError
from cardtable.tags.board import Board, Printer, recorder
from cardtable.tags.learn import learn, wanted_cards
from cardtable.tags.replay import replay_recording
from cardtable.terminal.output import say
from engine.games import DEFAULT_GAME
from engine.texts import plural, text

if TYPE_CHECKING:
    from firmware_bridge.tags import TagTable

SUMMARY = text("learn which RFID tag is on which card, list them, test readers, tags and cable, or replay a recording")
DOING = text("preparing the tags")
EXAMPLE = text("""cardtable tags learn --game all-fives
  cardtable tags learn QS say:beg      (these again, with new tags)
  cardtable tags list
  cardtable tags test --line 500
  cardtable tags test --record line.jsonl, and later: cardtable tags replay line.jsonl""")

WHAT: Final = ("learn", "list", "test", "replay")
_SILENCE_S: Final = 1.0
"""Seconds without a test event after which the missing ones are requested again."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("what", choices=WHAT, metavar="|".join(WHAT), help=text("what to do"))
    parser.add_argument(
        "cards",
        nargs="*",
        default=[],  # otherwise argparse also reports it as missing if only the thing to do is
        metavar="CARD",
        help=text("learn: only these, like QS, brown-7, say:beg; replay: the recording"),
    )
    parser.add_argument(
        "--more", action="store_true", help=text("learn: add another tag to CARD, which keeps those it has")
    )
    parser.add_argument("--game", default=DEFAULT_GAME, metavar="G", help=text("learn: the game whose cards they are"))
    parser.add_argument("--tags", type=Path, default=Path("tags.json"), metavar="FILE", help=text("default: tags.json"))
    parser.add_argument(
        "--port", default="auto", metavar="P", help=text("the reader board's port (default: look for it)")
    )
    parser.add_argument(
        "--line", type=int, metavar="N", help=text("test: send N test events over the cable, and count")
    )
    parser.add_argument(
        "--seconds", type=float, metavar="S", help=text("test: stop after so many seconds (default: at Ctrl-C)")
    )
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help=text("write everything that goes over the line to FILE")
    )
    parser.add_argument(
        "--json", action="store_true", help=text("one JSON object for each tag, or each thing that happens")
    )


def run(args: argparse.Namespace) -> int:
    """Learn, list, test or replay; return 0. Raises `CardtableError` if the reader board, or a file, cannot be used."""
    from firmware_bridge.tags import TagsError, TagTable

    if args.what == "replay":
        if len(args.cards) != 1:
            raise UsageError(text("tags replay: name one file to replay, which tags test --record FILE wrote"))
        return replay_recording(Path(args.cards[0]), Printer(args.json))
    if args.what != "learn" and args.cards:
        raise UsageError(
            text(
                "tags {what}: {wrong!r} is one argument too many; only tags learn takes cards",
                what=args.what,
                wrong=args.cards[0],
            )
        )
    if args.line is not None and not 1 <= args.line <= 65535:
        raise UsageError(
            text("tags: --line: {line} is not a number of events: choose one from 1 to 65535", line=args.line)
        )
    if args.seconds is not None and not args.seconds > 0:
        raise UsageError(
            text("tags: --seconds: {seconds:g} is not a time to wait: choose more than 0", seconds=args.seconds)
        )
    try:
        tags = TagTable(args.tags)
        if args.what == "list":
            return _list(tags, args.json)
        with ExitStack() as stack:
            board = Board(args.port, recorder(args.record, stack))
            stack.enter_context(closing(board.bridge))
            printer = Printer(args.json)
            if args.what == "test" and not args.line:
                stored = plural("{count} tag in {file}", "{count} tags in {file}", len(tags), file=tags.path)
                printer.print(stored, stored=len(tags), file=str(tags.path))
            if args.what == "learn":
                return learn(board, tags, wanted_cards(args, tags), printer)
            board.connect(printer)
            return _line(board, args.line, printer) if args.line else _test(board, tags, args.seconds, printer)
    except TagsError as error:
        raise CardtableError(str(error)) from error


def _list(tags: TagTable, as_json: bool) -> int:
    """Print all tags and their cards."""
    if not len(tags):
        say(text("no tags are stored in {file}: cardtable tags learn", file=tags.path), sys.stderr)
    for uid, face in tags:
        print(json.dumps({"uid": uid, "card": str(face)}, ensure_ascii=False) if as_json else f"{face!s:<12} {uid}")
    return 0


def _test(board: Board, tags: TagTable, seconds: float | None, printer: Printer) -> int:
    """Print what the readers and buttons of the reader board report, for `seconds` or until Ctrl-C."""
    from firmware_bridge.messages import EventKind

    printer.print(text("Lay cards on the readers; Ctrl-C ends."), test="tags")
    end = time.monotonic() + seconds if seconds is not None else None
    for event in board.events(printer, lambda: end is None or time.monotonic() < end):
        face = tags.face(event.uid)
        entry: dict[str, Any] = {"event": event.kind.name.lower(), "index": event.index}
        if event.kind in (EventKind.PRESSED, EventKind.RELEASED):
            message = "button {number} pressed" if event.kind is EventKind.PRESSED else "button {number} released"
            printer.print(text(message, number=event.index), **entry)
        elif event.uid:
            name = str(face) if face else text("a tag that is not known ({uid})", uid=event.uid)
            entry |= {"uid": event.uid, "card": str(face) if face else None}
            message = (
                "reader {number}: {name} laid" if event.kind is EventKind.LAID else "reader {number}: {name} lifted"
            )
            printer.print(text(message, number=event.index, name=name), **entry)
        elif event.kind is EventKind.FAULT:
            printer.print(text("reader {number} does not answer: check its wires", number=event.index), **entry)
        elif event.kind is EventKind.WORKS:
            printer.print(text("reader {number} works again", number=event.index), **entry)
        else:
            printer.print(text("reader {number}", number=event.index), **entry)
    return 0


def _line(board: Board, count: int, printer: Printer) -> int:
    """Request `count` test events, and print how fast they came and how many frames were damaged."""
    from firmware_bridge.messages import EventKind

    board.bridge.link.request_test_events(count)
    board.bridge.flush()
    start = time.monotonic()
    received, last = 0, start

    def still_sending() -> bool:
        return time.monotonic() < last + _SILENCE_S

    while received < count:
        for event in board.events(printer, still_sending):
            if event.kind is EventKind.TESTED:
                received, last = received + 1, time.monotonic()
            if received == count:
                break
        else:  # on a bad line the request itself may be lost
            board.bridge.link.request_test_events(count - received)
            board.bridge.flush()
            last = time.monotonic()
    rate, damaged = count / (time.monotonic() - start), board.bridge.link.bad_frames
    events = plural("{count} event", "{count} events", count)
    message = text("{events}, {rate:.0f} a second; the cable is good.", events=events, rate=rate)
    if damaged:
        one, many = "{count} frame was damaged and sent again", "{count} frames were damaged and sent again"
        frames = plural(one, many, damaged)
        message = text("{events}, {rate:.0f} a second; {frames}.", events=events, rate=rate, frames=frames)
    printer.print(message, events=count, rate=round(rate), damaged=damaged)
    return 0
