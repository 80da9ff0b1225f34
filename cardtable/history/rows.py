"""A game of the list of games, with its sides."""

from __future__ import annotations

from cardtable.history.shapes import GameRow, SideEntry
from cardtable.play.summaries import GameEntry
from engine.games import title_of
from engine.results import ranked_sides
from engine.texts import Translate, in_language
from engine.views import side_names


def game_row(entry: GameEntry, fault: str | None, translate: Translate) -> GameRow:
    """Return what the list of games says of one. `fault`: why it cannot be read; None if it can."""
    return {
        "id": entry.id,
        "game": entry.name,
        "title": title_of(entry.name),
        "players": list(entry.players),
        "sides": _sides(entry, translate),
        "started": entry.started,
        "ended": entry.ended,
        "actions": entry.actions,
        "over": entry.over,
        "error": None if fault is None else in_language(fault, translate),
    }


def _sides(entry: GameEntry, translate: Translate) -> list[SideEntry]:
    result = entry.result
    if result is None or not entry.players:
        return []
    names = side_names(entry.players, len(result.scores))
    ranked = ranked_sides(result.scores, result.winners)
    return [
        {
            "name": in_language(names[side], translate),
            "score": score,
            "won": side in result.winners,
            "rank": ranked.index(side),
        }
        for side, score in enumerate(result.scores)
    ]
