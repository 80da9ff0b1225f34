"""The reader's nets on several runtimes, one thread each: `python -m lab.benchmarks.runtimes [FOLDER [N]]`.

The reader's nets with 8 bits as integers (onnxruntime) or as floats that hold the same integers (all), the nets as
trained, with 32 bits, and 8 bits as OpenVINO and ncnn round them (`runtime_eight_bits.py`); runtimes that are not
installed are left out (`pip install openvino ncnn onnx`). Processor time, median of several runs, also as a share of a
graph shaped like YOLOv8n in the same run:

- detector: the index detector on a picture of 1080p, in bands as in the reader;
- 24 crops: the index classifier;
- a picture: the complete reader, on drawn pictures of cards apart, in rows and far away, or on every Nth photograph
  in FOLDER, by default every tenth (photo sets as for `lab.benchmarks.faces`).

`MiB`: of the installed package. `difference`: the largest of any output of the nets from those of the first line, the
nets for German suits among them. `readings`: cards that the complete reader reads the same, of those that it reads with
the first line, and those that it reads besides; `German`: the same, of drawn pictures with German suits, whose time
does not count. A second table has every net of a reading of French suits by itself. The exit status is 1 if a runtime
with the reader's own nets reads a card differently. What the reader itself would choose on this machine
(`vision/faces/runtime_choice.py`) stands last.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, files, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from lab.benchmarks.opened_nets import Open, net_name, reading_with
from lab.benchmarks.reading import pictures
from lab.benchmarks.recorded_inputs import FIRST, recorded
from lab.benchmarks.runtime_eight_bits import opener, prepare
from lab.benchmarks.yolo_shaped import print_yolo, share_of_yolo
from tests.drawing.cards import row
from tests.drawing.german import german_table
from vision.faces import FaceReader, index_detector
from vision.faces.crops import net_levels
from vision.faces.detector_gate import grey_levels
from vision.faces.index_classifier import CORNER_MODEL
from vision.faces.ncnn_session import NcnnSession
from vision.faces.net_forms import form_file
from vision.faces.net_threads import use_one_thread
from vision.faces.onnx_session import open_session
from vision.faces.openvino_session import OpenVinoSession
from vision.faces.runtime_choice import chosen
from vision.faces.runtime_measuring import inputs as drawn_inputs
from vision.faces.runtimes import NETS_FOLDER, ONNX, OUTPUTS, TIMED, installed, open_with
from vision.frames import Image
from vision.image_files import load_picture

RUNS: Final = 9
NTH: Final = 10
MODELS: Final = tuple(NETS_FOLDER / net for net in OUTPUTS)
"""The nets of the reader."""


@dataclass
class Runtime:
    """A runtime. `package`: what has to be installed. `exact`: it runs the reader's own nets."""

    name: str
    package: str
    open: Open
    exact: bool = True
    needs: tuple[str, ...] = ()

    def missing(self) -> str:
        """Return why it cannot be measured here, or nothing."""
        for module in (self.package, *self.needs):
            if find_spec(module) is None:
                return f"{module} is not installed"
        import onnxruntime

        if "XNNPACK" in self.name and "XnnpackExecutionProvider" not in onnxruntime.get_available_providers():
            return "this onnxruntime was built without it, as all packages on PyPI are"
        return ""


@dataclass
class Given:
    """The inputs of the nets, and the pictures for the complete reader; `german`: those with German suits."""

    nets: dict[Path, dict[str, Any]]
    pictures: list[Image] = field(default_factory=list)
    german: list[Image] = field(default_factory=list)


def _xnnpack(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    providers = [("XnnpackExecutionProvider", {"intra_op_num_threads": 1}), "CPUExecutionProvider"]
    return onnxruntime.InferenceSession(str(form_file(path, "floats")), options, providers=providers)


def runtimes(folder: Path) -> list[Runtime]:
    """Return every runtime, installed or not; the first is the reader's own. `folder`: has what `prepare` wrote."""
    tools = ("onnx",)
    return [
        Runtime("onnxruntime, integers", "onnxruntime", partial(open_with, ONNX, form="integers")),
        Runtime("onnxruntime, floats", "onnxruntime", partial(open_with, ONNX, form="floats")),
        Runtime("onnxruntime, as trained", "onnxruntime", open_session, exact=False),
        Runtime("onnxruntime, XNNPACK", "onnxruntime", _xnnpack),
        Runtime("OpenVINO, floats", "openvino", partial(open_with, "openvino")),
        Runtime("OpenVINO, as trained", "openvino", OpenVinoSession, exact=False),
        Runtime("OpenVINO, its 8 bits", "openvino", opener("openvino", folder), exact=False, needs=tools),
        Runtime("ncnn, floats", "ncnn", partial(open_with, "ncnn"), needs=tools),
        Runtime("ncnn, as trained", "ncnn", NcnnSession, exact=False, needs=tools),
        Runtime("ncnn, its 8 bits", "ncnn", opener("ncnn", folder), exact=False, needs=tools),
    ]


def outputs_of(path: Path) -> list[str]:
    """Return the names of a net's outputs."""
    return list(OUTPUTS[net_name(path)])


def inputs(folder: Path | None, nth: int = NTH) -> Given:
    """Return what is measured: drawn pictures, or every `nth` photograph in `folder`."""
    if folder is None:
        some = [picture for kind in pictures(FIRST).values() for picture in kind]
    else:
        names = [
            truth.parent / "images" / entry["image"]
            for truth in sorted(folder.glob("*/truth.json"))
            for entry in json.loads(truth.read_text("utf-8"))
        ]
        some = [load_picture(name) for name in names[::nth]]
    full, _ = row(3.0, 0)
    crops = np.stack([full[y : y + 80, x : x + 48] for y in range(300, 700, 100) for x in range(100, 1800, 300)])
    batch = net_levels(np.ascontiguousarray(crops))
    (cards,) = drawn_inputs(1)
    band = full[412:668]
    large = dict.fromkeys(("index_detector.onnx", "detector_gate.onnx"), grey_levels(band))
    nets = {
        NETS_FOLDER / net: {name: large.get(net, batch if name == "crops" else one) for name, one in cards[net].items()}
        for net in OUTPUTS
    }
    return Given(nets, some, [german_table(seed) for seed in range(FIRST)])


def read_in(reader: FaceReader, some: Sequence[Image]) -> tuple[list[Counter[str]], float]:
    """Return the cards that are read in each picture, and the mean processor time, milliseconds."""
    spent, read = [], []
    for picture in some:
        begun = time.process_time()
        readings = reader.read(picture)
        spent.append(1e3 * (time.process_time() - begun))
        read.append(Counter(str(reading.face) for reading in readings))
    return read, statistics.fmean(spent)


@dataclass
class Same:
    """How many cards of several pictures are read the same, of how many, and how many besides."""

    same: int
    total: int
    more: int

    @classmethod
    def of(cls, expected: Sequence[Counter[str]], read: Sequence[Counter[str]]) -> Same:
        """Compare the cards of each picture."""
        pairs = list(zip(expected, read, strict=True))
        same, more = sum((a & b).total() for a, b in pairs), sum((b - a).total() for a, b in pairs)
        return cls(same, sum(a.total() for a in expected), more)

    @property
    def all_same(self) -> bool:
        """Whether no card is missing, and none is read besides."""
        return self.same == self.total and not self.more

    def __str__(self) -> str:
        return f"{self.same} of {self.total}, {self.more} more"


def _ms(act: Callable[[], object]) -> float:
    act()
    spent = []
    for _ in range(RUNS):
        begun = time.process_time()
        act()
        spent.append(1e3 * (time.process_time() - begun))
    return statistics.median(spent)


def _megabytes(package: str) -> float:
    """Return the size of the installed package, MiB."""
    try:
        return sum(Path(str(one.locate())).stat().st_size for one in files(package) or [] if one.size) / 2**20
    except (PackageNotFoundError, FileNotFoundError):
        return 0.0


def main(argv: list[str] | None = None) -> int:
    """Print a line for each runtime; return 1 if one with the reader's own nets reads a card differently."""
    use_one_thread()
    given = inputs(Path(argv[0]), *map(int, argv[1:])) if argv else inputs(None)
    print_yolo()
    print(
        f"{'':24} {'version':>16} {'MiB':>5} {'detector':>9} {'24 crops':>9} {'a picture':>10} {'of YOLO':>8} "
        f"{'difference':>11} {'readings':>18} {'German':>16}"
    )
    expected: list[Counter[str]] = []
    german: list[Counter[str]] = []
    answers: dict[Path, list[Any]] = {}
    each: dict[str, list[float]] = {}
    timed = [NETS_FOLDER / net for net in TIMED]
    differs = False
    with tempfile.TemporaryDirectory() as name:
        if find_spec("onnx"):
            prepare(Path(name), recorded())
        for one in runtimes(Path(name)):
            if reason := one.missing():
                print(f"{one.name:24} left out: {reason}")
                continue
            sessions = {path: one.open(path) for path in MODELS}
            found = {p: s.run(outputs_of(p), given.nets[p]) for p, s in sessions.items()}
            answers = answers or found
            apart = max(
                float(np.abs(a - b).max()) for path in MODELS for a, b in zip(found[path], answers[path], strict=True)
            )
            with reading_with(one.open) as reader:
                each[one.name] = [_ms(partial(sessions[p].run, outputs_of(p), given.nets[p])) for p in timed]
                detector = _ms(partial(index_detector.IndexDetector(), given.pictures[:1], (13.0, 34.0)))
                crops = _ms(partial(sessions[CORNER_MODEL].run, ["rank", "suit"], given.nets[CORNER_MODEL]))
                read, picture_ms = read_in(reader, given.pictures)
            with reading_with(one.open, "german") as reader:
                read_german, _ = read_in(reader, given.german)
            expected, german = expected or read, german or read_german
            same, same_german = Same.of(expected, read), Same.of(german, read_german)
            differs |= one.exact and not (same.all_same and same_german.all_same)
            print(
                f"{one.name:24} {version(one.package):>16} {_megabytes(one.package):5.0f} {detector:9.1f} {crops:9.1f} "
                f"{picture_ms:10.1f} {share_of_yolo(picture_ms):>8} {apart:11.1e} {same!s:>18} "
                f"{same_german!s:>16}",
                flush=True,
            )
    print(f"\n{'each net, ms':24}" + "".join(f" {path.stem:>16}" for path in timed) + f" {'all, of YOLO':>13}")
    for label, times in each.items():
        print(f"{label:24}" + "".join(f" {ms:16.2f}" for ms in times) + f" {share_of_yolo(sum(times)):>13}")
    print(f"\nchosen on this machine: {chosen(installed(), None)}")
    return int(differs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
