"""Compare what a journal really contains, read with plain SQLite, with what the robots have done."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any

from cardtable.simulation.director import same
from cardtable.simulation.robots import load_robots
from cardtable.simulation.source import Setting
from engine.actions import Action
from engine.table import Table

ENDINGS = ("", "-wal", "-shm")


def copy_journal(path: Path, folder: Path) -> Path:
    """Copy a journal with its log and index into `folder`; return the copy."""
    for ending in ENDINGS:
        part = path.with_name(path.name + ending)
        if part.exists():
            shutil.copy(part, folder / part.name)
    return folder / path.name


def stored_actions(path: Path) -> list[Action]:
    """Return the actions of the last game, from a copy of the journal's files as they are on the disk.

    Raises `AssertionError` if SQLite finds them damaged or actions are missing.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_journal(path, Path(folder))
        if not copy.exists() or (copy.stat().st_size == 0 and not copy.with_name(copy.name + "-wal").exists()):
            return []
        with closing(sqlite3.connect(copy)) as database:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_schema")}
            if "action" not in tables:
                return []
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "the journal is damaged"
            rows: list[tuple[int, str]] = database.execute(
                "SELECT n, action FROM action WHERE game = (SELECT max(id) FROM game) ORDER BY n"
            ).fetchall()
    assert [n for n, _ in rows] == list(range(len(rows))), "actions are missing in the journal"
    return [Action.from_json(json.loads(row)) for _, row in rows]


@lru_cache(maxsize=8)
def truth(setting: Setting, readers: bool = False) -> tuple[Action, ...]:
    """Return every action of the game as the robots of this setting play it, without a table."""
    rng = random.Random(f"{setting.game}/{setting.players}/{setting.seed}")
    players = load_robots(setting.game)(setting.header, rng)
    if readers:
        players.across = setting.known
    return tuple(act.action for act in players.acts() if act.action)


def standing(stored: Sequence[Action]) -> list[Action]:
    """Return the actions that stand: without undos and what they took back."""
    out: list[Action] = []
    for action in stored:
        if action.do == "undo":
            out.pop()
        else:
            out.append(action)
    return out


def first_difference(stored: Sequence[Action], real: Sequence[Action]) -> str | None:
    """Return what is wrong with the actions stored so far; None if they are the beginning of `real`.

    A card that was laid again may be stored as played, withdrawn and played; the last action may still lack some of its
    cards.
    """
    record = standing(stored)
    at = 0
    for number, action in enumerate(real):
        taken_up = Action("withdraw", seat=action.seat, card=action.card)
        while tuple(record[at : at + 3]) in ((action, taken_up, action), (action, taken_up)):
            if len(record) == at + 2:
                return None
            if record[at + 2 : at + 3] != [action]:
                break
            at += 2
        if at >= len(record):
            return None
        if not same(record[at], action) and not (at == len(record) - 1 and _is_part(record[at], action)):
            return f"action {number} is {record[at].to_json()}, not {action.to_json()}"
        at += 1
    return f"{record[at].to_json()} was never done" if at < len(record) else None


def _is_part(stored: Action, whole: Action) -> bool:
    cards, all_cards = Counter(stored.cards or ()), Counter(whole.cards or ())
    return (stored.do, stored.seat) == (whole.do, whole.seat) and bool(cards) and cards < all_cards


def is_whole(stored: Sequence[Action], real: Sequence[Action]) -> bool:
    """Return whether the actions stored are all that was done."""
    record = standing(stored)
    return bool(record) and first_difference(stored, real) is None and same(record[-1], real[-1])


def differs_from_shown(state: dict[str, Any], stored: Sequence[Action], setting: Setting) -> str | None:
    """Return how a state of the board differs from the first `n` actions stored, replayed; None if it does not."""
    if state["n"] > len(stored):
        return f"{state['n']} actions were shown, {len(stored)} are stored"
    table = Table(setting.header)
    for action in stored[: state["n"]]:
        table.do(action)
    sides = max(len(table.scores), 1)
    for name, shown, real in (
        ("phase", state["phase"], table.phase),
        ("turn", state["turn"], table.turn),
        ("over", state["over"], table.over),
        ("scores", [seat["score"] for seat in state["seats"]][:sides], list(table.scores)),
    ):
        if shown != real:
            return f"after {state['n']} actions the {name} was shown as {shown}, it is {real}"
    return None
