"""Texts about zones, phases and actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from engine.actions import ACTION_KINDS, Action
from engine.cards import Card
from engine.texts import Text, commas, spaced, text, word_text

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
"""The names of the zones, as they are printed on the mat."""


class PhaseTexts(NamedTuple):
    """Parts of a sentence: `is_to` (called with the name) if one player must act, else `waits`."""

    is_to: Callable[[str], Text]
    waits: Text


PHASES: Final = {
    "cut": PhaseTexts(lambda name: text("{name} must cut", name=name), text("the cut for the deal comes first")),
    "deal": PhaseTexts(lambda name: text("{name} must deal", name=name), text("deal, then turn the next card up")),
    "discard": PhaseTexts(
        lambda name: text("{name} must lay cards away", name=name), text("the players must lay cards away first")
    ),
    "turn": PhaseTexts(
        lambda name: text("{name} must turn up a card", name=name), text("the next card must be turned up first")
    ),
    "say": PhaseTexts(lambda name: text("{name} must say something", name=name), text("a declaration comes first")),
    "play": PhaseTexts(lambda name: text("{name} must play", name=name), text("the play goes on")),
    "bid": PhaseTexts(lambda name: text("{name} must bid", name=name), text("the bidding goes on")),
    "show": PhaseTexts(lambda name: text("{name} must show cards", name=name), text("cards must be shown")),
}
"""The phases of a game except `over`."""


def must_act(do: str, names: str) -> Text:
    """Return the sentence that only `names` (`Ann`, `Ann or Bo`) may do this kind of action now."""
    return ACTION_KINDS[do].must_act(names)


def not_now(do: str, phase: str, name: str | None) -> Text:
    """Return the sentence that this kind of action is not possible in this phase.

    `name`: the player who must act, or None if it is not a single player.
    """
    if phase == "over":
        return text("The game is over.")
    waits = PHASES[phase].waits if name is None else PHASES[phase].is_to(name)
    quoted = ACTION_KINDS[do].quoted if do in ACTION_KINDS else f"“{do}”"
    return text("{what} is not possible now: {waits}.", what=quoted, waits=waits)


def does_not_hold(name: str, card: Card) -> Text:
    """Return the sentence that the card is not in this player's hand."""
    return text("{name} does not hold {card}.", name=name, card=card.glyph)


def card_text(card: Card | None) -> str:
    """Return a card as records write it, for a refusal; for None, that it has no name."""
    if card is None:
        return text("without a name")
    return repr(card.rank) if not card.suit else str(card)


def describe(action: Action, players: tuple[str, ...]) -> str:
    """Return an action as a sentence for the history: `Bo plays K♦`. Cards dealt or laid away are not named.

    >>> from engine.actions import Action
    >>> describe(Action.parse("1 play KD"), ("Ann", "Bo"))
    'Bo plays K♦'
    >>> describe(Action.parse("0 say revoke 1 5S"), ("Ann", "Bo"))
    'Ann: “revoke” against Bo · 5♠'
    """
    name = players[action.seat] if isinstance(action.seat, int) else text("The table")
    card = action.card.glyph if action.card else ""
    if action.do == "say":
        sentence = text("{name}: “{word}”", name=name, word=word_text(action.word or ""))
        if action.against is not None:
            sentence = text("{said} against {name}", said=sentence, name=players[action.against])
        return spaced([sentence, "·", card]) if card else sentence
    glyphs = [card.glyph for card in action.cards or ()]
    cards = (commas if any(" " in glyph for glyph in glyphs) else spaced)(glyphs)  # K♦ 5♣, but red 1, red 2
    kind = ACTION_KINDS.get(action.do)
    if kind is None or kind.history is None:
        return action.do
    return kind.history(text("The crib") if action.seat == "crib" else name, card, cards)
