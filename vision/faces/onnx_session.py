"""Open a model file with onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
