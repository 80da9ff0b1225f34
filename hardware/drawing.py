"""Draw a screen as a picture with the size and colours of the display.

The font is the 8 × 8 bitmap font of the first PCs (code page 437), which is sharp on small displays; on larger ones
each of its dots is a square of pixels. It has the suits of the cards and the letters of western Europe; other
characters are replaced by similar ones. Lengths are in dots unless stated otherwise.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from luma.core.legacy.font import CP437_FONT, proportional
from PIL import Image, ImageDraw

from hardware.screen import Screen

_FONT: Final = proportional(CP437_FONT)
_LINE: Final = 9
"""Height of a line including spacing; letters are 8 dots high."""
_GAP: Final = 4
"""Smallest gap between texts side by side."""
_COLUMNS: Final = 128
"""Intended width of the picture; a wider display gets larger dots."""

# Code page 437 has glyphs at the positions of control characters; Python's codec does not map them.
_PICTURES: Final = {"♥": 3, "♦": 4, "♣": 5, "♠": 6, "•": 7, "►": 16}
_NEAREST: Final = {
    "’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "─", "…": "...", "œ": "oe", "Œ": "OE",
    "\u202f": " ", "\u00a0": " ", "×": "x",
}  # fmt: skip

Colour = tuple[int, int, int]
BLACK: Final[Colour] = (0, 0, 0)
WHITE: Final[Colour] = (255, 255, 255)
GREEN: Final[Colour] = (0, 200, 80)
RED: Final[Colour] = (255, 70, 60)
GREY: Final[Colour] = (150, 150, 150)


def codes(text: str) -> list[int]:
    """Return the positions of the letters in the font."""
    out: list[int] = []
    for letter in text:
        for nearest in _NEAREST.get(letter, letter):
            out.append(_code(nearest))
    return out


def _code(letter: str) -> int:
    if letter in _PICTURES:
        return _PICTURES[letter]
    for form in (letter, unicodedata.normalize("NFD", letter)[0]):
        try:
            return form.encode("cp437")[0]
        except UnicodeEncodeError:
            continue
    return ord("?")


def width_of(text: str) -> int:
    """Return the width of `text`."""
    return sum(len(_FONT[code]) for code in codes(text))


def wrap(text: str, width: int, lines: int) -> list[str]:
    """Break `text` into at most `lines` lines of `width`; end with "..." what does not fit."""
    out: list[str] = []
    for word in filter(None, text.split(" ")):  # not `split()`, which would also split at no-break spaces
        if out and width_of(f"{out[-1]} {word}") <= width:
            out[-1] += f" {word}"
        else:
            out.append(word)
    if len(out) > lines:
        out = [*out[: max(lines - 1, 0)], " ".join(out[max(lines - 1, 0) :])][:lines]
    return [shorten(line, width) for line in out]


def shorten(text: str, width: int) -> str:
    """Return `text`, cut and ended with "..." if it is wider than `width`."""
    if width_of(text) <= width:
        return text
    while text and width_of(text + "...") > width:
        text = text[:-1]
    return text.rstrip() + "..."


def draw(screen: Screen, size: tuple[int, int], mode: str) -> Image.Image:
    """Return the picture of `screen`, light on black. `size`: width and height in pixels; `mode`: "1" or "RGB"."""
    scale = max(1, round(size[0] / _COLUMNS))
    paper = _Paper(size[0] // scale, size[1] // scale)
    _write(screen, paper)
    picture = Image.new("RGB", size)
    picture.paste(paper.image.resize((paper.width * scale, paper.height * scale), Image.Resampling.NEAREST))
    return picture if mode == "RGB" else picture.convert("L").point(lambda grey: 255 * (grey > 0)).convert("1")


def _write(screen: Screen, paper: _Paper) -> None:
    """Draw the scores at the top, the buttons' words and the hand at the bottom, the prompt between them."""
    if screen.entries:
        _write_menu(screen, paper)
        return
    top = _write_players(screen, paper)
    bottom = paper.height
    rows = _rows([f"{mark} {word}" for mark, word in screen.hints], paper.width)
    # The words of the buttons are more useful than a prompt to use them, but an alarm takes precedence.
    rows = rows[: max((bottom - top) // _LINE - (1 if screen.alarm else 0), 0)]
    bottom -= _LINE * len(rows)
    for number, row in enumerate(rows):
        paper.write_all(row, bottom + 1 + number * _LINE, WHITE)
    # On the smallest displays the prompt takes precedence over the hand and the facts.
    if screen.hand and bottom - top >= 3 * _LINE:
        bottom -= _LINE
        paper.write_all(screen.hand, bottom + 1, WHITE)
    if screen.facts and bottom - top >= 3 * _LINE:
        paper.write(0, top, shorten(screen.facts, paper.width), GREY)
        top += _LINE
    top += min(2, max(0, bottom - top - 2 * _LINE))
    lines = wrap(screen.prompt, paper.width - 2, max((bottom - top) // _LINE, 0 if rows else 1))
    if screen.alarm:
        paper.box(0, top - 1, paper.width, len(lines) * _LINE + 1, RED)
    for number, line in enumerate(lines):
        paper.write(1, top + number * _LINE, line, BLACK if screen.alarm else WHITE)


def _write_menu(screen: Screen, paper: _Paper) -> None:
    """Draw the title, if there is room for it, and as many entries as fit, with the chosen one among them."""
    lines = max(paper.height // _LINE, 1)
    top = 0
    if lines > 2 and screen.prompt:
        paper.write(1, 0, shorten(screen.prompt, paper.width - 2), GREY)
        top, lines = _LINE, lines - 1
    first = min(max(screen.chosen - lines // 2, 0), max(len(screen.entries) - lines, 0))
    indent = width_of("► ")
    for row, number in enumerate(range(first, min(first + lines, len(screen.entries)))):
        y = top + row * _LINE
        if number == screen.chosen:
            paper.write(1, y, "► ", GREEN)
        paper.write(1 + indent, y, shorten(screen.entries[number], paper.width - indent - 2), WHITE)


def _rows(texts: Sequence[str], width: int) -> list[list[str]]:
    """Distribute the texts over as few rows as possible."""
    rows: list[list[str]] = []
    for text in texts:
        if rows and sum(map(width_of, rows[-1])) + width_of(text) + _GAP * len(rows[-1]) <= width:
            rows[-1].append(text)
        else:
            rows.append([text])
    return rows


def _write_players(screen: Screen, paper: _Paper) -> int:
    """Draw the players, two in a row, the one on turn in a box. Return the height used."""
    half = paper.width // 2
    margin = 1 if paper.height >= 3 * _LINE else 0  # no room for it on a display of two lines
    for number, player in enumerate(screen.players):
        x, y = number % 2 * half, number // 2 * (8 + 2 * margin)
        score = str(player.score)
        colour = WHITE
        if player.on_turn:
            paper.box(x, y, half - 1, 8 + margin, GREEN)
            colour = BLACK
        name = f"{player.name}{'•' if player.dealer else ''}"
        paper.write(x + 1, y + margin, shorten(name, half - width_of(score) - 5), colour)
        paper.write(x + half - 2 - width_of(score), y + margin, score, colour)
    return (len(screen.players) + 1) // 2 * (8 + 2 * margin) + margin


class _Paper:
    """A picture at one pixel per dot."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.image = Image.new("RGB", (width, height))
        self._draw = ImageDraw.Draw(self.image)

    def box(self, x: int, y: int, width: int, height: int, colour: Colour) -> None:
        """Draw a filled box with its top left corner at (x, y)."""
        self._draw.rectangle((x, y, x + width - 1, y + height - 1), fill=colour)

    def write(self, x: int, y: int, text: str, colour: Colour) -> int:
        """Write a line of text with its top left corner at (x, y), red suits in red. Return the x of its end."""
        for code in codes(text):
            red = code in (_PICTURES["♥"], _PICTURES["♦"]) and colour != BLACK
            for column in _FONT[code]:
                self._draw.point([(x, y + row) for row in range(8) if column >> row & 1], fill=RED if red else colour)
                x += 1
        return x

    def write_all(self, texts: Sequence[str], y: int, colour: Colour) -> None:
        """Write texts side by side with equal gaps; drop the last ones if they do not fit."""
        room = list(texts)
        while len(room) > 1 and sum(map(width_of, room)) + _GAP * (len(room) - 1) > self.width:
            room.pop()
        gap = min((self.width - sum(map(width_of, room))) // max(len(room) - 1, 1), 12)
        x = 0
        for text in room:
            x = self.write(x, y, shorten(text, self.width - x), colour) + gap
