"""The table of tags: which tag is on which card. A JSON file, `{"tags": {"04a1b2c3": "QS", "04d4e5f6": "say:beg"}}`."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.cards import Card, UnknownCard, parse_card
from engine.observations import ActionCard, Scene, Sighting, Swipe, Zone
from engine.texts import text, why
from firmware_bridge import BridgeError
from firmware_bridge.messages import EventKind, ReaderStatus, State, TagEvent

_MAX_BYTES: Final = 10 << 20
_UID: Final = re.compile(r"([0-9a-f]{8}|[0-9a-f]{14})")


class TagsError(BridgeError):
    """The file of tags cannot be read or written. The message says why."""


def parse_face(text: str) -> Card | ActionCard:
    """Return the face that `text` names: a card, or an action card. Raises `UnknownCard`.

    >>> parse_face("QS"), parse_face("say:beg")
    (Card('QS'), ActionCard(text='beg'))
    """
    word = text.removeprefix("say:")
    return ActionCard(word) if word != text and word else parse_card(text)


class TagTable:
    """The tags and the faces of their cards, kept in the file `path`. A missing file is an empty table.

    Identifiers of tags (`uid`) are 4 or 7 bytes in lower-case hexadecimal. Raises `TagsError`.
    """

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._faces: dict[str, Card | ActionCard] = {}
        try:
            if path.stat().st_size > _MAX_BYTES or path.is_fifo() or path.is_char_device():
                raise ValueError("a pipe, or too large: it could block for ever, or fill the memory")
            found = json.loads(path.read_text("utf-8"))["tags"]
            for uid, face in found.items():
                if not _UID.fullmatch(uid):
                    raise TagsError(
                        text("{path}: {uid!r} is not a tag: 8 or 14 hexadecimal digits", path=path, uid=uid)
                    )
                self._faces[uid] = parse_face(face)
        except FileNotFoundError:
            return
        except OSError as error:
            raise TagsError(text("{path} cannot be read: {why}", path=path, why=why(error))) from error
        except UnknownCard as error:
            raise TagsError(text("{path}: {error}", path=path, error=str(error))) from error
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise TagsError(text("{path} is not a file of tags: cardtable tags learn makes one", path=path)) from error

    def __len__(self) -> int:
        return len(self._faces)

    def __iter__(self) -> Iterator[tuple[str, Card | ActionCard]]:
        """Iterate over the tags and their cards, in the order in which they were learnt."""
        return iter(self._faces.items())

    def face(self, uid: str) -> Card | ActionCard | None:
        """Return the face of the card with the tag `uid`; None for an unknown tag."""
        return self._faces.get(uid)

    def uids(self, face: Card | ActionCard) -> tuple[str, ...]:
        """Return the tags on cards with this face."""
        return tuple(uid for uid, other in self._faces.items() if other == face)

    def learn(self, uid: str, face: Card | ActionCard, instead: Collection[str] = ()) -> None:
        """Assign the tag `uid` to a card, forget the tags in `instead`, and replace the file atomically.

        Raises `TagsError`.
        """
        if not _UID.fullmatch(uid):
            raise TagsError(text("{uid!r} is not a tag: 8 or 14 hexadecimal digits", uid=uid))
        for old in instead:
            self._faces.pop(old, None)
        self._faces[uid] = face
        written = json.dumps({"tags": {uid: str(face) for uid, face in self}}, indent=1)
        path = self.path.resolve()  # replace the target of a symbolic link, not the link
        temporary = path.with_name(f"{path.name}.new")
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.write(f"{written}\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise TagsError(text("{path} cannot be written: {why}", path=self.path, why=why(error))) from error


# Turn the events of a reader board into scenes for the referee: a tag becomes a card, a reader a zone.
#
# A tag counts once it has lain for `SETTLE_S`, so that a card carried over a reader is not taken for a card played. A
# card that is dealt or laid away is swiped over a reader of the zone `deal`, which belongs to a seat, and does not stay
# there: such cards are remembered in `TagTracker.swipes`.

SETTLE_S: Final = 0.25
"""Time for which a tag must lie on a reader to count, seconds. Shorter visits are cards carried past."""
FLICKER_S: Final = 3.0
"""A card that comes back to the same deal reader sooner than this, in seconds, has not been swiped a second time."""
DEAL: Final = "deal"
"""Name of the zone of the deal readers."""

Spot = tuple[int, str]
"""A reader's index, and the identifier of a tag on it."""


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag on a reader: when it came (seconds), and its place in the order of all arrivals, from 1."""

    since: float
    number: int


class TagTracker:
    """What lies on the readers of one reader board.

    `zones`: the zone of each reader in use. `settle`: see `SETTLE_S`. `start`: when the program started; a card swiped
    earlier was already handled by the previous program. All times are seconds on the host's clock.
    """

    def __init__(
        self,
        source: str,
        zones: Mapping[int, Zone],
        tags: TagTable,
        settle: float = SETTLE_S,
        start: float = -math.inf,
    ) -> None:
        self.source: Final = source
        self._zones = dict(zones)
        self._tags = tags
        self._settle = settle
        self._start = start
        self._present: dict[Spot, _Tag] = {}
        self._arrivals = 0
        self._counted: set[int] = set()
        """Arrival numbers of the tags that have settled."""
        self._broken: set[int] = set()
        self._last_sightings: tuple[Sighting, ...] | None = None
        self._known: set[int] = set()
        """Readers whose state has been received."""
        self._swipes: dict[str, Swipe] = {}
        """By tag, the last swipe over a deal reader of each card that was not seen elsewhere since."""
        self._swiped_at: dict[Spot, float] = {}

    def event(self, event: TagEvent, now: float) -> None:
        """Process an event of a reader. Events of readers that are not in use are ignored."""
        if event.index not in self._zones:
            return
        spot = (event.index, event.uid)
        if event.kind is EventKind.LAID:
            self._lay(spot, now - event.age)
        elif event.kind is EventKind.LIFTED:
            self._present.pop(spot, None)
        elif event.kind is EventKind.FAULT:
            self._broken.add(event.index)
        elif event.kind is EventKind.WORKS:
            self._broken.discard(event.index)

    def state(self, state: State, now: float) -> None:
        """Process the complete state of a reader. It overrides what the events said."""
        if state.index not in self._zones:
            return
        self._known.add(state.index)
        if state.status is ReaderStatus.BROKEN:
            # The reader board lists the tags that it saw last. It may have rebooted and forgotten others: keep those.
            self._broken.add(state.index)
            for uid in state.uids:
                self._add((state.index, uid), now)
            return
        self._broken.discard(state.index)
        for spot in [spot for spot in self._present if spot[0] == state.index and spot[1] not in state.uids]:
            del self._present[spot]
        for uid in state.uids:
            self._add((state.index, uid), now)  # not a swipe: the card may have lain there before

    def _lay(self, spot: Spot, since: float) -> None:
        if not self._add(spot, since):
            return
        zone, face = self._zones[spot[0]], self._tags.face(spot[1])
        if zone.name != DEAL or since < self._start:
            return
        swiped_lately = since - self._swiped_at.get(spot, -math.inf) < FLICKER_S
        self._swiped_at[spot] = since
        if not swiped_lately and zone.seat is not None and isinstance(face, Card):
            self._swipes.pop(spot[1], None)  # the dictionary stays in the order of the swipes
            self._swipes[spot[1]] = Swipe(self._arrivals, zone.seat, face)

    def _add(self, spot: Spot, since: float) -> bool:
        """Add a tag. Return False if it was there already: a restarted reader board reports everything again."""
        if spot in self._present:
            return False
        self._arrivals += 1
        self._present[spot] = _Tag(since, self._arrivals)
        if self._zones[spot[0]].name != DEAL:
            self._swipes.pop(spot[1], None)
        return True

    def scene(self, now: float) -> Scene | None:
        """Return what lies on the readers, or None if that has not changed or a reader's state is missing."""
        if not self._known.issuperset(self._zones):
            return None
        # In the first scene every tag counts, even if it is new to the reader board, and it keeps counting: otherwise a
        # card from before would appear to have been taken up.
        self._counted = {
            tag.number
            for tag in self._present.values()
            if self._last_sightings is None or tag.number in self._counted or tag.since + self._settle <= now
        }
        last: dict[str, Spot] = {}
        for spot, tag in self._present.items():
            # One tag may be in the fields of two readers, and a moved card is detected at its new place before it is
            # missed at the old one. `_present` is in the order of arrival: the last one counts.
            if tag.number in self._counted and self._zones[spot[0]].name != DEAL:
                last[spot[1]] = spot
        sightings = tuple(
            Sighting(f"{uid}/{tag.number}", self._tags.face(uid), self._zones[spot[0]], tag.since)
            for uid, spot in sorted(last.items())
            for tag in (self._present[spot],)
        )
        if sightings == self._last_sightings:
            return None
        self._last_sightings = sightings
        return Scene(now, self.source, sightings, through_backs=True)

    def settled(self, since: float, now: float) -> bool:
        """Return whether the scenes up to `now` reflect an event that happened at `since`."""
        return since + self._settle <= now

    @property
    def swipes(self) -> tuple[Swipe, ...]:
        """The cards swiped over deal readers, in order; each as it was swiped last, and not seen elsewhere since."""
        return tuple(self._swipes.values())

    @property
    def unknown(self) -> dict[str, int]:
        """Settled tags that belong to no card, outside the deal zone, with the reader of each."""
        return {
            spot[1]: spot[0]
            for spot, tag in self._present.items()
            if tag.number in self._counted and self._zones[spot[0]].name != DEAL and self._tags.face(spot[1]) is None
        }

    @property
    def broken(self) -> dict[int, Zone]:
        """The readers in use that do not work, with their zones."""
        return {index: self._zones[index] for index in sorted(self._broken)}
