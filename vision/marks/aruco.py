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
from vision.marks.names import ARUCO_MM, CORNER_IDS, DICTIONARY, NO_WORDS, WordMarks, aruco_places, faces_by_id
from vision.marks.settings import DEFAULTS, MODULES, ArucoSettings
from vision.marks.square_codes import Floats, Grey, refine, sample_modules, side_lengths
from vision.readings import CARD_MM, Reading


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """An ArUco mark in a picture.

    `corners`: (4, 2) float32 pixels, clockwise from the mark's own top left. `correlation`: with its pattern.
    """

    id: int
    corners: Floats
    correlation: float


def find_marks(grey: Grey, min_side_px: float | None = None, settings: ArucoSettings = DEFAULTS) -> list[Mark]:
    """Return the marks of the dictionary in a grey picture, (H, W) uint8, each once, most certain first.

    `min_side_px`: shortest side of a mark, pixels; by default that of `settings`.
    """
    smallest_px = settings.min_side_px if min_side_px is None else min_side_px
    quads = _dark_squares(grey, smallest_px, settings)
    if not len(quads):
        return []
    quads = refine(grey, quads, MODULES, settings.squares)
    sides = side_lengths(quads)
    quads = quads[_square_enough(sides, smallest_px, settings)]
    if not len(quads):
        return []
    quads = quads[_have_border(sample_modules(grey, quads, MODULES, points=1, settings=settings.squares), settings)]
    if not len(quads):
        return []
    module = side_lengths(quads).mean(axis=1) / MODULES
    levels = sample_modules(grey, quads, MODULES, rim=0, settings=settings.squares)
    ids, turns, best, lead = _identify(levels, module, settings)
    good = (best >= settings.min_correlation) & (lead >= settings.min_lead)
    found: list[Mark] = []
    for index in np.flatnonzero(good)[np.argsort(-best[good], kind="stable")].tolist():
        mark = Mark(int(ids[index]), np.roll(quads[index], -int(turns[index]), axis=0), float(best[index]))
        if not any(mark.id == other.id and _same_place(mark, other, settings) for other in found):
            found.append(mark)
    return found


class ArucoReader:
    """A `Reader` of cards marked with ArUco: one `Reading` per card, whether one or both of its marks are visible.

    `words`: the ids of the action cards. `ignored`: number of marks seen so far that do not belong to a card.
    """

    min_px_per_mm: ClassVar[float] = 0.0

    def __init__(self, words: WordMarks = NO_WORDS, settings: ArucoSettings = DEFAULTS) -> None:
        self._settings = settings
        self.ignored = 0
        self._faces = faces_by_id(words)
        _patterns(settings.blurs)  # computed now, not when the first card is read

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """Return the cards in `image` ((H, W, 3) uint8 BGR). If `mm_per_px` is known, smaller squares are ignored."""
        smallest = self._settings.min_side_px
        if mm_per_px is not None:
            smallest = max(smallest, self._settings.expected_side * ARUCO_MM / mm_per_px)
        grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        by_id: dict[int, list[Mark]] = {}
        marks = find_marks(grey, smallest, self._settings)
        for mark in _without_misread(marks, self._settings):
            if mark.id in CORNER_IDS:
                continue
            if mark.id not in self._faces:
                self.ignored += 1
            else:
                by_id.setdefault(mark.id, []).append(mark)
        return [reading for id_, marks in by_id.items() for reading in _cards(self._faces[id_], marks, self._settings)]


def _without_misread(marks: list[Mark], settings: ArucoSettings) -> list[Mark]:
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
            worse = other.id != mark.id and other.correlation < mark.correlation - settings.misread_margin
            if worse and float(np.linalg.norm(middles[number] - expected)) < settings.same_place * side:
                wrong.add(number)
    return [mark for number, mark in enumerate(marks) if number not in wrong]


def _cards(face: Card | ActionCard, marks: list[Mark], settings: ArucoSettings) -> list[Reading]:
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
        if near and min(near)[0] < settings.second_mark * side:
            other = remaining.pop(min(near)[1])
            whole, _ = cv2.findHomography(
                np.concatenate([first, second]), np.concatenate([mark.corners, other.corners])
            )
            outline = cv2.perspectiveTransform(card[None], whole)[0]
            readings.append(
                Reading(
                    face, settings.confidence_both, "aruco", np.asarray(outline, dtype=np.float32), outline_from="mark"
                )
            )
        else:
            sure = mark.correlation > settings.sure_correlation
            confidence = settings.confidence_sure if sure else settings.confidence_unsure
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


def _same_place(one: Mark, other: Mark, settings: ArucoSettings) -> bool:
    apart = float(np.linalg.norm(one.corners.mean(axis=0) - other.corners.mean(axis=0)))
    return apart < settings.same_place * float(side_lengths(one.corners[None]).mean())


def _dark_squares(grey: Grey, smallest_px: float, settings: ArucoSettings) -> Floats:
    """Return candidates for marks, (N, 4, 2): convex outlines with four corners, darker than their surroundings."""
    smooth = cv2.GaussianBlur(grey, (settings.smooth_px, settings.smooth_px), 0)
    dark = cv2.adaptiveThreshold(
        smooth, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, settings.window_px, settings.darker
    )
    outlines, levels = cv2.findContours(dark, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    quads = []
    for outline, parent in zip(outlines, levels[0, :, 3].tolist() if len(outlines) else (), strict=True):
        # An outline with a parent is that of a hole: a large dark square appears here as a frame with a hole.
        if parent >= 0 or len(outline) < 4:
            continue
        _, _, width, height = cv2.boundingRect(outline)
        if max(width, height) < settings.candidate_side * smallest_px:
            continue
        if min(width, height) < settings.min_box_side * smallest_px:
            continue
        corners = cv2.approxPolyDP(outline, settings.corner_tolerance * cv2.arcLength(outline, True), True)
        if len(corners) == 4 and cv2.isContourConvex(corners):
            quads.append(corners[:, 0])
    if not quads:
        return np.empty((0, 4, 2), np.float32)
    found = np.stack(quads).astype(np.float32)
    one, other = found[:, 1] - found[:, 0], found[:, 2] - found[:, 0]
    anticlockwise = one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0] < 0
    found[anticlockwise] = found[anticlockwise][:, ::-1]
    return found


def _square_enough(sides: Floats, smallest_px: float, settings: ArucoSettings) -> npt.NDArray[np.bool_]:
    """Return which of the quads, given by their sides (N, 4) in pixels, are large enough and not too elongated."""
    shortest, longest = sides.min(axis=1), sides.max(axis=1)
    large = shortest >= settings.candidate_side * smallest_px
    return np.asarray(large & (longest < settings.max_side_ratio * shortest))


def _have_border(levels: Floats, settings: ArucoSettings) -> npt.NDArray[np.bool_]:
    """Return which of the measured modules (N, 8, 8), with a rim of one, have a dark border inside a light rim."""
    rim, border = _RINGS
    cells = levels.reshape(len(levels), -1)
    light, dark = np.median(cells[:, rim], axis=1), np.median(cells[:, border], axis=1)
    middle = (light + dark) / 2
    whole = (cells[:, border] < middle[:, None]).mean(axis=1) > settings.min_dark_border
    return np.asarray((light - dark >= settings.min_contrast) & whole)


def _rings() -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the positions of the rim and of the border among the modules."""
    count = MODULES + 2
    distance = np.minimum.outer(*(np.minimum(np.arange(count), np.arange(count)[::-1]),) * 2).ravel()
    return np.flatnonzero(distance == 0), np.flatnonzero(distance == 1)


_RINGS: Final = _rings()


def _identify(
    levels: Floats, module_px: Floats, settings: ArucoSettings
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats, Floats]:
    """Return for each quad the id, the rotation, the correlation with its pattern, and the lead over any other id.

    `levels`: (N, 6, 6) grey levels of the modules. `module_px`: (N,) size of a module.
    """
    blurs = settings.blurs
    values = levels.reshape(len(levels), -1)
    values = values - values.mean(axis=1, keepdims=True)
    values /= np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-6)
    blur = np.abs(np.array(blurs)[None] - (settings.blur_px / module_px)[:, None]).argmin(axis=1)
    ids, turns, best, lead = _best_match(values, blur, blurs)
    # A quad that matches no pattern may be a mark out of focus.
    for more in (1, 2):
        rows = np.flatnonzero((best < settings.min_correlation) & (blur + more < len(blurs)))
        if len(rows):
            again = _best_match(values[rows], blur[rows] + more, blurs)
            better = again[2] > best[rows]
            target = rows[better]
            ids[target], turns[target], best[target], lead[target] = (found[better] for found in again)
    return ids, turns, best, lead


def _best_match(
    values: Floats, blur: npt.NDArray[np.intp], blurs: tuple[float, ...]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats, Floats]:
    """Do the same as `_identify` with the patterns of one blur per quad, `blur` being (N,) positions in `blurs`."""
    patterns = _patterns(blurs)
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
def _patterns(blurs: tuple[float, ...]) -> Floats:
    """Return the expected modules of each mark, (blurs, ids, 4 rotations, 36), each with mean 0 and length 1.

    In rotation k the quad's corner k is the mark's top left.
    """
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    count = dictionary.bytesList.shape[0]
    marks = [cv2.aruco.generateImageMarker(dictionary, id_, MODULES) > 0 for id_ in range(count)]
    fine = 9
    out = []
    for sigma in blurs:
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
