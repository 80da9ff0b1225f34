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
import numpy.typing as npt

from engine.cards import SUIT_NAMES, Card
from engine.observations import Scene, Sighting, Word, Zone
from vision.frames import Frame, Image
from vision.geometry import TableFrame
from vision.ground import Ground, contour_of, edge_strength, same_look
from vision.motion import Mask, Motion, apart, halvings
from vision.piece import ENOUGH, Footprint, Outline, Piece, Seen, what_shows
from vision.readings import CARD_MM, Reader, Reading

EMPTY_FOR: Final = 0.3
"""Seconds for which a card's place must be seen empty before the card is gone."""
STILL: Final = 2
"""Frames without a change before a card counts as laid: with the one before them it has been still for three."""
PATIENCE: Final = 6
"""Looks at a change before what could not be read is let be."""
UNREAD_FOR: Final = 10
"""Frames for which a thing like a card must lie still and unread before it is reported without a face."""
_UPSET_MOVING, _UPSET_CHANGED = 0.3, 0.5


Box = tuple[slice, slice]
"""Rows and columns."""


@dataclass(slots=True)
class Watch:
    """A change that has come to rest and is being read."""

    box: Box
    looks: int = 0
    frame: int = 0


class SceneTracker:
    """Turns frames into `Scene`s. `zone_at` tells the zone of a point in millimetres; `source` names the scenes."""

    def __init__(
        self, zone_at: Callable[[float, float], Zone | None], readers: Sequence[Reader], source: str = "camera"
    ) -> None:
        self._zone_at = zone_at
        self._readers = tuple(readers)
        self._source = source
        self._pieces: list[Piece] = []
        self._count = 0
        self._told: tuple[tuple[str, Card | Word | None, Zone | None], ...] = ()
        self._table: TableFrame | None = None
        self._size = (0, 0)
        self._fresh = True
        self._frames = 0
        self._upset_frames = 0
        self._whole_looks = 2
        self._busy = True
        self.upset = False
        """Much of the picture moves or has changed: the camera may have been bumped."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The cards that lie on the table, in the order in which they came."""
        return tuple(piece for piece in self._pieces if piece.laid)

    def update(self, frame: Frame, table: TableFrame | None) -> Scene | None:
        """Takes the next frame; gives the scene if it changed.

        `table`: where the mat lies in this frame; None while that is not known: nothing is judged then.
        """
        size = (frame.image.shape[1], frame.image.shape[0])
        if self._table is None or size != self._size:
            if table is None:
                return None
            self._begin(frame, table, size)
        elif table is not None and not np.allclose(table.homography, self._table.homography, rtol=1e-9):
            self._retable(table)
        self._motion.update(frame.image, frame.time)
        self._frames += 1
        if self._frames == 1:
            self._ground = Ground(self._motion.look)
        self._now = frame
        motion = self._motion
        if table is None:
            return None
        if motion.quiet and not self._busy:
            self.upset = False
            if self._frames % 32 == 0:
                self._follow()
            return None
        pixels = motion.age.size
        moving = cv2.countNonZero(motion.moving) / pixels
        changed = cv2.countNonZero(motion.changed) / pixels
        upset = moving > _UPSET_MOVING or changed > _UPSET_CHANGED
        self._upset_frames = self._upset_frames + 1 if upset and moving <= _UPSET_MOVING else 0
        self.upset = upset
        if upset:
            if self._upset_frames > 45:
                self._start_over()
            return None
        self._judge()
        return self._tell()

    def _begin(self, frame: Frame, table: TableFrame, size: tuple[int, int]) -> None:
        self._table, self._size = table, size
        self._motion = Motion(halvings(table.mm_per_px))
        self._pieces, self._watches = [], list[Watch]()
        self._frames = self._upset_frames = 0
        self._whole_looks = 2
        self._hand: Mask = np.zeros((0, 0), np.uint8)
        self._busy = True
        self._now = frame

    def _start_over(self) -> None:
        """The picture is another one for good: look at all of it again; what lies there is still known."""
        self._motion.settle()
        self._upset_frames = 0
        self._whole_looks = 2
        self._busy = True

    def _retable(self, table: TableFrame) -> None:
        """The camera sees the table from a new place: the pieces stay where they are in millimetres."""
        assert self._table is not None
        scale = np.diag([self._scale[0], self._scale[1], 1.0])
        old_to_mm = self._table.homography
        mm_to_new = np.linalg.inv(table.homography)
        across = scale @ mm_to_new @ old_to_mm @ np.linalg.inv(scale)
        self._table = table
        self._motion.warp(across)
        self._ground.warp(across)
        height, width = self._motion.shape
        for piece in self._pieces:
            canvas = np.zeros((height, width, 3), np.uint8)
            known = np.zeros((height, width), np.uint8)
            canvas[piece.footprint.box] = piece.footprint.look
            known[piece.footprint.box][piece.footprint.known] = 255
            canvas = np.asarray(cv2.warpPerspective(canvas, across, (width, height)), dtype=np.uint8)
            known = np.asarray(cv2.warpPerspective(known, across, (width, height), flags=cv2.INTER_NEAREST), np.uint8)
            spot = self._footprint(piece.outline)
            spot.look, spot.known = canvas[spot.box].copy(), (known[spot.box] > 0) & spot.place
            piece.footprint = spot
        self._watches.clear()
        self._whole_looks = 2
        self._busy = True

    @property
    def _scale(self) -> npt.NDArray[np.float32]:
        """From pixels of the frame to pixels of the small picture: across and down."""
        height, width = self._motion.shape
        return np.array((width / self._size[0], height / self._size[1]), np.float32)

    @property
    def _mm(self) -> float:
        """Millimetres in a pixel of the small picture."""
        assert self._table is not None
        return self._table.mm_per_px / float(self._scale[0])

    # --- what has changed -------------------------------------------------------------------------------------

    def _judge(self) -> None:
        motion = self._motion
        strange = self._strange()
        ready = self._sort(strange)
        self._busy = False
        if self._whole_looks:
            self._look_at_all()
        self._watches = [watch for watch in self._watches if watch.frame == self._frames - 1]
        self._read_changes([box for box, _ in ready])
        for box, shape in ready:
            self._attend(box, shape)
        self._look_again()
        self._judge_pieces()
        # Where nothing is strange (the table again, a card uncovered, a shadow) and all is still, it is settled.
        calm = (motion.changed > 0) & (motion.age >= STILL) & (strange == 0) & (self._hand == 0)
        if calm.any():
            motion.settle(calm.astype(np.uint8) * 255)

    def _strange(self) -> Mask:
        """What has changed and is neither the bare table nor a card that is known to lie there."""
        motion = self._motion
        strange = motion.changed.copy()
        rows, columns = np.nonzero(strange.any(axis=1))[0], np.nonzero(strange.any(axis=0))[0]
        if not len(rows):
            return strange
        box = (slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1))
        strange[box][same_look(motion.look[box], self._ground.bare[box])] = 0
        for piece in self._pieces:
            spot = piece.footprint
            if piece.laid and strange[spot.box].any():
                known = spot.known & same_look(motion.look[spot.box], spot.look)
                strange[spot.box][known] = 0
        return strange

    def _sort(self, strange: Mask) -> list[tuple[Box, npt.NDArray[np.bool_]]]:
        """Parts what is strange into hands (`_hand`) and things that have come to rest, given as box and shape."""
        motion = self._motion
        self._hand = motion.moving & strange
        ready: list[tuple[Box, npt.NDArray[np.bool_]]] = []
        if not strange.any():
            return ready
        joined = cv2.morphologyEx(strange, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        count, found, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
        labels = np.asarray(found, dtype=np.int32)
        height, width = strange.shape
        fresh = np.bincount(labels.ravel(), weights=(motion.age == 0).ravel(), minlength=count)
        for label in range(1, count):
            left, top, wide, high, area = (int(v) for v in stats[label])
            box = (slice(top, top + high), slice(left, left + wide))
            shape = labels[box] == label
            restless = fresh[label] > 0.02 * area
            if area * self._mm**2 < 30:
                if not restless and int(motion.age[box][shape].min()) > STILL:
                    strange[box][shape] = 0
                continue
            if left == 0 or top == 0 or left + wide == width or top + high == height:
                if not restless and self._ghost(labels, label, box, shape):
                    strange[box][shape] = 0
                else:
                    self._hand[box][shape] = 255
            elif restless:
                self._hand[box][shape] = 255
            else:
                ready.append((box, shape))
        return ready

    def _ghost(self, labels: npt.NDArray[np.int32], label: int, box: Box, shape: npt.NDArray[np.bool_]) -> bool:
        """Whether something went away here, rather than came: then its contour is in the settled picture."""
        motion = self._motion
        if int(np.percentile(motion.age[box][shape], 5)) < UNREAD_FOR:
            return False
        contour = contour_of((labels == label).astype(np.uint8) * 255)
        if edge_strength(motion.look, contour) > 0.7 * edge_strength(motion.settled, contour):
            return False
        where = labels == label
        self._ground.learn(where & ~self._occupied(), motion.look)
        return True

    def _occupied(self) -> npt.NDArray[np.bool_]:
        taken = np.zeros(self._motion.shape, np.bool_)
        for piece in self._pieces:
            taken[piece.footprint.box] |= piece.footprint.cover
        return taken

    # --- reading ----------------------------------------------------------------------------------------------

    def _read_changes(self, boxes: list[Box]) -> None:
        """Reads all that has changed and come to rest, each part of the picture once."""
        parts: list[Box] = []
        for part in map(self._roomy, boxes):
            while near := next((other for other in parts if _overlap(part, other)), None):
                parts.remove(near)
                part = _around(part, near)
            parts.append(part)
        for part in parts:
            self._read(part)

    def _attend(self, box: Box, shape: npt.NDArray[np.bool_]) -> None:
        """Reads a change that has come to rest, until it is explained or patience ends."""
        motion = self._motion
        self._busy = True
        watch = next((w for w in self._watches if _overlap(w.box, box)), None)
        if watch is None:
            watch = Watch(box)
            self._watches.append(watch)
        watch.box, watch.frame = box, self._frames
        watch.looks += 1
        here = [p for p in self._pieces if _overlap(p.footprint.box, box)]
        undecided = any(not p.laid for p in here)
        explained = np.zeros(shape.shape, np.bool_)
        for piece in here:
            explained |= _part(piece.footprint.cover, piece.footprint.box, box)
        left = int((shape & ~explained).sum()) / max(int(shape.sum()), 1)
        if watch.looks < STILL or ((undecided or left > 0.25) and watch.looks < PATIENCE):
            return
        whole = np.zeros(motion.shape, np.uint8)
        whole[box][shape] = 255
        if left > 0.5:
            self._leave_unread(whole, box, shape)
        motion.settle(np.asarray(cv2.dilate(whole, np.ones((3, 3), np.uint8)), dtype=np.uint8))

    def _leave_unread(self, whole: Mask, box: Box, shape: npt.NDArray[np.bool_]) -> None:
        """Nobody could read what came here: is it the table, a card without a face, or just a thing?"""
        contour = contour_of(whole)
        motion = self._motion
        if edge_strength(motion.look, contour) < 0.7 * edge_strength(motion.settled, contour):
            self._ground.learn((whole > 0) & ~self._occupied(), motion.look)
            return
        if any(_overlap(p.footprint.box, box) for p in self._pieces):
            return
        points = np.argwhere(shape)[:, ::-1].astype(np.float32) + np.array((box[1].start, box[0].start), np.float32)
        corners = cv2.boxPoints(cv2.minAreaRect(points)).astype(np.float32)
        outline = self._to_mm((corners + 0.5) / self._scale)
        if not _card_sized(outline, 0.15):
            return
        area = cv2.contourArea(outline)
        if int(shape.sum()) * self._mm**2 < 0.85 * area:
            return
        self._new_piece(outline)

    def _look_at_all(self) -> None:
        """The first looks, or those after the camera was moved: the whole picture."""
        self._busy = True
        motion = self._motion
        if motion.age.max() < 1 or (cv2.countNonZero(motion.moving) > 0.1 * motion.age.size and self._frames % 10):
            return
        self._whole_looks -= 1
        self._read((slice(0, self._size[1]), slice(0, self._size[0])))

    def _look_again(self) -> None:
        """One more look at a piece whose face is not sure, or that something had covered."""
        for piece in self._pieces:
            if piece.laid and piece.votes.best()[1] < ENOUGH and piece.looks < PATIENCE + 4 and piece.seen is Seen.CARD:
                self._busy = True
                if piece.next_look <= self._frames and self._undisturbed(piece):
                    piece.next_look = self._frames + (1 << min(piece.looks, 5))
                    piece.looks += 1
                    self._read(self._roomy(piece.footprint.box))
                    return

    def _undisturbed(self, piece: Piece) -> bool:
        spot = piece.footprint
        hand = self._hand[spot.box][spot.cover].any() if self._hand.size else False
        return not hand and bool((self._motion.age[spot.box][spot.place] >= 1).all())

    def _roomy(self, box: Box) -> Box:
        """The part of the frame, rows and columns, that holds every card that shows in `box` of the small picture."""
        spans = []
        for span, scale, limit in ((box[0], self._scale[1], self._size[1]), (box[1], self._scale[0], self._size[0])):
            side = (span.stop - span.start) * self._mm
            margin = max(12.0, 97.0 - side) / self._mm
            start = max(int((span.start - margin) / scale), 0)
            spans.append(slice(start, min(int((span.stop + margin) / scale) + 1, limit)))
        return spans[0], spans[1]

    def _read(self, part: Box) -> None:
        """Lets every reader read `part` of the frame and gives what they find to the pieces."""
        assert self._table is not None
        crop: Image = np.ascontiguousarray(self._now.image[part])
        offset = np.array([part[1].start, part[0].start], np.float32)
        for reader in self._readers:
            for reading in reader.read(crop, self._table.mm_per_px):
                self._take(reading, np.asarray(reading.outline + offset, dtype=np.float32))

    def _take(self, reading: Reading, corners: Outline) -> None:
        """One reading: a vote for the piece that lies there, or a new piece."""
        outline = self._to_mm(corners)
        if not _card_sized(outline, 0.3):
            return
        spot = self._footprint(outline)
        inside = int(spot.place.sum()) * self._mm**2
        if inside < 0.8 * CARD_MM[0] * CARD_MM[1] * 0.8:
            return
        age = self._motion.age[spot.box][spot.place]
        hand = self._hand[spot.box][spot.cover] if self._hand.size else np.zeros(1, np.uint8)
        if (age < 1).mean() > 0.03 or (hand > 0).mean() > 0.02:
            return
        piece = self._whose(reading.face, outline)
        if piece is None:
            piece = self._new_piece(outline, spot)
        elif piece.away(outline) > 2.5 or piece.turned(outline) > 4:
            self._move(piece, outline, spot)
        elif piece.laid and not self._unchanged(piece):
            self._capture(piece)
        if (self._frames, reading.by) == piece.voted:
            return
        piece.voted = self._frames, reading.by
        piece.votes.add(reading.face, reading.confidence)
        was = piece.face
        piece.decide()
        if piece.laid and was != piece.face:
            piece.looks = 0
        if not piece.laid and piece.face is not None and piece.votes.looks[piece.face] >= 2:
            self._lay(piece)

    def _whose(self, face: Card | Word, outline: Outline) -> Piece | None:
        same = sorted((p for p in self._pieces if p.face == face), key=lambda p: p.away(outline))
        for piece in same:
            distance = piece.away(outline)
            if distance < 25 or (distance < 120 and piece.laid and self._shows(piece) is not Seen.CARD):
                return piece
        there = sorted(self._pieces, key=lambda p: p.away(outline))
        for piece in there:
            near = piece.away(outline) < 10 and piece.turned(outline) < 15
            if near and (piece.face is None or not piece.laid or self._unchanged(piece)):
                return piece
        return None

    # --- pieces -----------------------------------------------------------------------------------------------

    def _new_piece(self, outline: Outline, spot: Footprint | None = None) -> Piece:
        self._count += 1
        spot = spot or self._footprint(outline)
        piece = Piece(f"{self._source}-{self._count}", outline, spot, self._now.time, self._count)
        self._pieces.append(piece)
        return piece

    def _lay(self, piece: Piece) -> None:
        """The piece lies: remember how it looks, and what the table cannot look like beneath it."""
        piece.laid, piece.seen = True, Seen.CARD
        piece.zone = self._zone_at(*piece.centre)
        piece.next_look = self._frames + 1
        age = self._motion.age[piece.footprint.box][piece.footprint.place]
        piece.since = self._motion.still_since(int(np.percentile(age, 2)))
        self._capture(piece)
        spot = piece.footprint
        close = apart(spot.look, self._ground.bare[spot.box]) <= 6
        seen = spot.known & (self._ground.known[spot.box] > 0)
        if self._fresh or (seen.any() and float(close[seen].mean()) > 0.9):
            # It lay here when the table was first seen: the table beneath is not known.
            where = np.zeros(self._motion.shape, np.uint8)
            where[spot.box][spot.cover] = 255
            self._ground.forget(where)

    def _move(self, piece: Piece, outline: Outline, spot: Footprint) -> None:
        if piece.away(outline) > 20:
            self._count += 1
            piece.order = self._count
        piece.outline, piece.footprint = outline, spot
        piece.empty_since = None
        if piece.laid:
            self._capture(piece)
            piece.zone = self._zone_at(*piece.centre)
            piece.seen = Seen.CARD

    def _capture(self, piece: Piece) -> None:
        """Remembers how the card looks now, where it is open to view."""
        spot = piece.footprint
        seen = spot.place & self._open_to_view(piece)
        spot.look[seen] = self._motion.look[spot.box][seen]
        spot.known |= seen

    def _open_to_view(self, piece: Piece) -> npt.NDArray[np.bool_]:
        """Within the piece's box: what no later card, no hand and nothing that moves hides."""
        box = piece.footprint.box
        view = self._motion.age[box] >= 1
        if self._hand.size:
            view &= self._hand[box] == 0
        for other in self._pieces:
            if other.order > piece.order and other.seen is not Seen.TABLE:
                view &= ~_part(other.footprint.cover, other.footprint.box, box)
        return view

    def _shows(self, piece: Piece) -> Seen:
        """What the piece's place shows now."""
        least = max(int(60 / self._mm**2), 6)
        box = piece.footprint.box
        view = self._open_to_view(piece)
        known = self._ground.known[box] > 0
        without = [(self._ground.bare[box], np.where(known, 0, 8).astype(np.int16))]
        for other in self._pieces:
            spot = other.footprint
            if other.laid and other.order < piece.order and _overlap(spot.box, box):
                seen = _part(spot.known, spot.box, box)
                if seen.any():
                    look = without[0][0].copy()
                    look[seen] = _shifted(spot.look, spot.box, box)[seen]
                    without.append((look, np.zeros(look.shape[:2], np.int16)))
                view &= seen | ~_part(spot.cover, spot.box, box)
        return what_shows(piece, self._motion.look[box], without, view, least)

    def _unchanged(self, piece: Piece) -> bool:
        """Whether what shows of the piece looks exactly as it did: no other card lies in its place."""
        spot = piece.footprint
        seen = spot.known & self._open_to_view(piece)
        same = same_look(self._motion.look[spot.box], spot.look)
        return int(seen.sum()) > 0.2 * int(spot.place.sum()) and float(same[seen].mean()) > 0.96

    def _judge_pieces(self) -> None:
        motion, time = self._motion, self._now.time
        # The uppermost first: what is seen to be gone hides nothing.
        for piece in sorted(self._pieces, key=lambda p: -p.order):
            spot = piece.footprint
            stirred = bool(motion.changed[spot.box].any() or motion.moving[spot.box].any())
            if not piece.laid:
                self._judge_candidate(piece)
                continue
            if not stirred and piece.empty_since is None and piece.seen is Seen.CARD:
                continue
            piece.seen = self._shows(piece)
            if piece.seen is not Seen.TABLE:
                piece.empty_since = None
                continue
            self._busy = True
            if piece.empty_since is None:
                piece.empty_since = time
            if time - piece.empty_since >= EMPTY_FOR - 1e-6:
                self._pieces.remove(piece)
                bare = np.zeros(motion.shape, np.bool_)
                bare[spot.box] = spot.cover
                unknown = (self._ground.known == 0) & bare & (motion.age >= STILL) & (self._hand == 0)
                self._ground.learn(unknown & ~self._occupied(), motion.look)

    def _judge_candidate(self, piece: Piece) -> None:
        """A piece that is not laid yet: dropped when nothing watches it any more, laid unread after a while."""
        spot = piece.footprint
        age = int(np.percentile(self._motion.age[spot.box][spot.place], 3))
        self._busy = True
        if piece.face is None and not piece.votes.odds:
            if age == 0 or not self._undisturbed(piece):
                self._pieces.remove(piece)
            elif age >= UNREAD_FOR:
                self._lay(piece)
            return
        watched = any(_overlap(watch.box, spot.box) for watch in self._watches)
        if not watched and not self._whole_looks:
            self._pieces.remove(piece)

    def _follow(self) -> None:
        """All is quiet: take over slow changes of light."""
        self._ground.follow(self._motion.settled)
        for piece in self._pieces:
            if piece.seen is Seen.CARD:
                spot = piece.footprint
                seen = spot.known & self._open_to_view(piece)
                spot.look[seen] = self._motion.settled[spot.box][seen]

    def _tell(self) -> Scene | None:
        shown = [piece for piece in self.pieces if not self._doubled(piece)]
        told = tuple((p.name, p.face, p.zone) for p in shown)
        if told == self._told and not self._fresh:
            return None
        if self._whole_looks and self._fresh:
            return None
        self._told, self._fresh = told, False
        sightings = tuple(
            Sighting(p.name, p.face, p.zone, p.since, p.votes.confidence if p.face is not None else 0.0) for p in shown
        )
        return Scene(self._now.time, self._source, sightings)

    def _doubled(self, piece: Piece) -> bool:
        """Whether this card, which exists once, is proved better elsewhere: it was carried there, or misread here."""
        if not isinstance(piece.face, Card) or piece.face.suit not in SUIT_NAMES:
            return False
        others = [p for p in self._pieces if p.laid and p is not piece and p.face == piece.face]
        return any(_proof(other) > _proof(piece) for other in others)

    # --- geometry ---------------------------------------------------------------------------------------------

    def _to_mm(self, corners: npt.NDArray[np.float32]) -> Outline:
        assert self._table is not None
        return np.asarray(self._table.to_mm(corners), dtype=np.float32)

    def _footprint(self, outline: Outline) -> Footprint:
        assert self._table is not None
        height, width = self._motion.shape
        corners = np.asarray(self._table.to_px(outline), dtype=np.float32) * self._scale - 0.5
        grow = 2.5 / self._mm
        middle = corners.mean(axis=0)
        low = np.floor(corners.min(axis=0) - grow - 2).astype(int)
        high = np.ceil(corners.max(axis=0) + grow + 2).astype(int)
        left, top = (int(v) for v in np.clip(low, 0, (width - 1, height - 1)))
        right, bottom = (int(v) for v in np.clip(high, (left + 1, top + 1), (width, height)))
        box = (slice(top, bottom), slice(left, right))
        shapes = []
        for change in (-grow, grow):
            lengths = np.linalg.norm(corners - middle, axis=1, keepdims=True)
            resized = middle + (corners - middle) * (1 + change * 1.4 / np.maximum(lengths, 1))
            shape = np.zeros((bottom - top, right - left), np.uint8)
            cv2.fillConvexPoly(shape, np.round((resized - (left, top)) * 16).astype(np.int32), 255, shift=4)
            shapes.append(shape > 0)
        look = self._motion.look[box].copy()
        return Footprint(box, shapes[0], shapes[1], look, np.zeros(shapes[0].shape, np.bool_))


def _proof(piece: Piece) -> tuple[bool, float, int]:
    """How well it is proved that this piece lies there, to be compared with another that has the same face."""
    return piece.seen is Seen.CARD, piece.votes.best()[1], piece.order


def _overlap(one: Box, other: Box) -> bool:
    return all(a.start < b.stop and b.start < a.stop for a, b in zip(one, other, strict=True))


def _around(one: Box, other: Box) -> Box:
    """The smallest box that holds both."""
    rows, columns = (slice(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(one, other, strict=True))
    return rows, columns


def _part(mask: npt.NDArray[np.bool_], box: Box, wanted: Box) -> npt.NDArray[np.bool_]:
    """`mask`, which belongs to `box`, as seen in the box `wanted`."""
    return np.asarray(_shifted(mask, box, wanted), dtype=np.bool_)


def _shifted(picture: npt.NDArray[np.generic], box: Box, wanted: Box) -> npt.NDArray[np.generic]:
    """`picture`, which belongs to `box`, as seen in the box `wanted`; 0 where it does not reach."""
    size = (wanted[0].stop - wanted[0].start, wanted[1].stop - wanted[1].start, *picture.shape[2:])
    result = np.zeros(size, picture.dtype)
    if not _overlap(box, wanted):
        return result
    spans = [(max(a.start, b.start), min(a.stop, b.stop)) for a, b in zip(box, wanted, strict=True)]
    target = tuple(slice(a - w.start, b - w.start) for (a, b), w in zip(spans, wanted, strict=True))
    origin = tuple(slice(a - o.start, b - o.start) for (a, b), o in zip(spans, box, strict=True))
    result[target] = picture[origin]
    return result


def _card_sized(outline: Outline, tolerance: float) -> bool:
    """Whether the outline, in millimetres, has about the sides of a card."""
    sides = np.linalg.norm(outline - np.roll(outline, -1, axis=0), axis=1)
    short, long = sorted((float(sides[0] + sides[2]) / 2, float(sides[1] + sides[3]) / 2))
    return abs(short / CARD_MM[0] - 1) < tolerance and abs(long / CARD_MM[1] - 1) < tolerance
