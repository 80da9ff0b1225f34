"""What can be seen of a card in the current frame, and what its place shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from vision.tracking.appearance import Shown, classify, difference, same_appearance
from vision.tracking.boxes import crop_mask, crop_to, overlap
from vision.tracking.footprint import Footprint
from vision.tracking.reading_settings import ReadSettings
from vision.tracking.settings import AppearanceSettings
from vision.tracking.surroundings import table_continues
from vision.tracking.track import Track, TrackState
from vision.tracking.working_frame import WorkingFrame


def is_still(working: WorkingFrame, footprint: Footprint, settings: ReadSettings) -> bool:
    """Return whether nothing moves in `footprint` and no hand covers it."""
    moving = working.motion.age[footprint.box][footprint.inner] < 1
    hand = working.hands[footprint.box][footprint.outer] > 0
    return float(moving.mean()) <= settings.max_moving_share and float(hand.mean()) <= settings.max_hand_share


def visible_part(working: WorkingFrame, track: Track, tracks: Sequence[Track]) -> npt.NDArray[np.bool_]:
    """Return which pixels of the track's box no later card, no hand and no motion hides."""
    box = track.footprint.box
    visible = (working.motion.age[box] >= 1) & (working.hands[box] == 0)
    for other in tracks:
        if other.order > track.order and other.state is not TrackState.EMPTY and overlap(other.footprint.box, box):
            visible &= ~crop_mask(other.footprint.outer, other.footprint.box, box)
    return np.asarray(visible, dtype=np.bool_)


def is_unchanged(working: WorkingFrame, track: Track, tracks: Sequence[Track], settings: AppearanceSettings) -> bool:
    """Return whether the visible part of the card looks exactly as before: no other card lies in its place."""
    footprint = track.footprint
    visible = footprint.seen & visible_part(working, track, tracks)
    same = same_appearance(working.motion.current[footprint.box], footprint.appearance, settings)
    count = np.count_nonzero(visible)
    enough = count > settings.unchanged_visible_share * np.count_nonzero(footprint.inner)
    return bool(enough and np.count_nonzero(same & visible) > settings.unchanged_share * count)


def shown(working: WorkingFrame, track: Track, tracks: Sequence[Track], settings: AppearanceSettings) -> Shown:
    """Return what the place of the card shows now: the card, what lies below it, or neither."""
    if _is_bare(working, track, settings) or _has_left(working, track):
        return Shown.TABLE
    footprint = track.footprint
    box = footprint.box
    visible = visible_part(working, track, tracks)
    bare = working.background.bare[box]
    guessed = (working.background.known[box] == 0) * np.uint8(settings.guess_error)
    without_card = [(bare, guessed)]
    for other in tracks:
        below = other.footprint
        if other.reported and other.order < track.order and overlap(below.box, box):
            seen = crop_mask(below.seen, below.box, box)
            if seen.any():
                picture = bare.copy()
                picture[seen] = crop_to(below.appearance, below.box, box)[seen]
                without_card.append((picture, np.zeros(picture.shape[:2], np.uint8)))
            visible &= seen | ~crop_mask(below.outer, below.box, box)
    min_pixels = max(int(settings.min_decisive_mm2 / working.mm_per_px**2), settings.min_decisive_px)
    candidates = footprint.inner & footprint.seen & visible
    return classify(working.motion.current[box], footprint.appearance, candidates, without_card, min_pixels, settings)


def _has_left(working: WorkingFrame, track: Track) -> bool:
    """Return whether the table continues into the place of a card that is not seen there."""
    return track.state is not TrackState.VISIBLE and table_continues(working, track.footprint)


def _is_bare(working: WorkingFrame, track: Track, settings: AppearanceSettings) -> bool:
    """Return whether the place shows the bare table, even if later cards should cover it: they have gone as well."""
    footprint = track.footprint
    box = footprint.box
    still = (working.motion.age[box] >= 1) & (working.hands[box] == 0)
    bare, now = working.background.bare[box], working.motion.current[box]
    distinct = difference(footprint.appearance, bare) > settings.bare_difference
    decisive = footprint.seen & (working.background.known[box] > 0) & distinct
    count = np.count_nonzero(decisive)
    if count < settings.bare_decisive_share * np.count_nonzero(footprint.inner) or (decisive & ~still).any():
        return False
    return bool(np.count_nonzero(decisive & (difference(now, bare) < settings.same)) > settings.bare_share * count)
