"""Export the trained nets as the ONNX files that the reader loads."""

from __future__ import annotations

from pathlib import Path

import torch
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


def export(model: Model, checkpoint: Path, out: Path, temperature: float = 1.0) -> int:
    """Write `out`; return its size in bytes.

    `index` and `glyphs`: input `crops` (N, 3, 80, 48); outputs `rank` (N, 14), `suit` (N, 5). `places`: input
    `picture` (1, H, W, 3) uint8, sides divisible by 8; output `places` (1, 6, H / 4, W / 4).
    """
    net = net_of(model)
    net.load_state_dict(torch.load(checkpoint, map_location="cpu", weights_only=True)["net"])
    net.eval()
    if model == "places":
        whole: nn.Module = Picture(net)
        example = torch.zeros(1, 64, 64, 3, dtype=torch.uint8)
        inputs, outputs = ["picture"], ["places"]
        axes = {"picture": {1: "height", 2: "width"}, "places": {2: "rows", 3: "columns"}}
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
    return out.stat().st_size
