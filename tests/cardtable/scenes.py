"""Scenes as a camera reports them, with cards that a test lays and lifts."""

from __future__ import annotations

from dataclasses import replace

from engine.cards import Card, parse_card
from engine.observations import ActionCard, Scene, Sighting, Zone


class Scenes:
    """Each method returns the scene after the change, one second later than the one before."""

    def __init__(self, source: str = "camera") -> None:
        self._source = source
        self._lying: dict[str, Sighting] = {}
        self._made = 0
        self.clock = 0.0

    def lay(self, face: str, zone: str, seat: int | None = None) -> Scene:
        """Lay a card (`QH`) or an action card (`say:beg`) in a zone."""
        self._made += 1
        read: Card | ActionCard = ActionCard(face[4:]) if face.startswith("say:") else parse_card(face)
        self._lying[face] = Sighting(f"p{self._made}", read, Zone(zone, seat), self.clock)
        return self.again()

    def turns_out(self, face: str, other: str) -> Scene:
        """Read the card laid as `face` as another one."""
        old = self._lying.pop(face)
        self._lying[other] = Sighting(old.card_id, parse_card(other), old.zone, old.since)
        return self.again()

    def doubt(self, face: str, *others: str) -> None:
        """Let the card read as `face` be one of the others perhaps, from the next scene on."""
        alternatives = tuple(map(parse_card, others))
        self._lying[face] = replace(self._lying[face], confidence=0.6, alternatives=alternatives)

    def lift(self, *faces: str) -> Scene:
        """Take cards away."""
        for face in faces:
            del self._lying[face]
        return self.again()

    def again(self) -> Scene:
        """Repeat the scene without a change."""
        self.clock += 1.0
        return Scene(self.clock, self._source, tuple(self._lying.values()))
