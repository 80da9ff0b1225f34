"""Training: resuming gives the same result as an uninterrupted run; nets learn, and exports give the same answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

import vision.faces.index_classifier
from lab.training.classifier_net import ClassifierNet
from lab.training.detector_net import CHANNELS, DetectorNet, loss, target
from lab.training.detector_scenes import rotated
from lab.training.evaluate import evaluate
from lab.training.export import Picture, Probabilities, Suits, export
from lab.training.gate import GateNet
from lab.training.gate import loss as gate_loss
from lab.training.loop import learn
from lab.training.nets import MODELS, Arrays, Model, loss_of, net_of
from lab.training.prefetch import Prefetcher
from lab.training.scenes import DrawnIndex
from lab.training.suit_net import SuitNet
from vision.faces.crops import net_levels, normalized_batch
from vision.faces.detector_gate import grey_levels


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def _crops(step: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(step)
    ranks, suits = rng.integers(0, 14, 8), rng.integers(0, 5, 8)
    crops = rng.normal(0, 0.2, (8, 3, 80, 48)) + ranks[:, None, None, None] / 7 - suits[:, None, None, None] / 3
    return torch.tensor(crops, dtype=torch.float32), torch.tensor(ranks), torch.tensor(suits)


def _run(checkpoint: Path, *parts: int) -> dict[str, torch.Tensor]:
    """Train to each of the step counts in turn, each time with a new net, as after an interruption."""
    for steps in parts:
        torch.manual_seed(5)
        net = ClassifierNet()

        def loss_of(step: int, net: ClassifierNet = net) -> torch.Tensor:
            crops, ranks, suits = _crops(step)
            rank, suit = net(crops)
            cross = torch.nn.functional.cross_entropy
            return cross(rank, ranks) + cross(suit, suits)

        learn(net, loss_of, checkpoint, steps=6, until=steps, every=1)
    return net.state_dict()


def test_an_interruption_changes_nothing(tmp_path: Path) -> None:
    whole, broken = _run(tmp_path / "whole.pt", 6), _run(tmp_path / "broken.pt", 2, 3, 6)
    assert whole.keys() == broken.keys()
    for name, value in whole.items():
        assert torch.equal(value, broken[name]), name


class _Source:
    """Batches of the crops of two steps. With a folder, drawing a step twice is an error."""

    lookback = 3

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def draw(self, step: int) -> Arrays:
        if self._folder is not None:
            (self._folder / str(step)).touch(exist_ok=False)
        return tuple(part.numpy() for part in _crops(step))

    def batch(self, step: int, drawn: Callable[[int], Arrays]) -> Arrays:
        pairs = zip(drawn(step), drawn(max(step - self.lookback, 0)), strict=True)
        return tuple(np.concatenate(pair) for pair in pairs)


@pytest.mark.parametrize("workers", [0, 2])
def test_prefetched_batches_are_those_of_their_steps(workers: int, tmp_path: Path) -> None:
    batches, chance = Prefetcher(_Source(tmp_path), workers, end=11), torch.get_rng_state()
    for step in range(4, 11):
        for part, wanted in zip(batches(step), _Source().batch(step, _Source().draw), strict=True):
            assert np.array_equal(part, wanted)
    assert torch.equal(torch.get_rng_state(), chance), "prefetching does not use the random numbers of training"
    assert len(list(tmp_path.iterdir())) == 10, "each step once, from the first that a batch needs"


def test_prefetched_batches_come_in_order() -> None:
    batches = Prefetcher(_Source(), workers=1, end=12)
    batches(8)
    with pytest.raises(ValueError, match="step 4 was requested, but the next one is 9"):
        batches(4)


@pytest.mark.parametrize("model", MODELS)
def test_a_step_uses_only_the_device_of_the_net(model: Model) -> None:
    """On torch's meta device any tensor left on the CPU is an error, as on a GPU."""
    net = net_of(model).to("meta")
    if model == "gate":
        batch: Arrays = tuple(np.zeros((2, n, s, s), np.float32) for n, s in ((3, 32), (1, 8)))
    elif model == "places":
        batch = tuple(np.zeros((2, n, s, s), np.float32) for n, s in ((3, 64), (CHANNELS, 16), (2, 16)))
    elif model == "suits":
        batch = (
            np.zeros((2, 1, 220, 160), np.float32),
            np.full((2, 55, 40), 4, np.int64),
            np.ones((2, 55, 40), np.float32),
        )
    elif model == "cards":
        batch = (np.zeros((2, 3, 176, 128), np.float32), np.zeros(2, np.int64), np.zeros(2, np.int64))
    else:
        batch = tuple(part.numpy() for part in _crops(1))
    optimiser = torch.optim.AdamW(net.parameters())
    value = loss_of(model, net, batch, "meta")
    assert value.device.type == "meta" and value.shape == ()
    value.backward()
    optimiser.step()
    assert all(weights.grad is not None for weights in net.parameters())


def test_the_detector_net_learns_a_position() -> None:
    """One picture with one dark bar: after some steps the score is highest at the bar."""
    torch.manual_seed(1)
    net = DetectorNet()
    picture = torch.full((1, 3, 64, 64), 0.8)
    picture[:, :, 26:46, 38:44] = -0.9
    place = DrawnIndex(40.5, 35.5, 0, 20, 1.0, "A", "S")
    wanted, weight = (torch.from_numpy(part)[None] for part in target([place], 64))
    optimiser = torch.optim.AdamW(net.parameters(), lr=3e-3)
    first = last = 0.0
    for step in range(60):
        value = loss(net(picture), wanted, weight)
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        first, last = (float(value.detach()) if step == 0 else first), float(value.detach())
    assert last < 0.2 * first
    heat = net(picture)[0, 0]
    row, column = divmod(int(heat.argmax()), heat.shape[1])
    assert (row, column) == (35 // 4, 40 // 4)


def test_targets_have_direction_size_and_weights() -> None:
    clear = DrawnIndex(40, 60, 0, 20, 1.0, "A", "S")
    half = DrawnIndex(100, 20, 20, 0, 0.5, "2", "H")
    large = DrawnIndex(100, 100, 60, 0, 1.0, "3", "D")
    wanted, weight = target([clear, half, large], 128)
    assert wanted.shape == (CHANNELS, 32, 32) and weight.shape == (2, 32, 32)
    assert wanted[0, 15, 10] == 1 and (wanted[0] == 1).sum() == 1
    assert wanted[3, 15, 10] == pytest.approx(0) and wanted[5, 15, 10] == pytest.approx(1)
    assert weight[0, 5, 25] == 0 and weight[0, 25, 25] == 0 and weight[0, 0, 0] == 1
    assert weight[1, 5, 25] == 0 and weight[1, 15, 10] == 1


def test_a_rotated_scene_keeps_its_labels() -> None:
    picture = np.zeros((64, 64, 3), np.uint8)
    picture[10, 20] = 255
    for quarters in range(4):
        moved, (place,) = rotated(picture, [DrawnIndex(20, 10, 3, 8, 1.0, "A", "S")], quarters)
        assert moved[round(place.y), round(place.x), 0] == 255
        assert place.height == pytest.approx(np.hypot(3, 8))


@pytest.mark.parametrize("model", MODELS)
def test_the_exported_file_gives_the_net_s_answers(model: Model, tmp_path: Path) -> None:
    torch.manual_seed(2)
    net = net_of(model)
    net.eval()
    torch.save({"net": net.state_dict()}, tmp_path / "net.pt")
    assert export(model, tmp_path / "net.pt", tmp_path / "net.onnx", 1.7) == (tmp_path / "net.onnx").stat().st_size
    session = onnxruntime.InferenceSession(str(tmp_path / "net.onnx"), providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(1)
    with torch.no_grad():
        if model in ("places", "gate"):
            levels = rng.integers(0, 256, (1, 72, 104, 4), np.uint8)
            expected = [Picture(net)(torch.from_numpy(levels))]
        elif model == "suits":
            levels = rng.integers(0, 256, (3, 1, 220, 160), np.uint8)
            expected = [Suits(net)(torch.from_numpy(levels))]
        else:
            levels = rng.integers(0, 256, (5, 176, 128, 4) if model == "cards" else (5, 80, 48, 4), np.uint8)
            expected = list(Probabilities(net, 1.7)(torch.from_numpy(levels)))
    answers = session.run(None, {session.get_inputs()[0].name: levels})
    for answer, value in zip(answers, expected, strict=True):
        assert answer.shape == tuple(value.shape)
        assert np.allclose(answer, value.numpy(), rtol=1e-4, atol=1e-4 if model in ("places", "gate") else 2e-6)


def exported(model: Model, folder: Path) -> tuple[torch.nn.Module, onnxruntime.InferenceSession]:
    """An untrained net, and its file as onnxruntime opens it."""
    torch.manual_seed(2)
    net = net_of(model).eval()
    torch.save({"net": net.state_dict()}, folder / "net.pt")
    export(model, folder / "net.pt", folder / "net.onnx")
    return net, onnxruntime.InferenceSession(str(folder / "net.onnx"), providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("model", ["places", "gate"])
def test_the_exported_detector_and_its_gate_take_grey_levels(model: Model, tmp_path: Path) -> None:
    net, session = exported(model, tmp_path)
    picture = np.random.default_rng(1).integers(0, 256, (72, 104, 3), np.uint8)
    levels = grey_levels(picture)
    with torch.no_grad():
        expected = net(torch.from_numpy(picture.transpose(2, 0, 1)[None] / np.float32(127.5) - 1)).numpy()
    answer = session.run(None, {"picture": levels})[0]
    assert np.allclose(answer[:, 1:], expected[:, 1:], atol=1e-4)
    assert np.allclose(answer[:, 0], 1 / (1 + np.exp(-expected[:, 0])), atol=1e-4)


@pytest.mark.parametrize("model", ["index", "cards"])
def test_an_exported_classifier_takes_what_the_reader_gives_it(model: Model, tmp_path: Path) -> None:
    """Its answers for bytes are those of the net for what it is trained on, but for their rounding."""
    net, session = exported(model, tmp_path)
    crops = np.random.default_rng(1).integers(
        30, 220, (3, *((176, 128) if model == "cards" else (80, 48)), 3), np.uint8
    )
    with torch.no_grad():
        expected = [torch.softmax(scores, 1).numpy() for scores in net(torch.from_numpy(normalized_batch(crops)))]
    answers = session.run(None, {session.get_inputs()[0].name: net_levels(crops)})
    for answer, value in zip(answers, expected, strict=True):
        assert np.ptp(value, axis=0).max() > 2e-5
        assert np.allclose(answer, value, atol=5e-6)


def test_the_gate_learns_where_the_detector_looks() -> None:
    """After some steps its score is high at a dark bar and low elsewhere."""
    torch.manual_seed(6)
    gate = GateNet()
    pictures = torch.full((1, 3, 32, 64), 0.8)
    pictures[:, :, 13:23, 19:22] = -0.9
    score = torch.zeros(1, 1, 8, 16)
    score[0, 0, 4, 5] = 0.9
    optimiser = torch.optim.AdamW(gate.parameters(), lr=1e-2)
    for _ in range(60):
        value = gate_loss(gate(pictures), score)
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
    with torch.no_grad():
        chance = torch.sigmoid(gate(pictures))[0, 0]
    assert chance[4, 5] > 0.9 and chance[:, 10:].max() < 0.1


def test_a_missed_index_costs_more_than_a_needless_look() -> None:
    score = torch.zeros(1, 1, 8, 8)
    score[0, 0, 2, 2] = 0.9
    missed, needless = torch.full((1, 1, 8, 8), -4.0), torch.full((1, 1, 8, 8), -4.0)
    needless[0, 0, 2, 2] = needless[0, 0, 6, 6] = 4.0
    assert gate_loss(missed, score) > 5 * gate_loss(needless, score)


def test_the_mean_of_two_nets_is_written(tmp_path: Path) -> None:
    nets = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        nets.append(SuitNet().eval())
        torch.save({"net": nets[-1].state_dict()}, tmp_path / f"{seed}.pt")
    export("suits", tmp_path / "1.pt", tmp_path / "1.onnx")
    export("suits", tmp_path / "2.pt", tmp_path / "mean.onnx", mean_with=tmp_path / "1.onnx")
    mean = SuitNet().eval()
    first, second = (net.state_dict() for net in nets)
    mean.load_state_dict({name: (first[name] + second[name]) / 2 for name in first})
    cards = np.random.default_rng(1).integers(0, 256, (2, 1, 220, 160), np.uint8)
    session = onnxruntime.InferenceSession(str(tmp_path / "mean.onnx"), providers=["CPUExecutionProvider"])
    with torch.no_grad():
        expected = Suits(mean)(torch.from_numpy(cards)).numpy()
    assert np.allclose(session.run(None, {"cards": cards})[0], expected, atol=1e-4)
    with pytest.raises(ValueError, match="not a file of this net"):
        export("suits", tmp_path / "2.pt", tmp_path / "x.onnx", mean_with=vision.faces.index_classifier.CORNER_MODEL)
    other = onnx.load(tmp_path / "1.onnx")
    other.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    onnx.save(other, tmp_path / "floats.onnx")
    with pytest.raises(ValueError, match="not a file of this net"):
        export("suits", tmp_path / "2.pt", tmp_path / "x.onnx", mean_with=tmp_path / "floats.onnx")
    export("suits", tmp_path / "2.pt", tmp_path / "1.onnx", mean_with=tmp_path / "1.onnx")
    assert (tmp_path / "1.onnx").read_bytes() == (tmp_path / "mean.onnx").read_bytes()


def test_evaluation_finds_the_temperature_of_an_overconfident_net(tmp_path: Path) -> None:
    """A net whose logits are much too large needs a divisor above one."""
    torch.manual_seed(3)
    net = ClassifierNet()
    with torch.no_grad():
        net.rank.weight *= 400
        net.suit.weight *= 400
    torch.save({"net": net.state_dict()}, tmp_path / "net.pt")

    result = evaluate("index", _Source(), tmp_path / "net.pt")
    assert result.temperature > 1.5
    assert 0 <= result.index_right <= 1
