"""Weights from the project's ONNX files can be trained further."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from lab.training.card_net import CardNet
from lab.training.detector_net import DetectorNet
from lab.training.export import export
from lab.training.nets import Model, net_of
from lab.training.restore import restore


@pytest.mark.parametrize(("model", "shape"), [("index", (80, 48)), ("cards", (176, 128))])
def test_weights_are_restored_from_the_exported_file(tmp_path: Path, model: Model, shape: tuple[int, int]) -> None:
    """The restored net gives the same answers, and its normalisation layers match the pictures."""
    torch.manual_seed(4)
    net = net_of(model)
    pictures = torch.from_numpy(np.random.default_rng(2).normal(0, 1, (32, 3, *shape)).astype(np.float32))
    net.train()
    for _ in range(5):
        net(pictures * 1.5 + 0.3)
    net.eval()
    torch.save({"net": net.state_dict()}, tmp_path / "net.pt")
    export(model, tmp_path / "net.pt", tmp_path / "net.onnx", 1.4)
    back = restore(tmp_path / "net.onnx", pictures)
    assert type(back) is type(net)
    back.eval()
    with torch.no_grad():
        for ours, theirs in zip(net(pictures), back(pictures), strict=True):
            assert torch.allclose(ours, theirs, atol=1e-3)
    normal = back.body[0][1]  # type: ignore[index]
    assert torch.allclose(normal.running_mean, back.body[0][0](pictures).mean((0, 2, 3)), atol=1e-4)  # type: ignore[index]


@pytest.mark.parametrize(("model", "net"), [("places", DetectorNet), ("cards", CardNet)])
def test_another_net_cannot_be_restored_as_a_classifier(
    tmp_path: Path, model: Model, net: type[DetectorNet | CardNet]
) -> None:
    torch.save({"net": net().state_dict()}, tmp_path / "net.pt")
    export(model, tmp_path / "net.pt", tmp_path / "net.onnx")
    with pytest.raises(ValueError, match="is not a"):
        restore(tmp_path / "net.onnx", torch.zeros(2, 3, 80, 48))
