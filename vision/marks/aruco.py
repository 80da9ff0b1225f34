"""Read cards marked with ArUco.

OpenCV finds dark squares. Their content is read here with grey values instead of black and white: edges are refined,
modules measured, and the whole pattern is correlated with every mark of the dictionary as it would appear at this size.
Marks with two pixels per module are read this way, and their corners are accurate enough to locate the card.
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
from vision.marks.names import ARUCO_MM, DICTIONARY, NO_WORDS, WordMarks, aruco_places, faces_by_id
from vision.marks.square_codes import Floats, Grey, refine, sample_modules, side_lengths
from vision.readings import CARD_MM, Reading

MODULES: Final = 6
"""Modules per side of an ArUco mark, including its dark border."""
MIN_SIDE_PX: Final = 1.6 * MODULES
"""Side of the smallest mark that is searched, pixels. Smaller: slower, and modules cannot be distinguished."""
MIN_CORRELATION: Final = 0.93
"""Correlation of a mark with its pattern. Higher: more worn or blurred marks are missed; lower: more false marks."""
MIN_LEAD: Final = 0.05
"""Difference to the correlation with any other pattern. Higher: more blurred marks are missed; lower: more marks are
misread."""
MISREAD_MARGIN: Final = 0.01
"""A mark with a correlation this much lower, at the place of a card's other mark, is that mark, half covered. Higher:
half covered marks are reported as other cards; lower: one of two cards that touch may be lost."""
EXPECTED_SIDE_SHARE: Final = 0.6
"""At a known scale, sides shorter than this share of a mark's are ignored. Higher: faster, but marks on cards seen at
an angle are missed."""
CANDIDATE_SIDE_SHARE: Final = 0.8
"""Share of the smallest side from which a square is examined: a contour lies inside the mark's edge. Higher: marks of
the smallest size are missed; lower: slower."""
MIN_BOX_SIDE: Final = 0.5
"""Shorter side of a contour's bounding box, in smallest sides. Higher: faster, but marks seen at an angle are
missed."""
MAX_SIDE_RATIO: Final = 2.0
"""Ratio of the longest to the shortest side. Higher: marks may be seen at a steeper angle, slower."""
CORNER_TOLERANCE: Final = 0.06
"""Accuracy of the four corners of a contour, as a share of its length. Higher: round shapes pass as squares, slower;
lower: squares with ragged edges are missed."""
MIN_DARK_BORDER: Final = 0.9
"""Share of the border's modules that must be dark. Higher: partly covered marks are missed; lower: slower."""
SAME_PLACE_SIDES: Final = 0.5
"""Two marks nearer to each other than this, in sides, are one. Higher: of two equal cards that touch one is lost;
lower: one mark may count twice."""
SECOND_MARK_SIDES: Final = 0.8
"""Distance of a mark from the place of a card's second mark up to which it is that mark, in sides. Higher: marks of two
equal cards are joined; lower: a card seen at an angle counts as two."""
CONFIDENCE_BOTH: Final = 0.9999
"""Confidence of a card of which both marks are visible. Lower: outvoted more easily by other readings."""
CERTAIN_CORRELATION: Final = 0.95
CONFIDENCE_CERTAIN: Final = 0.999
CONFIDENCE_UNCERTAIN: Final = 0.99
"""A card with one visible mark is read with `CONFIDENCE_CERTAIN` above this correlation, with `CONFIDENCE_UNCERTAIN`
below. Higher correlation, lower confidences: single marks are outvoted more easily by other readings."""
MIN_CONTRAST_LEVELS: Final = 20.0
"""Difference between dark and light modules, grey levels. Higher: marks in poor light are missed; lower: slower."""
SMOOTH_PX: Final = 3
"""Side of the window of the blur before that threshold, pixels (odd). Higher: small marks are missed; lower: noise
causes many small outlines, slower."""
WINDOW_PX: Final = 13
"""Side of the window of the adaptive threshold, pixels (odd). Higher: small marks are missed; lower: the borders of
large ones break."""
DARKER_LEVELS: Final = 12
"""Grey levels by which dark pixels are darker than the mean of the window. Higher: marks in poor light are missed;
lower: noise causes many small outlines, slower."""
BLURS_MODULES: Final = (0.0, 0.2, 0.35, 0.5, 0.65)
"""Blurs of the patterns that are compared, standard deviations in modules. More: marks out of focus are read, slower to
start."""
BLUR_PX: Final = 0.95
"""Blur of lens and sensor, standard deviation in pixels: selects the pattern for the size of a mark. Farther from the
camera's own: small marks are missed."""


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """An ArUco mark in a picture.

    `corners`: (4, 2) float32 pixels, clockwise from the mark's own top left. `correlation`: with its pattern.
    """

    id: int
    corners: Floats
    correlation: float


def find_marks(grey: Grey, min_side_px: float | None = None) -> list[Mark]:
    """Return the marks of the dictionary in a grey picture, (H, W) uint8, each once, most certain first.

    `min_side_px`: shortest side of a mark, pixels; by default `MIN_SIDE_PX`.
    """
    smallest_px = MIN_SIDE_PX if min_side_px is None else min_side_px
    quads = _dark_squares(grey, smallest_px)
    if not len(quads):
        return []
    quads = refine(grey, quads, MODULES)
    sides = side_lengths(quads)
    quads = quads[_square_enough(sides, smallest_px)]
    if not len(quads):
        return []
    quads = quads[_have_border(sample_modules(grey, quads, MODULES, points=1))]
    if not len(quads):
        return []
    module = side_lengths(quads).mean(axis=1) / MODULES
    levels = sample_modules(grey, quads, MODULES, rim=0)
    ids, turns, best, lead = _identify(levels, module)
    good = (best >= MIN_CORRELATION) & (lead >= MIN_LEAD)
    found: list[Mark] = []
    for index in np.flatnonzero(good)[np.argsort(-best[good], kind="stable")].tolist():
        mark = Mark(int(ids[index]), np.roll(quads[index], -int(turns[index]), axis=0), float(best[index]))
        if not any(mark.id == other.id and _same_place(mark, other) for other in found):
            found.append(mark)
    return found


class ArucoReader:
    """A `Reader` of cards marked with ArUco: one `Reading` per card, whether one or both of its marks are visible.

    `words`: the ids of the action cards.
    """

    min_px_per_mm: ClassVar[float] = 0.0

    def __init__(self, words: WordMarks = NO_WORDS) -> None:
        self._faces = faces_by_id(words)
        _patterns()  # computed now, not when the first card is read

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """Return the cards in `image` ((H, W, 3) uint8 BGR). If `mm_per_px` is known, smaller squares are ignored."""
        smallest = MIN_SIDE_PX
        if mm_per_px is not None:
            smallest = max(smallest, EXPECTED_SIDE_SHARE * ARUCO_MM / mm_per_px)
        grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        by_id: dict[int, list[Mark]] = {}
        marks = find_marks(grey, smallest)
        for mark in _without_misread(marks):
            if mark.id in self._faces:
                by_id.setdefault(mark.id, []).append(mark)
        return [reading for id_, marks in by_id.items() for reading in _cards(self._faces[id_], marks)]


def _without_misread(marks: list[Mark]) -> list[Mark]:
    """Return the marks without those that contradict a better one.

    A mark with another id at the place of a card's second mark is that mark, half covered and misread.
    """
    first, second = aruco_places()
    middles = [mark.corners.mean(axis=0) for mark in marks]
    wrong: set[int] = set()
    for mark in marks:
        side = float(side_lengths(mark.corners[None]).mean())
        expected = _apply(_affine(first, mark.corners), second).mean(axis=0)
        for number, other in enumerate(marks):
            worse = other.id != mark.id and other.correlation < mark.correlation - MISREAD_MARGIN
            if worse and float(np.linalg.norm(middles[number] - expected)) < SAME_PLACE_SIDES * side:
                wrong.add(number)
    return [mark for number, mark in enumerate(marks) if number not in wrong]


def _cards(face: Card | ActionCard, marks: list[Mark]) -> list[Reading]:
    """Return the cards with these marks of `face`: two marks at the distance of one card belong together."""
    first, second = aruco_places()
    card = np.array([(0, 0), (CARD_MM[0], 0), CARD_MM, (0, CARD_MM[1])], dtype=np.float64)
    readings = []
    remaining = list(marks)
    while remaining:
        mark = remaining.pop(0)
        to_px = _affine(first, mark.corners)
        # The place of the card's other mark, if that is visible.
        expected = _apply(to_px, second)
        near = [(float(np.abs(other.corners - expected).mean()), i) for i, other in enumerate(remaining)]
        side = float(side_lengths(mark.corners[None]).mean())
        if near and min(near)[0] < SECOND_MARK_SIDES * side:
            other = remaining.pop(min(near)[1])
            whole, _ = cv2.findHomography(
                np.concatenate([first, second]), np.concatenate([mark.corners, other.corners])
            )
            outline = cv2.perspectiveTransform(card[None], whole)[0]
            readings.append(
                Reading(face, CONFIDENCE_BOTH, "aruco", np.asarray(outline, dtype=np.float32), outline_from="mark")
            )
        else:
            certain = mark.correlation > CERTAIN_CORRELATION
            confidence = CONFIDENCE_CERTAIN if certain else CONFIDENCE_UNCERTAIN
            readings.append(
                Reading(face, confidence, "aruco", _apply(to_px, card).astype(np.float32), outline_from="mark")
            )
    return readings


def _affine(places: npt.NDArray[np.float64], pixels: Floats) -> npt.NDArray[np.float64]:
    """Return the (3, 2) map from millimetres to pixels. Over such a small mark perspective is negligible."""
    known = np.column_stack([places, np.ones(len(places))])
    return np.asarray(np.linalg.lstsq(known, pixels.astype(np.float64), rcond=None)[0], dtype=np.float64)


def _apply(affine: npt.NDArray[np.float64], points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(np.column_stack([points, np.ones(len(points))]) @ affine, dtype=np.float64)


def _same_place(first: Mark, second: Mark) -> bool:
    apart = float(np.linalg.norm(first.corners.mean(axis=0) - second.corners.mean(axis=0)))
    return apart < SAME_PLACE_SIDES * float(side_lengths(first.corners[None]).mean())


def _dark_squares(grey: Grey, smallest_px: float) -> Floats:
    """Return candidates for marks, (N, 4, 2): convex outlines with four corners, darker than their surroundings."""
    smooth = cv2.GaussianBlur(grey, (SMOOTH_PX, SMOOTH_PX), 0)
    dark = cv2.adaptiveThreshold(
        smooth, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, WINDOW_PX, DARKER_LEVELS
    )
    outlines, levels = cv2.findContours(dark, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    quads = []
    for outline, parent in zip(outlines, levels[0, :, 3].tolist() if len(outlines) else (), strict=True):
        # An outline with a parent is that of a hole: a large dark square appears here as a frame with a hole.
        if parent >= 0 or len(outline) < 4:
            continue
        _, _, width, height = cv2.boundingRect(outline)
        if max(width, height) < CANDIDATE_SIDE_SHARE * smallest_px:
            continue
        if min(width, height) < MIN_BOX_SIDE * smallest_px:
            continue
        corners = cv2.approxPolyDP(outline, CORNER_TOLERANCE * cv2.arcLength(outline, True), True)
        if len(corners) == 4 and cv2.isContourConvex(corners):
            quads.append(corners[:, 0])
    if not quads:
        return np.empty((0, 4, 2), np.float32)
    found = np.stack(quads).astype(np.float32)
    side, diagonal = found[:, 1] - found[:, 0], found[:, 2] - found[:, 0]
    anticlockwise = side[:, 0] * diagonal[:, 1] - side[:, 1] * diagonal[:, 0] < 0
    found[anticlockwise] = found[anticlockwise][:, ::-1]
    return found


def _square_enough(sides: Floats, smallest_px: float) -> npt.NDArray[np.bool_]:
    """Return which quads, with sides (N, 4) in pixels, are large enough and not too elongated."""
    shortest, longest = sides.min(axis=1), sides.max(axis=1)
    large = shortest >= CANDIDATE_SIDE_SHARE * smallest_px
    return np.asarray(large & (longest < MAX_SIDE_RATIO * shortest))


def _have_border(levels: Floats) -> npt.NDArray[np.bool_]:
    """Return which of the measured modules (N, 8, 8), with a rim of one, have a dark border inside a light rim."""
    rim, border = _RINGS
    cells = levels.reshape(len(levels), -1)
    light, dark = np.median(cells[:, rim], axis=1), np.median(cells[:, border], axis=1)
    middle = (light + dark) / 2
    whole = (cells[:, border] < middle[:, None]).mean(axis=1) > MIN_DARK_BORDER
    return np.asarray((light - dark >= MIN_CONTRAST_LEVELS) & whole)


def _rings() -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the positions of the rim and of the border among the modules."""
    count = MODULES + 2
    distance = np.minimum.outer(*(np.minimum(np.arange(count), np.arange(count)[::-1]),) * 2).ravel()
    return np.flatnonzero(distance == 0), np.flatnonzero(distance == 1)


_RINGS: Final = _rings()


def _identify(levels: Floats, module_px: Floats) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats, Floats]:
    """Return for each quad the id, the rotation, the correlation with its pattern, and the lead over any other id.

    `levels`: (N, 6, 6) grey levels of the modules. `module_px`: (N,) size of a module.
    """
    values = levels.reshape(len(levels), -1)
    values = values - values.mean(axis=1, keepdims=True)
    values /= np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-6)
    blur = np.abs(np.array(BLURS_MODULES)[None] - (BLUR_PX / module_px)[:, None]).argmin(axis=1)
    ids, turns, best, lead = _best_match(values, blur)
    # A quad that matches no pattern may be a mark out of focus.
    for more in (1, 2):
        rows = np.flatnonzero((best < MIN_CORRELATION) & (blur + more < len(BLURS_MODULES)))
        if len(rows):
            again = _best_match(values[rows], blur[rows] + more)
            better = again[2] > best[rows]
            target = rows[better]
            ids[target], turns[target], best[target], lead[target] = (found[better] for found in again)
    return ids, turns, best, lead


def _best_match(
    values: Floats, blur: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats, Floats]:
    """Do the same as `_identify` with one blur per quad; `blur`: (N,) positions in `BLURS_MODULES`."""
    patterns = _patterns()
    correlation = np.empty((len(values), *patterns.shape[1:3]), np.float32)
    for step in np.unique(blur).tolist():
        rows = blur == step
        # Not a matrix product: that would start threads, which cost more than they save.
        correlation[rows] = np.einsum("nk,itk->nit", values[rows], patterns[step])
    by_id = correlation.max(axis=2)
    ids = by_id.argmax(axis=1)
    each = np.arange(len(ids))
    best = by_id[each, ids]
    turns = correlation[each, ids].argmax(axis=1)
    by_id[each, ids] = -1
    return ids, turns, best, best - by_id.max(axis=1)


@cache
def _patterns() -> Floats:
    """Return the expected modules of each mark, (blurs, ids, 4 rotations, 36), each with mean 0 and length 1.

    In rotation k the quad's corner k is the mark's top left.
    """
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    count = dictionary.bytesList.shape[0]
    marks = [cv2.aruco.generateImageMarker(dictionary, id_, MODULES) > 0 for id_ in range(count)]
    fine = 9
    out = []
    for sigma in BLURS_MODULES:
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
