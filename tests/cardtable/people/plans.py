"""Properties of the acts of a plan."""

from __future__ import annotations

from cardtable.simulation.director import Act
from engine.cards import Card
from tests.cardtable.people.people import People
from tests.cardtable.people.table_top import PlacedCard


def lays_card(act: Act) -> bool:
    return act.kind == "lay" and isinstance(act.face, Card)


def plays(act: Act) -> bool:
    return lays_card(act) and bool(act.action) and act.zone is not None and act.zone.name == "play"


def taken(people: People, act: Act) -> list[PlacedCard]:
    """Return the cards on the table that the act takes up."""
    found: list[PlacedCard] = []
    for face, zone in act.takes:
        every = [placed for placed in people.lying if placed.face == face and placed not in found]
        every.sort(key=lambda placed: placed.zone != zone)
        if every and (face is not None or every[0].zone == zone):
            found.append(every[0])
    return found
