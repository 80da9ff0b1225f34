"""`cardtable tags`: store which RFID tag is on which card, and test readers, tags and cable."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from cardtable import stopping
from cardtable.errors import CardtableError, UsageError, guess_or_all, why
from cardtable.files import read_text
from cardtable.terminal.output import say
from cardtable.terminal.progress import Reporter
from engine.games import DEFAULT_GAME
from engine.texts import decimals, plural, text

if TYPE_CHECKING:
    from engine.cards import Card
    from engine.observations import ActionCard
    from firmware_bridge.bridge import Bridge, BridgeUpdate
    from firmware_bridge.link import LinkUpdate
    from firmware_bridge.messages import TagEvent
    from firmware_bridge.recorder import Recorder
    from firmware_bridge.tags import TagTable


SUMMARY = text("learn or list the RFID tags of the cards, test readers, tags and cable, or replay a recording")
ACTIVITY = text("preparing the tags")
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
        help=text("learn: only these cards, such as QS, brown-7 or say:beg; replay: the recording"),
    )
    parser.add_argument("--more", action="store_true", help=text("learn: keep CARD's tags and add another"))
    parser.add_argument(
        "--game", default=DEFAULT_GAME, metavar="G", help=text("learn: the game that the cards are for")
    )
    parser.add_argument("--tags", type=Path, default=Path("tags.json"), metavar="FILE", help=text("default: tags.json"))
    parser.add_argument(
        "--port", default="auto", metavar="P", help=text("the reader board's port (default: search for it)")
    )
    parser.add_argument(
        "--line", type=int, metavar="N", help=text("test: check the cable with N events and count damaged frames")
    )
    parser.add_argument(
        "--seconds", type=float, metavar="S", help=text("test: stop after S seconds (default: at Ctrl-C)")
    )
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help=text("write everything that is sent over the line to FILE")
    )
    parser.add_argument("--json", action="store_true", help=text("print one JSON object for each tag or event"))


def run(args: argparse.Namespace) -> int:
    """Learn, list, test or replay; return 0. Raises `CardtableError` if the reader board, or a file, cannot be used."""
    from firmware_bridge.tags import TagsError, TagTable

    if args.what == "replay":
        if len(args.cards) != 1:
            raise UsageError(text("tags replay: name one file to replay, which tags test --record FILE wrote"))
        return replay_recording(Path(args.cards[0]), Reporter(args.json))
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
            reporter = Reporter(args.json)
            board = Board(args.port, recorder(args.record, stack), reporter)
            stack.enter_context(closing(board.bridge))
            if args.what == "test" and not args.line:
                stored = plural("{count} tag in {file}", "{count} tags in {file}", len(tags), file=tags.path)
                reporter.report(stored, {"stored": len(tags), "file": str(tags.path)})
            if args.what == "learn":
                return learn(board, tags, wanted_cards(args, tags), reporter)
            board.connect()
            return _line(board, args.line, reporter) if args.line else _test(board, tags, args.seconds, reporter)
    except TagsError as error:
        raise CardtableError(str(error)) from error


def recorder(path: Path | None, stack: contextlib.ExitStack) -> Recorder | None:
    """Return a recorder that writes to `path` until `stack` is closed; None if `path` is None.

    Raises `UsageError` if the file cannot be written.
    """
    from firmware_bridge.recorder import Recorder

    if path is None:
        return None
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(text("tags: --record: {path} cannot be written: {why}", path=path, why=why(error))) from error
    stack.callback(_close, file)
    return Recorder(file)


def _close(file: TextIO) -> None:
    # Closing writes the rest once more. If the disk is full, that has been reported already.
    with contextlib.suppress(OSError):
        file.close()


class Board:
    """The reader board at `port`, whose events are acknowledged at once. `record` records the whole line."""

    def __init__(self, port: str, record: Recorder | None, reporter: Reporter) -> None:
        from firmware_bridge.bridge import Bridge

        self._reporter = reporter
        self.bridge: Bridge = Bridge(port, record=record, wait=0.05)
        self._record = record

    def updates(self) -> list[BridgeUpdate]:
        """Return the updates of the next 0.05 s. Raises `CardtableError` if the recording cannot be written."""
        from firmware_bridge.messages import TagEvent

        updates = self.bridge.step()
        for update in updates:
            if isinstance(update, TagEvent):
                self.bridge.stored(update)
        if self._record and self._record.trouble:
            raise CardtableError(
                text("the recording ends here, because the disk is full: {why}", why=why(self._record.trouble))
            )
        return updates

    def connect(self) -> None:
        """Wait for the reader board and for the state of all its readers; tags that lie there already are no events.

        Raises `CardtableError` if the reader board cannot be used.
        """
        from firmware_bridge.bridge import Trouble
        from firmware_bridge.link import Connected
        from firmware_bridge.messages import ReaderStatus, State

        waiting: set[int] | None = None
        with self._reporter.progress() as progress:
            progress.at(text("looking for the reader board"))
            while waiting is None or waiting:
                for update in self.updates():
                    if isinstance(update, Trouble):
                        raise CardtableError(update.reason)
                    if isinstance(update, Connected):
                        hello = update.hello
                        progress.clear()
                        self._reporter.report(
                            plural(
                                "The reader board at {board}: firmware {firmware}, {count} reader.",
                                "The reader board at {board}: firmware {firmware}, {count} readers.",
                                hello.readers,
                                board=self.bridge.address,
                                firmware=hello.firmware,
                            ),
                            {"board": self.bridge.address, "firmware": hello.firmware, "readers": hello.readers},
                        )
                        waiting = set(range(hello.readers))
                    if isinstance(update, State) and waiting:
                        waiting.discard(update.index)
                        if update.status is ReaderStatus.BROKEN:
                            self._reporter.report(
                                text("reader {number} does not answer: check its wires", number=update.index),
                                {"event": "fault", "index": update.index},
                            )

    def next_events(self) -> list[TagEvent]:
        """Return the events of the next 0.05 s. Trouble with the reader board is printed."""
        from firmware_bridge.bridge import Trouble
        from firmware_bridge.link import Connected
        from firmware_bridge.messages import TagEvent

        events = []
        for update in self.updates():
            if isinstance(update, Trouble):
                self._reporter.report(update.reason, {"trouble": update.reason})
            elif isinstance(update, Connected) and update.restarted:
                cause = update.hello.why_started
                self._reporter.report(
                    text("the reader board has restarted: {cause}", cause=cause), {"restarted": cause}
                )
            elif isinstance(update, TagEvent):
                events.append(update)
        return events

    def events(self, goes_on: Callable[[], bool] = lambda: True) -> Iterator[TagEvent]:
        """Yield events while `goes_on()` is true."""
        while goes_on():
            yield from self.next_events()


_ALONE_S: Final = 0.3
"""Two tags that appear on one reader within this time, in seconds, were laid together."""


def wanted_cards(args: argparse.Namespace, tags: TagTable) -> list[tuple[Card | ActionCard, bool]]:
    """Return the cards to learn, each with whether to forget its old tags.

    Raises `UsageError` for an unknown game, card or word.
    """
    from cardtable.doctor.devices import cards_without_tag
    from engine.cards import UnknownCard
    from engine.errors import HeaderError
    from engine.games import game_names, load_game
    from engine.observations import ActionCard
    from firmware_bridge.tags import parse_face

    if args.cards:
        try:
            faces = [parse_face(name) for name in args.cards]
        except UnknownCard as error:
            raise UsageError(text("tags learn: {error}", error=str(error))) from error
        known = tuple(sorted({word for name in game_names() for word in load_game(name).vocabulary}))
        for face in faces:
            if isinstance(face, ActionCard) and face.text not in known:
                guess = guess_or_all(face.text, known)
                raise UsageError(text("tags learn: no game has the word {word!r}{guess}", word=face.text, guess=guess))
        return [(face, not args.more) for face in faces]
    try:
        return [(face, False) for face in cards_without_tag(args.game, tags)]
    except HeaderError as error:
        raise UsageError(text("tags learn: {error}", error=str(error))) from error


def learn(board: Board, tags: TagTable, wanted: list[tuple[Card | ActionCard, bool]], reporter: Reporter) -> int:
    """Ask for each card in `wanted` and store its tag at once; return 0. Raises `CardtableError`, `TagsError`."""
    if not wanted:
        reporter.report(
            text("Every card has its tag. To learn one again, name it: cardtable tags learn QS"), {"left": 0}
        )
        return 0
    board.connect()
    laid = _laid_alone(board, reporter)
    for number, (face, replace) in enumerate(wanted):
        left = len(wanted) - number
        message = "Lay {card} on any reader, alone ({left} to go; Ctrl-C stops and keeps what is learned)."
        reporter.report(text(message, card=face, left=left), {"lay": str(face)})
        for uid in laid:
            known = tags.face(uid)
            if known is not None and known != face and not replace:
                message = text("That tag is on {known}. Lay {card}.", known=known, card=face)
                reporter.report(message, {"uid": uid, "card": str(known), "wanted": str(face)})
            elif known == face and not replace:
                reporter.report(
                    text("That {card} is known already. Lay another.", card=face), {"uid": uid, "card": str(face)}
                )
            else:
                tags.learn(uid, face, instead=tags.uids(face) if replace else ())
                reporter.report(f"  {face}: {uid}", {"uid": uid, "card": str(face), "learnt": True})
                if known not in (None, face) and not tags.uids(known):
                    message = text(
                        "That tag was on {card}, which now has none: cardtable tags learn {card}", card=known
                    )
                    reporter.report(message, {"uid": uid, "without": str(known)})
                break
    single, many = "All learned: {count} tag in {file}.", "All learned: {count} tags in {file}."
    reporter.report(plural(single, many, len(tags), file=tags.path), {"left": 0})
    return 0


def _laid_alone(board: Board, reporter: Reporter) -> Iterator[str]:
    """Yield tags that are laid alone. Of several laid on a reader at once, it is unknown which belongs to the card."""
    from firmware_bridge.messages import EventKind

    waiting: deque[TagEvent] = deque()
    while True:
        stopping.check()
        if not waiting:
            waiting.extend(board.next_events())
            continue
        event = waiting.popleft()
        if event.kind is not EventKind.LAID:
            continue
        end = time.monotonic() + _ALONE_S
        while time.monotonic() < end:
            waiting.extend(board.next_events())
        with_it = [other for other in waiting if other.kind is EventKind.LAID and other.index == event.index]
        if with_it:
            waiting.clear()
            message = "Two tags came to reader {reader} at once. Take them away, and lay one card alone."
            reporter.report(
                text(message, reader=event.index), {"together": [event.uid, *(other.uid for other in with_it)]}
            )
        else:
            yield event.uid


_MAX_BYTES: Final = 256 << 20
"""Size limit of a recording: days of play."""


def replay_recording(path: Path, reporter: Reporter) -> int:
    """Print the recording at `path`; return 0. Raises `UsageError` if it cannot be read or is incomplete."""
    from firmware_bridge.recorder import replay

    try:
        for seconds, update in replay(StringIO(read_text(path, _MAX_BYTES))):
            message, entry = _describe(update)
            reporter.report(
                text("{seconds:>10} s  {message}", seconds=decimals(seconds, 3), message=message),
                {"t": seconds} | entry,
            )
    except OSError as error:
        raise UsageError(text("tags replay: {path} cannot be read: {why}", path=path, why=why(error))) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            text("tags replay: {path} is not a recorded session: tags test --record makes one", path=path)
        ) from error
    except ValueError as error:
        raise UsageError(text("tags replay: {path}: {error}", path=path, error=str(error))) from error
    return 0


def _describe(update: LinkUpdate) -> tuple[str, dict[str, Any]]:
    """Return the update as text and as a JSON object."""
    from firmware_bridge.link import Connected, Disconnected, Incompatible
    from firmware_bridge.messages import State, TagEvent

    match update:
        case Connected(hello, restarted):
            readers = plural("{count} reader", "{count} readers", hello.readers)
            template = "the reader board is back: start {boot}, firmware {firmware}, {readers}"
            if restarted:
                template = "the reader board has restarted: start {boot}, firmware {firmware}, {readers}"
            message = text(template, boot=hello.boot, firmware=hello.firmware, readers=readers)
            return message, {"met": asdict(hello), "anew": restarted}
        case Disconnected():
            return text("the reader board is silent"), {"gone": True}
        case Incompatible(hello):
            if hello is None:
                return text("the device is not a card table's reader board"), {"foreign": None}
            message = text("the reader board speaks protocol {protocol}", protocol=hello.protocol)
            return message, {"foreign": asdict(hello)}
        case TagEvent():
            at = f"{update.index} {update.uid}".rstrip()
            template = "event {number}: {news} at {at}, {age} s earlier"
            message = text(
                template, number=update.number, news=update.kind.name.lower(), at=at, age=decimals(update.age, 3)
            )
            entry = asdict(update)
            del entry["kind"]
            return message, {"event": entry | {"news": update.kind.name.lower()}}
        case State():
            lies = ", ".join(update.uids) or text("nothing")
            template = "reader {number} is {status}; on it: {lies}"
            return text(template, number=update.index, status=update.status.name.lower(), lies=lies), {
                "state": asdict(update) | {"status": update.status.name.lower()}
            }


def _list(tags: TagTable, as_json: bool) -> int:
    """Print all tags and their cards."""
    if not len(tags):
        say(text("no tags are stored in {file}: cardtable tags learn", file=tags.path), sys.stderr)
    for uid, face in tags:
        print(json.dumps({"uid": uid, "card": str(face)}, ensure_ascii=False) if as_json else f"{face!s:<12} {uid}")
    return 0


def _test(board: Board, tags: TagTable, seconds: float | None, reporter: Reporter) -> int:
    """Print what the readers and buttons of the reader board report, for `seconds` or until Ctrl-C."""
    from firmware_bridge.messages import EventKind

    reporter.report(text("Lay cards on the readers; Ctrl-C ends."), {"test": "tags"})
    end = time.monotonic() + seconds if seconds is not None else None
    for event in board.events(lambda: end is None or time.monotonic() < end):
        face = tags.face(event.uid)
        entry: dict[str, Any] = {"event": event.kind.name.lower(), "index": event.index}
        if event.kind in (EventKind.PRESSED, EventKind.RELEASED):
            message = "button {number} pressed" if event.kind is EventKind.PRESSED else "button {number} released"
            reporter.report(text(message, number=event.index), entry)
        elif event.uid:
            name = str(face) if face else text("a tag that is not known ({uid})", uid=event.uid)
            entry |= {"uid": event.uid, "card": str(face) if face else None}
            message = (
                "reader {number}: {name} laid" if event.kind is EventKind.LAID else "reader {number}: {name} lifted"
            )
            reporter.report(text(message, number=event.index, name=name), entry)
        elif event.kind is EventKind.FAULT:
            reporter.report(text("reader {number} does not answer: check its wires", number=event.index), entry)
        elif event.kind is EventKind.WORKS:
            reporter.report(text("reader {number} works again", number=event.index), entry)
        else:
            reporter.report(text("reader {number}", number=event.index), entry)
    return 0


def _line(board: Board, count: int, reporter: Reporter) -> int:
    """Request `count` test events, and print how fast they came and how many frames were damaged."""
    from firmware_bridge.messages import EventKind

    board.bridge.link.request_test_events(count)
    board.bridge.flush()
    start = time.monotonic()
    received, last = 0, start

    def still_sending() -> bool:
        return time.monotonic() < last + _SILENCE_S

    while received < count:
        for event in board.events(still_sending):
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
        frames = plural(
            "{count} frame was damaged and sent again", "{count} frames were damaged and sent again", damaged
        )
        message = text("{events}, {rate:.0f} a second; {frames}.", events=events, rate=rate, frames=frames)
    reporter.report(message, {"events": count, "rate": round(rate), "damaged": damaged})
    return 0
