"""What the state of a table's board says of its game, for the wall: the scores while hands are still at the table."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class BoardScores(NamedTuple):
    """The game on a board. `scores`: one for each side. `winners`: sides; empty while the game goes on."""

    game: str
    players: tuple[str, ...]
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    over: bool


def read_board(state: str) -> BoardScores | None:
    """Return what a state (docs/interface.md) says; None if it shows no game, or is not a state.

    >>> seats = '[{"name": "Ann", "score": 3}]'
    >>> read_board(f'{{"game": "whist", "sides": 1, "seats": {seats}, "winners": [], "over": false}}')
    BoardScores(game='whist', players=('Ann',), scores=(3,), winners=(), over=False)
    >>> read_board('{"screen": "lobby"}')
    """
    try:
        value: Any = json.loads(state)
        seats = value["seats"]
        scores = tuple(int(seat["score"]) for seat in seats[: int(value["sides"])])
        winners = tuple(map(int, value["winners"]))
        return BoardScores(
            str(value["game"]), tuple(str(seat["name"]) for seat in seats), scores, winners, bool(value["over"])
        )
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
