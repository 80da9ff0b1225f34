"""Learning a deck card by card (`Lesson`), and testing a learned deck (`Exam`).

Nothing blocks here: the caller reports each card that was shown and each button that was pressed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.cards import Card
from engine.texts import text
from vision.decks.deck import LearnedDeck
from vision.decks.matching import Matcher
from vision.frames import Image

Button = tuple[str, str]
"""The name of a button and its label."""

_SAME_CARD: Final = 4.0
"""Largest `Match.difference` of two pictures of the same card. It is usually between 1 and 3."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result for a card that was shown. `good`: it was learned, or read correctly."""

    text: str
    good: bool


class Lesson:
    """Learn the `wanted` cards, each shown once. Cards that `deck` already has are skipped.

    A card that looks like one learned before is doubtful, because the previous card may still lie there. It is learned
    only after the button `take`.
    """

    def __init__(self, deck: LearnedDeck, wanted: Sequence[Card]) -> None:
        self.deck: Final = deck
        self._wanted = tuple(wanted)
        self._skipped: set[Card] = set()
        self._learned: list[Card] = []
        self._doubtful: tuple[Image, tuple[float, float] | None] | None = None
        self._sizes: list[tuple[float, float]] = []

    @property
    def next(self) -> Card | None:
        """The card to show now; None when all have been shown or skipped."""
        return next((card for card in self._wanted if card not in self.deck.faces and card not in self._skipped), None)

    @property
    def progress(self) -> tuple[int, int]:
        """The numbers of learned and of wanted cards."""
        return sum(card in self.deck.faces for card in self._wanted), len(self._wanted)

    @property
    def buttons(self) -> tuple[Button, ...]:
        """The buttons that may be pressed now."""
        out: list[Button] = []
        if self._doubtful is not None and self.next is not None:
            out.append(("take", text("Learn it as {card}", card=self.next.glyph)))
        if self.next is not None:
            out.append(("skip", text("Leave {card} out", card=self.next.glyph)))
        if self._learned:
            out.append(("back", text("{card} again", card=self._learned[-1].glyph)))
        return (*out, ("stop", text("Stop, and continue later")))

    @property
    def size_mm(self) -> tuple[float, float] | None:
        """Width and height of the cards in millimetres; None if they are not known yet."""
        return self.deck.size_mm

    @property
    def doubtful(self) -> bool:
        """Whether the card that was shown looks like one learned before."""
        return self._doubtful is not None

    def title(self, name: str) -> str:
        """Return the title of the page."""
        return text("Learning the deck {name}", name=name)

    def request(self, card: str) -> str:
        """Return the instruction to show a card."""
        return text("Show {card}.", card=card)

    def show(self, face: Image, size_mm: tuple[float, float] | None) -> Answer:
        """Learn the face of the card that was shown. `size_mm` is its size, if known."""
        card = self.next
        if card is None:
            return Answer(text("All cards are learned."), True)
        match = Matcher(self.deck.faces).match(face)
        if match.nearest is not None and match.difference <= _SAME_CARD:
            self._doubtful = face, size_mm
            return Answer(
                text(
                    "This looks like {like}, which is already learned. If it is {card}, say so; otherwise show {card}.",
                    like=match.nearest.glyph,
                    card=card.glyph,
                ),
                False,
            )
        self._learn(card, face, size_mm)
        return Answer(text("{card} is learned.", card=card.glyph), True)

    def press(self, button: str) -> Answer | None:
        """Handle a button; None if it has no effect now. The caller handles `stop`."""
        card = self.next
        if button == "take" and self._doubtful is not None and card is not None:
            self._learn(card, *self._doubtful)
            return Answer(text("{card} is learned.", card=card.glyph), True)
        if button == "skip" and card is not None:
            self._skipped.add(card)
            self._doubtful = None
            return Answer(text("{card} is left out.", card=card.glyph), True)
        if button == "back" and self._learned:
            last = self._learned.pop()
            del self.deck.faces[last]
            return Answer(text("Show {card} again.", card=last.glyph), True)
        return None

    def _learn(self, card: Card, face: Image, size_mm: tuple[float, float] | None) -> None:
        self.deck.faces[card] = face
        self._learned.append(card)
        self._doubtful = None
        if size_mm is not None:
            self._sizes.append(size_mm)
            widths, heights = (sorted(values) for values in zip(*self._sizes, strict=True))
            self.deck.size_mm = widths[len(widths) // 2], heights[len(heights) // 2]


@dataclass(frozen=True, slots=True)
class Misread:
    """The card `shown` was read as `read`, or not at all; `nearest` is the most similar card of the deck."""

    shown: Card
    read: Card | None
    nearest: Card | None

    @property
    def text(self) -> str:
        """The message for the user."""
        card = self.shown.glyph
        if self.read is not None:
            return text("{card} is read as {other}.", card=card, other=self.read.glyph)
        if self.nearest is None:
            return text("{card} is not read.", card=card)
        if self.nearest is self.shown:
            return text("{card} is not read: the picture is not sharp, or another card is too much like it.", card=card)
        return text("{card} is not read; it is most like {other}.", card=card, other=self.nearest.glyph)


class Exam:
    """Test a deck whose cards are laid one by one in `order`."""

    size_mm: Final = None
    """Each card is measured again."""
    doubtful: Final = False
    """No card is doubtful: it is read correctly, wrongly, or not at all."""

    def __init__(self, deck: LearnedDeck, order: Sequence[Card]) -> None:
        self._matcher = Matcher(deck.faces)
        self._order = tuple(order)
        self._done: list[tuple[Card, Misread | None]] = []
        self._missing: set[int] = set()

    @property
    def next(self) -> Card | None:
        """The card to lay now; None when all have been laid."""
        return self._order[len(self._done)] if len(self._done) < len(self._order) else None

    @property
    def progress(self) -> tuple[int, int]:
        """The number of cards that have been laid or are missing, and that of all cards."""
        return len(self._done), len(self._order)

    @property
    def laid(self) -> int:
        """Number of cards that have been laid."""
        return len(self._done) - len(self._missing)

    @property
    def misread(self) -> tuple[Misread, ...]:
        """The cards that were not read, or misread."""
        return tuple(wrong for _, wrong in self._done if wrong is not None)

    @property
    def buttons(self) -> tuple[Button, ...]:
        """The buttons that may be pressed now."""
        out: list[Button] = (
            [("skip", text("{card} is not here", card=self.next.glyph))] if self.next is not None else []
        )
        if self._done:
            out.append(("back", text("{card} again", card=self._done[-1][0].glyph)))
        return (*out, ("stop", text("Stop")))

    def title(self, name: str) -> str:
        """Return the title of the page."""
        return text("Testing the deck {name}", name=name)

    def request(self, card: str) -> str:
        """Return the instruction to lay a card."""
        return text("Lay {card}.", card=card)

    def show(self, face: Image, size_mm: tuple[float, float] | None = None) -> Answer:
        """Read the face of the card that was laid. `size_mm` is ignored."""
        card = self.next
        if card is None:
            return Answer(text("All cards have been laid."), True)
        match = self._matcher.match(face)
        wrong = None if match.card is card else Misread(card, match.card, match.nearest)
        self._done.append((card, wrong))
        if wrong is None:
            return Answer(text("{card} is read.", card=card.glyph), True)
        return Answer(wrong.text, False)

    def press(self, button: str) -> Answer | None:
        """Handle a button; None if it has no effect now. The caller handles `stop`."""
        if button == "skip" and self.next is not None:
            card = self.next
            self._missing.add(len(self._done))
            self._done.append((card, None))
            return Answer(text("{card} is left out.", card=card.glyph), True)
        if button == "back" and self._done:
            card, _ = self._done.pop()
            self._missing.discard(len(self._done))
            return Answer(text("Lay {card} again.", card=card.glyph), True)
        return None


def alike(deck: LearnedDeck) -> list[tuple[Card, Card]]:
    """Return the pairs of cards that are too similar to be distinguished reliably."""
    found: list[tuple[Card, Card]] = []
    for card, face in deck.faces.items():
        others = Matcher({other: picture for other, picture in deck.faces.items() if other is not card})
        nearest = others.match(face)
        if nearest.nearest is not None and nearest.difference < _SAME_CARD:
            pair = (nearest.nearest, card)
            if pair not in found and pair[::-1] not in found:
                found.append(pair)
    return found
