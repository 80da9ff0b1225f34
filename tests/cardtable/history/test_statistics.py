"""Statistics compared with a count of its own over whole games of every game, and where the summaries come from."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cardtable.history.statistics import evenings, head_to_head, known_games, known_players, statistics
from cardtable.journal.games import ALL, Choice, Result, open_games
from cardtable.journal.journal import Journal
from cardtable.table.live_game import LiveGame
from engine.actions import Action
from engine.cards import parse_card
from engine.observations import Said
from engine.record import Header, Record
from engine.table import Table, answers
from tests.cardtable.history.past_games import DAY, some_games, store
from tests.cardtable.scenes import Scenes
from tests.cardtable.stored import append

Stored = Sequence[tuple[Header, Sequence[Action]]]


Answered = Sequence[list[dict[str, Any]]]
"""For each game what `replay` answers to each action, and at the end."""


def counted(games: Stored, answered: Answered) -> dict[tuple[str, str | None], dict[str, Any]]:
    """Count from the answers of `replay`: for each player and game, and for each player together."""
    results: dict[tuple[str, str | None], list[tuple[int, bool, bool, int]]] = defaultdict(list)
    for (header, actions), (*each, end) in zip(games, answered, strict=True):
        if not end["over"]:
            continue
        standing: list[list[dict[str, Any]]] = []
        for action, answer in zip(actions, each, strict=True):
            standing = standing[:-1] if action.do == "undo" else [*standing, answer["events"]]
        events = [event for some in standing for event in some if event["event"] == "revoke-proven"]
        for seat, player in enumerate(header.players):
            side = seat % len(end["scores"])
            won, revokes = side in end["winners"], sum(event["seat"] == seat for event in events)
            for key in ((player, header.game), (player, None)):
                results[key].append((end["scores"][side], won, won and len(end["winners"]) > 1, revokes))
    return {
        (player, game): {
            "played": len(list_),
            "won": sum(won for _, won, _, _ in list_),
            "shared": sum(shared for _, _, shared, _ in list_),
            "average": None if game is None else pytest.approx(sum(score for score, *_ in list_) / len(list_)),
            "best": None if game is None else (min if game == "hearts" else max)(score for score, *_ in list_),
            "revokes": sum(revokes for *_, revokes in list_),
            "run": max(map(len, "".join("w" if won else " " for _, won, _, _ in list_).split()), default=0),
        }
        for (player, game), list_ in results.items()
    }


def found(path: Path, choice: Choice = ALL) -> dict[tuple[str, str | None], dict[str, Any]]:
    with open_games(path) as games:
        rows = [row._asdict() for row in statistics(games, choice)]
    return {(row.pop("player"), row.pop("name")): row for row in rows}


@pytest.fixture(scope="module")
def games() -> Stored:
    return some_games(4)


@pytest.fixture(scope="module")
def path(games: Stored, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("journal") / "journal.sqlite"
    store(path, games)
    return path


@pytest.fixture(scope="module")
def answered(games: Stored) -> Answered:
    return [list(answers(Record(header, tuple(done), tuple(range(2, len(done) + 2))))) for header, done in games]


def test_statistics_are_those_of_an_independent_count(path: Path, games: Stored, answered: Answered) -> None:
    expected = counted(games, answered)
    assert found(path) == expected
    assert sum(row["revokes"] for row in expected.values()) > 3
    assert max(row["run"] for row in expected.values()) > 2
    hers = {key: row for key, row in expected.items() if key[0] == "Ann"}
    assert found(path, Choice(player="Ann")) == hers
    assert found(path, Choice(name="cribbage")) == {k: v for k, v in expected.items() if k[1] == "cribbage"}
    assert found(path, Choice("Ann", "cribbage")) == {("Ann", "cribbage"): expected["Ann", "cribbage"]}
    assert found(path, Choice(player="Nobody")) == {}


def test_players_against_each_other(path: Path, games: Stored, answered: Answered) -> None:
    both: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for (header, _), (*_, end) in zip(games, answered, strict=True):
        sides = len(end["scores"])
        for seat, player in enumerate(header.players):
            for other_seat, other in enumerate(header.players):
                if end["over"] and seat % sides != other_seat % sides:
                    wins, other_wins = seat % sides in end["winners"], other_seat % sides in end["winners"]
                    row = both[player, other]
                    row[0], row[1], row[2] = (
                        row[0] + 1,
                        row[1] + (wins and not other_wins),
                        row[2] + (other_wins and not wins),
                    )
    with open_games(path) as stored:
        rows = head_to_head(stored)
        assert {(row.player, row.other): [row.played, row.won, row.lost] for row in rows} == both
        assert {row.player for row in head_to_head(stored, Choice("Bo"))} == {"Bo"}
        assert known_players(stored)[0] == "Ann" and set(known_players(stored)) == {"Ann", "Bo", "Cy", "Di", "=Di"}
        assert set(known_games(stored)) == {header.game for header, _ in games}


def rows(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as database:
        found = [database.execute(f"SELECT * FROM {table}").fetchall() for table in ("summary", "seat")]
    return [row for table in found for row in table]


def test_opening_the_journal_adds_missing_summaries(path: Path, games: Stored, tmp_path: Path) -> None:
    old = tmp_path / "old.sqlite"
    store(old, games[:8], results=False)
    assert rows(old) == []
    with open_games(old) as stored:
        assert statistics(stored) == stored.entries(Choice("Ann")) == []
        assert stored.entries()[0].result is None
        entry, fault = stored.with_result(stored.entries()[0])
        assert entry.result is not None and fault is None
    Journal(old).close()
    assert rows(old) == [row for row in rows(path) if row[0] in range(1, 9)]


def test_a_summary_is_forgotten_with_actions_whose_result_is_not_known(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    header, actions = some_games(1)[0]
    store(path, [(header, actions)])
    with closing(Journal(path)) as journal:
        journal.resume(1)
        append(journal, [Action("undo")])
        assert journal.games.without_summary() == [1] and journal.games.entries()[0].actions == len(actions) + 1
    assert rows(path) == []


def test_the_program_stores_a_summary_with_every_action(tmp_path: Path) -> None:
    """Bo calls a revoke that Ann's 9♥ proves: the same as when the game is replayed."""
    path, scenes = tmp_path / "journal.sqlite", Scenes()
    header = Header("all-fives", ("Ann", "Bo"), 0)
    with closing(Journal(path)) as journal:
        journal.begin(header)
        table = LiveGame(Table(header), journal, ())
        table.take(scenes.again())
        table.take(scenes.lay("QS", "turn-up", None))
        table.take(Said(1.0, "button", 1, "stand"))
        for card, seat in (("KH", 1), ("4D", 0)):
            table.take(scenes.lay(card, "play", seat))
        table.take(Said(9.0, "button", 1, "revoke", parse_card("9H"), 0))
        kept = rows(path)
        assert kept[-2:] == [(1, 0, "Ann", 0, -3, 0, 0, 1), (1, 1, "Bo", 1, 0, 0, 0, 0)]
    with open_games(path) as games:
        assert games.summary(1).result == games.entries()[0].result == Result((-3, 0), (), (1, 0))


def test_lists_are_paged_and_chosen(path: Path, games: Stored) -> None:
    with open_games(path) as stored:
        newest = stored.entries(newest=True, most=5)
        assert [entry.id for entry in newest] == list(range(len(games), len(games) - 5, -1))
        after = stored.entries(newest=True, most=5, before=newest[-1].id)
        assert after[0].id == newest[-1].id - 1
        chosen = stored.entries(Choice("Di", "fifteen"))
        assert [entry.id for entry in chosen] == [
            number for number, (header, _) in enumerate(games, 1) if header.game == "fifteen"
        ]
        for entry, (header, actions) in zip(stored.entries(), games, strict=True):
            assert (entry.name, entry.players, entry.actions) == (header.game, header.players, len(actions))
        assert stored.entry(3) == stored.entries()[2] and stored.entry(1000) is None


def test_an_evening_ends_with_a_pause_of_six_hours(path: Path, games: Stored) -> None:
    """Games are stored a day apart: each is an evening; two are one if an hour lies between them."""
    with open_games(path) as stored:
        each = evenings(stored)
        assert [evening.games for evening in each] == [1] * len(each) and len(each) > 20
        assert len(evenings(stored, limit=3)) == 3 and evenings(stored, limit=3) == each[:3]
    copy = path.with_name("copy.sqlite")
    copy.write_bytes(path.read_bytes())
    with closing(sqlite3.connect(copy)) as database, database:
        database.execute("UPDATE game SET started = started + ? WHERE id = 1", (DAY * 0.9,))
        database.execute("UPDATE summary SET ended = (SELECT started FROM game WHERE id = game) + 60")
    with open_games(copy) as stored:
        first = evenings(stored)[-1]
        assert first.games == 2 and first.ended > first.began
        played = {name: 0 for header, _ in games[:2] for name in header.players}
        for header, _ in games[:2]:
            for name in header.players:
                played[name] += 1
        assert {tally.player: tally.played for tally in first.players} == played
        assert sum(tally.won for tally in first.players) >= 2


def test_an_evening_ends_with_a_good_night(tmp_path: Path) -> None:
    """Five games of ten minutes each, without a pause; game 2 is begun before the good night and ends after it."""
    path = tmp_path / "journal.sqlite"
    store(path, [game for game in some_games(2) if game[0].game == "fifteen"] * 3, results=True)
    times = {1: (0, 600), 2: (700, 2600), 3: (1000, 1500), 4: (3000, 3600), 5: (3700, 4000), 6: (4100, 4700)}
    with closing(sqlite3.connect(path)) as database, database:
        for number, (started, ended) in times.items():
            database.execute("UPDATE game SET started = ? WHERE id = ?", (started, number))
            database.execute("UPDATE summary SET ended = ?, over = 1 WHERE game = ?", (ended, number))
        database.executemany("INSERT INTO good_night VALUES (?)", [(1600,), (1700,), (4050,), (9000,)])
    with open_games(path) as stored:
        assert [each[:3] for each in evenings(stored)] == [(4100, 4700, 1), (3000, 4000, 3), (0, 1500, 2)]
        assert sum(tally.played for tally in evenings(stored)[1].players) == 6
