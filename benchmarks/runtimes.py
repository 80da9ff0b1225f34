"""The reader's nets on several runtimes, one thread each: `python -m benchmarks.runtimes [FOLDER]`.

onnxruntime, OpenVINO and ncnn, with weights of 32 bits and, where it exists, of 8; runtimes that are not installed are
left out (`pip install openvino ncnn onnx`). Processor time, median of several runs, also as a share of a graph shaped
like YOLOv8n in the same run:

- detector: the index detector on a picture of 1080p, in bands as in the reader;
- 24 crops: the index classifier;
- a picture: the complete reader, on drawn pictures of cards apart, in rows and far away, or on every tenth photograph
  in FOLDER (photo sets as for `benchmarks.faces`).

`MiB`: of the installed package. `difference`: the largest of any output of the nets from onnxruntime's.
`readings`: cards that the complete reader reads the same, of those that it reads with onnxruntime, and those that it
reads besides. A second table has every net by itself. The exit status is 1 if a runtime with weights of 32 bits reads a
card differently. What the reader itself would choose on this machine (`vision/faces/runtime_choice.py`) stands last.
"""

from __future__ import annotations

import json
import logging
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, files, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.reading import pictures
from benchmarks.yolo_shaped import print_yolo, share_of_yolo
from vision.faces import FaceReader, card_classifier, detector_gate, index_classifier, index_detector, suit_finder
from vision.faces.card_classifier import CARD_MODEL
from vision.faces.crops import normalized_batch
from vision.faces.detector_gate import GATE_MODEL, planes
from vision.faces.index_classifier import CORNER_MODEL, GLYPH_MODEL
from vision.faces.index_detector import DETECTOR_MODEL
from vision.faces.ncnn_session import NcnnSession
from vision.faces.net_threads import use_one_thread
from vision.faces.onnx_session import open_session
from vision.faces.openvino_session import OpenVinoSession
from vision.faces.runtime_choice import chosen, open_net
from vision.faces.runtimes import OUTPUTS, installed
from vision.faces.suit_finder import SUIT_MODEL
from vision.frames import Image
from vision.image_files import load_picture

RUNS: Final = 9
MODELS: Final = (DETECTOR_MODEL, GATE_MODEL, CORNER_MODEL, GLYPH_MODEL, SUIT_MODEL, CARD_MODEL)
"""The nets of the reader."""
Open = Callable[[Path], Any]
"""Opens a model; what it returns has the `run` of an onnxruntime session."""


@dataclass
class Runtime:
    """A runtime. `package`: what has to be installed. `exact`: its weights have 32 bits."""

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
    """The inputs of the nets, and the pictures for the complete reader."""

    nets: dict[Path, dict[str, Any]]
    pictures: list[Image] = field(default_factory=list)


def _xnnpack(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    providers = [("XnnpackExecutionProvider", {"intra_op_num_threads": 1}), "CPUExecutionProvider"]
    return onnxruntime.InferenceSession(str(path), options, providers=providers)


def _in_8_bits(path: Path, folder: Path, given: Given) -> Path:
    """Write the model with weights and activations of 8 bits, calibrated on `given`; return its file."""
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    class Once:
        """A reader of calibration data, as onnxruntime asks for: `get_next`, until it returns None."""

        def __init__(self) -> None:
            self._left = [given.nets[path]]

        def get_next(self) -> dict[str, Any] | None:
            return self._left.pop() if self._left else None

    out = folder / f"{path.stem}.int8.onnx"
    logging.getLogger().setLevel(logging.ERROR)  # otherwise it recommends a step that changes nothing here
    if not out.exists():
        quantize_static(
            path, out, Once(), quant_format=QuantFormat.QDQ, per_channel=True,
            weight_type=QuantType.QInt8, activation_type=QuantType.QUInt8, op_types_to_quantize=["Conv", "Gemm"],
        )  # fmt: skip
    return out


def runtimes(folder: Path, given: Given) -> list[Runtime]:
    """Return every runtime, installed or not; the first is the reader's own."""

    def small(opened: Open) -> Open:
        return lambda path: opened(_in_8_bits(path, folder, given))

    tools = ("onnx",)
    return [
        Runtime("onnxruntime", "onnxruntime", open_session),
        Runtime("onnxruntime, 8 bits", "onnxruntime", small(open_session), False, tools),
        Runtime("onnxruntime, XNNPACK", "onnxruntime", _xnnpack),
        Runtime("OpenVINO", "openvino", OpenVinoSession),
        Runtime("OpenVINO, 8 bits", "openvino", small(OpenVinoSession), False, tools),
        Runtime("ncnn", "ncnn", NcnnSession, needs=tools),
    ]


def outputs_of(path: Path) -> list[str]:
    """Return the names of a net's outputs."""
    return list(OUTPUTS[path.name])


def inputs(folder: Path | None) -> Given:
    """Return what is measured: drawn pictures, or every tenth photograph in `folder`."""
    drawn = pictures(3)
    if folder is None:
        some = [picture for kind in drawn.values() for picture in kind]
    else:
        names = [
            truth.parent / "images" / entry["image"]
            for truth in sorted(folder.glob("*/truth.json"))
            for entry in json.loads(truth.read_text("utf-8"))
        ]
        some = [load_picture(name) for name in names[::10]]
    full = drawn["cards in a row"][0]
    crops = np.stack([full[y : y + 80, x : x + 48] for y in range(300, 700, 100) for x in range(100, 1800, 300)])
    batch = normalized_batch(np.ascontiguousarray(crops))
    rng = np.random.default_rng(0)
    pips = rng.uniform(-2, 1.6, (1, 1, 220, 160)).astype(np.float32)
    card = rng.uniform(-2, 1.6, (2, 3, 176, 128)).astype(np.float32)
    nets: dict[Path, dict[str, Any]] = {
        DETECTOR_MODEL: {"picture": planes(full[:256])},
        GATE_MODEL: {"picture": planes(full[:256])},
        CORNER_MODEL: {"crops": batch},
        GLYPH_MODEL: {"crops": batch},
        SUIT_MODEL: {"cards": pips},
        CARD_MODEL: {"cards": card},
    }
    return Given(nets, some)


@contextmanager
def reading_with(opened: Open) -> Iterator[FaceReader]:
    """Give a reader whose nets run on another runtime."""
    users = (card_classifier, detector_gate, index_classifier, index_detector, suit_finder)
    for module in users:
        vars(module)["open_net"] = lambda path, memory_arena=True: opened(path)
    try:
        yield FaceReader()
    finally:
        for module in users:
            vars(module)["open_net"] = open_net


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
    """Print a line for each runtime; return 1 if one with weights of 32 bits reads a card differently."""
    use_one_thread()
    given = inputs(Path(argv[0]) if argv else None)
    print_yolo()
    print(
        f"{'':24} {'version':>16} {'MiB':>5} {'detector':>9} {'24 crops':>9} {'a picture':>10} {'of YOLO':>8} "
        f"{'difference':>11} {'readings':>17}"
    )
    expected: list[Counter[str]] = []
    answers: dict[Path, list[Any]] = {}
    each: dict[str, list[float]] = {}
    differs = False
    with tempfile.TemporaryDirectory() as name:
        for one in runtimes(Path(name), given):
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
                each[one.name] = [_ms(partial(s.run, outputs_of(p), given.nets[p])) for p, s in sessions.items()]
                detector = _ms(partial(index_detector.IndexDetector(), given.pictures[0], (13.0, 34.0)))
                crops = _ms(partial(sessions[CORNER_MODEL].run, ["rank", "suit"], given.nets[CORNER_MODEL]))
                spent, read = [], []
                for picture in given.pictures:
                    begun = time.process_time()
                    readings = reader.read(picture)
                    spent.append(1e3 * (time.process_time() - begun))
                    read.append(Counter(str(reading.face) for reading in readings))
            expected = expected or read
            same = sum((a & b).total() for a, b in zip(read, expected, strict=True))
            more = sum((a - b).total() for a, b in zip(read, expected, strict=True))
            total = sum(a.total() for a in expected)
            differs |= one.exact and (same < total or more > 0)
            picture_ms = statistics.fmean(spent)
            print(
                f"{one.name:24} {version(one.package):>16} {_megabytes(one.package):5.0f} {detector:9.1f} {crops:9.1f} "
                f"{picture_ms:10.1f} {share_of_yolo(picture_ms):>8} {apart:11.1e} {same:6} of {total}, {more} more",
                flush=True,
            )
    print(f"\n{'each net, ms':24}" + "".join(f" {path.stem:>16}" for path in MODELS) + f" {'all, of YOLO':>13}")
    for label, times in each.items():
        print(f"{label:24}" + "".join(f" {ms:16.2f}" for ms in times) + f" {share_of_yolo(sum(times)):>13}")
    print(f"\nchosen on this machine: {chosen(installed(), None)}")
    return int(differs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
