"""The reader's nets and the complete reader on one runtime, for `tools.nets_on_arm64`: what they answer.

    python nets_inside.py FOLDER RUNTIME BITS

Reads `given.npz` in FOLDER, the inputs of each net and the pictures, and writes `RUNTIME-BITS-MACHINE.npz`, the
outputs, and `RUNTIME-BITS-MACHINE.json`, what is read in each picture. BITS is 32, or 8 for the nets that
`benchmarks.eight_bits` wrote to `eight` in FOLDER. Needs numpy, OpenCV, onnxruntime and that runtime.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from functools import partial
from pathlib import Path

import numpy as np


def main(folder: Path, runtime: str, bits: str) -> None:
    """Run everything on `runtime`."""
    os.environ["CARDTABLE_RUNTIME"] = runtime
    from benchmarks.eight_bits import opener
    from benchmarks.opened_nets import reading_with
    from vision import read, readers_for
    from vision.faces.reader_nets import NETS
    from vision.faces.runtime_choice import runtime_here
    from vision.faces.runtimes import NETS_FOLDER, OUTPUTS, open_with

    if runtime_here() != runtime:
        raise SystemExit(f"{runtime} is not installed")
    opened = opener(runtime, folder / "eight") if bits == "8" else partial(open_with, runtime)
    given = np.load(folder / "given.npz")
    answers = {}
    for net, outputs in OUTPUTS.items():
        session = opened(NETS_FOLDER / net)
        for key in (key for key in given.files if key.startswith(f"{net} ")):
            found = session.run(list(outputs), {key.split()[1]: given[key]})
            answers |= {f"{key} {name}": one for name, one in zip(outputs, found, strict=True)}
    file = folder / f"{runtime}-{bits}-{platform.machine()}"
    np.savez(f"{file}.npz", **answers)
    seen = []
    for suits in NETS:
        for key in (key for key in given.files if key.startswith(f"picture {suits} ")):
            if bits == "8":
                with reading_with(opened, suits) as reader:
                    cards = read(given[key], readers=[reader])
            else:
                cards = read(given[key], readers=readers_for("faces", suits=suits))
            seen.append([[str(one.face), round(one.confidence, 4), one.outline.round(2).tolist()] for one in cards])
    Path(f"{file}.json").write_text(json.dumps(seen), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:4])
