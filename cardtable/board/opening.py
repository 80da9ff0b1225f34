"""Opening the board as the configuration says."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.routing import BaseRoute

from cardtable.board.access.access import Access
from cardtable.board.callbacks import Manage
from cardtable.board.server import Board
from cardtable.config.model import BoardConfig


def open_board(
    config: BoardConfig,
    language: str,
    manage: Manage | None = None,
    more: Sequence[BaseRoute] = (),
    access: Access | None = None,
) -> Board:
    """Serve the board that `config` describes; `manage`, `more` and `access` as in `Board`.

    Raises `CardtableError` if the address or port cannot be used.
    """
    return Board(
        "",
        None,
        host=config.listens_at,
        port=config.port,
        hosts=config.hosts,
        language=language,
        manage=manage,
        overlay_hands_s=config.overlay_hands_s,
        overlay_key=config.overlay_key,
        more=more,
        access=access,
    )
