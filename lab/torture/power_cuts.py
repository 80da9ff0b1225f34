"""Power cuts: some or all of what was written but not synced is lost. Run: `torture power_cuts`.

A killed process loses nothing that it has written; a machine without power loses what had
not reached the disk. The preloaded library logs every write, truncation and fsync of the journal's files. After a kill
the files are rebuilt as the disk may have them: everything up to the last fsync of each file, and of what came later
nothing, everything, or any of its sectors. The creation of the file, for which SQLite uses another log, is tested by
kills only. Everything that the page was shown must be there, and the game goes on from one of these disks.
"""

from __future__ import annotations

import random
import sqlite3
import struct
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from cardtable.evening.playing import open_game
from cardtable.journal.journal import Journal
from lab.torture.faults import Kind, Mode
from lab.torture.harness import Figure, Scale, with_programs
from lab.torture.lives import GAMES, Table, Tally, live
from lab.torture.programs import Programs
from lab.torture.stored import differs_from_shown, first_difference, stored_actions

_ENTRY: Final = struct.Struct("<2i2q")
_SECTOR: Final = 512
_ENDINGS: Final = {1: "", 2: "-wal"}
_DISKS: Final = 4
"""Disks that are tried after each cut, besides the one with synced data only."""


class Entry(NamedTuple):
    """One operation: on which file (1 the journal, 2 its log), where, and what was written."""

    file: int
    kind: int
    offset: int
    data: bytes


def read_log(path: Path) -> list[Entry]:
    """Return the operations logged by the preloaded library."""
    content = path.read_bytes() if path.exists() else b""
    entries, at = [], 0
    while at + _ENTRY.size <= len(content):
        file, kind, offset, length = _ENTRY.unpack_from(content, at)
        at += _ENTRY.size
        entries.append(Entry(file, kind, offset, content[at : at + length]))
        at += length
    return entries


def disk(before: bytes, entries: Sequence[Entry], rng: random.Random | None) -> bytes:
    """Return a file as the disk has it after a power cut.

    `before`: its earlier content; `entries`: the operations on it. Without `rng`, all unsynced data is lost; with it,
    some sectors of it survive.
    """
    synced = max((n for n, entry in enumerate(entries, 1) if entry.kind == Kind.SYNC), default=0)
    content = bytearray(before)
    for entry in entries[:synced]:
        _apply(content, entry)
    if rng is not None:
        share = rng.choice((0.0, 0.5, 0.9, 1.0))
        for entry in entries[synced:]:
            for start in range(0, max(len(entry.data), 1), _SECTOR):
                if rng.random() < share:
                    part = entry.data[start : start + _SECTOR]
                    _apply(content, entry._replace(offset=entry.offset + start, data=part))
    return bytes(content)


def _apply(content: bytearray, entry: Entry) -> None:
    if entry.kind == Kind.TRUNCATE:
        del content[entry.offset :]
        content.extend(bytes(entry.offset - len(content)))
    elif entry.kind == Kind.WRITE:
        content.extend(bytes(max(entry.offset + len(entry.data) - len(content), 0)))
        content[entry.offset : entry.offset + len(entry.data)] = entry.data


def run(scale: Scale) -> Iterator[Figure]:
    """Cut the power at random operations in all games."""
    return with_programs(_figures, scale)


def _figures(programs: Programs, folder: Path, scale: Scale) -> Iterator[Figure]:
    yield cut_power(programs, folder / "cuts", scale.of(500), scale)


def cut_power(programs: Programs, folder: Path, cuts: int, scale: Scale, games: Sequence[str] = GAMES) -> Figure:
    """Cut the power this many times; then finish every game."""
    rng = random.Random(f"{scale.seed}/cuts")
    tally = Tally()
    disks = 0
    for number, game in enumerate(rng.sample(games, len(games))):
        table = Table(programs, folder / str(number), game, rng.randrange(1, 100_000))
        over = False
        until = tally.killed + max(cuts // len(games), 1)
        while not over and tally.killed < until:
            before = {file: _content(table, ending) for file, ending in _ENDINGS.items()}
            log = table.folder / f"operations {tally.lives}"
            faults = table.faults(log=log)
            faults.kill_at(rng.randint(1, 60), rng.choice((Mode.KILL_BEFORE, Mode.KILL_TORN, Mode.KILL_AFTER)))
            over = live(table, tally, faults, None)
            faults.close()
            entries = read_log(log)
            if not over and before[1]:
                disks += _power_cut(table, tally, before, entries, rng)
            log.unlink(missing_ok=True)
        if not over:
            live(table, tally, None, None)
        scale.report(f"power cut: {tally.killed}, {table.name} over, {len(tally.failures)} failed")
    return Figure("power cut", tally.killed, tuple(tally.failures), f"{disks:,} disks; {tally.note}")


def _power_cut(
    table: Table, tally: Tally, before: dict[int, bytes], entries: Sequence[Entry], rng: random.Random
) -> int:
    """Judge several disks after the cut, and leave the last one for the next life; return how many."""
    for number in range(_DISKS + 1):
        parts = {
            file: disk(before[file], [entry for entry in entries if entry.file == file], rng if number else None)
            for file in _ENDINGS
        }
        for file, ending in _ENDINGS.items():
            table.journal.with_name(table.journal.name + ending).write_bytes(parts[file])
        table.journal.with_name(f"{table.journal.name}-shm").unlink(missing_ok=True)
        where = f"{table.name}, life {tally.lives}, disk {number}"
        try:
            stored = stored_actions(table.journal)
        except (AssertionError, sqlite3.Error) as error:
            tally.failures.append(f"{where}: {error}")
            continue
        shown = table.last and differs_from_shown(table.last, stored, table.setting)
        if wrong := shown or first_difference(stored, table.truth):
            tally.failures.append(f"{where}: {wrong}")
        elif number < _DISKS and parts[1]:
            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder) / "journal.sqlite"
                copy.write_bytes(parts[1])
                copy.with_name("journal.sqlite-wal").write_bytes(parts[2])
                with closing(Journal(copy)) as journal:
                    if list(open_game(journal, table.setting.header)) != stored:
                        tally.failures.append(f"{where}: it goes on with another game")
    return _DISKS + 1


def _content(table: Table, ending: str) -> bytes:
    path = table.journal.with_name(table.journal.name + ending)
    return path.read_bytes() if path.exists() else b""
