"""A game at the hub as a record (docs/record.md): whole if its hands have come, otherwise as a table without hands."""

from __future__ import annotations

import json

from cardtable.club.messages import HANDS
from cardtable.hub.store import GameResult, Key, Store
from engine.actions import Action
from engine.record import Header, write_record


def record_of(store: Store, game: GameResult) -> list[str]:
    """Return the lines of the record, without line ends. Raises `StoreError`; no line for a damaged header."""
    key = Key(game.table, game.game)
    values = [json.loads(line.line) for line in store.lines(key)]
    hands = {}
    for line in store.lines(Key(game.table, game.game + HANDS)) if game.over else ():
        whole = json.loads(line.line)
        hands[whole["n"]] = whole["line"]
    known = bool(hands) and all(n in hands for n, value in enumerate(values) if n and value.get("do") == "deal")
    standing: list[Action] = []
    try:
        header = Header.from_json(values[0])
        for n, value in enumerate(values[1:], start=1):
            if value.get("do") == "undo":
                standing.pop()
            elif value.get("do") == "deal" and not known:
                standing.append(Action("deal"))
            else:
                standing.append(Action.from_json(hands.get(n, value) if known else value))
        return list(write_record(header, (each for each in standing if known or each.do != "deal")))
    except (ValueError, LookupError):
        return []
