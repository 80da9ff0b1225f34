"""Whether the table continues across the edge of a card's place: then the card has gone.

The table under a card may be unknown, or known wrongly: what lay face down when the camera started was taken for the
table. Around the card it is known. If the picture does not change where the card's edge was, and does not look like the
card, no card lies there, whatever is known about the table below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.tracking.appearance import difference
from vision.tracking.footprint import Footprint
from vision.tracking.working_frame import WorkingFrame


@dataclass(frozen=True, slots=True)
class SurroundingsSettings:
    """The thresholds of `table_continues`."""

    band_px: int = 4
    """Width of the bands inside and outside of a card's edge, pixels at working scale. Wider: print near the edge of a
    card, and of the mat, disturbs."""
    same: int = 13
    """Levels by which the bands may differ if both show the table, as `AppearanceSettings.same`. Higher: a card of the
    table's colour is lost."""
    distinct: int = 20
    """Levels by which the card must differ from the table around it. Higher: cards of the table's colour are not
    judged, and stay."""
    edge_share: float = 0.3
    """Share of the card's edge that must be visible with known table outside of it: more than one short side. Higher:
    a card that is partly covered is not judged; lower: an object whose edge lies on the card's may hide it."""
    table_share: float = 0.95
    """Share of that edge along which the table must continue. Lower: a card of which a corner is seen may be lost."""


DEFAULTS: Final = SurroundingsSettings()


def table_continues(working: WorkingFrame, footprint: Footprint, settings: SurroundingsSettings = DEFAULTS) -> bool:
    """Return whether the known table around the card continues into its place, along enough of the card's edge."""
    band, (rows, columns) = settings.band_px, footprint.box
    height, width = working.motion.shape
    top, left = max(rows.start - band, 0), max(columns.start - band, 0)
    box = (slice(top, min(rows.stop + band, height)), slice(left, min(columns.stop + band, width)))
    place = (slice(rows.start - top, rows.stop - top), slice(columns.start - left, columns.stop - left))
    now, bare = working.motion.current[box], working.background.bare[box]
    still = (working.motion.age[box] >= 1) & (working.hands[box] == 0)
    kernel = np.ones((2 * band + 1, 2 * band + 1), np.uint8)

    inner = np.zeros(now.shape[:2], np.uint8)
    inner[place] = footprint.inner
    edge = (inner > 0) & (cv2.erode(inner, kernel) == 0)
    seen = np.zeros(now.shape[:2], np.bool_)
    seen[place] = footprint.seen
    seen &= edge & still
    least = settings.edge_share * np.count_nonzero(edge)
    if np.count_nonzero(seen) < least:
        return False
    covered = np.zeros(now.shape[:2], np.uint8)
    covered[place] = footprint.outer
    around = (cv2.dilate(covered, kernel) > 0) & (covered == 0)
    table = around & still & (working.background.known[box] > 0) & (difference(now, bare) < settings.same)
    # The table next to each pixel: the mean of the table within reach, across the gap between the two bands.
    reach = (4 * band + 1, 4 * band + 1)
    weight = cv2.blur(table.astype(np.float32), reach)
    mean = cv2.blur(now.astype(np.float32) * table[..., None], reach) / np.maximum(weight, 1e-6)[..., None]
    nearby = np.clip(np.rint(mean), 0, 255).astype(np.uint8)

    card = np.zeros_like(now)
    card[place] = footprint.appearance
    decisive = seen & (weight > 0) & (difference(card, nearby) > settings.distinct)
    if np.count_nonzero(decisive) < least:
        return False
    continues = (difference(now, nearby) < settings.same) & (difference(now, card) >= settings.same)
    return float(continues[decisive].mean()) >= settings.table_share
