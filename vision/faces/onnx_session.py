"""Open a model file with onnxruntime, which sends nothing to its maker."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

# Otherwise version 1.32 reports its use to Microsoft, with a number of this machine that it keeps in the home folder.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime


def open_session(path: Path, *, memory_arena: bool = True) -> Any:
    """Return an onnxruntime session of the model at `path`, on one thread of the CPU.

    `memory_arena=False` returns memory after each run: for inputs of changing size, whose arena would only grow.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = memory_arena
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
