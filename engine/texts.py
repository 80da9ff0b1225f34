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

import errno
from collections.abc import Callable, Mapping, Sequence
from typing import Final


class Text(str):
    """An English text with its template and values; made by `text`."""

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, object]

    def __str__(self) -> str:
        """Itself, and not only its letters: so `str(error)` of an error with a text gives the text."""
        return self


def text(template: str, /, **values: object) -> Text:
    """The text that `template` gives with these values, as `str.format` puts them in."""
    out = Text(template.format(**values))
    out.template = template
    out.values = values
    return out


def word_text(word: str) -> Text:
    """A word of a game as people say it: `take one`. The catalogues have the words of all games."""
    return text(word.replace("-", " "))


def spaced(parts: Sequence[str]) -> Text:
    """Texts side by side, as the cards of a hand are."""
    values = {f"part{number}": part for number, part in enumerate(parts)}
    return text(" ".join(f"{{{name}}}" for name in values), **values)


def both(parts: Sequence[str]) -> str:
    """`A, B and C`."""
    return _listed(parts, lambda these, this: text("{these} and {this}", these=these, this=this))


def either(parts: Sequence[str]) -> str:
    """`A, B or C`."""
    return _listed(parts, lambda these, this: text("{these} or {this}", these=these, this=this))


def commas(parts: Sequence[str]) -> str:
    """`A, B, C`."""
    return _listed(parts, _comma)


def _comma(these: str, this: str) -> Text:
    return text("{these}, {this}", these=these, this=this)


def _listed(parts: Sequence[str], last: Callable[[str, str], Text]) -> str:
    """The parts one after the other, the last one joined by `last`; of no parts, nothing."""
    out = parts[0] if parts else ""
    for number, part in enumerate(parts[1:], start=2):
        out = (last if number == len(parts) else _comma)(out, part)
    return out


def in_language(told: str, translate: Callable[[str], str]) -> str:
    """`told` with every template in it translated; a `str` that is no `Text` is itself."""
    if not isinstance(told, Text):
        return told
    values = {
        name: in_language(value, translate) if isinstance(value, str) else value for name, value in told.values.items()
    }
    return translate(told.template).format(**values)


def why(error: OSError) -> str:
    """Why the system would not: its own words, of which those that come up at a table are in the catalogues."""
    return _REASONS.get(error.errno or 0) or error.strerror or str(error)


_REASONS: Final[Mapping[int, Text]] = {
    errno.ENOENT: text("No such file or directory"),
    errno.EACCES: text("Permission denied"),
    errno.EPERM: text("Operation not permitted"),
    errno.EEXIST: text("File exists"),
    errno.ENOTDIR: text("Not a directory"),
    errno.EISDIR: text("Is a directory"),
    errno.ENOSPC: text("No space left on device"),
    errno.EROFS: text("Read-only file system"),
    errno.EIO: text("Input/output error"),
    errno.ENODEV: text("No such device"),
    errno.EBUSY: text("Device or resource busy"),
    errno.ENAMETOOLONG: text("File name too long"),
    errno.ELOOP: text("Too many levels of symbolic links"),
    errno.EADDRNOTAVAIL: text("Cannot assign requested address"),
}
