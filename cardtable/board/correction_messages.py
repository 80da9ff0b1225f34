"""The messages with which people correct the game that is played, or that is over (docs/corrections.md)."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from cardtable.board.message import CardName, Message, Seat


class CorrectCard(Message):
    """A card was another one, another seat's, or not there (in a game, and at its result)."""

    do: Literal["correct-card"]
    n: int
    """The `n` of the state that the page shows. If another action has come in between, nothing is corrected."""
    line: int
    """The `n` of the action in `history`, or of the card in `lying`."""
    card: CardName | None = None
    """The card that the action names wrongly; None: the action as a whole."""
    to: CardName | None = None
    """The right card. None, without `seat`: it was not there, or the action did not happen."""
    seat: Seat | None = None
    """The seat whose card it is."""
    stop: bool = False
    """Whether later actions that no longer fit may be taken back. Otherwise the answer says which do not fit."""


class AddCard(Message):
    """A card was laid and not seen (in a game, and at its result)."""

    do: Literal["add-card"]
    n: int
    """The `n` of the state that the page shows."""
    card: CardName
    seat: Seat | None = None
    """The seat that laid it; None: it was turned up, or lies in the middle."""
    before: int | None = None
    """The `n` of the action before which it was laid; None: after the last, or where everything fits."""
    stop: bool = False
    """As in `correct-card`."""


class NameCard(Message):
    """A card in the picture of a camera is another one than it was read as, or nothing lies there (game, result)."""

    do: Literal["name-card"]
    n: int
    """The `n` of the state that the page shows."""
    source: Annotated[str, Field(max_length=64)]
    id: Annotated[str, Field(max_length=64)]
    """Its name in `seen`."""
    card: CardName | None = None
    """What it is; None: nothing lies there."""
    stop: bool = False
    """As in `correct-card`."""


class UndoTo(Message):
    """Take back everything after an action (in a game, and at its result: the game then goes on)."""

    do: Literal["undo-to"]
    n: int
    """The `n` of the state that the page shows."""
    line: int
    """The `n` of the last action that stays; 1: none stays."""


class TableIsRight(Message):
    """The record follows what lies on the table, by the smallest correction (in a game, and at its result)."""

    do: Literal["table-is-right"]
    n: int | None = None
    """The `n` of the state that the page shows; None: whatever it is."""


class RecordIsRight(Message):
    """The table says which card goes where until it agrees with the record (in a game, and at its result)."""

    do: Literal["record-is-right"]
    on: bool = True
    """False ends this."""


CorrectionMessage = CorrectCard | AddCard | NameCard | UndoTo | TableIsRight | RecordIsRight
CORRECTIONS: Final = (CorrectCard, AddCard, NameCard, UndoTo, TableIsRight, RecordIsRight)
