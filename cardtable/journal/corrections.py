"""Corrections that people have made in a game, as the journal stores them and as sentences."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from engine.actions import HIDING, Action
from engine.cards import Card, UnknownCard, parse_card
from engine.rules.wording import describe
from engine.texts import Text, plural, text

Kind = Literal["replace", "remove", "add", "give", "undo-to", "name", "table-right", "record-right"]
KINDS: Final = get_args(Kind)


class CannotCorrect(Exception):
    """A correction is not possible. The text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class What:
    """What was corrected.

    `action`: the corrected action, or the one that was removed. `was`: the card that it named before, or that was read.
    `card`: the card that people say it is, if it does not count yet. `count`: the number of actions that were taken
    back, including those that no longer fit.
    """

    kind: Kind
    action: Action | None = None
    was: Card | None = None
    count: int = 0
    card: Card | None = None

    def sentence(self, players: tuple[str, ...]) -> Text:
        """Return what was corrected as a sentence, without the cards of a hand.

        >>> What("replace", Action.parse("1 play QS"), parse_card("QC")).sentence(("Ann", "Bo"))
        'Corrected: Bo plays Q♠, not Q♣.'
        """
        action = describe(self.action, players) if self.action else ""
        match self.kind:
            case "replace" if self.was is not None and self.action and self.action.do not in HIDING:
                sentence = text("Corrected: {action}, not {card}.", action=action, card=self.was.glyph)
            case "remove" if self.was is not None:
                sentence = text("Corrected: {card} was not there ({action}).", card=self.was.glyph, action=action)
            case "remove":
                sentence = text("Corrected: this did not happen: {action}.", action=action)
            case "add":
                sentence = text("Added: {action}.", action=action)
            case "undo-to":
                return plural("Taken back: {count} action.", "Taken back: {count} actions.", self.count)
            case "name" if self.was is not None and self.card is not None:
                return text("Corrected: the card is {card}, not {was}.", card=self.card.glyph, was=self.was.glyph)
            case "name" if self.card is not None:
                return text("Corrected: the card is {card}.", card=self.card.glyph)
            case "name":
                what = text("a card") if self.was is None else self.was.glyph
                return text("Corrected: there is no card where {card} was seen.", card=what)
            case "table-right":
                return text("The record was made to agree with the table.")
            case "record-right":
                return text("The record is right: the cards are put back as it has them.")
            case _:
                sentence = text("Corrected: {action}.", action=action)
        if not self.count:
            return sentence
        single, many = "{corrected} {count} later action undone.", "{corrected} {count} later actions undone."
        return plural(single, many, self.count, corrected=sentence)

    def to_json(self) -> dict[str, Any]:
        """Return the form in which the journal stores it, without empty values."""
        values = {
            "kind": self.kind,
            "action": self.action and self.action.to_json(),
            "was": self.was and str(self.was),
            "count": self.count,
            "card": self.card and str(self.card),
        }
        return {name: value for name, value in values.items() if value}

    @classmethod
    def from_json(cls, value: object) -> What:
        """Return the correction that `to_json` has written. Raises `ValueError`."""
        if not isinstance(value, dict) or value.get("kind") not in KINDS:
            raise ValueError("not a correction")
        action, count = value.get("action"), value.get("count", 0)
        if type(count) is not int:
            raise ValueError("not a correction")
        was, card = (_card(value.get(key)) for key in ("was", "card"))
        return cls(value["kind"], None if action is None else Action.from_json(action), was, count, card)


def _card(name: object) -> Card | None:
    if not isinstance(name, str | None):
        raise ValueError("not a card")
    try:
        return None if name is None else parse_card(name)
    except UnknownCard as error:
        raise ValueError(str(error)) from error


@dataclass(frozen=True, slots=True)
class MadeCorrection:
    """A correction that was made.

    `n`: the number of actions, undos included, that were stored before it. `who`: who made it, such as `board` or
    `seat 0`. `time`: seconds since 1970.
    """

    n: int
    who: str
    time: float
    what: What

    @property
    def row(self) -> tuple[int, str, float, str]:
        """The values of its row in the journal."""
        what = json.dumps(self.what.to_json(), ensure_ascii=False, separators=(",", ":"))
        return self.n, self.who, self.time, what

    @classmethod
    def from_row(cls, n: int, who: str, time: float, what: str) -> MadeCorrection | None:
        """Return the correction of a row of the journal; None if it is damaged, because the game goes on without it."""
        try:
            return cls(n, who, time, What.from_json(json.loads(what)))
        except (ValueError, RecursionError, TypeError):
            return None
