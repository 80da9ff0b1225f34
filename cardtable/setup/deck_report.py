"""Report which cards of a deck the camera reads, misses or confuses, and what to do about it.

Nothing blocks here: the caller adds each scene of the camera.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from engine.cards import Card
from engine.observations import Scene, Sighting
from engine.texts import Text, both, decimals, plural, spaced, text

CERTAIN: Final = 0.98
"""Confidence from which a card counts as read with certainty."""


class DeckReport:
    """The report on a deck whose cards are laid in any order, each once, one or several at a time.

    `wanted` are the cards of the deck, copies included.
    """

    def __init__(self, wanted: Sequence[Card]) -> None:
        self._copies = Counter(wanted)
        self._wanted = tuple(self._copies)
        self._seen: dict[str, Sighting] = {}
        """Id of each card that was laid → its last face, in its most confident sighting."""
        self._began: float | None = None
        self.seconds = 0.0
        """Time between the first scene and the last one with a new card of the deck, by the camera's clock."""
        self.drawback = ""
        """Why the camera reads this kind of deck less well; empty if it does not."""

    def add(self, scene: Scene) -> tuple[Card, ...]:
        """Add a scene; return the cards that were read for the first time."""
        before = set(self.read)
        self._began = scene.time if self._began is None else self._began
        for sighting in scene.sightings:
            known = self._seen.get(sighting.card_id)
            same = known is not None and sighting.face == known.face and sighting.confidence < known.confidence
            covered = known is not None and known.face is not None and sighting.face is None
            if not same and not covered:
                self._seen[sighting.card_id] = sighting
        new = tuple(card for card in self.read if card not in before)
        if new:
            self.seconds = scene.time - self._began
        return new

    @property
    def read(self) -> tuple[Card, ...]:
        """The cards of the deck that were read, in the order of the deck."""
        faces = {sighting.face for sighting in self._seen.values()}
        return tuple(card for card in self._wanted if card in faces)

    @property
    def missing(self) -> tuple[Card, ...]:
        """The cards of the deck that were not read."""
        read = set(self.read)
        return tuple(card for card in self._wanted if card not in read)

    @property
    def complete(self) -> bool:
        """Whether every card was read."""
        return not self.missing

    @property
    def foreign(self) -> tuple[Card, ...]:
        """The cards that were read and are not of this deck."""
        faces = dict.fromkeys(each.face for each in self._seen.values() if isinstance(each.face, Card))
        return tuple(card for card in faces if card not in self._copies)

    @property
    def unread(self) -> int:
        """Number of cards that were laid and could not be read."""
        return sum(sighting.face is None for sighting in self._seen.values())

    @property
    def uncertain(self) -> tuple[Sighting, ...]:
        """The cards that were read, but never with certainty."""
        best: dict[Card, Sighting] = {}
        for sighting in self._seen.values():
            card = sighting.face
            if isinstance(card, Card) and (card not in best or sighting.confidence > best[card].confidence):
                best[card] = sighting
        return tuple(best[card] for card in self.read if best[card].confidence < CERTAIN)

    @property
    def confused(self) -> dict[Card, tuple[Card, ...]]:
        """Card that was read too often → missing cards that may have been mistaken for it.

        A card that was laid twice also counts as read too often. It is listed only if a card is missing.
        """
        times = Counter(each.face for each in self._seen.values() if isinstance(each.face, Card))
        missing = self.missing
        found: dict[Card, tuple[Card, ...]] = {}
        for card in self.read:
            if missing and times[card] > self._copies[card]:
                sightings = (each for each in self._seen.values() if each.face is card)
                alternatives = {other for sighting in sightings for other in sighting.alternatives}
                found[card] = tuple(each for each in missing if each in alternatives) or missing
        return found

    def lines(self) -> list[str]:
        """Return the report as sentences, with the advice at the end."""
        read, of = len(self.read), len(self._wanted)
        lines: list[str] = [text("{read} of {of} cards are read.", read=read, of=of)]
        if self.missing:
            lines.append(text("Not read: {cards}.", cards=_glyphs(self.missing)))
        for card, others in self.confused.items():
            template = "{card} was read more than once: one of them may have been {others}."
            lines.append(text(template, card=card.glyph, others=_glyphs(others)))
        for sighting in self.uncertain:
            template = "{card} was read without certainty ({confidence})."
            lines.append(text(template, card=_glyphs([sighting.face]), confidence=decimals(sighting.confidence, 2)))
        if self.foreign:
            lines.append(text("Read, but not of this deck: {cards}.", cards=_glyphs(self.foreign)))
        if self.unread:
            single = "{count} card that lay there could not be read."
            many = "{count} cards that lay there could not be read."
            lines.append(plural(single, many, self.unread))
        if self.drawback:
            lines.append(self.drawback)
        return [*lines, self.advice()]

    def advice(self) -> Text:
        """Return what to do about it."""
        if self.complete and not self.uncertain and not self.foreign:
            if self.drawback:
                return text("Every card is read if it lies uncovered: lay the cards of a trick apart.")
            if self.unread:
                return text(
                    "Every card is read, but not each time that one lay there: lay cards flat, and take the hand away. "
                    "If cards have to be laid again in a game too, learn the deck (`cardtable deck learn my-deck`)."
                )
            return text("This deck suits the table.")
        if not self.read:
            return text(
                "This deck is not read: see `cardtable doctor`, learn the deck (`cardtable deck learn my-deck`), or "
                "print one with marks (`cardtable print deck -o deck.pdf`). One with acorns and leaves: "
                "`cardtable deck check german-suits`."
            )
        return text(
            "Lay these cards once more, flat and in better light. If that does not help, print labels for them "
            "(`cardtable print deck --labels -o labels.pdf`), or learn the deck (`cardtable deck learn my-deck`)."
        )

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return {
            "read": [str(card) for card in self.read],
            "missing": [str(card) for card in self.missing],
            "confused": {str(card): [str(other) for other in others] for card, others in self.confused.items()},
            "unsure": {str(each.face): round(each.confidence, 3) for each in self.uncertain},
            "foreign": [str(card) for card in self.foreign],
            "unread": self.unread,
            "seconds": round(self.seconds, 1),
            "drawback": self.drawback,
            "advice": self.advice(),
        }


def _glyphs(cards: Iterable[object]) -> str:
    named = [card.glyph for card in cards if isinstance(card, Card)]
    return both(named) if len(named) < 4 else spaced(named)
