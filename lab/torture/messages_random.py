"""Random messages of a page, of every kind in the interface's schema, as `lab.torture.messages` sends them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Final

from cardtable.simulation.source import NAMES
from cardtable.web.server import interface_schema
from engine.cards import STANDARD_DECK
from engine.games import game_names, load_game

State = Mapping[str, Any]
Choose = Callable[[random.Random, State], object]
"""Returns a value for a key, given what the page shows."""

ODD_NAMES: Final = ("Zoë", " Ann ", "ann", "", "x" * 40, "x" * 41, "\u202eevil", "a\nb", "𝕭𝖔", "Ann\u0301", "<b>Bo</b>")
WORDS: Final = tuple(sorted({word for game in game_names() for word in load_game(game).vocabulary}))
NUMBERS: Final = (-1, 0, 1, 2, 3, 15, 16, 2**31, 2**63, -(2**63) - 1)


def kinds() -> dict[str, dict[str, Any]]:
    """Return the schema of every kind of message, by its `do`."""
    schema = interface_schema()
    names = [form["$ref"].rpartition("/")[2] for form in schema["properties"]["message"]["oneOf"]]
    shapes = [schema["$defs"][name] for name in names]
    return {shape["properties"]["do"]["const"]: shape for shape in shapes}


KINDS: Final = kinds()


def _seat(rng: random.Random, state: State) -> object:
    you = state.get("you", {}).get("seat")
    return rng.choice([*range(len(state.get("seats", ())) or 4)] * 4 + [15, None] + [you] * 8)


def _card(rng: random.Random, state: State) -> object:
    shown = [card for zone in ("lying", "seen") for each in state.get(zone, ()) if (card := each.get("card"))]
    names = [card if isinstance(card, str) else card.get("name", "AS") for card in shown]
    deck = list(map(str, load_game(state["game"]).deck)) if state.get("game") in game_names() else []
    return rng.choice(
        [rng.choice(names or ["QS"]), rng.choice(deck or ["2D"]), str(rng.choice(tuple(STANDARD_DECK))), None]
    )


def _n(rng: random.Random, state: State) -> object:
    return rng.choice([state.get("n", 0)] * 40 + [state.get("n", 0) - 1, *NUMBERS])


def _line(rng: random.Random, state: State) -> object:
    lines = [each["n"] for each in (*state.get("history", ()), *state.get("lying", ())) if each.get("n") is not None]
    return rng.choice([*lines[-6:], rng.choice(lines or [1]), rng.choice(NUMBERS)])


def _name(rng: random.Random, state: State) -> object:
    known = [
        *state.get("players", ()),
        *state.get("remembered", ()),
        *(seat["name"] for seat in state.get("seats", ())),
    ]
    return rng.choice([rng.choice(known or ["Ann"]), rng.choice(NAMES), rng.choice(ODD_NAMES)])


def _id(rng: random.Random, state: State) -> object:
    unfinished = [game["id"] for game in state.get("unfinished", ())]
    seen = [each["id"] for each in state.get("seen", ())]
    return rng.choice([*unfinished, *seen, rng.choice([1, 2, 3, "camera-1", "", *NUMBERS])])


def _option(rng: random.Random, state: State) -> object:
    game = rng.choice(game_names())
    return rng.choice([option.name for option in load_game(game).options] or ["target"])


def _value(rng: random.Random, state: State) -> object:
    return rng.choice([True, False, None, "x", "duplicate", rng.choice(NUMBERS), 3, 20])


POOLS: Final[dict[str, Choose]] = {
    "seat": _seat,
    "against": _seat,
    "card": _card,
    "to": _card,
    "n": _n,
    "line": _line,
    "before": _line,
    "name": lambda rng, state: _option(rng, state) if rng.random() < 0.3 else _name(rng, state),
    "id": _id,
    "word": lambda rng, state: rng.choice([*_offered(state), rng.choice(WORDS), "go"]),
    "over": lambda rng, state: rng.random() < 0.5,
    "on": lambda rng, state: rng.random() < 0.5,
    "stop": lambda rng, state: rng.random() < 0.5,
    "source": lambda rng, state: rng.choice([*(each["source"] for each in state.get("seen", ())), "camera", ""]),
    "game": lambda rng, state: rng.choice([*game_names(), "no-such-game"]),
    "value": _value,
    "round": lambda rng, state: rng.choice(NUMBERS),
}
"""How the value of each key is chosen. A key of the schema that is missing here fails the suite."""
NAMED: Final[dict[tuple[str, str], Choose]] = {
    ("set-option", "name"): _option,
    ("rename-player", "to"): _name,
}
"""Keys that mean something else in one kind of message."""


def _offered(state: State) -> list[str]:
    """Return the words that the page offers now."""
    return [word["word"] for seat in state.get("seats", ()) for word in seat.get("words", ())] * 9


def message(rng: random.Random, state: State) -> dict[str, Any]:
    """Return a random message; most are plausible on a page that shows `state`."""
    do = rng.choice([*LIKELY.get(state.get("screen", ""), ()), rng.choice(list(KINDS))])
    shape = KINDS[do]
    made: dict[str, Any] = {"do": do}
    for key in sorted(shape["properties"].keys() - {"do"}):
        if key in shape.get("required", ()) or rng.random() < 0.5:
            made[key] = (NAMED.get((do, key)) or POOLS[key])(rng, state)
    if rng.random() < 0.03:
        made[rng.choice(["do", "seat", "extra", "n"])] = rng.choice([None, [], {}, "x", 1.5, True])
    return made


LIKELY: Final[dict[str, tuple[str, ...]]] = {
    "lobby": ("choose-game", "add-player", "set-option", "begin"),
    "game": ("say", "undo", "correct-card", "add-card", "name-card", "table-is-right", "record-is-right"),
    "result": ("undo", "again", "other-game", "correct-card", "undo-to"),
    "asleep": ("wake",),
}
"""Kinds that are sent more often on a screen."""
