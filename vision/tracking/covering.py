"""Which zones something covers for a while, so that cards may be laid and taken there unseen: a sleeve, a tray."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np
import numpy.typing as npt

from engine.observations import Zone
from vision.mat.homography import Homography
from vision.mat.layout import Polygon
from vision.tracking.appearance import same_appearance
from vision.tracking.settings import DEFAULTS, TrackingSettings
from vision.tracking.working_frame import WorkingFrame


class Covering:
    """Watches the zones of one camera. `areas`: the outline of each zone on the mat, in millimetres."""

    def __init__(self, areas: Mapping[Zone, Polygon], settings: TrackingSettings = DEFAULTS) -> None:
        self._areas = areas
        self._settings = settings
        self._table: Homography | None = None
        self._zones: dict[Zone, npt.NDArray[np.bool_]] = {}
        self._since: dict[Zone, float] = {}
        self._frames = 0
        self.zones: tuple[Zone, ...] = ()
        """The zones that are covered."""

    def update(self, working: WorkingFrame, occupied: Callable[[], npt.NDArray[np.bool_]], time: float) -> bool:
        """Look at the current frame, at `time` seconds; return whether the covered zones have changed.

        `occupied`: returns where cards lie, (h, w) at working scale. Only every few frames are compared.
        """
        limits = self._settings.covering
        self._frames += 1
        if not working.background.complete or self._frames % limits.every_frames:
            return False
        if working.table is not self._table:
            self._locate(working)
        small = (slice(None, None, limits.step_px), slice(None, None, limits.step_px))
        bare, known = working.background.bare[small], working.background.known[small] > 0
        table = same_appearance(working.motion.current[small], bare, self._settings.appearance)
        other = ~table & known & ~occupied()[small]
        for zone, where in self._zones.items():
            if float(other[where].mean()) > limits.share:
                self._since.setdefault(zone, time)
            else:
                self._since.pop(zone, None)
        zones = tuple(zone for zone, since in self._since.items() if time - since >= limits.after_s)
        changed, self.zones = set(zones) != set(self.zones), zones
        return changed

    def _locate(self, working: WorkingFrame) -> None:
        """Find the pixels of each zone."""
        self._table = working.table
        height, width = working.motion.shape
        step = self._settings.covering.step_px
        self._zones = {}
        for zone, outline in self._areas.items():
            inside = np.zeros((-(-height // step), -(-width // step)), np.uint8)
            corners = working.mm_to_working(np.array(outline, np.float32)) / step
            cv2.fillPoly(inside, [np.rint(corners).astype(np.int32)], 1)
            if inside.any():
                self._zones[zone] = inside > 0
        self._since = {zone: since for zone, since in self._since.items() if zone in self._zones}
