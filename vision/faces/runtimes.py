"""The programs that can run the reader's nets, and what is measured of them on this machine.

onnxruntime is always there. OpenVINO and ncnn are extras of the package, and faster on some machines. Their answers are
the same, except for the last digits of the outputs. `runtime_measuring.py` measures them, `runtime_choice.py` chooses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from vision.faces.net_forms import Form, form_file, form_here
from vision.faces.onnx_session import open_session

ONNX: Final = "onnxruntime"
NEEDED: Final = {ONNX: ("onnxruntime",), "openvino": ("openvino",), "ncnn": ("ncnn", "onnx")}
"""The runtimes, with the modules that each needs."""
NETS_FOLDER: Final = Path(__file__).parent
NetInputs = Sequence[Mapping[str, Any]]
"""Inputs of a net, each by the names that the net gives them."""
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
"""The nets, by the path of their trained weights below `NETS_FOLDER`, with the outputs of each."""
TIMED: Final = tuple(net for net in OUTPUTS if "/" not in net)
"""The nets of a reading of French suits. German suits have other nets with the same layers in the place of three of
them; a reading runs one or the other, so that these alone are timed."""
MOST_APART: Final = 1e-4
"""Most that an output may differ from onnxruntime's. They differ by about 2e-6 at most, or by 0.1 and more if a runtime
rounds to 8 bits in its own way (docs/reading.md)."""


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


def open_with(runtime: str, path: Path, memory_arena: bool = True, form: Form | None = None) -> Any:
    """Return the net that was trained as `path`, opened by a runtime; it has onnxruntime's `run`.

    `form`: by default the one that is faster here for onnxruntime, and floats, the only one that they run, for others.
    """
    file = form_file(path, form or (form_here() if runtime == ONNX else "floats"))
    if runtime == "openvino":
        from vision.faces.openvino_session import OpenVinoSession

        return OpenVinoSession(file)
    if runtime == "ncnn":
        from vision.faces.ncnn_session import NcnnSession

        return NcnnSession(file)
    return open_session(file, memory_arena=memory_arena)
