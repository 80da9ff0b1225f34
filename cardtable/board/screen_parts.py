"""The parts that the states of several screens have."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict  # pydantic cannot read the one of Python 3.11

from cardtable.board.access.sender import Role

SHAPE: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)
"""Of every shape: its attribute docstrings describe it in the JSON Schema, and it has no further keys."""


@with_config(SHAPE)
class Menu(TypedDict):
    """The menu that a seat has opened with its button or encoder."""

    seat: int
    """The seat whose button or encoder controls it."""
    title: str
    """What is to be chosen."""
    entries: list[str]
    """The labels of the entries."""
    chosen: int
    """Index of the entry that a long press, or a press of the encoder, chooses."""
    spoken: str
    """The title and that entry, as they are spoken."""


@with_config(SHAPE)
class You(TypedDict):
    """The device that the state is for."""

    role: Role
    """`board`: a page or program on the table's own machine; `director`: a device that knows the PIN; `seat`: a phone
    that was paired with a player; `spectator`: any other device."""
    seat: int | None
    """The seat at which its player sits now; None if it has no player, or the player does not sit at the table."""
    name: str
    """Such as `board`, or `seat 0: Ann`."""
    player: str | None
    """The player to whom the phone belongs."""
    may: list[Literal["say", "accuse", "undo", "correct", "host"]]
    """The messages that are accepted from it now: `say` words of its seat, `accuse` for its seat, `undo` the last
    action, `correct` the record, and `host`: everything that concerns the evening."""
    hand: list[str]
    """The cards of its own hand, as far as the table knows them; empty without a seat."""


@with_config(SHAPE)
class PhoneState(TypedDict):
    """A device that was paired."""

    id: int
    """Its number, for `/phone/remove`."""
    player: str | None
    """None for a director who does not play."""
    seat: int | None
    """Where the player sits now."""
    director: bool
    device: str
    """The system that its browser reports, such as `Android`; may be empty."""
    connected: bool
    """Whether it has a page open."""


EVERYBODY: Final[You] = {"role": "spectator", "seat": None, "name": "spectator", "player": None, "may": [], "hand": []}
"""The `you` of a state until the state is sent; then each page gets its own."""


@with_config(SHAPE)
class Common(TypedDict):
    """What every state has."""

    version: int
    """A number that grows with every state of the evening."""
    notice: str | None
    """A sentence to show until it is None again: what went wrong, and what to do; or, if `calm`, a question, which an
    action card of the table answers, or who plays on; or what the director of the club says.
    """
    calm: bool
    """Whether the notice reports no fault."""
    trouble: str | None
    """Why nothing can be stored now; None if storing works."""
    menu: Menu | None
    """The menu that is open; None if there is none."""
    you: You
    phones: list[PhoneState]
    """The devices that were paired; empty for all but the board and the director."""


def common(trouble: str | None = None) -> Common:
    """Return the keys of a new state: nothing is announced in it, and it is for everybody."""
    return {
        "version": 0,
        "notice": None,
        "calm": False,
        "trouble": trouble,
        "menu": None,
        "you": EVERYBODY,
        "phones": [],
    }


@with_config(SHAPE)
class TallyEntry(TypedDict):
    """What one player did in the games of this evening that were played to their end."""

    name: str
    played: int
    won: int
    shared: int
    """The number of games won together with another side."""


@with_config(SHAPE)
class Tally(TypedDict):
    """The evening so far. It begins with the first game after *good night*, or after six hours without a game."""

    games: int
    players: list[TallyEntry]
    """The best first."""
