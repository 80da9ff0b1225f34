"""The tournament's log: events in the database, results from the tables' records, seats, files, the command."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable_club.hub.director import Begin, Result, Round, TournamentLog, direct
from cardtable_club.hub.games import LiveGame
from cardtable_club.hub.pages import tournament_of
from cardtable_club.hub.store import GameResult, Key, Received, Store
from cardtable_club.member.messages import Line, compact
from cardtable_club.member.outbox import public_line
from cardtable_club.tournament import TournamentError
from cardtable_club.tournament.pairing import next_round
from cardtable_club.tournament.results import score_of
from cardtable_club.tournament.standings import standings
from cardtable_club.tournament.state import Setup
from engine.actions import Action
from engine.formats.board import boards_of
from engine.record import Header
from engine.table import Table
from engine.texts import as_written

NOW = 5e9
"""By the clock of a table that is ahead."""


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/club.sqlite"


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    with closing(Store(database)) as store:
        yield store


def game(number: int, players: tuple[str, ...], scores: tuple[int, ...], over: bool = True) -> GameResult:
    value = json.dumps([scores, [scores.index(max(scores))] if over else [], []])
    header = compact(Header("cribbage", players).to_json())
    return GameResult(0, f"t{number}", f"{number}-00000000", 9, header, NOW, NOW + 100.0, over, value)


def begin(log: TournamentLog, kind: str = "swiss", entrants: tuple[str, ...] = ("Ann", "Bo", "Cy", "Di")) -> None:
    scoring = "matchpoints" if kind == "mitchell" else "cribbage"
    setup = Setup(kind, entrants, ("t1", "t2", "t3"), scoring, rounds=None if kind == "mitchell" else 2, boards=1)
    log.do({"do": "begin", "setup": setup.to_json()})


def test_results_come_from_the_games_of_the_tables_also_of_another_table(store: Store) -> None:
    log = TournamentLog(store)
    begin(log)
    store.keep_results([game(1, ("Ann", "Cy"), (121, 10))])  # before the round was paired
    log.do(next_round(log.tournament(), after=1))
    assert [(seat.table, seat.player) for seat in store.assigned()] == [
        ("t1", "Ann"), ("t1", "Cy"), ("t2", "Bo"), ("t2", "Di"),
    ]  # fmt: skip
    assert log.collect(store.results()) == 0
    store.keep_results([game(3, ("Di", "Bo"), (121, 90)), game(2, ("Ann", "Cy"), (80, 121), over=False)])
    assert log.collect(store.results()) == 1
    other = TournamentLog(store)  # the command, beside the hub
    assert [game.scores for game in other.tournament().games] == [None, (90, 121)]
    other.do({"do": "result", "round": 1, "table": "t1", "scores": [121, 120], "ruled": True})
    assert [row.entrant for row in standings(log.tournament())] == ["Di", "Ann", "Cy", "Bo"]
    shown = tournament_of(log.tournament(), 2, as_written)
    assert shown is not None and (shown["round"], shown["open"], len(shown["rows"])) == (1, 0, 2)
    assert shown["rows"][0] == {"rank": 1, "entrant": "Di", "score": "3", "more": "1, +31", "field": ""}


def test_a_table_that_breaks_down_gives_its_seats_to_a_free_one(store: Store) -> None:
    log = TournamentLog(store)
    begin(log)
    log.do(next_round(log.tournament()))
    log.do({"do": "broken", "table": "t1"})
    assert {seat.table: seat.player for seat in store.assigned()} == {"t2": "Di", "t3": "Cy"}
    begin(log)
    assert store.assigned() == [] and log.tournament().round == 0


def test_boards_of_bridge_come_from_the_lines_of_their_tables(store: Store, database: str, tmp_path: Path) -> None:
    table = bridge(7)
    stored = [compact(value.to_json()) for value in (table.header, *table.actions)]
    lines = [Line("1000-00000000", n, public_line(each), NOW) for n, each in enumerate(stored)]
    live = LiveGame(Key("t1", "1000-00000000"))
    live.add(lines)
    log = TournamentLog(store)
    begin(log, "mitchell", ("Ann & Bo", "Cy & Di", "Eve & Flo", "Gus & Hal"))
    log.do(next_round(log.tournament()))
    store.take([Received("t1", line) for line in lines])
    store.keep_results([live.result()])
    assert log.collect(store.results()) == 1
    [(line, ruled)] = log.tournament().lines.values()
    assert line.ns == "Ann & Bo" and line.score == table.scores[0] - table.scores[1] and not ruled
    target = tmp_path / "results.pbn"
    assert main(["tournament", "export", "--as", "pbn", "--database", database, "-o", str(target)]) == 0
    assert '[Contract "4S"]' in target.read_text() and '[Event "Tournament"]' in target.read_text()


@pytest.mark.parametrize("seed", range(6))
def test_a_board_scores_as_the_rules_have_scored_it(seed: int) -> None:
    table = bridge(seed)
    [board] = boards_of(table.header, table.actions)
    assert score_of(board) == table.scores[0] - table.scores[1]


def bridge(seed: int) -> Table:
    """A board of duplicate, dealt by Ann as North, with random plays."""
    chance = random.Random(seed)
    options = {"scoring": "duplicate", "boards": 1}
    table = Table(Header("bridge", ("Ann", "Eve", "Bo", "Flo"), 0, options))
    calls = (
        ["4s", "pass", "pass", "pass"] if seed % 2 else ["pass", "3nt", "double", "redouble", "pass", "pass", "pass"]
    )
    for turn, call in enumerate(calls):
        table.do(Action("say", turn % 4, word=call))
    while not table.over:
        plays = [action for action in table.legal_actions() if action.do == "play"]
        table.do(chance.choice(plays))
    return table


def test_the_command_runs_a_tournament(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = tmp_path / "players.txt"
    names.write_text("Ann\nBo\nCy\n")

    def call(*words: str, status: int = 0) -> str:
        assert main(["tournament", *words, "--database", database]) == status
        output = capsys.readouterr()
        return output.out + output.err

    assert "there is no tournament yet" in call("standings", status=2)
    about = ("--kind", "swiss", "--entrants", str(names), "--tables", "t1,t2", "--rounds", "3", "--scoring", "cribbage")
    assert "stored" in call("begin", *about)
    assert call("round").splitlines() == ["t1: Ann – Bo", "bye: Cy"]
    assert "enter the result" in call("round", status=2)
    call("result", "1", "t1", "121", "80")
    assert call("broken", "t1").splitlines()[0] == "t1: Ann – Bo"  # it is over
    assert call("standings").split()[:3] == ["1", "Ann", "3"]
    assert call("export").splitlines()[1] == '1,,Ann,3,"1, +41"'
    assert "no result of cribbage" in call("result", "1", "Ann", "5", "5000", status=2)
    call("result", "1", "Bo", "121", "79")
    assert "1, +42" in call("standings")
    assert "'rounds' is 0: it should be 1 or more" in call("begin", *about[:-4], "--rounds", "0", status=2)
    assert "it should not be empty" in call("begin", *about, "--name", "", status=2)
    assert "needs 4 values" in call("result", "1", status=2)
    assert "not a number" in call("result", "one", "t1", "1", "2", status=2)
    quarter = ("--kind", "knock-out", "--best-quarter", "--tables", "t1")
    assert "has 2 to 500 entrants" in call("begin", *quarter, status=2)  # a quarter of three is one
    assert "USEBIO files are for bridge" in call("export", "--as", "usebio", status=2)
    assert "cannot be read" in call("begin", "--kind", "swiss", "--entrants", "none.txt", "--tables", "t", status=2)


def test_the_best_quarter_goes_on_to_a_knock_out(store: Store) -> None:
    log = TournamentLog(store)
    with pytest.raises(TournamentError, match="no tournament yet"):
        direct(Begin(kind="knock-out", best_quarter=True, tables=["t1"]), log, store)
    names = [f"p{number}" for number in range(9)]
    tables = [f"t{number}" for number in range(4)]
    direct(Begin(kind="swiss", scoring="cribbage", rounds=2, entrants=names, tables=tables), log, store)
    for number in (1, 2):
        direct(Round(), log, store)
        with pytest.raises(TournamentError, match="when every game is over"):
            direct(Begin(kind="knock-out", best_quarter=True, tables=["t1"]), log, store)
        for game in log.tournament().open_games():
            scores = [121, 100] if game.entrants[0] > game.entrants[1] else [100, 121]
            direct(Result(round=number, entrants=list(game.entrants), scores=scores), log, store)
    best = [row.entrant for row in standings(log.tournament())][:3]
    direct(Begin(kind="knock-out", best_quarter=True, tables=["t1"]), log, store)
    assert log.tournament().entrants == best
    with pytest.raises(TournamentError, match="goes on from a round robin"):
        direct(Begin(kind="knock-out", best_quarter=True, tables=["t1"]), log, store)
