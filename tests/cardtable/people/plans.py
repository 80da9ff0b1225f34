"""What an act of the plan is, and which cards it takes."""

from __future__ import annotations

from cardtable.simulation.acts import Act
from engine.cards import Card
from tests.cardtable.people.people import People
from tests.cardtable.people.table_top import Lain


def lays_card(act: Act) -> bool:
    return act.kind == "lay" and isinstance(act.face, Card)


def plays(act: Act) -> bool:
    return lays_card(act) and bool(act.action) and act.zone is not None and act.zone.name == "play"


def taken(people: People, act: Act) -> list[Lain]:
    """The cards that the act takes up, where they lie."""
    found: list[Lain] = []
    for face, zone in act.takes:
        every = [lain for lain in people.lying if lain.face == face and lain not in found]
        every.sort(key=lambda lain: lain.zone != zone)
        if every and (face is not None or every[0].zone == zone):
            found.append(every[0])
    return found
