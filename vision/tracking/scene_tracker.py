"""The scene: which cards lie on the table, followed from frame to frame.

Nothing is judged where the picture moves. What has changed and come to rest, with no hand over it, is handed to the
readers; what they find becomes a piece once two looks at a still picture agree: three frames in all. A piece is gone
when its place is seen empty for 0.3 s; while something covers it, it stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import cv2
import numpy as np

from engine.cards import Card
from engine.observations import ActionCard, Scene, Sighting, Zone
from vision.frames import Frame
from vision.readings import Reader
from vision.table.homography import TableFrame
from vision.tracking.change_detection import find_strange, part_hands
from vision.tracking.read_scheduler import STILL, ReadScheduler
from vision.tracking.track import Seen, Track
from vision.tracking.tracks import Tracks
from vision.tracking.working_frame import WorkingFrame

EMPTY_FOR: Final = 0.3
"""Seconds for which a card's place must be seen empty before the card is gone."""
_UPSET_MOVING, _UPSET_CHANGED = 0.3, 0.5
_UPSET_FOR: Final = 45


class SceneTracker:
    """Turns frames into `Scene`s. `zone_at` tells the zone of a point in millimetres; `source` names the scenes."""

    def __init__(
        self, zone_at: Callable[[float, float], Zone | None], readers: Sequence[Reader], source: str = "camera"
    ) -> None:
        self._zone_at = zone_at
        self._readers = tuple(readers)
        self._source = source
        self._surface: WorkingFrame | None = None
        self._pieces: Tracks
        self._looks: ReadScheduler
        self._emptying = False
        self._told: list[tuple[str, Card | ActionCard | None, Zone | None, tuple[Card, ...]]] | None = None
        self._frames = 0
        self._upset_frames = 0

    @property
    def pieces(self) -> tuple[Track, ...]:
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
            self._looks.anew()
        surface.update(frame)
        if table is None:
            return None
        if surface.motion.quiet and not self._looks.busy and not self._emptying:
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
            self._surface = WorkingFrame(frame, table)
            self._pieces = Tracks(self._surface, self._source)
            self._looks = ReadScheduler(self._surface, self._pieces, self._readers, self._zone_at)

    def _upset(self, surface: WorkingFrame) -> bool:
        """Whether the whole picture moves or is another one: nothing can be judged. If it stays so, start from it."""
        motion = surface.motion
        moving = cv2.countNonZero(motion.moving) / motion.age.size
        if moving <= _UPSET_MOVING and cv2.countNonZero(motion.changed) <= _UPSET_CHANGED * motion.age.size:
            self._upset_frames = 0
            return False
        self._upset_frames = self._upset_frames + 1 if moving <= _UPSET_MOVING else 0
        if self._upset_frames > _UPSET_FOR:
            motion.settle()
            self._looks.anew()
            self._upset_frames = 0
        return True

    def _judge(self, surface: WorkingFrame) -> None:
        motion = surface.motion
        strange = find_strange(surface, self._pieces)
        changes = part_hands(surface, strange, self._pieces)
        self._looks.look(changes)
        self._judge_pieces(surface)
        # Where nothing is strange (the table again, a card uncovered, a shadow) and all is still, it is settled.
        calm = (motion.changed > 0) & (motion.age >= STILL) & (strange == 0) & (surface.hand == 0)
        if calm.any():
            motion.settle(calm.astype(np.uint8) * 255)

    def _judge_pieces(self, surface: WorkingFrame) -> None:
        motion, time = surface.motion, surface.frame.time
        self._emptying = False
        # The uppermost first: what is seen to be gone hides nothing.
        for piece in sorted(self._pieces, key=lambda p: -p.order):
            if not piece.laid:
                continue
            box = piece.footprint.box
            stirred = bool(motion.changed[box].any() or motion.moving[box].any())
            if not stirred and piece.empty_since is None and piece.seen is Seen.CARD:
                continue
            piece.seen = self._pieces.shows(piece)
            if piece.seen is not Seen.TABLE:
                piece.empty_since = None
                continue
            self._emptying = True
            if piece.empty_since is None:
                piece.empty_since = time
            if time - piece.empty_since >= EMPTY_FOR - 1e-6:
                self._clear_away(surface, piece)

    def _clear_away(self, surface: WorkingFrame, piece: Track) -> None:
        """The piece is gone; its place shows the table, which may never have been seen there."""
        self._pieces.remove(piece)
        spot = piece.footprint
        bare = np.zeros(surface.motion.shape, np.bool_)
        bare[spot.box] = spot.cover
        unknown = bare & (surface.ground.known == 0) & (surface.motion.age >= STILL) & (surface.hand == 0)
        surface.ground.learn(unknown & ~self._pieces.occupied(), surface.motion.look)

    def _tell(self, time: float) -> Scene | None:
        shown = self._pieces.told()
        told = [(piece.name, piece.face, piece.zone, piece.alternatives) for piece in shown]
        if told == self._told or (self._told is None and self._looks.beginning):
            return None
        self._told = told
        return Scene(
            time,
            self._source,
            tuple(
                Sighting(p.name, p.face, p.zone, p.since, p.votes.confidence if p.face else 0.0, p.alternatives)
                for p in shown
            ),
        )
