"""`tools.nets_on_arm64`: what counts as the same answer, and what the emulated system says of its processor."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tools import nets_inside, nets_on_arm64
from tools.nets_on_arm64 import compared, describe_processor, given, report, same_cards
from vision.faces import runtime_choice
from vision.faces.runtimes import NEEDED, ONNX, OUTPUTS

NET = "glyphs.onnx crops 0 rank"


def test_outputs_are_compared_by_value_and_by_what_they_decide() -> None:
    """A class that is another one, or a cell that counts on one side alone, decides otherwise."""
    expected = {
        NET: np.array([[0.6, 0.4]], np.float32),
        "detector_gate.onnx picture 0 gate": np.full((1, 1, 1, 1), 0.5),
    }
    assert compared(expected, expected) == (0.0, [])
    other = {NET: np.array([[0.4, 0.6]], np.float32), "detector_gate.onnx picture 0 gate": np.full((1, 1, 1, 1), 0.499)}
    apart, others = compared(expected, other)
    assert apart == pytest.approx(0.2)
    assert others == list(expected)


def test_a_card_with_another_confidence_or_missing_is_not_the_same() -> None:
    cards = [["KS", 0.9912, []], ["2H", 0.95, []]]
    assert same_cards([cards], [cards]) == (2, 2)
    assert same_cards([cards], [[cards[0], ["2H", 0.9501, []]]]) == (2, 1)
    assert same_cards([cards], [cards[:1]]) == (2, 0)


@pytest.fixture(scope="module")
def some() -> dict[str, npt.NDArray[Any]]:
    """The inputs of the nets, and the pictures."""
    return given()


def test_every_net_has_inputs_and_every_kind_of_picture_is_there(some: dict[str, npt.NDArray[Any]]) -> None:
    assert {key.split()[0] for key in some} == {*OUTPUTS, "picture"}
    assert sum(key.startswith("picture ") for key in some) == 5
    assert sum("german suits" in key for key in some) == 1


def test_a_system_of_another_kind_gets_a_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nets_on_arm64, "NATIVE", "amd64")
    describe_processor(tmp_path, "0x1")
    described = tmp_path / "sys/devices/system/cpu"
    assert (described / "cpu0/regs/identification/midr_el1").read_text() == "0x1\n"
    assert not (described / "present").exists()
    monkeypatch.setattr(nets_on_arm64, "NATIVE", "arm64")
    describe_processor(tmp_path / "pi", "0x1")
    assert not (tmp_path / "pi").exists()


def test_what_a_runtime_answered_is_reported(
    some: dict[str, npt.NDArray[Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The same answers are right; one card that is read otherwise is not."""
    kept = {
        key: value
        for key, value in some.items()
        if not key.startswith("picture ") or "far away" in key or "german" in key
    }
    np.savez(tmp_path / "given.npz", **kept)
    monkeypatch.setattr(runtime_choice, "runtime_here", lambda: ONNX)
    nets_inside.main(tmp_path, ONNX)
    own = tmp_path / f"{ONNX}-{os.uname().machine}"
    assert [len(cards) for cards in json.loads(Path(f"{own}.json").read_text())] == [1, 8]
    (tmp_path / "cortex").mkdir()
    for runtime in NEEDED:
        for kind in ("npz", "json"):
            (tmp_path / "cortex" / f"{runtime}-aarch64.{kind}").write_bytes(Path(f"{own}.{kind}").read_bytes())
    assert report(tmp_path, "cortex")
    assert capsys.readouterr().out.count("45 of 45") == len(NEEDED)
    (tmp_path / "cortex" / "ncnn-aarch64.json").write_text("[[], []]")
    assert not report(tmp_path, "cortex")
