"""Translation of texts that are shown or spoken: a `Translate` function, `as_written` for English."""

from __future__ import annotations

from engine.texts import Translate as Translate


def as_written(template: str, plural: str = "", count: int = 1, /) -> str:
    """Translate into English: return the template itself, or the form of it for `count`."""
    return plural if plural and count != 1 else template
