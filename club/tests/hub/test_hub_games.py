"""What the hub makes of the lines: scores, standings, who waits, records, seats."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from cardtable.errors import UsageError
from cardtable.history.statistics import statistics
from cardtable_club.hub.director import read_pairings
from cardtable_club.hub.games import LiveGame, LiveGames, Mirror, record_of
from cardtable_club.hub.pages import places_of, standings_of, tables_of, waiting_of
from cardtable_club.hub.store import GameResult, Key, Received, Seat, Store
from cardtable_club.member.messages import Line, compact
from cardtable_club.member.outbox import hands_line, public_line
from engine.actions import Action
from engine.record import Header, write_record
from engine.table import Table

KEY = Key("table-1", "1000-00000000")
HEADER = Header("cribbage", ("Ann", "Bo"), 0)
DEALS = ("1 deal AH 2H 3H 4H 5H 6H", "0 deal AS 2S 3S 4S 5S 6S", "1 discard AH 2H", "0 discard AS 2S")


def lines(actions: list[Action], header: Header = HEADER) -> list[Line]:
    stored = [compact(value.to_json()) for value in (header, *actions)]
    return [Line(KEY.game, n, public_line(each), 1000.0 + n) for n, each in enumerate(stored)]


def played(seed: int) -> list[Action]:
    """Random actions without hands, some taken back, until nothing can be done without them."""
    table, chance, done = Table(HEADER), random.Random(seed), []
    while legal := table.legal_actions():
        seen = [action for action in legal if action.do not in ("deal", "discard")] or legal
        action = Action("undo") if table.actions and chance.random() < 0.05 else chance.choice(seen)
        table.do(action)
        done.append(action)
    return done


def test_a_game_is_replayed_line_by_line_and_again_once_forgotten() -> None:
    actions = played(3)
    table = Table(HEADER)
    for action in actions:
        table.do(action)
    all_lines = lines(actions)
    live = LiveGames(lambda key, first: all_lines[first:])
    half = len(all_lines) // 2
    first = LiveGame(KEY)
    first.add(all_lines[:half])
    result = live.grown(KEY, all_lines[half:])  # the lines before are read from the store
    assert result.over == table.over and result.lines == len(all_lines) and result.value is not None
    assert json.loads(result.value)[:2] == [list(table.scores), list(table.winners)]


def test_what_was_dealt_and_taken_back_is_skipped() -> None:
    game = LiveGame(KEY)
    dealt = [Action.parse(each) for each in DEALS]
    game.add(lines([*dealt[:2], Action("undo"), *dealt[1:], Action.parse("turn 9C"), Action("undo")]))
    assert game.fault is None and game.table is not None
    assert [action.do for action in game.table.actions] == ["discard", "discard"]


@pytest.mark.parametrize("line", ['{"do":"damaged"}', '{"do":"undo"}', '{"do":"play","seat":0,"card":"AS"}', "{}"])
def test_a_line_that_the_rules_refuse_stops_this_game_alone(line: str) -> None:
    game = LiveGame(KEY)
    game.add([*lines([]), Line(KEY.game, 1, line, 0.0), Line(KEY.game, 2, '{"do":"undo"}', 0.0)])
    result = game.result()
    assert game.fault and result.lines == 3 and result.value is None and not result.over


def result(number: int, table: str, players: tuple[str, str], scores: tuple[int, int], over: bool = True) -> GameResult:
    header = compact(Header("cribbage", players).to_json())
    winners = [scores.index(max(scores))] if over else []
    value = json.dumps([scores, winners, []])
    return GameResult(number, table, f"{number}-00000000", 9, header, 1000.0 + number, 1100.0, over, value)


def test_the_wall_has_tables_standings_and_who_waits() -> None:
    mirror = Mirror()
    mirror.put(
        [
            result(1, "table-1", ("Ann", "Bo"), (121, 90)),
            result(2, "table-2", ("Cy", "Di"), (80, 121)),
            result(3, "table-1", ("Ann", "Di"), (50, 40), over=False),
        ],
        {Key(table, f"{n}-00000000"): 5_000_000.0 for n, table in ((1, "table-1"), (2, "table-2"), (3, "table-1"))},
    )
    tables = tables_of({"table-10": True, "table-1": True}, {"table-1": ""}, set(), set(), mirror, str_translate)
    assert [(each["name"], each["online"], each["game"]) for each in tables] == [
        ("table-1", True, 3), ("table-2", False, 2), ("table-10", True, None),
    ]  # fmt: skip
    assert tables[0]["sides"][0] == {"name": "Ann", "score": 50, "won": False} and tables[0]["board"]
    standings = standings_of(mirror)
    assert [(row["rank"], row["player"], row["won"]) for row in standings] == [
        (1, "Ann", 1), (1, "Di", 1), (3, "Bo", 0), (3, "Cy", 0),
    ]  # fmt: skip
    assert waiting_of(mirror, [Seat(1, "table-2", 0, "Eve")], now=5_002_000.0) == ["Bo", "Cy", "Eve"]
    assert waiting_of(mirror, [], now=6e6) == [], "by the clock of the hub: those of the tables may be wrong"


def str_translate(template: str, plural: str = "", count: int = 1, /) -> str:
    return template


def test_the_record_has_the_hands_when_they_have_come() -> None:
    store, actions = Store("sqlite://"), [Action.parse(each) for each in DEALS]
    store.take([Received(KEY.table, line) for line in lines(actions)])
    over = GameResult(1, *KEY, 5, "", 0.0, None, True, None)
    without = [Action("discard", 1), Action("discard", 0)]
    assert record_of(store, over) == list(write_record(HEADER, without))
    hands = [
        Line(f"{KEY.game}+hands", n, hands_line(n + 1, compact(action.to_json())), 0.0)
        for n, action in enumerate(actions)
    ]
    store.take([Received(KEY.table, line) for line in hands])
    assert record_of(store, over) == list(write_record(HEADER, actions))
    assert record_of(store, over._replace(over=False)) == list(write_record(HEADER, without))


def test_seats_are_read_and_ready_is_stored() -> None:
    seats = read_pairings(["round,table,a,b", "1,table-1,Ann, Bo", "", "1,table-2,Cy,Di"], "x.csv")
    store = Store("sqlite://")
    store.assign(seats)
    assert store.ready(1, "table-2") and not store.ready(2, "table-2")
    assert places_of(store.assigned()) == [
        {"table": "table-1", "players": ["Ann", "Bo"], "ready": False},
        {"table": "table-2", "players": ["Cy", "Di"], "ready": True},
    ]
    store.assign([Seat(2, "table-1", 0, "Ann")])
    assert [seat.round for seat in store.assigned()] == [2]


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        ("", "no seats"),
        ("1,table-1", "write round"),
        ("1,a/b,Ann", "not the name of a table"),
        ("1,a,Ann\n1,b,Ann", "line 2: Ann has a seat in this round already, in line 1"),
        ("1,a,Ann,ANN", "line 1: Ann and ANN look alike"),
        ("1,a,Ann\n1,a,Bo", "twice"),
        ("1,a," + "x" * 50, "40 letters"),
    ],
)
def test_wrong_seats_are_refused(written: str, wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong):
        read_pairings(written.splitlines(), "x.csv")


def test_a_wrong_database_is_refused_without_its_password() -> None:
    with pytest.raises(UsageError) as caught:
        Store("mysql://me:secret@host/club")
    assert "secret" not in str(caught.value)


def test_a_journal_that_contradicts_is_noticed_and_changes_nothing(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/club.sqlite")
    first = lines([Action("discard", 1)])
    store.take([Received("t", line) for line in first])
    other = Line(KEY.game, 1, '{"do":"undo"}', 5.0)
    stored = store.take([Received("t", other), Received("t", Line(KEY.game, 3, "{}", 5.0))])
    assert stored.conflicts == (Key("t", KEY.game),) and stored.counts == {Key("t", KEY.game): 2}
    assert store.lines(Key("t", KEY.game)) == first
    store.close()


def test_wins_are_counted_as_in_the_statistics_despite_late_changes() -> None:
    chance = random.Random(5)
    mirror = Mirror()
    for _ in range(300):
        number, players = chance.randrange(1, 60), chance.sample(["Ann", "Bo", "Cy", "Di", "Eve"], 2)
        if chance.random() < 0.1:
            players[1] = players[0]  # one person at both seats
        scores = (chance.randrange(60), 60 + chance.randrange(61))
        game = result(number, "table-1", (players[0], players[1]), scores, over=chance.random() < 0.7)
        known = mirror.game(number)
        if known is not None:
            game = game._replace(header=known.header)  # who plays never changes
        mirror.put([game if chance.random() < 0.9 else game._replace(value=None)])
    rows = mirror.read(lambda games: [row for row in statistics(games) if row.name is None])
    assert mirror.wins() == {row.player: (row.played, row.won) for row in rows}
    assert [row["player"] for row in standings_of(mirror)] == [row.player for row in rows]
    newest = max(mirror.all_games(), key=lambda game: game.id)
    assert mirror.latest() == {"table-1": newest}
