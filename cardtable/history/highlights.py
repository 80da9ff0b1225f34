"""What is worth remembering of finished games: their moments, their feats, and the course of the score, hand by hand.

Finding it takes a replay, so it is kept in a file beside the journal, which may be deleted at any time. It holds only
what everybody has seen, of games that the journal still has.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

from cardtable.journal.file import PRIVATE, UnreadableGame, as_journal_errors
from cardtable.journal.games import GameEntry, Games
from engine.cards import Card, parse_card
from engine.games import version_of
from engine.table import Outcome, Table
from engine.texts import Text
from engine.views import USUAL_MOMENTS, Feat, Moment

BUDGET_S: Final = 0.4
"""Seconds that one answer may spend on replays. The page asks again for the rest."""
_FEW_HANDS: Final = 4
"""A game with fewer hands has a course with every change of the score."""


class Remembered(NamedTuple):
    """A moment that people talk about, after `at` actions of the game with the number `game`."""

    game: int
    at: int
    moment: Moment


class Highlights(NamedTuple):
    """The highlights of one game.

    `course`: the score of each side at the beginning and after each hand. `target`: the score that ends the game, if
    there is one. `last`: the card that was laid last.
    """

    moments: tuple[Remembered, ...]
    feats: tuple[Feat, ...]
    course: tuple[tuple[int, ...], ...]
    hands: int
    target: int | None
    last: Card | None


def highlights_of(games: Games, number: int) -> Highlights:
    """Replay a game. Raises `UnreadableGame`, and `JournalError` for a damaged journal."""
    game = games.read(number)
    table = Table(game.header)
    standing: list[tuple[Outcome, tuple[int, ...], Card | None]] = []
    begun = table.scores
    for action, outcome in games.replaying(game, table):
        if action.do == "undo":
            standing.pop()
        else:
            standing.append((outcome, table.scores, action.card))
    hands = [
        scores for outcome, scores, _ in standing if any(event.ends in ("hand", "game") for event in outcome.events)
    ]
    every = [scores for outcome, scores, _ in standing if outcome.points]
    return Highlights(
        tuple(
            Remembered(number, at, moment)
            for at, (outcome, _, _) in enumerate(standing, 1)
            for moment in outcome.moments
            if moment.kind not in USUAL_MOMENTS
        ),
        table.feats,
        (begun, *(hands if len(hands) >= _FEW_HANDS else every)),
        len(hands),
        table.view().target,
        next((card for _, _, card in reversed(standing) if card), None),
    )


def best_moments(moments: Iterable[Remembered], most: int) -> list[Remembered]:
    """Return those that people remember, each headline once: one of each kind first, the rarest kind before others.

    Those with a proof are last.
    """
    kinds: dict[str, list[Remembered]] = {}
    for each in {each.moment.headline: each for each in moments}.values():
        kinds.setdefault(each.moment.kind, []).append(each)
    ranked = [
        ((bool(each.moment.captions), place, len(same), -len(each.moment.cards)), each)
        for same in kinds.values()
        for place, each in enumerate(sorted(same, key=lambda each: -len(each.moment.cards)))
    ]
    return [each for _, each in sorted(ranked, key=lambda one: one[0])[:most]]


class KeptHighlights:
    """The highlights of the games in a journal, kept in `database`. `left`: how many were not ready in time."""

    def __init__(self, games: Games, database: sqlite3.Connection) -> None:
        self._games = games
        self._database = database
        self._budget_s = BUDGET_S
        self.left = 0

    def of(self, entry: GameEntry, wait: bool = False, moments: bool = True) -> Highlights | None:
        """Return the highlights of a finished game; None if it cannot be read, or is not ready in time.

        `wait`: however long it takes. Without `moments` they may be left out, which takes less time.
        """
        number, mark = entry.id, self._mark(entry)
        row = self._database.execute("SELECT value FROM kept WHERE game = ? AND mark = ?", (number, mark)).fetchone()
        with suppress(ValueError, TypeError, KeyError, IndexError, AttributeError):
            if row is not None:
                return None if row[0] is None else _unpacked(number, json.loads(row[0]), moments)
        if not wait and self._budget_s < 0:
            self.left += 1
            return None
        began = time.monotonic()
        try:
            found = highlights_of(self._games, number)
        except UnreadableGame:
            found = None
        self._budget_s -= time.monotonic() - began
        value = None if found is None else json.dumps(_packed(found), separators=(",", ":"))
        self._database.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (number, mark, value))
        return found

    def _mark(self, entry: GameEntry) -> str:
        """Return what tells this game, as it is stored and as its rules are, from others that had its number."""
        with as_journal_errors(self._games.path):
            row = self._games.database.execute("SELECT * FROM checksum WHERE game = ?", (entry.id,)).fetchone()
        return f"{_program()} {version_of(entry.name)} {row}"


@cache
def _program() -> str:
    """Return the version of the program, whose rules and texts make the highlights."""
    return version("cardtable")


def highlights_file(journal: Path) -> Path:
    """Return the file beside the journal."""
    return journal.with_name(f"{journal.name}-highlights")


@contextmanager
def kept_highlights(games: Games) -> Iterator[KeptHighlights]:
    """Open the highlights of a journal. A damaged file is made anew; one that cannot be opened stays as it is."""
    path, numbers = highlights_file(games.path), games.numbers()
    try:
        database = _open(path, numbers)
    except sqlite3.OperationalError:  # it is locked, or the disk is full
        database = _open(":memory:", numbers)
    except sqlite3.DatabaseError:
        with suppress(OSError):
            path.unlink()
        try:
            database = _open(path, numbers)
        except sqlite3.Error:
            database = _open(":memory:", numbers)
    with closing(database):
        yield KeptHighlights(games, database)
        with suppress(sqlite3.Error):  # such as a full disk: then it is found again next time
            database.commit()


def _open(path: Path | str, numbers: Sequence[int]) -> sqlite3.Connection:
    """Open the file, and delete what it has of games with other numbers. Raises `sqlite3.Error`."""
    if isinstance(path, Path):
        with suppress(OSError):  # then SQLite fails as well, or the file is there
            path.touch(PRIVATE)
    database = sqlite3.connect(path, timeout=0.1)
    try:
        database.execute("CREATE TABLE IF NOT EXISTS kept (game INTEGER PRIMARY KEY, mark TEXT, value TEXT)")
        database.execute("DELETE FROM kept WHERE game NOT IN (SELECT value FROM json_each(?))", (json.dumps(numbers),))
        database.commit()
    except sqlite3.Error:
        database.close()
        raise
    return database


# As JSON.


def _packed(found: Highlights) -> list[Any]:
    moments = [
        [
            at,
            moment.kind,
            *map(_packed_text, (moment.headline, moment.follows)),
            moment.seat,
            _names(moment.cards),
            [*map(_packed_text, moment.captions)],
        ]
        for _, at, moment in found.moments
    ]
    feats = [[feat.kind, feat.seat, feat.value, _names(feat.cards)] for feat in found.feats]
    return [moments, feats, found.course, found.hands, found.target, found.last and str(found.last)]


def _unpacked(number: int, stored: list[Any], with_moments: bool) -> Highlights:
    moments, feats, course, hands, target, last = stored
    return Highlights(
        tuple(
            Remembered(
                number,
                at,
                Moment(kind, _text(headline), seat, _cards(cards), tuple(map(_text, captions)), _text(follows)),
            )
            for at, kind, headline, follows, seat, cards, captions in (moments if with_moments else ())
        ),
        tuple(Feat(kind, seat, value, _cards(cards)) for kind, seat, value, cards in feats),
        tuple(map(tuple, course)),
        hands,
        target,
        last and parse_card(last),
    )


def _names(cards: Sequence[Card]) -> list[str]:
    return [str(card) for card in cards]


def _cards(names: list[str]) -> tuple[Card, ...]:
    return tuple(map(parse_card, names))


def _packed_text(value: object) -> Any:
    if isinstance(value, Text):
        return [value.template, {name: _packed_text(each) for name, each in value.values.items()}, value.forms]
    return value if isinstance(value, int | float) else str(value)


def _text(stored: Any) -> Any:
    if not isinstance(stored, list):
        return stored
    template, values, forms = stored
    known = {name: _text(value) for name, value in values.items()}
    made = Text(template.format(**known))
    made.template, made.values = template, known
    made.forms = forms and tuple(forms)
    return made
