"""The shape of the lobby's state: who plays what, and what the table sees."""

from __future__ import annotations

from typing import Literal

from pydantic import with_config
from typing_extensions import TypedDict  # pydantic cannot read the one of Python 3.11

from cardtable.board.screen_parts import SHAPE, Common, Tally

Light = Literal["good", "warning", "bad"]


@with_config(SHAPE)
class Choice(TypedDict):
    """One value that an option may have."""

    value: str
    label: str


@with_config(SHAPE)
class OptionState(TypedDict):
    """An option of a game."""

    name: str
    kind: Literal["switch", "number", "choice"]
    """`switch`: true or false; `number`: a whole number; `choice`: one of `choices`."""
    label: str
    about: str
    """A sentence about it."""
    default: bool | int | str
    value: bool | int | str
    """The present value."""
    least: int | None
    """The smallest number; None without a limit."""
    choices: list[Choice]


@with_config(SHAPE)
class GameChoice(TypedDict):
    """A game that can be chosen."""

    game: str
    title: str
    about: str
    """A sentence about the game."""
    picture: str
    """Address of a small SVG picture, relative to the page."""
    seats: list[int]
    """The numbers of players that it is for."""
    options: list[OptionState]
    broken: str | None
    """The fault of its package, because of which it cannot be chosen; otherwise None."""


@with_config(SHAPE)
class Check(TypedDict):
    """One finding of the live check."""

    what: Literal["picture", "mat", "light", "focus", "cards", "connection", "reader"]
    state: Light
    text: str
    """What was found, such as “it sees the four corner marks”."""
    advice: str
    """What to do about it; empty if nothing."""


@with_config(SHAPE)
class SourceCheck(TypedDict):
    """The findings about one camera, reader board or other device."""

    name: str
    kind: Literal["camera", "readers", "buttons", "display", "voice"]
    state: Light
    """The worst of its checks."""
    checks: list[Check]
    picture: str | None
    """Address of its picture; None without a camera."""


@with_config(SHAPE)
class LobbyCard(TypedDict):
    """A card that a source sees now."""

    source: str
    card: str | None
    """Its name, such as `QS`; `say:` and a word for an action card; None if it cannot be read."""
    label: str
    """The card for people: `Q♠`."""
    zone: str | None
    seat: int | None
    sure: bool
    """Whether the reading is certain."""


@with_config(SHAPE)
class UnfinishedGame(TypedDict):
    """A stored game that can be continued."""

    id: int
    game: str
    title: str
    players: list[str]
    scores: list[int]
    """The score of each side; empty if it is not known."""
    started: float
    """Seconds since 1970."""
    last: float
    """Time of the last action, seconds since 1970."""
    actions: int


@with_config(SHAPE)
class UnreadableGameEntry(TypedDict):
    """A stored game that is damaged or that the rules refuse."""

    id: int
    title: str
    players: list[str]
    started: float
    reason: str


@with_config(SHAPE)
class NextRoundState(TypedDict):
    """The seats of this table in the next round of its club."""

    round: int
    players: list[str]
    """The names, in seat order."""
    ready: bool
    """Whether the table has said that it is ready."""


@with_config(SHAPE)
class LobbyState(Common):
    """The lobby, before a game and between two games."""

    screen: Literal["lobby"]
    prompt: str
    """What to do next, as a sentence."""
    focus: Literal["game", "players"] | None
    """What the players returned to the lobby to change; None if that is not known."""
    games: list[GameChoice]
    game: str | None
    """The game chosen."""
    players: list[str]
    """The names, in seat order: clockwise, seat 0 at the bottom edge of the mat."""
    remembered: list[str]
    """Players who do not sit at the table now, most recent first."""
    most_players: int
    """The number of seats at the table."""
    dealer: int | None
    """The seat that deals first; None if the cut decides."""
    first_does: str
    """What that seat does in the chosen game, such as “deals first”."""
    is_cut_for: bool
    """Whether the players may cut for the first deal."""
    ready: bool
    """Whether `begin` is accepted."""
    asks_dealer: bool
    """Whether it would be after `set-dealer`: the game is not cut for, and only that is missing."""
    why_not: str | None
    """What is missing; None if the game can begin."""
    sources: list[SourceCheck]
    cards: list[LobbyCard]
    unfinished: list[UnfinishedGame]
    """The newest eight, newest first; `/history/games.json` has all of them."""
    unreadable: list[UnreadableGameEntry]
    """Newest first."""
    tally: Tally
    next_round: NextRoundState | None
    """None without a club, and while the club has no seats for this table."""
