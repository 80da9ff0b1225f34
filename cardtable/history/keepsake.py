"""The keepsake of an evening: a picture (SVG) to take home, with who won, the best moments, and the last game's score.

It shows nothing that was hidden: only games that are over, and of them what everybody saw.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from html import escape
from typing import Final

from cardtable.history.highlights import Remembered, best_moments
from cardtable.history.replay import Replay, course_of, curve_svg
from cardtable.history.statistics import PastEvening
from engine.games import title_of
from engine.texts import Translate, in_language, text
from engine.views import USUAL_MOMENTS, ranked_sides, result_scores, side_names

WIDTH: Final = 1080
_BAND: Final = 300
_LEFT: Final = 60
_GAMES: Final = 6
"""Games that are listed, the newest first."""
_MOMENTS: Final = 5
_LONGEST: Final = 44
"""Letters of a line; a longer one ends with an ellipsis."""
_DISPLAY: Final = 'font-family="Besley, Rockwell, Roboto Slab, Georgia, serif" font-weight="800"'
_INK, _MUTED, _LIT, _WOOD, _RED = "#17150f", "#5a4f3c", "#df5015", "#f3e9d7", "#bf2418"


def keepsake_svg(evening: PastEvening, replays: Sequence[Replay], translate: Translate) -> str:
    """Draw the evening. `replays`: its games, the newest first."""
    tally = " · ".join(f"{player.player} {player.won}/{player.played}" for player in evening.players)
    day = time.strftime("%Y-%m-%d", time.localtime(evening.began))
    parts = [
        f'<rect width="{WIDTH}" height="{_BAND}" fill="{_LIT}"/>',
        f'<text x="{WIDTH - _LEFT}" y="78" font-size="40" text-anchor="end">{day}</text>',
        *_line(_headline(evening, translate), 180, 84, most=20, look=_DISPLAY),
        *_line(tally, 258, 38),
    ]
    y = _BAND + 76
    for replay in replays[:_GAMES]:
        parts += _line(_game(replay, translate), y, 40)
        y += 58
    if len(replays) > _GAMES:
        more = text("and {number} more", number=len(replays) - _GAMES)
        parts += _line(in_language(more, translate), y, 34, colour=_MUTED)
        y += 58
    curve = curve_svg(course_of(replays[0], translate), title_of(replays[0].header.game), translate)
    place = f'<svg x="{_LEFT}" y="{y}" width="{WIDTH - 2 * _LEFT}" height="{(WIDTH - 2 * _LEFT) // 2}" '
    parts.append(curve.replace("<svg ", place, 1))
    y += (WIDTH - 2 * _LEFT) // 2 + 76
    moments = [
        Remembered(replay.game.id, at, moment)
        for replay in replays
        for at, step in enumerate(replay.steps, 1)
        for moment in step.entry.moments
        if moment.kind not in USUAL_MOMENTS
    ]
    for _, _, moment in best_moments(moments, _MOMENTS):
        cards = " ".join(in_language(card.glyph, translate) for card in moment.cards)
        headline = in_language(moment.headline, translate)
        parts += _line(headline[:1].upper() + headline[1:], y, 44, look=_DISPLAY, most=36)
        parts += _line(" · ".join(filter(None, (cards, in_language(moment.follows, translate)))), y + 44, 32, most=60)
        y += 104
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" role="img" '
            'aria-labelledby="evening" font-family="Atkinson Hyperlegible Next, Helvetica, Arial, sans-serif">',
            f'<title id="evening">{escape(_headline(evening, translate))}, {day}</title>',
            f'<rect width="{WIDTH}" height="{y}" fill="{_WOOD}"/>',
            *parts,
            "</svg>",
        ]
    )


def _headline(evening: PastEvening, translate: Translate) -> str:
    best, *others = evening.players
    if best.won and all(other.won < best.won for other in others):
        return in_language(text("{name}’s evening", name=best.player), translate)
    return in_language(text("An evening of cards"), translate)


def _game(replay: Replay, translate: Translate) -> str:
    """Return a game in one line: its title, who won, and the scores."""
    scores, winners = replay.table.scores, replay.table.winners
    names = side_names(replay.header.players, len(scores))
    won = ", ".join(in_language(names[side], translate) for side in ranked_sides(scores, winners) if side in winners)
    return f"{title_of(replay.header.game)}: {won} {result_scores(scores, winners)}"


def _line(words: str, y: int, size: int, colour: str = _INK, look: str = "", most: int = _LONGEST) -> list[str]:
    """Draw a line of text, its red suits in red."""
    shown = words if len(words) <= most else f"{words[: most - 1]}…"
    drawn = escape(shown)
    for suit in "♥♦":
        drawn = drawn.replace(suit, f'<tspan fill="{_RED}">{suit}</tspan>')
    return [f'<text x="{_LEFT}" y="{y}" font-size="{size}" fill="{colour}" {look}>{drawn}</text>'] if words else []
