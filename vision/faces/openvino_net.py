"""The reader's nets on OpenVINO."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class OpenVinoNet:
    """A net of `vision/faces/` on one thread of OpenVINO, in 32 bits, with the interface of an onnxruntime session.

    `path`: its ONNX file. Raises `ImportError` without the package `openvino`.
    """

    def __init__(self, path: Path) -> None:
        import openvino

        core = openvino.Core()
        setting = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
        self._request = core.compile_model(core.read_model(str(path)), "CPU", setting).create_infer_request()

    def run(self, names: list[str], given: dict[str, Any]) -> list[Any]:
        """Return the outputs `names`, as onnxruntime does."""
        answer = self._request.infer(given)
        return [answer[name].copy() for name in names]
