"""Parse the settings of a source, written like the query of a URL: `synthetic:its-15?players=3&seed=7`."""

from __future__ import annotations

from urllib.parse import parse_qsl

from cardtable.errors import UsageError, suggestion
from engine.texts import text


def settings(source: str, query: str, known: tuple[str, ...]) -> dict[str, str]:
    """Return the settings in `query`; the last value of a repeated key. Raises `UsageError` for an unknown key."""
    values: dict[str, str] = dict(parse_qsl(query, keep_blank_values=True))
    for key in values:
        if key not in known:
            message = "{source} has no {key!r}, it has {names}{guess}"
            guess = suggestion(key, known)
            raise UsageError(text(message, source=source, key=key, names=", ".join(known), guess=guess))
    return values
