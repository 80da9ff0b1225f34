"""The errors of the engine. Each inherits from `EngineError` and from a builtin, so that a caller may catch either."""

from __future__ import annotations

from typing import Final

from engine.texts import text

CODES: Final = (
    "wrong-phase",
    "no-such-card",
    "no-such-word",
    "not-your-turn",
    "wrong-count",
    "already-seen",
    "not-in-hand",
    "must-play-called",
    "must-follow-suit",
    "must-hold-back",
    "over-31",
    "must-play",
    "not-fifteen",
    "not-on-table",
    "bad-exchange",
    "wrong-amount",
    "bad-call",
    "nothing-to-undo",
)
"""The error codes of records, in order of precedence: if several apply, the first one is reported."""
_CODES_OF_HANDS: Final = frozenset(
    (
        "already-seen",
        "not-in-hand",
        "must-follow-suit",
        "must-hold-back",
        "must-play",
        "not-fifteen",
        "bad-call",
        "bad-exchange",
    )
)
"""Codes of refusals that may depend on the cards of a hand, or that are reported only after these were checked."""


class EngineError(Exception):
    """The base of all errors of the engine."""


class Refused(EngineError, ValueError):
    """An action is against the rules. `code` is one of `CODES`; `message` says what the player should do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    @property
    def shows_hand(self) -> bool:
        """Whether the message may give away cards of a hand that only the table knows."""
        return self.code in _CODES_OF_HANDS

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


class HeaderError(EngineError, ValueError):
    """A game cannot be played with this header: unknown game, wrong number of players, unknown option.

    `key`: the part of the header that is wrong, such as `players` or `options.target`.
    """

    def __init__(self, message: str, key: str) -> None:
        super().__init__(message)
        self.key = key


def suggestion(word: str, known: tuple[str, ...]) -> str:
    """Return `"; did you mean 'x'?"` for the entry of `known` most similar to `word`, or `""` if none is similar."""
    from difflib import get_close_matches  # slow to load, and rarely needed

    close = get_close_matches(word.lower(), known, cutoff=0.5)  # the best first
    return text("; did you mean {guess!r}?", guess=close[0]) if close else ""


def guess_or_all(word: str, known: tuple[str, ...]) -> str:
    """Return the `suggestion` for `word`, or a list of all of `known` if nothing is similar."""
    return suggestion(word, known) or text("; known: {names}", names=", ".join(known) or text("none"))


class RecordError(EngineError, ValueError):
    """A file is not a valid record. `line` counts from 1; `reason` says what is wrong and what would be right."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(line, reason)
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        return text("line {line}: {reason}", line=self.line, reason=self.reason)
