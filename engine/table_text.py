"""A view as text for a terminal and as a picture for a notebook.

>>> from engine.table import Table
>>> table = Table("all-fives", ["Ann", "Bo"], dealer=0)
>>> for written in ("turn 10H", "say stand", "play KS"):
...     _ = table.do(written)
>>> print(table)
all-fives, play: Ann to act
  Ann (dealer)  0 points  6 cards
  Bo            0 points  5 cards
trumps: hearts ♥
on the table: turn-up 10♥, Bo K♠
"""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import Final

from engine.cards import Card
from engine.views import TableCard, View

CARD: Final = (46, 64)
"""Width and height of a card in the picture, in px."""

MARGIN: Final = 12
ROW: Final = CARD[1] + 34


def table_text(view: View) -> str:
    """Return several lines: phase and turn, scores and hands, facts, the cards on the table."""
    over = f"over: {' and '.join(view.side_scores()[side][0] for side in view.winners)} won"
    turn = f"{view.phase}: {view.players[view.turn]} to act" if view.turn is not None else view.phase
    lines = [f"{view.game}, {over if view.over else turn}"]
    names = [name + " (dealer)" * (seat == view.dealer) for seat, name in enumerate(view.players)]
    width = max(map(len, names), default=0)
    for seat, name in enumerate(names):
        hand = view.hands[seat]
        cards = "".join(f" {card.glyph}" for card in hand.cards)
        points = view.scores[seat % len(view.scores)]
        lines.append(f"  {name:{width}}  {points} points  {hand.size} cards{':' * bool(cards)}{cards}")
    lines += [f"{name}: {value}" for name, value in view.facts]
    if view.lying:
        lines.append("on the table: " + ", ".join(_group(view, place) for place in _by_zone(view)))
    return "\n".join(lines)


def table_svg(view: View) -> str:
    """Return an SVG picture of the cards on the table, each group under the name of its zone or player."""
    groups = _by_zone(view)
    parts, x = [], MARGIN
    for cards in groups:
        parts.append(f'<text x="{x}" y="44" font-size="13">{escape(_place(view, cards[0]))}</text>')
        for lying in cards:
            parts.append(_card_svg(lying.card, x, 52))
            x += CARD[0] + 6
        x += MARGIN
    title = escape(table_text(view).splitlines()[0])
    width = max(x, MARGIN * 2 + 8 * len(title))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{ROW + 30}" font-family="sans-serif">'
        f'<rect width="100%" height="100%" fill="#e8f0e8"/>'
        f'<text x="{MARGIN}" y="22" font-size="14" font-weight="bold">{title}</text>{"".join(parts)}</svg>'
    )


def _by_zone(view: View) -> list[list[TableCard]]:
    """The cards on the table in groups that lie in the same zone, in the order of the record."""
    return [list(cards) for _, cards in groupby(view.lying, key=lambda lying: lying.zone)]


def _group(view: View, cards: list[TableCard]) -> str:
    return f"{_place(view, cards[0])} {' '.join(lying.card.glyph for lying in cards)}"


def _place(view: View, lying: TableCard) -> str:
    zone = lying.zone
    if zone.seat is None:
        return zone.name
    return view.players[zone.seat] + f" ({zone.name})" * (zone.name != "play")


def _card_svg(card: Card, x: int, y: int) -> str:
    colour = "#b00020" if card.suit in ("H", "D") else "#111"
    width, height = CARD
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="#fff" stroke="#888"/>'
        f'<text x="{x + width / 2}" y="{y + height / 2 + 6}" font-size="17" text-anchor="middle" fill="{colour}">'
        f"{escape(str(card.glyph))}</text>"
    )
