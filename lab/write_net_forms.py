"""Write the forms of the reader's nets with 8 bits: `python -m lab.write_net_forms`, after a net was trained.

Reads the weights as trained in `lab/training/weights/` and writes `integers/` and `floats/` in `vision/faces/`
(`vision/faces/net_forms.py`). They are calibrated on the inputs that the reader passes to its nets while it reads drawn
pictures, so no photograph or packaged deck is needed. Needs `onnx`; takes half a minute.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from lab.benchmarks.recorded_inputs import recorded
from lab.training.eight_bits import write
from lab.training.files import WEIGHTS
from vision.faces.net_forms import form_file
from vision.faces.net_threads import use_one_thread


def main(arguments: Sequence[str] | None = None) -> int:
    """Write all forms of all nets; print the size of each."""
    argparse.ArgumentParser(prog="python -m lab.write_net_forms", description=__doc__.splitlines()[0]).parse_args(
        arguments
    )
    use_one_thread()
    for net, inputs in recorded().items():
        integers, floats = form_file(net, "integers"), form_file(net, "floats")
        write(WEIGHTS / net, inputs, integers, floats)
        print(f"{net}: {len(inputs)} inputs, {integers.stat().st_size} and {floats.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
