"""Which of the pieces that lie on the table lie there by the record already, and which are left from before."""

from __future__ import annotations

from typing import Final

from engine.cards import Card
from engine.observations import Zone
from engine.referee.interpretation import BETWEEN, TOGETHER, meant, part_of_game
from engine.referee.observed_cards import BEFORE, LEFT, PASSED, ObservedCard, ObservedCards
from engine.table import Table
from engine.views import TableCard

_SINGLE: Final = ("play", "turn-up", "table")
"""The zones in which every card is laid for itself."""


def recognise(table: Table, pieces: ObservedCards, first: bool) -> None:
    """A card that the record says lies there, and that no piece stands for yet, needs no action.

    But what may have been cleared away, and is laid where it could be laid anew, is laid anew, unless the table is
    seen for the `first` time.
    """
    lying = table.view(None).lying
    for entry, standing in zip(lying, pieces.standing_for(lying), strict=True):
        if standing is None or standing.zone != entry.zone:
            found = next((p for p in pieces if _is_the_one(p, entry, standing)), None)
            if found is None and (first or (standing is None and entry.firm)):
                found = next((p for p in pieces if _seems_another(p, entry, pieces, table, first)), None)
            if found and (first or entry.firm or not _may_mean_anything(found, pieces, table)):
                found.face, found.standing = entry.card, "counted"
                _laid_by(found, pieces, table)
                found.assumed = not (first or found.returned)
                if standing:
                    standing.standing = "spent"


def recall(table: Table, pieces: ObservedCards) -> None:
    """What was done with before an undo, and still lies there, is what lies there by the record again."""
    lying = table.view(None).lying
    for entry, standing in zip(lying, pieces.standing_for(lying), strict=True):
        if standing is None:
            found = next((p for p in pieces if _may_come_back(p, entry) and _is_there(p, entry)), None)
            if found:
                found.standing = "counted"


def pass_over_old(table: Table, pieces: ObservedCards) -> None:
    """Before the cards are dealt, what was played before and is pushed about is no card of the next hand.

    What is laid back twice may be meant: whoever lays it is asked. So is who left a card of which nobody could tell,
    when the table was first seen, what it was.
    """
    if table.phase not in BETWEEN:
        return
    for piece in pieces:
        if piece.standing == "open" and isinstance(piece.face, Card):
            if piece.returned > 1 or piece.epoch == BEFORE:
                piece.refuse("before")
            elif piece.returned or (piece.at is not None and table.phase != "cut"):
                piece.standing, piece.code = "spent", PASSED


def set_aside(table: Table, pieces: ObservedCards) -> None:
    """What lies there when the table is seen for the first time, and may be left from before, is to be laid again.

    That is a card which would begin something, and a word which would be said. What was laid in this hand and is done
    with may lie there, and so may a word of no use now. A card of a hand that goes on, which was laid while nobody
    watched, counts.
    """
    words, done = table.view(None).words, _laid_lately(table)
    for piece in pieces:
        zone = piece.zone
        if piece.standing != "open" or zone is None:
            continue
        if piece.face is None:
            piece.epoch = BEFORE if table.phase in BETWEEN else part_of_game(table) - 1  # nor was it drawn just now
        elif isinstance(piece.face, Card):
            begins = table.phase in BETWEEN and zone.name in _SINGLE
            old = zone.name in _SINGLE and piece.face in done
            dealt_next = begins and table.phase != "cut"
            if old and (dealt_next or not _may_mean_anything(piece, pieces, table)):
                piece.standing, piece.code = "spent", LEFT
            elif begins or old:
                piece.refuse("before")
        elif zone.name == "say" and zone.seat is not None and piece.face.text not in words[zone.seat]:
            piece.standing = "spent"
        elif zone.name == "say":
            piece.refuse("before")


def ask_about_left(table: Table, pieces: ObservedCards) -> None:
    """What lay there when the table was first seen, and was of no use then, may be laid now: somebody is asked."""
    for piece in pieces:
        left = piece.standing == "spent" and piece.code == LEFT
        if left and table.phase not in BETWEEN and _may_mean_anything(piece, pieces, table):
            piece.refuse("before")


def _laid_lately(table: Table) -> set[Card]:
    """The cards laid one by one since the turn-up of this hand, or of the last one, that itself, and a cut before.

    What was withdrawn is in its hand again.
    """
    lay: dict[Card, bool] = {}
    turning = False
    for action in reversed(table.actions):
        if turning and action.do not in ("cut", "turn", "deal", "discard"):
            break
        turning = turning or action.do == "turn"
        if action.card and action.do in ("cut", "turn", "give", "play", "withdraw"):
            lay.setdefault(action.card, action.do != "withdraw")
    return {card for card, lies in lay.items() if lies}


def _laid_by(piece: ObservedCard, pieces: ObservedCards, table: Table) -> None:
    """The action that laid it: one that is corrected, or undone, is put right or taken back with it."""
    for at, action in reversed([*enumerate(table.actions)]):
        if action.card == piece.face and action.do in ("cut", "turn", "give", "play", "expose"):
            piece.count(action, at)
            return
        together = action.do in ("bid", "show") and piece.zone is not None and piece.zone.name in TOGETHER
        if together and piece.zone and piece.zone.seat in (action.seat, None):
            cards = action.cards or ()
            there = sum(other.face == piece.face and other.at == at for other in pieces if other is not piece)
            if there < sum(card == piece.face for card in cards):
                piece.count(action, at)
                return


def _is_the_one(piece: ObservedCard, entry: TableCard, standing: ObservedCard | None) -> bool:
    """Whether the piece is the card `entry`, better than the piece that stands for it now (it was pushed there)."""
    place = piece.zone == entry.zone if standing else _may_be_the_one_in(piece.zone, entry.zone)
    return place and piece.face == entry.card and piece.standing in ("open", "refused")


def _seems_another(piece: ObservedCard, entry: TableCard, pieces: ObservedCards, table: Table, first: bool) -> bool:
    """Whether a piece that is no card of the record, and cannot be laid anew, may be the card `entry`, badly read.

    Of what is laid while the table is watched that is only one which has been laid before in this hand.
    """
    seems = entry.card in piece.others and piece.zone == entry.zone and piece.standing == "open"
    if not seems or any(other.card == piece.face for other in table.view(None).lying):
        return False
    return (first or piece.face in _laid_lately(table)) and not _may_mean_anything(piece, pieces, table)


def _may_come_back(piece: ObservedCard, entry: TableCard) -> bool:
    """Whether it is done with, or was undone itself: what undid it may be undone as well (a card taken back).

    But what may have been cleared away need not be what was undone just now: the same card cut in two rounds.
    """
    return piece.standing == "spent" or (piece.standing == "refused" and piece.code == "undone" and entry.firm)


def _is_there(piece: ObservedCard, entry: TableCard) -> bool:
    return piece.face == entry.card and _may_be_the_one_in(piece.zone, entry.zone)


def _may_mean_anything(piece: ObservedCard, pieces: ObservedCards, table: Table) -> bool:
    return any(table.can(meaning.action) for meaning in meant(piece, pieces, table))


def _may_be_the_one_in(zone: Zone | None, by_record: Zone) -> bool:
    """Whether a card in `zone` can be the one that lies there by the record: one played to the table lies in either."""
    either = {"play", "table"}
    return zone == by_record or (zone is not None and {zone.name, by_record.name} == either)
