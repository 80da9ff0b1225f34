"""What decided a game.

The decisive play is the one that moved the score most in the winners’ favour, of those since they were last not ahead;
of equal ones it is the last. In a hand that is only counted at its end, it is the last trick with which somebody had
what was needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cardtable.table.snapshot import LogEntry
from engine.actions import Action
from engine.cards import Card
from engine.games import lowest_wins
from engine.record import Header
from engine.rules.wording import describe
from engine.table import Table
from engine.views import USUAL_MOMENTS, View


class Decisive(NamedTuple):
    """The play that decided a game.

    `at`: the number of actions with it. `scored`: the number of actions until it was scored. `cards`: those that lay
    on the table, the card that was played last.
    """

    at: int
    scored: int
    cards: tuple[Card, ...]


def decisive_play(header: Header, actions: Sequence[Action]) -> Decisive | None:
    """Return what decided a game; None if it is not over, or nobody was better than others.

    `actions`: those that were not undone.
    """
    table, gained = Table(header), list[int]()
    courses, plays = [[*table.scores]], [0]
    settled, reached = 0, set[int]()
    for at, action in enumerate(actions, 1):
        ends = {event.ends for event in table.do(action).events}
        play = at
        if "trick" in ends:
            view = table.view()
            gained = [note.gained or 0 for note in view.notes]
            needs = [(tally.figure, tally.need) for tally in view.tallies]
            enough = {place for place, (figure, need) in enumerate(needs) if need is not None and figure >= need}
            if not enough <= reached:
                settled, reached = at, reached | enough
        if ends & {"hand", "game"}:
            play = settled or at
            gained, settled, reached = [], 0, set()
        plays.append(play)
        courses.append([score + sum(gained[side :: len(table.scores)]) for side, score in enumerate(table.scores)])
    best, sign = {*table.winners}, -1 if lowest_wins(header.game) else 1
    if not best:
        return None
    leads = [_lead([sign * score for score in course], best) for course in courses]
    if not leads[-1]:
        return None
    first = max(at for at, lead in enumerate(leads) if lead <= 0) + 1
    scored = max(range(first, len(leads)), key=lambda at: (leads[at] - leads[at - 1], at))
    return Decisive(plays[scored], scored, _cards(header, actions[: plays[scored]]))


def told(play: LogEntry, view: View) -> str:
    """Return what people say about a play: its moment, its trick, or the action. A text."""
    moments = [moment.headline for moment in play.moments if moment.kind not in USUAL_MOMENTS]
    tricks = [view.describe(event) for event in play.events if event.ends == "trick"]
    return (describe(play.action, view.players), *tricks, *moments)[-1]


def _lead(scores: Sequence[int], best: set[int]) -> int:
    """Return by how much the sides of `best` are ahead of the others; 0 if there are no others."""
    others = [score for side, score in enumerate(scores) if side not in best]
    return min(scores[side] for side in best) - max(others) if others else 0


def _cards(header: Header, actions: Sequence[Action]) -> tuple[Card, ...]:
    table = Table(header)
    for action in actions:
        table.do(action)
    named = [*((actions[-1].card,) if actions[-1].card else ()), *(actions[-1].cards or ())]
    return tuple(dict.fromkeys([*(each.card for each in table.lying if each.zone.name in ("play", "table")), *named]))
