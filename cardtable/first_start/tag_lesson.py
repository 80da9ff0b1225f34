"""Which tag is on which card: asked for card by card, while the first start has the reader board open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from cardtable.doctor.finding import Finding
from cardtable.errors import CardtableError
from cardtable.first_start.question import Choice, Question, doubtful, fine
from engine.cards import Card
from engine.games import load_game
from engine.observations import ActionCard
from engine.texts import plural, text, word_text
from firmware_bridge.tags import TagsError, TagTable

ALONE_S: Final = 0.3
"""Two tags that appear on one reader within this time were laid together, seconds."""
SKIP: Final = "skip-card"
ENOUGH: Final = "enough"


def cards_without_tag(game: str, tags: TagTable) -> list[Card | ActionCard]:
    """Return the cards of a game that lack a tag, and then its action cards; a card as often as copies of it do."""
    kind = load_game(game)
    wanted: list[Card | ActionCard] = []
    for card in kind.deck:
        wanted += [card] * (kind.deck.copies(card) - len(tags.uids(card)))
    return wanted + [ActionCard(word) for word in kind.vocabulary if not tags.uids(ActionCard(word))]


class TagLesson:
    """Learns the tags of a game's cards into the file `path`. `clock`: seconds. Raises `CardtableError`."""

    def __init__(self, path: Path, game: str, clock: Callable[[], float]) -> None:
        self._clock = clock
        try:
            self._tags = TagTable(path)
        except TagsError as error:
            raise CardtableError(str(error)) from error
        self._wanted = cards_without_tag(game, self._tags)
        self._laid: tuple[str, int, float] | None = None
        """A tag that was laid, its reader, and when."""
        self._said: Finding | None = None

    @property
    def is_over(self) -> bool:
        """Whether every card has its tag, or was left out."""
        return not self._wanted

    def lay(self, uid: str, reader: int) -> None:
        """Note that a tag was laid on a reader."""
        if self._laid is not None and self._laid[1] == reader:
            self._laid = None
            advice = text("take them away, and lay one card alone")
            self._said = doubtful(text("two tags came to reader {reader} at once", reader=reader), advice)
        else:
            self._laid = uid, reader, self._clock()

    def look(self) -> None:
        """Learn the tag that was laid, once it is known to lie alone."""
        if self._laid is None or self._clock() - self._laid[2] < ALONE_S or not self._wanted:
            return
        uid, face = self._laid[0], self._wanted[0]
        self._laid = None
        known = self._tags.face(uid)
        if known is not None:
            self._said = doubtful(text("that tag is on {card} already", card=_name(known)), text("lay another card"))
            return
        try:
            self._tags.learn(uid, face)
        except TagsError as error:
            raise CardtableError(str(error)) from error
        self._said = fine(text("{card} has its tag", card=_name(face)))
        self._wanted.pop(0)

    def skip(self) -> None:
        """Leave the card out that is asked for now."""
        if self._wanted:
            self._wanted.pop(0)
            self._said = None

    def question(self) -> Question:
        """Ask for the next card."""
        found: Sequence[Finding] = [self._said] if self._said else []
        one, many = (
            "Lay {card} on any reader. {count} card is left.",
            "Lay {card} on any reader. {count} cards are left.",
        )
        asked = plural(one, many, len(self._wanted), card=_name(self._wanted[0]))
        choices = [Choice(SKIP, text("Leave this card out")), Choice(ENOUGH, text("That is enough for now"))]
        return Question(text("Tags"), asked, found, choices, inner=True)


def _name(face: Card | ActionCard) -> str:
    return face.glyph if isinstance(face, Card) else word_text(face.text)
