"""Which zones something covers for a while, so that cards may be laid and taken there unseen: a sleeve, a tray."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from engine.observations import Zone
from vision.table.homography import Homography
from vision.tracking.appearance import same_appearance
from vision.tracking.settings import DEFAULTS, TrackingSettings
from vision.tracking.working_frame import WorkingFrame


class Covering:
    """Watches the zones of one camera. `zone_at`: gives the zone of a point on the mat, in millimetres."""

    def __init__(self, zone_at: Callable[[float, float], Zone | None], settings: TrackingSettings = DEFAULTS) -> None:
        self._zone_at = zone_at
        self._settings = settings
        self._table: Homography | None = None
        self._zones: dict[Zone, npt.NDArray[np.bool_]] = {}
        self._since: dict[Zone, float] = {}
        self._frames = 0
        self.zones: tuple[Zone, ...] = ()
        """The zones that are covered."""

    def update(self, working: WorkingFrame, occupied: npt.NDArray[np.bool_], time: float) -> bool:
        """Look at the current frame, at `time` seconds; return whether the covered zones have changed.

        `occupied`: where cards lie, (h, w) at working scale. Only every few frames are compared.
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
        other = ~table & known & ~occupied[small]
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
        ys, xs = np.mgrid[0:height:step, 0:width:step]
        points = np.column_stack([xs.ravel(), ys.ravel()]).astype(np.float32)
        found = [self._zone_at(float(x), float(y)) for x, y in working.working_to_mm(points)]
        self._zones = {}
        for zone in {zone for zone in found if zone is not None}:
            self._zones[zone] = np.array([each == zone for each in found]).reshape(xs.shape)
        self._since = {zone: since for zone, since in self._since.items() if zone in self._zones}
