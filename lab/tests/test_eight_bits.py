"""The two forms of a net, written from its trained weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from lab.training.files import WEIGHTS
from tests.drawing.net_inputs import MOST_APART, OUTPUTS, NetInput, decisions, inputs
from vision.faces.net_forms import FORMS, form_file
from vision.faces.onnx_session import open_session

pytest.importorskip("onnx")


def calibration(net: str) -> list[NetInput]:
    """Two inputs of a net."""
    return [arrays[net] for arrays in inputs(2)]


@pytest.mark.parametrize("net", ["glyphs.onnx", "index_detector.onnx", "suit_finder.onnx"])
def test_written_forms_answer_like_the_net(net: str, tmp_path: Path) -> None:
    """Nets of each kind: with a layer that sees all of its input, for a picture, with a softmax of cells."""
    from lab.training.eight_bits import write

    integers, floats = (tmp_path / f"{form}.onnx" for form in FORMS)
    write(WEIGHTS / net, calibration(net), integers, floats)
    sessions = [open_session(path) for path in (WEIGHTS / net, integers, floats)]
    for arrays in inputs(3):
        answers = [session.run(list(OUTPUTS[net]), arrays[net]) for session in sessions]
        for trained, whole, held in zip(*answers, strict=True):
            assert np.abs(whole - held).max() < MOST_APART
            assert 1e-5 < np.abs(whole - trained).max() < 0.4


@pytest.mark.parametrize("net", sorted(OUTPUTS))
def test_the_reader_runs_the_net_as_trained_but_for_rounding(net: str) -> None:
    """What they decide is nearly always the same, and their inputs and outputs have the same types and shapes."""
    trained, *forms = (open_session(file) for file in (WEIGHTS / net, *(form_file(net, form) for form in FORMS)))
    for form in forms:
        for ours, theirs in ((form.get_inputs(), trained.get_inputs()), (form.get_outputs(), trained.get_outputs())):
            assert [(value.name, value.type, value.shape) for value in ours] == [
                (value.name, value.type, value.shape) for value in theirs
            ]
    names, differing = list(OUTPUTS[net]), 0.0
    for arrays in inputs(3):
        as_trained, *answers = (session.run(names, arrays[net]) for session in (trained, *forms))
        for answer in answers:
            for expected, output in zip(as_trained, answer, strict=True):
                assert np.abs(output - expected).max() < 0.4
                assert np.mean(decisions(net, output) == decisions(net, expected)) > 0.98
                differing = max(differing, float(np.abs(output - expected).max()))
    assert differing > 1e-5  # these are different nets


def test_every_trained_net_has_both_forms() -> None:
    """No other files are there."""
    assert {file.relative_to(WEIGHTS).as_posix() for file in WEIGHTS.rglob("*.onnx")} == set(OUTPUTS)


@pytest.mark.parametrize("net", sorted(OUTPUTS))
def test_the_written_forms_are_those_of_the_trained_net(net: str, tmp_path: Path) -> None:
    """A net that was trained again without writing its forms is noticed: scales and biases alone follow the inputs."""
    from lab.training.eight_bits import write

    write(WEIGHTS / net, calibration(net), tmp_path / "integers", tmp_path / "floats")
    for form in FORMS:
        written, kept = (_fixed(path) for path in (tmp_path / form, form_file(net, form)))
        assert len(written) == len(kept) >= 7
        for first, second in zip(written, kept, strict=True):
            assert first.shape == second.shape and np.allclose(first, second, rtol=1e-5, atol=1e-7)


def _fixed(path: Path) -> list[npt.NDArray[np.float64]]:
    """Return what no input changes: hidden weights, the direction of the others, their biases, temperatures."""
    import onnx

    graph = onnx.load(str(path)).graph
    values = {tensor.name: onnx.numpy_helper.to_array(tensor).astype(np.float64) for tensor in graph.initializer}
    found = [
        values[tensor.name]
        for tensor in graph.initializer
        if tensor.data_type == onnx.TensorProto.INT8 and len(tensor.dims) == 4
    ]
    for node in graph.node:
        if node.op_type in ("Conv", "Gemm") and node.input[1] in values:
            weights, bias = (values[name] for name in node.input[1:])
            found += [weights / np.linalg.norm(weights), bias]
        elif node.op_type == "Constant":
            found.append(onnx.numpy_helper.to_array(node.attribute[0].t).astype(np.float64))
    return found


def test_a_net_whose_sums_may_not_be_exact_is_not_written(tmp_path: Path) -> None:
    """A net without calibration inputs, or one that takes floats, is refused too."""
    import onnx

    from lab.training.eight_bits import write

    model = onnx.load(str(WEIGHTS / "glyphs.onnx"))
    bias = next(tensor for tensor in model.graph.initializer if len(tensor.dims) == 1)
    bias.CopyFrom(onnx.numpy_helper.from_array(np.full(bias.dims[0], 1e6, np.float32), bias.name))
    onnx.save(model, str(tmp_path / "large.onnx"))
    model = onnx.load(str(WEIGHTS / "detector_gate.onnx"))
    model.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    onnx.save(model, str(tmp_path / "floats.onnx"))
    picture = [{"picture": arrays["picture"].astype(np.float32)} for arrays in calibration("detector_gate.onnx")]
    out = tmp_path / "integers" / "net.onnx", tmp_path / "floats" / "net.onnx"
    for source, calibrating, message in (
        (tmp_path / "large.onnx", calibration("glyphs.onnx"), "exact in floats"),
        (WEIGHTS / "glyphs.onnx", [], "no inputs"),
        (tmp_path / "floats.onnx", picture, "takes floats"),
    ):
        with pytest.raises(ValueError, match=message):
            write(source, calibrating, *out)
    assert not any(path.exists() for path in out)
