"""The cursor protocol without a network: nothing is lost, duplicates or out of order, whatever the road does."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import pytest
import sqlalchemy as sql

from cardtable_club.hub.store import LINE, Key, Received, Store
from cardtable_club.member.messages import HANDS, Ack, Line, checksum
from cardtable_club.member.outbox import COMPARED, WINDOW, Due, Outbox

GAME, OTHER = "1000-00000000", "2000-00000000"


def sent(outbox: Outbox, now: float) -> list[tuple[str, int]]:
    return [(due.game, n) for due in outbox.due(now) for n in range(due.first, due.first + due.count)]


def outgoing(journal: Sequence[Line], due: Due) -> list[Line]:
    """Return the lines as a table sends them."""
    first, *more = journal[due.first : due.first + due.count]
    before = reduce(lambda total, line: checksum(line.line, total), journal[: due.first], 0)
    return [replace(first, probe=True) if due.probe else replace(first, before=before), *more]


class Sides:
    """A table, which can start again with another journal, and a hub."""

    def __init__(self) -> None:
        self.store, self.outbox, self.now = Store("sqlite://"), Outbox(), 0.0
        self.conflicts: frozenset[str] = frozenset()

    def start_table(self) -> None:
        self.outbox = Outbox()
        self.acknowledge({key.game: count - 1 for key, count in self.store.cursors()})
        self.outbox.connected(self.now)

    def acknowledge(self, games: dict[str, int]) -> None:
        self.outbox.acknowledged(Ack("a", games, self.conflicts), self.now)

    def play(self, journal: list[str]) -> frozenset[str]:
        """Let the table send this journal, and return the streams that the hub finds in conflict."""
        written = [Line(GAME, n, line, 1000.0) for n, line in enumerate(journal)]
        self.outbox.exist({GAME: len(written)})
        for _ in range(8):
            self.now += 1.0
            sent = [Received("t", line) for due in self.outbox.due(self.now) for line in outgoing(written, due)]
            if sent:
                stored = self.store.take(sent)
                self.conflicts |= {key.game for key in stored.conflicts}
                self.acknowledge({key.game: count - 1 for key, count in stored.counts.items()})
        return self.conflicts

    def stored(self) -> list[str]:
        return [line.line for line in self.store.lines(Key("t", GAME))]


OLD = [f'{{"old":{n}}}' for n in range(20)]
NEW = [*OLD[:10], *(f'{{"new":{n}}}' for n in range(10, 30))]


@pytest.mark.parametrize("counts", [(10, 11), (10, 25, 30), (15,), (20,), (10, 20), (21,), (30,)])
def test_a_diverged_copy_of_a_journal_is_kept_apart_by_the_hub(counts: tuple[int, ...]) -> None:
    sides = Sides()
    assert not sides.play(OLD) and sides.stored() == OLD
    sides.start_table()
    for count in counts:
        found = sides.play(NEW[:count])
    assert found == {GAME} and sides.stored() == OLD
    assert sides.outbox.waiting == 0 and not list(sides.outbox.due(1000.0))


def test_an_older_copy_of_a_journal_that_goes_on_alike_is_no_conflict() -> None:
    sides = Sides()
    sides.play(OLD)
    sides.start_table()
    assert not sides.play(OLD[:10]) and not sides.play([*OLD, "{}"])
    assert sides.stored() == [*OLD, "{}"]


def test_after_a_start_only_the_newest_whole_streams_are_compared() -> None:
    games = [f"{n}-00000000" for n in range(1000)]
    for known_first in (True, False):
        outbox = Outbox()
        ack = Ack("a", {game: 4 for game in games})
        if known_first:
            outbox.exist(dict.fromkeys(games, 5))
        outbox.acknowledged(ack, 0.0)
        outbox.exist(dict.fromkeys(games, 5))
        outbox.acknowledged(ack, 0.1)
        assert sent(outbox, 0.2) == [(game, 4) for game in games[-COMPARED:]]
        assert sent(outbox, 0.3) == [] and outbox.waiting == COMPARED
        outbox.acknowledged(ack, 0.4)
        assert sent(outbox, 9.0) == [] and outbox.waiting == 0
        outbox.acknowledged(Ack("b", ack.games), 10.0)  # another start of the hub asks for nothing again
        assert sent(outbox, 10.1) == []


def test_a_stream_is_probed_with_its_last_line_then_sent_from_the_ack() -> None:
    outbox = Outbox()
    outbox.exist({GAME: 40})
    outbox.connected(0.0)
    assert list(outbox.due(0.1)) == [Due(GAME, 39, 1, probe=True)]
    assert list(outbox.due(0.2)) == []
    outbox.acknowledged(Ack("a", {GAME: 9}), 0.3)
    assert list(outbox.due(0.4)) == [Due(GAME, 10, 20)]
    outbox.acknowledged(Ack("a", {GAME: 10}), 0.4)
    assert list(outbox.due(0.4)) == [Due(GAME, 30, 10)]
    outbox.exist({GAME: 41})
    assert list(outbox.due(0.5)) == [Due(GAME, 40, 1)]
    assert outbox.waiting == 30


def test_the_window_holds_over_all_streams() -> None:
    outbox = Outbox(window=10)
    outbox.exist({GAME: 40, OTHER: 40})
    outbox.connected(0.0)
    outbox.acknowledged(Ack("a", {GAME: -1, OTHER: -1}), 0.0)
    assert len(sent(outbox, 0.1)) == 10
    outbox.acknowledged(Ack("a", {GAME: 5}), 0.2)
    assert sent(outbox, 0.3) == [(GAME, n) for n in range(10, 16)]


def test_without_progress_it_is_sent_again_and_with_progress_not() -> None:
    outbox = Outbox()
    outbox.exist({GAME: 3})
    outbox.connected(0.0)
    outbox.acknowledged(Ack("a", {GAME: -1}), 0.0)
    assert len(sent(outbox, 0.1)) == 3
    outbox.acknowledged(Ack("a", {GAME: 0}), 1.5)
    assert sent(outbox, 3.0) == []
    assert sent(outbox, 3.6) == [(GAME, 1), (GAME, 2)]


def test_a_table_sends_less_until_lines_are_acknowledged() -> None:
    outbox = Outbox()
    outbox.exist({GAME: 1000})
    outbox.connected(0.0)
    outbox.acknowledged(Ack("a", {GAME: -1}), 0.0)
    outbox.connected(0.0)
    times = [(second, len(found)) for second in range(200) if (found := sent(outbox, second))]
    assert times == [(0, 10), (2, 5), (6, 2), (14, 1), (30, 1), (62, 1), (94, 1), (126, 1), (158, 1), (190, 1)]
    allowed = []
    for n in range(12):
        outbox.acknowledged(Ack("a", {GAME: n}), 200.0)
        sent(outbox, 200.0)
        allowed.append(max(outbox._streams[GAME].under_way, 0))
    assert allowed == [11, 21, 31, 41, 51, 61, 71, 81, 91, WINDOW, WINDOW, WINDOW]
    outbox.acknowledged(Ack("a", {GAME: 50}), 201.0)
    assert sent(outbox, 201.0) and not sent(outbox, 202.9) and sent(outbox, 203.0), "two seconds again"


def test_a_lost_window_is_sent_again_while_another_stream_makes_progress() -> None:
    outbox = Outbox(window=10)
    outbox.exist({GAME: 9, OTHER: 50})
    outbox.connected(0.0)
    outbox.acknowledged(Ack("a", {GAME: -1, OTHER: -1}), 0.0)
    assert sent(outbox, 0.0) == [*((GAME, n) for n in range(9)), (OTHER, 0)]  # those of GAME are lost
    for n in range(21):
        outbox.acknowledged(Ack("a", {OTHER: n}), n / 10)
        again = sent(outbox, n / 10)
    assert again == [(GAME, n) for n in range(5)]


@pytest.mark.parametrize("hub", ["a", "b"])
def test_a_database_restored_from_a_backup_gets_the_lines_again(hub: str) -> None:
    outbox = Outbox()
    outbox.exist({GAME: 50})
    outbox.connected(0.0)
    outbox.acknowledged(Ack("a", {GAME: 49}), 0.0)
    assert sent(outbox, 0.0) == [(GAME, 49)]  # to be compared, because the table has started
    outbox.acknowledged(Ack("a", {GAME: 49}), 0.1)
    assert sent(outbox, 0.1) == [] and outbox.waiting == 0
    outbox.acknowledged(Ack(hub, {GAME: 29}), 0.2)
    assert sent(outbox, 0.3) == [(GAME, n) for n in range(30, 50)]


def test_a_restarted_hub_is_asked_about_games_it_does_not_name() -> None:
    outbox = Outbox()
    outbox.exist({GAME: 5, OTHER: 7})
    for now in (0.0, 0.1):
        outbox.acknowledged(Ack("a", {GAME: 4, OTHER: 6}), now)
        assert sent(outbox, now) == ([] if now else [(GAME, 4), (OTHER, 6)])
    outbox.acknowledged(Ack("b", {OTHER: 6}), 0.2)
    assert sent(outbox, 0.3) == [(GAME, 4)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(12))
def test_nothing_is_lost_or_doubled_on_an_unreliable_link(seed: int) -> None:
    """Lines and acks are lost, repeated and late; table and hub end and come back; the database refuses to commit."""
    chance = random.Random(seed)
    store, outbox = Store("sqlite://"), Outbox(window=20)
    written: dict[str, list[Line]] = {GAME: [], OTHER: [], GAME + HANDS: []}
    lines: list[Line] = []
    acks: list[Ack] = []
    start, now = "0", 0.0

    def hub_takes(batch: list[Line]) -> None:
        if batch:
            counts = store.take([Received("t", line) for line in batch]).counts
            acks.append(Ack(start, {key.game: count - 1 for key, count in counts.items()}))

    for turn in range(600):
        now += 0.1
        rough = turn < 400
        if rough:
            game = chance.choice(list(written))
            written[game].append(Line(game, len(written[game]), f'{{"k":{chance.random()}}}', now))
        outbox.exist({game: len(found) for game, found in written.items()})
        for due in outbox.due(now):
            for line in outgoing(written[due.game], due):
                lines += [line] * (chance.choice((0, 1, 1, 1, 2)) if rough else 1)
        count = chance.randrange(30)
        batch, lines = lines[:count], lines[count:]
        event = chance.random() if rough else 1.0
        if event < 0.02:  # the table starts again: it remembers nothing
            outbox, lines = Outbox(window=20), []
            outbox.connected(now)
        elif event < 0.04:  # the hub ends before it commits, and starts again
            start, batch = str(turn), []
            store._counts.clear()
        elif event < 0.06:  # the hub commits and ends before it acknowledges
            hub_takes(batch)
            start, acks, batch = str(turn), [], []
            store._counts.clear()
        elif event < 0.09:  # the broker ends: everything under way is lost
            lines, acks, batch = [], [], []
            outbox.connected(now)
        hub_takes(batch)
        while acks and chance.random() < 0.7:
            ack = acks.pop(0)
            if not rough or chance.random() < 0.8:
                outbox.acknowledged(ack, now)
    assert outbox.waiting == 0
    for game, found in written.items():
        assert store.lines(Key("t", game)) == found
    with store._engine.begin() as database:
        assert database.execute(sql.select(sql.func.count()).select_from(LINE)).scalar_one() == 400
