"""Check that texts are translated, in French for all: the catalogues have the same texts (`test_languages`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cardtable.languages import catalogue
from engine.texts import Text

FRENCH = catalogue("fr")


def templates(message: object) -> Iterator[str]:
    """Yield the templates in a text that have letters of their own, and so need a translation."""
    if isinstance(message, Text):
        if re.search(r"[A-Za-z]", re.sub(r"\{\w+\}", "", message.template)):
            yield message.template
        for value in message.values.values():
            yield from templates(value)


def assert_french(message: object) -> None:
    """Assert that every template in `message` is in the French catalogue."""
    assert isinstance(message, Text), message
    for template in templates(message):
        assert template in FRENCH, template
