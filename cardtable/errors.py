"""Errors that the user can correct. The command line prints their message, one line without a traceback."""

from __future__ import annotations

from engine.errors import guess_or_all as guess_or_all
from engine.errors import suggestion as suggestion
from engine.texts import why as why


class CardtableError(Exception):
    """The program cannot do something at present. The message says why, and what to do. Exit status 1."""

    status = 1


class UsageError(CardtableError):
    """A wrong argument, configuration or input file. The message says what would be right. Exit status 2."""

    status = 2
