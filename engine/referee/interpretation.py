"""What a card laid on the table may stand for: its zone and the game decide.

| zone | a card there is |
| --- | --- |
| `play` | the card cut for the deal, or a card played |
| `turn-up` | the card turned up, or the card that the dealer gives for it |
| `table` | a card turned up, or the play of the seat on turn |
| `show` | evidence, where its owner is charged with a revoke; an exposed card; one of the cards to be shown |
| `bid` | one of the cards of a bid |
| `crib` | one of the cards of the crib, which is to be shown |
| `say` | a word, if it is an action card |

A bid, a showing and the crib are several cards, laid one after another: every card is tried together with those that
lie there already. One card more makes another bid of the one that was made last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from engine.actions import Action, Seat
from engine.cards import Card
from engine.observations import ActionCard, Zone
from engine.referee.observed_cards import ObservedCard
from engine.table import Table

TOGETHER: Final = frozenset(("show", "bid", "crib"))
"""The zones whose cards make one action together."""

BETWEEN: Final = ("cut", "deal", "turn")
"""The phases in which what was played before may still lie about, and a card laid begins something new."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """An action, and the pieces that stand for it. `instead`: the action takes the place of the one done last."""

    action: Action
    pieces: tuple[ObservedCard, ...]
    instead: bool = False


def meant(piece: ObservedCard, pieces: Iterable[ObservedCard], table: Table) -> list[Meaning]:
    """What `piece` may stand for, in the order in which it is to be tried, until the game knows the action now.

    None where it stands for nothing, or where more must be known first: a revoke is called with evidence, and the
    evidence may come later than the call. `pieces` are all pieces that lie on the table.
    """
    zone, face = piece.zone, piece.face
    if zone is None:
        return []
    if face is None:
        return _drawn(piece, zone, pieces, table)
    if isinstance(face, ActionCard):
        said = _said(zone.seat, face.text, pieces, table) if zone.name == "say" and zone.seat is not None else None
        return [Meaning(said, (piece,))] if said else []
    if zone.name == "show" and (accusation := _accusation(zone, pieces, table)) is not None:
        caller, word = accusation
        return [Meaning(Action("say", seat=caller, word=word, against=zone.seat, card=face), (piece,))]
    single = [
        Meaning(action, (piece,), instead=_moved(action, face, pieces, table))
        for action in _single(piece, zone, face, table)
    ]
    return single + (_together(piece, zone, pieces, table) if zone.name in TOGETHER else [])


def part_of_game(table: Table) -> int:
    """Which part of the game this is: a card refused in one part is never counted by itself in another."""
    turned = sum(action.do == "turn" for action in table.actions)
    return 2 * turned + (table.phase in BETWEEN)


def waits_for_more(piece: ObservedCard) -> bool:
    """Whether the card was refused as one of several, and another card may complete them."""
    several = piece.zone is not None and piece.zone.name in TOGETHER
    return several and piece.standing == "refused" and piece.code in ("wrong-count", "wrong-amount", "not-in-hand")


def _single(piece: ObservedCard, zone: Zone, face: Card, table: Table) -> list[Action]:
    """The actions that one card alone makes. What came too early to be turned up is not given for the turn-up later."""
    match zone.name:
        case "play":
            return [Action("cut", zone.seat, face), Action("play", zone.seat, face)]
        case "turn-up":
            gives = [Action("give", table.turn, face)] if piece.standing == "open" else []
            return [Action("turn", card=face), *gives]
        case "table":
            return [Action("turn", card=face), Action("play", table.turn, face)]
        case "show":
            return [Action("expose", zone.seat, face)]
    return []


def _moved(action: Action, face: Card, pieces: Iterable[ObservedCard], table: Table) -> bool:
    """Whether the card cut, or exposed, last was laid before a wrong seat, and is that which lies elsewhere now."""
    last = table.actions[-1] if table.actions else None
    if last is None or last.do not in ("cut", "expose") or last.card != face or table.can(action):
        return False
    return not any(other.standing == "counted" and other.face == face for other in pieces)


def _together(piece: ObservedCard, zone: Zone, pieces: Iterable[ObservedCard], table: Table) -> list[Meaning]:
    """The action that the cards in `zone` make together, those first that were laid first."""
    do = "bid" if zone.name == "bid" else "show"
    seat: Seat | None = "crib" if zone.name == "crib" else zone.seat
    there = [other for other in pieces if other.zone == zone and isinstance(other.face, Card)]
    fresh = [other for other in there if other is piece or other.standing == "open" or waits_for_more(other)]
    last = table.actions[-1] if table.actions else None
    if last is not None and (last.do, last.seat) == (do, seat):
        made = [other for other in there if other.standing == "counted" and other.at == len(table.actions) - 1]
        if made:
            whole = _in_order([*made, *fresh])
            return [Meaning(Action(do, seat, cards=_faces(whole)), tuple(whole), instead=True)]
    whole = _in_order(fresh)
    moved = last is not None and piece.action == last and last.seat != seat and last.cards == (piece.face,)
    return [Meaning(Action(do, seat, cards=_faces(whole)), tuple(whole), instead=moved)]


def _in_order(pieces: Iterable[ObservedCard]) -> list[ObservedCard]:
    return sorted(pieces, key=lambda piece: piece.since)


def _faces(pieces: Iterable[ObservedCard]) -> tuple[Card, ...]:
    return tuple(piece.face for piece in pieces if isinstance(piece.face, Card))


def _drawn(piece: ObservedCard, zone: Zone, pieces: Iterable[ObservedCard], table: Table) -> list[Meaning]:
    """A card drawn and laid face down, where that says a word: one more lies there than its seat holds.

    Cards left from the hand before are none of it: those laid before the pack was dealt for this one. What lay there
    when the dealing was over is not drawn.
    """
    view = table.view(None)
    word = table.drawing_says
    if word is None or zone.name != "show" or zone.seat is None or zone.seat != view.turn:
        return []
    now = part_of_game(table)
    lying = [other for other in pieces if other.zone == zone and other.face is None and other.epoch >= now - 1]
    if piece.epoch != now or word not in view.words[zone.seat] or len(lying) <= view.hands[zone.seat].size:
        return []
    return [Meaning(Action("say", seat=zone.seat, word=word), (piece,))]


def _said(seat: int, word: str, pieces: Iterable[ObservedCard], table: Table) -> Action | None:
    """The declaration that an action card makes; None while the card, or the seat, that it needs is not known."""
    declared = table.vocabulary.get(word)
    if declared is None or not declared.needs:
        return Action("say", seat=seat, word=word)
    if "evidence" in declared.needs:
        calls = (
            Action("say", seat=seat, word=word, against=piece.zone.seat, card=piece.face)
            for piece in pieces
            if piece.zone and piece.lies_in("show") and isinstance(piece.face, Card) and piece.zone.seat != seat
        )
        return next((call for call in calls if table.can(call)), None)
    others = [other for other in range(len(table.header.players)) if other != seat]
    cards = table.view(None).choices(word)
    if ("against" in declared.needs and len(others) > 1) or len(cards) > 1:
        return None
    against = others[0] if "against" in declared.needs else None
    return Action("say", seat=seat, word=word, card=cards[0] if cards else None, against=against)


def _accusation(show: Zone, pieces: Iterable[ObservedCard], table: Table) -> tuple[int, str] | None:
    """The seat and the word of an action card that waits for evidence from another seat's show zone."""
    for piece in pieces:
        if piece.zone is None or not isinstance(piece.face, ActionCard) or piece.standing != "open":
            continue
        word = table.vocabulary.get(piece.face.text)
        if word and "evidence" in word.needs and piece.lies_in("say") and piece.zone.seat not in (None, show.seat):
            return piece.zone.seat, word.name
    return None
