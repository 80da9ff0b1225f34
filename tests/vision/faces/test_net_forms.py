"""The two forms of the nets: which one a processor runs, and that both answer the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from vision.faces import FaceReader, runtimes
from vision.faces.net_forms import FORMS, Form, faster_form, form_file, form_here
from vision.faces.onnx_session import open_session
from vision.faces.reader_nets import NETS
from vision.faces.runtime_measuring import decisions, inputs
from vision.faces.runtimes import NETS_FOLDER, OUTPUTS

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
    files = {file.relative_to(NETS_FOLDER).as_posix() for file in NETS_FOLDER.rglob("*.onnx")}
    assert files == set(OUTPUTS) | {f"{form}/{net}" for form in FORMS for net in sorted(OUTPUTS)}


def test_a_measurement_has_every_net_with_its_inputs_and_outputs() -> None:
    (given,) = inputs(1)
    for net, outputs in OUTPUTS.items():
        session = open_session(NETS_FOLDER / net)
        assert {one.name for one in session.get_outputs()} == set(outputs)
        assert all(np.isfinite(one).all() for one in session.run(list(outputs), given[net]))


def test_the_spelling_of_a_path_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(NETS_FOLDER.parents[1])
    assert form_file(Path("vision/faces/glyphs.onnx"), "floats") == form_file(NETS_FOLDER / "glyphs.onnx", "floats")


def test_another_file_has_no_form(tmp_path: Path) -> None:
    """As one that was just trained."""
    path = tmp_path / "glyphs.onnx"
    assert form_file(path, "integers") == form_file(path, "floats") == path


@pytest.mark.parametrize("net", sorted(OUTPUTS))
def test_both_forms_answer_the_same_as_trained_but_for_rounding(net: str) -> None:
    """What they decide is nearly always the same, and their inputs and outputs have the same types and shapes."""
    trained, integers, floats = (
        open_session(file)
        for file in (NETS_FOLDER / net, *(form_file(NETS_FOLDER / net, form) for form in FORMS))
    )  # fmt: skip
    for found in (integers, floats):
        for ours, theirs in ((found.get_inputs(), trained.get_inputs()), (found.get_outputs(), trained.get_outputs())):
            assert [(one.name, one.type, one.shape) for one in ours] == [
                (one.name, one.type, one.shape) for one in theirs
            ]
    names, differing = list(OUTPUTS[net]), 0.0
    for given in inputs(3):
        answers = [session.run(names, given[net]) for session in (trained, integers, floats)]
        for as_trained, whole, held in zip(*answers, strict=True):
            assert np.abs(whole - held).max() < 1e-6
            assert np.abs(whole - as_trained).max() < 0.4
            assert np.mean(decisions(net, whole) == decisions(net, as_trained)) > 0.98
            differing = max(differing, float(np.abs(whole - as_trained).max()))
    assert differing > 1e-5  # they are other nets


@pytest.mark.parametrize("net", sorted(OUTPUTS))
def test_hidden_weights_have_7_bits(net: str) -> None:
    """So that no sum of two products exceeds 16 bits, where a processor adds them in those."""
    onnx = pytest.importorskip("onnx")
    for form in FORMS:
        graph = onnx.load(str(form_file(NETS_FOLDER / net, form))).graph
        whole = [
            onnx.numpy_helper.to_array(one)
            for one in graph.initializer
            if one.data_type == onnx.TensorProto.INT8 and len(one.dims) == 4
        ]
        assert len(whole) >= 5
        assert all(np.abs(one.astype(int)).max() <= 63 for one in whole)


@pytest.mark.parametrize("net", sorted(OUTPUTS))
def test_no_sum_of_a_hidden_layer_is_too_large_for_a_float(net: str) -> None:
    """Whatever the net is given: all integers below 2 to the 24 are exact."""
    onnx = pytest.importorskip("onnx")
    graph = onnx.load(str(form_file(NETS_FOLDER / net, "integers"))).graph
    values = {one.name: onnx.numpy_helper.to_array(one).astype(np.int64) for one in graph.initializer}
    layers = [node.input for node in graph.node if node.op_type == "QLinearConv"]
    assert len(layers) >= 5
    for _, _, zero, weights, _, _, _, _, bias in layers:
        largest = max(values[zero], 255 - values[zero])
        sums = np.abs(values[weights]).reshape(len(values[bias]), -1).sum(axis=1) * largest + np.abs(values[bias])
        assert 2**16 < sums.max() < 2**24


def test_the_reader_opens_what_the_package_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """The nets as trained are not installed."""
    builder = pytest.importorskip("hatchling.builders.wheel").WheelBuilder(str(NETS_FOLDER.parents[1]))
    installed = {Path(file.path) for file in builder.recurse_included_files() if file.path.endswith(".onnx")}
    opened: set[Path] = set()

    def noted(path: Path, memory_arena: bool = True) -> object:
        opened.add(path)
        return open_session(path, memory_arena=memory_arena)

    monkeypatch.setattr(runtimes, "open_session", noted)
    for suits in NETS:
        FaceReader(suits=suits)
    assert opened == {form_file(NETS_FOLDER / net, form_here()) for net in OUTPUTS}
    assert installed == {form_file(NETS_FOLDER / net, form) for net in OUTPUTS for form in FORMS}


@pytest.mark.parametrize("net", sorted(OUTPUTS))
def test_hidden_layers_hold_the_same_integers(net: str) -> None:
    """All of them, of a drawn input and of noise."""
    onnx = pytest.importorskip("onnx")
    rng = np.random.default_rng(5)
    (given,) = inputs(1)
    ((name, usual),) = given[net].items()
    noise = rng.integers(0, 256, usual.shape, np.uint8)
    held = []
    for form, kind in (("integers", "QLinearConv"), ("floats", "Clip")):
        model = onnx.load(str(NETS_FOLDER / form / net))
        layers = [node.output[0] for node in model.graph.node if node.op_type == kind]
        model.graph.output.extend(onnx.helper.make_empty_tensor_value_info(layer) for layer in layers)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        held.append([session.run(layers, {name: value}) for value in (usual, noise)])
    for whole, floats in zip(*held, strict=True):
        assert len(whole) == len(floats) >= 5
        for one, other in zip(whole, floats, strict=True):
            assert np.array_equal(one, other) and one.any()
