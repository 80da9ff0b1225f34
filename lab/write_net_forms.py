"""Write the forms of the reader's nets with 8 bits: `python -m lab.write_net_forms`, after a net was trained.

From the weights as trained in `vision/faces/` into `integers/` and `floats/` there (`vision/faces/net_forms.py`).
They are calibrated on what the reader gives its nets while it reads drawn pictures, so that no photograph and no
packaged deck is needed. Needs `onnx`; takes half a minute.
"""

from __future__ import annotations

import sys

from lab.benchmarks.recorded_inputs import recorded
from lab.training.eight_bits import write
from vision.faces.net_forms import form_file
from vision.faces.net_threads import use_one_thread
from vision.faces.runtimes import NETS_FOLDER


def main() -> int:
    """Write all of them; print the size of each."""
    use_one_thread()
    for net, given in recorded().items():
        source = NETS_FOLDER / net
        integers, floats = form_file(source, "integers"), form_file(source, "floats")
        write(source, given, integers, floats)
        print(f"{net}: {len(given)} inputs, {integers.stat().st_size} and {floats.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
