"""One card is laid, and its name shown: the table reads cards."""

from __future__ import annotations

from typing import ClassVar

from cardtable.first_start.question import Question, doubtful, fine
from cardtable.first_start.step import Site, Step
from engine.texts import commas, text


class CardStep(Step):
    """Shows what is read, live."""

    name: ClassVar[str] = "card"

    def question(self, site: Site) -> Question:
        """Return the cards that are read now."""
        seen = [card for card in site.cards() if card["card"] is not None]
        unread = [card for card in site.cards() if card["card"] is None]
        found = [doubtful(text("no card is seen"), text("lay one face up in the middle of the mat"))]
        if unread:
            found = [doubtful(text("a card lies there that cannot be read"), text("turn it face up, and light it"))]
        if seen:
            found = [fine(text("this is {cards}", cards=commas([card["label"] for card in seen])))]
        return Question(
            text("The first card"),
            text("Lay one card on the mat, face up, and take your hand away. Is its name right?"),
            found,
            picture="mat" if site.cameras() else None,
            forward=text("That is right") if seen else None,
        )
