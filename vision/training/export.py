"""Export the trained nets as the ONNX files that the reader loads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from vision.training.nets import Model, net_of


class Probabilities(nn.Module):
    """A classifier with the softmax of its calibrated logits: the reader needs only probabilities."""

    def __init__(self, net: nn.Module, temperature: float) -> None:
        super().__init__()
        self.net = net
        self.temperature = temperature

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        """Return rank (N, 14) and suit (N, 5) probabilities of (N, 3, 80, 48) crops."""
        rank, suit = self.net(crops)
        return torch.softmax(rank / self.temperature, 1), torch.softmax(suit / self.temperature, 1)


class Picture(nn.Module):
    """The detector net for a camera picture, (1, H, W, 3) uint8 BGR; the score is a probability."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, picture: Tensor) -> Tensor:
        """Return the output, (1, 6, H / 4, W / 4)."""
        answer = self.net(picture.permute(0, 3, 1, 2).float() * (1 / 127.5) - 1)
        return torch.cat([torch.sigmoid(answer[:, :1]), answer[:, 1:]], 1)


class Suits(nn.Module):
    """The suit finder with the softmax of its logits."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, cards: Tensor) -> Tensor:
        """Return the probabilities, (N, 5, 55, 40), of (N, 1, 220, 160) cards."""
        return torch.softmax(self.net(cards), 1)


def export(model: Model, checkpoint: Path, out: Path, temperature: float = 1.0, mean_with: Path | None = None) -> int:
    """Write `out`; return its size in bytes.

    `mean_with`: an earlier file of the same net, from which this one was trained further: what is written is the mean
    of both, which keeps more of what the earlier one could do (Wortsman et al., Robust fine-tuning of zero-shot models,
    2022). Raises `ValueError` for a file of another net.

    `index` and `glyphs`: input `crops` (N, 3, 80, 48); outputs `rank` (N, 14), `suit` (N, 5). `places`: input
    `picture` (1, H, W, 3) uint8, sides divisible by 8; output `places` (1, 6, H / 4, W / 4). `suits`: input `cards`
    (N, 1, 220, 160); output `suits` (N, 5, 55, 40).
    """
    net = net_of(model)
    net.load_state_dict(torch.load(checkpoint, map_location="cpu", weights_only=True)["net"])
    net.eval()
    if model == "places":
        whole: nn.Module = Picture(net)
        example = torch.zeros(1, 64, 64, 3, dtype=torch.uint8)
        inputs, outputs = ["picture"], ["places"]
        axes = {"picture": {1: "height", 2: "width"}, "places": {2: "rows", 3: "columns"}}
    elif model == "suits":
        whole = Suits(net)
        example = torch.zeros(2, 1, 220, 160)
        inputs, outputs = ["cards"], ["suits"]
        axes = {name: {0: "n"} for name in (*inputs, *outputs)}
    else:
        whole = Probabilities(net, temperature)
        example = torch.zeros(2, 3, 80, 48)
        inputs, outputs = ["crops"], ["rank", "suit"]
        axes = {name: {0: "n"} for name in (*inputs, *outputs)}
    torch.onnx.export(
        whole.eval(),
        (example,),
        str(out),
        input_names=inputs,
        output_names=outputs,
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )
    if mean_with is not None:
        _average(out, mean_with)
    return out.stat().st_size


def _average(out: Path, other: Path) -> None:
    own, earlier = onnx.load(out), onnx.load(other)
    pairs = list(zip(own.graph.initializer, earlier.graph.initializer, strict=False))
    if len(own.graph.initializer) != len(earlier.graph.initializer) or any(one.dims != two.dims for one, two in pairs):
        raise ValueError(f"{other} is not a file of this net")
    for one, two in pairs:
        mean = (numpy_helper.to_array(one) + numpy_helper.to_array(two)) / 2
        one.CopyFrom(numpy_helper.from_array(mean.astype(np.float32), one.name))
    onnx.save(own, out)
