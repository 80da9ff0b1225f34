"""Texts about zones, phases and actions."""

from __future__ import annotations

from typing import Final, NamedTuple

from engine.actions import Action
from engine.cards import Card
from engine.texts import Text, commas, spaced, template, text, word_text

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
    """Parts of a sentence: the template `is_to` if one player must act, else `waits`."""

    is_to: str
    waits: Text


PHASES: Final = {
    "cut": PhaseTexts(template("{name} must cut"), text("the cut for the deal comes first")),
    "deal": PhaseTexts(template("{name} must deal"), text("deal, then turn the next card up")),
    "discard": PhaseTexts(template("{name} must lay cards away"), text("the players must lay cards away first")),
    "turn": PhaseTexts(template("{name} must turn up a card"), text("the next card must be turned up first")),
    "say": PhaseTexts(template("{name} must say something"), text("a declaration comes first")),
    "play": PhaseTexts(template("{name} must play"), text("the play goes on")),
    "bid": PhaseTexts(template("{name} must bid"), text("the bidding goes on")),
    "show": PhaseTexts(template("{name} must show cards"), text("cards must be shown")),
}
"""The phases of a game except `over`."""


class ActionTexts(NamedTuple):
    """Texts about a kind of action. Each is a whole sentence: one put together from its name could not be translated.

    `quoted`: the kind in a sentence. `must_act`: the template of the sentence that only some players may act now.
    `history`: that of the sentence about an action that was done; "" for `say`, which has other sentences, and for
    `undo`.
    """

    quoted: str
    must_act: str
    history: str = ""


ACTIONS: Final = {
    "cut": ActionTexts(text("“cut”"), template("Only {names} may cut now."), template("{name} cuts {card}")),
    "deal": ActionTexts(text("“deal”"), template("Only {names} may deal now."), template("{name} is dealt cards")),
    "hold": ActionTexts(text("“hold”"), template("Only {names} may name a hand now."), template("{name} names a hand")),
    "turn": ActionTexts(
        text("“turn”"), template("Only {names} may turn up a card now."), template("{card} is turned up")
    ),
    "say": ActionTexts(text("“say”"), template("Only {names} may say something now.")),
    "discard": ActionTexts(
        text("“discard”"), template("Only {names} may lay cards away now."), template("{name} lays away cards")
    ),
    "give": ActionTexts(
        text("“give”"),
        template("Only {names} may give a card now."),
        template("{name} exchanges the turn-up for {card}"),
    ),
    "play": ActionTexts(text("“play”"), template("Only {names} may play now."), template("{name} plays {card}")),
    "withdraw": ActionTexts(
        text("“withdraw”"), template("Only {names} may take a card back now."), template("{name} takes back {card}")
    ),
    "gather": ActionTexts(
        text("“gather”"), template("Only {names} may gather the trick now."), template("{name} gathers the trick")
    ),
    "take": ActionTexts(text("“take”"), template("Only {names} may take cards now."), template("{name} takes {cards}")),
    "bid": ActionTexts(text("“bid”"), template("Only {names} may bid now."), template("{name} bids {cards}")),
    "show": ActionTexts(text("“show”"), template("Only {names} may show cards now."), template("{name} shows {cards}")),
    "expose": ActionTexts(
        text("“expose”"), template("Only {names} may expose a card now."), template("{name} exposes {card}")
    ),
    "undo": ActionTexts("“undo”", template("Only {names} may play now.")),
}
"""The kinds of action, by name."""


def must_act(do: str, names: str) -> Text:
    """Return the sentence that only `names` (`Ann`, `Ann or Bo`) may do this kind of action now."""
    return text(ACTIONS[do].must_act, names=names)


def not_now(do: str, phase: str, name: str | None) -> Text:
    """Return the sentence that this kind of action is not possible in this phase.

    `name`: the player who must act, or None if it is not a single player.
    """
    if phase == "over":
        return text("The game is over.")
    waits = PHASES[phase].waits if name is None else text(PHASES[phase].is_to, name=name)
    quoted = ACTIONS[do].quoted if do in ACTIONS else f"“{do}”"
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
            sentence = text("{sentence} against {name}", sentence=sentence, name=players[action.against])
        return spaced([sentence, "·", card]) if card else sentence
    glyphs = [card.glyph for card in action.cards or ()]
    cards = (commas if any(" " in glyph for glyph in glyphs) else spaced)(glyphs)  # K♦ 5♣, but red 1, red 2
    if not (history := ACTIONS[action.do].history):
        return action.do
    return text(history, name=text("The crib") if action.seat == "crib" else name, card=card, cards=cards)
