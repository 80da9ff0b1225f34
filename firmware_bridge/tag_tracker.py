"""What lies on the readers, as the scenes that the referee takes: tags become cards, readers become zones.

A tag counts when it has lain for a moment, so that a card carried over a reader is no card laid. A card that is dealt
across a reader (zone `deal`, with a seat), or laid away across it, does not stay there: it is remembered as passed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engine.cards import Card
from engine.observations import Scene, Sighting, Zone
from firmware_bridge.messages import Event, EventKind, ReaderStatus, State
from firmware_bridge.tags import TagTable

SETTLE_S: Final = 0.25
"""A tag that lies for so long was laid, and not carried past."""
FLICKER_S: Final = 3.0
"""A card that comes to the same deal reader again within so long has not passed it once more."""
DEAL: Final = "deal"


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag on a reader: when it came, and as the how-manieth that came to any."""

    since: float
    number: int


class TagTracker:
    """What lies on the readers of one board. `zones`: of each reader that is used; times are the host's seconds.

    `began`: what passed a deal reader before that is told again by the board, and was for the program of that time.
    """

    def __init__(
        self,
        source: str,
        zones: Mapping[int, Zone],
        tags: TagTable,
        settle: float = SETTLE_S,
        began: float = -math.inf,
    ) -> None:
        self.source: Final = source
        self._zones = dict(zones)
        self._tags = tags
        self._settle = settle
        self._began = began
        self._tags_present: dict[tuple[int, str], _Tag] = {}
        self._count = 0
        self._counted: set[int] = set()
        self._broken: set[int] = set()
        self._told: tuple[Sighting, ...] | None = None
        self._known: set[int] = set()
        self.swiped: dict[int, dict[str, tuple[int, Card]]] = {}
        """Cards that passed the deal reader of each seat last, by their tags, numbered as they came."""
        self._when: dict[tuple[int, str], float] = {}

    def event(self, event: Event, now: float) -> None:
        """Something happened at a reader. Buttons are no matter of this."""
        if event.index not in self._zones:
            return
        spot = (event.index, event.uid)
        if event.kind is EventKind.LAID:
            self._lay(spot, now - event.age)
        elif event.kind is EventKind.LIFTED:
            self._tags_present.pop(spot, None)
        elif event.kind is EventKind.FAULT:
            self._broken.add(event.index)
        elif event.kind is EventKind.WORKS:
            self._broken.discard(event.index)

    def state(self, state: State, now: float) -> None:
        """What lies on a reader, whole: whatever was missed before, this decides."""
        if state.index not in self._zones:
            return
        self._known.add(state.index)
        if state.status is ReaderStatus.BROKEN:
            # What the board remembers lay there last; what it does not, it may have forgotten at a new start.
            self._broken.add(state.index)
            for uid in state.uids:
                self._come((state.index, uid), now)
            return
        self._broken.discard(state.index)
        for spot in [spot for spot in self._tags_present if spot[0] == state.index and spot[1] not in state.uids]:
            del self._tags_present[spot]
        for uid in state.uids:
            self._come((state.index, uid), now)  # nobody knows whether it has passed

    def _lay(self, spot: tuple[int, str], since: float) -> None:
        if not self._come(spot, since):
            return
        zone, face = self._zones[spot[0]], self._tags.face(spot[1])
        if zone.name != DEAL or since < self._began:
            return
        passed_lately = since - self._when.get(spot, -math.inf) < FLICKER_S
        self._when[spot] = since
        if not passed_lately and zone.seat is not None and isinstance(face, Card):
            for cards in self.swiped.values():
                cards.pop(spot[1], None)
            self.swiped.setdefault(zone.seat, {})[spot[1]] = (self._count, face)

    def _come(self, spot: tuple[int, str], since: float) -> bool:
        """A tag lies there; False where that was known, and is told once more after a new start of the board."""
        if spot in self._tags_present:
            return False
        self._count += 1
        self._tags_present[spot] = _Tag(since, self._count)
        if self._zones[spot[0]].name != DEAL:
            for cards in self.swiped.values():
                cards.pop(spot[1], None)
        return True

    def scene(self, now: float) -> Scene | None:
        """Everything that lies, if that has changed; None where it has not, or not all readers are known yet."""
        if not self._known.issuperset(self._zones):
            return None
        # At the start everything counts, however new it is to the board, and goes on to count: what lay there before
        # must not seem to have been taken up.
        self._counted = {
            tag.number
            for tag in self._tags_present.values()
            if self._told is None or tag.number in self._counted or tag.since + self._settle <= now
        }
        last: dict[str, tuple[int, str]] = {}
        for spot, tag in self._tags_present.items():
            # Two fields may reach one tag; a card moved is noticed where it comes before it is missed where it was.
            # They are in the order in which they came: the last one counts.
            if tag.number in self._counted and self._zones[spot[0]].name != DEAL:
                last[spot[1]] = spot
        sightings = tuple(
            Sighting(f"{uid}/{tag.number}", self._tags.face(uid), self._zones[spot[0]], tag.since)
            for uid, spot in sorted(last.items())
            for tag in (self._tags_present[spot],)
        )
        if sightings == self._told:
            return None
        self._told = sightings
        return Scene(now, self.source, sightings)

    def settled(self, since: float, now: float) -> bool:
        """Whether what happened at `since` is in the scenes given so far."""
        return since + self._settle <= now

    @property
    def unknown(self) -> dict[str, int]:
        """Tags that are on no card and lie in a zone where cards are played, and the reader of each."""
        return {
            spot[1]: spot[0]
            for spot, tag in self._tags_present.items()
            if tag.number in self._counted and self._zones[spot[0]].name != DEAL and self._tags.face(spot[1]) is None
        }

    @property
    def broken(self) -> dict[int, Zone]:
        """The readers that do not work, of those that are used."""
        return {index: self._zones[index] for index in sorted(self._broken)}
