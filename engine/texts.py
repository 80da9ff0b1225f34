"""Texts for people that can be translated after they were created.

A `Text` is an ordinary English `str`, for a record's `message` or a test, that also keeps its template and values.
`in_language` fills a translated template with the same values. Values that are texts are translated too; names and
cards are not.

    >>> message = text("{name} must follow {suit}.", name="Bo", suit=text("hearts"))
    >>> message
    'Bo must follow hearts.'
    >>> french = {"{name} must follow {suit}.": "{name} doit fournir à {suit}.", "hearts": "cœur"}
    >>> in_language(message, lambda template: french[template])
    'Bo doit fournir à cœur.'

This module reads no catalogue: the caller of `in_language` passes a `Translate` function.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol


class Translate(Protocol):
    """Translate a template, as gettext does.

    With one argument, return the translation of `template`. With three, `template` is the English singular and
    `plural` the English plural; return the translated form for `count`.
    """

    def __call__(self, template: str, plural: str = "", count: int = 1, /) -> str:
        """Return the translation."""
        ...


class Text(str):
    """An English text with its template and values; made by `text` and `plural`.

    `forms`: the arguments of a `Translate` for a text that depends on a number, otherwise None.
    """

    __slots__ = ("forms", "template", "values")
    template: str
    values: Mapping[str, object]
    forms: tuple[str, str, int] | None

    def __str__(self) -> str:
        """Return the `Text` itself, so that `str(error)` of an error with a text can still be translated."""
        return self


def text(template: str, /, **values: object) -> Text:
    """Return `template` filled with `values` by `str.format`."""
    out = Text(template.format(**values))
    out.template = template
    out.values = values
    out.forms = None
    return out


def template(written: str, /) -> str:
    """Return `written`, marked as a template that the catalogues have. Later, `text` fills it.

    >>> text(template("{name} plays."), name="Bo")
    'Bo plays.'
    """
    return written


def plural(single: str, many: str, count: int, /, **values: object) -> Text:
    """Return the text for `count`: `single` if it is 1, otherwise `many`. Both templates may contain `{count}`.

    A translation has its own forms: in French, 0 takes the singular.

        >>> [plural("{count} card", "{count} cards", count) for count in (0, 1, 2)]
        ['0 cards', '1 card', '2 cards']
    """
    out = text(single if count == 1 else many, count=count, **values)
    out.forms = (single, many, count)
    return out


def decimals(number: float, digits: int = 1, sign: bool = False) -> Text:
    """Return a text for `number` with `digits` decimals and the decimal sign of the language.

    `sign`: write a plus sign before a positive number, as for a difference.

    >>> decimals(7.449), decimals(0.5, 2, sign=True)
    ('7.4', '+0.50')
    >>> in_language(decimals(7.449), lambda template: {"{whole}.{fraction}": "{whole},{fraction}"}[template])
    '7,4'
    """
    whole, fraction = f"{number:{'+' if sign else ''}.{digits}f}".split(".")
    return text("{whole}.{fraction}", whole=whole, fraction=fraction)


def span(numbers: Sequence[int]) -> str:
    """Return a text for the range of `numbers`, sorted and without gaps, such as the numbers of players of a game.

    >>> span((2, 3, 4)), span((3, 4)), span((2,))
    ('2 to 4', '3 or 4', '2')
    """
    few, many = numbers[0], numbers[-1]
    if few == many:
        return str(few)
    return text("{few} or {many}" if len(numbers) == 2 else "{few} to {many}", few=few, many=many)


_BID: Final = re.compile(r"([1-9])(c|d|h|s|nt)", re.ASCII)
_SYMBOLS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def word_text(word: str) -> Text:
    """Return a word of a game as people read it: `take one`, or for a bid `1 ♣`, with a narrow no-break space.

    The catalogues have the words of all games.
    """
    if bid := _BID.fullmatch(word):
        symbol = _SYMBOLS.get(bid[2])
        return text("{level} {symbol}", level=bid[1], symbol=symbol) if symbol else text("{level} NT", level=bid[1])
    return text(word.replace("-", " "))


def spaced(parts: Sequence[str]) -> Text:
    """Return the texts with a space between them, like the cards of a hand."""
    values = {f"part{number}": part for number, part in enumerate(parts)}
    return text(" ".join(f"{{{name}}}" for name in values), **values)


def both(parts: Sequence[str]) -> str:
    """Return `A, B and C`."""
    return _listed(parts, lambda these, this: text("{these} and {this}", these=these, this=this))


def either(parts: Sequence[str]) -> str:
    """Return `A, B or C`."""
    return _listed(parts, lambda these, this: text("{these} or {this}", these=these, this=this))


def commas(parts: Sequence[str]) -> str:
    """Return `A, B, C`."""
    return _listed(parts, _comma)


def _comma(these: str, this: str) -> Text:
    return text("{these}, {this}", these=these, this=this)


def _listed(parts: Sequence[str], last: Callable[[str, str], Text]) -> str:
    """Join the parts with commas, and the last one with `last`. No parts give the empty string."""
    out = parts[0] if parts else ""
    for number, part in enumerate(parts[1:], start=2):
        out = (last if number == len(parts) else _comma)(out, part)
    return out


def in_language(message: str, translate: Translate) -> str:
    """Return `message` with every template in it translated; a `str` that is not a `Text` is returned unchanged."""
    if not isinstance(message, Text):
        return message
    values = {
        name: in_language(value, translate) if isinstance(value, str) else value
        for name, value in message.values.items()
    }
    template = translate(*message.forms) if message.forms else translate(message.template)
    return template.format(**values)


def as_written(template: str, plural: str = "", count: int = 1, /) -> str:
    """Return the template itself, or its form for `count`: the `Translate` function for English."""
    return plural if plural and count != 1 else template


def why(error: OSError) -> str:
    """Return the operating system's reason for `error`: a `Text` for the common ones, otherwise its own words."""
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
    errno.EFBIG: text("File too large"),
    errno.ETIMEDOUT: text("Connection timed out"),
    errno.EADDRNOTAVAIL: text("Cannot assign requested address"),
}


def is_small_number(written: str) -> bool:
    """Return whether `written` is a whole number from 0 to 999,999,999 in ASCII digits.

    `int` refuses numbers with thousands of digits.
    """
    return written.isascii() and written.isdecimal() and len(written) < 10
