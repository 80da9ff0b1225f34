"""Where the table lies in the picture: the table's frame of reference, from the mat's four corner marks.

`TableFinder` finds the `TableFrame` and watches it: it looks at one
corner mark each frame, in its place, which costs a fraction of a millisecond; only when a mark has moved does it look
at the whole picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.marks.names import CORNER_IDS, DICTIONARY
from vision.table.homography import Points, TableFrame
from vision.table.mat import Mat

_MOVED_PX: Final = 1.2
"""A corner mark farther from its place than this has moved; still ones are found again within 0.3 px."""
_STILL_PX: Final = 0.6
_STILL_FRAMES: Final = 3
_SEARCH_EVERY: Final = 10
_HIDDEN_CHECKS: Final = 2
_SEARCH_WIDTH: Final = 960
"""The whole picture is searched at this width: corner marks are large, and a quarter of the pixels is a quarter of
the time."""
_FIT_MM: Final = 5.0
"""A corner this far from where the others place it is left out: a mark that was shifted, or read where none is."""


class TableFinder:
    """Finds the table in a camera's pictures and keeps it found.

    A hand over some marks, or all, changes nothing: the frame of reference holds as long as no mark is seen elsewhere.
    Marks seen elsewhere mean that the camera was moved: there is no frame of reference until they have been still for
    three frames. Without marks `stored` is used, until marks are seen.
    """

    def __init__(self, mat: Mat, stored: TableFrame | None = None) -> None:
        self._places = {id_: np.array(corners, dtype=np.float64) for id_, corners in mat.marks.items()}
        self._stored = stored
        self._frame: TableFrame | None = None
        self._seen: dict[int, Points] = {}
        self._fresh: dict[int, Points] = {}
        self._still = 0
        self._moving = False
        self._count = 0
        self._turn = 0
        self._hidden = dict.fromkeys(self._places, _HIDDEN_CHECKS)
        # In its place a mark fills half of what is looked at; in the whole picture it may be small.
        self._close_by = _detector(smallest=1.0)
        self._anywhere = _detector(smallest=0.06)

    @property
    def missing(self) -> tuple[int, ...]:
        """The ids of the corner marks that are not in sight."""
        return tuple(id_ for id_, misses in self._hidden.items() if misses >= _HIDDEN_CHECKS)

    @property
    def moving(self) -> bool:
        """Whether the camera or the mat was moved and has not come to rest."""
        return self._moving

    def update(self, image: Image) -> TableFrame | None:
        """The table's frame of reference in this picture, a camera's next; None where it is not known (now)."""
        size = (image.shape[1], image.shape[0])
        if self._frame is not None and self._frame.image_size != size:
            self._lose()
        self._count += 1
        if self._frame is None or self._moving:
            self._take_up(image)
        else:
            self._watch(image, self._frame)
        if self._moving:
            return None
        if self._frame is None and self._stored is not None:
            return self._stored if self._stored.image_size == size else self._stored.resized(size)
        return self._frame

    def _lose(self) -> None:
        self._frame, self._seen, self._fresh = None, {}, {}
        self._still, self._moving = 0, False

    def _watch(self, image: Image, frame: TableFrame) -> None:
        """Looks at one mark, in its place."""
        ids = list(self._places)
        id_ = ids[self._turn % len(ids)]
        self._turn += 1
        found = self._near(image, id_, self._expected(id_, frame))
        if found is None:
            self._hidden[id_] += 1
            if len(self.missing) == len(ids) and self._count % _SEARCH_EVERY == 0:
                seen = self._search(image)
                if any(self._moved(one, corners) for one, corners in seen.items()):
                    self._start_moving(seen)
            return
        self._hidden[id_] = 0
        if id_ not in self._seen:
            # A mark that was hidden when the frame was taken: with it the frame gets better.
            self._start_taking(image)
        elif self._moved(id_, found):
            self._start_moving(self._everywhere(image, {**self._seen, id_: found}))

    def _moved(self, id_: int, corners: Points) -> bool:
        return id_ not in self._seen or _distance(corners, self._seen[id_]) > _MOVED_PX

    def _start_moving(self, fresh: dict[int, Points]) -> None:
        self._moving, self._still, self._fresh = True, 0, fresh

    def _start_taking(self, image: Image) -> None:
        fresh = self._everywhere(image, self._seen)
        frame = self._fit(fresh, (image.shape[1], image.shape[0]))
        if frame is not None and len(fresh) > len(self._seen):
            self._frame, self._seen = frame, fresh

    def _take_up(self, image: Image) -> None:
        """Looks for the marks until they lie still, and then takes the frame of reference from them."""
        before = self._fresh
        if before:
            self._fresh = self._everywhere(image, before)
        elif self._count % _SEARCH_EVERY == 1 or self._moving:
            self._fresh = self._search(image)
        common = self._fresh.keys() & before.keys()
        still = bool(common) and all(_distance(self._fresh[id_], before[id_]) < _STILL_PX for id_ in common)
        self._still = self._still + 1 if still else 0
        self._hidden = {id_: 0 if id_ in self._fresh else _HIDDEN_CHECKS for id_ in self._places}
        # At the very start nothing is known of a move: the first sight counts, and is checked from then on.
        if self._moving and self._still < _STILL_FRAMES - 1:
            return
        frame = self._fit(self._fresh, (image.shape[1], image.shape[0]))
        if frame is not None:
            self._frame, self._seen, self._moving = frame, self._fresh, False
            self._fresh = {}

    def _everywhere(self, image: Image, expected: Mapping[int, Points]) -> dict[int, Points]:
        """All marks: those near their places, or, where one is not, those in the whole picture."""
        near = {id_: self._near(image, id_, corners) for id_, corners in expected.items()}
        found = {id_: corners for id_, corners in near.items() if corners is not None}
        return found if len(found) == len(self._places) else {**self._search(image), **found}

    def _expected(self, id_: int, frame: TableFrame) -> Points:
        return self._seen[id_] if id_ in self._seen else frame.to_px(self._places[id_])

    def _near(self, image: Image, id_: int, corners: Points) -> Points | None:
        """The mark's corners, if it is about where `corners` are."""
        margin = float(np.ptp(corners, axis=0).max()) * 0.5
        left, top = np.maximum(np.floor(corners.min(axis=0) - margin), 0).astype(int)
        right, bottom = np.ceil(corners.max(axis=0) + margin).astype(int)
        part = image[top:bottom, left:right]
        if min(part.shape[:2]) < 16:
            return None
        found = _detect(self._close_by, part).get(id_)
        return None if found is None else found + np.array([left, top])

    def _search(self, image: Image) -> dict[int, Points]:
        """All corner marks in the picture."""
        factor = min(1.0, _SEARCH_WIDTH / image.shape[1])
        if factor == 1.0:
            return _detect(self._anywhere, image)
        small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        found = {}
        for id_, corners in _detect(self._anywhere, np.asarray(small, dtype=np.uint8)).items():
            exact = self._near(image, id_, (corners + 0.5) / factor - 0.5)
            if exact is not None:
                found[id_] = exact
        return found

    def _fit(self, seen: Mapping[int, Points], size: tuple[int, int]) -> TableFrame | None:
        """The frame of reference that fits the marks; None with fewer than two of them, or where they contradict."""
        if len(seen) < 2:
            return None
        pixels = np.concatenate([seen[id_] for id_ in sorted(seen)])
        places = np.concatenate([self._places[id_] for id_ in sorted(seen)])
        rough = _homography(pixels, places, cv2.RANSAC)
        if rough is None or int(rough[1].sum()) < 8:
            return None
        fine = _homography(pixels[rough[1]], places[rough[1]], 0)
        # A mat seen from above is never mirrored.
        if fine is None or float(np.linalg.det(fine[0][:2, :2])) <= 0:
            return None
        return TableFrame(fine[0], size)


def _homography(
    pixels: Points, places: Points, method: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]] | None:
    """Pixels to places, and which points fit; None where there is none."""
    # The stubs do not know that nothing may be found.
    found, fits = cast("tuple[object, object]", cv2.findHomography(pixels, places, method, _FIT_MM))
    if found is None:
        return None
    return np.asarray(found, dtype=np.float64), np.asarray(fits).ravel().astype(bool)


def _detector(smallest: float) -> cv2.aruco.ArucoDetector:
    """Finds marks whose outline is `smallest` times as long as the picture's longer side, or longer."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.minMarkerPerimeterRate = smallest
    parameters.adaptiveThreshWinSizeMin = parameters.adaptiveThreshWinSizeMax = 23
    # A mark and the white rim about it are two squares: never taken for one seen twice.
    parameters.minMarkerDistanceRate = 0.03
    parameters.errorCorrectionRate = 0.3
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.cornerRefinementWinSize = 7
    parameters.relativeCornerRefinmentWinSize = 0.5
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), parameters)


def _detect(detector: cv2.aruco.ArucoDetector, image: Image) -> dict[int, Points]:
    """The corner marks in a picture, by id: (4, 2) pixels."""
    quads, ids, _ = detector.detectMarkers(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
    found: dict[int, Points] = {}
    for id_, quad in zip([] if ids is None else ids.ravel().astype(int).tolist(), quads, strict=False):
        corners = np.asarray(quad, dtype=np.float64).reshape(4, 2)
        # Two with one id: the larger one is the mat's.
        if id_ in CORNER_IDS and (id_ not in found or _size(corners) > _size(found[id_])):
            found[id_] = corners
    return found


def _distance(one: Points, other: Points) -> float:
    """Mean distance in pixels of the corners of one mark, as seen twice."""
    return float(np.hypot(*(one - other).T).mean())


def _size(corners: Points) -> float:
    return float(np.ptp(corners, axis=0).sum())
