"""How this room marks its texts for translation. Code that shows or speaks them is given a `Translate` function."""

from __future__ import annotations

from engine.texts import Translate as Translate


def as_written(template: str, plural: str = "", count: int = 1, /) -> str:
    """Translate into English: return the template itself, or the form of it for `count`."""
    return plural if plural and count != 1 else template


def to_translate(text: str) -> str:
    """Mark a text for the catalogues and return it unchanged; it is translated where it is shown."""
    return text
