"""The scene: which cards lie on the table, followed from frame to frame.

Nothing is judged where the picture moves. What has changed and come to rest, with no hand over it, is handed to the
readers; what they find becomes a piece once two looks at a still picture agree: three frames in all. A piece is gone
when its place is seen empty for 0.3 s; while something covers it, it stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from engine.cards import Card
from engine.observations import Scene, Sighting, Word, Zone
from vision.boxes import Box, around, overlap, part_of
from vision.changes import Change, find_strange, learn_bare, part_hands, went_away
from vision.fit import fit_card, isolated
from vision.frames import Frame, Image
from vision.geometry import TableFrame
from vision.motion import apart
from vision.piece import ENOUGH, LIKELY, Footprint, Outline, Piece, Seen
from vision.pieces import Pieces
from vision.readings import CARD_MM, Reader, Reading
from vision.surface import Surface

EMPTY_FOR: Final = 0.3
"""Seconds for which a card's place must be seen empty before the card is gone."""
STILL: Final = 2
"""Frames without a change before a card counts as laid: with the one before them it has been still for three."""
PATIENCE: Final = 6
"""Looks at a change before what could not be read is let be."""
UNREAD_FOR: Final = 10
"""Frames for which a thing like a card must lie still and unread before it is reported without a face."""
_UPSET_MOVING, _UPSET_CHANGED = 0.3, 0.5
_UPSET_FOR: Final = 45
_MOVED_MM, _MOVED_DEGREES = 2.5, 4.0


@dataclass(slots=True)
class Watch:
    """A change that has come to rest and is being read."""

    box: Box
    frame: int
    looks: int = 0


class SceneTracker:
    """Turns frames into `Scene`s. `zone_at` tells the zone of a point in millimetres; `source` names the scenes."""

    def __init__(
        self, zone_at: Callable[[float, float], Zone | None], readers: Sequence[Reader], source: str = "camera"
    ) -> None:
        self._zone_at = zone_at
        self._readers = tuple(readers)
        self._source = source
        self._surface: Surface | None = None
        self._pieces: Pieces
        self._watches: list[Watch] = []
        self._told: list[tuple[str, Card | Word | None, Zone | None]] | None = None
        self._frames = 0
        self._upset_frames = 0
        self._whole_looks = 2
        self._busy = True

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The cards that lie on the table, in the order in which they came."""
        return self._pieces.told() if self._surface is not None else ()

    def update(self, frame: Frame, table: TableFrame | None) -> Scene | None:
        """Takes the next frame; gives the scene if it changed.

        `table`: where the mat lies in this frame; None while that is not known: nothing is judged then.
        """
        surface = self._surface
        self._frames += 1
        if surface is None or surface.size != (frame.image.shape[1], frame.image.shape[0]):
            self._begin(frame, table)
            return None
        if table is not None and not np.array_equal(table.homography, surface.table.homography):
            self._pieces.retable(surface.retable(table))
            self._look_anew()
        surface.update(frame)
        if table is None:
            return None
        if surface.motion.quiet and not self._busy:
            if self._frames % 32 == 0:
                surface.ground.follow(surface.motion.settled)
                self._pieces.follow()
            return None
        if self._upset(surface):
            return None
        self._judge(surface)
        return self._tell(frame.time)

    def _begin(self, frame: Frame, table: TableFrame | None) -> None:
        if table is not None:
            self._surface = Surface(frame, table)
            self._pieces = Pieces(self._surface, self._source)
            self._look_anew()

    def _look_anew(self) -> None:
        self._watches.clear()
        self._whole_looks = 2
        self._upset_frames = 0
        self._busy = True

    def _upset(self, surface: Surface) -> bool:
        """Whether the whole picture moves or is another one: nothing can be judged. If it stays so, start from it."""
        motion = surface.motion
        moving = cv2.countNonZero(motion.moving) / motion.age.size
        if moving <= _UPSET_MOVING and cv2.countNonZero(motion.changed) <= _UPSET_CHANGED * motion.age.size:
            self._upset_frames = 0
            return False
        self._upset_frames = self._upset_frames + 1 if moving <= _UPSET_MOVING else 0
        if self._upset_frames > _UPSET_FOR:
            motion.settle()
            self._look_anew()
        return True

    def _judge(self, surface: Surface) -> None:
        motion = surface.motion
        strange = find_strange(surface, self._pieces)
        changes = part_hands(surface, strange, self._pieces)
        self._busy = False
        self._look_at_all(surface)
        self._watches = [watch for watch in self._watches if watch.frame == self._frames - 1]
        for group in _grouped(surface, changes):
            self._attend(surface, group)
        self._look_again(surface)
        self._judge_pieces(surface)
        # Where nothing is strange (the table again, a card uncovered, a shadow) and all is still, it is settled.
        calm = (motion.changed > 0) & (motion.age >= STILL) & (strange == 0) & (surface.hand == 0)
        if calm.any():
            motion.settle(calm.astype(np.uint8) * 255)

    # Looking

    def _look_at_all(self, surface: Surface) -> None:
        """The first looks, or those after the camera was moved: the whole picture."""
        if not self._whole_looks:
            return
        self._busy = True
        motion = surface.motion
        moving = cv2.countNonZero(motion.moving) > 0.1 * motion.age.size
        if motion.age.max() >= 1 and (not moving or self._frames % 10 == 0):
            self._whole_looks -= 1
            self._read(surface, surface.frame.image, surface.everything)

    def _attend(self, surface: Surface, group: list[Change]) -> None:
        """Reads a change that has come to rest, until it is explained or patience ends."""
        self._busy = True
        box = _box_of(group)
        watch = next((w for w in self._watches if overlap(w.box, box)), None)
        if watch is None:
            watch = Watch(box, self._frames)
            self._watches.append(watch)
        watch.box, watch.frame = box, self._frames
        watch.looks += 1
        part = surface.roomy(box)
        self._read(surface, surface.frame.image[part], part)
        for some in _fewer(group):
            if self._unexplained(some) > 0.5 and (outline := fit_card(surface, self._pieces, some)) is not None:
                self._read(surface, *isolated(surface, outline), near=outline)
        left = self._unexplained(group)
        undecided = any(not p.laid for p in self._pieces if overlap(p.footprint.box, box))
        if watch.looks < STILL or ((undecided or left > 0.25) and watch.looks < PATIENCE):
            return
        if left > 0.5:
            self._leave_unread(surface, group)
        for change in group:
            shape = cv2.dilate(change.mask(surface.motion.shape), np.ones((3, 3), np.uint8))
            surface.motion.settle(np.asarray(shape, dtype=np.uint8))

    def _unexplained(self, group: list[Change]) -> float:
        """The share of the change where no card was read in this frame, and none lies as it has lain before."""
        total = left = 0
        for change in group:
            open_ = change.shape.copy()
            for piece in self._pieces:
                if not overlap(piece.footprint.box, change.box):
                    continue
                if piece.voted[0] == self._frames or (piece.laid and self._pieces.unchanged(piece)):
                    open_ &= ~part_of(piece.footprint.cover, piece.footprint.box, change.box)
            total, left = total + int(change.shape.sum()), left + int(open_.sum())
        return left / max(total, 1)

    def _leave_unread(self, surface: Surface, group: list[Change]) -> None:
        """Nobody could read what came here: is it the table, a card without a face, or just a thing?"""
        for change in group:
            if went_away(surface, change):
                learn_bare(surface, change, self._pieces)
                return
        for some in _fewer(group):
            area = sum(int(change.shape.sum()) for change in some) * surface.mm**2
            if area > 0.6 * CARD_MM[0] * CARD_MM[1] and self._unexplained(some) > 0.5:
                outline = fit_card(surface, self._pieces, some)
                if outline is not None:
                    self._pieces.new(outline, surface.footprint(outline))

    def _look_again(self, surface: Surface) -> None:
        """One more look at a piece whose face is not sure, or that has none."""
        for piece in self._pieces:
            sure = piece.votes.best()[1] >= ENOUGH
            if not piece.laid or sure or piece.looks >= PATIENCE + 4 or piece.seen is not Seen.CARD:
                continue
            self._busy = True
            if piece.next_look <= self._frames and self._at_rest(surface, piece.footprint):
                piece.next_look = self._frames + (1 << min(piece.looks, 5))
                piece.looks += 1
                part = surface.roomy(piece.footprint.box)
                self._read(surface, surface.frame.image[part], part)
                if piece.face is None:
                    self._read(surface, *isolated(surface, piece.outline), near=piece.outline)
                return

    def _read(self, surface: Surface, image: Image, part: Box, near: Outline | None = None) -> None:
        """Lets every reader read `image`, which shows `part` of the frame, and gives what they find to the pieces.

        `near`: only a card that lies about there.
        """
        image = np.ascontiguousarray(image)
        offset = np.array([part[1].start, part[0].start], np.float32)
        for reader in self._readers:
            for reading in reader.read(image, surface.table.mm_per_px):
                outline = surface.to_mm(np.asarray(reading.outline + offset, dtype=np.float32))
                away = 0.0 if near is None else float(np.linalg.norm(outline.mean(axis=0) - near.mean(axis=0)))
                if away < 12 and _card_sized(outline):
                    self._take(surface, reading, outline)

    def _take(self, surface: Surface, reading: Reading, outline: Outline) -> None:
        """One reading: a vote for the piece that lies there, or a new piece."""
        spot = surface.footprint(outline)
        if int(spot.place.sum()) * surface.mm**2 < 0.64 * CARD_MM[0] * CARD_MM[1]:
            return
        if not self._at_rest(surface, spot):
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
        piece.votes.add(reading.face, reading.confidence)
        was = piece.face
        piece.decide()
        if piece.laid and was != piece.face:
            piece.looks = 0
        if not piece.laid and piece.face is not None:
            looks = piece.votes.looks[piece.face]
            if looks >= STILL and (piece.votes.best()[1] >= LIKELY or looks >= PATIENCE - 1):
                self._lay(surface, piece)

    @staticmethod
    def _at_rest(surface: Surface, spot: Footprint) -> bool:
        """Whether nothing moves there and no hand is over it."""
        moved = surface.motion.age[spot.box][spot.place] < 1
        hand = surface.hand[spot.box][spot.cover] > 0
        return float(moved.mean()) <= 0.03 and float(hand.mean()) <= 0.02

    # Pieces

    def _lay(self, surface: Surface, piece: Piece) -> None:
        """The piece lies: remember how it looks, and what the table cannot look like beneath it."""
        piece.laid, piece.seen = True, Seen.CARD
        piece.zone = self._zone_at(*piece.centre)
        piece.next_look = self._frames + 1
        spot = piece.footprint
        age = surface.motion.age[spot.box][spot.place]
        piece.since = surface.motion.still_since(int(np.percentile(age, 2)))
        self._pieces.capture(piece)
        close = apart(spot.look, surface.ground.bare[spot.box]) <= 6
        seen = spot.known & (surface.ground.known[spot.box] > 0)
        if self._told is None or (seen.any() and float(close[seen].mean()) > 0.9):
            # It lay here when the table was first seen: the table beneath is not known.
            where = np.zeros(surface.motion.shape, np.uint8)
            where[spot.box][spot.cover] = 255
            surface.ground.forget(where)

    def _move(self, piece: Piece, outline: Outline, spot: Footprint) -> None:
        """The piece lies a little elsewhere; a card carried farther comes to lie on top."""
        if piece.away(outline) > 20:
            piece.order = self._pieces.next_order()
        piece.outline, piece.footprint = outline, spot
        piece.empty_since = None
        if piece.laid:
            self._pieces.capture(piece)
            piece.zone = self._zone_at(*piece.centre)
            piece.seen = Seen.CARD

    def _judge_pieces(self, surface: Surface) -> None:
        motion, time = surface.motion, surface.frame.time
        # The uppermost first: what is seen to be gone hides nothing.
        for piece in sorted(self._pieces, key=lambda p: -p.order):
            if not piece.laid:
                self._judge_candidate(surface, piece)
                continue
            box = piece.footprint.box
            stirred = bool(motion.changed[box].any() or motion.moving[box].any())
            if not stirred and piece.empty_since is None and piece.seen is Seen.CARD:
                continue
            piece.seen = self._pieces.shows(piece)
            if piece.seen is not Seen.TABLE:
                piece.empty_since = None
                continue
            self._busy = True
            if piece.empty_since is None:
                piece.empty_since = time
            if time - piece.empty_since >= EMPTY_FOR - 1e-6:
                self._clear_away(surface, piece)

    def _clear_away(self, surface: Surface, piece: Piece) -> None:
        """The piece is gone; its place shows the table, which may never have been seen there."""
        self._pieces.remove(piece)
        spot = piece.footprint
        bare = np.zeros(surface.motion.shape, np.bool_)
        bare[spot.box] = spot.cover
        unknown = bare & (surface.ground.known == 0) & (surface.motion.age >= STILL) & (surface.hand == 0)
        surface.ground.learn(unknown & ~self._pieces.occupied(), surface.motion.look)

    def _judge_candidate(self, surface: Surface, piece: Piece) -> None:
        """A piece that is not laid yet: dropped when nothing watches it any more; laid without a face after a while."""
        spot = piece.footprint
        self._busy = True
        if piece.votes.odds:
            watched = any(overlap(watch.box, spot.box) for watch in self._watches)
            if not watched and not self._whole_looks:
                self._pieces.remove(piece)
        elif not self._at_rest(surface, spot):
            self._pieces.remove(piece)
        elif int(np.percentile(surface.motion.age[spot.box][spot.place], 3)) >= UNREAD_FOR:
            self._lay(surface, piece)

    def _tell(self, time: float) -> Scene | None:
        shown = self._pieces.told()
        told = [(piece.name, piece.face, piece.zone) for piece in shown]
        if told == self._told or (self._told is None and self._whole_looks):
            return None
        self._told = told
        return Scene(
            time,
            self._source,
            tuple(Sighting(p.name, p.face, p.zone, p.since, p.votes.confidence if p.face else 0.0) for p in shown),
        )


def _grouped(surface: Surface, changes: list[Change]) -> list[list[Change]]:
    """Changes so near to one another that one card may have made them."""
    groups: list[tuple[Box, list[Change]]] = []
    for change in changes:
        reach, members = surface.roomy(change.box), [change]
        while near := next((group for group in groups if overlap(group[0], reach)), None):
            groups.remove(near)
            reach, members = around(reach, near[0]), [*near[1], *members]
        groups.append((reach, members))
    return [members for _, members in groups]


def _fewer(group: list[Change]) -> list[list[Change]]:
    """The changes as one card's, or else each as a card of its own."""
    return [group, *([change] for change in group if len(group) > 1)]


def _box_of(group: list[Change]) -> Box:
    box = group[0].box
    for change in group[1:]:
        box = around(box, change.box)
    return box


def _card_sized(outline: Outline) -> bool:
    """Whether the outline, in millimetres, has about the sides of a card."""
    sides = np.linalg.norm(outline - np.roll(outline, -1, axis=0), axis=1)
    short, long = sorted((float(sides[0] + sides[2]) / 2, float(sides[1] + sides[3]) / 2))
    return abs(short / CARD_MM[0] - 1) < 0.3 and abs(long / CARD_MM[1] - 1) < 0.3
