"""What the board shows, as JSON: `GET /state.json`, and every message of the WebSocket.

Only what everybody at the table may know; texts are for people, names and numbers for programs.
"""

from __future__ import annotations

from typing import Any, Final

from cardtable.shown import Done, Shown
from engine.actions import Action
from engine.cards import SUITS, Card
from engine.views import View

HISTORY: Final = 12
"""How many of the last actions the board shows."""

# What a word must name besides itself, for the page to ask.
_NEEDS: Final = {"revoke": ("against", "card"), "call": ("card",)}
_RANKS_DOWN: Final = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")


def state_of(shown: Shown, title: str) -> dict[str, Any]:
    """The board's state. `title`: the game's name for people."""
    view = shown.view
    sides = max(len(view.scores), 1)
    return {
        "n": shown.n,
        "game": view.game,
        "title": title,
        "phase": view.phase,
        "turn": view.turn,
        "target": view.target,
        "sides": sides,
        "trump": view.trump,
        "over": view.over,
        "winners": list(view.winners),
        "seats": [
            {
                "name": name,
                "score": view.scores[seat % sides] if view.scores else 0,
                "won": view.won[seat] if seat < len(view.won) else 0,
                "cards": view.hands[seat].size if seat < len(view.hands) else 0,
                "dealer": seat == view.dealer,
                "words": [_word(view, seat, word) for word in view.words[seat]] if seat < len(view.words) else [],
            }
            for seat, name in enumerate(view.players)
        ],
        "lying": [{"card": str(lying.card), "zone": lying.zone.name, "seat": lying.zone.seat} for lying in view.lying],
        "facts": [list(fact) for fact in view.facts],
        "prompts": [{"kind": prompt.kind, "seat": prompt.seat, "text": prompt.text} for prompt in shown.prompts],
        "points": _points(shown),
        "history": [_entry(view, done) for done in reversed(shown.history[-HISTORY:])],
        "sources": [{"name": source.name, "trouble": source.trouble} for source in shown.sources],
        "trouble": shown.trouble,
    }


def _word(view: View, seat: int, word: str) -> dict[str, Any]:
    needs = _NEEDS.get(word, ())
    out: dict[str, Any] = {"word": word, "needs": list(needs)}
    if "against" in needs:
        out["against"] = [other for other in range(len(view.players)) if other != seat]
    if "card" in needs:
        out["cards"] = [str(card) for card in _cards_for(view, word)]
    return out


def _cards_for(view: View, word: str) -> list[Card]:
    """The cards that the word may mean: those exposed by the seat on turn, or all of the suit led."""
    if word == "call":
        return [card for seat, hand in enumerate(view.hands) if seat == view.turn for card in hand.cards]
    trick = [lying.card for lying in view.lying if lying.zone.name == "play"]
    suits = (trick[0].suit,) if trick else SUITS
    return [Card(rank, suit) for suit in suits for rank in _RANKS_DOWN if Card(rank, suit) not in trick]


def _points(shown: Shown) -> dict[str, Any]:
    """What was scored last; `fresh`: by the very last action."""
    last = next((done for done in reversed(shown.history) if done.points), None)
    return {"fresh": last is not None and last is shown.history[-1], "list": _scored(last) if last else []}


def _scored(done: Done) -> list[dict[str, Any]]:
    return [{"seat": point.seat, "points": point.points, "for": point.reason} for point in done.points]


def _entry(view: View, done: Done) -> dict[str, Any]:
    return {
        "n": done.n,
        "seat": done.action.seat if isinstance(done.action.seat, int) else None,
        "text": tell(done.action, view.players),
        "points": _scored(done),
        "events": [_event(view, event.event, event.seat, event.card) for event in done.events],
    }


def _event(view: View, event: str, seat: int | None, card: Card | None) -> str:
    name = view.players[seat] if seat is not None else "Nobody"
    texts = {
        "trick": f"{name} wins the trick",
        "revoke-proven": f"{name} revoked: {card.glyph if card else ''}",
        "hand-over": "The hand is over",
        "redeal": "All cards are dealt afresh",
        "sweep": f"{name} sweeps the table",
        "round": f"{name} wins the round",
        "game-over": "The game is over",
    }
    return texts.get(event, event)


def tell(action: Action, players: tuple[str, ...]) -> str:
    """An action as people tell it: `Bo plays K♦`."""
    name = players[action.seat] if isinstance(action.seat, int) else "The table"
    card = action.card.glyph if action.card else ""
    cards = " ".join(card.glyph for card in action.cards or ())
    word = (action.word or "").replace("-", " ")
    against = f" against {players[action.against]}" if action.against is not None else ""
    texts = {
        "cut": f"{name} cuts {card}",
        "deal": f"{name} is dealt {cards}",
        "turn": f"{card} is turned",
        "say": f"{name}: “{word}”{against}{' · ' + card if card else ''}",
        "discard": f"{name} lays away {cards or 'cards'}",
        "give": f"{name} exchanges the turn-up for {card}",
        "play": f"{name} plays {card}",
        "withdraw": f"{name} takes back {card}",
        "gather": f"{name} gathers the trick",
        "take": f"{name} takes {cards}",
        "bid": f"{name} bids {cards}",
        "show": f"{'The crib' if action.seat == 'crib' else name} shows {cards}",
        "expose": f"{name} exposes {card}",
    }
    return texts.get(action.do, action.do)
