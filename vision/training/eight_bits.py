"""Write a net with 8 bits in two forms that give the same answers: as integers, and as floats that hold integers.

The hidden layers get weights of 7 bits, each output channel with a scale of its own, and values of 8 bits (Jacob et
al., Quantization and training of neural networks for efficient integer-arithmetic-only inference, 2018). With 7 bits no
sum saturates on an x86 processor without VNNI, and the sums are small enough to be exact in 32-bit floats, so that a
runtime or a processor that is slow with 8 bits can use the second form. The output layers stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from vision.faces.crops import BRIGHTEST, GAIN, MIDDLE
from vision.faces.detector_gate import GREY
from vision.faces.runtimes import NetInputs

Floats = npt.NDArray[np.float32]
WEIGHTED: Final = ("Conv", "Gemm")
MOST_WEIGHT: Final = 63
"""The largest absolute value of a weight, 7 bits."""
MOST_VALUE: Final = 255
"""The largest value of 8 bits without a sign."""
LEVEL_ZERO: Final = 128
"""The grey level that counts as 0 in the picture that the detector gets."""
_CROP_SCALE: Final = np.float32(GAIN * BRIGHTEST / MOST_VALUE)
_CROP_ZERO: Final = round(float(GAIN * MIDDLE / _CROP_SCALE))


def blobs(path: Path, given: NetInputs, kinds: Sequence[str]) -> list[dict[str, Floats]]:
    """Return what the layers of these kinds in the net at `path` are given, by name, for each of the inputs `given`."""
    model = onnx.load(str(path))
    names = {node.input[0] for node in model.graph.node if node.op_type in kinds}
    inner = sorted(names - {one.name for one in model.graph.input})
    model.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in inner)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    found = [dict(one) | dict(zip(inner, session.run(inner, dict(one)), strict=True)) for one in given]
    return [{name: one[name] for name in sorted(names)} for one in found]


def write(source: Path, given: NetInputs, integers: Path, floats: Path) -> None:
    """Write both forms of the net `source`, calibrated by the largest values of its layers for the inputs `given`.

    Inputs and outputs have the names, types and shapes of the source's.
    """
    graph = onnx.load(str(source)).graph
    values = blobs(source, given, (*WEIGHTED, "Flatten"))
    for out, as_floats in ((integers, False), (floats, True)):
        out.parent.mkdir(parents=True, exist_ok=True)
        model = _Writer(graph, values, as_floats).model()
        onnx.checker.check_model(model)
        onnx.save(model, str(out))


@dataclass
class _Whole:
    """A value of a net as integers of 8 bits: (`name` less `zero`, plus `offset`) times `scale` is the value."""

    name: str
    scale: np.float32
    zero: int = 0
    offset: float = 0.0


@dataclass
class _Writer:
    """One form of a net: hidden layers as integers or as floats, everything else copied."""

    graph: Any
    values: Sequence[Mapping[str, Floats]]
    as_floats: bool
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    whole: dict[str, _Whole] = field(default_factory=dict)

    def model(self) -> Any:
        """Return the model."""
        graph, weights = self.graph, {one.name: numpy_helper.to_array(one) for one in self.graph.initializer}
        activated = {node.input[0]: node.output[0] for node in graph.node if node.op_type == "Relu"}
        given = graph.input[0]
        begin = next(k for k, node in enumerate(graph.node) if node.op_type in WEIGHTED)
        kind = self._input(given, graph.node[begin].input[0])
        for node in graph.node[begin:]:
            name = node.output[0]
            if node.op_type in WEIGHTED and name in activated:
                self._hidden(node, weights, activated[name])
            elif node.op_type in WEIGHTED:
                self._last(node, weights)
            elif node.op_type == "Flatten":
                self.whole[name] = self.whole[node.input[0]]
            elif node.op_type != "Relu":
                self.nodes.append(node)
        shape = [one.dim_param or one.dim_value for one in given.type.tensor_type.shape.dim]
        own = helper.make_graph(
            self.nodes, graph.name, [helper.make_tensor_value_info(given.name, kind, shape)], graph.output,
            self.constants,
        )  # fmt: skip
        return helper.make_model(own, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def _input(self, given: Any, first: str) -> int:
        """Add what turns the input into whole numbers for the first layer, in place of `first`; return its type."""
        if given.name == "picture":
            name = self._as_float(given.name) if self.as_floats else given.name
            name = self._add("Sub", [name, self._constant(np.float32(LEVEL_ZERO))]) if self.as_floats else name
            self.whole[first] = _Whole(name, np.float32(1), LEVEL_ZERO, float(np.float32(LEVEL_ZERO) - GREY))
            return int(TensorProto.UINT8)
        scale, zero = self._constant(_CROP_SCALE), np.uint8(_CROP_ZERO)
        if self.as_floats:
            rounded = self._add("Round", [self._add("Div", [given.name, scale])])
            ends = [self._constant(np.float32(end)) for end in (-_CROP_ZERO, MOST_VALUE - _CROP_ZERO)]
            name = self._add("Clip", [rounded, *ends])
        else:
            name = self._add("QuantizeLinear", [given.name, scale, self._constant(zero)])
        self.whole[first] = _Whole(name, _CROP_SCALE, _CROP_ZERO)
        return int(TensorProto.FLOAT)

    def _hidden(self, node: Any, weights: Mapping[str, Floats], out: str) -> None:
        """Add a layer with an activation: a convolution, also where the layer sees all of its input."""
        before = self.whole[node.input[0]]
        factor, bias = weights[node.input[1]], weights[node.input[2]].astype(np.float64)
        some = {one.name: helper.get_attribute_value(one) for one in node.attribute if one.name != "dilations"}
        if node.op_type == "Gemm":
            factor, some = self._seeing_all(node, factor), {}
        largest = max(float(one.max()) for one in self._of(out))
        after = _Whole("", np.float32(largest / MOST_VALUE))
        rows = np.abs(factor.reshape(len(factor), -1)).max(axis=1)
        scales = (np.maximum(rows, 1e-6) / MOST_WEIGHT).astype(np.float32)
        whole = np.rint(factor / scales[:, None, None, None]).astype(np.int8)
        sums = whole.reshape(len(whole), -1).sum(axis=1, dtype=np.int64)
        added = np.rint(bias / (before.scale * scales.astype(np.float64)) + before.offset * sums).astype(np.int32)
        factors = (before.scale * scales) / after.scale
        if self.as_floats:
            kernel = self._as_float(self._constant(whole))
            summed = self._add("Conv", [before.name, kernel, self._constant(added.astype(np.float32))], **some)
            # The sums are whole: rounding them keeps runtimes from multiplying the weights by the factors.
            scaled = self._add("Mul", [self._add("Round", [summed]), self._constant(factors[None, :, None, None])])
            ends = [self._constant(np.float32(end)) for end in (0, MOST_VALUE)]
            after.name = self._add("Clip", [self._add("Round", [scaled]), *ends])
        else:
            numbers: Iterable[Any] = (
                before.scale, np.uint8(before.zero), whole, scales, np.zeros(len(scales), np.int8), after.scale,
                np.uint8(0), added,
            )  # fmt: skip
            after.name = self._add("QLinearConv", [before.name, *map(self._constant, numbers)], **some)
        self.whole[out] = after

    def _last(self, node: Any, weights: Mapping[str, Floats]) -> None:
        """Add an output layer, whose weights are multiplied by the scale of its input."""
        before = self.whole[node.input[0]]
        name = before.name if self.as_floats else self._as_float(before.name)
        if node.op_type == "Gemm":
            name = self._add("Flatten", [name], axis=1)
        factor, bias = (weights[one] for one in node.input[1:])
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.input[:] = [name, self._constant(factor * before.scale), self._constant(bias)]
        self.nodes.append(copy)

    def _seeing_all(self, node: Any, factor: Floats) -> Floats:
        """Return the weights of a layer that sees all of its input, (M, N), as those of a convolution."""
        flat = next(one for one in self.graph.node if one.output[0] == node.input[0])
        return factor.reshape(len(factor), *self._of(flat.input[0])[0].shape[1:])

    def _of(self, name: str) -> list[Floats]:
        """Return the values of a blob, for all inputs of the calibration."""
        return [one[name] for one in self.values]

    def _as_float(self, name: str) -> str:
        return self._add("Cast", [name], to=TensorProto.FLOAT)

    def _constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def _add(self, kind: str, inputs: Sequence[str], **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name
