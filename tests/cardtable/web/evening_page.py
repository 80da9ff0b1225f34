"""The board's page in a browser beside an evening whose main loop the test runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

from tests.cardtable.evening.evenings import TestEvening


class EveningPage:
    """The page of the board of `evening`."""

    def __init__(self, page: Page, evening: TestEvening) -> None:
        self.page = page
        self.evening = evening

    def until(self, wanted: dict[str, Any]) -> None:
        """Let the table work until its state has these values, and wait until the page shows it."""
        self.turn(lambda: {**self.shown(), **wanted} == self.shown())

    def turn(self, done: Callable[[], bool]) -> None:
        """Let the table work until `done()` is true, and wait until the page shows its state."""
        self.evening.turn(done)
        version = self.shown()["version"]
        self.page.wait_for_function("version => Number(document.body.dataset.version) >= version", arg=version)

    def shown(self) -> dict[str, Any]:
        return self.evening.shown()
