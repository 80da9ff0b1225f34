"""`lab.nets_on_arm64`: what counts as the same answer, and what the emulated system says of its processor."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from lab import nets_inside, nets_on_arm64
from lab.nets_on_arm64 import OWN, RUN, answer_on, compared, describe_processor, given, report, same_cards
from tools.release.chroots import Chroot, ReleaseError
from vision.faces.runtimes import ONNX, OUTPUTS

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
    assert compared(expected, expected | {NET: np.zeros((0, 2), np.float32)}) == (math.inf, [NET])


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
    assert sum(key.startswith("picture german ") for key in some) == 1


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
    nets_inside.main(tmp_path, ONNX, "integers")
    own = tmp_path / f"{ONNX}-integers-{os.uname().machine}"
    assert [len(cards) for cards in json.loads(Path(f"{own}.json").read_text())] == [1, 8]
    (tmp_path / "cortex").mkdir()
    for (runtime, form), kind in product(RUN, ("npz", "json")):
        (tmp_path / "cortex" / f"{runtime}-{form}-aarch64.{kind}").write_bytes(Path(f"{own}.{kind}").read_bytes())
    assert report(tmp_path, "cortex")
    assert capsys.readouterr().out.count("45 of 45") == len(RUN)
    for form, right in ((OWN, True), ("floats", False)):
        (tmp_path / "cortex" / f"ncnn-{form}-aarch64.json").write_text("[[], []]")
        assert report(tmp_path, "cortex") is right
        assert capsys.readouterr().out.count("0 of 9") == (2 if right else 4)


def test_a_runtime_that_fails_is_reported(
    some: dict[str, npt.NDArray[Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its own 8 bits the command goes on, and is right; with floats it is not."""
    answers = {f"{key} rank": np.eye(2, dtype=np.float32) for key in some if key.startswith("glyphs")}

    class Failing(Chroot):
        """A system in which one runtime fails, once in the end with floats too."""

        fails = ("openvino", OWN)

        def run(self, command: Sequence[str], *, quiet: bool = False, check: bool = True) -> str:
            """Answer as `nets_inside` does."""
            runtime, form = command[-2:]
            np.savez(self.root / "nets" / f"{runtime}-{form}-aarch64.npz", **answers)
            if (runtime, form) == self.fails:
                raise ReleaseError("python3: exit status 1\nTraceback\nno such layer")
            (self.root / "nets" / f"{runtime}-{form}-aarch64.json").write_text("[]")
            return ""

    np.savez(tmp_path / f"{ONNX}-integers-{os.uname().machine}.npz", **answers)
    (tmp_path / f"{ONNX}-integers-{os.uname().machine}.json").write_text("[]")
    (tmp_path / "nets").mkdir()
    system = Failing(tmp_path)
    for right in (True, False):
        answer_on(system, "cortex", tmp_path / f"cortex {right}")
        assert report(tmp_path, f"cortex {right}") is right
        (line,) = (line for line in capsys.readouterr().out.splitlines() if line.endswith("ended: no such layer"))
        assert "3 of 3" in line
        Failing.fails = ("ncnn", "floats")
