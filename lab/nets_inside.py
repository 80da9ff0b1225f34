"""The reader's nets, and the complete reader, in one form on this processor, for `lab.nets_on_arm64`.

    python nets_inside.py FOLDER FORM

Reads `inputs.npz` in FOLDER, the inputs of each net and the pictures, and writes `FORM-MACHINE.npz`, the outputs, and
`FORM-MACHINE.json`, the cards read in each picture. FORM is `integers` or `floats` (`vision/faces/net_forms.py`). Needs
numpy, OpenCV and onnxruntime.
"""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np


def main(folder: Path, form_name: str) -> None:
    """Run everything in one form."""
    from lab.benchmarks.opened_nets import reading_with
    from tests.drawing.net_inputs import OUTPUTS
    from vision import read
    from vision.faces.net_forms import FORMS, form_file
    from vision.faces.onnx_session import open_session
    from vision.faces.reader_nets import NETS

    (form,) = (known for known in FORMS if known == form_name)

    def opened(net: str) -> Any:
        return open_session(form_file(net, form))

    inputs = np.load(folder / "inputs.npz")
    answers = {}
    for net, outputs in OUTPUTS.items():
        session = opened(net)
        for key in (key for key in inputs.files if key.startswith(f"{net} ")):
            found = session.run(list(outputs), {key.split()[1]: inputs[key]})
            answers |= {f"{key} {name}": output for name, output in zip(outputs, found, strict=True)}
    file = folder / f"{form}-{platform.machine()}"
    np.savez(f"{file}.npz", **answers)
    pictures = []
    for suits in NETS:
        for key in (key for key in inputs.files if key.startswith(f"picture {suits} ")):
            with reading_with(opened, suits) as reader:
                cards = read(inputs[key], readers=[reader])
            pictures.append([[str(card.face), round(card.confidence, 4)] for card in cards])
    Path(f"{file}.json").write_text(json.dumps(pictures), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
