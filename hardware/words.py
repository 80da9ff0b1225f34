"""The word for each press of a seat's button, for the button and for the display.

Each view lists the words that a seat may say now (`View.words`), in the order of the game's rules. The first is a short
press, the second a long one, the third a double one. After a word that also needs a card or another seat the table asks
for what it needs.

    >>> presses(("stand", "beg")), presses(("", "revoke"))
    ({'short': 'stand', 'long': 'beg'}, {'long': 'revoke'})
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
    return {press: word for press, word in zip(PRESSES, words, strict=False) if word}


def words_of(view: View, seat: int) -> tuple[str, ...]:
    """Return what `seat` can say with its button now, in the order of the presses; empty for a seat without a player.

    A word that needs a card or another seat comes after the others and is never a short press, which can happen by
    accident: then the first entry is empty. Evidence for it is laid on the table; the page asks for anything else.
    """
    words = view.words[seat] if seat < len(view.words) else ()
    alone = sayable(view, words)
    rest = tuple(word for word in words if word not in alone)
    return (*(alone or ("",)), *rest) if rest else alone
