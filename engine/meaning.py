"""What a card laid on the table may stand for: its zone and the game decide.

| zone | a card there is |
| --- | --- |
| `play` | the card cut for the deal, or a card played |
| `turn-up`, `table` | the card turned up |
| `show` | evidence, where its owner is charged with a revoke, otherwise an exposed card |
| `say` | a word, if it is an action card |
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.observations import Word, Zone
from engine.pieces import Piece
from engine.table import Table

# Tried in this order, until the game knows the action now.
_KINDS: Final = {"play": ("cut", "play"), "turn-up": ("turn",), "table": ("turn",), "show": ("expose",)}


def meant(piece: Piece, pieces: Iterable[Piece], table: Table) -> list[Action]:
    """The actions that `piece` may stand for, the likeliest first.

    None where it stands for nothing, or where more must be known first: a revoke is called with evidence, and the
    evidence may come later than the call. `pieces` are all pieces that lie on the table.
    """
    zone, face = piece.zone, piece.face
    if zone is None or face is None:
        return []
    if isinstance(face, Word):
        said = _said(zone.seat, face.text, pieces, table) if zone.name == "say" and zone.seat is not None else None
        return [said] if said else []
    if zone.name == "show" and (caller := _caller_of_revoke(zone, pieces)) is not None:
        return [Action("say", seat=caller, word="revoke", against=zone.seat, card=face)]
    return [Action(do, seat=None if do == "turn" else zone.seat, card=face) for do in _KINDS.get(zone.name, ())]


def _said(seat: int, word: str, pieces: Iterable[Piece], table: Table) -> Action | None:
    """The declaration that an action card makes; None while the card that it needs is not known."""
    if word == "revoke":
        calls = (
            Action("say", seat=seat, word=word, against=piece.zone.seat, card=piece.face)
            for piece in pieces
            if piece.zone and piece.lies_in("show") and isinstance(piece.face, Card) and piece.zone.seat != seat
        )
        return next((call for call in calls if table.can(call)), None)
    if word == "call":
        show = Zone("show", table.turn)
        exposed = [lying.card for lying in table.view(None).lying if lying.zone == show]
        if len(exposed) > 1:
            return None
        return Action("say", seat=seat, word=word, card=exposed[0] if exposed else None)
    return Action("say", seat=seat, word=word)


def _caller_of_revoke(show: Zone, pieces: Iterable[Piece]) -> int | None:
    """The seat whose action card calls a revoke and waits for evidence from another seat's show zone."""
    for piece in pieces:
        waits = piece.face == Word("revoke") and piece.standing == "open" and piece.lies_in("say")
        if waits and piece.zone and piece.zone.seat != show.seat:
            return piece.zone.seat
    return None
