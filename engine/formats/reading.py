"""Finding out by its content in which format a file of another program is written."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator
from typing import Final

from engine.formats.board import Board, Fault
from engine.formats.iss import SkatGame, read_iss
from engine.formats.lin import read_lin
from engine.formats.pbn import read_pbn
from engine.formats.usebio import read_usebio

_XML: Final = re.compile(r"\s*<")
_TEXTS: Final[tuple[tuple[re.Pattern[str], Callable[[str], Iterator[Board | SkatGame | Fault]]], ...]] = (
    (re.compile(r"\(;\s*GM\["), read_iss),
    (re.compile(r"(?m)^[ \t]*\[[ \t]*\w+[ \t]*\""), read_pbn),
    (re.compile(r"(?mi)^[ \t]*(?:pn|vg|qx|md|st|rh|ah|bt|mn)\|"), read_lin),
)
"""How a file of each format begins, or a line in it; a record has no such line."""


def read_games(content: bytes) -> Iterator[Board | SkatGame | Fault] | None:
    """Return the boards or games of Skat in a file, and its faults; None if it has none of the known formats."""
    wide = content.startswith((BOM_UTF16_LE, BOM_UTF16_BE))  # as some editors of Windows write it
    try:
        written = content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        written = content.decode("iso-8859-1")  # as the standard of PBN has it
    if _XML.match(written):
        return read_usebio(content)
    for begin, read in _TEXTS:
        if begin.search(written):
            return read(written)
    return None
