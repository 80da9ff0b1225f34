"""The table of the board's contrasts, from the colours in its style sheet."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

STYLE: Final = Path(__file__).parents[1] / "cardtable" / "web" / "page" / "base.css"
THEMES: Final = {"light": ":root {", "dark": ':root[data-theme="dark"] {', "high": ':root[data-contrast="high"] {'}
"""Each theme, with the line of the style sheet at which its colours begin. A theme changes those of `light`."""
PAIRS: Final = {
    "ink on wood": ("ink", "wood"),
    "quiet ink on wood": ("muted", "wood"),
    "text on felt": ("felt-ink", "felt"),
    "quiet text on felt": ("felt-muted", "felt"),
    "the turn on wood": ("lit", "wood"),
    "the turn on felt": ("lit", "felt"),
    "text on the turn": ("lit-ink", "lit"),
    "red suit on a card": ("red", "paper"),
    "black suit on a card": ("black", "paper"),
    "vulnerable on wood": ("vulnerable", "wood"),
    "text on a revoke": ("alarm-ink", "alarm"),
}
"""What is read, with its colour and that of its ground."""


def colours(theme: str) -> dict[str, str]:
    """Return the colours of a theme by name, each as six hexadecimal digits."""
    style = STYLE.read_text("utf-8")
    found: dict[str, str] = {}
    for name in dict.fromkeys(("light", theme)):
        block = style.partition(THEMES[name])[2].partition("\n}")[0]
        for key, value in re.findall(r"--([\w-]+): #([0-9a-f]{3}|[0-9a-f]{6});", block):
            found[key] = value if len(value) == 6 else "".join(2 * digit for digit in value)
    return found


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, as in WCAG 2.2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, as in WCAG 2.2: from 1 to 21."""
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def contrast_table(name: str) -> str:
    """Return a table of the contrast of each pair of colours in each theme."""
    shown = [colours(theme) for theme in THEMES]
    lines = [["", *THEMES], ["---", *["---:"] * len(THEMES)]]
    for label, (ink, ground) in PAIRS.items():
        lines.append([label, *(f"{contrast(each[ink], each[ground]):.1f}" for each in shown)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
