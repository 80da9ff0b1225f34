"""Replay a stored game action by action, and follow its score.

A `Replay` shows the game as the board showed it, without the actions that were undone. Known hands are shown only after
the game is over.

A `Course` is the score of a game after each action (`course_of`), or the scores of a player from game to game
(`scores_of`). `curve_svg` draws it as an SVG with a line for each side. The picture has a title and a description for
screen readers; its colours are attributes, which the style sheet of a page can override through classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final, NamedTuple, get_args

from cardtable.journal.file import as_journal_errors
from cardtable.journal.games import Choice, GameList, Games, StoredGame
from cardtable.table.snapshot import LogEntry, Snapshot
from engine.actions import Action
from engine.cards import Card
from engine.games import lowest_wins
from engine.record import Header
from engine.rules.wording import describe
from engine.table import Table
from engine.texts import Text, Translate, in_language, text
from engine.views import Ended, Prompt, View, side_names


@dataclass(frozen=True, slots=True)
class Step:
    """An action that was not undone, with its effect.

    `time` is in seconds since 1970. `ends` says what the action completes; a trick also counts as complete if the next
    action clears cards away, such as after thirty-one or a “go” in cribbage, or after a capture. `moment` is the line
    of the record at which the action happened: the line of its entry, unless a correction undid and repeated the
    action, perhaps with another card.
    """

    entry: LogEntry
    time: float
    ends: Ended | None
    moment: int


class Replay:
    """One game of the journal. Raises `JournalError` if it cannot be read, or if the rules refuse an action."""

    def __init__(self, games: Games, number: int) -> None:
        self.game: Final[StoredGame] = games.read(number)
        self.header: Final[Header] = self.game.header
        times = games.times(number)
        table = Table(self.header)
        steps: list[tuple[LogEntry, float, int]] = []
        lying: list[frozenset[Card]] = []
        undone = _UndoneActions()
        for n, (action, outcome) in enumerate(games.replaying(self.game, table), start=2):  # the header is line 1
            if action.do == "undo":
                entry, _, moment = steps.pop()
                undone.add(entry.action, moment, times[n - 2])
                lying.pop()
                continue
            scores = tuple(table.scores)
            entry = LogEntry(
                n, action, outcome.points, outcome.events, scores, table.turn, table.phase, outcome.moments
            )
            steps.append((entry, times[n - 2], undone.moment_of(action, n, times[n - 2])))
            lying.append(frozenset(card.card for card in table.lying if card.zone.name in ("play", "table")))
        cleared = [
            bool(before - after) and entry.action.do != "withdraw"
            for before, after, (entry, _, _) in zip(lying, lying[1:], steps[1:], strict=False)
        ]
        self.steps: Final[tuple[Step, ...]] = tuple(
            Step(entry, time, _ends(entry) or ("trick" if number < len(cleared) and cleared[number] else None), moment)
            for number, (entry, time, moment) in enumerate(steps)
        )
        """The actions that were not undone, in order."""
        self.table: Final = table
        """The table after the last action."""

    @property
    def view(self) -> View:
        """What everybody may see after the last action."""
        return self.table.view()

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions that were not undone."""
        return tuple(step.entry.action for step in self.steps)

    def snapshots(
        self, first: int, count: int, hands: bool = True
    ) -> Iterator[tuple[Snapshot, tuple[tuple[Card, ...], ...]]]:
        """Yield up to `count` snapshots of the board: after `first` actions, after the next one, and so on.

        Each comes with the known cards of every seat's hand, or with an empty tuple if `hands` is false or the game is
        not over.
        """
        table = Table(self.header)
        last = min(first + count - 1, len(self.steps))
        for done in range(last + 1):
            if done:
                table.do(self.steps[done - 1].entry.action)
            if done >= first:
                yield self._snapshot(table, done), self._hands(table) if hands else ()

    def _hands(self, table: Table) -> tuple[tuple[Card, ...], ...]:
        if not self.game.over:
            return ()
        return tuple(table.view(seat).hands[seat].cards for seat in range(len(self.header.players)))

    def _snapshot(self, table: Table, done: int) -> Snapshot:
        history = tuple(step.entry for step in self.steps[:done])
        view = table.view()
        prompts: tuple[Prompt, ...] = ()
        if history:
            action = history[-1].action
            seat = action.seat if isinstance(action.seat, int) else None
            prompts = (Prompt("replay", seat, describe(action, view.players)),)
        return Snapshot(done, 0.0, view, prompts, history[-1:], history, ())


class _UndoneActions:
    """The actions that a correction has undone and not yet repeated. All lines of a correction have the same time."""

    def __init__(self) -> None:
        self._time: float | None = None
        self._actions: list[tuple[Action, int]] = []

    def add(self, action: Action, moment: int, time: float) -> None:
        """Note an action that was undone at `time`. It happened before those that are noted already."""
        if time != self._time:
            self._time = time
            self._actions.clear()
        self._actions.append((action, moment))

    def moment_of(self, action: Action, line: int, time: float) -> int:
        """Return the line at which an action happened that was recorded in `line` at `time`."""
        if time != self._time:
            return line
        for at in reversed(range(len(self._actions))):
            undone, moment = self._actions[at]
            if undone == action:
                del self._actions[at:]
                return moment
        if self._actions:
            undone, moment = self._actions[-1]
            if (undone.do, undone.seat) == (action.do, action.seat):  # the same action with another card
                self._actions.pop()
                return moment
        return line


def last_two_tricks(steps: tuple[Step, ...]) -> int:
    """Return the number of actions before the last two tricks. An incomplete trick counts."""
    starts = [number for number in range(1, len(steps)) if steps[number - 1].ends]
    return starts[-2] if len(starts) > 1 else 0


def _ends(entry: LogEntry) -> Ended | None:
    ends: list[Ended] = [event.ends for event in entry.events if event.ends]
    if entry.action.do == "take":
        ends.append("trick")
    return max(ends, key=get_args(Ended).index, default=None)


# The course of a score.


def course_of(replay: Replay, translate: Translate) -> Course:
    """Return the course of a game's score up to its last action. `translate` is for the names of partnerships."""
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
    """Return the scores of a player's side in one kind of game, from game to game, with the average so far.

    Only finished games count, as in the statistics. Return None if there are none. Raises `JournalError`.
    """
    with as_journal_errors(games.path):
        rows = games.database.execute(_SCORES, choice).fetchall()
    if not rows or choice.player is None:
        return None
    points, total = [], 0
    for count, (score,) in enumerate(rows):
        total += score
        points.append((count, (score, round(total / (count + 1)))))
    return Course((choice.player, text("average so far")), tuple(points), len(rows), unit=text("games played"))


# A player with two seats in a game has played it once, with the score of the first seat.
_SCORES: Final = """
    SELECT s.score FROM summary AS m JOIN seat AS s ON s.game = m.game
    WHERE m.over AND s.player = ?1 AND m.name = ?2 GROUP BY m.game ORDER BY m.game
"""


class Course(NamedTuple):
    """The scores of a game, or of a player from game to game."""

    sides: tuple[str, ...]
    points: tuple[tuple[int, tuple[int, ...]], ...]
    """For each change of the score, the number of actions and the score of each side; the first is (0, zeros)."""
    actions: int
    hands: tuple[int, ...] = ()
    """The number of actions after which each hand was over."""
    target: int | None = None
    """The score that ends the game, if there is one."""
    lowest_wins: bool = False
    unit: Text = text("actions")
    """What is counted from left to right. With `games played`, each point is the score of one game."""


# The picture of a course.

WIDTH: Final = 640
HEIGHT: Final = 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 40, 34
COLOURS: Final = ("#a1243c", "#1f5fae", "#2a7a3f", "#8a3fa0", "#a8861a", "#b4530b")
"""The colours of the sides, as on the page."""
_DASHES: Final = ("", "14 5", "3 5", "14 5 3 5", "8 4", "2 3")
"""Dash patterns, which tell the lines apart without colours."""
_GRID_STEPS: Final = (1, 2, 5)
_GRID_LINES: Final = 5
"""Approximate number of grid lines."""


def curve_svg(course: Course, title: str, translate: Translate) -> str:
    """Draw the course as an SVG. The title and the names of the sides may contain any characters."""
    low, high = _range(course)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'aria-labelledby="curve-title curve-desc" font-family="system-ui, DejaVu Sans, sans-serif" font-size="17">',
        f'<title id="curve-title">{escape(title)}</title>',
        f'<desc id="curve-desc">{escape(description(course, translate))}</desc>',
        f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}" fill="#fbf8f0"/>',
    ]
    for value in grid(low, high):
        y = _y(value, low, high)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y}" y2="{y}" stroke="#cfc5ae"/>')
        parts.append(f'<text class="scale" x="{_LEFT - 8}" y="{y + 6}" text-anchor="end" fill="#535c56">{value}</text>')
    for hand in course.hands:
        x = _x(hand, course.actions)
        line = f'x1="{x}" x2="{x}" y1="{_TOP}" y2="{HEIGHT - _BOTTOM}" stroke="#cfc5ae" stroke-dasharray="2 4"'
        parts.append(f'<line class="hand" {line}/>')
    if course.target is not None and low <= course.target <= high:
        y = _y(course.target, low, high)
        line = f'x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y}" y2="{y}" stroke="#8a4a0c" stroke-width="2"'
        parts.append(f'<line class="target" {line}/>')
    for side, name in enumerate(course.sides):
        parts += _side(course, side, in_language(name, translate), low, high)
    axis = in_language(course.unit, translate)
    parts.append(
        f'<text class="scale" x="{WIDTH - _RIGHT}" y="{HEIGHT - 8}" text-anchor="end" fill="#535c56">'
        f"{course.actions} {escape(axis)}</text></svg>"
    )
    return "".join(parts)


def description(course: Course, translate: Translate) -> str:
    """Describe the picture in sentences: the scores at the end, and how often the lead changed."""
    if course.unit != "actions":
        all_scores = ", ".join(str(scores[0]) for _, scores in course.points)
        template = "The scores of {name}, game by game: {scores}. On average: {average}."
        return in_language(
            text(template, name=course.sides[0], scores=all_scores, average=course.points[-1][1][1]), translate
        )
    final = course.points[-1][1]
    scores = ", ".join(f"{name} {score}" for name, score in zip(course.sides, final, strict=False))
    count = lead_changes(course)
    template = "The score of each side after each action. At the end: {scores}. The lead changed {count} times."
    return in_language(text(template, scores=scores, count=count), translate)


def lead_changes(course: Course) -> int:
    """Return how often another side took the sole lead."""
    leaders: list[int] = []
    for _, scores in course.points:
        leading = min(scores) if course.lowest_wins else max(scores)
        best = [side for side, score in enumerate(scores) if score == leading]
        if len(best) == 1 and leaders[-1:] != best:
            leaders += best
    return max(len(leaders) - 1, 0)


def grid(low: int, high: int) -> range:
    """Return the values of the grid lines: about `_GRID_LINES` round numbers from `low` to `high`.

    >>> list(grid(-3, 121))
    [0, 20, 40, 60, 80, 100, 120]
    """
    span, power = max(high - low, 1), 1
    while True:
        for step in _GRID_STEPS:
            if span / (step * power) <= _GRID_LINES + 2:
                size = step * power
                return range(-(-low // size) * size, high + 1, size)
        power *= 10


def _range(course: Course) -> tuple[int, int]:
    scores = [score for _, each in course.points for score in each]
    high = max([*scores, 1])
    if course.target is not None and high >= course.target * 0.6:
        high = max(high, course.target)
    return min([*scores, 0]), high


def _side(course: Course, side: int, name: str, low: int, high: int) -> list[str]:
    path, last = [], None
    for actions, scores in course.points:
        x, y = _x(actions, course.actions), _y(scores[side], low, high)
        path += [f"M{x} {y}"] if last is None else [f"H{x}", f"V{y}"]
        last = y
    path.append(f"H{WIDTH - _RIGHT}")
    colour, dash = COLOURS[side % len(COLOURS)], _DASHES[side % len(_DASHES)]
    step = (WIDTH - _LEFT - _RIGHT) / max(len(course.sides), 1)
    x = round(_LEFT + side * step, 1)
    shown = name if len(name) * 9 < step - 30 else f"{name[: max(int((step - 40) / 9), 1)]}…"
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    kind = f'class="side-{side}" stroke="{colour}" stroke-width="4"{dashes}'
    return [
        f'<path {kind} fill="none" stroke-linejoin="round" d="{"".join(path)}"/>',
        f'<line {kind} x1="{x}" x2="{round(x + 22, 1)}" y1="20" y2="20"/>',
        f'<text class="side" x="{round(x + 28, 1)}" y="26" fill="#1b231f">{escape(shown)}</text>',
    ]


def _x(actions: int, of: int) -> float:
    return round(_LEFT + (WIDTH - _LEFT - _RIGHT) * actions / max(of, 1), 1)


def _y(score: int, low: int, high: int) -> float:
    height = HEIGHT - _TOP - _BOTTOM
    return round(_TOP + height - height * (score - low) / max(high - low, 1), 1)
