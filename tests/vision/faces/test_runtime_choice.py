"""Which runtime runs the nets: the choice with given measurements, and the answers of the real ones."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.benchmarks.reading import pictures
from tests.drawing.cards import row
from vision.faces import FaceReader, runtime_choice, runtime_measuring
from vision.faces.index_classifier import CORNER_MODEL
from vision.faces.net_forms import form_file, form_here
from vision.faces.net_threads import net_threads
from vision.faces.onnx_session import open_session
from vision.faces.runtime_choice import AUTO, VARIABLE, chosen, fastest, machine, measured_apart, open_net, wanted
from vision.faces.runtime_measuring import measure
from vision.faces.runtimes import MOST_APART, NEEDED, ONNX, OUTPUTS, Measured, installed, open_with
from vision.frames import Image

FOLDER = CORNER_MODEL.parent
EVERY = ("onnxruntime", "openvino", "ncnn")


def of(*measured: Measured) -> tuple[Callable[[str], Measured], list[str]]:
    """Return what measures by looking up `measured`, and the list of what it was asked for."""
    asked: list[str] = []

    def look_up(name: str) -> Measured:
        asked.append(name)
        return {one.name: one for one in measured}[name]

    return look_up, asked


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        ([], ONNX),
        ([Measured("ncnn", 0.53, 2e-6, True)], "ncnn"),
        ([Measured("ncnn", 0.95, 2e-6, True)], ONNX),
        ([Measured("ncnn", 0.6, 2e-6, True), Measured("openvino", 0.5, 2e-6, True)], "openvino"),
        ([Measured("ncnn", 0.6, 2e-6, True), Measured("openvino", 0.5, 2e-6, False)], "ncnn"),
        ([Measured("ncnn", 0.4, 10 * MOST_APART, True)], ONNX),
    ],
    ids=["none", "faster", "hardly faster", "fastest", "decides otherwise", "differs"],
)
def test_the_fastest_that_agrees_is_chosen(measured: list[Measured], expected: str) -> None:
    assert fastest(measured) == expected


def test_the_choice_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "cardtable" / "runtime.json"
    look_up, asked = of(Measured("openvino", 1.2, 2e-6, True), Measured("ncnn", 0.5, 2e-6, True))
    assert chosen(EVERY, file, look_up) == "ncnn"
    assert chosen(EVERY, file, look_up) == "ncnn"
    assert asked == ["openvino", "ncnn"]


def test_another_machine_other_versions_or_nets_are_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "runtime.json"
    look_up, asked = of(Measured("ncnn", 0.5, 2e-6, True))
    assert chosen((ONNX, "ncnn"), file, look_up) == "ncnn"
    monkeypatch.setattr(runtime_choice, "machine", lambda names: ["a Raspberry Pi 5"])
    slower, again = of(Measured("ncnn", 1.5, 2e-6, True))
    assert chosen((ONNX, "ncnn"), file, slower) == ONNX
    assert chosen((ONNX, "ncnn"), file, slower) == ONNX
    assert asked == again == ["ncnn"]


def test_a_machine_is_its_processor_its_runtimes_and_its_nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cpu = tmp_path / "cpuinfo"
    cpu.write_text("processor\t: 0\nCPU part\t: 0xd0b\nprocessor\t: 1\nCPU part\t: 0xd0b\nModel\t: Raspberry Pi 5\n")
    monkeypatch.setattr(runtime_choice, "_CPUINFO", cpu)
    first = machine((ONNX,))
    assert first[1:3] == ["CPU part: 0xd0b", "Model: Raspberry Pi 5"]
    assert first[3] == f"{net_threads()} threads" and first[4].startswith("onnxruntime 1.")
    monkeypatch.setattr(runtime_choice, "OUTPUTS", {"glyphs.onnx": ("rank", "suit")})
    assert machine((ONNX,))[-1] != first[-1]
    monkeypatch.setattr(runtime_choice, "_CPUINFO", tmp_path / "none")
    assert machine((ONNX,))[3].startswith("onnxruntime 1.")
    monkeypatch.setattr(runtime_choice, "net_threads", lambda: 7)
    assert machine((ONNX,))[2] == "7 threads"


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"machine": 1, "runtime": "ncnn"}', "\udcff", pytest.param("[" * 99999, id="deep")]
)
def test_a_file_that_says_nothing_is_written_again(content: str, tmp_path: Path) -> None:
    file = tmp_path / "runtime.json"
    file.write_bytes(content.encode("utf-8", "surrogateescape"))
    look_up, asked = of(Measured("ncnn", 0.5, 2e-6, True))
    assert chosen((ONNX, "ncnn"), file, look_up) == chosen((ONNX, "ncnn"), file, look_up) == "ncnn"
    assert asked == ["ncnn"]


def test_a_start_that_ends_while_it_measures_is_not_repeated(tmp_path: Path) -> None:
    """Such as one that a watchdog ends: the next one has onnxruntime."""

    def ended(name: str) -> Measured:
        raise KeyboardInterrupt

    file = tmp_path / "runtime.json"
    with pytest.raises(KeyboardInterrupt):
        chosen((ONNX, "ncnn"), file, ended)
    assert chosen((ONNX, "ncnn"), file, ended) == ONNX


def test_without_a_folder_the_choice_is_not_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").touch()
    for file in (None, tmp_path / "file" / "runtime.json"):
        look_up, _ = of(Measured("ncnn", 0.5, 2e-6, True))
        assert chosen((ONNX, "ncnn"), file, look_up) == "ncnn"
    assert "is not kept" in caplog.text


def test_onnxruntime_alone_is_not_measured() -> None:
    def never() -> str:
        raise AssertionError

    assert wanted(AUTO, (ONNX,), never) == ONNX
    assert wanted(AUTO, EVERY, lambda: "ncnn") == "ncnn"
    assert wanted("openvino", EVERY, never) == "openvino"


@pytest.mark.parametrize(("asked", "said"), [("ncnn", "ncnn is not installed"), ("tvm", "tvm is not one of auto, ")])
def test_a_runtime_that_is_not_there_is_replaced(asked: str, said: str, caplog: pytest.LogCaptureFixture) -> None:
    assert wanted(asked, (ONNX,), lambda: "never") == ONNX
    assert said in caplog.text


def test_a_net_that_the_runtime_cannot_open_is_run_by_onnxruntime(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def opened(runtime: str, path: Path, memory_arena: bool = True) -> Any:
        if runtime == ONNX:
            return open_with(runtime, path, memory_arena)
        raise RuntimeError("no such layer")

    monkeypatch.setattr(runtime_choice, "runtime_here", lambda: "ncnn")
    monkeypatch.setattr(runtime_choice, "open_with", opened)
    given = {"crops": np.zeros((1, 80, 48, 4), np.uint8)}
    here = open_session(form_file(CORNER_MODEL, form_here()))
    found, expected = (one.run(["rank"], given)[0] for one in (open_net(CORNER_MODEL), here))
    assert np.array_equal(found, expected)
    assert "ncnn cannot open index_classifier.onnx, onnxruntime does: no such layer" in caplog.text


def test_nets_for_german_suits_are_compared_and_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reading of French suits does not run them."""

    class Other:
        """A slow session whose last class is always the likeliest."""

        def __init__(self, path: Path) -> None:
            self._session = open_session(path)

        def run(self, names: list[str], given: dict[str, Any]) -> list[Any]:
            time.sleep(0.03)
            found = self._session.run(names, given)
            for one in found:
                one[:, -1] += 2
            return list(found)

    def opened(runtime: str, path: Path) -> Any:
        german = runtime != ONNX and "german" in path.parts
        return Other(path) if german else open_session(path)

    monkeypatch.setattr(runtime_measuring, "open_with", opened)
    found = measure("ncnn")
    assert not found.same and found.apart == pytest.approx(2)
    monkeypatch.setattr(runtime_measuring, "TIMED", tuple(OUTPUTS))
    assert measure("ncnn").share > found.share


def test_a_measurement_is_a_process_of_its_own() -> None:
    """With onnxruntime in the place of another one, whose answers are the same bits."""
    found = measured_apart(ONNX)
    assert (found.name, found.apart, found.same) == (ONNX, 0.0, True)
    assert found.share > 0


def test_a_runtime_that_ends_its_process_is_not_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    crashing = tmp_path / "python"
    crashing.write_text("#!/bin/sh\nkill -ILL $$\n")
    crashing.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(crashing))
    assert not measured_apart("ncnn").agrees
    assert "ncnn cannot run the nets" in caplog.text


def test_a_runtime_that_hangs_is_not_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hanging = tmp_path / "python"
    hanging.write_text("#!/bin/sh\nread line < /dev/zero\n")
    hanging.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(hanging))
    monkeypatch.setattr(runtime_choice, "LONGEST_S", 0.05)
    assert not measured_apart("ncnn").agrees
    assert "ncnn cannot run the nets" in caplog.text and "timed out" in caplog.text


def test_the_reader_opens_every_net_with_the_runtime_of_the_environment(tmp_path: Path) -> None:
    """One that is not installed is replaced, with a line in the log; no file is written."""
    asked = next((name for name in NEEDED if name not in installed()), "no-such-runtime")
    program = "import logging; logging.basicConfig(); from vision.faces import FaceReader; FaceReader()"
    environment = os.environ | {VARIABLE: asked, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert f"{VARIABLE}: {asked} is not " in done.stderr
    assert not list(tmp_path.rglob("*"))


@pytest.fixture
def runtime(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Read with a runtime, if it is installed."""
    name: str = request.param
    if name not in installed():
        pytest.skip(f"{name} is not installed")
    monkeypatch.setattr(runtime_choice, "runtime_here", lambda: name)
    yield name


@pytest.fixture(scope="module")
def seen() -> list[tuple[Image, float | None]]:
    """Drawn pictures of unknown scale, and one at a table."""
    some: list[tuple[Image, float | None]] = [(one, None) for kind in pictures(2).values() for one in kind]
    return [*some, (row(3.0, 5)[0], 1 / 3)]


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["openvino", "ncnn"], indirect=True)
def test_another_runtime_reads_the_same(
    runtime: str, seen: list[tuple[Image, float | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same cards with the confidence, of four digits, that `cardtable see --json` prints."""

    def read() -> list[list[tuple[str, float, list[Any]]]]:
        reader = FaceReader()
        return [
            [(str(one.face), round(one.confidence, 4), one.outline.round(1).tolist()) for one in reader.read(*given)]
            for given in seen
        ]

    found = read()
    monkeypatch.setattr(runtime_choice, "runtime_here", lambda: ONNX)
    assert found == read()
    assert sum(map(len, found)) > 30


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["openvino", "ncnn"], indirect=True)
def test_another_runtime_answers_the_same(runtime: str) -> None:
    found = measure(runtime)
    assert found.agrees and found.apart > 0


def test_openvino_keeps_nothing_in_the_home(tmp_path: Path) -> None:
    """By itself it writes a number of this machine there, and reports its use."""
    if "openvino" not in installed():
        pytest.skip("openvino is not installed")
    program = (
        "import sys; from vision.faces.runtimes import open_with; from vision.faces.index_classifier import "
        "CORNER_MODEL; open_with('openvino', CORNER_MODEL); assert 'openvino_telemetry' not in sys.modules"
    )
    environment = os.environ | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=60)
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize(("chosen_by_user", "waits"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "active"}, "ACTIVE")])
def test_a_waiting_thread_of_ncnn_leaves_its_core_alone(chosen_by_user: dict[str, str], waits: str) -> None:
    """Its library prints what it uses; the variable is not there afterwards unless the user has set it."""
    pytest.importorskip("ncnn")
    pytest.importorskip("onnx")
    program = (
        "import os; from vision.faces.runtimes import open_with; from vision.faces.index_classifier import "
        "CORNER_MODEL; open_with('ncnn', CORNER_MODEL); print(os.environ.get('OMP_WAIT_POLICY'))"
    )
    inherited = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    environment = inherited | chosen_by_user | {"OMP_DISPLAY_ENV": "true"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert f"OMP_WAIT_POLICY = '{waits}'" in done.stderr
    assert done.stdout.strip() == str(chosen_by_user.get("OMP_WAIT_POLICY"))
