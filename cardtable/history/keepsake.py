"""The keepsake of an evening: a picture (PNG) for the photographs of a phone.

It has who won, the games, the course and the decisive play of the last one, and the best moments. It shows nothing that
was hidden: only games that are over, and of them what everybody saw.
"""

from __future__ import annotations

import io
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from cardtable.history.decisive import decisive_play, told
from cardtable.history.highlights import Remembered, best_moments
from cardtable.history.replay import Course, Replay, course_of
from cardtable.history.statistics import PastEvening
from cardtable.paper.shapes import suit
from engine.cards import SUIT_GLYPHS, SUITS, Card
from engine.games import title_of
from engine.texts import Translate, in_language, text
from engine.views import USUAL_MOMENTS, ranked_sides, result_scores, side_names

WIDTH: Final = 1080
_LARGER: Final = 2
"""The picture is drawn larger and reduced, for smooth edges."""
_BAND: Final = 344
_EDGE: Final = 64
_GAMES: Final = 6
"""Games that are listed, the newest first."""
_MOMENTS: Final = 4
_CARDS: Final = 6
"""Cards that are drawn beside each other."""
_LEAST: Final = 0.55
"""Text that is too long is made smaller, at most so much; then it is cut."""
_CARD: Final = (92, 128)
_STEP: Final = 62
"""From one card to the next, which covers it in part."""
_INK, _MUTED, _LIT, _WOOD = "#17150f", "#5a4f3c", "#df5015", "#f3e9d7"
_LINE, _PAPER, _RED, _BLACK = "#c3b08d", "#fffdf7", "#bf2418", "#15151a"
_THROWN: Final = (("H", 700, 60, 190), ("S", 850, 250, 230), ("D", 980, 40, 200), ("C", 1060, 230, 170))
"""The suits in the band: where their centres are, and their size."""
_DISPLAY, _TEXT = "besley-800", "atkinson-next"
_EXTENDED: Final = ((0x100, 0x17F), (0x218, 0x21B), (0x1E9E, 0x1E9E))
"""The characters that are in the second file of each font, as in the page's style sheet."""
_OTHERS: Final = 0x2300
"""From here on a character is in no font of the board, but perhaps in one of the system."""
_SUITS: Final = {glyph: letter for letter, glyph in SUIT_GLYPHS.items()}


def keepsake_png(evening: PastEvening, replays: Sequence[Replay], translate: Translate) -> bytes:
    """Draw the evening. `replays`: its games, the newest first."""
    sheet = _Sheet()
    y = _head(sheet, evening, translate)
    y = _results(sheet, y, evening, replays, translate)
    y = _course(sheet, y, course_of(replays[0], translate), replays[0].table.winners)
    y = _told(sheet, y, replays, translate)
    return sheet.png(y)


def _head(sheet: _Sheet, evening: PastEvening, translate: Translate) -> int:
    sheet.box(0, 0, WIDTH, _BAND, _LIT)
    for letter, x, y, size in _THROWN:
        sheet.suit(letter, x, y, size, "#cb4611")
    sheet.box(0, _BAND, WIDTH, _BAND, _WOOD)
    began = time.localtime(evening.began)
    parts = {"year": began.tm_year, "month": f"{began.tm_mon:02}", "day": f"{began.tm_mday:02}"}
    sheet.text(in_language(text("{year}-{month}-{day}", **parts), translate), _EDGE, 84, 40, weight=600)
    best, *others = evening.players
    headline = text("An evening of cards")
    if best.won and all(other.won < best.won for other in others):
        headline = text("{name}’s evening", name=best.player)
    sheet.text(in_language(headline, translate), _EDGE, 220, 108, _DISPLAY)
    width = (WIDTH - 2 * _EDGE) // max(len(evening.players), 4)
    for place, player in enumerate(evening.players):
        x = _EDGE + place * width
        won = sheet.text(str(player.won), x, 308, 56, _DISPLAY)
        sheet.text(player.player, x + won + 12, 308, 34, weight=600, most=width - won - 30)
    return _BAND + 24


def _results(sheet: _Sheet, y: int, evening: PastEvening, replays: Sequence[Replay], translate: Translate) -> int:
    for replay in replays[:_GAMES]:
        scores, winners = replay.table.scores, replay.table.winners
        names = side_names(replay.header.players, len(scores))
        won = ", ".join(
            in_language(names[side], translate) for side in ranked_sides(scores, winners) if side in winners
        )
        sheet.text(title_of(replay.header.game), _EDGE, y + 46, 36, most=310)
        sheet.text(won, _EDGE + 330, y + 46, 36, weight=700, most=350)
        sheet.text(result_scores(scores, winners), WIDTH - _EDGE, y + 46, 38, _DISPLAY, most=250, right=True)
        y += 66
        sheet.box(_EDGE, y, WIDTH - 2 * _EDGE, 2, _LINE)
    if len(replays) > _GAMES:
        more = text("and {number} more", number=len(replays) - _GAMES)
        sheet.text(in_language(more, translate), _EDGE, y + 44, 32, colour=_MUTED)
        y += 58
    return y + 44


def _course(sheet: _Sheet, y: int, course: Course, winners: Sequence[int]) -> int:
    """Draw the course of the score of the last game, with the names at its end."""
    height, right = 300, WIDTH - _EDGE - 250
    scores = [score for _, each in course.points for score in each]
    low, high = min(0, *scores), max(1, *scores)

    def at(place: int, score: int) -> tuple[float, float]:
        x = _EDGE + (right - _EDGE) * place / max(len(course.points) - 1, 1)
        return x, y + height - height * (score - low) / (high - low)

    ends = list[tuple[float, int]]()
    for side in sorted(range(len(course.sides)), key=lambda side: side in winners):
        points = [at(place, each[side]) for place, (_, each) in enumerate(course.points)]
        sheet.line(points, 10 if side in winners else 4)
        ends.append((points[-1][1], side))
    gap, below = min(46, height / max(len(ends), 1)), float("-inf")
    for place, (end, side) in enumerate(sorted(ends)):
        below = min(max(end, below + gap), y + height - gap * (len(ends) - 1 - place))
        weight = 800 if side in winners else 500
        sheet.text(course.sides[side], right + 24, below + 11, round(gap * 0.76), weight=weight, most=226)
    return y + height + 70


def _told(sheet: _Sheet, y: int, replays: Sequence[Replay], translate: Translate) -> int:
    """Show the decisive play of the last game, then the best moments of all."""
    last, what = replays[0], list[str]()
    entries = list[tuple[str, str, tuple[Card, ...]]]()
    if found := decisive_play(last.header, last.actions):
        what = [in_language(told(last.steps[found.at - 1].entry, last.view), translate)]
        gained = Counter[int]()
        for point in last.steps[found.scored - 1].entry.points:
            gained[point.seat] += point.points
        what += [f"{last.header.players[seat]} {points:+}".replace("-", "−") for seat, points in gained.items()]
        decided = text("What decided {game}", game=title_of(last.header.game))
        entries.append((in_language(decided, translate), " · ".join(what), found.cards))
    moments = [
        Remembered(replay.game.id, at, moment)
        for replay in replays
        for at, step in enumerate(replay.steps, 1)
        for moment in step.entry.moments
        if moment.kind not in USUAL_MOMENTS
    ]
    for _, _, moment in best_moments(moments, _MOMENTS):
        headline = in_language(moment.headline, translate)
        if headline not in what:
            entries.append((headline, in_language(moment.follows, translate), moment.cards))
    left = max([_width_of(cards) for _, _, cards in entries], default=0) + _EDGE + 30
    for headline, more, cards in entries:
        for place, card in enumerate(cards[:_CARDS]):
            sheet.card(card, _EDGE + place * _STEP, y)
        x = left if cards else _EDGE
        sheet.text(
            headline[:1].upper() + headline[1:], x, y + (58 if more else 82), 42, _DISPLAY, most=WIDTH - _EDGE - x
        )
        sheet.text(more, x, y + 108, 32, most=WIDTH - _EDGE - x)
        y += _CARD[1] + 34
    return y + 30


def _width_of(cards: Sequence[Card]) -> int:
    return _CARD[0] + (min(len(cards), _CARDS) - 1) * _STEP if cards else 0


class _Sheet:
    """The picture. Lengths are in pixels of the finished one."""

    def __init__(self) -> None:
        self._image = Image.new("RGB", (WIDTH * _LARGER, 3000 * _LARGER), _WOOD)
        self._draw = ImageDraw.Draw(self._image)

    def png(self, height: int) -> bytes:
        """Return the upper part as a file."""
        whole = self._image.crop((0, 0, WIDTH * _LARGER, height * _LARGER)).reduce(_LARGER)
        file = io.BytesIO()
        whole.save(file, "PNG")
        return file.getvalue()

    def box(self, x: float, y: float, width: float, height: float, colour: str, radius: float = 0) -> None:
        left, top, right, bottom = (length * _LARGER for length in (x, y, x + width, y + height))
        self._draw.rounded_rectangle((left, top, right - 1, bottom - 1), radius * _LARGER, colour)

    def line(self, points: Iterable[tuple[float, float]], width: int) -> None:
        self._draw.line([(x * _LARGER, y * _LARGER) for x, y in points], _INK, width * _LARGER, "curve")

    def suit(self, letter: str, x: float, y: float, size: float, colour: str) -> None:
        for shape in suit(letter, x * _LARGER, y * _LARGER, size * _LARGER, (0, 0, 0)):
            for ring in shape.rings:
                self._draw.polygon([(float(px), float(py)) for px, py in ring], colour)

    def card(self, card: Card, x: float, y: float) -> None:
        """Draw a card: the rank large, as on the board, and the suit below."""
        width, height = _CARD
        self.box(x - 2, y - 2, width + 4, height + 4, _LINE, 12)
        self.box(x, y, width, height, _PAPER, 10)
        colour = _BLACK if card.suit in "SC" else _RED if card.suit in "HD" else card.suit
        self.text(card.rank, x + 9, y + 50, 54 if len(card.rank) == 1 else 44, _DISPLAY, colour=colour)
        if card.suit in SUITS:
            self.suit(card.suit, x + width - 32, y + height - 34, 46, colour)

    def text(
        self,
        words: str,
        x: float,
        y: float,
        size: int,
        font: str = _TEXT,
        *,
        weight: int = 500,
        colour: str = _INK,
        most: float = WIDTH - 2 * _EDGE,
        right: bool = False,
    ) -> float:
        """Write a line, smaller or cut if it is wider than `most`; return its width. `y`: where the letters stand."""
        width, least = self._width(words, size, font, weight), int(size * _LEAST)
        if width > most:
            size = max(int(size * most / width), least)
        while (width := self._width(words, size, font, weight)) > most:
            words = f"{words[:-2]}…"
        if right:
            x -= width
        for letter, part in _runs(words):
            if letter:
                self.suit(letter, x + size * 0.42, y - size * 0.35, size * 0.78, _RED if letter in "HD" else colour)
            else:
                self._draw.text((x * _LARGER, y * _LARGER), part, colour, _font(font, part, size, weight), "ls")
            x += self._width(part, size, font, weight)
        return width

    def _width(self, words: str, size: int, font: str, weight: int) -> float:
        parts = [
            size * 0.84 if letter else _font(font, part, size, weight).getlength(part) / _LARGER
            for letter, part in _runs(words)
        ]
        return sum(parts)


def _runs(words: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text: the letter of a suit and its sign, or "" and characters of one font."""
    for (letter, _), part in groupby(words, key=lambda sign: (_SUITS.get(sign, ""), _file_of(sign))):
        if letter:
            yield from ((letter, sign) for sign in part)
        else:
            yield "", "".join(part)


def _file_of(sign: str) -> str:
    """Return what the name of the font file that has this character ends with; "?" if it is none of the board's."""
    code = ord(sign)
    if any(first <= code <= last for first, last in _EXTENDED):
        return "-ext"
    return "?" if 0x17F < code < 0x2000 or code >= _OTHERS else ""


@cache
def _opened(name: str, size: int, weight: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    look = files("cardtable").joinpath("web", "page", "look", f"{name}.woff2")
    font = ImageFont.truetype(io.BytesIO(look.read_bytes()), size * _LARGER)
    if name.startswith(_TEXT):
        font.set_variation_by_axes([weight])
    return font


@cache
def _system(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    try:
        return ImageFont.truetype("DejaVuSans.ttf", size * _LARGER)
    except OSError:
        return _opened(_TEXT, size, 500)


def _font(name: str, part: str, size: int, weight: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    end = _file_of(part[0])
    return _system(size) if end == "?" else _opened(f"{name}{end}", size, weight)
