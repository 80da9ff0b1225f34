"""The names of players, as they are shown: RFC 8266 (nicknames), and Unicode's advice on look-alikes (UTS 39).

Every name that comes from elsewhere passes `plain_name`; two players at one table must not be `alike`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Final

_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and marks that Unicode does not class as formatting, but that show nothing."""
_MARKS: Final = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
"""Marks of the alphabets of Europe; most of them make one letter with the one before them."""
_LOOKS: Final = {
    ord(letter): shown
    for line in Path(__file__).with_name("confusables.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
    for shown, letters in (line.split(),)
    for letter in letters
}


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
    """Return the forms of a name; it is `alike` another if they have a form in common.

    Marks that make no letter with the one before them, such as a line below it, are left out.
    """
    plain = unicodedata.normalize("NFKD", _MARKS.sub("", unicodedata.normalize("NFKC", plain_name(name))))
    latin = "".join(sign if sign.isascii() else sign.translate(_LOOKS) for sign in plain)
    return frozenset(form.translate(_LOOKS) for form in (plain, plain.upper(), latin.upper()))


def guests_in(header: Mapping[str, object]) -> tuple[int, ...]:
    """Return the seats of guests in a decoded header; none if they are damaged."""
    players, guests = header.get("players"), header.get("guests")
    if not isinstance(players, list) or not isinstance(guests, list):
        return ()
    return tuple(seat for seat in range(len(players)) if seat in guests)
