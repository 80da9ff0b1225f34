"""What the wall of the club shows, as JSON: tables and scores, standings, who waits, the seats of the next round."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Set
from typing import Final, TypedDict

from cardtable.hub.boards import BoardScores
from cardtable.hub.mirror import Mirror, players_of
from cardtable.hub.store import GameResult, Key, Seat
from cardtable.play.summaries import decoded
from cardtable.tournament.standings import standings
from cardtable.tournament.state import Tournament
from engine.games import title_of
from engine.texts import Translate, in_language
from engine.views import side_names

PRESENT_S: Final = 12 * 3600.0
"""Seconds since the last action of a game during which its players count as there."""


class SideState(TypedDict):
    """A side of a game, its score, and whether it has won."""

    name: str
    score: int
    won: bool


class TableState(TypedDict):
    """A table. `game`: the number of its last game at the hub; None before the first.

    `conflict`: its journal contradicts what the hub has. `double`: two tables seem to have this name.
    """

    name: str
    online: bool
    board: bool
    conflict: bool
    double: bool
    game: int | None
    title: str
    sides: list[SideState]
    over: bool


class StandingState(TypedDict):
    """A player in the standings; `played`: games that are over."""

    rank: int
    player: str
    played: int
    won: int


class PlaceState(TypedDict):
    """A table's seats in the next round, in seat order; `ready`: whether the table has said so."""

    table: str
    players: list[str]
    ready: bool


class PlaceInTournament(TypedDict):
    """An entrant's place; `more`: the figures that break ties; `field`: NS, EW, or "" with one winner."""

    rank: int
    entrant: str
    score: str
    more: str
    field: str


class TournamentState(TypedDict):
    """A tournament. `rows`: its standings. `open`: games of earlier rounds and of this one without a result."""

    name: str
    round: int
    open: int
    rows: list[PlaceInTournament]


class WallState(TypedDict):
    """What the wall shows. `trouble`: whether nothing can be stored now; `broker`: whether the broker is connected."""

    club: str
    broker: bool
    trouble: bool
    tables: list[TableState]
    standings: list[StandingState]
    waiting: list[str]
    round: int | None
    places: list[PlaceState]
    tournament: TournamentState | None


def tables_of(
    online: Mapping[str, bool],
    boards: Mapping[str, BoardScores | None],
    conflicts: Set[str],
    doubled: Set[str],
    mirror: Mirror,
    translate: Translate,
    knew_hands: Callable[[Key], bool] = lambda key: False,
) -> list[TableState]:
    """Return the tables by name. `boards`: those that have sent a state; `conflicts`: those whose lines changed.

    `doubled`: names that two tables seem to have. Of a game of which the table knows hands (`knew_hands`) its board
    says the score.
    """
    latest = mirror.latest()
    for name, game in latest.items():
        board = boards.get(name)
        if board and not game.over and (game.value is None or knew_hands(Key(game.table, game.game))):
            latest[name] = _as_on(board, game)
    found = [
        _table(name, online.get(name, False), name in boards, latest.get(name), translate)
        for name in sorted({*online, *latest}, key=_natural)
    ]
    for table in found:
        table["conflict"], table["double"] = table["name"] in conflicts, table["name"] in doubled
    return found


def _as_on(board: BoardScores, game: GameResult) -> GameResult:
    """Return the game with the scores that a board shows, if it shows this game."""
    about = decoded(game.header)
    if not isinstance(about, dict) or (about.get("game"), players_of(game)) != (board.game, list(board.players)):
        return game
    return game._replace(value=json.dumps([board.scores, board.winners, []]), over=board.over)


def _table(name: str, online: bool, board: bool, game: GameResult | None, translate: Translate) -> TableState:
    sides = sides_of(game, translate) if game else []
    about = decoded(game.header) if game else None
    title = title_of(str(about.get("game"))) if isinstance(about, dict) else ""
    return {
        "name": name,
        "online": online,
        "board": board,
        "conflict": False,
        "double": False,
        "game": game.id if game else None,
        "title": in_language(title, translate),
        "sides": sides,
        "over": bool(game and game.over),
    }


def sides_of(game: GameResult, translate: Translate) -> list[SideState]:
    """Return the sides of a game; none if its lines cannot be replayed."""
    players, value = players_of(game), decoded(game.value)
    if not isinstance(value, list) or not players:
        return []
    scores, winners = value[0], value[1]
    names = side_names(tuple(players), len(scores))
    return [
        {"name": in_language(name, translate), "score": score, "won": side in winners}
        for side, (name, score) in enumerate(zip(names, scores, strict=False))
    ]


def standings_of(mirror: Mirror, most: int | None = None) -> list[StandingState]:
    """Return the players, those who have won most first; players with the same figures share a rank."""
    found: list[StandingState] = []
    rows = sorted((-wins.won, wins.played, player) for player, wins in mirror.wins().items())
    for not_won, played, player in rows[:most]:
        same = found and (found[-1]["won"], found[-1]["played"]) == (-not_won, played)
        rank = found[-1]["rank"] if same else len(found) + 1
        found.append({"rank": rank, "player": player, "played": played, "won": -not_won})
    return found


def waiting_of(mirror: Mirror, seats: list[Seat], now: float | None = None) -> list[str]:
    """Return the players who were there in the last hours, or have seats, and sit in no game that goes on."""
    since = (time.time() if now is None else now) - PRESENT_S
    latest = mirror.latest().values()
    busy = {player for game in latest if not game.over and mirror.heard(game) >= since for player in players_of(game)}
    there = {player for player, at in mirror.seen().items() if at >= since} | {seat.player for seat in seats}
    return sorted(there - busy)


def tournament_of(tournament: Tournament, most: int, translate: Translate) -> TournamentState | None:
    """Return what the wall shows of a tournament; None before it has begun."""
    if tournament.setup is None:
        return None
    rows: list[PlaceInTournament] = [
        {
            "rank": row.rank,
            "entrant": row.entrant,
            "score": in_language(row.score, translate),
            "more": in_language(row.more, translate),
            "field": row.field,
        }
        for row in standings(tournament)[:most]
    ]
    return {
        "name": tournament.setup.name,
        "round": tournament.round,
        "open": len(tournament.open_games()),
        "rows": rows,
    }


def places_of(seats: list[Seat]) -> list[PlaceState]:
    """Return the seats of a round by table."""
    found: dict[str, PlaceState] = {}
    for seat in sorted(seats, key=lambda seat: (_natural(seat.table), seat.seat)):
        place = found.setdefault(seat.table, {"table": seat.table, "players": [], "ready": True})
        place["players"].append(seat.player)
        place["ready"] = place["ready"] and seat.ready is not None
    return list(found.values())


def as_json(state: WallState) -> str:
    """Return the state as a page gets it."""
    return json.dumps(state, ensure_ascii=False)


def _natural(name: str) -> tuple[int, str, str]:
    """Sort `table-10` after `table-9`."""
    return len(name), name, ""
