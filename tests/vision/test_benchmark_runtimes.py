"""`benchmarks.runtimes` and the unit of its times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import runtimes, yolo_shaped
from benchmarks.runtimes import Given, Runtime
from vision.faces import index_classifier
from vision.faces.card_classifier import CARD_MODEL
from vision.faces.detector_gate import GATE_MODEL
from vision.faces.index_classifier import CORNER_MODEL
from vision.faces.index_detector import DETECTOR_MODEL
from vision.faces.onnx_session import open_session
from vision.faces.suit_finder import SUIT_MODEL


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


def test_a_runtime_that_is_not_installed_says_so() -> None:
    """It is left out, with the package to install."""
    assert Runtime("none", "no_such_runtime", open_session).missing() == "no_such_runtime is not installed"
    assert Runtime("onnxruntime", "onnxruntime", open_session).missing() == ""
    assert Runtime("one", "onnxruntime", open_session, needs=("no_such_tool",)).missing().startswith("no_such_tool")


def test_a_reader_is_given_the_runtime_and_the_next_one_is_not() -> None:
    """Every net of the reader is opened with it."""
    opened: list[str] = []

    def noted(path: Path) -> Any:
        opened.append(path.name)
        return open_session(path)

    with runtimes.reading_with(noted):
        pass
    assert sorted(set(opened)) == sorted(path.name for path in runtimes.MODELS)
    assert vars(index_classifier)["open_session"] is open_session


@pytest.fixture(scope="module")
def given() -> Given:
    """The inputs of the nets."""
    pytest.importorskip("ncnn")
    pytest.importorskip("onnx")
    return runtimes.inputs(None)


@pytest.mark.parametrize(
    "path", [DETECTOR_MODEL, GATE_MODEL, CORNER_MODEL, SUIT_MODEL, CARD_MODEL], ids=lambda path: path.stem
)
def test_ncnn_gives_what_onnxruntime_gives(path: Path, given: Given, tmp_path: Path) -> None:
    """Its nets are written from the same files."""
    nets = given.nets[path]
    names = runtimes.outputs_of(path)
    expected = open_session(path).run(names, nets)
    found = runtimes.NcnnNet(path, tmp_path).run(names, nets)
    for one, other in zip(found, expected, strict=True):
        assert np.abs(one - other).max() < 1e-4
