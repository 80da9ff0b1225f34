"""Which press of a seat's button means which word: the one place that the button and the display both ask.

The game says in each view what a seat may say now (`View.words`), in the order of its own rules. The first word is
a short press, the second a long one, the third a double one. A word that needs a card, or another seat, besides
itself cannot be said by a button: the page asks for the rest of it.

    >>> presses(("stand", "beg"))
    {'short': 'stand', 'long': 'beg'}
    >>> presses(("go", "call", "revoke"))
    {'short': 'go'}
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
