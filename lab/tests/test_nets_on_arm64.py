"""`lab.nets_on_arm64`: what counts as the same answer, and how answers and failures are reported."""

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

from lab import nets_inside
from lab.nets_on_arm64 import FORMS, answer_on, compared, inputs_and_pictures, report, same_cards
from tests.drawing.net_inputs import OUTPUTS
from tools.release.chroots import Chroot, ReleaseError

NET = "glyphs.onnx crops 0 rank"


def test_outputs_are_compared_by_value_and_by_what_they_decide() -> None:
    """A different class, or a cell that counts on one side only, is a different decision."""
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
    cards = [["KS", 0.9912], ["2H", 0.95]]
    assert same_cards([cards], [cards]) == (2, 2)
    assert same_cards([cards], [[cards[0], ["2H", 0.9501]]]) == (2, 1)
    assert same_cards([cards], [cards[:1]]) == (2, 0)


@pytest.fixture(scope="module")
def arrays() -> dict[str, npt.NDArray[Any]]:
    """The inputs of the nets, and the pictures."""
    return inputs_and_pictures()


def test_every_net_has_inputs_and_every_kind_of_picture_is_there(arrays: dict[str, npt.NDArray[Any]]) -> None:
    assert {key.split()[0] for key in arrays} == {*OUTPUTS, "picture"}
    assert sum(key.startswith("picture ") for key in arrays) == 5
    assert sum(key.startswith("picture german ") for key in arrays) == 1


def test_the_answers_of_both_forms_are_reported(
    arrays: dict[str, npt.NDArray[Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same answers are right; pictures in which no card is read are not."""
    kept = {
        key: value
        for key, value in arrays.items()
        if not key.startswith("picture ") or "far away" in key or "german" in key
    }
    np.savez(tmp_path / "inputs.npz", **kept)
    nets_inside.main(tmp_path, "integers")
    here = tmp_path / f"integers-{os.uname().machine}"
    assert [len(cards) for cards in json.loads(Path(f"{here}.json").read_text())] == [1, 8]
    (tmp_path / "cortex").mkdir()
    for form, kind in product(FORMS, ("npz", "json")):
        (tmp_path / "cortex" / f"{form}-aarch64.{kind}").write_bytes(Path(f"{here}.{kind}").read_bytes())
    assert report(tmp_path, "cortex")
    assert capsys.readouterr().out.count("45 of 45") == 2
    (tmp_path / "cortex" / "floats-aarch64.json").write_text("[[], []]")
    assert not report(tmp_path, "cortex")
    assert "0 of 9" in capsys.readouterr().out


def test_a_form_that_fails_is_reported(
    arrays: dict[str, npt.NDArray[Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = {f"{key} rank": np.eye(2, dtype=np.float32) for key in arrays if key.startswith("glyphs")}

    class Failing(Chroot):
        """A system in which the form with floats fails."""

        def run(self, command: Sequence[str], *, quiet: bool = False, check: bool = True) -> str:
            """Answer as `nets_inside` does."""
            form = command[-1]
            if form == "floats":
                raise ReleaseError("python3: exit status 1\nTraceback\nno such layer")
            np.savez(self.root / "nets" / f"{form}-aarch64.npz", **answers)
            (self.root / "nets" / f"{form}-aarch64.json").write_text("[]")
            return ""

    np.savez(tmp_path / f"integers-{os.uname().machine}.npz", **answers)
    (tmp_path / f"integers-{os.uname().machine}.json").write_text("[]")
    (tmp_path / "nets").mkdir()
    answer_on(Failing(tmp_path), "cortex", tmp_path / "cortex")
    assert not report(tmp_path, "cortex")
    out = capsys.readouterr().out
    assert "3 of 3" in out and "floats       failed: no such layer" in out
