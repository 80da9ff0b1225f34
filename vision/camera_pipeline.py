"""The camera pipeline: from the frames of one camera to observations. The application runs this part of vision.

`CameraPipeline.step` processes one frame: read it from the source, find the mat (`vision.mat.corner_finder`), track
the cards (`vision.tracking.scene_tracker`). It never waits: a source that has failed is tried again
after some time (`vision.tracking.settings.SourceSettings`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from engine.observations import Back, Hampered, Lost, Observation
from engine.texts import both, decimals, text
from vision.frames import AdjustableExposure, Frame, FrameSource, SourceLost
from vision.light.watch import LightWatch
from vision.mat.corner_finder import TableFinder
from vision.mat.homography import Homography
from vision.mat.layout import Mat
from vision.readings import LearnsDeck, Reader
from vision.tracking.picture_checks import PictureChecks
from vision.tracking.scene_tracker import SceneTracker
from vision.tracking.settings import DEFAULTS, TrackingSettings
from vision.unread_cards import UnreadCards

Corners = tuple[tuple[float, float], ...]
"""The corners of a card, clockwise from its own top left, as fractions of the picture's width and height."""
_CORNERS = (text("top left"), text("top right"), text("bottom right"), text("bottom left"))


class CameraPipeline:
    """One frame source (a camera, a recording, the simulated table) with the readers of its cards.

    `mat`: the mat on the table. `name`: the name of the source in every observation. `stored`: an earlier calibration,
    used until the corner marks are seen. `clock`: the host's clock, seconds, only used to retry a lost source.
    `settings`: the thresholds of the tracker and the source.
    """

    def __init__(
        self,
        source: FrameSource,
        mat: Mat,
        readers: Sequence[Reader],
        name: str = "camera",
        stored: Homography | None = None,
        clock: Callable[[], float] = time.monotonic,
        settings: TrackingSettings = DEFAULTS,
    ) -> None:
        self.source: Final = source
        self.name: Final = name
        self.frame: Frame | None = None
        """The last frame."""
        self.processed = 0
        """How many frames have been processed. A live camera drops the frames that came meanwhile."""
        self.homography: Homography | None = stored
        """Where the mat lies in the last frame; None if unknown. Before the first frame: `stored`."""
        self.places: Mapping[str, Corners] = {}
        """Where the cards lie in the last frame, by their ids in the scenes; replaced when that changes."""
        self._located: tuple[object, object] = (None, None)
        self.ended = False
        """Whether a recording has ended."""
        self.tracker: Final = SceneTracker(mat, readers, name, settings)
        self._finder = TableFinder(mat, stored)
        self.min_px_per_mm: Final = max((reader.min_px_per_mm for reader in readers), default=0.0)
        """Pixels per millimetre that the readers need."""
        self._checks = PictureChecks(source.live, may_repeat=bool(getattr(source, "may_repeat", False)))
        self._clock = clock
        self._settings: Final = settings.source
        self._lost: str | None = None
        """The reason that was reported last; None if the source works."""
        self._source_lost = False
        self._try_at = 0.0
        self._unlocated_since: float | None = None
        self._learning = next((reader for reader in readers if isinstance(reader, LearnsDeck)), None)
        self._drawback = (-1, "")
        """The drawback of the deck, and how many readings it was judged by."""
        self._light = LightWatch(mat)
        self._unread = UnreadCards(mat)
        self._advice = ""
        self._advice_since = 0.0

    @property
    def missing_marks(self) -> tuple[int, ...]:
        """The ids of the corner marks that were not visible when they were last checked."""
        return tuple(self._finder.missing)

    @property
    def stuck(self) -> bool:
        """Whether the source hangs in its driver and is not opened again: the program must be restarted."""
        return bool(getattr(self.source, "stuck", False))

    @property
    def retry_in(self) -> float:
        """Seconds until `step` has something to do; 0 unless the source is lost."""
        return max(self._try_at - self._clock(), 0.0) if self._source_lost else 0.0

    def step(self) -> list[Observation]:
        """Process one frame; return the new observations: `Scene`, `Lost`, `Hampered` or `Back`.

        Do nothing until a lost source is due again (`retry_in`), and after the end of a recording.
        """
        if self.ended or self.retry_in > 0:
            return []
        try:
            frame = self.source.read()
        except SourceLost as lost:
            return self._lose(str(lost))
        if frame is None:
            self.ended = True
            return []
        self.frame = frame
        self.processed += 1
        self._source_lost = False
        unusable, reason = self._checks.unusable(frame)
        if unusable:
            self._watch_light(frame, located=False)
            return self._report_lost(frame.time, reason) if reason else []
        self.homography = self._finder.update(frame.image)
        scene = self.tracker.update(frame, self.homography)
        self._locate()
        self._watch_light(frame)
        if self.homography is None:
            return self._not_located(frame.time)
        if self._learning is not None:  # a table with other readers has a deck that was learned, or marks
            self._unread.update(frame, self.homography, self.tracker.tracks)
        self._unlocated_since = None
        found = self._hindrance(frame.time, 1 / self.homography.mm_per_px)
        return found if scene is None else [*found, scene]

    def _not_located(self, time: float) -> list[Observation]:
        """Report that the marks are not seen, once they have not been seen for some time."""
        if self._unlocated_since is None:
            self._unlocated_since = time
        if time - self._unlocated_since < self._settings.marks_lost_s and self._lost is None:
            return []
        return self._report_lost(time, self._missing_marks_text())

    def _hindrance(self, time: float, px_per_mm: float) -> list[Observation]:
        """Report what makes cards hard to read, or that nothing does any more."""
        hampered = self._too_small(px_per_mm) or self._checks.hampered() or self._new_advice(time)
        if hampered:
            return self._report_lost(time, hampered, Hampered)
        if self._lost is not None:
            self._lost = None
            return [Back(time, self.name)]
        return []

    @property
    def deck_drawback(self) -> str:
        """Why the deck on the table suits the camera badly; empty if it does not, or if too little is known."""
        if self._learning is None:
            return ""
        reads = self.tracker.reads
        if reads != self._drawback[0]:  # a reader learns nothing between two readings
            self._drawback = reads, self._learning.drawback
        return self._drawback[1]

    @property
    def _unread_advice(self) -> str:
        """What to do if hardly any card of the deck is read; empty if cards are read."""
        return self._learning.unread_advice if self._learning is not None and self._unread.too_many else ""

    @property
    def flickers(self) -> bool | None:
        """Whether the light on the table flickers; None until that is certain, and for a recording."""
        return self._light.flickers

    @property
    def light_trouble(self) -> str:
        """What is wrong with the light on the table and what to do; empty if nothing is."""
        return self._light.trouble or ""

    def _watch_light(self, frame: Frame, located: bool = True) -> None:
        """Look at the light, unless it is that of a recording; adjust an exposure that follows the cards.

        `located`: the picture shows the mat; otherwise it may be overexposed, or black.
        """
        if not self.source.live:
            return
        if located and self.homography is not None:
            tracks = self.tracker.tracks
            cards = [track.outline for track in tracks if track.face is not None]
            unread = [track.outline for track in tracks if track.face is None]
            factor = self._light.update(frame, self.homography, cards, self.tracker.still, unread)
        else:
            factor = self._light.update_unlocated(frame)
        if factor != 1.0 and isinstance(self.source, AdjustableExposure):
            self.source.adjust_exposure(factor)

    def _new_advice(self, now: float) -> str:
        """Return what is wrong with the light or the deck, for its first `advice_s` seconds; then an empty text."""
        advice = self.light_trouble or self.deck_drawback or self._unread_advice
        if advice != self._advice:
            self._advice, self._advice_since = advice, now
        return advice if now - self._advice_since < self._settings.advice_s else ""

    def _locate(self) -> None:
        """Bring `places` up to date. It is replaced as a whole: another thread may read it."""
        table, tracks = self.homography, self.tracker.tracks
        located = [table, *((track.card_id, track.outline) for track in tracks)]
        key = [id(table), *((track.card_id, id(track.outline)) for track in tracks)]
        if table is None or key == self._located[0]:
            return
        self._located = key, located  # which are kept, so that no other object gets their identity
        width, height = table.image_size
        self.places = {
            track.card_id: tuple(
                (round(float(x) / width, 3), round(float(y) / height, 3)) for x, y in table.to_px(track.outline)
            )
            for track in tracks
        }

    def close(self) -> None:
        """Close the source."""
        self.source.close()

    def _too_small(self, px_per_mm: float) -> str:
        """Return what to report if the cards are too small in the picture to be read; an empty text if they are not."""
        if px_per_mm >= self.min_px_per_mm:
            return ""
        return text(
            "The cards are too small in the picture ({scale} px/mm, {least} needed): bring the camera nearer.",
            scale=decimals(px_per_mm, 2),
            least=decimals(self.min_px_per_mm, 2),
        )

    def _lose(self, reason: str) -> list[Observation]:
        self._source_lost = True
        self._try_at = self._clock() + (self._settings.retry_s if self.source.live else 0.0)
        return self._report_lost(self.frame.time if self.frame else 0.0, reason)

    def _report_lost(self, when: float, reason: str, kind: type[Lost] = Lost) -> list[Observation]:
        if self._lost == reason:
            return []
        self._lost = reason
        return [kind(when, self.name, reason)]

    def _missing_marks_text(self) -> str:
        missing = self._finder.missing
        if len(missing) >= len(_CORNERS):
            return text("No corner marks in sight: lay the mat, or its four marks, well lit in the camera's view.")
        marks = both([text("mark {number} ({corner})", number=mark, corner=_CORNERS[mark]) for mark in missing])
        if len(missing) == 1:
            return text("Corner {mark} is missing: uncover it, or point the camera at it.", mark=marks)
        return text("Not seen: {marks}. Uncover them or turn the camera.", marks=marks)
