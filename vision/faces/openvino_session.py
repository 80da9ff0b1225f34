"""The reader's nets on OpenVINO, which sends nothing to its maker."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from vision.faces.net_threads import net_threads

_TELEMETRY: Final = "openvino_telemetry"


def _openvino() -> Any:
    """Return the module `openvino`, imported without its telemetry.

    By itself `import openvino` writes a number of this machine into the home folder and sends an event to a service
    that counts visitors of web pages; without the package `openvino_telemetry` it does neither.
    """
    modules: dict[str, Any] = sys.modules  # None there means that the import fails
    before = modules.get(_TELEMETRY)
    modules[_TELEMETRY] = None
    try:
        import openvino
    finally:
        if before is None:
            del modules[_TELEMETRY]
        else:
            modules[_TELEMETRY] = before
    return openvino


class OpenVinoSession:
    """A net on OpenVINO, on `net_threads()` threads; it has onnxruntime's `run`.

    It is computed in 32-bit floats, unless its file has quantized layers.
    """

    def __init__(self, path: Path) -> None:
        core = _openvino().Core()
        setting = {"INFERENCE_NUM_THREADS": net_threads(), "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
        self._request = core.compile_model(core.read_model(str(path)), "CPU", setting).create_infer_request()

    def run(self, names: list[str], given: dict[str, Any]) -> list[Any]:
        """Return the outputs `names`."""
        answer = self._request.infer(given)
        return [answer[name].copy() for name in names]
