"""The trained net as the ONNX file that the reader loads."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from vision.training.net import IndexNet


class _Probabilities(nn.Module):
    """The net with the softmax of its calibrated logits: the reader needs no more than probabilities."""

    def __init__(self, net: IndexNet, temperature: float) -> None:
        super().__init__()
        self.net = net
        self.temperature = temperature

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        rank, suit = self.net(crops)
        return torch.softmax(rank / self.temperature, 1), torch.softmax(suit / self.temperature, 1)


def export(checkpoint: Path, out: Path, temperature: float) -> int:
    """Writes `out`; returns its size in bytes. Input `crops` (N, 3, 80, 48); outputs `rank` (N, 14), `suit` (N, 5)."""
    net = IndexNet()
    net.load_state_dict(torch.load(checkpoint, weights_only=True)["net"])
    net.eval()
    torch.onnx.export(
        _Probabilities(net, temperature).eval(),
        (torch.zeros(2, 3, 80, 48),),
        str(out),
        input_names=["crops"],
        output_names=["rank", "suit"],
        dynamic_axes={"crops": {0: "n"}, "rank": {0: "n"}, "suit": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )
    return out.stat().st_size
