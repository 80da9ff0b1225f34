"""The two forms in which the reader's nets run: as integers of 8 bits, or as floats that hold the same integers.

Their answers are the same: all sums of a hidden layer are whole numbers that a float of 32 bits holds exactly, and both
round in the same way. `lab/training/eight_bits.py` writes them from the nets as trained. x86 processors multiply
bytes faster than floats. So do those of arm64 that have an instruction for four pairs of bytes; on others the floats
may be faster.
"""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path
from typing import Final, Literal

Form = Literal["integers", "floats"]
FORMS: Final[tuple[Form, ...]] = ("integers", "floats")
"""Also the names of their folders."""
_FOLDER: Final = Path(__file__).parent
_CPUINFO: Final = Path("/proc/cpuinfo")
_DOT_PRODUCT: Final = "asimddp"
"""Linux's name for that instruction on arm64. A Cortex-A76 (Raspberry Pi 5) has it, a Cortex-A72 (Pi 4) does not."""


def form_file(net: str, form: Form) -> Path:
    """Return the file of a form of the net with this name, such as `glyphs.onnx` or `german/glyphs.onnx`."""
    return _FOLDER / form / net


@cache
def form_here() -> Form:
    """Return the form that onnxruntime runs faster on this processor."""
    return faster_form(platform.machine(), _CPUINFO)


def faster_form(processor: str, cpuinfo: Path) -> Form:
    """Return the faster form on a kind of processor, as `platform.machine` names it.

    `cpuinfo`: Linux's description of the processor. Without that file, as on macOS, a processor of arm64 is taken to
    have the instruction.

    >>> faster_form("x86_64", Path("/proc/cpuinfo"))
    'integers'
    """
    if processor.lower() not in ("aarch64", "arm64"):
        return "integers" if processor.lower() in ("x86_64", "amd64") else "floats"
    try:
        lines = cpuinfo.read_text("utf-8", "replace").splitlines()
    except OSError:
        return "integers"
    features = [line.partition(":")[2].split() for line in lines if line.startswith("Features")]
    return "integers" if features and all(_DOT_PRODUCT in some for some in features) else "floats"
