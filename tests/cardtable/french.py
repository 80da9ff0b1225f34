"""Whether what is said has its French."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cardtable.languages import catalogue
from engine.texts import Text

FRENCH = catalogue("fr")


def templates(told_text: object) -> Iterator[str]:
    """What a text is made of, each of which is looked up; texts side by side have nothing to translate."""
    if isinstance(told_text, Text):
        if re.search(r"[A-Za-z]", re.sub(r"\{\w+\}", "", told_text.template)):
            yield told_text.template
        for value in told_text.values.values():
            yield from templates(value)


def assert_french(said: object) -> None:
    """Whatever `said` is made of has its French."""
    assert isinstance(said, Text), said
    for template in templates(said):
        assert template in FRENCH, template
