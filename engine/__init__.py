"""The rules of card games, as a library: games in progress, records, and the referee.

    >>> import engine
    >>> table = engine.Table("cribbage", ["Ann", "Bo"], dealer=0)
    >>> table.do("turn JC").points
    (Point(seat=0, points=2, reason='heels'),)
    >>> len(table.legal_actions())
    51

docs/how-to/python.md is the tutorial. The engine is pure: it uses neither clock, files, threads nor randomness, and
imports nothing but the standard library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.actions import Action, BadAction
    from engine.cards import STANDARD_DECK, Card, Deck, parse_card
    from engine.errors import EngineError, HeaderError, RecordError, Refused
    from engine.games import game_names, load_game
    from engine.record import Header, Record, read_record, write_record
    from engine.referee.referee import Referee
    from engine.table import LegalActions, Outcome, Table, replay
    from engine.views import View

__all__ = [
    "STANDARD_DECK", "Action", "BadAction", "Card", "Deck", "EngineError", "Header", "HeaderError", "LegalActions",
    "Outcome", "Record", "RecordError", "Referee", "Refused", "Table", "View", "game_names", "load_game", "parse_card",
    "read_record", "replay", "write_record",
]  # fmt: skip

_MODULES = {
    "engine.actions": ("Action", "BadAction"),
    "engine.cards": ("STANDARD_DECK", "Card", "Deck", "parse_card"),
    "engine.errors": ("EngineError", "HeaderError", "RecordError", "Refused"),
    "engine.games": ("game_names", "load_game"),
    "engine.record": ("Header", "Record", "read_record", "write_record"),
    "engine.referee.referee": ("Referee",),
    "engine.table": ("LegalActions", "Outcome", "Table", "replay"),
    "engine.views": ("View",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    # Loaded on first use, so that a part of the engine can be imported without all the others.
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
