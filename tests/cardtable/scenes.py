"""Scenes as a camera would tell them: cards that a test lays and lifts by hand."""

from __future__ import annotations

from engine.cards import Card, parse_card
from engine.observations import ActionCard, Scene, Sighting, Zone


class Scenes:
    """Each change gives the whole scene after it, a second later than the one before."""

    def __init__(self, source: str = "camera") -> None:
        self._source = source
        self._lying: dict[str, Sighting] = {}
        self._made = 0
        self.clock = 0.0

    def lay(self, face: str, zone: str, seat: int | None = None) -> Scene:
        """A card (`QH`) or a word (`say:beg`) laid in a zone."""
        self._made += 1
        read: Card | ActionCard = ActionCard(face[4:]) if face.startswith("say:") else parse_card(face)
        self._lying[face] = Sighting(f"p{self._made}", read, Zone(zone, seat), self.clock)
        return self.again()

    def turns_out(self, face: str, other: str) -> Scene:
        """The card laid as `face` is seen to be another."""
        old = self._lying.pop(face)
        self._lying[other] = Sighting(old.card_id, parse_card(other), old.zone, old.since)
        return self.again()

    def lift(self, *faces: str) -> Scene:
        """Cards taken away."""
        for face in faces:
            del self._lying[face]
        return self.again()

    def again(self) -> Scene:
        """The same scene, told once more."""
        self.clock += 1.0
        return Scene(self.clock, self._source, tuple(self._lying.values()))
