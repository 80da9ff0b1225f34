"""Tournaments from begin to end: rounds, corrections, players who leave, tables that break down, late plays."""

from __future__ import annotations

import json
import random
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardtable.languages import translator
from cardtable_club.tournament import TournamentError
from cardtable_club.tournament.pairing import challenge, next_round
from cardtable_club.tournament.results import Record, results_in, usebio
from cardtable_club.tournament.standings import standings
from cardtable_club.tournament.state import Event, Setup, Tournament, check_board, check_scores
from engine.formats.board import Board
from engine.texts import in_language

NAMES = ("Ann", "Bo", "Cy", "Di", "Eve", "Flo", "Gus", "Hal")
PAIRS = tuple(f"N{n} & S{n}" for n in range(3)) + tuple(f"E{n} & W{n}" for n in range(3))


def begun(kind: str, entrants: tuple[str, ...] = NAMES, scoring: str = "wins", **more: Any) -> Tournament:
    tables = tuple(f"t{n}" for n in range(1, len(entrants) // 2 + 2))
    setup = Setup(kind, entrants, tables, scoring, **more)
    return Tournament([{"do": "begin", "setup": json.loads(json.dumps(setup.to_json()))}])


def result(number: int, table: str, first: int, second: int, ruled: bool = False) -> Event:
    return {"do": "result", "round": number, "table": table, "scores": [first, second], "ruled": ruled}


def play(tournament: Tournament, chance: random.Random) -> None:
    for game in tournament.open_games():
        loser = chance.randrange(121)
        scores = [121, loser] if chance.random() < 0.5 else [loser, 121]
        tournament.do({"do": "result", "round": game.round, "entrants": list(game.entrants), "scores": scores})


@settings(max_examples=12, deadline=None)
@given(st.integers(3, 11), st.sampled_from(["round-robin", "swiss", "knock-out"]), st.integers(0, 99))
def test_every_tournament_comes_to_its_end(entrants: int, kind: str, seed: int) -> None:
    chance = random.Random(seed)
    rounds = entrants // 2 if kind == "swiss" else None
    tournament = begun(kind, tuple(f"p{n}" for n in range(entrants)), rounds=rounds)
    events: list[Event] = []
    with pytest.raises(TournamentError, match="over"):
        while True:
            events.append(json.loads(json.dumps(next_round(tournament))))
            tournament.do(events[-1])
            if tournament.round == 2 and kind != "round-robin":
                events.append({"do": "leave", "entrant": tournament.games[-1].entrants[1]})
                tournament.do(events[-1])
            play(tournament, chance)
    met = [frozenset(game.entrants) for game in tournament.games]
    assert len(met) == len({*met})
    rows = standings(tournament)
    assert sorted(row.entrant for row in rows) == sorted(tournament.entrants) and rows[0].rank == 1
    if kind == "knock-out":
        assert [row.rank for row in rows].count(1) == 1
        assert len(tournament.games) == entrants - 1 or tournament.left


def test_a_result_is_corrected_by_the_director_alone() -> None:
    tournament = begun("swiss", scoring="cribbage", rounds=3)
    tournament.do(next_round(tournament))
    tournament.do(result(1, "t1", 121, 90))
    assert standings(tournament)[0][:4] == (1, "Ann", "3", "1, +31")
    tournament.do(result(1, "t1", 90, 121, ruled=True))
    tournament.do(result(1, "t1", 121, 0))
    assert standings(tournament)[0][:3] == (1, "Eve", "3")
    with pytest.raises(TournamentError, match="no game"):
        tournament.do(result(1, "t9", 1, 2))


def test_a_round_waits_for_its_games_unless_they_are_played_late() -> None:
    tournament = begun("round-robin")
    tournament.do(next_round(tournament))
    tournament.do(result(1, "t1", 2, 1))
    with pytest.raises(TournamentError, match="play them late"):
        next_round(tournament)
    tournament.do(next_round(tournament, late=True))
    late = [game for game in tournament.open_games() if game.round == 1]
    assert len(late) == 3
    found = results_in(tournament, [Record(5, late[0].entrants[::-1], (7, 3))])
    assert found[0]["round"] == 1 and found[0]["scores"] == [3, 7]


def test_a_table_breaks_down() -> None:
    tournament = begun("swiss", rounds=3)
    tournament.do(next_round(tournament))
    tournament.do({"do": "broken", "table": "t1"})
    assert tournament.game(1, "t5").entrants == ("Ann", "Eve")  # t5 was free
    tournament.do({"do": "broken", "table": "t2"})
    assert [game.table for game in tournament.games] == ["t5", None, "t3", "t4"]
    tournament.do({"do": "repaired", "table": "t1"})
    assert tournament.game(1, "t1").entrants == ("Bo", "Flo")
    tournament.do({"do": "broken", "table": "t1"})
    play(tournament, random.Random(1))
    tournament.do(next_round(tournament))
    assert [game.table for game in tournament.games[4:]] == ["t3", "t4", "t5", None]


def test_a_player_who_leaves_gives_the_opponent_a_walkover() -> None:
    tournament = begun("swiss", scoring="cribbage", rounds=3)
    tournament.do(next_round(tournament))
    tournament.do({"do": "leave", "entrant": "Ann"})
    assert tournament.game(1, "t1").winner == "Eve"
    play(tournament, random.Random(2))
    tournament.do(next_round(tournament))
    later = [name for game in tournament.games if game.round == 2 for name in game.entrants]
    assert "Ann" not in later and len(later) == 6
    with pytest.raises(TournamentError):
        tournament.do({"do": "leave", "entrant": "Ann"})
    tournament.do({"do": "join", "entrant": "Zoe"})
    assert "Zoe" in tournament.playing


@pytest.mark.parametrize("scoring", ["wins", "cribbage"])
def test_who_leaves_a_round_robin_loses_the_games_that_are_left(scoring: str) -> None:
    tournament = begun("round-robin", ("Ann", "Bo", "Cy", "Di", "Eve"), scoring)  # one sits out in each round
    tournament.do({"do": "leave", "entrant": "Ann"})
    with pytest.raises(TournamentError, match="over"):
        while True:
            tournament.do(next_round(tournament))
            for game in tournament.open_games():
                scores = [121, 100] if game.entrants[0] < game.entrants[1] else [100, 121]
                tournament.do({"do": "result", "round": game.round, "entrants": list(game.entrants), "scores": scores})
    won = {row.entrant: row.score for row in standings(tournament)}
    each = 2 if scoring == "cribbage" else 1
    # Four games each: Bo beats three and has one from Ann; a round in which one sits out as planned counts nothing.
    assert won == {"Bo": f"{4 * each}", "Cy": f"{3 * each}", "Di": f"{2 * each}", "Eve": f"{each}", "Ann": "0"}


def test_a_ladder() -> None:
    tournament = begun("ladder")
    with pytest.raises(TournamentError, match="three places"):
        challenge(tournament, "Hal", "Ann")
    tournament.do(challenge(tournament, "Di", "Bo"))
    with pytest.raises(TournamentError, match="not over"):
        challenge(tournament, "Cy", "Bo")
    tournament.do(result(1, "t1", 5, 3))
    assert [row.entrant for row in standings(tournament)][:4] == ["Ann", "Di", "Bo", "Cy"]


def board(number: int, names: str, contract: str, declarer: int, tricks: int, vulnerable: int = 0) -> Board:
    about = {"declarer": declarer, "contract": contract, "result": tricks, "vulnerable": vulnerable}
    return Board(number, tuple(names.split()), 0, **about)  # type: ignore[arg-type]


def test_a_mitchell_from_the_records_of_its_tables() -> None:
    tournament = begun("mitchell", PAIRS, "matchpoints", boards=1)
    contracts = iter(
        [("4S", 10), ("3NT", 8), ("1NT", 7), ("2H", 8), ("2HX", 7), ("6NT", 12), ("3C", 9), ("3C", 8), ("Pass", 0)]
    )
    number = 0
    for _ in range(3):
        tournament.do(json.loads(json.dumps(next_round(tournament, after=number))))
        for game in tournament.open_games():
            number += 1
            north, east = game.entrants
            names = f"{north.split()[0]} {east.split()[0]} {north.split()[2]} {east.split()[2]}"
            contract, tricks = next(contracts)
            record = Record(number, names.split(), (0, 0), [board(game.boards[0], names, contract, 0, tricks)])
            for event in results_in(tournament, [record]):
                tournament.do(event)
    assert not tournament.open_games()
    rows = standings(tournament)
    assert [row.field for row in rows] == ["NS"] * 3 + ["EW"] * 3
    assert all(re.fullmatch(r"\d+\.\d\d %", row.score) for row in rows)
    french = [in_language(row.score, translator("fr")) for row in rows]
    assert french == [row.score.replace(".", ",").replace(" ", "\u00a0") for row in rows]
    root = ElementTree.fromstring(usebio(tournament, "north", "23/11/2026").partition('dtd">')[2])
    assert root.tag == "USEBIO" and root.findtext("EVENT/WINNER_TYPE") == "2"
    lines = root.findall("EVENT/SESSION/SECTION/BOARD/TRAVELLER_LINE")
    assert len(lines) == 9
    assert sum(float(line.findtext("NS_MATCH_POINTS", "")) for line in lines) == 9.0
    assert {line.findtext("SCORE") for line in lines} == {"420", "-50", "90", "110", "-100", "990", "0"}
    assert len(root.findall("EVENT/SESSION/SECTION/PARTICIPANTS/PAIR/PLAYER")) == 12
    tournament.do({"do": "board", "round": 1, "table": "t1", "board": 1, "adjusted": ["A+", "A-"], "ruled": True})
    assert tournament.lines[1, 1, "N0 & S0–E0 & W0"][0].adjusted == ("A+", "A-")
    assert "<SCORE>A6040</SCORE>" in usebio(tournament, "north", "23/11/2026")


def test_of_a_board_that_was_played_twice_the_first_result_counts() -> None:
    tournament = begun("mitchell", PAIRS, "matchpoints", boards=1)
    tournament.do(json.loads(json.dumps(next_round(tournament))))
    game = tournament.games[0]
    north, east = game.entrants
    names = f"{north.split()[0]} {east.split()[0]} {north.split()[2]} {east.split()[2]}"
    first, again = (board(game.boards[0], names, "4S", 0, tricks) for tricks in (10, 9))
    for records in ([Record(1, names.split(), (0, 0), [first, again])], [Record(2, names.split(), (0, 0), [again])]):
        for event in results_in(tournament, records):
            tournament.do(event)
    line = tournament.line_of(game, game.boards[0])
    assert line is not None and line.score == 420
    two = [Record(number, names.split(), (0, 0), [each]) for number, each in ((3, first), (4, again))]
    other = Tournament([{"do": "begin", "setup": tournament.begun.to_json()}])
    other.do(json.loads(json.dumps(next_round(other))))
    assert [event["score"] for event in results_in(other, two)] == [420]


def test_a_pair_takes_the_place_of_one_that_left_before_the_first_round() -> None:
    tournament = begun("mitchell", PAIRS[:4], "matchpoints", boards=1)
    tournament.do({"do": "leave", "entrant": PAIRS[1]})
    tournament.do({"do": "join", "entrant": PAIRS[5]})
    tournament.do(json.loads(json.dumps(next_round(tournament))))
    assert {name for game in tournament.games for name in game.entrants} == {PAIRS[0], *PAIRS[2:4], PAIRS[5]}


@pytest.mark.parametrize(
    ("kind", "entrants", "scoring", "wrong"),
    [
        ("chess", NAMES, "wins", "not a kind"),
        ("swiss", NAMES, "imps", "cannot be scored"),
        ("swiss", ("Ann", "Ann"), "wins", "twice"),
        ("mitchell", NAMES, "imps", "pairs"),
        ("swiss", ("Ann",), "wins", "2 to 500"),
        ("swiss", ("Ann", " Ann "), "wins", "cannot be a name"),
        ("swiss", ("Ann", "B\0"), "wins", "cannot be a name"),
        ("swiss", ("Ann", "Bo\u202e"), "wins", "cannot be a name"),
        ("swiss", ("Ann", "\u0410nn"), "wins", "look alike"),
        ("swiss", ("Ann", ""), "wins", "cannot be a name"),
        ("swiss", ("Ann", 41 * "B"), "wins", "1 to 40 letters"),
        ("mitchell", ("A & B", "C & D", "E & F", "G & G"), "imps", "G is in the list twice"),
        ("mitchell", ("A & B", "C & D", "E & F", "A & G"), "imps", "A is in the list twice"),
    ],
)
def test_what_cannot_be_played_is_refused(kind: str, entrants: tuple[str, ...], scoring: str, wrong: str) -> None:
    with pytest.raises(TournamentError, match=wrong):
        begun(kind, entrants, scoring)


@pytest.mark.parametrize(("first", "second"), [(5, 5000), (121, 121), (120, 90), (121, -1)])
def test_a_game_of_cribbage_ends_with_121(first: int, second: int) -> None:
    setup = begun("swiss", scoring="cribbage").begun
    check_scores(setup, 121, 0)
    check_scores(setup, 120, 121)
    with pytest.raises(TournamentError, match="no result of cribbage"):
        check_scores(setup, first, second)
    check_scores(begun("swiss").begun, first, second)


@pytest.mark.parametrize("score", [37, 421, 1, -999_999, 7601])
def test_a_board_scores_what_a_contract_scores(score: int) -> None:
    for possible in (0, 90, -50, 420, -1430, 2220, -7600):  # 7NTXX, vulnerable, thirteen down: 7600
        check_board(possible)
    with pytest.raises(TournamentError, match="no contract scores"):
        check_board(score)
