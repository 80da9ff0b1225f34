"""The scene tracker: from the frames of one camera to scenes, the cards that lie on the table.

Each frame goes through these stages, each in one module; a stage returns values, and the tracker passes them on:

1. `motion`: which pixels move, which differ from the reference. Nothing is judged where the picture moves.
2. `change_detection`: changed pixels become hands, new objects and bare table.
3. `read_scheduler`: what to read: changes that are still, cards that are not sure.
4. `card_reading`: the readers run on those parts.
5. `tracks`: each reading is a vote for a track; two readings of a still picture confirm a card.
6. `presence`: a card is gone after its place was seen empty for 0.3 s; while something covers it, it stays.
7. `background`, `motion`: the bare table is learned, and judged pixels become the reference.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from engine.cards import Card
from engine.observations import ActionCard, Scene, Sighting, Zone
from vision.frames import Frame
from vision.mat.homography import Homography
from vision.mat.layout import Mat
from vision.readings import Reader
from vision.tracking.card_reading import ReadRequest, read_cards
from vision.tracking.change_detection import Change, Changes, detect_changes
from vision.tracking.covering import Covering
from vision.tracking.motion import Mask
from vision.tracking.presence import judge_reported, judge_unreported
from vision.tracking.read_scheduler import BareTable, Judged, ReadScheduler, UnreadCard
from vision.tracking.settings import DEFAULTS, TrackingSettings
from vision.tracking.track import Track, TrackState
from vision.tracking.tracks import Tracks
from vision.tracking.working_frame import WorkingFrame


class SceneTracker:
    """Turns frames into scenes.

    `mat`: the layout of the zones. `readers`: read the cards; mark readers first.
    `source`: the name of the camera in the scenes, and the beginning of the ids of its cards.
    """

    def __init__(
        self,
        mat: Mat,
        readers: Sequence[Reader],
        source: str = "camera",
        settings: TrackingSettings = DEFAULTS,
    ) -> None:
        self._zone_at = mat.zone_at
        self._readers = tuple(readers)
        self._source = source
        self._settings = settings
        self._working: WorkingFrame | None = None
        self._tracks: Tracks
        self._scheduler: ReadScheduler
        self._covering = Covering(mat.areas, settings)
        self._busy = True
        """Whether the next frame must be judged even if nothing changes in it."""
        self._reported: list[tuple[str, Card | ActionCard | None, Zone | None, tuple[Card, ...]]] | None = None
        self.reads = 0
        """How many pieces of frames were given to the readers."""
        self._frames = 0
        self._judged_frames = 0
        self._disturbed_frames = 0

    @property
    def tracks(self) -> tuple[Track, ...]:
        """The cards on the table, in the order in which they were found."""
        return self._tracks.visible_cards() if self._working is not None else ()

    @property
    def still(self) -> bool:
        """Whether nothing moves in the last frame."""
        return self._working is not None and not self._working.motion.moving.any()

    def update(self, frame: Frame, table: Homography | None) -> Scene | None:
        """Process the next frame; return the scene if it has changed.

        `table`: where the mat lies in this frame; None if unknown: then nothing is judged.
        """
        working = self._working
        self._frames += 1
        if working is None or working.size != (frame.image.shape[1], frame.image.shape[0]):
            if table is not None:
                self._start(frame, table)
            return None
        if table is not None and not np.array_equal(table.matrix, working.table.matrix):
            self._tracks.move_camera(working.move_camera(table))
            self._restart()
        working.update(frame)
        if table is None:
            return None
        covered = self._covering.update(working, self._tracks.occupied, frame.time)
        scene = self._judged_scene(frame)
        return scene or (self._scene(frame.time) if covered and self._reported is not None else None)

    def _judged_scene(self, frame: Frame) -> Scene | None:
        """Judge the frame unless it shows nothing new or too much moves; return the scene if it has changed."""
        working = self._working
        assert working is not None
        if working.motion.quiet and not self._busy:
            if self._frames % self._settings.background.follow_frames == 0:
                working.background.follow_light(working.motion.reference)
                self._tracks.follow_light()
            return None
        if self._is_disturbed(working):
            return None
        self._judge(working)
        return self._changed_scene(frame.time)

    def _start(self, frame: Frame, table: Homography) -> None:
        self._working = WorkingFrame(frame, table, self._settings)
        self._tracks = Tracks(self._working, self._source, self._zone_at, self._settings)
        self._scheduler = ReadScheduler(self._working, self._tracks, self._settings)
        self._busy, self._judged_frames = True, 0

    def _restart(self) -> None:
        self._scheduler.restart()
        self._busy = True

    def _is_disturbed(self, working: WorkingFrame) -> bool:
        """Return whether too much of the picture moves or has changed. If it stays changed, start again from it."""
        limits, motion = self._settings.disturbance, working.motion
        moves = cv2.countNonZero(motion.moving) / motion.age.size > limits.moving_share
        if not moves and cv2.countNonZero(motion.changed) <= limits.changed_share * motion.age.size:
            self._disturbed_frames = 0
            return False
        self._disturbed_frames = 0 if moves else self._disturbed_frames + 1
        if self._disturbed_frames > limits.restart_frames:
            motion.settle()
            self._restart()
            self._disturbed_frames = 0
        return True

    def _judge(self, working: WorkingFrame) -> None:
        """Send the frame through the stages."""
        self._judged_frames += 1
        settings, motion = self._settings, working.motion
        changes = detect_changes(working, self._tracks, settings.changes, settings.appearance)
        working.hands = changes.hands
        for change in changes.bare:
            self._learn_bare(working, change)
        judged = self._read(working, changes)
        unreported = any(not track.reported for track in self._tracks)
        for track in judge_unreported(
            working, self._tracks, self._scheduler.is_pending, self._judged_frames, settings.reading
        ):
            working.background.add_card(track.footprint)
        if not self._scheduler.initial:
            working.background.complete = True
        gone = False
        active = np.asarray(cv2.bitwise_or(cv2.subtract(motion.changed, judged), motion.moving), dtype=np.uint8)
        still_frames = settings.reading.min_reads
        for bare in judge_reported(working, self._tracks, active, settings.presence, still_frames):
            working.background.learn(bare, motion.current)
            gone = True
        emptying = any(track.state is TrackState.EMPTY for track in self._tracks)
        self._busy = self._scheduler.busy or unreported or emptying or gone
        self._settle(working, changes, judged)

    def _read(self, working: WorkingFrame, changes: Changes) -> Mask:
        """Carry out the scheduler's steps; return the pixels that are judged, (h, w)."""
        judged: Mask = np.zeros(working.motion.shape, np.uint8)
        for step in self._scheduler.steps(changes.still, self._judged_frames):
            match step:
                case ReadRequest():
                    self.reads += 1
                    for found in read_cards(step, self._readers, working, self._settings.reading):
                        confirmed = self._tracks.count_vote(found, self._judged_frames)
                        if confirmed is not None:
                            working.background.add_card(confirmed.footprint)
                case UnreadCard(outline):
                    self._tracks.add_unread(outline)
                case BareTable(change):
                    self._learn_bare(working, change)
                case Judged(where):
                    judged |= where
        return judged

    def _learn_bare(self, working: WorkingFrame, change: Change) -> None:
        where = (change.mask(working.motion.shape) > 0) & ~self._tracks.occupied(candidates=False)
        working.background.learn(where, working.motion.current)

    def _settle(self, working: WorkingFrame, changes: Changes, judged: Mask) -> None:
        """Make the judged pixels the new reference, and still pixels that show the table, a card or a shadow."""
        motion = working.motion
        explained = cv2.subtract(cv2.subtract(motion.changed, changes.unexplained), working.hands)
        limit = self._settings.reading.min_reads - 1
        still = cv2.threshold(motion.age, limit, 255, cv2.THRESH_BINARY)[1]
        settled = cv2.bitwise_or(judged, cv2.bitwise_and(explained, still))
        if cv2.countNonZero(settled):
            motion.settle(np.asarray(settled, dtype=np.uint8))

    def _changed_scene(self, time: float) -> Scene | None:
        cards = self._tracks.visible_cards()
        reported = [(track.card_id, track.face, track.zone, track.alternatives) for track in cards]
        if reported == self._reported or (self._reported is None and self._scheduler.initial):
            return None
        self._reported = reported
        return self._scene(time)

    def _scene(self, time: float) -> Scene:
        return Scene(
            time,
            self._source,
            tuple(
                Sighting(
                    track.card_id,
                    track.face,
                    track.zone,
                    track.since,
                    track.votes.confidence if track.face else 0.0,
                    track.alternatives,
                )
                for track in self._tracks.visible_cards()
            ),
            self._covering.zones,
        )
