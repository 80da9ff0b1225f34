"""Open a net of the reader, with onnxruntime unless this machine is set to another runtime.

`CARDTABLE_RUNTIME` names it: `onnxruntime`, `openvino` or `ncnn`, all with weights of 32 bits and the same answers.
`python -m benchmarks.runtimes` measures which is the fastest here. onnxruntime sends nothing to its maker.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

# Otherwise version 1.32 reports its use to Microsoft, with a number of this machine that it keeps in the home folder.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime

from engine.texts import text
from vision.readings import MissingLibrary

VARIABLE: Final = "CARDTABLE_RUNTIME"
PACKAGES: Final = {"onnxruntime": "onnxruntime", "openvino": "openvino", "ncnn": "ncnn onnx"}
"""The runtimes, and what pip installs for each."""


def open_session(path: Path, *, memory_arena: bool = True) -> Any:
    """Return a session of the model at `path`, on one thread of the CPU.

    `memory_arena=False` returns memory after each run: for inputs of changing size, whose arena would only grow. Raises
    `MissingLibrary` if the runtime that `CARDTABLE_RUNTIME` names is unknown or not installed.
    """
    name = os.environ.get(VARIABLE) or "onnxruntime"
    if name not in PACKAGES:
        message = "{variable} is {name!r}: set it to {names}, or leave it out"
        raise MissingLibrary(text(message, variable=VARIABLE, name=name, names=", ".join(PACKAGES)))
    if name != "onnxruntime":
        return _other(name, path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = memory_arena
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _other(name: str, path: Path) -> Any:
    from vision.faces.ncnn_net import NcnnNet
    from vision.faces.openvino_net import OpenVinoNet

    try:
        return OpenVinoNet(path) if name == "openvino" else NcnnNet(path)
    except ImportError as error:
        message = "{variable} is {name}, which is not installed: pip install {packages}, or leave {variable} out"
        raise MissingLibrary(text(message, variable=VARIABLE, name=name, packages=PACKAGES[name])) from error
