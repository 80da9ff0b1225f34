"""The programs that can run the reader's nets, and what is measured of them on this machine.

onnxruntime is always there. OpenVINO and ncnn are extras of the package, and faster on some machines. Their answers are
the same, except for the last digits of the outputs. `runtime_measuring.py` measures them, `runtime_choice.py` chooses.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from vision.faces.onnx_session import open_session

ONNX: Final = "onnxruntime"
NEEDED: Final = {ONNX: ("onnxruntime",), "openvino": ("openvino",), "ncnn": ("ncnn", "onnx")}
"""The runtimes, with the modules that each needs."""
NETS_FOLDER: Final = Path(__file__).parent
OUTPUTS: Final = {
    "card_classifier.onnx": ("rank", "suit"),
    "detector_gate.onnx": ("gate",),
    "german/card_classifier.onnx": ("rank", "suit"),
    "german/glyphs.onnx": ("rank", "suit"),
    "german/index_classifier.onnx": ("rank", "suit"),
    "glyphs.onnx": ("rank", "suit"),
    "index_classifier.onnx": ("rank", "suit"),
    "index_detector.onnx": ("places",),
    "suit_finder.onnx": ("suits",),
}
"""The nets, by their path below `NETS_FOLDER`, with the outputs of each."""
TIMED: Final = tuple(net for net in OUTPUTS if "/" not in net)
"""The nets of a reading of French suits. German suits have other nets with the same layers in the place of three of
them; a reading runs one or the other, so that these alone are timed."""
MOST_APART: Final = 1e-4
"""Most that an output may differ from onnxruntime's. They differ by 1.3e-5 at most, with 8 bits by 0.2 to 0.4
(docs/reading.md)."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A runtime on this machine. `share`: its time as a share of onnxruntime's, for one reading of a changed card.

    `apart`: the largest difference of any output. `same`: whether every class and every cell that counts is the same.
    """

    name: str
    share: float
    apart: float
    same: bool

    @property
    def agrees(self) -> bool:
        """Whether its answers are onnxruntime's."""
        return self.same and self.apart <= MOST_APART


def installed() -> tuple[str, ...]:
    """Return the runtimes that are installed, onnxruntime first."""
    return tuple(name for name, modules in NEEDED.items() if all(map(find_spec, modules)))


def open_with(runtime: str, path: Path, memory_arena: bool = True) -> Any:
    """Return the net at `path` opened by a runtime; its `run` is that of an onnxruntime session."""
    if runtime == "openvino":
        from vision.faces.openvino_session import OpenVinoSession

        return OpenVinoSession(path)
    if runtime == "ncnn":
        from vision.faces.ncnn_session import NcnnSession

        return NcnnSession(path)
    return open_session(path, memory_arena=memory_arena)
