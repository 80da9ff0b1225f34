"""Names of the zones; who must act, and what the table waits for: a sentence for each kind of action and each phase.

A sentence put together from a kind's name (`It is … who must play now.`) could not be told in another language.
"""

from __future__ import annotations

from typing import Final

from engine.cards import Card
from engine.texts import Text, text

ZONES: Final = {
    "play": text("play"),
    "turn-up": text("turn-up"),
    "table": text("table"),
    "stock": text("stock"),
    "crib": text("crib"),
    "say": text("say"),
    "bid": text("bid"),
    "show": text("show"),
}
"""The zones of a mat, as they are called and as they are written on it."""


def must_act(do: str, names: str) -> Text:
    """That it is somebody else (`Ann`, `Ann or Bo`) who must do this kind of action now."""
    told = {
        "cut": text("It is {names} who must cut now.", names=names),
        "deal": text("It is {names} who must deal now.", names=names),
        "turn": text("It is {names} who must turn now.", names=names),
        "say": text("It is {names} who must say now.", names=names),
        "discard": text("It is {names} who must discard now.", names=names),
        "give": text("It is {names} who must give now.", names=names),
        "withdraw": text("It is {names} who must withdraw now.", names=names),
        "gather": text("It is {names} who must gather now.", names=names),
        "take": text("It is {names} who must take now.", names=names),
        "bid": text("It is {names} who must bid now.", names=names),
        "show": text("It is {names} who must show now.", names=names),
        "expose": text("It is {names} who must expose now.", names=names),
    }
    return told.get(do) or text("It is {names} who must play now.", names=names)


def not_now(do: str, phase: str, name: str | None) -> Text:
    """That this kind of action cannot happen in this phase, in which `name` (None: nobody in particular) is to act."""
    if phase == "over":
        return text("The game is over.")
    waits = _is_to(phase, name) if name is not None else _WAITS[phase]
    return text("{what} is not possible now: {waits}.", what=_DEEDS.get(do, f"“{do}”"), waits=waits)


def does_not_hold(name: str, card: Card) -> Text:
    """That the card is not in this player's hand."""
    return text("{name} does not hold {card}.", name=name, card=card.glyph)


def _is_to(phase: str, name: str) -> Text:
    told = {
        "cut": text("{name} is to cut", name=name),
        "deal": text("{name} is to deal", name=name),
        "discard": text("{name} is to discard", name=name),
        "turn": text("{name} is to turn", name=name),
        "say": text("{name} is to say", name=name),
        "bid": text("{name} is to bid", name=name),
        "show": text("{name} is to show", name=name),
    }
    return told.get(phase) or text("{name} is to play", name=name)


_WAITS: Final = {
    "cut": text("the cut for the deal comes first"),
    "deal": text("deal, then turn the next card up"),
    "discard": text("the cards to be laid away come first"),
    "turn": text("the next card is to be turned up"),
    "say": text("a declaration comes first"),
    "play": text("the play goes on"),
    "bid": text("the bidding goes on"),
    "show": text("cards are to be shown"),
}

_DEEDS: Final = {
    "cut": text("“cut”"),
    "deal": text("“deal”"),
    "turn": text("“turn”"),
    "say": text("“say”"),
    "discard": text("“discard”"),
    "give": text("“give”"),
    "play": text("“play”"),
    "withdraw": text("“withdraw”"),
    "gather": text("“gather”"),
    "take": text("“take”"),
    "bid": text("“bid”"),
    "show": text("“show”"),
    "expose": text("“expose”"),
}
