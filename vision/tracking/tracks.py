"""The cards on the table together: which hides which, and which one a reading belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import SUIT_NAMES, Card
from engine.observations import ActionCard
from vision.tracking.background import same_look
from vision.tracking.boxes import moved_into, overlap, part_of
from vision.tracking.motion import apart
from vision.tracking.track import LIKE, Footprint, Outline, Seen, Track, what_shows
from vision.tracking.working_frame import WorkingFrame

SAME_PLACE_MM: Final = 25.0
"""A card read again within this distance has been nudged."""
CARRIED_MM: Final = 120.0
"""A card that no longer shows in its place and is read within this distance was pushed there: the same piece."""
_TELLING_MM2: Final = 60.0
_UNSURE: Final = 8
"""By how many steps of a look a guess at the table beneath a card may be wrong."""


class Tracks:
    """All pieces on one surface, laid or only suspected, in the order in which they came: later ones lie on top."""

    def __init__(self, surface: WorkingFrame, source: str) -> None:
        self._surface = surface
        self._source = source
        self._all: list[Track] = []
        self._count = 0

    def __iter__(self) -> Iterator[Track]:
        return iter(tuple(self._all))

    def new(self, outline: Outline, spot: Footprint) -> Track:
        """A piece that is not laid yet."""
        order = self.next_order()
        piece = Track(f"{self._source}-{order}", outline, spot, self._surface.frame.time, order)
        self._all.append(piece)
        return piece

    def next_order(self) -> int:
        """The place of a card that comes on top of all others."""
        self._count += 1
        return self._count

    def remove(self, piece: Track) -> None:
        """The piece is gone, or never was one."""
        self._all.remove(piece)

    def told(self) -> tuple[Track, ...]:
        """Those that lie on the table, each card that exists once only once."""
        return tuple(piece for piece in self._all if piece.laid and not self.doubled(piece))

    def doubled(self, piece: Track) -> bool:
        """Whether this card, which exists once, is proved better elsewhere: it was carried there, or misread here."""
        if not _is_single(piece):
            return False
        others = (p for p in self._all if p.laid and p is not piece and p.face == piece.face)
        return any(_proof(other) > _proof(piece) for other in others)

    def _left(self, piece: Track) -> bool:
        """Whether the card, which was read elsewhere, is not in its place any more. Its equals may cover it there."""
        shows = self.shows(piece)
        return shows is Seen.TABLE or (shows is not Seen.CARD and _is_single(piece))

    def whose(self, face: Card | ActionCard, outline: Outline) -> Track | None:
        """The piece that was read; None for one that is new."""
        by_distance = sorted(self._all, key=lambda p: p.away(outline))
        for piece in by_distance:
            if piece.face == face:
                distance = piece.away(outline)
                if distance < SAME_PLACE_MM or (distance < CARRIED_MM and piece.laid and self._left(piece)):
                    return piece
        for piece in by_distance:
            near = piece.away(outline) < 10 and piece.turned(outline) < 15
            if near and (piece.face is None or not piece.laid or self.unchanged(piece)):
                return piece
        return None

    def occupied(self) -> npt.NDArray[np.bool_]:
        """Where cards lie, in the small picture."""
        taken = np.zeros(self._surface.motion.shape, np.bool_)
        for piece in self._all:
            taken[piece.footprint.box] |= piece.footprint.cover
        return taken

    def open_to_view(self, piece: Track) -> npt.NDArray[np.bool_]:
        """Within the piece's box: what no later card, no hand and nothing that moves hides."""
        box = piece.footprint.box
        view = (self._surface.motion.age[box] >= 1) & (self._surface.hand[box] == 0)
        for other in self._all:
            if other.order > piece.order and other.seen is not Seen.TABLE and overlap(other.footprint.box, box):
                view &= ~part_of(other.footprint.cover, other.footprint.box, box)
        return np.asarray(view, dtype=np.bool_)

    def capture(self, piece: Track) -> None:
        """Remembers how the card looks now, where it is open to view."""
        spot = piece.footprint
        seen = spot.place & self.open_to_view(piece)
        spot.look[seen] = self._surface.motion.look[spot.box][seen]
        spot.known |= seen

    def shows(self, piece: Track) -> Seen:
        """What the piece's place shows now."""
        surface = self._surface
        box = piece.footprint.box
        if self._is_bare(piece):
            return Seen.TABLE
        view = self.open_to_view(piece)
        bare = surface.ground.bare[box]
        without = [(bare, np.where(surface.ground.known[box] > 0, 0, _UNSURE).astype(np.int16))]
        for other in self._all:
            spot = other.footprint
            if other.laid and other.order < piece.order and overlap(spot.box, box):
                seen = part_of(spot.known, spot.box, box)
                if seen.any():
                    look = bare.copy()
                    look[seen] = moved_into(spot.look, spot.box, box)[seen]
                    without.append((look, np.zeros(look.shape[:2], np.int16)))
                view &= seen | ~part_of(spot.cover, spot.box, box)
        least = max(int(_TELLING_MM2 / surface.mm**2), 6)
        return what_shows(piece, surface.motion.look[box], without, view, least)

    def _is_bare(self, piece: Track) -> bool:
        """Whether the place shows the bare table, whatever is said to lie on the card: that has gone as well."""
        surface, spot = self._surface, piece.footprint
        at_rest = (surface.motion.age[spot.box] >= 1) & (surface.hand[spot.box] == 0)
        bare, now = surface.ground.bare[spot.box], surface.motion.look[spot.box]
        telling = spot.known & (surface.ground.known[spot.box] > 0) & (apart(spot.look, bare) > 2 * LIKE)
        if int(telling.sum()) < 0.25 * int(spot.place.sum()) or not at_rest[telling].all():
            return False
        return float((apart(now, bare)[telling] < LIKE).mean()) > 0.97

    def unchanged(self, piece: Track) -> bool:
        """Whether what shows of the piece looks exactly as it did: no other card lies in its place."""
        spot = piece.footprint
        seen = spot.known & self.open_to_view(piece)
        same = same_look(self._surface.motion.look[spot.box], spot.look)
        return int(seen.sum()) > 0.2 * int(spot.place.sum()) and float(same[seen].mean()) > 0.96

    def retable(self, across: npt.NDArray[np.float64]) -> None:
        """The camera was moved: the pieces stay where they are in millimetres."""
        height, width = self._surface.motion.shape
        for piece in self._all:
            old = piece.footprint
            canvas = np.zeros((height, width, 3), np.uint8)
            known = np.zeros((height, width), np.uint8)
            canvas[old.box] = old.look
            known[old.box][old.known] = 255
            spot = self._surface.footprint(piece.outline)
            spot.look = np.asarray(cv2.warpPerspective(canvas, across, (width, height)), np.uint8)[spot.box].copy()
            there = cv2.warpPerspective(known, across, (width, height), flags=cv2.INTER_NEAREST)
            spot.known = (np.asarray(there)[spot.box] > 0) & spot.place
            piece.footprint = spot

    def follow(self) -> None:
        """All is quiet: take over slow changes of light."""
        for piece in self._all:
            if piece.seen is Seen.CARD:
                spot = piece.footprint
                seen = spot.known & self.open_to_view(piece)
                spot.look[seen] = self._surface.motion.settled[spot.box][seen]


def _is_single(piece: Track) -> bool:
    """Whether it is a card of which there is one."""
    return isinstance(piece.face, Card) and piece.face.suit in SUIT_NAMES


def _proof(piece: Track) -> tuple[bool, float, int]:
    """How well it is proved that this piece lies there, to be compared with another that has the same face."""
    return piece.seen is Seen.CARD, piece.votes.best()[1], piece.order
