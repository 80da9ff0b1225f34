"""`cardtable tags learn`: one card after the other is laid on a reader, and its tag is hers from then on."""

from __future__ import annotations

import argparse
import time
from collections import deque
from typing import TYPE_CHECKING, Final

from cardtable.errors import UsageError, guess_or_all
from cardtable.tags.board import Board, Teller
from engine.texts import plural, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.cards import Card
    from engine.observations import ActionCard
    from firmware_bridge.messages import Event
    from firmware_bridge.tags import TagTable

_ALONE_S: Final = 0.3
"""A second tag on the reader in so long came with the first."""


def wanted_cards(args: argparse.Namespace, tags: TagTable) -> list[tuple[Card | ActionCard, bool]]:
    """The cards to learn, each with whether its old tags are to be forgotten."""
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


def learn(board: Board, tags: TagTable, wanted: list[tuple[Card | ActionCard, bool]], teller: Teller) -> int:
    """Ask for each card, and store its tag at once; 0."""
    if not wanted:
        teller.say(text("Every card has its tag. To learn one again, name it: cardtable tags learn QS"), left=0)
        return 0
    board.meet(teller)
    laid = _laid_alone(board, teller)
    for number, (face, anew) in enumerate(wanted):
        left = len(wanted) - number
        told = "Lay {card} on any reader, alone ({left} to go; Ctrl-C ends, what is learnt stays)."
        teller.say(text(told, card=face, left=left), lay=str(face))
        for uid in laid:
            known = tags.face(uid)
            if known is not None and known != face and not anew:
                told = text("That tag is on {known}. Lay {card}.", known=known, card=face)
                teller.say(told, uid=uid, card=str(known), wanted=str(face))
            elif known == face and not anew:
                teller.say(text("That {card} is known already. Lay another.", card=face), uid=uid, card=str(face))
            else:
                tags.learn(uid, face, instead=tags.uids(face) if anew else ())
                teller.say(f"  {face}: {uid}", uid=uid, card=str(face), learnt=True)
                if known not in (None, face) and not tags.uids(known):
                    told = text("That tag was on {card}, which has none now: cardtable tags learn {card}", card=known)
                    teller.say(told, uid=uid, without=str(known))
                break
    one, many = "All learnt: {count} tag in {file}.", "All learnt: {count} tags in {file}."
    teller.say(plural(one, many, len(tags), file=tags.path), left=0)
    return 0


def _laid_alone(board: Board, teller: Teller) -> Iterator[str]:
    """The tags that are laid from now on; of several on one reader at once nobody can say which is on which card."""
    from firmware_bridge.messages import EventKind

    waiting: deque[Event] = deque()
    while True:
        if not waiting:
            waiting.extend(board.happened(teller))
            continue
        event = waiting.popleft()
        if event.kind is not EventKind.LAID:
            continue
        end = time.monotonic() + _ALONE_S
        while time.monotonic() < end:
            waiting.extend(board.happened(teller))
        with_it = [other for other in waiting if other.kind is EventKind.LAID and other.index == event.index]
        if with_it:
            waiting.clear()
            told = "Two tags came to reader {reader} at once. Take them off, and lay one card alone."
            teller.say(text(told, reader=event.index), together=[event.uid, *(other.uid for other in with_it)])
        else:
            yield event.uid
