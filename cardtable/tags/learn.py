"""`cardtable tags learn`: cards are laid on a reader one after the other, and the tag of each is stored."""

from __future__ import annotations

import argparse
import time
from collections import deque
from typing import TYPE_CHECKING, Final

from cardtable.errors import UsageError, guess_or_all
from cardtable.tags.board import Board, Printer
from engine.texts import plural, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.cards import Card
    from engine.observations import ActionCard
    from firmware_bridge.messages import TagEvent
    from firmware_bridge.tags import TagTable

_ALONE_S: Final = 0.3
"""Two tags that appear on one reader within this time were laid together, seconds."""


def wanted_cards(args: argparse.Namespace, tags: TagTable) -> list[tuple[Card | ActionCard, bool]]:
    """Return the cards to learn, and for each whether its old tags are forgotten.

    Raises `UsageError` for an unknown game, card or word.
    """
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
        game = load_game(args.game)
    except HeaderError as error:
        raise UsageError(text("tags learn: {error}", error=str(error))) from error
    wanted: list[tuple[Card | ActionCard, bool]] = []
    for card in game.deck:
        wanted += [(card, False)] * (game.deck.copies(card) - len(tags.uids(card)))
    return wanted + [(ActionCard(word), False) for word in game.vocabulary if not tags.uids(ActionCard(word))]


def learn(board: Board, tags: TagTable, wanted: list[tuple[Card | ActionCard, bool]], printer: Printer) -> int:
    """Ask for each card in `wanted` and store its tag at once; return 0. Raises `CardtableError`, `TagsError`."""
    if not wanted:
        printer.print(text("Every card has its tag. To learn one again, name it: cardtable tags learn QS"), left=0)
        return 0
    board.connect(printer)
    laid = _laid_alone(board, printer)
    for number, (face, replace) in enumerate(wanted):
        left = len(wanted) - number
        message = "Lay {card} on any reader, alone ({left} to go; Ctrl-C stops and keeps what is learned)."
        printer.print(text(message, card=face, left=left), lay=str(face))
        for uid in laid:
            known = tags.face(uid)
            if known is not None and known != face and not replace:
                message = text("That tag is on {known}. Lay {card}.", known=known, card=face)
                printer.print(message, uid=uid, card=str(known), wanted=str(face))
            elif known == face and not replace:
                printer.print(text("That {card} is known already. Lay another.", card=face), uid=uid, card=str(face))
            else:
                tags.learn(uid, face, instead=tags.uids(face) if replace else ())
                printer.print(f"  {face}: {uid}", uid=uid, card=str(face), learnt=True)
                if known not in (None, face) and not tags.uids(known):
                    message = text(
                        "That tag was on {card}, which now has none: cardtable tags learn {card}", card=known
                    )
                    printer.print(message, uid=uid, without=str(known))
                break
    one, many = "All learned: {count} tag in {file}.", "All learned: {count} tags in {file}."
    printer.print(plural(one, many, len(tags), file=tags.path), left=0)
    return 0


def _laid_alone(board: Board, printer: Printer) -> Iterator[str]:
    """Yield tags that are laid alone. Of several laid on one reader at once it is unknown which belongs to the card."""
    from firmware_bridge.messages import EventKind

    waiting: deque[TagEvent] = deque()
    while True:
        if not waiting:
            waiting.extend(board.next_events(printer))
            continue
        event = waiting.popleft()
        if event.kind is not EventKind.LAID:
            continue
        end = time.monotonic() + _ALONE_S
        while time.monotonic() < end:
            waiting.extend(board.next_events(printer))
        with_it = [other for other in waiting if other.kind is EventKind.LAID and other.index == event.index]
        if with_it:
            waiting.clear()
            message = "Two tags came to reader {reader} at once. Take them away, and lay one card alone."
            printer.print(text(message, reader=event.index), together=[event.uid, *(other.uid for other in with_it)])
        else:
            yield event.uid
