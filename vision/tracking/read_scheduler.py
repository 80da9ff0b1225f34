"""Scheduling of the readers: which parts of the frame are read, and the consequences if nothing can be read there.

Reading is slow, so only what has changed is read: at least twice, until every card in it is confirmed, at most
`ReadSettings.max_reads` times. A card whose edges cannot be seen is fitted to the change, cut out and read once more.
Reported cards whose face is not sure are read again from time to time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.tracking.boxes import Box, crop_mask, growth, overlap
from vision.tracking.card_fitting import cut_out, fit_card
from vision.tracking.card_reading import ReadRequest
from vision.tracking.change_detection import Change, area_mm2, box_of, grouped, vanished
from vision.tracking.footprint import Outline, distance
from vision.tracking.motion import Mask
from vision.tracking.settings import TrackingSettings
from vision.tracking.track import TrackState
from vision.tracking.tracks import Tracks
from vision.tracking.visibility import is_still
from vision.tracking.working_frame import WorkingFrame


@dataclass(frozen=True, slots=True, eq=False)
class UnreadCard:
    """No reader could read the card that must lie at this outline, in millimetres."""

    outline: Outline


@dataclass(frozen=True, slots=True, eq=False)
class BareTable:
    """The change shows the table, which has not been seen there before."""

    change: Change


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The pixels `where`, (h, w) at working scale, need not be read again until they change."""

    where: Mask


Step = ReadRequest | UnreadCard | BareTable | Judged


@dataclass(slots=True)
class PendingChange:
    """A change that is being read.

    `box`: at working scale. `frame`: the last judged frame with it. `began`: the time of the first reading, seconds.
    `reads`: the number of readings.
    """

    box: Box
    frame: int
    began: float
    reads: int = 0


class ReadScheduler:
    """Decides what to read in one camera's view. It reads the tracks, but changes nothing except its own schedule."""

    def __init__(self, working: WorkingFrame, tracks: Tracks, settings: TrackingSettings) -> None:
        self._working = working
        self._tracks = tracks
        self._settings = settings
        self._reading = settings.reading
        self._pending: list[PendingChange] = []
        self._initial_reads = settings.reading.initial_reads
        self._initial_frames = 0
        self._busy = True

    @property
    def initial(self) -> bool:
        """Whether readings of the whole frame are still due, at the start or after the camera has moved."""
        return self._initial_reads > 0

    @property
    def busy(self) -> bool:
        """Whether there is more to read in the next frame, even if nothing changes."""
        return self._busy

    def restart(self) -> None:
        """Read the whole frame again."""
        self._pending.clear()
        self._initial_reads = self._reading.initial_reads
        self._initial_frames = 0
        self._busy = True

    def is_pending(self, box: Box) -> bool:
        """Return whether a change that overlaps `box` is being read, or the whole frame is still to be read."""
        return self.initial or any(overlap(pending.box, box) for pending in self._pending)

    def steps(self, changes: Collection[Change], frame: int) -> Iterator[Step]:
        """Yield the steps for one judged frame, with the number `frame`.

        Each step must be carried out before the next one is taken: what is read next depends on what was read.
        """
        self._busy = False
        yield from self._read_initially(frame, bool(changes))
        self._pending = [pending for pending in self._pending if pending.frame == frame - 1]
        for group in grouped(self._working, changes):
            yield from self._read_change(group, frame)
        yield from self._reread(frame)

    def _read_initially(self, frame: int, changed: bool) -> Iterator[Step]:
        """Read the whole frame, `initial_reads` times while nothing moves and nothing has `changed`."""
        if not self._initial_reads:
            return
        self._busy = True
        self._initial_frames += 1
        limits, motion = self._reading, self._working.motion
        moving = cv2.countNonZero(motion.moving) / motion.age.size
        if motion.age.max() >= 1 and (moving <= limits.initial_moving_share or frame % limits.initial_retry == 0):
            # A card that is found only now is not read often enough to be reported.
            in_vain = self._initial_reads < limits.min_reads and not any(self._tracks)
            self._initial_reads -= 1
            if not in_vain:
                yield ReadRequest(self._working.frame.image, self._working.whole)
        if self._initial_frames <= limits.initial_frames and (moving > limits.initial_still_share or changed):
            # The readings must show what the first picture showed: that was taken for the bare table.
            self._initial_reads = limits.initial_reads

    def _read_change(self, group: Sequence[Change], frame: int) -> Iterator[Step]:
        """Read a change until every card in it is explained, or it has been read often enough."""
        self._busy = True
        limits = self._reading
        box = box_of(group)
        pending = self._continue(box, frame)
        yield self._request(box)
        for part in _parts(group):
            if self._unexplained(part, frame) <= limits.unexplained_share:
                continue
            if (outline := self._fit(part)) is not None:
                yield ReadRequest(*cut_out(self._working, outline, self._settings.fitting), near=outline)
        left = self._unexplained(group, frame)
        undecided = any(not track.reported and overlap(track.footprint.box, box) for track in self._tracks)
        more = undecided or left > limits.open_share
        late = not undecided and self._working.frame.time - pending.began >= limits.max_read_s
        if pending.reads < limits.min_reads or (more and pending.reads < limits.max_reads and not late):
            return
        if left > limits.unexplained_share:
            yield from self._give_up(group, frame)
        for change in group:
            where = cv2.dilate(change.mask(self._working.motion.shape), np.ones((3, 3), np.uint8))
            yield Judged(np.asarray(where, dtype=np.uint8))

    def _continue(self, box: Box, frame: int) -> PendingChange:
        """Count a reading of the change in `box`, which may have been read in the frame before."""
        pending = next((each for each in self._pending if overlap(each.box, box)), None)
        if pending is None:
            pending = PendingChange(box, frame, self._working.frame.time)
            self._pending.append(pending)
        elif growth(pending.box, box) * self._working.mm_per_px > self._reading.growth_mm:
            pending.reads, pending.began = 0, self._working.frame.time  # a second card was laid beside the first
        pending.box, pending.frame = box, frame
        pending.reads += 1
        return pending

    def _give_up(self, group: Sequence[Change], frame: int) -> Iterator[Step]:
        """Classify a change that could not be read: bare table, an unread card, or some other object."""
        for change in group:
            if vanished(self._working, change, self._settings.changes):
                yield BareTable(change)
                return
        limits = self._reading
        for part in _parts(group):
            width, height = self._working.card_mm
            if area_mm2(part, self._working) <= limits.unread_card_share * width * height:
                continue
            if self._unexplained(part, frame) <= limits.unexplained_share:
                continue
            outline = self._fit(part)
            if outline is None:  # a card that was read may explain some of the change
                outline = self._fit([self._open_part(change, frame) for change in part])
            if outline is not None and not self._is_found(outline):
                yield UnreadCard(outline)

    def _reread(self, frame: int) -> Iterator[Step]:
        """Read one reported card again whose face is not sure, or that has none."""
        for track in self._tracks:
            # A track with the face of a better one must be another card, however sure its votes are.
            sure = track.votes.enough and not self._tracks.is_duplicate(track)
            if sure or track.state is not TrackState.VISIBLE or track.rereads >= self._reading.max_rereads:
                continue
            self._busy = True
            if track.next_reread <= frame and is_still(self._working, track.footprint, self._reading):
                track.postpone_reread(frame, self._reading.max_reread_shift)
                yield self._request(track.footprint.box)
                if track.face is None:
                    yield ReadRequest(
                        *cut_out(self._working, track.outline, self._settings.fitting), near=track.outline
                    )
                return

    def _request(self, box: Box) -> ReadRequest:
        """Return the request to read the surroundings of `box`, at working scale."""
        part = self._working.reach(box)
        return ReadRequest(self._working.frame.image[part], part)

    def _fit(self, changes: Sequence[Change]) -> Outline | None:
        return fit_card(self._working, self._tracks.occupied(), changes, self._settings.fitting)

    def _unexplained(self, group: Sequence[Change], frame: int) -> float:
        """Return the share of the changes that no card explains."""
        total = sum(int(change.shape.sum()) for change in group)
        return sum(int(self._open_part(change, frame).shape.sum()) for change in group) / max(total, 1)

    def _open_part(self, change: Change, frame: int) -> Change:
        """Return the part of `change` without the cards read in this frame and the unchanged ones."""
        rest: npt.NDArray[np.bool_] = change.shape.copy()
        for track in self._tracks:
            place = track.footprint
            if not overlap(place.box, change.box):
                continue
            if track.last_vote[0] == frame or (track.reported and self._tracks.is_unchanged(track)):
                rest &= ~crop_mask(place.outer, place.box, change.box)
        return Change(change.box, rest)

    def _is_found(self, outline: Outline) -> bool:
        """Return whether there already is an unreported track at `outline`."""
        limit = self._settings.matching.same_place_mm
        return any(not track.reported and distance(track.outline, outline) < limit for track in self._tracks)


def _parts(group: Sequence[Change]) -> list[list[Change]]:
    """Return the changes as one card's, and then each as a card of its own."""
    return [list(group), *([change] for change in group if len(group) > 1)]
