"""What each message that corrects the game does: the message of a page in, a correction or a refusal out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import replace
from typing import Final

from cardtable.journal.corrections import CannotCorrect, What
from cardtable.journal.file import JournalError
from cardtable.table.game_loop import CorrectingController
from cardtable.table.messages import (
    AddCard,
    CorrectCard,
    CorrectionMessage,
    MisfitState,
    NameCard,
    RecordIsRight,
    Refusal,
    Sender,
    TableIsRight,
    UndoTo,
)
from engine.actions import Action
from engine.cards import Card, UnknownCard, parse_card
from engine.corrections import Correction, add_card, give_card, remove_card, replace_card, undo_to
from engine.errors import Refused
from engine.games import load_game
from engine.observations import Zone
from engine.record import Header
from engine.referee.corrections import NamedCard, SeenCard
from engine.referee.matching import is_same_place
from engine.referee.observed_cards import SightingId
from engine.rules.wording import describe
from engine.texts import Text, text

_HIDDEN: Final = ("deal", "discard")
"""The kinds of actions whose cards no player may see."""
_OF_A_SEAT: Final = ("play", "bid", "show")
_SHARED: Final = ("turn-up", "table", "crib")

Named = dict[SightingId, NamedCard | None]
Corrected = Callable[[SightingId, Card], None]
"""Called with a card that a person has named, and its sighting, before its name is changed."""


class _DoesNotFit(Exception):
    """Later actions no longer fit, and the person has not said that they may be taken back."""

    def __init__(self, misfit: MisfitState) -> None:
        super().__init__()
        self.misfit = misfit


class CorrectionRequests:
    """Corrects the game of one controller as messages ask.

    `corrected` is called with each card that a source sees and that a person has named.
    """

    def __init__(self, controller: CorrectingController, corrected: Corrected = lambda sighting, card: None) -> None:
        self._controller = controller
        self._corrected = corrected

    def handle(self, message: CorrectionMessage, who: str) -> Refusal | None:
        """Do what the message asks for; `who` has sent it. Return why not, if it was refused."""
        if not isinstance(message, RecordIsRight) and message.n not in (None, self._controller.snapshot.n):
            return {"refused": text("Something else happened in between: look again before correcting.")}
        try:
            self._do(message, who)
        except _DoesNotFit as error:
            return {"refused": text("Later actions do not fit any more."), "misfit": error.misfit}
        except Refused as error:
            return {"refused": self._why_not(error)}
        except (CannotCorrect, JournalError, UnknownCard) as error:
            return {"refused": str(error) if not error.args else error.args[0]}
        return None

    def _do(self, message: CorrectionMessage, who: str) -> None:
        match message:
            case CorrectCard():
                self._correct_card(message, who)
            case AddCard():
                self._add_card(message, who)
            case NameCard():
                self._name_card(message, who)
            case UndoTo():
                kept = 0 if message.line == 1 else self._number(message.line) + 1
                correction = undo_to(self._header, self._actions, kept)
                self._controller.correct(correction, What("undo-to", count=len(self._actions) - kept), who)
            case TableIsRight():
                self._controller.follow_table(who)
            case RecordIsRight():
                self._controller.restore(message.on, who)

    def _correct_card(self, message: CorrectCard, who: str) -> None:
        number = self._number(message.line)
        action = self._actions[number]
        if action.do in _HIDDEN and message.card is not None:
            raise CannotCorrect(text("The cards of a hand are not shown: take the action back instead."))
        was = parse_card(message.card) if message.card is not None else None
        if was is not None and not _names(action, was):
            raise CannotCorrect(text("This action does not name {card}: look again.", card=was.glyph))
        seen = self._seen_for(number, was)
        if message.to is not None:
            if was is None:
                raise CannotCorrect(text("Say which card is meant."))
            self._replace(number, was, parse_card(message.to), seen, message.stop, who)
        elif message.seat is not None:
            self._give(number, message.seat, seen, message.stop, who)
        else:
            correction = remove_card(self._header, self._actions, number, was)
            named: Named = dict.fromkeys(each for card in seen for each in card.sightings)
            self._make(correction, What("remove", action, was), who, message.stop, named)

    def _replace(self, number: int, was: Card, card: Card, seen: Iterable[SeenCard], stop: bool, who: str) -> None:
        if card == was:
            raise CannotCorrect(text("That is the card that the record has already."))
        correction = replace_card(self._header, self._actions, number, was, card)
        for each in seen:
            self._keep(each, card)
        named: Named = {each: NamedCard(card, one.zone) for one in seen for each in one.sightings}
        self._make(correction, What("replace", correction.actions[number], was), who, stop, named)

    def _give(self, number: int, seat: int, seen: Iterable[SeenCard], stop: bool, who: str) -> None:
        if seat >= len(self._header.players):
            raise CannotCorrect(text("There is no such seat."))
        action = self._actions[number]
        if action.seat is None:
            raise CannotCorrect(text("This belongs to no seat: it can only be another card, or not there at all."))
        correction, other = give_card(self._header, self._actions, number, seat)
        what = What("give", replace(action, seat=seat))
        named = _in_front_of(seat, seen)
        if other is not None and isinstance(action.seat, int):  # the two cards change places
            what = What("replace", replace(action, seat=seat), self._actions[other].card)
            named |= _in_front_of(action.seat, self._seen_for(other, None))
        self._make(correction, what, who, stop, named)

    def _add_card(self, message: AddCard, who: str) -> None:
        card = parse_card(message.card)
        if message.seat is not None and message.seat >= len(self._header.players):
            raise CannotCorrect(text("There is no such seat."))
        before = None if message.before is None else self._number(message.before)
        zones = [Zone(name, message.seat) for name in (_SHARED if message.seat is None else _OF_A_SEAT)]
        refusal: Refused | None = None
        for zone in zones:
            if zone.name not in (*load_game(self._header.game).zones, "crib"):
                continue
            try:
                correction = add_card(self._header, self._actions, card, zone, before)
            except Refused as error:
                refusal = refusal if refusal and error.code == "wrong-phase" else error
                continue
            added = next((new for new in correction.redone if card in (new.card, *(new.cards or ()))), None)
            if added is None:
                raise CannotCorrect(text("That is the card that the record has already."))
            if added.do == "expose":
                continue  # almost any card could be; it is laid in the show zone
            there = [each for each in self._controller.seen() if is_same_place(each.zone, zone) and each.number is None]
            read = next((each for each in there if each.face == card), None)
            unread = next((each for each in there if each.face is None), None)
            found = read or unread
            named: Named = dict.fromkeys(found.sightings, NamedCard(card, zone)) if found else {}
            unseen = None if found or zone.name not in ("play", "table", "bid", "show") else NamedCard(card, zone)
            self._make(correction, What("add", added), who, message.stop, named, unseen)
            return
        raise refusal or CannotCorrect(text("No card can be added there."))

    def _name_card(self, message: NameCard, who: str) -> None:
        sighting = (message.source, message.id)
        seen = next((each for each in self._controller.seen() if sighting in each.sightings), None)
        if seen is None:
            raise CannotCorrect(text("This card is not there any more: look again."))
        card = parse_card(message.card) if message.card is not None else None
        number = seen.number if seen.earlier is None else seen.earlier
        if number is not None and seen.face is not None and _names(self._actions[number], seen.face):
            if card is not None:
                self._replace(number, seen.face, card, [seen], message.stop, who)
                return
            correction = remove_card(self._header, self._actions, number, seen.face)
            what = What("remove", self._actions[number], seen.face)
            self._make(correction, what, who, message.stop, dict.fromkeys(seen.sightings))
            return
        if card is not None:
            self._keep(seen, card)
        name = None if card is None else NamedCard(card, seen.zone)
        same = Correction(self._actions, self._actions)
        self._make(same, What("name", was=seen.face, card=card), who, True, dict.fromkeys(seen.sightings, name))

    def _make(
        self,
        correction: Correction,
        what: What,
        who: str,
        stop: bool,
        named: Named,
        unseen: NamedCard | None = None,
    ) -> None:
        """Apply the correction. Raises `_DoesNotFit` if later actions do not fit and `stop` is not set."""
        misfit = correction.misfit
        if misfit is not None and not stop:
            players = self._header.players
            reason = self._why_not(Refused(misfit.code, misfit.reason))
            lost = [describe(action, players) for action in correction.lost]
            raise _DoesNotFit({"action": describe(misfit.action, players), "reason": reason, "lost": lost})
        counted = What(what.kind, what.action, what.was, what.count + len(correction.lost), what.card)
        self._controller.correct(correction, counted, who, named, unseen)

    def _keep(self, seen: SeenCard, card: Card) -> None:
        for sighting in seen.sightings:
            self._corrected(sighting, card)

    def _number(self, line: int) -> int:
        """Return the number of the action that stands in this line of the record. Raises `CannotCorrect`."""
        history = self._controller.snapshot.history
        number = next((number for number, entry in enumerate(history) if entry.n == line), None)
        if number is None:
            raise CannotCorrect(text("This action does not stand any more: look again."))
        return number

    def _seen_for(self, number: int, card: Card | None) -> list[SeenCard]:
        """Return the cards on the table that stand for this action; one, if it is about one card."""
        seen = [each for each in self._controller.seen() if each.number == number]
        return seen if card is None else [each for each in seen if each.face == card][-1:]

    def _why_not(self, refusal: Refused) -> Text | str:
        """Return why the rules refuse a correction, without what only the table knows of a hand."""
        if refusal.shows_hand and any(action.do == "deal" for action in self._actions):
            return text("The rules do not allow that here.")
        return refusal.message

    @property
    def _actions(self) -> tuple[Action, ...]:
        return self._controller.table.actions

    @property
    def _header(self) -> Header:
        return self._controller.table.header


def _in_front_of(seat: int, seen: Iterable[SeenCard]) -> Named:
    """Return what people say about these cards if they count for `seat`."""
    named: Named = {}
    for card in seen:
        if card.face is not None and card.zone is not None and card.zone.seat is not None:
            named |= dict.fromkeys(card.sightings, NamedCard(card.face, Zone(card.zone.name, seat)))
    return named


def _names(action: Action, card: Card) -> bool:
    """Return whether `action` names `card`."""
    return card == action.card or card in (action.cards or ())


# Corrections that pages ask for, made in the main thread.

_NO_GAME: Final = text("No game is being played now.")


class CorrectionsInbox:
    """Takes corrections in any thread. `put` lets the main thread make a call."""

    def __init__(self, put: Callable[[Callable[[], None]], None]) -> None:
        self._put = put
        self._waiting: set[Future[Refusal | None]] = set()
        self._lock = threading.Lock()
        self._closed = False
        self.requests: CorrectionRequests | None = None
        """What makes them; None until the game is there."""

    def ask(self, message: CorrectionMessage, sender: Sender) -> Future[Refusal | None]:
        """Ask for a correction; the result is None once it is made, or why it was not."""
        answer: Future[Refusal | None] = Future()
        with self._lock:
            if self._closed:
                answer.set_result({"refused": _NO_GAME})
                return answer
            self._waiting.add(answer)
        self._put(lambda: self._answer(message, sender, answer))
        return answer

    def make(self, message: CorrectionMessage, sender: Sender) -> Refusal | None:
        """Make a correction now, in the main thread. Return why not, if it was refused."""
        return self.requests.handle(message, sender.name) if self.requests else {"refused": _NO_GAME}

    def close(self) -> None:
        """Refuse what has not been made yet, and all that is asked for later."""
        with self._lock:
            self._closed = True
            waiting, self._waiting = self._waiting, set()
        for answer in waiting:
            if answer.set_running_or_notify_cancel():
                answer.set_result({"refused": _NO_GAME})

    def _answer(self, message: CorrectionMessage, sender: Sender, answer: Future[Refusal | None]) -> None:
        with self._lock:
            if answer not in self._waiting:
                return
            self._waiting.discard(answer)
        if not answer.set_running_or_notify_cancel():
            return  # the page has gone
        try:
            refusal = self.make(message, sender)
        except BaseException as error:
            answer.set_result({"refused": text("That has failed because of a fault ({why}).", why=str(error))})
            raise
        answer.set_result(refusal)
