"""The word for each press of a seat's button, for the button and for the display.

Each view lists the words that a seat may say now (`View.words`), in the order of the game's rules. The first is a short
press, the second a long one, the third a double one. A word that also needs a card or another seat cannot be said with
a button: the page asks for what it needs.

    >>> presses(("stand", "beg"))
    {'short': 'stand', 'long': 'beg'}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from engine.views import View

Press = Literal["short", "long", "double"]
PRESSES: Final[tuple[Press, ...]] = ("short", "long", "double")


def sayable(view: View, words: Sequence[str]) -> tuple[str, ...]:
    """Return those of `words` that need neither a card nor another seat, in the same order."""
    return tuple(word for word in words if not (word in view.vocabulary and view.vocabulary[word].needs))


def presses(words: Sequence[str]) -> dict[Press, str]:
    """Return the word for each press while a button offers `words`. A fourth word is left to the page or an encoder."""
    return dict(zip(PRESSES, words, strict=False))


def words_of(view: View, seat: int) -> tuple[str, ...]:
    """Return what `seat` can say with its button now; empty for a seat without a player."""
    return sayable(view, view.words[seat]) if seat < len(view.words) else ()
