"""Write a net with 8 bits in two forms that give the same answers: as integers, and as floats that hold integers.

The hidden layers get values of 8 bits (Jacob et al., Quantization and training of neural networks for efficient
integer-arithmetic-only inference, 2018) and weights of 7 bits, each output channel with a scale of its own
(Krishnamoorthi, Quantizing deep convolutional networks for efficient inference: a whitepaper, 2018). With 7 bits no sum
of two products saturates on an x86 processor without VNNI, and the sums are small enough to be exact in 32-bit floats,
so that a runtime or a processor that is slow with 8 bits can use the second form. The output layers keep weights of 32
bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from vision.faces.crops import GAIN, MIDDLE, PAPER
from vision.faces.onnx_session import open_session

Floats = npt.NDArray[np.float32]
NetInputs = Sequence[Mapping[str, Any]]
"""Inputs of a net, each by the names that the net gives them."""
WEIGHTED: Final = ("Conv", "Gemm")
MOST_WEIGHT: Final = 63
"""The largest absolute value of a weight, 7 bits."""
MOST_VALUE: Final = 255
"""The largest value of 8 bits without a sign."""
MOST_SUM: Final = 2**24
"""Integers below it are exact in a 32-bit float."""
GREY: Final = 127.5
"""The grey level that is 0 for a net of pictures as trained, so that zeros beyond their border are a medium grey."""
LEVEL_ZERO: Final = 128
"""The grey level that is 0 in the integers of such a net."""
CHANNELS: Final = 4
"""Channels of a picture: blue, green, red, and one that is ignored."""
CARD_SCALE: Final = np.float32(GAIN / PAPER)
"""The step, for a net as trained, that one level of the bytes of crops and cards stands for."""
CARD_ZERO: Final = round(MIDDLE * PAPER)
"""The byte of crops and cards that stands for a value near 0 for a net as trained."""


class Range(NamedTuple):
    """The least and the largest value of a blob over several inputs, and its shape for the last of them."""

    least: float
    largest: float
    shape: tuple[int, ...]


def ranges(path: Path, inputs: NetInputs, kinds: Sequence[str]) -> dict[str, Range]:
    """Return the range of what each layer of these kinds in the net at `path` is given, by name, over all `inputs`."""
    model = onnx.load(str(path))
    names = sorted({node.input[0] for node in model.graph.node if node.op_type in kinds})
    inner = [name for name in names if name not in {value.name for value in model.graph.input}]
    model.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in inner)
    session = open_session(model.SerializeToString())
    found: dict[str, Range] = {}
    for arrays in inputs:
        values = dict(arrays) | dict(zip(inner, session.run(inner, dict(arrays)), strict=True))
        for name in names:
            least, largest = float(values[name].min()), float(values[name].max())
            before = found.get(name, Range(least, largest, ()))
            found[name] = Range(min(least, before.least), max(largest, before.largest), values[name].shape)
    return found


def write(source: Path, inputs: NetInputs, integers: Path, floats: Path) -> None:
    """Write both forms of the net `source`, calibrated by the largest values of its layers for `inputs`.

    Inputs and outputs have the names, types and shapes of the source's. Raises `ValueError`, and writes nothing, if
    `inputs` is empty, if the net takes floats, if a layer that is not an output layer has no activation, if
    none of its values was above 0, or if its sums may not be exact in floats.
    """
    if not inputs:
        raise ValueError(f"{source}: no inputs to calibrate it with")
    graph = onnx.load(str(source)).graph
    found = ranges(source, inputs, (*WEIGHTED, "Flatten"))
    models = {out: _Writer(graph, found, out is floats).model() for out in (integers, floats)}
    for out, model in models.items():
        onnx.checker.check_model(model)
        out.parent.mkdir(parents=True, exist_ok=True)
        onnx.save(model, str(out))


@dataclass
class _Whole:
    """A value of a net as 8-bit integers: (integer + `offset`) * `scale` is the value.

    `name`: the name of the integers in the net; as bytes they are larger by `zero`, the byte that stands for 0.
    `spare`: channels at the end that are ignored.
    """

    name: str
    scale: np.float32
    zero: int = 0
    offset: float = 0.0
    spare: int = 0

    @property
    def largest(self) -> int:
        """The largest absolute value of the integers."""
        return max(self.zero, MOST_VALUE - self.zero)


@dataclass
class _Writer:
    """One form of a net: hidden layers as integers or as floats, everything else copied."""

    graph: Any
    ranges: Mapping[str, Range]
    as_floats: bool
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    whole: dict[str, _Whole] = field(default_factory=dict)

    def model(self) -> Any:
        """Return the model."""
        graph, weights = self.graph, {tensor.name: numpy_helper.to_array(tensor) for tensor in self.graph.initializer}
        activated = {node.input[0]: node.output[0] for node in graph.node if node.op_type == "Relu"}
        begin = next(k for k, node in enumerate(graph.node) if node.op_type in WEIGHTED)
        self._begin(graph.input[0], graph.node[begin].input[0])
        for node in graph.node[begin:]:
            name = node.output[0]
            if node.op_type in WEIGHTED and node.input[0] not in self.whole:
                raise ValueError(f"the layer before {name} has no activation")
            if node.op_type in WEIGHTED and name in activated:
                self._hidden(node, weights, activated[name])
            elif node.op_type in WEIGHTED:
                self._last(node, weights)
            elif node.op_type == "Flatten":
                self.whole[name] = self.whole[node.input[0]]
            elif node.op_type != "Relu":
                self.nodes.append(node)
        written = helper.make_graph(self.nodes, graph.name, graph.input, graph.output, self.constants)
        return helper.make_model(written, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def _begin(self, value: Any, first: str) -> None:
        """Add what turns the input `value` into integers for the first layer, in place of `first`."""
        kind = value.type.tensor_type
        if kind.elem_type != TensorProto.UINT8:
            raise ValueError("the net takes floats; one that is exported now takes uint8")
        scale, zero, middle = np.float32(1), LEVEL_ZERO, GREY
        if value.name != "picture":
            scale, zero, middle = CARD_SCALE, CARD_ZERO, MIDDLE * PAPER
        name, channels_last = value.name, kind.shape.dim[3].dim_value == CHANNELS
        if channels_last and self.as_floats:
            ends = [self._constant(np.array([end])) for end in (0, CHANNELS - 1, 3)]
            name = self._add("Transpose", [self._add("Slice", [name, *ends])], perm=[0, 3, 1, 2])
        elif channels_last:  # onnxruntime multiplies bytes fast if the number of channels is a multiple of four
            name = self._add("Transpose", [name], perm=[0, 3, 1, 2])
        if self.as_floats:
            name = self._add("Sub", [self._as_float(name), self._constant(np.float32(zero))])
        self.whole[first] = _Whole(name, scale, zero, zero - middle, int(channels_last and not self.as_floats))

    def _hidden(self, node: Any, weights: Mapping[str, Floats], out: str) -> None:
        """Add a layer with an activation, as a convolution even if the layer sees all of its input."""
        before = self.whole[node.input[0]]
        factor, bias = weights[node.input[1]], weights[node.input[2]].astype(np.float64)
        some = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        if node.op_type == "Gemm":
            factor, some = self._seeing_all(node, factor), {}
        largest = self.ranges[out].largest
        after = _Whole("", np.float32(largest / MOST_VALUE))
        rows = np.abs(factor.reshape(len(factor), -1)).max(axis=1)
        scales = (np.maximum(rows, 1e-6) / MOST_WEIGHT).astype(np.float32)
        whole = np.rint(factor / scales[:, None, None, None]).astype(np.int8)
        flat = whole.reshape(len(whole), -1).astype(np.int64)
        added = np.rint(bias / (before.scale * scales.astype(np.float64)) + before.offset * flat.sum(axis=1))
        if (np.abs(flat).sum(axis=1) * before.largest + np.abs(added)).max() >= MOST_SUM or largest <= 0:
            raise ValueError(f"{out}: its sums may not be exact in floats, or it is 0 for all inputs")
        factors = (before.scale * scales) / after.scale
        whole = np.pad(whole, ((0, 0), (0, before.spare), (0, 0), (0, 0)))
        if self.as_floats:
            kernel = self._as_float(self._constant(whole))
            summed = self._add("Conv", [before.name, kernel, self._constant(added.astype(np.float32))], **some)
            # The sums are whole numbers: rounding them keeps runtimes from folding the factors into the weights.
            scaled = self._add("Mul", [self._add("Round", [summed]), self._constant(factors[None, :, None, None])])
            ends = [self._constant(np.float32(end)) for end in (0, MOST_VALUE)]
            after.name = self._add("Clip", [self._add("Round", [scaled]), *ends])
        else:
            numbers: Sequence[Any] = (
                before.scale, np.uint8(before.zero), whole, scales, np.zeros(len(scales), np.int8), after.scale,
                np.uint8(0), added.astype(np.int32),
            )  # fmt: skip
            after.name = self._add("QLinearConv", [before.name, *map(self._constant, numbers)], **some)
        self.whole[out] = after

    def _last(self, node: Any, weights: Mapping[str, Floats]) -> None:
        """Add an output layer, whose weights are multiplied by the scale of its input."""
        before = self.whole[node.input[0]]
        name = before.name if self.as_floats else self._as_float(before.name)
        if node.op_type == "Gemm":
            name = self._add("Flatten", [name], axis=1)
        factor, bias = (weights[name] for name in node.input[1:])
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.input[:] = [name, self._constant(factor * before.scale), self._constant(bias)]
        self.nodes.append(copy)

    def _seeing_all(self, node: Any, factor: Floats) -> Floats:
        """Return the weights of a layer that sees all of its input, (M, N), as those of a convolution."""
        flat = next(layer for layer in self.graph.node if layer.output[0] == node.input[0])
        return factor.reshape(len(factor), *self.ranges[flat.input[0]].shape[1:])

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
