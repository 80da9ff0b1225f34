"""The reader's nets and the complete reader on one runtime, for `lab.nets_on_arm64`: what they answer.

    python nets_inside.py FOLDER RUNTIME FORM

Reads `given.npz` in FOLDER, the inputs of each net and the pictures, and writes `RUNTIME-FORM-MACHINE.npz`, the
outputs, and `RUNTIME-FORM-MACHINE.json`, what is read in each picture. FORM is `integers` or `floats`
(`vision/faces/net_forms.py`), or `own` for the nets with 8 bits that `lab.benchmarks.runtime_eight_bits` wrote to `eight`
in FOLDER. Needs numpy, OpenCV, onnxruntime and that runtime.
"""

from __future__ import annotations

import json
import platform
import sys
from functools import partial
from pathlib import Path

import numpy as np


def main(folder: Path, runtime: str, form: str) -> None:
    """Run everything on `runtime`."""
    from lab.benchmarks.opened_nets import reading_with
    from lab.benchmarks.runtime_eight_bits import opener
    from vision import read
    from vision.faces.net_forms import FORMS
    from vision.faces.reader_nets import NETS
    from vision.faces.runtimes import NETS_FOLDER, OUTPUTS, installed, open_with

    if runtime not in installed():
        raise SystemExit(f"{runtime} is not installed")
    if form == "own":
        opened = opener(runtime, folder / "eight")
    else:
        opened = partial(open_with, runtime, form=next(one for one in FORMS if one == form))
    given = np.load(folder / "given.npz")
    answers = {}
    for net, outputs in OUTPUTS.items():
        session = opened(NETS_FOLDER / net)
        for key in (key for key in given.files if key.startswith(f"{net} ")):
            found = session.run(list(outputs), {key.split()[1]: given[key]})
            answers |= {f"{key} {name}": one for name, one in zip(outputs, found, strict=True)}
    file = folder / f"{runtime}-{form}-{platform.machine()}"
    np.savez(f"{file}.npz", **answers)
    seen = []
    for suits in NETS:
        for key in (key for key in given.files if key.startswith(f"picture {suits} ")):
            with reading_with(opened, suits) as reader:
                cards = read(given[key], readers=[reader])
            seen.append([[str(one.face), round(one.confidence, 4), one.outline.round(2).tolist()] for one in cards])
    Path(f"{file}.json").write_text(json.dumps(seen), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:4])
