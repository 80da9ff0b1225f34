"""Cards marked with a QR code.

Two engines: zxing-cpp, which reads best on this work (`python -m benchmarks.marks`), and ZBar through pyzbar.
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
from vision.marks.quads import Floats, Grey, sample_modules, side_lengths
from vision.readings import CARD_MM, Reading

Engine = Literal["zxing", "pyzbar"]

MODULES: Final = 21
_SMALL_MODULE_PX: Final = 3.4
"""Below this many pixels a module a doubled picture is read better; above, it only takes longer."""


class MissingLibrary(RuntimeError):
    """A reader's system library is not installed; the message says how to install it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Code:
    """`corners`: (4, 2) float32 pixels, clockwise from the code's own top left. `text`: None where it is unreadable."""

    text: str | None
    corners: Floats


class QrReader:
    """Reads cards marked with a QR code.

    `ignored`: how many codes were seen, since the reader was made, that are no card's.
    Raises `MissingLibrary` where the engine's system library is not installed.
    """

    least_px_per_mm: ClassVar[float] = 0.0

    def __init__(self, engine: Engine = "zxing") -> None:
        self.engine: Final = engine
        self.ignored = 0
        self._zbar: _Zbar | None = _Zbar() if engine == "pyzbar" else None

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """All cards in `image` (BGR). `mm_per_px`: where this says codes are small, the picture is doubled at once."""
        grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        codes = self._zbar.find(grey) if self._zbar is not None else _zxing(grey, mm_per_px)
        readings: list[Reading] = []
        for code in codes:
            face = qr_face(code.text) if code.text is not None else None
            if face is None:
                self.ignored += 1
            else:
                readings.append(_reading(face, grey, code.corners))
        return readings


def _reading(face: Card | ActionCard, grey: Grey, corners: Floats) -> Reading:
    """The card round a code. A QR code checks itself: a wrong text is all but impossible."""
    width, height = CARD_MM
    card = np.array([[(0, 0), (width, 0), (width, height), (0, height)]], dtype=np.float64)
    outline = cv2.perspectiveTransform(card, _place(grey, corners))[0]
    return Reading(face, 0.9999, "qr", np.asarray(outline, dtype=np.float32))


def _place(grey: Grey, corners: Floats) -> npt.NDArray[np.float64]:
    """(3, 3): millimetres on the card to pixels, from the corners of the three finder patterns.

    Readers place a code only roughly, above all its corner without a finder pattern.
    """
    rough, _ = cv2.findHomography(qr_place(), corners.astype(np.float64))
    module = QR_MM / MODULES
    square = np.array([(0, 0), (7, 0), (7, 7), (0, 7)], dtype=np.float64)
    finders = np.concatenate([square + np.array(at) for at in ((0, 0), (MODULES - 7, 0), (0, MODULES - 7))])
    points = finders * module + qr_place()[0]
    expected = cv2.perspectiveTransform(points[None], rough)[0].astype(np.float32)
    size = float(side_lengths(corners[None]).mean()) / MODULES
    reach = max(2, round(0.5 * size))
    inside = (expected > reach + 1).all(axis=1) & (expected < np.array(grey.shape[::-1]) - reach - 2).all(axis=1)
    if int(inside.sum()) < 8:
        return np.asarray(rough, dtype=np.float64)
    rule = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_COUNT, 20, 0.02)
    exact = cv2.cornerSubPix(grey, expected[inside][:, None].copy(), (reach, reach), (-1, -1), rule)[:, 0]
    near = np.abs(exact - expected[inside]).max(axis=1) < 1.2 * size
    if int(near.sum()) < 8:
        return np.asarray(rough, dtype=np.float64)
    # Over a code as small as this a camera's perspective is less than the corners' error.
    known = np.column_stack([points[inside][near], np.ones(int(near.sum()))])
    fine = np.linalg.lstsq(known, exact[near].astype(np.float64), rcond=None)[0].T
    return np.vstack([fine, (0.0, 0.0, 1.0)])


def _zxing(grey: Grey, mm_per_px: float | None) -> list[_Code]:
    """The codes that zxing-cpp reads, in the picture or, where modules are small, in the doubled picture."""
    if mm_per_px is not None and QR_MM / MODULES / mm_per_px < _SMALL_MODULE_PX:
        return [code for code in _doubled(grey) if code.text is not None]
    seen = _one_pass(grey)
    small = [code for code in seen if float(side_lengths(code.corners[None]).mean()) < MODULES * _SMALL_MODULE_PX]
    if mm_per_px is None and small:
        # Where some are this small others may have been missed.
        return _without_repeats([*seen, *_doubled(grey)])
    found = [code for code in seen if code.text is not None]
    for code in seen:
        if code.text is None:
            found += _around(grey, code.corners)
    return _without_repeats(found)


def _one_pass(grey: Grey) -> list[_Code]:
    found = zxingcpp.read_barcodes(
        grey,
        formats=zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode]),
        # A QR code is found in any direction without these.
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
        if float(side_lengths(corners[None]).min()) > MODULES:
            codes.append(_Code(code.text if code.valid else None, corners))
    return codes


def _doubled(grey: Grey) -> list[_Code]:
    large = np.asarray(cv2.resize(grey, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
    return [_Code(code.text, ((code.corners + 0.5) / 2 - 0.5).astype(np.float32)) for code in _one_pass(large)]


def _around(grey: Grey, corners: Floats) -> list[_Code]:
    """The code that was found here and not read, looked at again, larger."""
    margin = float(side_lengths(corners[None]).mean()) * 0.25
    left, top = np.maximum(corners.min(axis=0) - margin, 0).astype(int).tolist()
    right, bottom = np.ceil(corners.max(axis=0) + margin).astype(int).tolist()
    part = np.ascontiguousarray(grey[top:bottom, left:right])
    if min(part.shape) < MODULES:
        return []
    shift = np.array([left, top], dtype=np.float32)
    return [_Code(code.text, code.corners + shift) for code in _doubled(part) if code.text is not None]


def _without_repeats(codes: list[_Code]) -> list[_Code]:
    """Each code once: two of one text in one place are one; those that were not read are left out."""
    kept: list[_Code] = []
    for code in codes:
        middle, size = code.corners.mean(axis=0), float(side_lengths(code.corners[None]).mean())
        twice = any(
            code.text == other.text and float(np.abs(other.corners.mean(axis=0) - middle).max()) < 0.5 * size
            for other in kept
        )
        if code.text is not None and not twice:
            kept.append(code)
    return kept


class _Zbar:
    """ZBar, through pyzbar."""

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
        found = []
        for code in self._decode(grey, symbols=self._kinds):
            points = np.array([(p.x, p.y) for p in code.polygon], dtype=np.float32)
            if len(points) == 4:
                text = code.data.decode("utf-8", "replace")
                found.append(_Code(text, _from_top_left(grey, points)))
        return found


def _from_top_left(grey: Grey, points: Floats) -> Floats:
    """ZBar's corners, clockwise from the code's own top left: the corner opposite the one without a finder pattern."""
    middle = points.mean(axis=0)
    angle = np.arctan2(points[:, 1] - middle[1], points[:, 0] - middle[0])
    quad = points[np.argsort(angle)][None]
    levels = sample_modules(grey, quad, MODULES, rim=0)[0]
    levels = (levels - levels.mean()) / max(float(levels.std()), 1e-6)
    pattern = _finder_pattern()
    likeness = [float((np.rot90(levels, turn)[-7:, -7:] * pattern).sum()) for turn in range(4)]
    # The turn that brings the corner without a finder pattern to the bottom right.
    turn = int(np.argmin(likeness))
    return np.asarray(np.roll(quad[0], -turn, axis=0), dtype=np.float32)


def _finder_pattern() -> npt.NDArray[np.float32]:
    """(7, 7), mean 0: a dark square in a light in a dark one."""
    distance = np.abs(np.arange(7) - 3)
    ring = np.maximum(distance[:, None], distance[None])
    light = (ring == 2).astype(np.float32)
    return np.asarray(light - light.mean(), dtype=np.float32)
