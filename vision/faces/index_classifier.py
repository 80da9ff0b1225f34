"""The index model: what rank and suit a corner shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime

from vision.faces.crops import all_normalised
from vision.frames import Image

MODEL = Path(__file__).with_name("index_classifier.onnx")
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("S", "H", "D", "C")


class IndexModel:
    """The net of `index.onnx` on one thread."""

    def __init__(self, path: Path = MODEL) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def __call__(self, crops: list[Image]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Probabilities of (N, 80, 48, 3) crops: ranks (N, 14), suits (N, 5); the last of each is `no index`."""
        if not crops:
            return np.zeros((0, 14), np.float32), np.zeros((0, 5), np.float32)
        batch = all_normalised(np.stack(crops))
        rank, suit = self._session.run(["rank", "suit"], {"crops": batch})
        return np.asarray(rank, np.float32), np.asarray(suit, np.float32)
