"""Texts for people that keep what they are made of, so that they can be told in another language.

A `Text` is the English text, and an ordinary `str` wherever one is wanted: in a record's `message`, in a test. It
also knows its template and the values in it; `in_language` puts it together again from a translated template.
Values that are texts themselves are translated too; names and cards are no texts, and stay as they are.

    >>> led = text("{name} must follow {suit}.", name="Bo", suit=text("hearts"))
    >>> led
    'Bo must follow hearts.'
    >>> french = {"{name} must follow {suit}.": "{name} doit fournir à {suit}.", "hearts": "cœur"}
    >>> in_language(led, lambda template: french[template])
    'Bo doit fournir à cœur.'

Reading a catalogue is no business of the rules: whoever shows a text brings its `translate` along.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping


class Text(str):
    """An English text with its template and values; made by `text`."""

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, object]


def text(template: str, /, **values: object) -> Text:
    """The text that `template` gives with these values, as `str.format` puts them in."""
    out = Text(template.format(**values))
    out.template = template
    out.values = values
    return out


def in_language(told: str, translate: Callable[[str], str]) -> str:
    """`told` with every template in it translated; a `str` that is no `Text` is itself."""
    if not isinstance(told, Text):
        return told
    values = {
        name: in_language(value, translate) if isinstance(value, str) else value for name, value in told.values.items()
    }
    return translate(told.template).format(**values)
