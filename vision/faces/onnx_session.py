"""Open a model file with onnxruntime, which sends nothing to its maker."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

# Otherwise version 1.32 reports its use to Microsoft, with a number of this machine that it keeps in the home folder.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime

from vision.faces.net_forms import form_file, form_here
from vision.faces.net_threads import net_threads


def open_net(net: str | Path, *, memory_arena: bool = True) -> Any:
    """Return a session of one of the reader's nets, in the form that is faster on this processor.

    `net`: its name, such as `glyphs.onnx` or `german/glyphs.onnx`, or the path of any other model file.
    `memory_arena=False`: for inputs of changing size, see `open_session`.
    """
    file = net if isinstance(net, Path) else form_file(net, form_here())
    return open_session(file, memory_arena=memory_arena)


def open_session(model: Path | bytes, *, memory_arena: bool = True) -> Any:
    """Return an onnxruntime session on `net_threads()` threads of the CPU.

    `model`: the path of its file, or what the file contains.

    The number of threads changes no answer. `memory_arena=False` returns memory after each run:
    for inputs of changing size, whose arena would only grow.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = net_threads()
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # a waiting thread leaves its core alone
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = memory_arena
    given = str(model) if isinstance(model, Path) else model
    return onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])
