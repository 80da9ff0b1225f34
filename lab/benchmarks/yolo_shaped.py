"""A graph shaped like YOLOv8n, with random weights: a unit for processor time that holds on any machine.

Hobby projects read cards with such a net at 640 x 640 pixels. Its answers are not used, only the time it takes in the
same run as the measurement, so that the ratio can be compared between machines.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from vision.faces.onnx_session import open_session

SIDE: Final = 640
"""Side of the square picture, pixels."""
_CLASSES: Final = 52
_BOX: Final = 64
"""Channels of the box head: 16 for each side."""
_RUNS: Final = 7


class _Graph:
    """An ONNX graph under construction; a blob is its name and its number of channels."""

    def __init__(self) -> None:
        from onnx import helper, numpy_helper

        self._helper, self._tensor = helper, numpy_helper.from_array
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._chance = np.random.default_rng(0)
        self._count = 0

    def node(self, operator: str, inputs: list[str], outputs: int = 1, **attributes: Any) -> list[str]:
        """Add a node; return the names of its outputs."""
        names = [f"b{self._count + k}" for k in range(outputs)]
        self._count += outputs
        self.nodes.append(self._helper.make_node(operator, inputs, names, **attributes))
        return names

    def constant(self, values: npt.NDArray[np.generic]) -> str:
        """Add constant values; return their name."""
        name = f"c{len(self.constants)}"
        self.constants.append(self._tensor(values, name))
        return name

    def conv(self, blob: str, channels: tuple[int, int], side: int = 1, stride: int = 1, silu: bool = True) -> str:
        """Add a convolution with bias, `channels` in and out, and its activation x * sigmoid(x)."""
        fan_in = channels[0] * side * side
        weights = self._chance.normal(0, fan_in**-0.5, (channels[1], channels[0], side, side)).astype(np.float32)
        bias = self.constant(np.zeros(channels[1], np.float32))
        inputs = [blob, self.constant(weights), bias]
        (out,) = self.node("Conv", inputs, kernel_shape=[side] * 2, strides=[stride] * 2, pads=[side // 2] * 4)
        return self.node("Mul", [out, self.node("Sigmoid", [out])[0]])[0] if silu else out

    def c2f(self, blob: str, channels: tuple[int, int], blocks: int, shortcut: bool) -> str:
        """Add a C2f block: half of the channels pass through `blocks` bottlenecks, all stages are joined."""
        half = channels[1] // 2
        split = self.constant(np.array([half, half], np.int64))
        parts = self.node("Split", [self.conv(blob, channels), split], 2, axis=1)
        for _ in range(blocks):
            inner = self.conv(self.conv(parts[-1], (half, half), 3), (half, half), 3)
            parts.append(self.node("Add", [parts[-1], inner])[0] if shortcut else inner)
        return self.conv(self.join(*parts), (half * len(parts), channels[1]))

    def join(self, *blobs: str) -> str:
        """Join blobs by their channels."""
        return self.node("Concat", list(blobs), axis=1)[0]

    def doubled(self, blob: str) -> str:
        """Double height and width."""
        scales = self.constant(np.array([1, 1, 2, 2], np.float32))
        return self.node("Resize", [blob, "", scales], mode="nearest")[0]


def write_yolo_shaped(path: Path) -> None:
    """Write the graph as an ONNX file: input `picture` (1, 3, 640, 640) float32, six outputs. It needs `onnx`."""
    import onnx
    from onnx import TensorProto, helper

    g = _Graph()
    x = g.conv(g.conv("picture", (3, 16), 3, 2), (16, 32), 3, 2)
    x = g.c2f(x, (32, 32), 1, True)
    eighth = g.c2f(g.conv(x, (32, 64), 3, 2), (64, 64), 2, True)
    sixteenth = g.c2f(g.conv(eighth, (64, 128), 3, 2), (128, 128), 2, True)
    x = g.c2f(g.conv(sixteenth, (128, 256), 3, 2), (256, 256), 1, True)
    pools = [g.conv(x, (256, 128))]
    for _ in range(3):
        pools += g.node("MaxPool", [pools[-1]], kernel_shape=[5, 5], strides=[1, 1], pads=[2] * 4)
    deepest = g.conv(g.join(*pools), (512, 256))
    up = g.c2f(g.join(g.doubled(deepest), sixteenth), (384, 128), 1, False)
    fine = g.c2f(g.join(g.doubled(up), eighth), (192, 64), 1, False)
    middle = g.c2f(g.join(g.conv(fine, (64, 64), 3, 2), up), (192, 128), 1, False)
    coarse = g.c2f(g.join(g.conv(middle, (128, 128), 3, 2), deepest), (384, 256), 1, False)
    shown = []
    for blob, channels, step in ((fine, 64, 8), (middle, 128, 16), (coarse, 256, 32)):
        for width, out in ((_BOX, _BOX), (64, _CLASSES)):
            inner = g.conv(g.conv(blob, (channels, width), 3), (width, width), 3)
            shape = [1, out, SIDE // step, SIDE // step]
            name = g.conv(inner, (width, out), silu=False)
            shown.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
    picture = helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 3, SIDE, SIDE])
    graph = helper.make_graph(g.nodes, "yolov8n-shaped", [picture], shown, g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


@cache
def yolo_ms() -> float | None:
    """Return the processor time of one picture, milliseconds: median of seven runs; None if `onnx` is not installed."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "yolo.onnx")
            write_yolo_shaped(path)
            session = open_session(path)
    except ImportError:
        return None
    picture = np.random.default_rng(1).random((1, 3, SIDE, SIDE), np.float32)
    spent = []
    for _ in range(_RUNS + 1):
        begun = time.process_time()
        session.run(None, {"picture": picture})
        spent.append(1e3 * (time.process_time() - begun))
    return statistics.median(spent[1:])


def with_share(ms: float, width: int = 8, digits: int = 1) -> str:
    """Return `ms`, `width` characters wide, and its share of the graph's time, for a table: `     3.1    0.061`."""
    return f"{ms:{width}.{digits}f} {share_of_yolo(ms):>8}"


def shares(*values: float, width: int = 12) -> str:
    """Return the share of each time, `width` characters wide: a row below a row of times."""
    return "".join(f"{share_of_yolo(ms):>{width}}" for ms in values)


def print_yolo() -> None:
    """Print the time of the graph, before a table with shares of it."""
    unit = yolo_ms()
    shown = f"{unit:.1f} ms" if unit else "left out, onnx is not installed"
    print(f"of YOLO: share of a graph shaped like YOLOv8n, 640 x 640 pixels, in this run: {shown}")


def share_of_yolo(ms: float) -> str:
    """Return `ms` as a share of the graph's time, such as `0.061`; a dash if `onnx` is not installed."""
    unit = yolo_ms()
    return "–" if unit is None else f"{ms / unit:.3f}"
