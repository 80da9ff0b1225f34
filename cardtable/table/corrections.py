"""Plans corrections: the message of a page becomes a plan of what to change, or a refusal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cardtable.journal.corrections import CannotCorrect, What
from cardtable.journal.file import JournalError
from cardtable.table.messages import AddCard, CorrectCard, MisfitState, NameCard, Refusal, UndoTo
from cardtable.table.snapshot import LogEntry
from engine.actions import HIDING, NAMING, Action
from engine.cards import Card, UnknownCard, parse_card
from engine.corrections import Correction, add_card, give_card, remove_card, replace_card, undo_to
from engine.errors import Refused
from engine.games import load_game
from engine.observations import Zone
from engine.referee.corrections import NamedCard, SeenCard
from engine.referee.matching import is_same_place
from engine.referee.observed_cards import SightingId
from engine.rules.wording import describe
from engine.table import Table
from engine.texts import Text, text

_OF_A_SEAT: Final = ("play", "bid", "show")
_SHARED: Final = ("turn-up", "table", "crib")

Named = Mapping[SightingId, NamedCard | None]


@dataclass(frozen=True, slots=True)
class Plan:
    """A correction to make.

    `what`: the correction as the journal stores it. `named`: what people say about cards that sources see; None stands
    for no card. `unseen`: a card on the table that no source sees. `readings`: sightings, and the cards that people say
    they are.
    """

    correction: Correction
    what: What
    named: Named = field(default_factory=dict)
    unseen: NamedCard | None = None
    readings: tuple[tuple[SightingId, Card], ...] = ()


class DoesNotFit(Exception):
    """Later actions no longer fit, and the person has not allowed the table to take them back."""

    def __init__(self, misfit: MisfitState) -> None:
        super().__init__(text("Later actions no longer fit."))
        self.misfit = misfit


CORRECTION_ERRORS: Final = (DoesNotFit, Refused, CannotCorrect, JournalError, UnknownCard)
"""The exceptions for which a correction is not made."""


def refusal_of(error: Exception, table: Table) -> Refusal:
    """Return the answer to the page whose correction was not made because of one of `CORRECTION_ERRORS`."""
    if isinstance(error, Refused):
        return {"refused": _why_not(error, table.actions)}
    refusal: Refusal = {"refused": error.args[0] if error.args else str(error)}
    if isinstance(error, DoesNotFit):
        refusal["misfit"] = error.misfit
    return refusal


def check_current(n: int | None, shown: int) -> None:
    """Raise `CannotCorrect` unless a message refers to the state that is `shown`; None refers to any state."""
    if n not in (None, shown):
        raise CannotCorrect(text("Something else happened in between: look again before correcting."))


def plan(
    message: CorrectCard | AddCard | NameCard | UndoTo,
    table: Table,
    seen: Sequence[SeenCard],
    history: Sequence[LogEntry],
) -> Plan:
    """Return how to correct the game on `table`. `seen`: the cards on it. `history`: the actions that stand.

    Raises one of `CORRECTION_ERRORS`, such as `DoesNotFit` if later actions do not fit and the message does not allow
    the table to take them back.
    """
    return _Planner(table, seen, history, getattr(message, "stop", True)).plan(message)


class _Planner:
    def __init__(self, table: Table, seen: Sequence[SeenCard], history: Sequence[LogEntry], stop: bool) -> None:
        self._header = table.header
        self._actions = table.actions
        self._seen = seen
        self._history = history
        self._stop = stop

    def plan(self, message: CorrectCard | AddCard | NameCard | UndoTo) -> Plan:
        match message:
            case CorrectCard():
                return self._correct_card(message)
            case AddCard():
                return self._add_card(message)
            case NameCard():
                return self._name_card(message)
            case UndoTo():
                kept = 0 if message.line == 1 else self._number(message.line) + 1
                correction = undo_to(self._header, self._actions, kept)
                return Plan(correction, What("undo-to", count=len(self._actions) - kept))

    def _correct_card(self, message: CorrectCard) -> Plan:
        number = self._number(message.line)
        action = self._actions[number]
        if action.do in HIDING and message.card is not None:
            raise CannotCorrect(text("The cards of a hand are not shown: take the action back instead."))
        was = parse_card(message.card) if message.card is not None else None
        if was is not None and not _names(action, was):
            raise CannotCorrect(text("This action does not name {card}: look again.", card=was.glyph))
        seen = self._seen_for(number, was)
        if message.to is not None:
            if was is None:
                raise CannotCorrect(text("Say which card is meant."))
            return self._replace(number, was, parse_card(message.to), seen)
        elif message.seat is not None:
            return self._give(number, message.seat, seen)
        else:
            correction = remove_card(self._header, self._actions, number, was)
            named: Named = dict.fromkeys(each for card in seen for each in card.sightings)
            return self._make(correction, What("remove", action, was), named)

    def _replace(self, number: int, was: Card, card: Card, seen: Iterable[SeenCard]) -> Plan:
        if card == was:
            raise CannotCorrect(text("The record already has that card."))
        correction = replace_card(self._header, self._actions, number, was, card)
        named = {sighting: NamedCard(card, each.zone) for each in seen for sighting in each.sightings}
        readings = tuple((sighting, card) for sighting in named)
        return self._make(correction, What("replace", correction.actions[number], was), named, readings=readings)

    def _give(self, number: int, seat: int, seen: Iterable[SeenCard]) -> Plan:
        if seat >= len(self._header.players):
            raise CannotCorrect(text("There is no such seat."))
        action = self._actions[number]
        if action.seat is None:
            raise CannotCorrect(text("This card belongs to no seat: it can only be replaced or removed."))
        correction, other = give_card(self._header, self._actions, number, seat)
        what = What("give", replace(action, seat=seat))
        named = _in_front_of(seat, seen)
        if other is not None and isinstance(action.seat, int):  # the two cards change places
            what = What("replace", replace(action, seat=seat), self._actions[other].card)
            named |= _in_front_of(action.seat, self._seen_for(other, None))
        return self._make(correction, what, named)

    def _add_card(self, message: AddCard) -> Plan:
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
                raise CannotCorrect(text("The record already has that card."))
            if added.do == "expose":
                continue  # almost any card could be; it is laid in the show zone
            there = [each for each in self._seen if is_same_place(each.zone, zone) and each.number is None]
            read = next((each for each in there if each.face == card), None)
            unread = next((each for each in there if each.face is None), None)
            found = read or unread
            named: Named = dict.fromkeys(found.sightings, NamedCard(card, zone)) if found else {}
            unseen = None if found or zone.name not in ("play", "table", "bid", "show") else NamedCard(card, zone)
            return self._make(correction, What("add", added), named, unseen)
        raise refusal or CannotCorrect(text("No card can be added there."))

    def _name_card(self, message: NameCard) -> Plan:
        sighting = (message.source, message.id)
        seen = next((each for each in self._seen if sighting in each.sightings), None)
        if seen is None:
            raise CannotCorrect(text("This card is no longer there: look again."))
        card = parse_card(message.card) if message.card is not None else None
        number = seen.number if seen.earlier is None else seen.earlier
        if number is not None and seen.face is not None and _names(self._actions[number], seen.face):
            if card is not None:
                return self._replace(number, seen.face, card, [seen])
            correction = remove_card(self._header, self._actions, number, seen.face)
            what = What("remove", self._actions[number], seen.face)
            return self._make(correction, what, dict.fromkeys(seen.sightings))
        name = None if card is None else NamedCard(card, seen.zone)
        same = Correction(self._actions, self._actions)
        readings = () if card is None else tuple((sighting, card) for sighting in seen.sightings)
        return Plan(same, What("name", was=seen.face, card=card), dict.fromkeys(seen.sightings, name), None, readings)

    def _make(
        self,
        correction: Correction,
        what: What,
        named: Named,
        unseen: NamedCard | None = None,
        readings: tuple[tuple[SightingId, Card], ...] = (),
    ) -> Plan:
        """Return the plan of a correction. Raises `DoesNotFit` unless later actions fit, or may be taken back."""
        misfit = correction.misfit
        if misfit is not None and not self._stop:
            players = self._header.players
            reason = _why_not(Refused(misfit.code, misfit.reason), self._actions)
            lost = [describe(action, players) for action in correction.lost]
            raise DoesNotFit({"action": describe(misfit.action, players), "reason": reason, "lost": lost})
        counted = replace(what, count=what.count + len(correction.lost))
        return Plan(correction, counted, named, unseen, readings)

    def _number(self, line: int) -> int:
        """Return the number of the action that stands in this line of the record. Raises `CannotCorrect`."""
        number = next((number for number, entry in enumerate(self._history) if entry.n == line), None)
        if number is None:
            raise CannotCorrect(text("This action no longer stands: look again."))
        return number

    def _seen_for(self, number: int, card: Card | None) -> list[SeenCard]:
        """Return the cards on the table that stand for this action, or for `card` of it."""
        seen = [each for each in self._seen if each.number == number]
        return seen if card is None else [each for each in seen if each.face == card][-1:]


def _why_not(refusal: Refused, actions: Sequence[Action]) -> Text | str:
    """Return why the rules refuse a correction, without cards of hands that only the table knows."""
    if refusal.shows_hand and any(action.do in NAMING for action in actions):
        return text("The rules do not allow that here.")
    return refusal.message


def _in_front_of(seat: int, seen: Iterable[SeenCard]) -> dict[SightingId, NamedCard | None]:
    """Return the names of these cards, moved to `seat`."""
    named: dict[SightingId, NamedCard | None] = {}
    for card in seen:
        if card.face is not None and card.zone is not None and card.zone.seat is not None:
            named |= dict.fromkeys(card.sightings, NamedCard(card.face, Zone(card.zone.name, seat)))
    return named


def _names(action: Action, card: Card) -> bool:
    """Return whether `action` names `card`."""
    return card == action.card or card in (action.cards or ())
