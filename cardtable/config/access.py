"""Who may do what at the board, as `table.toml` says."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cardtable.config.section import Section
from engine.texts import text

Who = Literal["board", "director", "seat", "seats", "spectator"]
"""board: pages on this machine. director: who has entered the PIN. seat: the phone of the player concerned. seats: the
phone of any player. spectator: every device in the network."""
Several = Annotated[tuple[Who, ...], Field(strict=False)]


class AccessConfig(Section):
    """Who may do what. "seat" means: a phone for its own seat; its own last action, if it takes one back."""

    say: Several = Field(
        default=("board", "director", "seat"),
        description=text(
            'who may say the words of a seat: "board", "director", "seat" (its own phone), "seats" (any paired phone), '
            '"spectator" (every device)'
        ),
    )
    accuse: Several = Field(
        default=("board", "director", "seat"), description=text("who may say words that accuse another seat")
    )
    undo: Several = Field(
        default=("board", "director", "seat"),
        description=text('who may take back the last action; "seat": the phone of the player whose action it was'),
    )
    correct: Several = Field(
        default=("board", "director"), description=text("who may correct the record; `seat` and `seats` are the same")
    )
    host: Several = Field(
        default=("board", "director"),
        description=text("who may choose players and games, begin, break off and say good night"),
    )
