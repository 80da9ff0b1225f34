"""Corrections: in a knock-out the next round follows them, and a director's entry changes that one game."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from cardtable_club.tournament import TournamentError
from cardtable_club.tournament.pairing import challenge, corrected, next_round
from cardtable_club.tournament.standings import standings
from cardtable_club.tournament.state import KINDS, PAIRS, Event, Game, Setup, Tournament

FOUR = ("Ann", "Bo", "Cy", "Di")


def knockout(entrants: tuple[str, ...] = FOUR, tables: tuple[str, ...] = ("t1", "t2")) -> Tournament:
    """Return a knock-out after its first round, in which the better seeds have won, with its second one paired."""
    tournament = Tournament([{"do": "begin", "setup": Setup("knock-out", entrants, tables).to_json()}])
    for number in (1, 2):
        tournament.do(next_round(tournament))
        for game in tournament.games if number == 1 else ():
            tournament.do(result(game, 10, 5))
    return tournament


def result(game: Game, first: int, second: int) -> Event:
    about = {"round": game.round, "entrants": list(game.entrants), "scores": [first, second], "ruled": True}
    return {"do": "result"} | about


def correct(tournament: Tournament, game: Game, begun: bool = False) -> None:
    """Let the second entrant of a game win."""
    event = corrected(tournament, result(game, 5, 10), 7, lambda next_game: begun)
    tournament.do(json.loads(json.dumps(event)), 50.0)


def test_the_next_round_follows_a_corrected_result() -> None:
    tournament = knockout()
    correct(tournament, tournament.games[0])
    [final] = [game for game in tournament.games if game.round == 2]
    assert (final.entrants, final.table, final.after, final.paired) == (("Di", "Bo"), "t1", 7, 50.0)
    tournament.do(result(final, 10, 5))
    assert [(row.rank, row.entrant) for row in standings(tournament)][:2] == [(1, "Di"), (2, "Bo")]


def test_the_other_games_of_the_next_round_stay() -> None:
    tournament = knockout(tuple("ABCDEFGH"), ("t1", "t2", "t3", "t4"))
    before = [game for game in tournament.games if game.round == 2]
    tournament.do(result(before[1], 9, 1))
    correct(tournament, tournament.games[0])
    now = [game for game in tournament.games if game.round == 2]
    assert [game.entrants for game in now] == [("B", "C"), ("H", "D")] and now[0].scores == (9, 1)
    assert now[1].table == before[0].table


@pytest.mark.parametrize("begun", [False, True])
def test_who_has_played_the_next_game_has_gone_on(begun: bool) -> None:
    tournament = knockout()
    if not begun:
        tournament.do(result(tournament.games[2], 10, 5))
    games = list(tournament.games)
    with pytest.raises(TournamentError, match="has begun to play in round 2"):
        correct(tournament, games[0], begun)
    assert tournament.games == games
    correct_scores = corrected(tournament, result(games[0], 10, 6), 7, lambda game: True)  # the winner stays
    tournament.do(correct_scores)
    assert tournament.games[0].scores == (10, 6)


def test_a_bye_goes_to_who_has_won_after_all() -> None:
    tournament = Tournament([{"do": "begin", "setup": Setup("knock-out", FOUR, ("t1", "t2")).to_json()}])
    tournament.do(next_round(tournament))
    for game in list(tournament.games):
        tournament.do(result(game, 10, 5))
    tournament.do({"do": "leave", "entrant": "Bo"})
    tournament.do(next_round(tournament))
    assert tournament.byes == [(2, "Ann")]
    correct(tournament, tournament.games[0])
    assert tournament.byes == [(2, "Di")] and standings(tournament)[0].entrant == "Di"


def test_a_finalist_who_leaves_before_the_final_is_second() -> None:
    tournament = knockout()
    early = Tournament([{"do": "begin", "setup": Setup("knock-out", FOUR, ("t1", "t2")).to_json()}])
    early.do(next_round(early))
    for game in list(early.games):
        early.do(result(game, 10, 5))
    for each in (early, tournament):
        each.do({"do": "leave", "entrant": "Ann"})
        assert [(row.rank, row.entrant) for row in standings(each)][:2] == [(1, "Bo"), (2, "Ann")]
    early.do(next_round(early))
    assert [(row.rank, row.entrant) for row in standings(early)] == [(1, "Bo"), (2, "Ann"), (3, "Cy"), (3, "Di")]
    with pytest.raises(TournamentError, match="nobody can join"):
        early.do({"do": "join", "entrant": "Ann"})
    tournament.do({"do": "leave", "entrant": "Bo"})  # the winner, after the end
    assert [row.rank for row in standings(tournament)] == [1, 2, 3, 3]


def test_boards_of_a_pair_that_left_can_be_corrected() -> None:
    pairs = ("A & B", "C & D", "E & F", "G & H")
    setup = Setup("mitchell", pairs, ("t1", "t2"), "matchpoints", boards=2)
    tournament = Tournament([{"do": "begin", "setup": setup.to_json()}])
    tournament.do(next_round(tournament))
    first, other = tournament.games
    board: Event = {"do": "board", "round": 1, "table": first.table, "board": first.boards[0], "ruled": True}
    tournament.do(board | {"score": 420})
    tournament.do({"do": "leave", "entrant": first.entrants[0]})
    assert tournament.open_games() == [other]
    tournament.do(board | {"score": -50})
    [(line, _)] = tournament.lines.values()
    assert line.score == -50
    tournament.do({"do": "leave", "entrant": other.entrants[0]})
    assert len(tournament.games) == 1


def drawn_event(tournament: Tournament, chance: random.Random, names: list[str]) -> Event:
    """Return the event of something that a director does. Raises `TournamentError` if it is refused."""
    setup, what = tournament.begun, chance.random()
    if what < 0.4 and setup.kind == "ladder":
        return challenge(tournament, chance.choice(names), chance.choice(names))
    if what < 0.3:
        return next_round(tournament, 0, chance.random() < 0.4)
    if what < 0.7 and tournament.games:
        return entry(tournament, chance.choice(tournament.games), chance)
    if what < 0.85:
        return {"do": chance.choice(["broken", "repaired"]), "table": chance.choice(setup.tables)}
    return {"do": chance.choice(["leave", "leave", "join"]), "entrant": chance.choice([*names, "Y & Z", "Zoe"])}


def entry(tournament: Tournament, game: Game, chance: random.Random) -> Event:
    """Return the event of a result that the director's page sends."""
    if game.boards:
        about = {"round": game.round, "entrants": list(game.entrants), "ruled": True}
        return {"do": "board", "board": chance.choice(game.boards), "score": chance.choice([420, -50, 0])} | about
    event = result(game, *chance.sample([121, 90, 60], 2))
    return corrected(tournament, event, 0, lambda next_game: False)


def contents(tournament: Tournament, but: tuple[int, tuple[str, str]]) -> dict[Any, Any]:
    """Return the results of all games that have one, except one game."""
    games = [game for game in tournament.games if tournament.finished(game)]
    return {
        (game.round, game.entrants): (game.scores, [tournament.line_of(game, board) for board in game.boards])
        for game in games
        if (game.round, game.entrants) != but
    }


def check(tournament: Tournament) -> None:
    at = Counter((game.round, game.table) for game in tournament.open_games() if game.table)
    assert not at or max(at.values()) == 1
    assert len({(game.round, game.entrants) for game in tournament.games}) == len(tournament.games)
    if tournament.begun.kind == "ladder":
        tables = [table for _, table in at]
        assert len(tables) == len({*tables})


def attempt(act: Callable[[], Event]) -> Event | None:
    try:
        return json.loads(json.dumps(act()))  # type: ignore[no-any-return]
    except TournamentError:
        return None


@pytest.mark.sampled(18)
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", KINDS)
def test_every_game_can_be_entered_and_no_other_one_changes(kind: str, seed: int) -> None:
    chance = random.Random(f"{kind} {seed}")
    count = chance.randint(4, 9)
    names = [f"A{n} & B{n}" if kind in PAIRS else f"P{n}" for n in range(count)]
    tables = tuple(f"t{n}" for n in range((count + 1) // 2 + chance.randint(0, 1)))
    scoring = "matchpoints" if kind in PAIRS else "wins"
    tournament = Tournament([{"do": "begin", "setup": Setup(kind, tuple(names), tables, scoring, boards=2).to_json()}])
    tournament.do(challenge(tournament, names[1], names[0]) if kind == "ladder" else next_round(tournament))
    for _ in range(40):
        event = attempt(lambda: drawn_event(tournament, chance, names))
        if event is None:
            continue
        before = contents(tournament, (event.get("round", 0), tuple(event.get("entrants", ("", "")))))
        try:
            tournament.do(event)
        except TournamentError:
            continue
        now = contents(tournament, (0, ("", "")))
        assert all(now.get(key) == found for key, found in before.items()), event
        check(tournament)
        standings(tournament)
    for game in tournament.open_games():
        for board in game.boards or (0,):
            more = {"do": "board", "board": board, "score": 420} if game.boards else {}
            tournament.do(result(game, 121, 90) | more)
        assert game not in tournament.open_games()
    assert not tournament.open_games()
