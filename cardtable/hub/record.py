"""A game at the hub as a record (docs/record.md): whole if its hands have come, otherwise as a table without hands."""

from __future__ import annotations

import json

from cardtable.club.messages import HANDS
from cardtable.hub.hands import with_hands
from cardtable.hub.store import GameResult, Key, Store
from engine.actions import Action
from engine.record import Header, write_record


def record_of(store: Store, game: GameResult) -> list[str]:
    """Return the lines of the record, without line ends. Raises `StoreError`; no line for a damaged header."""
    key = Key(game.table, game.game)
    lines = store.lines(key)
    whole = with_hands(lines, store.lines(Key(game.table, game.game + HANDS))) if game.over else None
    standing: list[Action] = []
    try:
        values = [json.loads(line.line) for line in whole or lines]
        header = Header.from_json(values[0])
        for value in values[1:]:
            if value.get("do") == "undo":
                standing.pop()
            elif value.get("do") == "deal" and whole is None:
                standing.append(Action("deal"))
            else:
                standing.append(Action.from_json(value))
        return list(write_record(header, (each for each in standing if whole or each.do != "deal")))
    except (ValueError, LookupError):
        return []
