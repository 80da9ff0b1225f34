"""Read the messages of the page: a word that a seat says, or an undo of the last action. They are checked strictly.

    {"do": "say", "seat": 1, "word": "beg"}
    {"do": "say", "seat": 0, "word": "revoke", "against": 1, "card": "KD"}
    {"do": "undo", "n": 17}

`n` in `undo` is the number of actions that the page showed. If another action has come in between, nothing is undone.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from engine.cards import UnknownCard, parse_card
from engine.observations import Said, UndoAsked
from engine.texts import text

MOST_BYTES: Final = 1024
SOURCE: Final = "page"


class BadMessage(ValueError):
    """A message that the page does not send; the text says what is wrong."""


class _Say(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    do: Literal["say"]
    seat: int = Field(ge=0, le=15)
    word: str = Field(pattern=r"^[a-z0-9-]{1,32}$")
    card: Annotated[str, Field(max_length=16)] | None = None
    against: Annotated[int, Field(ge=0, le=15)] | None = None


class _Undo(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    do: Literal["undo"]
    n: int


_MESSAGE: Final[TypeAdapter[_Say | _Undo]] = TypeAdapter(Annotated[_Say | _Undo, Field(discriminator="do")])


def read_message(message: str, time: float, shown: int, seats: int) -> Said | UndoAsked:
    """Return the observation for a message of the page.

    `time`: of the observation, seconds. `shown`: number of actions. `seats`: number of players. Raises `BadMessage`.
    """
    if len(message) > MOST_BYTES:
        raise BadMessage(text("the message is too long"))
    try:
        wanted = _MESSAGE.validate_json(message)
        if isinstance(wanted, _Undo):
            undo = UndoAsked(time, SOURCE, wanted.n)
            if undo.is_stale(shown):
                raise BadMessage(text("Something else happened in between: look again before taking it back."))
            return undo
        card = parse_card(wanted.card) if wanted.card is not None else None
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise BadMessage(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") from error
    except UnknownCard as error:
        raise BadMessage(str(error)) from error
    for seat in (wanted.seat, wanted.against or 0):
        if seat >= seats:
            raise BadMessage(text("there is no seat {seat}: the seats are 0 to {last}", seat=seat, last=seats - 1))
    return Said(time, SOURCE, wanted.seat, wanted.word, card, wanted.against)
