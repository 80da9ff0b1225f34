"""Cards marked with ArUco.

OpenCV finds dark squares; what is in them is read here, with soft values instead of black and white: the edges are
laid exactly, the modules measured, and the whole pattern compared with every mark of the dictionary as it would look
at this size. So marks of two pixels a module are read, and their corners are exact enough to place the card.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Final

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import Card
from engine.observations import ActionCard
from vision.frames import Image
from vision.marks.names import ARUCO_MM, CORNER_IDS, DICTIONARY, NO_WORDS, WordMarks, aruco_places, faces_by_id
from vision.marks.quads import Floats, Grey, refine, sample_modules, side_lengths
from vision.readings import CARD_MM, Reading

MODULES: Final = 6
_SMALLEST_PX: Final = 1.6 * MODULES
"""Side in pixels of the smallest mark that is looked for."""
_LIKENESS: Final = 0.93
"""The least correlation of a mark with its pattern; and it must be nearer to it than to any other by `_LEAD`."""
_LEAD: Final = 0.05
_WORSE: Final = 0.01
"""By so much less a half covered mark is like its pattern than the same card's other mark."""
_CONTRAST: Final = 20.0
"""The least difference between a mark's dark and light, grey levels."""
_WINDOW: Final = 13
_DARKER: Final = 12
"""Dark is what is this much darker than the mean of a window of this many pixels about it."""
_BLURS: Final = (0.0, 0.2, 0.35, 0.5, 0.65)
"""Blur of the patterns compared with, in modules (sigma): a lens and a pixel blur by about a pixel."""
_BLUR_PX: Final = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """An ArUco mark in a picture. `corners`: (4, 2) float32 pixels, clockwise from the mark's own top left."""

    id: int
    corners: Floats
    likeness: float


def find_marks(grey: Grey, smallest_px: float = _SMALLEST_PX) -> list[Mark]:
    """All marks of the dictionary with sides of `smallest_px` pixels or more; each once."""
    quads = _dark_squares(grey, smallest_px)
    if not len(quads):
        return []
    quads = refine(grey, quads, MODULES)
    sides = side_lengths(quads)
    quads = quads[(sides.min(axis=1) >= 0.8 * smallest_px) & (sides.max(axis=1) < 2 * sides.min(axis=1))]
    if not len(quads):
        return []
    quads = quads[_framed(sample_modules(grey, quads, MODULES, points=1))]
    if not len(quads):
        return []
    module = side_lengths(quads).mean(axis=1) / MODULES
    ids, turns, likeness, lead = _recognise(sample_modules(grey, quads, MODULES, rim=0), module)
    good = (likeness >= _LIKENESS) & (lead >= _LEAD)
    found: list[Mark] = []
    for index in np.flatnonzero(good)[np.argsort(-likeness[good], kind="stable")].tolist():
        mark = Mark(int(ids[index]), np.roll(quads[index], -int(turns[index]), axis=0), float(likeness[index]))
        if not any(mark.id == other.id and _same_place(mark, other) for other in found):
            found.append(mark)
    return found


class ArucoReader:
    """Reads cards marked with ArUco: one `Reading` for each card, whether one of its marks is visible or both.

    `words`: the ids of the action cards. `ignored`: the number of marks seen so far that belong to no card.
    """

    least_px_per_mm: ClassVar[float] = 0.0

    def __init__(self, words: WordMarks = NO_WORDS) -> None:
        self.ignored = 0
        self._faces = faces_by_id(words)
        _patterns()  # made now, not when the first card lies

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """All cards in `image` (BGR). `mm_per_px`: where the scale is known smaller things are not looked at."""
        smallest = _SMALLEST_PX if mm_per_px is None else max(_SMALLEST_PX, 0.6 * ARUCO_MM / mm_per_px)
        grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        by_id: dict[int, list[Mark]] = {}
        for mark in _without_misread(find_marks(grey, smallest)):
            if mark.id in CORNER_IDS:
                continue
            if mark.id not in self._faces:
                self.ignored += 1
            else:
                by_id.setdefault(mark.id, []).append(mark)
        return [reading for id_, marks in by_id.items() for reading in _cards(self._faces[id_], marks)]


def _without_misread(marks: list[Mark]) -> list[Mark]:
    """Without those that look worse and lie where a better one says that its card's other mark must be.

    Half covered, that other mark may look like another card's.
    """
    first, second = aruco_places()
    middles = [mark.corners.mean(axis=0) for mark in marks]
    wrong: set[int] = set()
    for mark in marks:
        side = float(side_lengths(mark.corners[None]).mean())
        expected = _apply(_affine(first, mark.corners), second).mean(axis=0)
        for number, other in enumerate(marks):
            worse = other.id != mark.id and other.likeness < mark.likeness - _WORSE
            if worse and float(np.linalg.norm(middles[number] - expected)) < 0.5 * side:
                wrong.add(number)
    return [mark for number, mark in enumerate(marks) if number not in wrong]


def _cards(face: Card | ActionCard, marks: list[Mark]) -> list[Reading]:
    """Return the cards with these marks of `face`: two marks at the distance of one card belong together."""
    first, second = aruco_places()
    card = np.array([(0, 0), (CARD_MM[0], 0), CARD_MM, (0, CARD_MM[1])], dtype=np.float64)
    readings = []
    left = list(marks)
    while left:
        mark = left.pop(0)
        to_px = _affine(first, mark.corners)
        # Where the card's other mark must be, if it is seen.
        expected = _apply(to_px, second)
        near = [(float(np.abs(other.corners - expected).mean()), i) for i, other in enumerate(left)]
        side = float(side_lengths(mark.corners[None]).mean())
        if near and min(near)[0] < 0.8 * side:
            other = left.pop(min(near)[1])
            whole, _ = cv2.findHomography(
                np.concatenate([first, second]), np.concatenate([mark.corners, other.corners])
            )
            outline = cv2.perspectiveTransform(card[None], whole)[0]
            readings.append(Reading(face, 0.9999, "aruco", np.asarray(outline, dtype=np.float32)))
        else:
            confidence = 0.999 if mark.likeness > 0.95 else 0.99
            readings.append(Reading(face, confidence, "aruco", _apply(to_px, card).astype(np.float32)))
    return readings


def _affine(places: npt.NDArray[np.float64], pixels: Floats) -> npt.NDArray[np.float64]:
    """(3, 2): millimetres to pixels. Over a mark as small as this a camera's perspective is none."""
    known = np.column_stack([places, np.ones(len(places))])
    return np.asarray(np.linalg.lstsq(known, pixels.astype(np.float64), rcond=None)[0], dtype=np.float64)


def _homography(places: npt.NDArray[np.float64], pixels: Floats) -> npt.NDArray[np.float64]:
    """(3, 3): millimetres to pixels, by least squares; for eight points at hand far quicker than OpenCV's."""
    x, y = (places / CARD_MM[1]).T
    middle = pixels.mean(axis=0).astype(np.float64)
    u, v = (pixels - middle).T
    one, none = np.ones_like(x), np.zeros_like(x)
    rows = [(x, y, one, none, none, none, -u * x, -u * y), (none, none, none, x, y, one, -v * x, -v * y)]
    known = np.concatenate([np.stack(row, axis=1) for row in rows])
    h = np.append(np.linalg.lstsq(known, np.concatenate([u, v]), rcond=None)[0], 1.0).reshape(3, 3)
    shift = np.array([[1, 0, middle[0]], [0, 1, middle[1]], [0, 0, 1]])
    return np.asarray(shift @ h @ np.diag([1 / CARD_MM[1], 1 / CARD_MM[1], 1]), dtype=np.float64)


def _apply(affine: npt.NDArray[np.float64], points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(np.column_stack([points, np.ones(len(points))]) @ affine, dtype=np.float64)


def _same_place(one: Mark, other: Mark) -> bool:
    apart = float(np.linalg.norm(one.corners.mean(axis=0) - other.corners.mean(axis=0)))
    return apart < 0.5 * float(side_lengths(one.corners[None]).mean())


def _dark_squares(grey: Grey, smallest_px: float) -> Floats:
    """(N, 4, 2): whatever may be a mark: convex outlines with four corners of things darker than what is about them."""
    # Smoothed a little, for noise would make thousands of small outlines.
    smooth = cv2.GaussianBlur(grey, (3, 3), 0)
    dark = cv2.adaptiveThreshold(smooth, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, _WINDOW, _DARKER)
    outlines, levels = cv2.findContours(dark, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    quads = []
    for outline, parent in zip(outlines, levels[0, :, 3].tolist() if len(outlines) else (), strict=True):
        # What has a parent is a hole's outline: the inner side of a frame, as which a large dark square comes out here.
        if parent >= 0 or len(outline) < 4:
            continue
        _, _, width, height = cv2.boundingRect(outline)
        if max(width, height) < 0.8 * smallest_px or min(width, height) < 0.5 * smallest_px:
            continue
        corners = cv2.approxPolyDP(outline, 0.06 * cv2.arcLength(outline, True), True)
        if len(corners) == 4 and cv2.isContourConvex(corners):
            quads.append(corners[:, 0])
    if not quads:
        return np.empty((0, 4, 2), np.float32)
    found = np.stack(quads).astype(np.float32)
    one, other = found[:, 1] - found[:, 0], found[:, 2] - found[:, 0]
    anticlockwise = one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0] < 0
    found[anticlockwise] = found[anticlockwise][:, ::-1]
    return found


def _framed(levels: Floats) -> npt.NDArray[np.bool_]:
    """Whether the modules measured, a rim of one about them, are those of a mark: a dark border in a light rim."""
    rim, border = _RINGS
    cells = levels.reshape(len(levels), -1)
    light, dark = np.median(cells[:, rim], axis=1), np.median(cells[:, border], axis=1)
    middle = (light + dark) / 2
    whole = (cells[:, border] < middle[:, None]).mean(axis=1) > 0.9
    return np.asarray((light - dark >= _CONTRAST) & whole)


def _rings() -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    count = MODULES + 2
    distance = np.minimum.outer(*(np.minimum(np.arange(count), np.arange(count)[::-1]),) * 2).ravel()
    return np.flatnonzero(distance == 0), np.flatnonzero(distance == 1)


_RINGS: Final = _rings()


def _recognise(levels: Floats, module_px: Floats) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats, Floats]:
    """For each quad the id, the turn, the correlation with its pattern, and the lead over the next other id."""
    values = levels.reshape(len(levels), -1)
    values = values - values.mean(axis=1, keepdims=True)
    values /= np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-6)
    blur = np.abs(np.array(_BLURS)[None] - (_BLUR_PX / module_px)[:, None]).argmin(axis=1)
    ids, turns, best, lead = _most_alike(values, blur)
    # What is like no mark may be one out of focus.
    for more in (1, 2):
        rows = np.flatnonzero((best < _LIKENESS) & (blur + more < len(_BLURS)))
        if len(rows):
            again = _most_alike(values[rows], blur[rows] + more)
            better = again[2] > best[rows]
            put = rows[better]
            ids[put], turns[put], best[put], lead[put] = (found[better] for found in again)
    return ids, turns, best, lead


def _most_alike(
    values: Floats, blur: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats, Floats]:
    """`_recognise` against the patterns of the given blur, an index into `_BLURS` for each quad."""
    alike = np.empty((len(values), *_patterns().shape[1:3]), np.float32)
    for step in np.unique(blur).tolist():
        rows = blur == step
        # Not by matrix product: that would start threads, which cost more than they save.
        alike[rows] = np.einsum("nk,itk->nit", values[rows], _patterns()[step])
    by_id = alike.max(axis=2)
    ids = by_id.argmax(axis=1)
    each = np.arange(len(ids))
    best = by_id[each, ids]
    turns = alike[each, ids].argmax(axis=1)
    by_id[each, ids] = -1
    return ids, turns, best, best - by_id.max(axis=1)


@cache
def _patterns() -> Floats:
    """(blurs, ids, 4, 36): what the modules of each mark measure, turned four ways, mean 0 and length 1.

    In turn k the quad's corner k is the mark's top left.
    """
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    count = dictionary.bytesList.shape[0]
    marks = [cv2.aruco.generateImageMarker(dictionary, id_, MODULES) > 0 for id_ in range(count)]
    fine = 9
    out = []
    for sigma in _BLURS:
        rows = []
        for mark in marks:
            whole = np.pad(mark.astype(np.float32), 2, constant_values=1)
            large = np.kron(whole, np.ones((fine, fine), np.float32))
            if sigma:
                large = np.asarray(cv2.GaussianBlur(large, (0, 0), sigma * fine), dtype=np.float32)
            seen = cv2.resize(large, whole.shape, interpolation=cv2.INTER_AREA)[2:-2, 2:-2]
            rows.append([np.rot90(seen, -turn).ravel() for turn in range(4)])
        out.append(rows)
    patterns = np.array(out, dtype=np.float32)
    patterns -= patterns.mean(axis=-1, keepdims=True)
    patterns /= np.linalg.norm(patterns, axis=-1, keepdims=True)
    return patterns
