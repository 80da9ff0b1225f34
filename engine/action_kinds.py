"""The kinds of action, one row each: keys, zones of the mat, and texts.

The general properties of a kind are here; the meaning of an action in a game follows from the game's offers
(`engine.rules.questions`). `engine.actions` reads the keys, `engine.rules.wording` the texts, and the referee the
zones.

    >>> ACTION_KINDS["play"].needs, ACTION_KINDS["play"].zones
    (('seat', 'card'), ('play', 'table'))
    >>> ACTION_KINDS["give"].must_act("Ann")
    'Only Ann may give a card now.'
    >>> [kind.name for kind in kinds_in_zone("turn-up")]
    ['turn', 'give']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from engine.texts import Text, text


@dataclass(frozen=True, slots=True)
class ActionKind:
    """One kind of action.

    `name`: the value of `do` in a record. `needs`, `allows`: the keys that an action of the kind must have, and those
    that it may have. `zones`: the zones in which a card laid is tried as this kind; a kind that needs `cards` takes all
    cards of the zone together. `quoted`: the kind in a sentence. `must_act`: the sentence that these players (`Ann`,
    `Ann or Bo`) must act now. `history`: the sentence about an action that was done, from the player's name, the card
    and the cards; None for `say`, which has a sentence of its own, and for `undo`.
    """

    # Each text is a whole sentence: one put together from the kind's name could not be translated.

    name: str
    needs: tuple[str, ...]
    must_act: Callable[[str], Text]
    quoted: str
    history: Callable[[str, str, str], Text] | None = None
    allows: tuple[str, ...] = ()
    zones: tuple[str, ...] = ()


_KINDS: Final = (
    ActionKind(
        "cut",
        needs=("seat", "card"),
        zones=("play",),
        quoted=text("“cut”"),
        must_act=lambda names: text("Only {names} may cut now.", names=names),
        history=lambda name, card, cards: text("{name} cuts {card}", name=name, card=card),
    ),
    ActionKind(
        "deal",
        needs=("seat", "cards"),
        quoted=text("“deal”"),
        must_act=lambda names: text("Only {names} may deal now.", names=names),
        history=lambda name, card, cards: text("{name} is dealt cards", name=name),
    ),
    ActionKind(
        "turn",
        needs=("card",),
        zones=("turn-up", "table"),
        quoted=text("“turn”"),
        must_act=lambda names: text("Only {names} may turn up a card now.", names=names),
        history=lambda name, card, cards: text("{card} is turned", card=card),
    ),
    ActionKind(
        "say",
        needs=("seat", "word"),
        allows=("card", "against"),
        zones=("say",),
        quoted=text("“say”"),
        must_act=lambda names: text("Only {names} may say something now.", names=names),
    ),
    ActionKind(
        "discard",
        needs=("seat",),
        allows=("cards",),
        quoted=text("“discard”"),
        must_act=lambda names: text("Only {names} may lay cards away now.", names=names),
        history=lambda name, card, cards: text("{name} lays away cards", name=name),
    ),
    ActionKind(
        "give",
        needs=("seat", "card"),
        zones=("turn-up",),
        quoted=text("“give”"),
        must_act=lambda names: text("Only {names} may give a card now.", names=names),
        history=lambda name, card, cards: text("{name} exchanges the turn-up for {card}", name=name, card=card),
    ),
    ActionKind(
        "play",
        needs=("seat", "card"),
        zones=("play", "table"),
        quoted=text("“play”"),
        must_act=lambda names: text("Only {names} may play now.", names=names),
        history=lambda name, card, cards: text("{name} plays {card}", name=name, card=card),
    ),
    ActionKind(
        "withdraw",
        needs=("seat", "card"),
        quoted=text("“withdraw”"),
        must_act=lambda names: text("Only {names} may take a card back now.", names=names),
        history=lambda name, card, cards: text("{name} takes back {card}", name=name, card=card),
    ),
    ActionKind(
        "gather",
        needs=("seat",),
        quoted=text("“gather”"),
        must_act=lambda names: text("Only {names} may gather the trick now.", names=names),
        history=lambda name, card, cards: text("{name} gathers the trick", name=name),
    ),
    ActionKind(
        "take",
        needs=("seat", "cards"),
        quoted=text("“take”"),
        must_act=lambda names: text("Only {names} may take cards now.", names=names),
        history=lambda name, card, cards: text("{name} takes {cards}", name=name, cards=cards),
    ),
    ActionKind(
        "bid",
        needs=("seat", "cards"),
        zones=("bid",),
        quoted=text("“bid”"),
        must_act=lambda names: text("Only {names} may bid now.", names=names),
        history=lambda name, card, cards: text("{name} bids {cards}", name=name, cards=cards),
    ),
    ActionKind(
        "show",
        needs=("seat", "cards"),
        zones=("show", "crib"),
        quoted=text("“show”"),
        must_act=lambda names: text("Only {names} may show cards now.", names=names),
        history=lambda name, card, cards: text("{name} shows {cards}", name=name, cards=cards),
    ),
    ActionKind(
        "expose",
        needs=("seat", "card"),
        zones=("show",),
        quoted=text("“expose”"),
        must_act=lambda names: text("Only {names} may expose a card now.", names=names),
        history=lambda name, card, cards: text("{name} exposes {card}", name=name, card=card),
    ),
    ActionKind(
        "undo",
        needs=(),
        quoted="“undo”",
        must_act=lambda names: text("Only {names} may play now.", names=names),
    ),
)

ACTION_KINDS: Final[Mapping[str, ActionKind]] = {kind.name: kind for kind in _KINDS}
"""Every kind of action by its name, in the order of docs/record.md."""


def kinds_in_zone(zone: str) -> tuple[ActionKind, ...]:
    """Return the kinds that a card laid in the zone may stand for, in the order in which they are tried."""
    return tuple(kind for kind in _KINDS if zone in kind.zones)
