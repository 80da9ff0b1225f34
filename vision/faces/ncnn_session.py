"""The reader's nets on ncnn: written in its format from the ONNX files, and run by it.

ncnn's own converter needs torch; the nets of the reader consist of a few kinds of layers only. What stands before the
first and after the last layer with weights is computed with numpy.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vision.faces.net_threads import net_threads

Floats = npt.NDArray[np.float32]
_NO_FLAG = b"\0\0\0\0"
"""Stands before weights of 32 bits."""
_FLAG_8 = b"\x38\x4b\x0d\0"
"""Stands before weights of 8 bits."""
_WAITING = "OMP_WAIT_POLICY"
_MOST_8 = 127
"""The largest absolute value that 8 bits hold here."""


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

    `path`: its ONNX file. It needs `onnx` and `ncnn`. `largest`: the largest absolute value of each blob that a layer
    with weights is given; with it the weights and these inputs have 8 bits. Raises `ValueError` if ncnn cannot load it.
    """

    def __init__(self, path: Path, largest: Mapping[str, float] | None = None) -> None:
        self._ncnn = ncnn = _ncnn()
        self._net = ncnn.Net()
        options = self._net.opt
        options.num_threads = net_threads()
        options.use_fp16_packed = options.use_fp16_storage = options.use_fp16_arithmetic = False
        options.use_bf16_storage = False
        options.use_winograd_convolution = largest is None  # with 8 bits it would need weights of 6
        with tempfile.TemporaryDirectory() as name:
            param, weights = Path(name, "net.param"), Path(name, "net.bin")
            self._temperature, self._outputs = _write(path, param, weights, largest)
            if self._net.load_param(str(param)) or self._net.load_model(str(weights)):
                raise ValueError(f"ncnn cannot load {path.name}")

    def run(self, names: list[str], given: dict[str, Any]) -> list[Floats]:
        """Return the outputs `names`, as onnxruntime does."""
        if "picture" in given:
            (places,) = self._each(given["picture"])
            places[:, 0] = 1 / (1 + np.exp(-places[:, 0]))
            return [places]
        (batch,) = given.values()
        return [_softmax(blob / self._temperature, 1) for blob in self._each(batch)]

    def _each(self, batch: Floats) -> list[Floats]:
        """Return the outputs before the activation; ncnn takes one picture at a time."""
        found: list[list[Floats]] = [[] for _ in self._outputs]
        for one in batch:
            kept = np.ascontiguousarray(one)  # ncnn does not copy it
            extractor = self._net.create_extractor()
            extractor.input("given", self._ncnn.Mat(kept))
            for out, name in zip(found, self._outputs, strict=True):
                out.append(np.array(extractor.extract(name)[1], np.float32))
        return [np.stack(out) for out in found]


def _in_8_bits(factor: Floats, bias: Floats, largest: float) -> bytes:
    """Return the weights of a layer in 8 bits, each output with a scale of its own, and the scale of its input."""
    rows = factor.reshape(len(factor), -1)
    scales = _MOST_8 / np.maximum(np.abs(rows).max(axis=1), 1e-9)
    whole = np.rint(rows * scales[:, None]).astype(np.int8).tobytes()
    numbers = np.concatenate([bias, scales, [_MOST_8 / largest]]).astype("<f4").tobytes()
    return b"".join((_FLAG_8, whole, bytes(-len(whole) % 4), numbers))


def _write(path: Path, param: Path, weights_file: Path, largest: Mapping[str, float] | None) -> tuple[float, list[str]]:
    """Write ncnn's two files; return the temperature of the softmax and the names of the outputs."""
    import onnx
    from onnx import helper, numpy_helper

    graph = onnx.load(str(path)).graph
    weights = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    values: dict[str, Any] = {
        node.output[0]: numpy_helper.to_array(node.attribute[0].t) for node in graph.node if node.op_type == "Constant"
    }
    activated = {node.input[0] for node in graph.node if node.op_type == "Relu"}
    lines, data, outputs = ["Input given 0 1 given"], b"", []
    last, added, temperature = "given", "", 1.0
    bits = "" if largest is None else " 8=1"
    for node in graph.node:
        some = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        relu = int(bool(node.output) and node.output[0] in activated)
        name = f"layer{len(lines)}"
        if node.op_type in ("Conv", "Gemm"):
            factor, bias = weights[node.input[1]], weights[node.input[2]]
            if largest is None:
                data += _NO_FLAG + factor.astype("<f4").tobytes() + bias.astype("<f4").tobytes()
            else:
                data += _in_8_bits(factor, bias, largest[node.input[0]])
        if node.op_type == "Conv":
            high, wide = factor.shape[2:]
            kind, groups = "Convolution", ""
            if some["group"] > 1:  # its input is added again, after the next convolution
                kind, groups = "ConvolutionDepthWise", f" 7={some['group']}"
                lines.append(f"Split {name}s 1 2 {last} {name}-0 {name}-1")
                last, added = f"{name}-0", f"{name}-1"
            lines.append(
                f"{kind} {name} 1 1 {last} {name} 0={len(factor)} 1={wide} 11={high} 3={some['strides'][0]} "
                f"4={some['pads'][0]} 5=1 6={factor.size} 9={relu}{groups}{bits}"
            )
            last = name
        elif node.op_type == "Add":
            lines.append(f"BinaryOp {name} 2 1 {added} {last} {name} 0=0")
            last = name
        elif node.op_type == "Gemm":
            lines.append(f"InnerProduct {name} 1 1 {last} {name} 0={len(factor)} 1=1 2={factor.size} 9={relu}{bits}")
            if relu:
                lines.append(f"Split {name}s 1 2 {name} {name}-0 {name}-1")
                last = f"{name}-0"
            else:
                outputs.append(name)
                last = last.replace("-0", "-1")
        elif node.op_type == "DepthToSpace":
            lines.append(f"PixelShuffle {name} 1 1 {last} {name} 0={some['blocksize']} 1=0")
            last = name
        elif node.op_type == "Div":
            temperature = float(values[node.input[1]])
    blobs = {word for line in lines for word in _blobs(line)}
    text = f"7767517\n{len(lines)} {len(blobs)}\n" + "\n".join(lines) + "\n"
    param.write_text(text, "utf-8")
    weights_file.write_bytes(data)
    return temperature, outputs or [last]


def _blobs(line: str) -> list[str]:
    """Return the blobs that a layer reads and writes."""
    words = line.split()
    return words[4 : 4 + int(words[2]) + int(words[3])]
