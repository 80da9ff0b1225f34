"""Corrections of a record: a card that was misread, missed, never there, or another seat's; and undoing to a point.

Each function takes the header and the actions of a game, replays them with one change, and returns a `Correction`: the
new actions, and the first later action that no longer fits, if there is one. Nothing is modified. To apply the
correction, undo the actions after `Correction.kept` and do those of `Correction.redone` (`engine.table.Table`).

Later actions of the same hand may name the misread card again: it was taken, withdrawn or shown. In a deck without
equal cards, the two names therefore change places in those actions: always if they refer to cards on the table, and
otherwise if the rules refuse the action as it is.

>>> from engine.cards import parse_card
>>> from engine.record import Header
>>> header = Header("all-fives", ("Ann", "Bo"), 0)
>>> actions = [Action.parse(each) for each in ("turn 10H", "1 say stand", "1 play KS", "0 play 2S", "1 gather")]
>>> correction = replace_card(header, actions, 2, parse_card("KS"), parse_card("QS"))
>>> [str(action) for action in correction.redone], correction.misfit
(['1 play QS', '0 play 2S', '1 gather'], None)
>>> remove_card(header, actions, 3).misfit.reason
'“gather” is not possible now: Ann must play.'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.actions import Action, Seat, kinds_in_zone
from engine.cards import Card
from engine.errors import Refused
from engine.games import load_game
from engine.observations import Zone
from engine.record import Header
from engine.table import Table
from engine.texts import text
from engine.views import Event, TableCard

_REFERRING: Final = frozenset(("take", "say", "withdraw", "show"))
"""The kinds of actions that name cards laid before."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """The first action that no longer fits. `number`: its index in the old record; `code`, `reason`: of the refusal."""

    number: int
    action: Action
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Correction:
    """A corrected record, up to the first action that no longer fits.

    `old`, `actions`: the record before and after, without undos. `misfit`: None if everything fits.
    """

    old: tuple[Action, ...]
    actions: tuple[Action, ...]
    misfit: Misfit | None = None

    @property
    def kept(self) -> int:
        """The number of actions at the beginning that stay as they are."""
        pairs = zip(self.old, self.actions, strict=False)
        return next((n for n, (old, new) in enumerate(pairs) if old != new), min(len(self.old), len(self.actions)))

    @property
    def redone(self) -> tuple[Action, ...]:
        """The actions to do after `kept`."""
        return self.actions[self.kept :]

    @property
    def lost(self) -> tuple[Action, ...]:
        """The old actions that are undone and not done again, because they do not fit."""
        return self.old[self.misfit.number :] if self.misfit else ()

    @property
    def steps(self) -> int:
        """The number of actions that applying it adds to the record: undos, and actions done again."""
        return len(self.old) - self.kept + len(self.redone)


def undo_to(header: Header, actions: Sequence[Action], number: int) -> Correction:
    """Keep the first `number` actions. Raises `Refused` (`nothing-to-undo`) if there are no others."""
    if not 0 <= number < len(actions):
        Table(header).undo()
    return Correction(tuple(actions), tuple(actions[:number]))


def replace_card(header: Header, actions: Sequence[Action], number: int, was: Card, card: Card) -> Correction:
    """Replace the card `was` in action `number` by `card`; of several equal cards in it, the last is replaced.

    Raises `Refused` if the rules do not allow the action with that card, and `ValueError` if it does not name `was`.
    """
    changed = actions[number].with_card(card, was)
    if changed == actions[number]:
        raise ValueError(f"{actions[number]} does not name {was}")
    return _change(header, actions, number, [changed], number + 1, _Swap.of(header, actions[number], was, card))


def remove_card(header: Header, actions: Sequence[Action], number: int, card: Card | None = None) -> Correction:
    """Remove action `number`; if it names several cards, only `card` from them.

    If the card is withdrawn later, that is removed, too. Raises `Refused` if the rules do not allow the rest of the
    action, and `ValueError` if it does not name `card`.
    """
    action = actions[number]
    named = list(action.cards or ())
    if card is not None and action.card != card:
        named.remove(card)
        if named:
            return _change(header, actions, number, [replace(action, cards=tuple(named))], number + 1)
    withdrawal = Action("withdraw", action.seat, action.card) if action.card else None
    return _change(header, actions, number, [], number + 1, obsolete=withdrawal)


def give_to_seat(header: Header, actions: Sequence[Action], number: int, seat: int) -> Correction:
    """Make action `number` an action of `seat`. Raises `Refused` if the rules do not allow that."""
    return _change(header, actions, number, [replace(actions[number], seat=seat)], number + 1)


def give_card(header: Header, actions: Sequence[Action], number: int, seat: int) -> tuple[Correction, int | None]:
    """Make the card of action `number` a card of `seat`; also return the number of a second changed action, or None.

    If the order of play allows only one seat to lay it, and `seat` has played another card to the same trick, the two
    cards were taken for each other: they change places, and the second action is that of the other card. If one of them
    comes from a hand that lies open, such as a dummy, they change places in that hand, too. Raises `Refused` if the
    rules allow neither.

    >>> header = Header("all-fives", ("Ann", "Bo"), 0)
    >>> actions = [Action.parse(each) for each in ("turn 10H", "1 say stand", "1 play KS", "0 play 2S")]
    >>> correction, other = give_card(header, actions, 2, 0)
    >>> [str(action) for action in correction.redone], other
    (['1 play 2S', '0 play KS'], 3)
    """
    try:
        return give_to_seat(header, actions, number, seat), None
    except Refused as refusal:
        if refusal.code != "not-your-turn":
            raise
    other = _in_same_trick(header, actions, number, seat)
    pair = sorted((number, other)) if other is not None else []
    cards = [card for each in pair if (card := actions[each].card) is not None]
    if len(cards) < 2 or not are_single(header, cards):
        raise Refused("not-your-turn", text("It was not the turn of {name} then.", name=header.players[seat]))
    try:
        return replace_card(header, actions, pair[0], *cards), other
    except Refused as refusal:
        laid = _laid_open(header, actions, pair[0], cards)
        if refusal.code != "not-in-hand" or laid is None:
            raise
    # The same two cards were taken for each other in the hand that lies open.
    return replace_card(header, actions, laid, *(cards if actions[laid].card == cards[0] else cards[::-1])), other


def _laid_open(header: Header, actions: Sequence[Action], number: int, cards: Sequence[Card]) -> int | None:
    """Return the number of the action that laid one of `cards` open in the hand of action `number`, before it."""
    table, found = Table(header), None
    for each, action in enumerate(actions[:number]):
        if action.do == "expose" and action.card in cards:
            found = each
        if any(event.ends == "hand" for event in table.do(action).events):
            found = None
    return found


def _in_same_trick(header: Header, actions: Sequence[Action], number: int, seat: int) -> int | None:
    """Return the number of the card that `seat` played to the trick of action `number` and did not take back."""
    table, played, found = Table(header), dict[int, int](), False
    for each, action in enumerate(actions):
        if action.do == "withdraw" and isinstance(action.seat, int):
            played.pop(action.seat, None)
        elif action.do == "play" and isinstance(action.seat, int):
            played[action.seat] = each
        found = found or each == number
        if any(event.ends for event in table.do(action).events):
            if found:
                break
            played.clear()
    return played.get(seat) if number in played.values() else None


def add_card(
    header: Header, actions: Sequence[Action], card: Card, zone: Zone, before: int | None = None
) -> Correction:
    """Add the action of a card that was laid in `zone` and not seen, before action number `before`.

    Without `before`, at the end, or else at the latest place of the present hand at which everything fits. A card in a
    zone for several cards, such as a bid, joins those of the same seat that were laid last. Raises `Refused`: why it
    cannot be added at the end, or at that place.
    """
    places = [before] if before is not None else _places(header, actions, card, zone)
    refusal: Refused | None = None
    for place in places:
        for start, action in _actions_of(header, actions[:place], card, zone):
            try:
                correction = _change(header, actions, start, [action], place)
            except Refused as error:
                refusal = error if refusal is None or refusal.code == "wrong-phase" else refusal
                continue
            if correction.misfit is None or place in (before, len(actions)):
                return correction
    raise refusal or Refused("wrong-phase", "")


def _places(header: Header, actions: Sequence[Action], card: Card, zone: Zone) -> list[int]:
    """Return the end of the record, then the earlier places of this hand at which the card is allowed, latest first."""
    table = Table(header)
    allowed: list[int] = []
    for number, action in enumerate(actions):
        if table.between_hands:
            allowed.clear()
        if any(table.can(each) for start, each in _actions_of(header, actions[:number], card, zone) if start == number):
            allowed.append(number)
        table.do(action)
    return [len(actions), *reversed(allowed)]


def _actions_of(header: Header, actions: Sequence[Action], card: Card, zone: Zone) -> Iterator[tuple[int, Action]]:
    """Yield what a card laid in `zone` after `actions` may stand for, with the number at which it begins."""
    for kind in kinds_in_zone(zone.name):
        seat: Seat | None = "crib" if zone.name == "crib" else zone.seat
        if "cards" in kind.needs:
            last = actions[-1] if actions else None
            if last and (last.do, last.seat) == (kind.name, seat):
                yield len(actions) - 1, replace(last, cards=(*(last.cards or ()), card))
            yield len(actions), Action(kind.name, seat, cards=(card,))
        elif "card" in kind.needs and ("seat" not in kind.needs or seat is not None):
            yield len(actions), Action(kind.name, seat if "seat" in kind.needs else None, card)


def are_single(header: Header, cards: Iterable[Card]) -> bool:
    """Return whether the deck of the game has each of `cards` once."""
    deck = load_game(header.game)(header.players, header.dealer, header.options).deck
    return all(deck.copies(card) == 1 for card in cards)


def laid_by(actions: Sequence[Action], entry: TableCard) -> int | None:
    """Return the number of the last action that laid the card `entry` of the table; None if no action names it."""
    seat = entry.zone.seat
    for number in reversed(range(len(actions))):
        action = actions[number]
        if action.do in ("take", "say", "withdraw", "deal", "discard"):
            continue
        named = action.card == entry.card or entry.card in (action.cards or ())
        if named and (seat is None or action.seat in (seat, None)):
            return number
    return None


@dataclass(slots=True)
class _Swap:
    """Two cards that change places in later actions, until the pack is shuffled.

    `cut`: whether they were cut for the deal.
    """

    was: Card
    card: Card
    cut: bool

    @classmethod
    def of(cls, header: Header, action: Action, was: Card, card: Card) -> _Swap | None:
        """Return the swap of `was`, named in `action`, and `card`; None if the deck has copies of one of them."""
        return cls(was, card, action.do == "cut") if are_single(header, (was, card)) else None

    def versions(self, action: Action) -> tuple[Action, ...]:
        """Return the ways in which the action may be meant, the likelier first."""
        other = _renamed(action, lambda card: {self.was: self.card, self.card: self.was}.get(card, card))
        if other == action:
            return (action,)
        return (other, action) if action.do in _REFERRING else (action, other)

    def ends(self, table: Table, events: Iterable[Event]) -> bool:
        """Return whether the cards are shuffled after the action done last on `table`."""
        return (
            table.between_hands or any(event.ends == "hand" for event in events) or (self.cut and table.phase != "cut")
        )


def _change(
    header: Header,
    actions: Sequence[Action],
    number: int,
    instead: Sequence[Action],
    rest: int,
    swap: _Swap | None = None,
    obsolete: Action | None = None,
) -> Correction:
    """Replace the actions from `number` up to `rest` by `instead`, and replay those from `rest` on.

    `obsolete`: an action that is left out if the rules refuse it. Raises `Refused` if they refuse one of `instead`.
    """
    table = Table(header)
    for action in (*actions[:number], *instead):
        outcome = table.do(action)
        if swap and len(table.actions) > number and swap.ends(table, outcome.events):
            swap = None
    for later, action in enumerate(actions[rest:], start=rest):
        versions = swap.versions(action) if swap else (action,)
        fitting = next((version for version in versions if table.can(version)), None)
        if fitting is None and action == obsolete:
            obsolete = None
            continue
        if fitting is None:
            return Correction(tuple(actions), table.actions, _misfit(table, later, action))
        events = table.do(fitting).events
        if swap and swap.ends(table, events):
            swap = None
    return Correction(tuple(actions), table.actions)


def _misfit(table: Table, number: int, action: Action) -> Misfit:
    try:
        table.do(action)
    except Refused as refusal:
        return Misfit(number, action, refusal.code, refusal.message)
    raise AssertionError("the table accepts what it said it would refuse")


def _renamed(action: Action, name: Callable[[Card], Card]) -> Action:
    cards = None if action.cards is None else tuple(map(name, action.cards))
    return replace(action, card=name(action.card) if action.card else None, cards=cards)
