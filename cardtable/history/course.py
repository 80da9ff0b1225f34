"""Courses: how the score of a game grew, from a replay; and the scores of a player from game to game."""

from __future__ import annotations

from typing import Final

from cardtable.history.curve import Course
from cardtable.history.replay import Replay
from cardtable.play.journal_errors import as_journal_errors
from cardtable.play.summaries import Choice, GameList
from engine.games import lowest_wins
from engine.texts import Translate, in_language, text
from engine.views import side_names


def course_of(replay: Replay, translate: Translate) -> Course:
    """Return the course of the game, up to its last action; `translate`: for the names of partners."""
    scores = tuple(0 for _ in replay.table.scores)
    points = [(0, scores)]
    for done, step in enumerate(replay.steps, start=1):
        if step.entry.scores != scores:
            scores = step.entry.scores
            points.append((done, scores))
    hands = tuple(done for done, step in enumerate(replay.steps, start=1) if step.ends == "hand")
    sides = tuple(in_language(name, translate) for name in side_names(replay.header.players, len(scores)))
    lowest = lowest_wins(replay.header.game)
    return Course(sides, tuple(points), len(replay.steps), hands, replay.table.view().target, lowest)


def scores_of(games: GameList, choice: Choice) -> Course | None:
    """Return the scores of one player's side in one kind of game, from game to game, with their average; None if there
    are none. Only games that are over count, as in the statistics. Raises `JournalError`.
    """
    with as_journal_errors(games.path):
        rows = games.database.execute(_SCORES, choice).fetchall() if games.has_summaries() else []
    if not rows or choice.player is None:
        return None
    points, total = [], 0
    for count, (score,) in enumerate(rows):
        total += score
        points.append((count, (score, round(total / (count + 1)))))
    return Course((choice.player, text("average so far")), tuple(points), len(rows), unit=text("games"))


# A player who has two seats in a game has played it once, with the score of the first of them.
_SCORES: Final = """
    SELECT s.score FROM summary AS m JOIN seat AS s ON s.game = m.game
    WHERE m.over AND s.player = ?1 AND m.name = ?2 GROUP BY m.game ORDER BY m.game
"""
