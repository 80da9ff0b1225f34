"""Looking: what is handed to the readers, and when, and what their readings mean for the pieces.

A change that has come to rest is read in two frames or more. What nobody can read where it lies, white on white, is cut
out as the card that fits the change and read once more. Two looks that agree lay a piece.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from engine.observations import Zone
from vision.frames import Image
from vision.readings import CARD_MM, Reader, Reading
from vision.tracking.boxes import Box, grown, overlap, part_of
from vision.tracking.card_fitting import fit_card, isolated
from vision.tracking.change_detection import Change, box_of, fewer, grouped, learn_bare, went_away
from vision.tracking.motion import apart
from vision.tracking.track import ENOUGH, LIKELY, Footprint, Outline, Seen, Track
from vision.tracking.tracks import SAME_PLACE_MM, Tracks
from vision.tracking.working_frame import WorkingFrame

STILL: Final = 2
"""Frames without a change before a card counts as laid: with the one before them it has been still for three."""
PATIENCE: Final = 6
"""Looks at a change before what could not be read is let be."""
UNREAD_FOR: Final = 10
"""Frames for which a thing like a card must lie still and unread before it is reported without a face."""
_MOVED_MM, _MOVED_DEGREES = 2.5, 4.0
_MORE_MM = 15.0
"""A change that grows by more, to any side, is more than one card's."""
_OFF_MARKED, _OFF_PRINTED = 0.07, 0.3
"""By how much a card's sides may come out wrong, as a part of them: decks of one's own are of many sizes."""


@dataclass(slots=True)
class PendingChange:
    """A change that has come to rest and is being read."""

    box: Box
    frame: int
    looks: int = 0


class ReadScheduler:
    """What is looked at on one surface. `busy`: there is more to look at, although nothing changes."""

    def __init__(
        self,
        surface: WorkingFrame,
        pieces: Tracks,
        readers: Sequence[Reader],
        zone_at: Callable[[float, float], Zone | None],
    ) -> None:
        self._surface = surface
        self._pieces = pieces
        self._readers = readers
        self._zone_at = zone_at
        self._watches: list[PendingChange] = []
        self._frames, self._whole_looks = 0, 2
        self._bare_seen = False
        self.busy = True

    @property
    def beginning(self) -> bool:
        """Whether the first looks at the whole picture, or those after the camera was moved, are still to come."""
        return self._whole_looks > 0

    def anew(self) -> None:
        """The whole picture must be looked at again."""
        self._watches.clear()
        self._whole_looks = 2
        self.busy = True

    def look(self, changes: list[Change]) -> None:
        """One frame's looks: at the whole picture if need be, at what has changed, at what is not sure yet."""
        self._frames += 1
        self.busy = False
        self._look_at_all()
        self._watches = [watch for watch in self._watches if watch.frame == self._frames - 1]
        for group in grouped(self._surface, changes):
            self._attend(group)
        self._look_again()
        for piece in self._pieces:
            if not piece.laid:
                self._judge_candidate(piece)
        self._bare_seen = self._bare_seen or not self._whole_looks

    def _look_at_all(self) -> None:
        """The first looks, or those after the camera was moved: the whole picture."""
        if not self._whole_looks:
            return
        self.busy = True
        motion = self._surface.motion
        moving = cv2.countNonZero(motion.moving) > 0.1 * motion.age.size
        if motion.age.max() >= 1 and (not moving or self._frames % 10 == 0):
            self._whole_looks -= 1
            self._read(self._surface.frame.image, self._surface.everything)

    def _attend(self, group: list[Change]) -> None:
        """Reads a change that has come to rest, until it is explained or patience ends."""
        self.busy = True
        box = box_of(group)
        watch = next((w for w in self._watches if overlap(w.box, box)), None)
        if watch is None:
            watch = PendingChange(box, self._frames)
            self._watches.append(watch)
        elif grown(watch.box, box) * self._surface.mm > _MORE_MM:
            watch.looks = 0  # another card came to lie beside the first: it has its own right to be looked at
        watch.box, watch.frame = box, self._frames
        watch.looks += 1
        part = self._surface.roomy(box)
        self._read(self._surface.frame.image[part], part)
        for some in fewer(group):
            if self._unexplained(some) > 0.5 and (outline := fit_card(self._surface, self._pieces, some)) is not None:
                self._read(*isolated(self._surface, outline), near=outline)
        left = self._unexplained(group)
        undecided = any(not p.laid for p in self._pieces if overlap(p.footprint.box, box))
        if watch.looks < STILL or ((undecided or left > 0.25) and watch.looks < PATIENCE):
            return
        if left > 0.5:
            self._leave_unread(group)
        for change in group:
            shape = cv2.dilate(change.mask(self._surface.motion.shape), np.ones((3, 3), np.uint8))
            self._surface.motion.settle(np.asarray(shape, dtype=np.uint8))

    def _unexplained(self, group: list[Change]) -> float:
        """The share of the change where no card was read in this frame, and none lies as it has lain before."""
        total = sum(int(change.shape.sum()) for change in group)
        return sum(int(self._open_part(change).shape.sum()) for change in group) / max(total, 1)

    def _open_part(self, change: Change) -> Change:
        """What of the change no card explains that was read in this frame, or lies as it has lain before."""
        open_ = change.shape.copy()
        for piece in self._pieces:
            if not overlap(piece.footprint.box, change.box):
                continue
            if piece.voted[0] == self._frames or (piece.laid and self._pieces.unchanged(piece)):
                open_ &= ~part_of(piece.footprint.cover, piece.footprint.box, change.box)
        return Change(change.box, open_)

    def _leave_unread(self, group: list[Change]) -> None:
        """Nobody could read what came here: is it the table, a card without a face, or just a thing?"""
        for change in group:
            if went_away(self._surface, change):
                learn_bare(self._surface, change, self._pieces)
                return
        for some in fewer(group):
            area = sum(int(change.shape.sum()) for change in some) * self._surface.mm**2
            if area > 0.6 * CARD_MM[0] * CARD_MM[1] and self._unexplained(some) > 0.5:
                outline = fit_card(self._surface, self._pieces, some)
                if outline is None:  # something else that a card explains may have changed beside it
                    outline = fit_card(self._surface, self._pieces, [self._open_part(change) for change in some])
                if outline is not None and not self._comes_to_lie(outline):
                    self._pieces.capture(self._pieces.new(outline, self._surface.footprint(outline)))

    def _comes_to_lie(self, outline: Outline) -> bool:
        """Whether a card that is not laid yet has been found there already."""
        return any(not piece.laid and piece.away(outline) < SAME_PLACE_MM for piece in self._pieces)

    def _look_again(self) -> None:
        """One more look at a piece whose face is not sure, or that has none."""
        for piece in self._pieces:
            # What looks like a card that is proved to lie elsewhere is another, however sure the looks were.
            sure = piece.votes.best()[1] >= ENOUGH and not self._pieces.doubled(piece)
            if not piece.laid or sure or piece.looks >= PATIENCE + 4 or piece.seen is not Seen.CARD:
                continue
            self.busy = True
            if piece.next_look <= self._frames and self._at_rest(piece.footprint):
                piece.next_look = self._frames + (1 << min(piece.looks, 5))
                piece.looks += 1
                part = self._surface.roomy(piece.footprint.box)
                self._read(self._surface.frame.image[part], part)
                if piece.face is None:
                    self._read(*isolated(self._surface, piece.outline), near=piece.outline)
                return

    def _read(self, image: Image, part: Box, near: Outline | None = None) -> None:
        """Lets every reader read `image`, which shows `part` of the frame, and gives what they find to the pieces.

        `near`: only a card that lies about there.
        """
        image = np.ascontiguousarray(image)
        offset = np.array([part[1].start, part[0].start], np.float32)
        found: list[tuple[Reading, Outline]] = []
        for reader in self._readers:
            for reading in reader.read(image, self._surface.table.mm_per_px):
                outline = self._surface.to_mm(np.asarray(reading.outline + offset, dtype=np.float32))
                away = 0.0 if near is None else _apart(outline, near)
                if away < 12 and _card_sized(outline, marked=reading.by != "face"):
                    found.append((reading, outline))
        marked = [outline for reading, outline in found if reading.by != "face"]
        for reading, outline in found:
            # What is printed beside a mark is no index, however much it looks like one.
            if reading.by != "face" or all(_apart(outline, other) > CARD_MM[0] / 2 for other in marked):
                self._take(reading, outline)

    def _take(self, reading: Reading, outline: Outline) -> None:
        """One reading: a vote for the piece that lies there, or a new piece."""
        spot = self._surface.footprint(outline)
        if int(spot.place.sum()) * self._surface.mm**2 < 0.64 * CARD_MM[0] * CARD_MM[1]:
            return
        if not self._at_rest(spot):
            return
        pieces = self._pieces
        piece = pieces.whose(reading.face, outline)
        if piece is None:
            piece = pieces.new(outline, spot)
        elif piece.away(outline) > _MOVED_MM or piece.turned(outline) > _MOVED_DEGREES:
            self._move(piece, outline, spot)
        elif piece.laid and not pieces.unchanged(piece):
            pieces.capture(piece)
        if (self._frames, reading.by) == piece.voted:
            return
        piece.voted = self._frames, reading.by
        piece.votes.add(reading.face, reading.confidence, reading.alternatives)
        was = piece.face
        piece.decide()
        if piece.laid and was != piece.face:
            piece.looks = 0
        if not piece.laid and piece.face is not None:
            looks = piece.votes.looks[piece.face]
            if looks >= STILL and (piece.votes.best()[1] >= LIKELY or looks >= PATIENCE - 1):
                self._lay(piece)

    def _at_rest(self, spot: Footprint) -> bool:
        """Whether nothing moves there and no hand is over it."""
        moved = self._surface.motion.age[spot.box][spot.place] < 1
        hand = self._surface.hand[spot.box][spot.cover] > 0
        return float(moved.mean()) <= 0.03 and float(hand.mean()) <= 0.02

    def _lay(self, piece: Track) -> None:
        """The piece lies: remember how it looks, and what the table cannot look like beneath it."""
        piece.laid, piece.seen = True, Seen.CARD
        piece.zone = self._zone_at(*piece.centre)
        piece.next_look = self._frames + 1
        spot = piece.footprint
        age = self._surface.motion.age[spot.box][spot.place]
        piece.since = self._surface.motion.still_since(int(np.percentile(age, 2)))
        self._pieces.capture(piece)
        close = apart(spot.look, self._surface.ground.bare[spot.box]) <= 6
        seen = spot.known & (self._surface.ground.known[spot.box] > 0)
        if not self._bare_seen or (seen.any() and float(close[seen].mean()) > 0.9):
            # It lay here when the table was first seen: the table beneath is not known.
            where = np.zeros(self._surface.motion.shape, np.uint8)
            where[spot.box][spot.cover] = 255
            self._surface.ground.forget(where)

    def _move(self, piece: Track, outline: Outline, spot: Footprint) -> None:
        """The piece lies a little elsewhere; a card carried farther comes to lie on top."""
        if piece.away(outline) > 20:
            piece.order = self._pieces.next_order()
        piece.outline, piece.footprint = outline, spot
        piece.empty_since = None
        if piece.laid:
            self._pieces.capture(piece)
            piece.zone = self._zone_at(*piece.centre)
            piece.seen = Seen.CARD

    def _judge_candidate(self, piece: Track) -> None:
        """A piece that is not laid yet: dropped when nothing watches it any more; laid without a face after a while."""
        spot = piece.footprint
        self.busy = True
        if piece.votes.odds:
            watched = any(overlap(watch.box, spot.box) for watch in self._watches)
            if not watched and not self._whole_looks:
                self._pieces.remove(piece)
        elif not self._at_rest(spot):
            return  # somebody reaches over it: what changed here is settled, and nobody would look again
        elif not self._pieces.unchanged(piece):
            self._pieces.remove(piece)
        elif int(np.percentile(self._surface.motion.age[spot.box][spot.place], 3)) >= UNREAD_FOR:
            self._lay(piece)


def _apart(one: Outline, other: Outline) -> float:
    """Millimetres between the middles of two cards."""
    return float(np.linalg.norm(one.mean(axis=0) - other.mean(axis=0)))


def _card_sized(outline: Outline, marked: bool) -> bool:
    """Whether the outline, in millimetres, has about the sides of a card.

    A mark is printed at true size: where its card comes out too small, the mark is half covered and may be misread.
    """
    sides = np.linalg.norm(outline - np.roll(outline, -1, axis=0), axis=1)
    short, long = sorted((float(sides[0] + sides[2]) / 2, float(sides[1] + sides[3]) / 2))
    wide, high = short / CARD_MM[0], long / CARD_MM[1]
    off = _OFF_MARKED if marked else _OFF_PRINTED
    return abs(wide - 1) < off and abs(high - 1) < off
