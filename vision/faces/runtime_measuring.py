"""Measure a runtime of the reader's nets beside onnxruntime: `python -m vision.faces.runtime_measuring ncnn [THREADS]`.

Prints its time, as a share of onnxruntime's, and how far its answers are from onnxruntime's, as JSON. Both use THREADS
threads, by default as many as in the reader. The measurement has a process of its own because a library that this
processor cannot run ends it.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.crops import net_levels
from vision.faces.detector_gate import grey_levels
from vision.faces.net_threads import MOST, limit_net_threads
from vision.faces.runtimes import NETS_FOLDER, ONNX, OUTPUTS, TIMED, Measured, open_with
from vision.faces.suit_finder import paper_relative

Floats = npt.NDArray[np.float32]
Given = dict[str, npt.NDArray[np.generic]]
ROUNDS: Final = 7
_SCORE: Final = 0.5
"""A cell of the detector and of its gate counts as found from this score on, when answers are compared."""
_CARD: Final = (186, 260)
"""Width and height of a card in the picture that is measured, pixels."""


def measure(runtime: str) -> Measured:
    """Run every net on a runtime and on onnxruntime in turn.

    The detector and its gate get a picture of another size each time, as in the reader: some runtimes prepare again for
    it. A net's time is the median, and that of a runtime the sum of those in `TIMED`; the answers of all are compared.
    """
    paths = {name: NETS_FOLDER / name for name in OUTPUTS}
    opened = {name: (open_with(ONNX, path), open_with(runtime, path)) for name, path in paths.items()}
    spent: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in OUTPUTS}
    apart, same = 0.0, True
    for given in inputs(ROUNDS):
        for name, inputs_of in given.items():
            answers: list[list[Floats]] = []
            for session, times in zip(opened[name], spent[name], strict=True):
                begun = time.perf_counter()
                answers.append(session.run(list(OUTPUTS[name]), inputs_of))
                times.append(time.perf_counter() - begun)
            for ours, theirs in zip(*answers, strict=True):
                apart = max(apart, difference(ours, theirs))
                same &= bool(np.array_equal(decisions(name, ours), decisions(name, theirs)))
    own, other = (sum(statistics.median(spent[name][k][1:]) for name in TIMED) for k in (0, 1))
    return Measured(runtime, other / own, apart, same)


def difference(output: Floats, other: Floats) -> float:
    """Return the largest difference of two outputs; infinity if a value is not a number, or the shapes differ.

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


def inputs(rounds: int) -> Iterator[dict[str, Given]]:
    """Yield the inputs of each net for each round: one reading of a changed card with seven others near it."""
    for number in range(rounds):
        picture = drawn(number)
        half = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        corners = np.stack([picture[y : y + 80, x : x + 48] for y in (16, 280) for x in (4, 10, 200, 206)])
        card = picture[20 : 20 + _CARD[1], 10 : 10 + _CARD[0]]
        upright = np.asarray(cv2.resize(card, (128, 176)), np.uint8)
        large = np.asarray(cv2.resize(card, (160, 220)), np.uint8)
        of_suits: dict[str, Given] = {
            "index_classifier.onnx": {"crops": net_levels(corners)},
            "glyphs.onnx": {"crops": net_levels(corners[:3])},
            "card_classifier.onnx": {"cards": net_levels(np.stack([upright, upright[::-1, ::-1]]))},
        }
        yield {
            "index_detector.onnx": {"picture": grey_levels(picture)},
            "detector_gate.onnx": {"picture": grey_levels(np.asarray(half, np.uint8))},
            "suit_finder.onnx": {"cards": paper_relative(large)[None, None]},
            **of_suits,
            **{f"german/{name}": given for name, given in of_suits.items()},
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


if __name__ == "__main__":
    limit_net_threads(int(sys.argv[2]) if len(sys.argv) > 2 else MOST)
    print(json.dumps(asdict(measure(sys.argv[1]))))
