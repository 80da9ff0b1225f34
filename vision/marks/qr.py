"""Read cards marked with a QR code.

Two decoders: zxing-cpp, which reads these codes best (`python -m lab.benchmarks.marks`), and ZBar through pyzbar.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

import cv2
import numpy as np
import numpy.typing as npt
import zxingcpp

from engine.cards import Card
from engine.observations import ActionCard
from vision.frames import Image
from vision.marks.names import QR_MM, qr_face, qr_place
from vision.marks.square_codes import Floats, Grey, sample_modules, side_lengths
from vision.readings import CARD_MM, Reading

CONFIDENCE: Final = 0.9999
"""Confidence of every reading: QR codes have error detection, so that a wrong text is almost impossible. Lower:
outvoted more easily by other readings."""
SMALL_MODULE_PX: Final = 3.4
"""Codes with fewer pixels per module are read in an enlarged picture. Higher: slower; lower: more small codes are
missed."""
MIN_MODULE_PX: Final = 1.0
"""Codes with fewer pixels per module, along their shortest side, are ignored. Higher: codes seen at an angle are
missed; lower: more false codes."""
MARGIN_SIDES: Final = 0.25
"""Surroundings of an unreadable code that are enlarged with it, in sides. Higher: slower; lower: a code that was
located roughly is cut off."""
SAME_PLACE_SIDES: Final = 0.5
"""Two codes with one text, nearer to each other than this, in sides, are one. Higher: of two equal cards that touch one
is lost; lower: one code counts twice."""
REACH_MODULES: Final = 0.5
MIN_REACH_PX: Final = 2
"""Distance within which a corner of a finder pattern is searched, in modules, but at least these pixels. Higher: other
corners of the pattern may be found."""
MAX_ROUNDS: Final = 20
MIN_STEP_PX: Final = 0.02
"""The search for such a corner ends after `MAX_ROUNDS` steps, or at a step shorter than `MIN_STEP_PX`. More steps, or
shorter ones: more accurate, slower."""
MAX_SHIFT_MODULES: Final = 1.2
"""A corner found farther from its expected place than this, in modules, is ignored. Higher: wrong corners distort the
outline; lower: codes that were located roughly are not refined."""
MIN_CORNERS: Final = 8
"""Of the 12 corners, the number that must be found; else the decoder's own corners are used. Higher: outlines of partly
covered codes stay rough; lower: a few wrong corners count more."""

Engine = Literal["zxing", "pyzbar"]

MODULES: Final = 21
"""Modules per side of a QR code of version 1."""


class MissingLibrary(RuntimeError):
    """A reader's system library is not installed; the message, for a person, says how to install it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Code:
    """A code in a picture. `corners`: (4, 2) pixels, clockwise from its own top left. `text`: None if unreadable."""

    text: str | None
    corners: Floats


class QrReader:
    """A `Reader` of cards marked with a QR code.

    `engine`: the decoder. Raises `MissingLibrary` if its system library is not installed.
    """

    min_px_per_mm: ClassVar[float] = 0.0

    def __init__(self, engine: Engine = "zxing") -> None:
        self._zbar: _Zbar | None = _Zbar() if engine == "pyzbar" else None

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """Return the cards in `image` ((H, W, 3) uint8 BGR).

        If `mm_per_px` shows that codes are small, only the enlarged picture is searched.
        """
        grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        codes = self._zbar.find(grey) if self._zbar is not None else _zxing(grey, mm_per_px)
        faces = [(qr_face(code.text or ""), code.corners) for code in codes]
        return [_reading(face, grey, corners) for face, corners in faces if face is not None]


def _reading(face: Card | ActionCard, grey: Grey, corners: Floats) -> Reading:
    """Return the card around a code."""
    width, height = CARD_MM
    card = np.array([[(0, 0), (width, 0), (width, height), (0, height)]], dtype=np.float64)
    outline = cv2.perspectiveTransform(card, _card_to_px(grey, corners))[0]
    return Reading(face, CONFIDENCE, "qr", np.asarray(outline, dtype=np.float32), outline_from="mark")


def _card_to_px(grey: Grey, corners: Floats) -> npt.NDArray[np.float64]:
    """Return the (3, 3) matrix from card millimetres to pixels, from the corners of the three finder patterns.

    Decoders locate a code only roughly, least of all its corner without a finder pattern.
    """
    rough, _ = cv2.findHomography(qr_place(), corners.astype(np.float64))
    module = QR_MM / MODULES
    square = np.array([(0, 0), (7, 0), (7, 7), (0, 7)], dtype=np.float64)
    finders = np.concatenate([square + np.array(at) for at in ((0, 0), (MODULES - 7, 0), (0, MODULES - 7))])
    points = finders * module + qr_place()[0]
    expected = cv2.perspectiveTransform(points[None], rough)[0].astype(np.float32)
    size = float(side_lengths(corners[None]).mean()) / MODULES
    reach = max(MIN_REACH_PX, round(REACH_MODULES * size))
    inside = (expected > reach + 1).all(axis=1) & (expected < np.array(grey.shape[::-1]) - reach - 2).all(axis=1)
    if int(inside.sum()) < MIN_CORNERS:
        return np.asarray(rough, dtype=np.float64)
    rule = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_COUNT, MAX_ROUNDS, MIN_STEP_PX)
    exact = cv2.cornerSubPix(grey, expected[inside][:, None].copy(), (reach, reach), (-1, -1), rule)[:, 0]
    near = np.abs(exact - expected[inside]).max(axis=1) < MAX_SHIFT_MODULES * size
    if int(near.sum()) < MIN_CORNERS:
        return np.asarray(rough, dtype=np.float64)
    # Over such a small code the perspective is smaller than the error of the corners: an affine map is enough.
    known = np.column_stack([points[inside][near], np.ones(int(near.sum()))])
    fine = np.linalg.lstsq(known, exact[near].astype(np.float64), rcond=None)[0].T
    return np.vstack([fine, (0.0, 0.0, 1.0)])


def _zxing(grey: Grey, mm_per_px: float | None) -> list[_Code]:
    """Return the codes that zxing-cpp reads in the picture or, if modules are small, in the enlarged picture."""
    if mm_per_px is not None and QR_MM / MODULES / mm_per_px < SMALL_MODULE_PX:
        return [code for code in _enlarged(grey) if code.text is not None]
    seen = _decode(grey)
    limit = MODULES * SMALL_MODULE_PX
    small = [code for code in seen if float(side_lengths(code.corners[None]).mean()) < limit]
    if mm_per_px is None and small:
        # If some are this small, others may have been missed.
        return _without_repeats([*seen, *_enlarged(grey)])
    found = [code for code in seen if code.text is not None]
    for code in seen:
        if code.text is None:
            found += _read_enlarged(grey, code.corners)
    return _without_repeats(found)


def _decode(grey: Grey) -> list[_Code]:
    """Return what zxing-cpp finds in the picture, readable or not."""
    found = zxingcpp.read_barcodes(
        grey,
        formats=zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode]),
        # QR codes are found in any orientation without these.
        try_rotate=False,
        try_downscale=False,
        try_invert=False,
        return_errors=True,
    )
    codes = []
    for code in found:
        at = code.position
        points = [(p.x, p.y) for p in (at.top_left, at.top_right, at.bottom_right, at.bottom_left)]
        corners = np.array(points, dtype=np.float32)
        if float(side_lengths(corners[None]).min()) > MODULES * MIN_MODULE_PX:
            codes.append(_Code(code.text if code.valid else None, corners))
    return codes


def _enlarged(grey: Grey) -> list[_Code]:
    """Return what zxing-cpp finds in the picture enlarged twofold."""
    large = np.asarray(cv2.resize(grey, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
    return [_Code(code.text, ((code.corners + 0.5) / 2 - 0.5).astype(np.float32)) for code in _decode(large)]


def _read_enlarged(grey: Grey, corners: Floats) -> list[_Code]:
    """Return what is read near a code that was found but not readable, enlarged."""
    margin = float(side_lengths(corners[None]).mean()) * MARGIN_SIDES
    left, top = np.maximum(corners.min(axis=0) - margin, 0).astype(int).tolist()
    right, bottom = np.ceil(corners.max(axis=0) + margin).astype(int).tolist()
    part = np.ascontiguousarray(grey[top:bottom, left:right])
    if min(part.shape) < MODULES:
        return []
    shift = np.array([left, top], dtype=np.float32)
    return [_Code(code.text, code.corners + shift) for code in _enlarged(part) if code.text is not None]


def _without_repeats(codes: list[_Code]) -> list[_Code]:
    """Return each readable code once: two with one text in one place are one code."""
    kept: list[_Code] = []
    for code in codes:
        middle, size = code.corners.mean(axis=0), float(side_lengths(code.corners[None]).mean())
        near = SAME_PLACE_SIDES * size
        repeated = any(
            code.text == other.text and float(np.abs(other.corners.mean(axis=0) - middle).max()) < near
            for other in kept
        )
        if code.text is not None and not repeated:
            kept.append(code)
    return kept


class _Zbar:
    """The ZBar decoder, through pyzbar."""

    def __init__(self) -> None:
        try:
            from pyzbar import pyzbar
        except ImportError as error:
            raise MissingLibrary(
                "the QR reader 'pyzbar' needs the library ZBar: install it (sudo apt install libzbar0), "
                "or use the reader 'zxing'"
            ) from error
        self._decode: Any = pyzbar.decode
        self._kinds: Any = [pyzbar.ZBarSymbol.QRCODE]

    def find(self, grey: Grey) -> list[_Code]:
        """Return the codes in the picture."""
        found = []
        for code in self._decode(grey, symbols=self._kinds):
            points = np.array([(p.x, p.y) for p in code.polygon], dtype=np.float32)
            if len(points) == 4:
                text = code.data.decode("utf-8", "replace")
                found.append(_Code(text, _from_top_left(grey, points)))
        return found


def _from_top_left(grey: Grey, points: Floats) -> Floats:
    """Return ZBar's corners clockwise from the code's own top left, opposite the corner without a finder pattern."""
    middle = points.mean(axis=0)
    angle = np.arctan2(points[:, 1] - middle[1], points[:, 0] - middle[0])
    quad = points[np.argsort(angle)][None]
    levels = sample_modules(grey, quad, MODULES, rim=0)[0]
    levels = (levels - levels.mean()) / max(float(levels.std()), 1e-6)
    pattern = _finder_pattern()
    likeness = [float((np.rot90(levels, turn)[-7:, -7:] * pattern).sum()) for turn in range(4)]
    # The rotation at which the corner without a finder pattern is at the bottom right.
    turn = int(np.argmin(likeness))
    return np.asarray(np.roll(quad[0], -turn, axis=0), dtype=np.float32)


def _finder_pattern() -> npt.NDArray[np.float32]:
    """Return a finder pattern, (7, 7) with mean 0: a dark square inside a light ring inside a dark ring."""
    distance = np.abs(np.arange(7) - 3)
    ring = np.maximum(distance[:, None], distance[None])
    light = (ring == 2).astype(np.float32)
    return np.asarray(light - light.mean(), dtype=np.float32)
