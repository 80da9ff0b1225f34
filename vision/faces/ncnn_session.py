"""The reader's nets on ncnn: converted to its format (`ncnn_format.py`), and run by it.

What stands before the first and after the last layer with weights is computed with numpy.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vision.faces.ncnn_format import GIVEN, converted_net
from vision.faces.net_threads import net_threads

Floats = npt.NDArray[np.float32]
_WAITING = "OMP_WAIT_POLICY"


def _softmax(values: Floats, axis: int) -> Floats:
    raised = np.exp(values - values.max(axis=axis, keepdims=True))
    return np.asarray(raised / raised.sum(axis=axis, keepdims=True), np.float32)


def _ncnn() -> Any:
    """Return the module `ncnn`, imported so that its waiting threads leave their cores to others.

    Its library reads the variable once, when it is loaded; what the user has set stays. By default a waiting thread
    keeps its core, and while other programs run, a net takes fifty times as long.
    """
    is_set = _WAITING in os.environ
    os.environ.setdefault(_WAITING, "passive")
    try:
        import ncnn
    finally:
        if not is_set:
            del os.environ[_WAITING]
    return ncnn


class NcnnSession:
    """A net of `vision/faces/` on ncnn, with the `run` of an onnxruntime session, on `net_threads()` threads.

    `path`: its ONNX file, as trained or in the form of floats. It needs `onnx` and `ncnn`. `largest`: the largest
    absolute value of each blob that a layer with weights is given; with it ncnn rounds the weights and these inputs to
    8 bits in its own way. Raises `ValueError` if ncnn cannot load it, or if it has a layer that is not converted.
    """

    def __init__(self, path: Path, largest: Mapping[str, float] | None = None) -> None:
        self._ncnn = ncnn = _ncnn()
        self._net = ncnn.Net()
        converted = converted_net(path, largest)
        self._before, self._outputs, self._temperature = converted.before, converted.outputs, converted.temperature
        options = self._net.opt
        options.num_threads = net_threads()
        options.use_fp16_packed = options.use_fp16_storage = options.use_fp16_arithmetic = False
        options.use_bf16_storage = False
        # Winograd's sums of whole numbers are not exact, and with 8 bits it would need weights of 6 bits.
        options.use_winograd_convolution = not (largest or converted.is_whole)
        with tempfile.TemporaryDirectory() as name:
            param, weights = Path(name, "net.param"), Path(name, "net.bin")
            param.write_text(converted.text, "utf-8")
            weights.write_bytes(converted.weights)
            if self._net.load_param(str(param)) or self._net.load_model(str(weights)):
                raise ValueError(f"ncnn cannot load {path.name}")

    def run(self, names: list[str], given: dict[str, Any]) -> list[Floats]:
        """Return the outputs `names`, as onnxruntime does."""
        (batch,) = given.values()
        found = self._each(self._before(batch))
        if "picture" in given:
            (places,) = found
            places[:, 0] = 1 / (1 + np.exp(-places[:, 0]))
            return [places]
        return [_softmax(blob / self._temperature, 1) for blob in found]

    def _each(self, batch: Floats) -> list[Floats]:
        """Return the outputs before the activation; ncnn takes one picture at a time."""
        found: list[list[Floats]] = [[] for _ in self._outputs]
        for one in batch:
            kept = np.ascontiguousarray(one)  # ncnn does not copy it
            extractor = self._net.create_extractor()
            extractor.input(GIVEN, self._ncnn.Mat(kept))
            for out, name in zip(found, self._outputs, strict=True):
                out.append(np.array(extractor.extract(name)[1], np.float32))
        return [np.stack(out) for out in found]
