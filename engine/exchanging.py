"""Two cards of a trick that were taken for each other's: each counts for the player of the other one."""

from __future__ import annotations

from collections.abc import Sequence

from engine.actions import Action
from engine.cards import Card
from engine.correcting import Correction, are_single, give_to_seat, replace_card
from engine.errors import Refused
from engine.record import Header
from engine.table import Table
from engine.texts import text

__all__ = ["give_card"]


def give_card(header: Header, actions: Sequence[Action], number: int, seat: int) -> tuple[Correction, int | None]:
    """Let the card of action `number` be that of `seat`.

    If the order of play allows only one seat to lay it, and `seat` has played another card to the same trick, the two
    cards change places; the number of that action is returned as well, otherwise None. If one of them comes from a hand
    that lies open, such as a dummy, they change places in that hand, too. Raises `Refused` if the rules allow neither.

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
    # The hand that lies open was misread with the same two names: it was the other card that lay there.
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
