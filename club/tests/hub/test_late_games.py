"""Games that come long after they were played, from tables whose clocks may be wrong; and commits that fail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sql

from cardtable_club.hub.director import Begin, Result, Round, TournamentLog, direct
from cardtable_club.hub.store import EVENT, LINE, GameResult, Store, StoreError
from cardtable_club.member.messages import compact
from cardtable_club.tournament import TournamentError
from engine.record import Header

HOUR = 3600.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(f"sqlite:///{tmp_path}/club.sqlite")) as store:
        yield store


@pytest.fixture
def log(store: Store) -> TournamentLog:
    log = TournamentLog(store)
    direct(Begin(kind="round-robin", entrants=["Ann", "Bo"], tables=["t1"]), log, store)
    direct(Round(), log, store)
    return log


def came(store: Store, game: str, times: list[tuple[float, float]]) -> None:
    """Store the lines of a game of Ann and Bo: when each was written, by the table, and received."""
    rows = [
        {"table": "t9", "game": game, "n": n, "line": "{}", "time": written, "received": received}
        for n, (written, received) in enumerate(times)
    ]
    with store.transaction() as database:
        database.execute(sql.insert(LINE), rows)


def played(began: float, sent: float | None, behind: float = 0.0) -> list[tuple[float, float]]:
    """Return the times of a game of ten minutes, sent at once (None) or later, by a table whose clock is `behind`."""
    return [(began + at - behind, began + at + 0.1 if sent is None else sent) for at in range(0, 600, 20)]


@pytest.mark.parametrize(
    ("began", "sent", "behind", "known", "counts"),
    [
        (-24 * HOUR, 5, 0, False, False),
        (-24 * HOUR, 5, 0, True, False),
        (-2 * HOUR, 5, 5 * HOUR, True, False),
        (-9 * HOUR, 5, -5 * HOUR, True, False),
        (-700, 5, 0.5 * HOUR, True, False),
        (-60, 600, 0, False, False),
        (10, None, 0, False, True),
        (10, None, 5 * HOUR, False, True),
        (10, None, -5 * HOUR, False, True),
        (10, 900, 0, False, True),
        (10, 900, 5 * HOUR, True, True),
        (10, 900, -5 * HOUR, True, True),
    ],
)
def test_a_game_counts_for_this_round_if_it_began_after_the_pairing(
    store: Store, log: TournamentLog, began: float, sent: float | None, behind: float, known: bool, counts: bool
) -> None:
    paired = log.tournament().games[0].paired
    if known:  # the table was connected before
        came(store, "1-00000000", played(paired - 12 * HOUR, None, behind))
    times = played(paired + began, None if sent is None else paired + sent, behind)
    came(store, "2-00000000", times)
    about = compact(Header("cribbage", ("Ann", "Bo")).to_json()), times[0][0], times[-1][0], True
    store.keep_results([GameResult(0, "t9", "2-00000000", len(times), *about, json.dumps([[121, 10], [0], []]))])
    assert log.collect(store.results()) == counts
    assert log.tournament().games[0].done is counts


def test_after_a_commit_that_failed_the_desk_has_what_the_database_has(store: Store, log: TournamentLog) -> None:
    fails = [True]

    @sql.event.listens_for(store._engine, "commit")
    def refuse(connection: sql.Connection) -> None:
        if connection.execute(sql.select(sql.func.count()).select_from(EVENT)).scalar_one() == 3 and fails:
            fails.clear()
            raise sql.exc.OperationalError("COMMIT", {}, Exception("disk full"))

    result = Result(round=1, table="t1", scores=[5, 3])
    with pytest.raises(StoreError, match="disk full"):
        direct(result, log, store)
    assert not fails and log.tournament().games[0].scores is None
    direct(result, log, store)
    assert log.tournament().games[0].scores == TournamentLog(store).tournament().games[0].scores == (5, 3)


def test_a_knock_out_is_corrected_until_the_next_game_has_begun(store: Store) -> None:
    log = TournamentLog(store)
    direct(Begin(kind="knock-out", entrants=["Ann", "Bo", "Cy", "Di"], tables=["t1", "t2"]), log, store)
    direct(Round(), log, store)
    for table in ("t1", "t2"):
        direct(Result(round=1, table=table, scores=[10, 5]), log, store)
    direct(Round(), log, store)
    direct(Result(round=1, table="Di", scores=[5, 10]), log, store)
    assert [seat.player for seat in store.assigned()] == ["Di", "Bo"]
    assert TournamentLog(store).tournament().games[-1].entrants == ("Di", "Bo")
    paired = log.tournament().games[-1].paired
    came(store, "1-00000000", played(paired + 10, None)[:3])
    header = compact(Header("cribbage", ("Bo", "Di")).to_json())
    store.keep_results([GameResult(0, "t9", "1-00000000", 3, header, paired + 10, None, False, None)])
    with pytest.raises(TournamentError, match="has begun to play in round 2"):
        direct(Result(round=1, entrants=["Ann", "Di"], scores=[10, 5]), log, store)
