"""Results of games at tables that know hands: the board says the score, and the result follows with the hands."""

from __future__ import annotations

import json
import random

import pytest

from cardtable.table.snapshot import Snapshot
from cardtable.web.state import state_of
from cardtable_club.hub.games import Mirror, Results, with_hands
from cardtable_club.hub.pages import TableState, tables_of
from cardtable_club.hub.receiver import BoardScores, read_board
from cardtable_club.hub.store import Key, Received, Store
from cardtable_club.member.messages import Line, compact
from cardtable_club.member.outbox import hands_line, hides, public_line
from engine.actions import Action
from engine.games import load_game
from engine.record import Header
from engine.table import Table
from tests.engine.properties.plays import legal_action

KEY = Key("table-1", "1000-00000000")
NAMES = ("Ann", "Bo", "Cy", "Di")
LONGEST = 400
TARGETS = {"all-fives": 15, "fifteen": 10, "whist": 5, "cribbage": 31}
"""Points that end a game soon."""


def played(game: str, seed: int) -> tuple[Table, list[Action]]:
    """A game whose hands the table knows, played at random as far as it goes; and its actions."""
    players = NAMES[: load_game(game).seats[0]]
    options: dict[str, object] = {"target": TARGETS[game]} if game in TARGETS else {}
    table, chance, done = Table(Header(game, players, 0, options)), random.Random(seed), []
    while not table.over and len(done) < LONGEST:
        try:
            action = legal_action(table, chance.randrange(1, 2**24), naming=1.0)
        except AssertionError:  # no cards can be drawn for what is to be laid away
            break
        table.do(action)
        done.append(action)
    return table, done


def lines_of(table: Table, actions: list[Action]) -> tuple[list[Line], list[Line]]:
    """The public lines of a game, and those of its hands."""
    stored = [compact(value.to_json()) for value in (table.header, *actions)]
    public = [Line(KEY.game, n, public_line(each), 1000.0 + n) for n, each in enumerate(stored)]
    hidden = [hands_line(n, each) for n, each in enumerate(stored) if hides(each)]
    return public, [Line(f"{KEY.game}+hands", n, each, 2000.0) for n, each in enumerate(hidden)]


def shown(results: Results, mirror: Mirror, table: Table) -> TableState:
    """The table on the wall, while its board shows `table`."""
    board = json.dumps(state_of(Snapshot(1, 0.0, table.view(), (), (), (), ()), "Title"))
    boards: dict[str, BoardScores | None] = {KEY.table: read_board(board)}
    return tables_of({KEY.table: True}, boards, set(), set(), mirror, lambda text, *more: text, results.knew_hands)[0]


@pytest.mark.parametrize(
    ("game", "seed"), [("all-fives", 5), ("cribbage", 5), ("fifteen", 5), ("whist", 13), ("bridge", 5)]
)
def test_the_score_is_the_boards_until_the_hands_have_come(game: str, seed: int) -> None:
    store, mirror = Store("sqlite://"), Mirror()
    results = Results(store, mirror)
    table, actions = played(game, seed)
    public, hands = lines_of(table, actions)
    assert hands
    for received in (public, hands):
        batch = [Received(KEY.table, line) for line in received]
        results.note(batch, store.take(batch))
        assert results.waiting
        results.store()
        assert not results.waiting
        assert [side["score"] for side in shown(results, mirror, table)["sides"]] == list(table.scores)
        assert shown(results, mirror, table)["over"] == table.over
    stored = store.results()[0]
    assert stored.value is not None and json.loads(stored.value)[:2] == [list(table.scores), list(table.winners)]
    assert stored.over == table.over and not results.knew_hands(KEY)
    again = Results(store, Mirror())
    again.load()
    assert again.waiting == (not table.over)  # the result of a game that is over is not made again
    store.close()


def test_a_hand_missed_by_the_hub_is_found_at_its_next_start() -> None:
    store, mirror = Store("sqlite://"), Mirror()
    first = Results(store, mirror)
    table, actions = played("cribbage", 7)
    assert table.over
    public, hands = lines_of(table, actions)
    batch = [Received(KEY.table, line) for line in public]
    first.note(batch, store.take(batch))
    first.store()
    assert not store.results()[0].over  # the rules cannot count hands that they do not know
    store.take([Received(KEY.table, line) for line in hands])
    second = Results(store, mirror)
    second.load()
    second.store()
    assert store.results()[0].over and [side["won"] for side in shown(second, mirror, table)["sides"]].count(True) == 1
    store.close()


def test_the_board_of_another_game_says_nothing_about_this_one() -> None:
    store, mirror = Store("sqlite://"), Mirror()
    results = Results(store, mirror)
    table, actions = played("whist", 13)
    batch = [Received(KEY.table, line) for line in lines_of(table, actions)[0]]
    results.note(batch, store.take(batch))
    results.store()
    assert shown(results, mirror, Table(Header("whist", NAMES[::-1], 0)))["sides"] == []
    store.close()


@pytest.mark.parametrize("line", ["[]", "{", '{"n":[1],"line":{}}', '{"n":1,"line":7}', '{"line":{"do":"deal"}}'])
def test_what_is_no_line_of_a_hand_gives_no_card(line: str) -> None:
    public = [Line(KEY.game, 1, '{"do":"deal","seat":0}', 0.0)]
    assert with_hands(public, [Line(f"{KEY.game}+hands", 0, line, 0.0)]) is None
