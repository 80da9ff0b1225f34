"""A view as a picture for a notebook: the cards on the table in SVG."""

from __future__ import annotations

from html import escape
from typing import Final

from engine.cards import Card
from engine.views import View

CARD: Final = (46, 64)
"""Width and height of a card in the picture, in px."""

MARGIN: Final = 12
ROW: Final = CARD[1] + 34


def table_svg(view: View) -> str:
    """Return an SVG picture of the cards on the table, each group under the name of its zone or player."""
    parts, x = [], MARGIN
    for cards in view.by_zone():
        parts.append(f'<text x="{x}" y="44" font-size="13">{escape(view.place(cards[0].zone))}</text>')
        for lying in cards:
            parts.append(_card_svg(lying.card, x, 52))
            x += CARD[0] + 6
        x += MARGIN
    title = escape(view.headline())
    width = max(x, MARGIN * 2 + 8 * len(title))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{ROW + 30}" font-family="sans-serif">'
        f'<rect width="100%" height="100%" fill="#e8f0e8"/>'
        f'<text x="{MARGIN}" y="22" font-size="14" font-weight="bold">{title}</text>{"".join(parts)}</svg>'
    )


def _card_svg(card: Card, x: int, y: int) -> str:
    colour = "#b00020" if card.suit in ("H", "D") else "#111"
    width, height = CARD
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="#fff" stroke="#888"/>'
        f'<text x="{x + width / 2}" y="{y + height / 2 + 6}" font-size="17" text-anchor="middle" fill="{colour}">'
        f"{escape(str(card.glyph))}</text>"
    )
