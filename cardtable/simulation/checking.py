"""Compare the program's readings and its record with what really happened on the simulated table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from cardtable.simulation.director import Face, described, same
from cardtable.simulation.stage import SimulatedCard
from engine.actions import Action
from engine.observations import Observation, Scene, Sighting, Zone

LATE_S: Final = 1.5
"""A card may be reported for this long after it was taken up, seconds: its place must be seen empty first."""


def first_difference(record: Sequence[Action], real: Sequence[Action], again: Collection[int]) -> str | None:
    """Return a sentence about the first difference between the record and the real actions; None if they agree.

    `again`: the numbers of the real actions whose card was laid a second time because the board did not show it. There
    the record may have the card played, withdrawn and played. The cards of an action may be in any order.
    """
    at = 0
    for number, action in enumerate(real):
        taken_up = Action("withdraw", seat=action.seat, card=action.card)
        while number in again and tuple(record[at : at + 3]) == (action, taken_up, action):
            at += 2
        if at >= len(record):
            return f"action {number + 1}, {described(action)}, is not in the record"
        if not same(record[at], action):
            return f"action {number + 1} was {described(action)}, the record has {described(record[at])}"
        at += 1
    return f"the record has {described(record[at])}, which nobody did" if at < len(record) else None


@dataclass(frozen=True, slots=True)
class Count:
    """How the camera read the cards. A card that is laid again counts again.

    `laid` = `right` + `missed`. `wrong`: number of readings that do not match a card on the table.
    """

    laid: int
    right: int
    wrong: int
    missed: int


class Readings:
    """Collects the readings of all scenes, to be compared with the cards laid."""

    def __init__(self) -> None:
        self._seen: list[Sighting] = []
        self._times: list[float] = []
        self._now: dict[str, tuple[Face | None, Zone | None]] = {}

    def take(self, observation: Observation) -> None:
        """Store the sightings of a scene that the previous scene did not have."""
        if not isinstance(observation, Scene):
            return
        for sighting in observation.sightings:
            spot = sighting.face, sighting.zone
            if self._now.get(sighting.card_id) != spot and sighting.face is not None:
                self._seen.append(sighting)
                self._times.append(observation.time)
            self._now[sighting.card_id] = spot

    def count(self, laid: Sequence[SimulatedCard]) -> Count:
        """Compare the readings with the cards `laid`. Each of several equal cards must have a reading of its own."""
        cards = sorted((card for card in laid if card.face is not None), key=_until)
        right: set[SimulatedCard] = set()
        known: dict[str, SimulatedCard] = {}
        wrong = 0
        for sighting, time in zip(self._seen, self._times, strict=True):
            fitting = [card for card in cards if _fits(card, sighting, time)]
            wrong += not fitting
            if known.get(sighting.card_id) not in fitting:
                # Assign the reading to the card that was taken up first; this matches the most cards.
                card = next((card for card in fitting if card not in right), None)
                if card:
                    known[sighting.card_id] = card
                    right.add(card)
        return Count(len(cards), len(right), wrong, len(cards) - len(right))


def _until(card: SimulatedCard) -> float:
    """Return the time until which the card may be reported, seconds."""
    return float("inf") if card.lifted is None else card.lifted + LATE_S


def _fits(card: SimulatedCard, sighting: Sighting, time: float) -> bool:
    """Return whether `sighting`, first reported at `time` (seconds), may be this card."""
    spot: tuple[Face | None, Zone | None] = card.face, card.place.zone
    return card.laid is not None and (sighting.face, sighting.zone) == spot and card.laid <= time <= _until(card)
