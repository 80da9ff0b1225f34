"""`cardtable tags`: which RFID tag is on which card, and whether the readers read them."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cardtable.errors import CardtableError, UsageError

if TYPE_CHECKING:
    from engine.cards import Card
    from engine.observations import Word
    from firmware_bridge.bridge import Bridge
    from firmware_bridge.bridge import News as BridgeNews
    from firmware_bridge.messages import Event
    from firmware_bridge.raw import Recorder
    from firmware_bridge.tags import TagTable

SUMMARY = "learn which RFID tag is on which card, list the tags, or test readers, tags and cable"
EXAMPLE = """cardtable tags learn --game all-fives
  cardtable tags learn QS say:beg      (these again, with new tags)
  cardtable tags list
  cardtable tags test --line 500"""

WHAT: Final = ("learn", "list", "test")
_SILENCE_S: Final = 1.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("what", choices=WHAT, help="what to do")
    parser.add_argument("cards", nargs="*", metavar="CARD", help="learn: only these, like QS, brown-7, say:beg")
    parser.add_argument("--more", action="store_true", help="learn: CARD has another tag besides those it has")
    parser.add_argument("--game", default="all-fives", metavar="G", help="learn: the game whose cards they are")
    parser.add_argument("--tags", type=Path, default=Path("tags.json"), metavar="FILE", help="default: tags.json")
    parser.add_argument("--port", default="auto", metavar="P", help="the board's port (default: look for it)")
    parser.add_argument("--line", type=int, metavar="N", help="test: send N test events over the cable, and count")
    parser.add_argument("--seconds", type=float, metavar="S", help="test: end after so long (default: Ctrl-C ends)")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write everything that goes over the line to FILE")
    parser.add_argument("--json", action="store_true", help="one JSON object for each tag, or each thing that happens")


def run(args: argparse.Namespace) -> int:
    """Learn, list or test; 0, or 1 where the board cannot be used."""
    from firmware_bridge.tags import TagsError, TagTable

    if args.what != "learn" and args.cards:
        raise UsageError(
            f"tags {args.what}: {args.cards[0]!r} is one argument too many; cards are named for: tags learn"
        )
    if args.line is not None and not 1 <= args.line <= 65535:
        raise UsageError(f"tags: --line: {args.line} is no number of events: choose one from 1 to 65535")
    try:
        tags = TagTable(args.tags)
        if args.what == "list":
            return _list(tags, args.json)
        with ExitStack() as stack:
            board = _Board(args.port, _recorder(args.record, stack))
            stack.enter_context(closing(board.bridge))
            teller = _Teller(args.json)
            if args.what == "learn":
                return _learn(board, tags, _wanted(args, tags), teller)
            board.meet(teller)
            return _line(board, args.line, teller) if args.line else _test(board, tags, args.seconds, teller)
    except TagsError as error:
        raise CardtableError(str(error)) from error


def _recorder(path: Path | None, stack: ExitStack) -> Recorder | None:
    from firmware_bridge.raw import Recorder

    if path is None:
        return None
    try:
        return Recorder(stack.enter_context(path.open("w", encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"tags: --record: {path} cannot be written: {error.strerror}") from error


class _Teller:
    """Says what happens, as text or as JSON Lines."""

    def __init__(self, as_json: bool) -> None:
        self._json = as_json

    def say(self, text: str, **entry: Any) -> None:
        print(json.dumps(entry, ensure_ascii=False) if self._json else text, flush=True)


class _Board:
    """A board whose events count as dealt with at once."""

    def __init__(self, port: str, record: Recorder | None) -> None:
        from firmware_bridge.bridge import Bridge

        self.bridge: Bridge = Bridge(port, record=record, wait=0.05)

    def news(self) -> list[BridgeNews]:
        """What happened in the next moment."""
        from firmware_bridge.messages import Event

        news = self.bridge.step()
        for item in news:
            if isinstance(item, Event):
                self.bridge.stored(item)
        return news

    def meet(self, teller: _Teller) -> None:
        """Wait for the board, and until it has told what lies there already: nothing of that was laid now.

        Raises `CardtableError` where there is trouble.
        """
        from firmware_bridge.bridge import Trouble
        from firmware_bridge.link import Met
        from firmware_bridge.messages import State

        left: set[int] | None = None
        while left is None or left:
            for news in self.news():
                if isinstance(news, Trouble):
                    raise CardtableError(news.reason)
                if isinstance(news, Met):
                    hello = news.hello
                    teller.say(
                        f"The board at {self.bridge.address}: firmware {hello.firmware}, {hello.readers} readers.",
                        board=self.bridge.address,
                        firmware=hello.firmware,
                        readers=hello.readers,
                    )
                    left = set(range(hello.readers))
                if isinstance(news, State) and left:
                    left.discard(news.index)

    def events(self, teller: _Teller, goes_on: Callable[[], bool] = lambda: True) -> Iterator[Event]:
        """What happens from now on; trouble is told, and waited out."""
        from firmware_bridge.bridge import Trouble
        from firmware_bridge.messages import Event

        while goes_on():
            for news in self.news():
                if isinstance(news, Trouble):
                    teller.say(news.reason, trouble=news.reason)
                elif isinstance(news, Event):
                    yield news


def _list(tags: TagTable, as_json: bool) -> int:
    for uid, face in tags:
        print(json.dumps({"uid": uid, "card": str(face)}, ensure_ascii=False) if as_json else f"{face!s:<12} {uid}")
    return 0


def _wanted(args: argparse.Namespace, tags: TagTable) -> list[tuple[Card | Word, bool]]:
    """The cards to learn, each with whether its old tags are to be forgotten."""
    from engine.cards import UnknownCard
    from engine.errors import HeaderError
    from engine.games import load_game
    from engine.observations import Word
    from firmware_bridge.tags import parse_face

    if args.cards:
        try:
            return [(parse_face(text), not args.more) for text in args.cards]
        except UnknownCard as error:
            raise UsageError(f"tags learn: {error}") from error
    try:
        game = load_game(args.game)
    except HeaderError as error:
        raise UsageError(f"tags learn: {error}") from error
    wanted: list[tuple[Card | Word, bool]] = []
    for card in game.deck:
        wanted += [(card, False)] * (game.deck.copies(card) - len(tags.uids(card)))
    return wanted + [(Word(word), False) for word in game.words if not tags.uids(Word(word))]


def _learn(board: _Board, tags: TagTable, wanted: list[tuple[Card | Word, bool]], teller: _Teller) -> int:
    from firmware_bridge.messages import News

    if not wanted:
        teller.say("Every card has its tag. To learn one again, name it: cardtable tags learn QS", left=0)
        return 0
    board.meet(teller)
    events = board.events(teller)
    for number, (face, anew) in enumerate(wanted):
        left = len(wanted) - number
        teller.say(f"Lay {face} on any reader, alone ({left} to go; Ctrl-C ends, what is learnt stays).", lay=str(face))
        for event in events:
            if event.news is not News.LAID:
                continue
            known = tags.face(event.uid)
            if known is not None and known != face and not anew:
                teller.say(f"That tag is on {known}. Lay {face}.", uid=event.uid, card=str(known), wanted=str(face))
            elif known == face and not anew:
                teller.say(f"That {face} is known already. Lay another.", uid=event.uid, card=str(face))
            else:
                tags.learn(event.uid, face, instead=tags.uids(face) if anew else ())
                teller.say(f"  {face}: {event.uid}", uid=event.uid, card=str(face), learnt=True)
                break
    teller.say(f"All learnt: {len(tags)} tags in {tags.path}.", left=0)
    return 0


def _test(board: _Board, tags: TagTable, seconds: float | None, teller: _Teller) -> int:
    from firmware_bridge.messages import News

    teller.say("Lay cards on the readers; Ctrl-C ends.", test="tags")
    end = time.monotonic() + seconds if seconds is not None else None
    words = {News.LAID: "laid", News.LIFTED: "lifted", News.PRESSED: "pressed", News.RELEASED: "released"}
    words |= {News.FAULT: "does not answer: look at its wires", News.WORKS: "works again"}
    for event in board.events(teller, lambda: end is None or time.monotonic() < end):
        face = tags.face(event.uid)
        what = words.get(event.news, "")
        entry: dict[str, Any] = {"event": event.news.name.lower(), "index": event.index}
        if event.news in (News.PRESSED, News.RELEASED):
            teller.say(f"button {event.index} {what}", **entry)
        elif event.uid:
            name = str(face) if face else f"a tag that is not known ({event.uid})"
            entry |= {"uid": event.uid, "card": str(face) if face else None}
            teller.say(f"reader {event.index}: {name} {what}", **entry)
        else:
            teller.say(f"reader {event.index} {what}", **entry)
    return 0


def _line(board: _Board, count: int, teller: _Teller) -> int:
    from firmware_bridge.messages import News

    board.bridge.link.ask_for_tests(count)
    board.bridge.flush()
    start = time.monotonic()
    heard, last = 0, start

    def hears() -> bool:
        return time.monotonic() < last + _SILENCE_S

    while heard < count:
        for event in board.events(teller, hears):
            if event.news is News.TESTED:
                heard, last = heard + 1, time.monotonic()
            if heard == count:
                break
        else:  # on a bad line the question itself may be lost
            board.bridge.link.ask_for_tests(count - heard)
            board.bridge.flush()
            last = time.monotonic()
    rate, damaged = count / (time.monotonic() - start), board.bridge.link.damaged
    quality = "the cable is good" if damaged == 0 else f"{damaged} frames came damaged, and were sent again"
    teller.say(f"{count} events, {rate:.0f} a second; {quality}.", events=count, rate=round(rate), damaged=damaged)
    return 0
