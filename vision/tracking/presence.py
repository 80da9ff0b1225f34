"""Whether the tracked cards still lie there: unreported ones are confirmed or discarded, reported ones watched."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from vision.tracking.appearance import Shown
from vision.tracking.boxes import Box
from vision.tracking.motion import Mask
from vision.tracking.reading_settings import ReadSettings
from vision.tracking.settings import PresenceSettings
from vision.tracking.track import Track, TrackState
from vision.tracking.tracks import Tracks
from vision.tracking.visibility import is_still
from vision.tracking.working_frame import WorkingFrame


def judge_unreported(
    working: WorkingFrame, tracks: Tracks, is_pending: Callable[[Box], bool], frame: int, settings: ReadSettings
) -> Iterator[Track]:
    """Discard candidates that are no longer read, and confirm unread cards that have been still for long enough.

    Yield each confirmed track. `is_pending`: whether a box at working scale is still being read. `frame`: the number
    of the judged frame.
    """
    for track in tracks:
        if track.state is TrackState.CANDIDATE:
            if not is_pending(track.footprint.box):
                track.discard()
        elif track.state is TrackState.UNREAD:
            place = track.footprint
            if not is_still(working, place, settings):
                continue  # a hand reaches over it; its change counts as judged, so nothing would read it again
            if not tracks.is_unchanged(track):
                track.discard()
            elif _still_for(working, track, settings) >= settings.unread_s:
                tracks.confirm(track, frame)
                yield track
        tracks.remove_gone()


def _still_for(working: WorkingFrame, track: Track, settings: ReadSettings) -> float:
    """Return for how long an unread card has been still, seconds."""
    motion = working.motion
    ages = motion.age[track.footprint.box][track.footprint.inner]
    return working.frame.time - motion.still_since(int(np.percentile(ages, settings.unread_age_percentile)))


def judge_reported(
    working: WorkingFrame, tracks: Tracks, active: Mask, settings: PresenceSettings, still_frames: int
) -> Iterator[npt.NDArray[np.bool_]]:
    """Check whether the reported cards still lie in their places.

    Yield, for each card that has gone, the pixels where the bare table is visible for the first time: (h, w) at working
    scale.
    `active`: (h, w), where something moves or has changed. `still_frames`: frames without motion before the table is
    judged.
    """
    # The uppermost first: a card that has gone hides nothing below it.
    for track in sorted(tracks, key=lambda each: -each.order):
        if not track.reported or (track.state is TrackState.VISIBLE and not active[track.footprint.box].any()):
            continue
        match tracks.shown(track):
            case Shown.CARD:
                track.see_card()
            case Shown.OTHER:
                track.see_other()
            case Shown.TABLE:
                track.see_table(working.frame.time, settings.empty_s)
        if track.state is TrackState.GONE:
            tracks.remove_gone()
            tracks.forget_where_it_lay(track)
            unknown = track.footprint.mask(working.motion.shape) & (working.background.known == 0)
            seen = (working.motion.age >= still_frames) & (working.hands == 0)
            yield unknown & seen & ~tracks.occupied()
