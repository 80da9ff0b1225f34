"""The errors that a program logs, for tests in which none may be logged."""

from __future__ import annotations

import logging


class ErrorLog(logging.Handler):
    """Keeps the errors that are logged."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.errors.append(logging.Formatter("%(name)s: %(message)s").format(record))
