"""Who has opened a page, and who has sent a message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Role = Literal["board", "director", "seat", "spectator"]
"""board: a page or program on this machine. director: a device that knows the PIN. seat: a phone that was paired with
a player. spectator: any other device in the network."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What is known of a connection when it is opened.

    `here`: whether it comes from this machine. `phone`: the number of the paired phone, None without one.
    """

    here: bool
    phone: int | None = None


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sends a message, or sees a state.

    `seat`: the seat at which its player sits now; None without one. `name`: for lists and the log, such as "board" or
    "seat 0: Ann".
    """

    role: Role
    seat: int | None = None
    name: str = ""


HERE: Final = Identity(here=True)
BOARD: Final = Sender("board", None, "board")
SPECTATOR: Final = Sender("spectator", None, "spectator")


def at_seat(seat: int, player: str) -> Sender:
    """Return the sender for a phone of `player`, who sits at `seat`.

    >>> at_seat(0, "Ann").name
    'seat 0: Ann'
    """
    return Sender("seat", seat, f"seat {seat}: {player}")
