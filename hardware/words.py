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

NEED_MORE: Final = frozenset(("revoke", "call"))
"""Words that name a card or another seat besides themselves."""


def sayable(words: Sequence[str]) -> tuple[str, ...]:
    """Those of `words` that can be said by a button or an encoder alone."""
    return tuple(word for word in words if word not in NEED_MORE)


def presses(words: Sequence[str]) -> dict[Press, str]:
    """What each press means while a seat may say `words`. A fourth word is left to the page, or to an encoder."""
    return dict(zip(PRESSES, sayable(words), strict=False))


def words_of(view: View, seat: int) -> tuple[str, ...]:
    """What `seat` may say now by itself; nothing for a seat at which nobody sits in this game."""
    return sayable(view.words[seat]) if seat < len(view.words) else ()
