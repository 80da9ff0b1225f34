"""Texts of this room that people read: how they are marked, and how another language comes in.

Whoever shows or speaks something is given a `Translate`: `gettext` of the language chosen, or `as_written`.
"""

from __future__ import annotations

from collections.abc import Callable

Translate = Callable[[str], str]


def as_written(text: str) -> str:
    """The text itself: English."""
    return text


def to_translate(text: str) -> str:
    """Marks a text for the catalogues where it stands; it is translated where it is shown."""
    return text
