"""Convert the reader's nets from ONNX files to the format of ncnn.

ncnn's own converter needs torch; the nets of the reader consist of a few kinds of layers only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
GIVEN: Final = "given"
"""The name of a net's input."""
_NO_FLAG: Final = b"\0\0\0\0"
"""Stands before weights of 32 bits."""
_FLAG_8: Final = b"\x38\x4b\x0d\0"
"""Stands before weights of 8 bits."""
_MOST_8: Final = 127
"""The largest absolute value that 8 bits hold here."""
_ROUND: Final = 18
"""ncnn's number for the operation that rounds to the nearest integer, halves to even."""


class Converted(NamedTuple):
    """A net in ncnn's format. `before`: computes what stands before its first layer with weights.

    `text`, `weights`: what ncnn's two files contain. `outputs`: names of its outputs. `temperature`: that of the
    softmax after them. `is_whole`: whether its hidden layers hold whole numbers.
    """

    before: Callable[[npt.NDArray[Any]], Floats]
    text: str
    weights: bytes
    outputs: list[str]
    temperature: float
    is_whole: bool


class _Layer(NamedTuple):
    """A layer: its kind and parameters as ncnn writes them, the blobs that it reads, the one that it writes."""

    kind: str
    inputs: list[str]
    output: str
    parameters: str
    weights: bytes = b""


def converted_net(path: Path, largest: Mapping[str, float] | None = None) -> Converted:
    """Return the net at `path`; `largest`: as for `NcnnSession`. Needs `onnx`.

    Raises `ValueError` if it has a layer of another kind than the reader's nets.
    """
    import onnx
    from onnx import numpy_helper

    nodes = onnx.load(str(path)).graph
    constants: dict[str, Any] = {one.name: numpy_helper.to_array(one) for one in nodes.initializer}
    for node in nodes.node:
        if node.op_type == "Constant":
            constants[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
        elif node.op_type == "Cast" and node.input[0] in constants:
            constants[node.output[0]] = constants[node.input[0]].astype(np.float32)
    computed = [node for node in nodes.node if node.output[0] not in constants]
    first = next((k for k, node in enumerate(computed) if node.op_type == "Conv"), len(computed))
    steps = [_step(node, constants) for node in computed[:first]]
    layers = _layers(computed[first:], constants, largest)
    text, outputs = _text(layers)
    return Converted(
        before=lambda given: reduce(lambda value, step: step(value), steps, given),
        text=text,
        weights=b"".join(layer.weights for layer in layers),
        outputs=outputs,
        temperature=next((float(constants[node.input[1]]) for node in computed[first:] if node.op_type == "Div"), 1.0),
        is_whole=any(layer.kind == "UnaryOp" for layer in layers),
    )


def _step(node: Any, constants: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Return what computes a node before the first layer."""
    values = [constants[name] for name in node.input[1:]]
    steps: dict[str, Callable[[Any], Any]] = {
        "Slice": lambda given: given.take(np.arange(int(values[0][0]), int(values[1][0])), int(values[2][0])),
        "Transpose": lambda given: given.transpose(_attributes(node)["perm"]),
        "Cast": lambda given: given.astype(np.float32),
        "Sub": lambda given: given - values[0],
        "Mul": lambda given: given * values[0],
    }
    if node.op_type not in steps:
        raise ValueError(f"{node.op_type} before the first layer is not converted")
    return steps[node.op_type]


def _layers(nodes: Sequence[Any], constants: Mapping[str, Any], largest: Mapping[str, float] | None) -> list[_Layer]:
    """Return the layers from the first with weights on; what follows the last one is left out."""
    activated = {node.input[0] for node in nodes if node.op_type == "Relu"}
    blob = {nodes[0].input[0]: GIVEN}  # ncnn's name of each value
    layers: list[_Layer] = []
    for node in nodes:
        name = f"layer{len(layers)}"
        inputs = [blob[one] for one in node.input if one in blob]
        if node.op_type in ("Relu", "Flatten"):  # part of the layer before, or not needed
            blob[node.output[0]] = inputs[0]
            continue
        if node.op_type in ("Conv", "Gemm"):
            largest_given = None if largest is None else largest[node.input[0]]
            layer = _weighted(node, constants, node.output[0] in activated, largest_given)
        elif node.op_type == "DepthToSpace":
            layer = _Layer("PixelShuffle", [], "", f"0={_attributes(node)['blocksize']} 1=0")
        elif node.op_type in ("Slice", "Sigmoid", "Concat", "Softmax", "Div"):
            continue
        else:
            layer = _elementwise(node, constants)
        layers.append(layer._replace(inputs=inputs, output=name))
        blob[node.output[0]] = name
    return layers


def _attributes(node: Any) -> dict[str, Any]:
    from onnx import helper

    return {one.name: helper.get_attribute_value(one) for one in node.attribute}


def _weighted(node: Any, constants: Mapping[str, Any], has_relu: bool, largest: float | None) -> _Layer:
    """Return a layer with weights; its blobs have no names yet."""
    factor, bias = constants[node.input[1]], constants[node.input[2]]
    if largest is None:
        weights, bits = _NO_FLAG + factor.astype("<f4").tobytes() + bias.astype("<f4").tobytes(), ""
    else:
        weights, bits = _in_8_bits(factor, bias, largest), " 8=1"
    if node.op_type == "Gemm":
        return _Layer("InnerProduct", [], "", f"0={len(factor)} 1=1 2={factor.size} 9={int(has_relu)}{bits}", weights)
    some, (high, wide) = _attributes(node), factor.shape[2:]
    if some.get("group", 1) > 1:
        raise ValueError("a convolution with groups is not converted")
    parameters = (
        f"0={len(factor)} 1={wide} 11={high} 3={some.get('strides', [1])[0]} 4={some.get('pads', [0])[0]} 5=1 "
        f"6={factor.size} 9={int(has_relu)}{bits}"
    )
    return _Layer("Convolution", [], "", parameters, weights)


def _elementwise(node: Any, constants: Mapping[str, Any]) -> _Layer:
    """Return a layer that treats each value by itself; its blobs have no names yet."""
    if node.op_type == "Mul":
        factors = constants[node.input[1]].astype("<f4")
        return _Layer("Scale", [], "", f"0={factors.size} 1=0", factors.tobytes())
    if node.op_type == "Clip":
        least, most = (float(constants[name]) for name in node.input[1:])
        return _Layer("Clip", [], "", f"0={least} 1={most}")
    if node.op_type == "Round":
        return _Layer("UnaryOp", [], "", f"0={_ROUND}")
    raise ValueError(f"{node.op_type} is not converted")


def _in_8_bits(factor: Floats, bias: Floats, largest: float) -> bytes:
    """Return the weights of a layer in 8 bits, each output with a scale of its own, and the scale of its input."""
    rows = factor.reshape(len(factor), -1)
    scales = _MOST_8 / np.maximum(np.abs(rows).max(axis=1), 1e-9)
    whole = np.rint(rows * scales[:, None]).astype(np.int8).tobytes()
    numbers = np.concatenate([bias, scales, [_MOST_8 / largest]]).astype("<f4").tobytes()
    return b"".join((_FLAG_8, whole, bytes(-len(whole) % 4), numbers))


def _text(layers: Sequence[_Layer]) -> tuple[str, list[str]]:
    """Return the text of ncnn's file, in which each blob is read once, and the names of the outputs."""
    uses = Counter(name for layer in layers for name in layer.inputs)
    lines, left = [f"Input {GIVEN} 0 1 {GIVEN}"], {GIVEN: [GIVEN]}
    for kind, inputs, output, parameters, _ in layers:
        given = " ".join(left[name].pop() for name in inputs)
        lines.append(f"{kind} {output} {len(inputs)} 1 {given} {output} {parameters}")
        left[output] = [output]
        if (count := uses[output]) > 1:
            left[output] = [f"{output}-{k}" for k in range(count)]
            lines.append(f"Split {output}s 1 {count} {output} {' '.join(left[output])}")
    blobs = {word for line in lines for word in _blobs(line)}
    outputs = [layer.output for layer in layers if not uses[layer.output]]
    return f"7767517\n{len(lines)} {len(blobs)}\n" + "\n".join(lines) + "\n", outputs


def _blobs(line: str) -> list[str]:
    """Return the blobs that a layer reads and writes."""
    words = line.split()
    return words[4 : 4 + int(words[2]) + int(words[3])]
