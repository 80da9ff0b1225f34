"""Inputs for each of the reader's nets, as one reading of a changed card supplies them, and what the answers decide."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.crops import net_levels
from vision.faces.detector_gate import grey_levels
from vision.faces.suit_finder import paper_relative

Floats = npt.NDArray[np.float32]
NetInput = dict[str, npt.NDArray[np.generic]]
"""Arrays by the names that the net gives its inputs."""
OUTPUTS: Final = {
    "card_classifier.onnx": ("rank", "suit"),
    "detector_gate.onnx": ("gate",),
    "german/card_classifier.onnx": ("rank", "suit"),
    "german/glyphs.onnx": ("rank", "suit"),
    "german/index_classifier.onnx": ("rank", "suit"),
    "glyphs.onnx": ("rank", "suit"),
    "index_classifier.onnx": ("rank", "suit"),
    "index_detector.onnx": ("places",),
    "suit_finder.onnx": ("suits",),
}
"""The outputs of each net, by the net's name."""
MOST_APART: Final = 1e-4
"""The largest difference between two forms of a net, or two processors, that is rounding. The observed differences are
about 2e-6; a form that decides otherwise differs by 0.1 and more."""
_SCORE: Final = 0.5
"""A cell of the detector or its gate counts as found from this score on."""
_CARD: Final = (186, 260)
"""Width and height of a drawn card, pixels."""


def difference(output: Floats, other: Floats) -> float:
    """Return the largest difference between two outputs; infinity if a value is not a number, or the shapes differ.

    >>> difference(np.array([1.0, 2.0]), np.array([1.0, 2.5]))
    0.5
    """
    if output.shape != other.shape:
        return math.inf
    apart = float(np.abs(output - other).max())
    return apart if math.isfinite(apart) else math.inf


def decisions(net: str, output: Floats) -> npt.NDArray[np.generic]:
    """Return what an output decides: the likeliest classes, or which cells of the picture count."""
    if OUTPUTS[net] in (("gate",), ("places",)):
        return np.asarray(output[:, 0] >= _SCORE)
    return np.asarray(output.argmax(axis=1))


def inputs(rounds: int) -> Iterator[dict[str, NetInput]]:
    """Yield the inputs of all nets for each round; the picture has another height in every round."""
    for number in range(rounds):
        picture = drawn(number)
        half = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        corners = np.stack([picture[y : y + 80, x : x + 48] for y in (16, 280) for x in (4, 10, 200, 206)])
        card = picture[20 : 20 + _CARD[1], 10 : 10 + _CARD[0]]
        upright = np.asarray(cv2.resize(card, (128, 176)), np.uint8)
        large = np.asarray(cv2.resize(card, (160, 220)), np.uint8)
        classifiers: dict[str, NetInput] = {
            "index_classifier.onnx": {"crops": net_levels(corners)},
            "glyphs.onnx": {"crops": net_levels(corners[:3])},
            "card_classifier.onnx": {"cards": net_levels(np.stack([upright, upright[::-1, ::-1]]))},
        }
        yield {
            "index_detector.onnx": {"picture": grey_levels(picture)},
            "detector_gate.onnx": {"picture": grey_levels(np.asarray(half, np.uint8))},
            "suit_finder.onnx": {"cards": paper_relative(large)[None, None]},
            **classifiers,
            **{f"german/{name}": arrays for name, arrays in classifiers.items()},
        }


def drawn(number: int) -> npt.NDArray[np.uint8]:
    """Return a picture with four simple cards, (416 + 16 × number, 400, 3) uint8 BGR."""
    picture = np.full((416 + 16 * number, 400, 3), (60, 110, 40), np.uint8)
    for k, rank in enumerate(("K", "7", "Q", "10")):
        left, top = 10 + 195 * (k % 2), 20 + 264 * (k // 2)
        ink = (30, 30, 190) if k % 2 else (20, 20, 20)
        cv2.rectangle(picture, (left, top), (left + _CARD[0], top + _CARD[1]), (235, 240, 245), -1)
        cv2.putText(picture, rank, (left + 4, top + 28), cv2.FONT_HERSHEY_SIMPLEX, 0.9, ink, 3, cv2.LINE_AA)
        for x, y in ((14, 44), (60, 90), (120, 90), (93, 130), (60, 180), (120, 180)):
            middle, size = (left + x, top + y), 9 if x == 14 else 14
            points = np.array([[0, -size], [size - 2, 0], [0, size], [2 - size, 0]], np.int32) + middle
            cv2.fillPoly(picture, [points], ink, cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.6 + 0.2 * number), np.uint8)
