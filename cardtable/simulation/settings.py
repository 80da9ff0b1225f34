"""Settings written behind a source's name as in a web address: `synthetic:its-15?players=3&seed=7`."""

from __future__ import annotations

from urllib.parse import parse_qsl

from cardtable.errors import UsageError, suggestion
from engine.texts import text


def settings(source: str, query: str, known: tuple[str, ...]) -> dict[str, str]:
    """What `query` sets; of a key that stands twice, the last. Raises `UsageError` for one that `source` has not."""
    values: dict[str, str] = dict(parse_qsl(query, keep_blank_values=True))
    for key in values:
        if key not in known:
            message = "{source} has no {key!r}, it has {names}{guess}"
            guess = suggestion(key, known)
            raise UsageError(text(message, source=source, key=key, names=", ".join(known), guess=guess))
    return values
