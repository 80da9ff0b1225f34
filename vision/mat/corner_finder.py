"""Finding the mat in a camera's pictures by its four corner marks.

`TableFinder` gives the `Homography` of each picture. While the camera does not move, it checks one corner mark per
picture: whether its place looks as before, otherwise whether it is there. It searches the whole picture only if a mark
has moved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.marks.names import CORNER_IDS, DICTIONARY
from vision.mat.homography import Homography, Points
from vision.mat.layout import Mat

_Grey = npt.NDArray[np.uint8]


CHANGED_CONTRAST: Final = 0.1
"""A pixel has changed if it differs by more than this share of the difference between black and white. A movement by
`MOVED_PX` changes the edges of a mark three times as much. Higher: a blurred mark that moves a little looks the same;
lower: noise looks like a change, and the mark is searched."""
CHANGED_SHARE: Final = 0.01
"""Share of the pixels that must have changed. Higher: a small movement is noticed later; lower: noise looks like a
change."""


class MarkPictures:
    """Pictures of the corner marks, by their ids, each with a margin around the mark.

    A mark that looks as before has not moved. Comparing pictures takes a tenth of the time of finding the mark again.

    >>> pictures, picture, place = MarkPictures(), np.zeros((80, 80, 3), np.uint8), (slice(20, 60), slice(10, 50))
    >>> picture[30:50, 20:40] = 200
    >>> pictures.remember(0, picture, place)
    >>> pictures.unchanged(0, picture + np.uint8(5)), pictures.unchanged(0, np.roll(picture, 1, axis=1))
    (True, False)
    """

    def __init__(self) -> None:
        self._seen: dict[int, tuple[tuple[slice, slice], _Grey, float]] = {}
        """The place of each, what it showed, and the difference between its brightest and its darkest pixel."""

    def remember(self, id_: int, image: Image, place: tuple[slice, slice]) -> None:
        """Note that the mark is seen at `place`, rows and columns, in a camera's picture, (H, W, 3) BGR."""
        small = _small(image[place])
        darkest, brightest, _, _ = cv2.minMaxLoc(small)
        self._seen[id_] = place, small, brightest - darkest

    def forget(self) -> None:
        """Forget all marks: the camera or the mat has moved."""
        self._seen.clear()

    def unchanged(self, id_: int, image: Image) -> bool:
        """Return whether a picture of the same size shows what was remembered of this mark in its place."""
        if id_ not in self._seen:
            return False
        place, before, contrast = self._seen[id_]
        change = cv2.absdiff(_small(image[place]), before)
        changed = cv2.threshold(change, CHANGED_CONTRAST * contrast, 255, cv2.THRESH_BINARY)[1]
        return cv2.countNonZero(changed) <= CHANGED_SHARE * before.size


def _small(part: Image) -> _Grey:
    """Return the grey levels of a picture of half the size, in which noise counts less."""
    size = (max(part.shape[1] // 2, 1), max(part.shape[0] // 2, 1))
    half = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(half, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


MOVED_PX: Final = 1.2
"""A mark farther than this from its place has moved. Unmoved marks are found again within 0.3 pixels. Higher: a small
movement of the camera shifts the cards; lower: noise looks like movement."""
STILL_PX: Final = 0.6
"""A mark that moves less than this between two pictures, pixels, is still. Higher: the mat may be located while the
camera still swings; lower: with a noisy camera it is located later."""
STILL_PICTURES: Final = 3
"""Pictures in which all marks must be still before a moved camera gets a new `Homography`. Higher: slower, safer."""
SEARCH_EVERY: Final = 10
"""Pictures from one search of the whole picture to the next while no mark is found. Fewer: slower, finds sooner."""
HIDDEN_CHECKS: Final = 2
"""Checks in a row that must fail before a mark counts as missing. Higher: reported later; lower: a hand that passes
over a mark is reported."""
SEARCH_WIDTH_PX: Final = 960
"""Pixels. The whole picture is reduced to this width for the search; the marks are large. Higher: marks of a camera far
away are found, slower."""
FIT_MM: Final = 5.0
"""A corner farther than this from where the others place it is left out: its mark was moved or misread. Higher: a
displaced mark distorts the table; lower: a mat that is not flat is not located."""
MIN_MARKS: Final = 2
MIN_CORNERS: Final = 8
"""Marks, and corners that agree, from which the mat is located. Higher: a few hidden marks make the mat unknown; lower:
less accurate."""
NEAR_MARGIN_SIDES: Final = 0.5
"""Surroundings of its place in which a mark is searched, in sides. Higher: slower; lower: a mark that moved a little
must be searched in the whole picture."""
MIN_PART_PX: Final = 16
"""Part of the picture, height and width, that is searched at least, pixels. Lower: marks cut off by the border are
searched in vain."""
NEAR_PERIMETER: Final = 1.0
WHOLE_PERIMETER: Final = 0.06
"""Smallest perimeter of a mark near its place, where it fills half of the part that is searched, and in the whole
picture, relative to the longer side. Higher: faster, but small marks are missed."""
THRESHOLD_WINDOW_PX: Final = 23
"""Side of the window of the adaptive threshold, pixels (odd). Higher: small marks are missed; lower: the borders of
large ones break."""
DISTINCT_SQUARES: Final = 0.03
"""Distance of the corners of two squares below which they are merged, in perimeters. Higher: a mark and the white rim
around it are merged, so that its corners are wrong; lower: one mark may be found twice."""
ERROR_CORRECTION: Final = 0.3
"""Share of the dictionary's error correction that is used. Higher: partly covered marks are found, and other squares
are taken for marks."""
CORNER_WINDOW_PX: Final = 7
CORNER_WINDOW_MODULES: Final = 0.5
"""Distance within which a corner is refined: the smaller of these pixels and modules. Higher: neighbouring modules
disturb it; lower: less accurate in a blurred picture."""


class TableFinder:
    """Finds the mat in a camera's pictures, and follows it.

    The `Homography` stays the same as long as no mark is seen in another place: hands over some or all of the marks
    make no difference. If a mark has moved, the camera was moved, and there is no `Homography` until the marks have
    been still for `STILL_PICTURES` pictures. `stored` is used until marks are seen.
    """

    def __init__(self, mat: Mat, stored: Homography | None = None) -> None:
        self._places = {id_: np.array(corners, dtype=np.float64) for id_, corners in mat.marks.items()}
        """The corners of each mark in millimetres, (4, 2)."""
        self._stored = stored
        self._table: Homography | None = None
        self._fitted: dict[int, Points] = {}
        """The corners, in pixels, of the marks from which the current `Homography` was fitted."""
        self._recent: dict[int, Points] = {}
        """While the marks are being searched: their corners in the last picture, in pixels."""
        self._still = 0
        """Pictures in a row in which the marks were still."""
        self._moving = False
        self._count = 0
        self._next = 0
        """Which mark is checked next."""
        self._failed_checks = dict.fromkeys(self._places, HIDDEN_CHECKS)
        self._pictures = MarkPictures()
        self._near_detector = _detector(NEAR_PERIMETER)
        self._whole_detector = _detector(WHOLE_PERIMETER)

    @property
    def missing(self) -> tuple[int, ...]:
        """The ids of the corner marks that are not visible."""
        return tuple(id_ for id_, failed in self._failed_checks.items() if failed >= HIDDEN_CHECKS)

    @property
    def moving(self) -> bool:
        """Whether the camera or the mat has moved and is not still yet."""
        return self._moving

    def update(self, image: Image) -> Homography | None:
        """Process the camera's next picture, (H, W, 3) uint8 BGR; return where the mat lies, None if unknown."""
        size = (image.shape[1], image.shape[0])
        if self._table is not None and self._table.image_size != size:
            self._reset()
        self._count += 1
        if self._table is None or self._moving:
            self._locate(image)
        else:
            self._check_one(image, self._table)
        if self._moving:
            return None
        if self._table is None and self._stored is not None:
            return self._stored if self._stored.image_size == size else self._stored.resized(size)
        return self._table

    def _reset(self) -> None:
        self._table, self._fitted, self._recent = None, {}, {}
        self._still, self._moving = 0, False
        self._pictures.forget()

    def _check_one(self, image: Image, table: Homography) -> None:
        """Check whether one mark is still in its place."""
        ids = list(self._places)
        id_ = ids[self._next % len(ids)]
        self._next += 1
        if self._pictures.unchanged(id_, image):
            self._failed_checks[id_] = 0
            return
        expected = self._expected(id_, table)
        corners = self._detect_near(image, id_, expected)
        if corners is None:
            self._failed_checks[id_] += 1
            if len(self.missing) == len(ids) and self._count % SEARCH_EVERY == 0:
                found = self._search(image)
                if any(self._has_moved(each, at) for each, at in found.items()):
                    self._start_moving(found)
            return
        self._failed_checks[id_] = 0
        if id_ not in self._fitted:
            self._refine(image)  # this mark was hidden when the homography was fitted
        elif self._has_moved(id_, corners):
            self._start_moving(self._find_all(image, {**self._fitted, id_: corners}))
        else:
            self._pictures.remember(id_, image, self._around(expected))

    def _has_moved(self, id_: int, corners: Points) -> bool:
        return id_ not in self._fitted or _distance(corners, self._fitted[id_]) > MOVED_PX

    def _start_moving(self, found: dict[int, Points]) -> None:
        self._moving, self._still, self._recent = True, 0, found
        self._pictures.forget()

    def _refine(self, image: Image) -> None:
        """Fit the homography again if more marks are visible than before."""
        found = self._find_all(image, self._fitted)
        table = self._fit(found, (image.shape[1], image.shape[0]))
        if table is not None and len(found) > len(self._fitted):
            self._table, self._fitted = table, found
            self._pictures.forget()

    def _locate(self, image: Image) -> None:
        """Find the marks, and fit the homography once they are still."""
        before = self._recent
        if before:
            self._recent = self._find_all(image, before)
        elif self._count % SEARCH_EVERY == 1 or self._moving:
            self._recent = self._search(image)
        common = self._recent.keys() & before.keys()
        still = bool(common) and all(_distance(self._recent[id_], before[id_]) < STILL_PX for id_ in common)
        self._still = self._still + 1 if still else 0
        self._failed_checks = {id_: 0 if id_ in self._recent else HIDDEN_CHECKS for id_ in self._places}
        # The first homography is fitted at once: if the camera moves, the next checks will show it.
        if self._moving and self._still < STILL_PICTURES - 1:
            return
        table = self._fit(self._recent, (image.shape[1], image.shape[0]))
        if table is not None:
            self._table, self._fitted, self._moving = table, self._recent, False
            self._recent = {}

    def _find_all(self, image: Image, expected: Mapping[int, Points]) -> dict[int, Points]:
        """Return the corners of all visible marks: near the `expected` ones, else from the whole picture."""
        near = {id_: self._detect_near(image, id_, corners) for id_, corners in expected.items()}
        found = {id_: corners for id_, corners in near.items() if corners is not None}
        return found if len(found) == len(self._places) else {**self._search(image), **found}

    def _expected(self, id_: int, table: Homography) -> Points:
        return self._fitted[id_] if id_ in self._fitted else table.to_px(self._places[id_])

    def _detect_near(self, image: Image, id_: int, corners: Points) -> Points | None:
        """Return the corners, (4, 2) pixels, of the mark if it is near `corners`."""
        rows, columns = place = self._around(corners)
        if min(image[place].shape[:2]) < MIN_PART_PX:
            return None
        found = _detect(self._near_detector, image[place]).get(id_)
        return None if found is None else found + np.array([columns.start, rows.start])

    def _around(self, corners: Points) -> tuple[slice, slice]:
        """Return the rows and columns around a mark with these `corners`."""
        margin = float(np.ptp(corners, axis=0).max()) * NEAR_MARGIN_SIDES
        left, top = np.maximum(np.floor(corners.min(axis=0) - margin), 0).astype(int).tolist()
        right, bottom = np.ceil(corners.max(axis=0) + margin).astype(int).tolist()
        return slice(top, bottom), slice(left, right)

    def _search(self, image: Image) -> dict[int, Points]:
        """Return the corners, (4, 2) pixels, of all marks in the whole picture, by id."""
        factor = min(1.0, SEARCH_WIDTH_PX / image.shape[1])
        if factor == 1.0:
            return _detect(self._whole_detector, image)
        small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        found = {}
        for id_, corners in _detect(self._whole_detector, np.asarray(small, dtype=np.uint8)).items():
            exact = self._detect_near(image, id_, (corners + 0.5) / factor - 0.5)
            if exact is not None:
                found[id_] = exact
        return found

    def _fit(self, marks: Mapping[int, Points], size: tuple[int, int]) -> Homography | None:
        """Return the homography that fits the marks; None if there are too few, or they disagree."""
        if len(marks) < MIN_MARKS:
            return None
        pixels = np.concatenate([marks[id_] for id_ in sorted(marks)])
        places = np.concatenate([self._places[id_] for id_ in sorted(marks)])
        rough = _matrix(pixels, places, cv2.RANSAC, FIT_MM)
        if rough is None or int(rough[1].sum()) < MIN_CORNERS:
            return None
        fine = _matrix(pixels[rough[1]], places[rough[1]], 0, FIT_MM)
        # A mat seen from above is never mirrored.
        if fine is None or float(np.linalg.det(fine[0][:2, :2])) <= 0:
            return None
        return Homography(fine[0], size)


def _matrix(
    pixels: Points, places: Points, method: int, fit_mm: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]] | None:
    """Return the (3, 3) matrix from pixels to millimetres, and which points fit it; None if there is none."""
    # The type stubs of OpenCV do not say that the result may be None.
    found, fits = cast("tuple[object, object]", cv2.findHomography(pixels, places, method, fit_mm))
    if found is None:
        return None
    return np.asarray(found, dtype=np.float64), np.asarray(fits).ravel().astype(bool)


def _detector(smallest: float) -> cv2.aruco.ArucoDetector:
    """Return a detector of marks whose perimeter is at least `smallest` times the longer side of the picture."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.minMarkerPerimeterRate = smallest
    parameters.adaptiveThreshWinSizeMin = parameters.adaptiveThreshWinSizeMax = THRESHOLD_WINDOW_PX
    parameters.minMarkerDistanceRate = DISTINCT_SQUARES
    parameters.errorCorrectionRate = ERROR_CORRECTION
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.cornerRefinementWinSize = CORNER_WINDOW_PX
    parameters.relativeCornerRefinmentWinSize = CORNER_WINDOW_MODULES
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), parameters)


def _detect(detector: cv2.aruco.ArucoDetector, image: Image) -> dict[int, Points]:
    """Return the corners, (4, 2) pixels, of the corner marks in a picture, by id."""
    quads, ids, _ = detector.detectMarkers(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
    found: dict[int, Points] = {}
    for id_, quad in zip([] if ids is None else ids.ravel().astype(int).tolist(), quads, strict=False):
        corners = np.asarray(quad, dtype=np.float64).reshape(4, 2)
        # Of two with the same id, the larger one belongs to the mat.
        if id_ in CORNER_IDS and (id_ not in found or _size(corners) > _size(found[id_])):
            found[id_] = corners
    return found


def _distance(first: Points, second: Points) -> float:
    """Return the mean distance, in pixels, of the corners of one mark in two pictures."""
    return float(np.hypot(*(first - second).T).mean())


def _size(corners: Points) -> float:
    return float(np.ptp(corners, axis=0).sum())
