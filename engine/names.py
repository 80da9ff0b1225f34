"""The names of players, as they are shown: RFC 8266 (nicknames), and Unicode's advice on look-alikes (UTS 39).

Every name that comes from elsewhere passes `plain_name`; two players at one table must not be `alike`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import combinations
from typing import Final

_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and marks that Unicode does not class as formatting, but that show nothing."""
_LATIN: Final = str.maketrans(
    "аеорсухіјѕһԁԛԝӏАВЕЗІЈКМНОРСЅТУХӀԚԜαγινορυΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɑ",
    "aeopcyxijshdqwlABE3IJKMHOPCSTYXIQWayivopuABEZHIKMNOPTYXia",
)
"""Cyrillic and Greek letters that look like Latin ones."""
_STROKES: Final = str.maketrans("l1|0", "IIIO")


def plain_name(name: str) -> str:
    """Return a name as it looks: what shows nothing, or turns the direction of writing, is left out.

    Every space, tab or line end is one ordinary space.

    >>> plain_name("A\\u200bnn\\u00a0\\u202e B"), plain_name("Zoe\\u0308"), plain_name("\\x1b[2JBo")
    ('Ann B', 'Zoë', '[2JBo')
    """
    shown = (
        " " if sign.isspace() else sign
        for sign in _INVISIBLE.sub("", name)
        if sign.isspace() or unicodedata.category(sign) not in ("Cc", "Cf")
    )
    return unicodedata.normalize("NFC", re.sub(" +", " ", "".join(shown)).strip())


def alike(name: str, other: str) -> bool:
    """Return whether two names look alike: in capitals and small letters, in full width, or in another alphabet.

    >>> alike("Ann", "ANN"), alike("Ann", "\\uff21nn"), alike("Ann", "\\u0410nn"), alike("AI", "Al")
    (True, True, True, True)
    >>> alike("Ian", "Lan"), alike("Zoe", "Zoë")
    (False, False)
    """
    return not looks(name).isdisjoint(looks(other))


def two_alike(names: Iterable[str]) -> tuple[str, str] | None:
    """Return two of the names that look alike; None if there are none."""
    return next((pair for pair in combinations(names, 2) if alike(*pair)), None)


def looks(name: str) -> frozenset[str]:
    """Return the forms of a name; it is `alike` another if they have a form in common."""
    plain = unicodedata.normalize("NFKD", plain_name(name))
    latin = plain.translate(_LATIN)
    return frozenset((plain.casefold(), latin.casefold(), latin.translate(_STROKES)))
