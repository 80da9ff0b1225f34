"""The two forms of a net, written from its trained weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vision.faces.net_forms import AS_TRAINED, FORMS, form_file
from vision.faces.onnx_session import open_session
from vision.faces.runtime_measuring import inputs
from vision.faces.runtimes import NETS_FOLDER, OUTPUTS, NetInputs

pytest.importorskip("onnx")


def calibration(net: str) -> NetInputs:
    """Two inputs of a net."""
    return [given[net] for given in inputs(2)]


@pytest.mark.parametrize("net", ["glyphs.onnx", "index_detector.onnx", "suit_finder.onnx"])
def test_written_forms_answer_like_the_net(net: str, tmp_path: Path) -> None:
    """Nets of each kind: with a layer that sees all of its input, with uint8 grey levels, with a softmax of cells."""
    from vision.training.eight_bits import write

    integers, floats = (tmp_path / f"{form}.onnx" for form in FORMS)
    write(NETS_FOLDER / net, calibration(net), integers, floats)
    sessions = [open_session(path) for path in (NETS_FOLDER / net, integers, floats)]
    for given in inputs(3):
        answers = [session.run(list(OUTPUTS[net]), given[net]) for session in sessions]
        for trained, whole, held in zip(*answers, strict=True):
            assert np.abs(whole - held).max() < 1e-6
            assert 1e-5 < np.abs(whole - trained).max() < 0.4


def test_weights_are_those_of_the_trained_net(tmp_path: Path) -> None:
    """They do not depend on the calibration, so that the files in the project are those of the trained weights."""
    import onnx

    from vision.training.eight_bits import write

    for net in sorted(set(OUTPUTS) - AS_TRAINED):
        write(NETS_FOLDER / net, calibration(net), tmp_path / "integers.onnx", tmp_path / "floats.onnx")
        pairs = (
            onnx.load(str(path)).graph.initializer
            for path in (tmp_path / "integers.onnx", form_file(NETS_FOLDER / net, "integers"))
        )
        whole = [
            [onnx.numpy_helper.to_array(one) for one in some if one.data_type == onnx.TensorProto.INT8]
            for some in pairs
        ]
        assert len(whole[0]) == len(whole[1]) >= 10
        assert all(np.array_equal(one, other) for one, other in zip(*whole, strict=True))
