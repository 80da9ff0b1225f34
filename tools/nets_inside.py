"""The reader's nets and the complete reader on one runtime, for `tools.nets_on_arm64`: what they answer.

    python nets_inside.py FOLDER RUNTIME

Reads `given.npz` in FOLDER, the inputs of each net and the pictures, and writes `RUNTIME-MACHINE.npz`, the outputs, and
`RUNTIME-MACHINE.json`, what is read in each picture. Needs numpy, OpenCV, onnxruntime and that runtime.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path

import numpy as np


def main(folder: Path, runtime: str) -> None:
    """Run everything on `runtime`."""
    os.environ["CARDTABLE_RUNTIME"] = runtime
    from vision import read, readers_for
    from vision.faces.runtime_choice import runtime_here
    from vision.faces.runtimes import NETS_FOLDER, OUTPUTS, open_with

    if runtime_here() != runtime:
        raise SystemExit(f"{runtime} is not installed")
    given = np.load(folder / "given.npz")
    answers = {}
    for net, outputs in OUTPUTS.items():
        session = open_with(runtime, NETS_FOLDER / net)
        for key in (key for key in given.files if key.startswith(f"{net} ")):
            found = session.run(list(outputs), {key.split()[1]: given[key]})
            answers |= {f"{key} {name}": one for name, one in zip(outputs, found, strict=True)}
    file = folder / f"{runtime}-{platform.machine()}"
    np.savez(f"{file}.npz", **answers)
    seen = []
    for key in (key for key in given.files if key.startswith("picture ")):
        found = read(given[key], readers=readers_for("faces", suits="german" if "german" in key else "french"))
        seen.append([[str(one.face), round(one.confidence, 4), one.outline.round(2).tolist()] for one in found])
    Path(f"{file}.json").write_text(json.dumps(seen), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
