"""`lab.benchmarks.runtimes` and the unit of its times."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from lab.benchmarks import eye, runtimes, yolo_shaped
from lab.benchmarks.opened_nets import Open, net_name, reading_with
from lab.benchmarks.runtimes import Given, Runtime, Same
from vision.faces import index_classifier
from vision.faces.index_classifier import CORNER_MODEL
from vision.faces.ncnn_format import converted_net
from vision.faces.ncnn_session import NcnnSession
from vision.faces.net_forms import form_file
from vision.faces.onnx_session import open_session
from vision.faces.openvino_session import OpenVinoSession
from vision.faces.runtime_choice import open_net
from vision.faces.runtimes import OUTPUTS


def test_the_graph_has_the_weights_of_yolov8n_and_its_six_outputs(tmp_path: Path) -> None:
    """3.0 million weights and 52 classes, from 640 x 640 pixels."""
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "yolo.onnx"
    yolo_shaped.write_yolo_shaped(path)
    weights = sum(int(np.prod(one.dims)) for one in onnx.load(str(path)).graph.initializer)
    assert 2.9e6 < weights < 3.2e6
    outputs = open_session(path).run(None, {"picture": np.zeros((1, 3, 640, 640), np.float32)})
    shapes = [one.shape for one in outputs]
    assert shapes == [(1, width, side, side) for side in (80, 40, 20) for width in (64, 52)]


def test_a_share_is_a_dash_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """A time without its unit says nothing about another machine."""
    monkeypatch.setattr(yolo_shaped, "yolo_ms", lambda: None)
    assert yolo_shaped.share_of_yolo(5.0) == "–"
    monkeypatch.setattr(yolo_shaped, "yolo_ms", lambda: 50.0)
    assert yolo_shaped.share_of_yolo(5.0) == "0.100"


def test_a_time_is_printed_with_its_share(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One helper for every table: the time, then its share, in columns of a known width."""
    monkeypatch.setattr(yolo_shaped, "yolo_ms", lambda: 50.0)
    assert yolo_shaped.with_share(3.14159) == "     3.1    0.063"
    assert yolo_shaped.with_share(3.14159, 6, 2) == "  3.14    0.063"
    assert yolo_shaped.shares(5.0, 100.0, width=7) == "  0.100  2.000"
    yolo_shaped.print_yolo()
    assert capsys.readouterr().out.endswith("in this run: 50.0 ms\n")


WAITS = {
    "club": "of a network, for other processes",
    "rfid": "of a simulated line",
    "score": "it only counts",
    "yolo_shaped": "the unit itself",
    "degradations": "printed without times",
    "half_indices": "seeds",
    "heaps": "seeds",
}
"""Modules whose milliseconds are not printed, or are no work of a processor."""


def test_every_benchmark_that_prints_milliseconds_prints_their_share() -> None:
    """Of the same graph, which is measured once in a run."""
    folder = Path(yolo_shaped.__file__).parent
    sources = {file.stem: file.read_text("utf-8") for file in folder.glob("*.py")}
    pattern = re.compile(r"\b(1e3|1000) \*|\* (1e3|1000)\b|\.(mean_)?ms(_a_frame)?\b")
    timed = {name for name, source in sources.items() if pattern.search(source)}
    assert {"decks", "eye", "faces", "laying", "latency", "marks", "placements", "reading", "runtimes"} <= timed
    assert {name for name in timed if "yolo_shaped import" not in sources[name]} == set(WAITS)


def test_a_row_of_the_pipeline_has_shares_below_its_times(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One for each of the five times."""
    monkeypatch.setattr(yolo_shaped, "yolo_ms", lambda: 50.0)
    eye.measure("aruco")
    times, of_yolo = capsys.readouterr().out.splitlines()
    expected = [float(word) / 50 for word in times.split()[1:6]]
    assert [float(word) for word in of_yolo.split()[2:]] == pytest.approx(expected, abs=2e-3)


def test_a_runtime_that_is_not_installed_says_so() -> None:
    """It is left out, with the package to install."""
    assert Runtime("none", "no_such_runtime", open_session).missing() == "no_such_runtime is not installed"
    assert Runtime("onnxruntime", "onnxruntime", open_session).missing() == ""
    assert Runtime("one", "onnxruntime", open_session, needs=("no_such_tool",)).missing().startswith("no_such_tool")


def test_a_reader_is_given_the_runtime_and_the_next_one_is_not() -> None:
    """Every net of the reader is opened with it."""
    opened: list[str] = []

    def noted(path: Path) -> Any:
        opened.append(net_name(path))
        return open_session(path)

    with reading_with(noted), reading_with(noted, "german"):
        pass
    assert set(opened) == set(OUTPUTS)
    assert vars(index_classifier)["open_net"] is open_net


def test_cards_are_compared_picture_by_picture() -> None:
    """One that is missing in a picture is not made up for by one that is read in another."""
    ace, king = Counter(["AS"]), Counter(["KS"])
    assert Same.of([ace, king], [ace, king]).all_same
    assert str(Same.of([ace, king], [king, ace])) == "0 of 2, 2 more"
    assert not Same.of([ace], [ace + king]).all_same
    assert not Same.of([ace + king], [ace]).all_same


def test_every_nth_photograph_is_read(tmp_path: Path) -> None:
    """Counted through all sets."""
    for name in ("first", "second"):
        (tmp_path / name / "images").mkdir(parents=True)
        (tmp_path / name / "truth.json").write_text(json.dumps([{"image": f"{k}.png"} for k in range(3)]))
        for k in range(3):
            cv2.imwrite(str(tmp_path / name / "images" / f"{k}.png"), np.full((8, 8 + k, 3), 90, np.uint8))
    assert [picture.shape[1] for picture in runtimes.inputs(tmp_path, 2).pictures] == [8, 10, 9]
    assert len(runtimes.inputs(tmp_path).pictures) == 1


@pytest.fixture(scope="module")
def given() -> Given:
    """The inputs of the nets."""
    return runtimes.inputs(None)


def test_every_net_of_the_reader_is_measured(given: Given) -> None:
    """With its input and the names of its outputs."""
    assert set(given.nets) == set(runtimes.MODELS)
    for path in runtimes.MODELS:
        assert len(open_session(path).run(runtimes.outputs_of(path), given.nets[path])) == len(
            runtimes.outputs_of(path)
        )


@pytest.mark.parametrize("path", runtimes.MODELS, ids=net_name)
@pytest.mark.parametrize("opened", [NcnnSession, OpenVinoSession])
def test_another_runtime_gives_what_onnxruntime_gives(opened: Open, path: Path, given: Given) -> None:
    """The nets as trained, and in the form of floats; those answer as the integers do."""
    pytest.importorskip("ncnn" if opened is NcnnSession else "openvino")
    nets = given.nets[path]
    names = runtimes.outputs_of(path)
    for file, expected in {path: path, form_file(path, "floats"): form_file(path, "integers")}.items():
        for one, other in zip(opened(file).run(names, nets), open_session(expected).run(names, nets), strict=True):
            assert np.abs(one - other).max() < 1e-5


def test_a_layer_of_another_kind_is_not_converted(tmp_path: Path) -> None:
    """For ncnn; onnxruntime then runs the net."""
    onnx = pytest.importorskip("onnx")
    model = onnx.load(str(form_file(CORNER_MODEL, "floats")))
    next(node for node in model.graph.node if node.op_type == "Mul").op_type = "Sub"
    onnx.save(model, str(tmp_path / "sub.onnx"))
    model = onnx.load(str(CORNER_MODEL))
    layer = next(node for node in model.graph.node if node.op_type == "Conv")
    next(one for one in layer.attribute if one.name == "group").i = 2
    onnx.save(model, str(tmp_path / "groups.onnx"))
    for path in (tmp_path / "sub.onnx", tmp_path / "groups.onnx", form_file(CORNER_MODEL, "integers")):
        with pytest.raises(ValueError, match="is not converted"):
            converted_net(path)
