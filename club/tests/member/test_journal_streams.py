"""The streams of a journal: public lines at once, hands when the game is over, numbers without a gap."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from cardtable.journal.file import beside
from cardtable.journal.journal import Journal
from cardtable_club.member.messages import (
    HANDS,
    Line,
    Malformed,
    Topics,
    checksum,
    compact,
    read_ack,
    read_line,
    table_of,
)
from cardtable_club.member.outbox import Due, JournalStreams, hides, public_line
from engine.actions import Action
from engine.record import Header
from tests.cardtable.stored import append

HEADER = Header("cribbage", ("Ann", "Bo"), 0)
DEALS = ("0 deal AS 2S 3S 4S 5S 6S", "1 deal AH 2H 3H 4H 5H 6H", "0 discard AS 2S", "1 discard AH 2H")


def actions(*written: str) -> list[Action]:
    return [Action.parse(each) for each in written]


def whole(streams: JournalStreams, counts: dict[str, int]) -> dict[str, list[Line]]:
    return {name: streams.lines(name, 0, 1000) for name in counts}


def test_lines_go_out_with_the_checksum_of_those_before_them(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite", clock=lambda: 1000.0)
    streams = JournalStreams(journal.path, lambda: journal.number)
    journal.begin(HEADER)
    append(journal, actions(*DEALS, "turn 9C", "undo", "turn 9D"))
    (name,) = streams.counts(0.0) or {}
    sums = [0]
    for line in streams.lines(name, 0, 8):
        sums.append(checksum(line.line, sums[-1]))
    for first, count in ((5, 2), (7, 1), (3, 4), (1, 1)):
        found = streams.outgoing(Due(name, first, count))
        assert [line.before for line in found] == [sums[first], *[None] * (count - 1)]
        assert read_line(found[0].to_bytes()) == found[0]
    assert [line.before for line in streams.outgoing(Due(name, 0, 2))] == [None, None]
    (probe,) = streams.outgoing(Due(name, 7, 1, probe=True))
    assert probe.probe and probe.before is None and read_line(probe.to_bytes()) == probe
    streams.close()
    journal.close()


def test_hands_are_published_only_once_another_game_is_played(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite", clock=lambda: 1000.0)
    streams = JournalStreams(journal.path, lambda: journal.number)
    journal.begin(HEADER)
    append(journal, actions(*DEALS, "turn 9C", "undo", "turn 9D"))
    counts = streams.counts(0.0)
    assert counts is not None and list(counts.values()) == [8]
    (name,) = counts
    sent = whole(streams, counts)[name]
    assert [line.n for line in sent] == list(range(8))
    assert json.loads(sent[0].line)["players"] == ["Ann", "Bo"]
    assert [json.loads(line.line) for line in sent[1:5]] == [
        {"do": do, "seat": seat} for do in ("deal", "discard") for seat in (0, 1)
    ]
    assert json.loads(sent[6].line) == {"do": "undo"}
    assert streams.counts(1.0) is None, "nothing has changed"
    append(journal, actions("undo"), over=True)
    assert streams.counts(2.0) == {name: 9}, "an undo may still go on with this game"
    journal.put_down()
    assert streams.counts(3.0) == {name: 9, name + HANDS: 4}
    hands = streams.lines(name + HANDS, 0, 10)
    assert [(line.n, json.loads(line.line)["n"]) for line in hands] == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert json.loads(hands[2].line)["line"]["cards"] == ["AS", "2S"]
    assert streams.lines(name + HANDS, 1, 2) == hands[1:3]
    journal.begin(HEADER)
    counts = streams.counts(4.0)
    assert counts is not None and f"{name}-2" in counts, "two games begun at the same time are two streams"
    streams.close()
    journal.close()


def test_a_game_taken_up_again_goes_on_in_its_stream_and_gets_its_hands(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    streams = JournalStreams(journal.path, lambda: journal.number)
    first = journal.begin(HEADER)
    append(journal, actions(DEALS[0]))
    journal.put_down()
    journal.begin(HEADER)
    journal.put_down()
    counts = streams.counts(0.0)
    assert counts is not None
    name = next(iter(counts))
    assert counts[name] == 2 and name + HANDS not in counts
    journal.resume(first)
    append(journal, actions(DEALS[1]), over=True)
    changed = streams.counts(1.0)
    assert changed is not None and changed[name] == 3 and name + HANDS not in changed
    journal.put_down()
    changed = streams.counts(2.0)
    assert changed is not None and changed[name + HANDS] == 2
    streams.close()
    journal.close()


def test_public_lines_hide_cards_and_skip_damaged_rows() -> None:
    for full, bare in (("0 deal AS KS", "0 deal 2D"), ("1 discard AS KS", "1 discard 2D")):
        assert public_line(compact(Action.parse(full).to_json())) == public_line(compact(Action.parse(bare).to_json()))
    for damaged in ('{"do":"deal","cards":["AS"', '["AS"]', "", '{"do":"play","card":"AS\\ud800"}'[:-3]):
        assert "AS" not in public_line(damaged) and not hides(damaged)


def test_a_damaged_row_leaves_no_gap(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    journal.begin(HEADER)
    append(journal, actions(*DEALS), over=True)
    journal.close()
    with sqlite3.connect(journal.path) as database:
        database.execute('UPDATE action SET action = \'{"do":"deal","cards":["AS\' WHERE n = 1')
    streams = JournalStreams(journal.path)
    counts = streams.counts(0.0)
    assert counts is not None and sorted(counts.values()) == [3, 5]
    found = whole(streams, counts)
    assert all([line.n for line in lines] == list(range(len(lines))) for lines in found.values())
    streams.close()


def test_another_file_at_the_path_is_another_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    streams = JournalStreams(path)
    with pytest.raises(OSError):
        streams.counts(0.0)
    for at in (1000.0, 2000.0):
        journal = Journal(path, clock=lambda at=at: at)  # type: ignore[misc]
        journal.begin(HEADER)
        counts = streams.counts(0.0)
        assert counts is not None and [name.partition("-")[0] for name in counts] == [f"{at * 1000:.0f}"]
        journal.close()
        for name in (path, *beside(path)):
            if name.exists():  # the streams have the log open
                name.rename(tmp_path / f"{name.name}-{at}")
    streams.close()


def test_messages_are_read_as_written_and_all_else_is_refused() -> None:
    line = Line("1000-0badcafe", 3, compact({"do": "play", "card": "10♥"}), 12.5)
    assert read_line(line.to_bytes()) == line
    good = json.loads(line.to_bytes())
    for key, value in (
        ("v", 2), ("game", "x"), ("game", 3), ("n", -1), ("n", True), ("n", 1e9), ("time", "1"), ("line", []),
        ("line", {"a": "\0"}), ("line", {"a": "\ud800"}),
    ):  # fmt: skip
        with pytest.raises(Malformed):
            read_line(json.dumps({**good, key: value}).encode())
    for message in (b"", b"[]", b"\xff", b"{", b"[" * 5000, b'{"v":1,"hub":"a","games":{"1000-0badcafe":true}}'):
        with pytest.raises(Malformed):
            read_ack(message)
    assert table_of("ct/v1/north/a/b/journal", "north") is None
    assert table_of(Topics("north", "t.1").of("cmd/reply"), "north") == ("t.1", "cmd/reply")
