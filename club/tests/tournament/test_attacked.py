"""A tournament whose director presses anything, in any order, and whose people and tables come and go."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from cardtable_club.tournament import TournamentError
from cardtable_club.tournament.pairing import boards_to_come, challenge, corrected, next_round
from cardtable_club.tournament.standings import standings
from cardtable_club.tournament.state import KINDS, PAIRS, Event, Setup, Tournament

STEPS = 60


def begun(rng: random.Random) -> Event:
    kind, more = rng.choice(KINDS), rng.randint(2, 13)
    names = tuple(named(f"A{number}", kind) for number in range(more))
    scoring = "matchpoints" if kind in PAIRS else rng.choice(["wins", "cribbage"])
    tables = tuple(f"t{number}" for number in range(rng.randint(1, 8)))
    return {"do": "begin", "setup": Setup(kind, names, tables, scoring, rng.choice([None, 1, 3, 5]), 2).to_json()}


def named(name: str, kind: str) -> str:
    return f"{name} & {name}s" if kind in PAIRS else name


def pressed(tournament: Tournament, step: int, rng: random.Random) -> Event:
    """Return what a director does next. Raises `TournamentError` if it is refused."""
    kind, wanted = (
        tournament.begun.kind,
        rng.choice(["round", "result", "result", "board", "board", "leave", "join", "table"]),
    )
    game = rng.choice(tournament.games) if tournament.games else None
    if game is not None and wanted in ("result", "board"):
        about = {"round": game.round, "entrants": list(game.entrants), "ruled": True}
        if game.boards:
            return {"do": "board", "board": rng.choice(game.boards), "score": rng.choice([420, -50, 0])} | about
        event = {"do": "result", "scores": rng.choice([[121, 90], [5, 121]])} | about
        return corrected(tournament, event, 0, lambda game: False)
    if wanted == "leave":
        return {"do": "leave", "entrant": rng.choice(tournament.entrants)}
    if wanted == "join":
        return {"do": "join", "entrant": rng.choice([*tournament.entrants, named(f"B{step}", kind)])}
    if wanted == "table":
        return {"do": rng.choice(["broken", "repaired"]), "table": rng.choice(tournament.begun.tables)}
    if kind == "ladder":
        return challenge(tournament, rng.choice(tournament.entrants), rng.choice(tournament.entrants))
    return next_round(tournament, late=rng.random() < 0.3)


def faults_in(tournament: Tournament) -> Iterator[str]:
    """Yield what no tournament may have: an entrant twice in a round or at a board, a table with two games at once."""
    for number in range(1, tournament.round + 1):
        games = [game for game in tournament.games if game.round == number]
        placed = [name for game in games for name in game.entrants]
        placed += [name for at, name in tournament.byes if at == number]
        tables = [game.table for game in tournament.open_games() if game.round == number and game.table]
        yield from (
            f"{each} twice in round {number}" for each, count in Counter([*placed, *tables]).items() if count > 1
        )
    boards = Counter((name, board) for game in tournament.games for name in game.entrants for board in game.boards)
    yield from (f"{each} twice" for each, count in boards.items() if count > 1)


@pytest.mark.parametrize("seed", [*range(20), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(20, 200))])
def test_nothing_breaks_a_tournament_or_loses_a_result(seed: int) -> None:
    rng, events = random.Random(seed), list[Event]()
    tournament, entered = Tournament(), dict[object, object]()
    for step in range(STEPS):
        try:
            event = json.loads(json.dumps(pressed(tournament, step, rng) if events else begun(rng)))
            tournament.do(event)
        except TournamentError:
            continue
        events.append(event)
        if "again" in event or event["do"] == "begin":
            entered.clear()
        if event["do"] in ("result", "board"):
            entered[event["round"], tuple(event["entrants"]), event.get("board")] = event
        assert [*faults_in(tournament)] == []
        standings(tournament)
        boards_to_come(tournament)
    assert vars(Tournament(events)) == vars(tournament)
    for key, event in entered.items():
        number, entrants, board = key
        [game] = [game for game in tournament.games if (game.round, game.entrants) == (number, entrants)]
        line = tournament.line_of(game, board) if board else None
        found = line.score if line else game.scores and list(game.scores)
        assert found == event["score" if board else "scores"]
