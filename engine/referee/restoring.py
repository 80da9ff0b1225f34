"""The record is right: which card goes where until the table agrees with the record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.cards import Card
from engine.observations import Scene, Zone
from engine.referee.prompts import place
from engine.referee.reconciliation import is_same_place
from engine.table import Table
from engine.texts import Text, text

_PLACES: Final = ("play", "turn-up", "table", "bid", "show")
"""The zones in which cards lie face up."""


def moves(table: Table, scenes: Iterable[Scene]) -> list[Text]:
    """Return what the players must do, one card at a time, so that the table agrees with the record; empty if it does.

    `scenes`: the last one of every source. Cards that may be cleared away by the record need not lie there.
    """
    view = table.view()
    lying = _lying(scenes)
    missing = []
    for entry in sorted(table.lying, key=lambda entry: not entry.firm):
        same = next((each for each in lying if each[0] == entry.card and is_same_place(each[1], entry.zone)), None)
        if same is not None:
            lying.remove(same)
        elif entry.firm:
            missing.append(entry)
    out: list[Text] = []
    wanted = [entry.card for entry in missing]
    for card, zone in lying:
        if card in wanted:
            wanted.remove(card)  # it is to be moved
        else:
            out.append(text("Take {card} away: it lies {place}.", card=card.glyph, place=place(zone, view.players)))
    for entry in missing:
        where = place(entry.zone, view.players)
        out.append(text("Lay {card} {place}.", card=entry.card.glyph, place=where))
    return out


def _lying(scenes: Iterable[Scene]) -> list[tuple[Card, Zone]]:
    """Return the cards that lie face up in these zones; a card that several sources see is there once."""
    found: list[tuple[Card, Zone]] = []
    for scene in scenes:
        before = list(found)
        for sighting in scene.sightings:
            zone, face = sighting.zone, sighting.face
            if zone is None or zone.name not in _PLACES or not isinstance(face, Card):
                continue
            if (face, zone) in before:
                before.remove((face, zone))
            else:
                found.append((face, zone))
    return found
