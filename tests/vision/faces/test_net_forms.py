"""The two forms of the nets: which one a processor runs, and that both answer the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from tests.drawing.net_inputs import MOST_APART, OUTPUTS, difference, inputs
from vision.faces import FaceReader, onnx_session
from vision.faces.net_forms import FORMS, Form, faster_form, form_file, form_here
from vision.faces.onnx_session import open_session
from vision.faces.reader_nets import NETS

FOLDER = Path(onnx_session.__file__).parent
PI_4 = "processor\t: 0\nFeatures\t: fp asimd evtstrm crc32 cpuid\nCPU part\t: 0xd08\n"
PI_5 = "processor\t: 0\nFeatures\t: fp asimd evtstrm aes asimdhp asimddp\nCPU part\t: 0xd0b\n"


@pytest.mark.parametrize(
    ("processor", "cpuinfo", "expected"),
    [
        ("x86_64", "flags\t\t: sse2 avx2\n", "integers"),
        ("AMD64", "", "integers"),
        ("amd64", "", "integers"),
        ("aarch64", PI_4, "floats"),
        ("aarch64", PI_5, "integers"),
        ("aarch64", PI_5 + PI_4, "floats"),
        ("aarch64", "processor\t: 0\n", "floats"),
        ("riscv64", PI_5, "floats"),
    ],
    ids=["x86", "Windows", "FreeBSD", "Pi 4", "Pi 5", "two kinds of cores", "says nothing", "another"],
)
def test_integers_need_an_instruction_for_bytes(processor: str, cpuinfo: str, expected: Form, tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text(cpuinfo)
    assert faster_form(processor, tmp_path / "cpuinfo") == expected


@pytest.mark.parametrize("processor", ["arm64", "ARM64"])
def test_arm64_without_a_description_is_taken_to_have_the_instruction(processor: str, tmp_path: Path) -> None:
    assert faster_form(processor, tmp_path / "none") == "integers"


def test_every_net_has_both_forms() -> None:
    """And nothing else is there."""
    files = {file.relative_to(FOLDER).as_posix() for file in FOLDER.rglob("*.onnx")}
    assert files == {f"{form}/{net}" for form in FORMS for net in OUTPUTS}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("net", sorted(OUTPUTS))
def test_both_forms_answer_the_same(net: str) -> None:
    """But for the rounding of their last layers, which are floats; processors add those in other orders."""
    integers, floats = (open_session(form_file(net, form)) for form in FORMS)
    for ours, theirs in (
        (integers.get_inputs(), floats.get_inputs()), (integers.get_outputs(), floats.get_outputs())
    ):  # fmt: skip
        assert [(value.name, value.type, value.shape) for value in ours] == [
            (value.name, value.type, value.shape) for value in theirs
        ]
    assert {value.name for value in integers.get_outputs()} == set(OUTPUTS[net])
    for arrays in inputs(3):
        answers = [session.run(list(OUTPUTS[net]), arrays[net]) for session in (integers, floats)]
        for whole, held in zip(*answers, strict=True):
            assert difference(whole, held) <= MOST_APART


@pytest.mark.parametrize("net", sorted(OUTPUTS))
def test_hidden_weights_have_7_bits(net: str) -> None:
    """So that no sum of two products exceeds 16 bits, where a processor adds them in those."""
    onnx = pytest.importorskip("onnx")
    for form in FORMS:
        graph = onnx.load(str(form_file(net, form))).graph
        whole = [
            onnx.numpy_helper.to_array(tensor)
            for tensor in graph.initializer
            if tensor.data_type == onnx.TensorProto.INT8 and len(tensor.dims) == 4
        ]
        assert len(whole) >= 5
        assert all(np.abs(tensor.astype(int)).max() <= 63 for tensor in whole)


@pytest.mark.parametrize("net", sorted(OUTPUTS))
def test_no_sum_of_a_hidden_layer_is_too_large_for_a_float(net: str) -> None:
    """Whatever the net is given: all integers below 2 to the 24 are exact."""
    onnx = pytest.importorskip("onnx")
    graph = onnx.load(str(form_file(net, "integers"))).graph
    values = {tensor.name: onnx.numpy_helper.to_array(tensor).astype(np.int64) for tensor in graph.initializer}
    layers = [node.input for node in graph.node if node.op_type == "QLinearConv"]
    assert len(layers) >= 5
    for _, _, zero, weights, _, _, _, _, bias in layers:
        largest = max(values[zero], 255 - values[zero])
        sums = np.abs(values[weights]).reshape(len(values[bias]), -1).sum(axis=1) * largest + np.abs(values[bias])
        assert 2**16 < sums.max() < 2**24


def test_the_reader_opens_what_the_package_has(monkeypatch: pytest.MonkeyPatch) -> None:
    builder = pytest.importorskip("hatchling.builders.wheel").WheelBuilder(str(FOLDER.parents[1]))
    installed = {Path(file.path) for file in builder.recurse_included_files() if file.path.endswith(".onnx")}
    opened: set[Path] = set()

    def noted(path: Path, memory_arena: bool = True) -> object:
        opened.add(path)
        return open_session(path, memory_arena=memory_arena)

    monkeypatch.setattr(onnx_session, "open_session", noted)
    for suits in NETS:
        FaceReader(suits=suits)
    assert opened == {form_file(net, form_here()) for net in OUTPUTS}
    assert installed == {form_file(net, form) for net in OUTPUTS for form in FORMS}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("net", sorted(OUTPUTS))
def test_hidden_layers_hold_the_same_integers(net: str) -> None:
    """All of them, of a drawn input and of noise."""
    onnx = pytest.importorskip("onnx")
    rng = np.random.default_rng(5)
    (arrays,) = inputs(1)
    ((name, usual),) = arrays[net].items()
    noise = rng.integers(0, 256, usual.shape, np.uint8)
    held = []
    for form, kind in (("integers", "QLinearConv"), ("floats", "Clip")):
        model = onnx.load(str(FOLDER / form / net))
        layers = [node.output[0] for node in model.graph.node if node.op_type == kind]
        model.graph.output.extend(onnx.helper.make_empty_tensor_value_info(layer) for layer in layers)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        held.append([session.run(layers, {name: value}) for value in (usual, noise)])
    for whole, floats in zip(*held, strict=True):
        assert len(whole) == len(floats) >= 5
        for first, second in zip(whole, floats, strict=True):
            assert np.array_equal(first, second) and first.any()
