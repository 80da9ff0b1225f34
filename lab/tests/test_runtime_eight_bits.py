"""8 bits as runtimes round them: what they are calibrated on, and that each answers nearly as with 32."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lab.benchmarks import runtime_eight_bits
from lab.benchmarks.recorded_inputs import _Notes, recorded
from lab.benchmarks.runtime_eight_bits import LARGEST, opener, prepare
from vision.faces.crops import GAIN, MIDDLE, PAPER
from vision.faces.ncnn_format import _in_8_bits
from vision.faces.onnx_session import open_session
from vision.faces.runtime_measuring import inputs
from vision.faces.runtimes import NETS_FOLDER, OUTPUTS, NetInputs

SMALL = ("detector_gate.onnx", "german/glyphs.onnx", "suit_finder.onnx")
"""A net with each kind of layer, and one for German suits."""


@pytest.fixture(scope="module")
def calibration() -> dict[str, NetInputs]:
    """A few inputs of each net."""
    return recorded(1, 3)


def test_every_net_is_given_inputs_by_the_reader(calibration: dict[str, NetInputs]) -> None:
    """No more than are asked for, with the names of the net's inputs."""
    assert set(calibration) == set(OUTPUTS)
    for net, given in calibration.items():
        names = {one.name for one in open_session(NETS_FOLDER / net).get_inputs()}
        assert 1 <= len(given) <= 3
        assert all(set(one) == names for one in given)


def test_weights_of_8_bits_have_a_scale_for_each_output() -> None:
    """The largest of an output is 127; the integers are filled up to whole words, and all scales follow the bias."""
    factor = np.array([[1, -0.5, 0.25], [0, 0.01, -0.02]], np.float32)
    written = _in_8_bits(factor, np.array([3, 4], np.float32), 2.0)
    assert written[:4] == (0x000D4B38).to_bytes(4, "little")
    assert list(np.frombuffer(written[4:12], np.int8)) == [127, -64, 32, 0, 64, -127, 0, 0]
    assert np.frombuffer(written[12:], "<f4") == pytest.approx([3, 4, 127, 6350, 63.5])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, calibration: dict[str, NetInputs]) -> Path:
    """Some nets with 8 bits."""
    pytest.importorskip("onnx")
    made = tmp_path_factory.mktemp("eight")
    prepare(made, {net: calibration[net] for net in SMALL})
    return made


def test_the_largest_values_are_those_of_the_inputs(folder: Path, calibration: dict[str, NetInputs]) -> None:
    """Also of the first layer, which is given the net's input, shifted and scaled."""
    stored = json.loads((folder / LARGEST).read_text())
    assert set(stored) == set(SMALL)
    cards = [one["cards"].astype(float) for one in calibration["suit_finder.onnx"]]
    seen = max(np.abs(one / PAPER - MIDDLE).max() * GAIN for one in cards)
    assert len(stored["suit_finder.onnx"]) == 6 and pytest.approx(seen) in stored["suit_finder.onnx"].values()
    black = [{"cards": np.zeros_like(calibration["suit_finder.onnx"][0]["cards"])}]
    darkest = runtime_eight_bits.largest(NETS_FOLDER / "suit_finder.onnx", black)
    assert pytest.approx(MIDDLE * GAIN) in darkest.values()


@pytest.mark.parametrize("net", SMALL)
@pytest.mark.parametrize("runtime", ["openvino", "ncnn"])
def test_a_net_with_8_bits_answers_nearly_the_same(runtime: str, net: str, folder: Path) -> None:
    """But not the same: it is another net, and its weights are rounded."""
    pytest.importorskip(runtime)
    found, expected = opener(runtime, folder)(NETS_FOLDER / net), open_session(NETS_FOLDER / net)
    (given,) = inputs(1)
    names = list(OUTPUTS[net])
    for one, other in zip(found.run(names, given[net]), expected.run(names, given[net]), strict=True):
        assert 1e-4 < np.abs(one - other).max() < 0.5


def test_inputs_are_kept_evenly() -> None:
    """Every eighth of twenty, when no more than three are asked for."""
    notes = _Notes(3)
    for number in range(20):
        notes.note({"crops": number})
    assert [int(one["crops"]) for one in notes.even()] == [0, 8, 16]
