"""The course of a game: how its score grew, from a replay."""

from __future__ import annotations

from cardtable.history.curve import Course
from cardtable.history.replay import Replay
from engine.games import lowest_wins
from engine.texts import Translate, in_language
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
