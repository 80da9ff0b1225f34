"""The reader's nets with 8 bits as OpenVINO and ncnn round them, each in its own way, calibrated on the same inputs.

The reader never uses these. Its own nets have 8 bits already (`lab/training/eight_bits.py`), in a form that both run
with the answers of onnxruntime. OpenVINO opens models with quantized layers, calibrated by the least and the largest
value of each blob; ncnn opens the nets as trained and gets the largest absolute value of each
(`vision/faces/ncnn_session.py`). Writing them needs `onnx`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from lab.benchmarks.opened_nets import Open, net_name
from vision.faces.ncnn_session import NcnnSession
from vision.faces.openvino_session import OpenVinoSession
from vision.faces.runtimes import NETS_FOLDER, NetInputs

LARGEST: Final = "largest.json"
"""The file with the largest values of the blobs of each net."""
_WEIGHTED: Final = ["Conv", "Gemm"]
_QUANTIZED: Final = [*_WEIGHTED, "Relu"]
"""With `Relu` among them, values stay in 8 bits from one layer to the next."""


class _Calibration:
    """Calibration data, as onnxruntime asks for: `get_next`, until it returns None."""

    def __init__(self, given: NetInputs) -> None:
        self._left = [dict(one) for one in given]

    def get_next(self) -> dict[str, Any] | None:
        """Return the next input."""
        return self._left.pop() if self._left else None


def prepare(folder: Path, inputs: Mapping[str, NetInputs]) -> None:
    """Write the nets of `inputs` for OpenVINO to `folder`, calibrated on their inputs, and the values for ncnn."""
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.ERROR)  # otherwise it recommends a step that changes nothing here
    try:
        for net, given in inputs.items():
            (folder / net).parent.mkdir(parents=True, exist_ok=True)
            quantize_static(
                NETS_FOLDER / net, folder / net, _Calibration(given), quant_format=QuantFormat.QDQ, per_channel=True,
                weight_type=QuantType.QInt8, activation_type=QuantType.QUInt8, op_types_to_quantize=_QUANTIZED,
            )  # fmt: skip
    finally:
        root.setLevel(level)
    values = {net: largest(NETS_FOLDER / net, given) for net, given in inputs.items()}
    (folder / LARGEST).write_text(json.dumps(values, indent=1), "utf-8")


def largest(path: Path, given: NetInputs) -> dict[str, float]:
    """Return the largest absolute value of each blob that a layer with weights is given, over the inputs `given`."""
    from lab.training.eight_bits import ranges

    return {name: max(-one.least, one.largest) for name, one in ranges(path, given, _WEIGHTED).items()}


def opener(runtime: str, folder: Path) -> Open:
    """Return what opens the net at a path with the 8 bits that `prepare` wrote to `folder`."""
    openers: dict[str, Open] = {
        "ncnn": lambda path: NcnnSession(path, json.loads((folder / LARGEST).read_text("utf-8"))[net_name(path)]),
        "openvino": lambda path: OpenVinoSession(folder / net_name(path)),
    }
    return openers[runtime]
