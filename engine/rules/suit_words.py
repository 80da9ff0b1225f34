"""The words that name a suit, for games in which trumps are named."""

from __future__ import annotations

from typing import Final

from engine.words import Word

SUIT_WORDS: Final = (
    Word("spade", label="spades", mark=115),
    Word("heart", label="hearts", mark=116),
    Word("diamond", label="diamonds", mark=117),
    Word("club", label="clubs", mark=118),
)
"""For the `words` of a game. They are in the singular, because `hearts` and `spades` on action cards choose a game."""
SUIT_OF: Final = {word.name: word.name[0].upper() for word in SUIT_WORDS}
"""The letter of each suit by its word."""
