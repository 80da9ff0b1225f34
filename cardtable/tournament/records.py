"""The results of a tournament from the records of the tables: finished games of its players, boards of bridge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

from cardtable.tournament.setup import players_of
from cardtable.tournament.state import Event, Game, Tournament
from engine.pbn import SEATS, Board
from engine.pbn_records import score_of


class Record(NamedTuple):
    """A game that is over. `id`: its number at the hub. `boards`: of bridge, as its record has them.

    `began`: when, in seconds since 1970 by the hub's clock, as late as is possible.
    """

    id: int
    players: Sequence[str]
    scores: Sequence[int]
    boards: Sequence[Board] = ()
    began: float = inf


def results_in(tournament: Tournament, records: Iterable[Record]) -> list[Event]:
    """Return the events of the results that the records have and the tournament has not.

    A record counts for a game of the same players that was paired before it began, at whatever table they sat: so games
    that are played late, or moved to another table, need nothing else.
    """
    found: list[Event] = []
    taken: set[int] = set()
    order = sorted(records, key=lambda record: record.id)
    for game in tournament.open_games():
        names = [players_of(entrant) for entrant in game.entrants]
        wanted = sorted(player for side in names for player in side)
        for record in order:
            if record.id <= game.after or record.began < game.paired or record.id in taken:
                continue
            if sorted(record.players) != wanted:
                continue
            if game.boards:
                found += list(_boards(tournament, game, record))
                continue
            scores = [_score(record, players[0]) for players in names]
            taken.add(record.id)
            about = {"round": game.round, "entrants": list(game.entrants), "record": record.id}
            found.append({"do": "result", **about, "scores": scores})
            break
    return found


def _score(record: Record, player: str) -> int:
    """Return the score of a player's side: the sides sit in turn."""
    return record.scores[record.players.index(player) % len(record.scores)]


def _boards(tournament: Tournament, game: Game, record: Record) -> Iterable[Event]:
    for board in record.boards:
        if board.number not in game.boards or tournament.line_of(game, board.number) is not None:
            continue
        score = score_of(board)
        if score is None:
            continue
        if {board.names[0], board.names[2]} != {*players_of(game.entrants[0])}:
            score = -score  # the pairs sit the other way round
        yield {
            "do": "board",
            "round": game.round,
            "entrants": list(game.entrants),
            "record": record.id,
            "board": board.number,
            "score": score,
            "contract": board.contract,
            "declarer": "" if board.declarer is None else SEATS[board.declarer],
            "tricks": board.result,
        }
