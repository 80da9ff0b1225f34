"""What goes wrong in ways that a person can put right: one line that says what to do, never a traceback."""

from __future__ import annotations


class CardtableError(Exception):
    """Something that the program cannot do now; the message says why, and what to do. Exit status 1."""

    status = 1


class UsageError(CardtableError):
    """A wrong argument, configuration or input file; the message says what would be right. Exit status 2."""

    status = 2


def suggestion(word: str, known: tuple[str, ...]) -> str:
    """`"; did you mean 'x'?"` for the entry of `known` that is most like `word`, else the empty text."""
    from difflib import get_close_matches  # slow to load, and rarely needed

    close = get_close_matches(word.lower(), known, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""
