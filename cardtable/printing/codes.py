"""QR codes and ArUco marks as arrays of dark and light modules."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import zxingcpp

from vision.marks.names import DICTIONARY

ARUCO_MODULES = 6
"""Modules on each side: four of data, and a dark border of one."""


def aruco_pattern(id_: int) -> npt.NDArray[np.bool_]:
    """Return the dark modules of an ArUco mark with its border: (6, 6) bool."""
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    return np.asarray(cv2.aruco.generateImageMarker(dictionary, id_, ARUCO_MODULES) == 0)


def qr_pattern(text: str) -> npt.NDArray[np.bool_]:
    """Return the dark modules of the smallest QR code for `text`: (N, N) bool.

    It has the best error correction of that size. N is 21 for texts up to 17 bytes, as all texts of cards are. Raises
    `ValueError` if the text is too long.
    """
    found: list[npt.NDArray[np.bool_]] = []
    for level in "LMQH":
        try:
            code = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode, ec_level=level)
        except ValueError:
            break
        found.append(np.asarray(code.to_image(scale=1, add_quiet_zones=False)) == 0)
    if not found:
        raise ValueError(f"{text[:40]!r} is too long for a QR code")
    smallest = min(pattern.shape[0] for pattern in found)
    return [pattern for pattern in found if pattern.shape[0] == smallest][-1]
