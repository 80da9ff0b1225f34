"""The messages that correct the current game, also at its result (docs/corrections.md)."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from cardtable.board.message import CardName, Message, Seat


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
CORRECTIONS: Final = (CorrectCard, AddCard, NameCard, UndoTo, TableIsRight, RecordIsRight)
