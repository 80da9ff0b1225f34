"""Read the messages of the page. They are checked strictly: an unknown key or a value of another type is refused.

    {"do": "say", "seat": 1, "word": "beg"}
    {"do": "say", "seat": 0, "word": "revoke", "against": 1, "card": "KD"}
    {"do": "undo", "n": 17}
    {"do": "add-player", "name": "Ann"}

`Say` and `Undo` become observations for the current game. A `CorrectionMessage` corrects that game. An `EveningMessage`
is for the evening (`cardtable.evening`): lobby, result, good night. docs/reference/interface.md lists all messages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal, NotRequired

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    with_config,
)
from typing_extensions import TypedDict  # pydantic cannot read the one of Python 3.11

from cardtable.config.model import LONGEST_NAME, plain
from cardtable.config.toml_file import wanted
from engine.cards import UnknownCard, parse_card
from engine.observations import Said, UndoAsked
from engine.texts import Text, text

Role = Literal["board", "director", "seat", "spectator"]
"""board: a page or program on this machine. director: a device that knows the PIN. seat: a phone that was paired with
a player. spectator: any other device in the network."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What is known about a connection when it is opened.

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


Seat = Annotated[int, Field(ge=0, le=15)]
CardName = Annotated[str, Field(max_length=16)]


class Message(BaseModel):
    """A message of a page. The key `do` says which one."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)


# Corrections of the current game (docs/how-to/corrections.md).


class CorrectCard(Message):
    """Correct a recorded action: its card, its seat, or that it happened at all (in a game, and at its result)."""

    do: Literal["correct-card"]
    n: int
    """The `n` of the state that the page shows. If another action has come in between, nothing is corrected."""
    line: int
    """The `n` of the action in `history`, or of the card in `lying`."""
    card: CardName | None = None
    """The card in the action that is wrong; null: the whole action is."""
    to: CardName | None = None
    """The right card. If `to` and `seat` are both null, the card (or, without `card`, the action) is removed."""
    seat: Seat | None = None
    """The seat that the card really belongs to."""
    stop: bool = False
    """What to do if later actions no longer fit. true: take them back; false: change nothing, and answer with those
    actions."""


class AddCard(Message):
    """Add a card that was laid but not seen (in a game, and at its result)."""

    do: Literal["add-card"]
    n: int
    """The `n` of the state that the page shows."""
    card: CardName
    seat: Seat | None = None
    """The seat that laid it; null: no seat did (a card turned up, in the middle, or in the crib)."""
    before: int | None = None
    """The `n` of the action before which it was laid. null: the table tries the end of the record, then earlier places
    in this hand, latest first, until no later action conflicts."""
    stop: bool = False
    """As in `correct-card`."""


class NameCard(Message):
    """Say what a card in a camera's picture is, or that no card is there (in a game, and at its result)."""

    do: Literal["name-card"]
    n: int
    """The `n` of the state that the page shows."""
    source: Annotated[str, Field(max_length=64)]
    id: Annotated[str, Field(max_length=64)]
    """The `source` and `id` of the card in `seen`."""
    card: CardName | None = None
    """The card that it is; null: no card is there."""
    stop: bool = False
    """As in `correct-card`."""


class UndoTo(Message):
    """Take back everything after an action (in a game, and at its result: the game then goes on)."""

    do: Literal["undo-to"]
    n: int
    """The `n` of the state that the page shows."""
    line: int
    """The `n` of the last action to keep; 1: keep none."""


class TableIsRight(Message):
    """Make the smallest correction after which the record agrees with the cards on the table (in a game, and at its
    result).
    """

    do: Literal["table-is-right"]
    n: int | None = None
    """The `n` of the state that the page shows; null: correct whatever the state is now."""


class RecordIsRight(Message):
    """Guide the players, card by card, until the table agrees with the record (in a game, and at its result)."""

    do: Literal["record-is-right"]
    on: bool = True
    """false: stop this."""


CorrectionMessage = CorrectCard | AddCard | NameCard | UndoTo | TableIsRight | RecordIsRight


def fault_in(error: ValidationError) -> Text:
    """Return the first fault in `error`: where it is, and what should be there."""
    fault = error.errors(include_url=False)[0]
    where, more = ".".join(map(str, fault["loc"])), fault.get("ctx", {})
    match fault["type"]:
        case "json_invalid":
            return text("the message is not JSON")
        case "missing" | "union_tag_not_found":
            return text("{where}: it is missing", where=where or more.get("discriminator", "").strip("'"))
        case "extra_forbidden":
            return text("{where}: there is no such key", where=where)
        case "union_tag_invalid":
            return text("{where}: {value!r} is not something that can be done here", where="do", value=more["tag"])
        case "model_type" | "dict_type" | "model_attributes_type":
            return text("the message is not an object")
    wish = wanted(fault["type"], more)
    if wish is None:
        return text("{where}: this value is not allowed", where=where)
    return text("{where}: it {should}", where=where, should=wish)


MOST_BYTES: Final = 1024
SOURCE: Final = "page"

Known = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
"""The name of a player whom the table already knows."""
PlayerName = Annotated[
    str,
    BeforeValidator(plain),
    StringConstraints(min_length=1, max_length=LONGEST_NAME),
]
"""A new name."""
GameName = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,32}$")]


class BadMessage(ValueError):
    """The message is not valid. Its text says why."""


class Say(Message):
    """A seat says a word (in a game)."""

    do: Literal["say"]
    seat: Seat
    word: str = Field(pattern=r"^[a-z0-9-]{1,32}$")
    card: CardName | None = None
    """The card named with the word, if it needs one."""
    against: Seat | None = None
    """The seat accused, if the word accuses one."""


class Undo(Message):
    """Take back the last action (in a game, and at its result, which then continues the game)."""

    do: Literal["undo"]
    n: int
    """The `n` of the state that the page shows. If the state has changed since, nothing is undone."""


class Misread(Message):
    """Report that the table has misread a card (in a game). Until the next action, a prompt asks all players to compare
    the cards.
    """

    do: Literal["misread"]
    seat: Seat
    over: bool = False
    """true: remove the prompt."""


class ChooseGame(Message):
    """Choose the game (lobby)."""

    do: Literal["choose-game"]
    game: GameName


class SetOption(Message):
    """Set an option of the chosen game (lobby)."""

    do: Literal["set-option"]
    name: str = Field(pattern=r"^[a-z0-9_-]{1,32}$")
    value: bool | int | Annotated[str, Field(max_length=64)] | None
    """null: the default."""


class AddPlayer(Message):
    """Seat a player, new or remembered, or a guest (lobby)."""

    do: Literal["add-player"]
    name: PlayerName | None = None
    """null: a guest, whom the table names and does not remember."""
    seat: Seat | None = None
    """The new player's seat; players from there on move up by one. null: after the last player."""


class RemovePlayer(Message):
    """Remove a player from the table (lobby). The name is still remembered."""

    do: Literal["remove-player"]
    name: Known


class MovePlayer(Message):
    """Move a player to another seat (lobby). The players in between shift by one seat."""

    do: Literal["move-player"]
    name: Known
    seat: Seat


class RenamePlayer(Message):
    """Give a player another name (lobby). Stored games keep the old one."""

    do: Literal["rename-player"]
    name: Known
    to: PlayerName


class ForgetPlayer(Message):
    """Forget a remembered player (lobby). Stored games keep the name."""

    do: Literal["forget-player"]
    name: Known


class SetDealer(Message):
    """Choose who deals first (lobby)."""

    do: Literal["set-dealer"]
    seat: Seat | None
    """null: the players cut for it."""


class Begin(Message):
    """Begin the game (lobby)."""

    do: Literal["begin"]


class GoOn(Message):
    """Continue an unfinished game (lobby)."""

    do: Literal["go-on"]
    id: int
    """Its number in the journal."""


class BreakOff(Message):
    """Break the game off and open the lobby (in a game). The game stays stored and can be continued from the lobby."""

    do: Literal["break-off"]


class ChangeGame(Message):
    """Begin another game with the same players (in a game, which stays stored, and at its result)."""

    do: Literal["change-game"]
    game: GameName


class Join(Message):
    """Seat another player between two hands (in a game). A new game begins; see docs/how-to/evening.md."""

    do: Literal["join"]
    name: PlayerName | None = None
    """null: a guest, as in `add-player`."""
    seat: Seat | None = None
    """The new player's seat; players from there on move up by one. null: after the last player."""


class Leave(Message):
    """Remove a player between two hands (in a game). A new game begins with the others; see docs/how-to/evening.md."""

    do: Literal["leave"]
    name: Known


class Again(Message):
    """Play the same game again with the same players (result)."""

    do: Literal["again"]


class OtherGame(Message):
    """Return to the lobby to choose another game, with the same players (result)."""

    do: Literal["other-game"]


class OtherPlayers(Message):
    """Return to the lobby to change the players, with the same game (result)."""

    do: Literal["other-players"]


class GoodNight(Message):
    """End the evening and put the table to sleep (lobby, result)."""

    do: Literal["good-night"]


class ReadyForRound(Message):
    """Seat the players of the next round, and say that the table is ready for it (lobby)."""

    do: Literal["ready-for-round"]
    round: int
    """The round that the page shows."""


class Wake(Message):
    """Wake the table (asleep)."""

    do: Literal["wake"]


EveningMessage = (
    ChooseGame
    | SetOption
    | AddPlayer
    | RemovePlayer
    | MovePlayer
    | RenamePlayer
    | ForgetPlayer
    | SetDealer
    | Begin
    | GoOn
    | BreakOff
    | ChangeGame
    | Join
    | Leave
    | Again
    | OtherGame
    | OtherPlayers
    | GoodNight
    | ReadyForRound
    | Wake
)
HostMessage = EveningMessage | CorrectionMessage
"""The messages that menus can send."""
AnyMessage = Say | Undo | Misread | CorrectionMessage | EveningMessage
_NAMES: Final = (("add-player", "name"), ("rename-player", "to"), ("join", "name"))
"""The keys with a name that a person has typed, as (kind of message, key)."""
MESSAGE: Final[TypeAdapter[AnyMessage]] = TypeAdapter(Annotated[AnyMessage, Field(discriminator="do")])


def read_message(
    message: str, time: float, shown: int, seats: int
) -> Said | UndoAsked | Misread | CorrectionMessage | EveningMessage:
    """Return the observation for `Say` and `Undo`, and any other message itself.

    `time`: of the observation, seconds. `shown`: the number of actions so far. `seats`: the number of players. Raises
    `BadMessage`.
    """
    if len(message) > MOST_BYTES:
        raise BadMessage(text("the message is too long"))
    try:
        wanted = MESSAGE.validate_json(message)
        if isinstance(wanted, Undo):
            undo = UndoAsked(time, SOURCE, wanted.n)
            if undo.is_stale(shown):
                raise BadMessage(text("Something else happened in between: look again before taking it back."))
            return undo
        if isinstance(wanted, Misread):
            _check_seat(wanted.seat, seats)
        if not isinstance(wanted, Say):
            return wanted
        card = parse_card(wanted.card) if wanted.card is not None else None
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        if fault["loc"] in _NAMES:
            most = LONGEST_NAME
            raise BadMessage(text("A name has 1 to {most} characters: write another one.", most=most)) from error
        raise BadMessage(fault_in(error)) from error
    except UnknownCard as error:
        raise BadMessage(str(error)) from error
    for seat in (wanted.seat, wanted.against or 0):
        _check_seat(seat, seats)
    return Said(time, SOURCE, wanted.seat, wanted.word, card, wanted.against)


def _check_seat(seat: int, seats: int) -> None:
    if seat >= seats:
        raise BadMessage(text("there is no seat {seat}: the seats are 0 to {last}", seat=seat, last=seats - 1))


SHAPE: Final = ConfigDict(extra="forbid", use_attribute_docstrings=True)
"""The configuration of a shape: attribute docstrings go into the JSON Schema, and further keys are forbidden.

The shapes that a shape contains take it over."""


class MisfitState(TypedDict):
    """A later action that does not fit a correction, so that a person has to decide."""

    action: str
    """What it is, as a sentence."""
    reason: str
    """Why it does not fit."""
    lost: list[str]
    """What would be taken back, this action first. The same message with `stop` does it."""


@with_config(SHAPE)
class Refusal(TypedDict):
    """The answer to a message that was refused; nothing has changed. It goes only to the page that sent it."""

    refused: str
    """Why, as a sentence."""
    misfit: NotRequired[MisfitState]
    """Given if a correction needs a decision."""
    pressed: NotRequired[int]
    """The number of the message (`press`), if it had one."""
