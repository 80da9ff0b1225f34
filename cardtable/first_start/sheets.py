"""The sheets of paper that the first start offers, as PDF: the corner marks, and mats."""

from __future__ import annotations

import re
from typing import Final

from cardtable.printing.paper import pdf_bytes
from cardtable.printing.sheets import corner_page, mat_tiles
from engine.errors import HeaderError
from engine.games import load_game
from engine.texts import Translate
from vision.table.mat import lay_out

_CORNERS: Final = "corners.pdf"
_MAT: Final = re.compile(r"mat-([a-z0-9-]+)-([0-9])\.pdf")


def sheet_pdf(name: str, translate: Translate) -> bytes | None:
    """Return the PDF file with this name, in the language of `translate`; None if there is none.

    `corners.pdf`: the four corner marks. `mat-GAME-PLAYERS.pdf`: a mat, on A4 pages.
    """
    if name == _CORNERS:
        return pdf_bytes([corner_page(translate)], translate("Corner marks"))
    match = _MAT.fullmatch(name)
    if match is None:
        return None
    try:
        game = load_game(match[1])
    except HeaderError:
        return None
    players = int(match[2])
    if players not in game.seats:
        return None
    title = translate("Mat for {game}, {players} players").format(game=game.title, players=players)
    return pdf_bytes(mat_tiles(lay_out(players, game.zones), title, translate=translate), title)
