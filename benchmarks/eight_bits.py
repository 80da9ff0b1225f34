"""The reader's nets with weights and activations of 8 bits, calibrated on the same inputs for every runtime.

onnxruntime and OpenVINO open models with quantized layers, calibrated by the least and the largest value of each blob;
ncnn opens the model of 32 bits, and gets the largest absolute value of each (`vision/faces/ncnn_session.py`). On an x86
processor without VNNI onnxruntime's sums of 8 bits saturate: there its answers differ more. Writing the nets needs
`onnx`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.opened_nets import NetInputs, Open, net_name
from vision.faces.ncnn_session import NcnnSession
from vision.faces.runtimes import NETS_FOLDER, open_with

LARGEST: Final = "largest.json"
"""The file with the largest values of the blobs of each net."""
_WEIGHTED: Final = ["Conv", "Gemm"]
_QUANTIZED: Final = [*_WEIGHTED, "Relu", "Add"]
"""With `Relu` and `Add` among them, values stay in 8 bits from one layer to the next."""


class _Calibration:
    """Calibration data, as onnxruntime asks for: `get_next`, until it returns None."""

    def __init__(self, given: NetInputs) -> None:
        self._left = [dict(one) for one in given]

    def get_next(self) -> dict[str, Any] | None:
        """Return the next input."""
        return self._left.pop() if self._left else None


def prepare(folder: Path, inputs: Mapping[str, NetInputs]) -> None:
    """Write each net of `inputs` with 8 bits to `folder`, calibrated on its inputs, and the largest values."""
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
    import onnx
    import onnxruntime

    model = onnx.load(str(path))
    blobs = sorted({node.input[0] for node in model.graph.node if node.op_type in _WEIGHTED})
    own = {one.name for one in model.graph.input}
    inner = [name for name in blobs if name not in own]
    model.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in inner)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    found = dict.fromkeys(blobs, 0.0)
    for inputs in given:
        values = {**inputs, **dict(zip(inner, session.run(inner, dict(inputs)), strict=True))}
        found |= {name: max(found[name], float(np.abs(values[name]).max())) for name in blobs}
    return found


def opener(runtime: str, folder: Path) -> Open:
    """Return what opens the net at a path with the 8 bits that `prepare` wrote to `folder`."""
    if runtime == "ncnn":
        return lambda path: NcnnSession(path, json.loads((folder / LARGEST).read_text("utf-8"))[net_name(path)])
    return lambda path: open_with(runtime, folder / net_name(path))
