"""The course of the score as a picture: an SVG with a line for each side.

It can be read without the page (colours are attributes), the page's style sheet can change it (classes), and it says
what it shows (`title` and `desc`).
"""

from __future__ import annotations

from html import escape
from typing import Final, NamedTuple

from engine.texts import Text, Translate, in_language, text

WIDTH: Final = 640
HEIGHT: Final = 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 40, 34
COLOURS: Final = ("#a1243c", "#1f5fae", "#2a7a3f", "#8a3fa0", "#a8861a", "#b4530b")
"""Of the sides, as on the page."""
_DASHES: Final = ("", "14 5", "3 5", "14 5 3 5", "8 4", "2 3")
"""So that the lines differ without colours, too."""
_STEPS: Final = (1, 2, 5)
_GRID: Final = 5
"""About how many lines of a grid there are."""


class Course(NamedTuple):
    """The scores of a game. `points`: for each change of the score the number of actions done, and the score of each
    side after it; the first is (0, zeros). `hands`: after how many actions each hand was over. `target`: the score that
    ends the game; None without one. `lowest_wins`: the lowest score leads. `unit`: what is counted from left to right;
    with `games`, each point is the score of one game.
    """

    sides: tuple[str, ...]
    points: tuple[tuple[int, tuple[int, ...]], ...]
    actions: int
    hands: tuple[int, ...] = ()
    target: int | None = None
    lowest_wins: bool = False
    unit: Text = text("actions")


def curve_svg(course: Course, title: str, translate: Translate) -> str:
    """Return the SVG. `title`: what the picture is about; it and the names of the sides may be any text."""
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
    """Return what the picture shows, as sentences: who ended where, and who led how often the lead changed."""
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
    """Return how often another side came to lead alone."""
    leaders: list[int] = []
    for _, scores in course.points:
        leading = min(scores) if course.lowest_wins else max(scores)
        best = [side for side, score in enumerate(scores) if score == leading]
        if len(best) == 1 and leaders[-1:] != best:
            leaders += best
    return max(len(leaders) - 1, 0)


def grid(low: int, high: int) -> range:
    """Return the values at which the grid has lines: about `_GRID` round numbers from `low` to `high`.

    >>> list(grid(-3, 121))
    [0, 20, 40, 60, 80, 100, 120]
    """
    span, power = max(high - low, 1), 1
    while True:
        for step in _STEPS:
            if span / (step * power) <= _GRID + 2:
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
