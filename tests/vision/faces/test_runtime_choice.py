"""The runtime of the nets: chosen for a machine, refused with what to do, and with the same answers."""

from __future__ import annotations

from pathlib import Path

import cv2
import pytest

from benchmarks.drawn.cards import DrawnTable, face_picture
from cardtable.cli import main
from engine.cards import parse_card
from vision.faces import FaceReader
from vision.faces import onnx_session as runtime
from vision.faces.index_classifier import CORNER_MODEL
from vision.frames import Image
from vision.readings import MissingLibrary


def picture() -> Image:
    table = DrawnTable((1280, 720))
    for k, name in enumerate(("QH", "7S", "10D", "AC")):
        table.lay(face_picture(parse_card(name)), (220 + 270 * k, 360), 17 * k)
    return table.photo(1)


def test_an_unknown_runtime_is_refused_with_those_that_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(runtime.VARIABLE, "tensorrt")
    cv2.imwrite(str(tmp_path / "cards.png"), picture())
    assert main(["see", str(tmp_path / "cards.png")]) == 1
    assert "set it to onnxruntime, openvino, ncnn, or leave it out" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["openvino", "ncnn"])
def test_a_runtime_that_is_not_installed_is_refused_with_what_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(path: Path) -> None:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setenv(runtime.VARIABLE, name)
    monkeypatch.setattr("vision.faces.openvino_net.OpenVinoNet", missing)
    monkeypatch.setattr("vision.faces.ncnn_net.NcnnNet", missing)
    with pytest.raises(MissingLibrary, match=f"pip install {name}"):
        runtime.open_session(CORNER_MODEL)


@pytest.mark.parametrize("name", ["openvino", "ncnn"])
def test_another_runtime_reads_the_same_cards_as_surely(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(name)
    pytest.importorskip("onnx")
    here = FaceReader().read(picture())
    monkeypatch.setenv(runtime.VARIABLE, name)
    there = FaceReader().read(picture())
    assert len(here) == 4
    assert [(one.face, f"{one.confidence:.3f}") for one in there] == [
        (one.face, f"{one.confidence:.3f}") for one in here
    ]


def test_without_the_variable_or_with_an_empty_one_it_is_onnxruntime(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("", "onnxruntime"):
        monkeypatch.setenv(runtime.VARIABLE, value)
        assert type(runtime.open_session(CORNER_MODEL)).__module__.startswith("onnxruntime")
