"""Export the trained nets as the ONNX files that the reader loads."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from lab.training.eight_bits import GREY
from lab.training.nets import Model, net_of
from vision.faces.card_classifier import CARD_PX
from vision.faces.crops import CROP, from_levels


class Probabilities(nn.Module):
    """A classifier with the softmax of its calibrated logits: the reader needs only probabilities."""

    def __init__(self, net: nn.Module, temperature: float) -> None:
        super().__init__()
        self.net = net
        self.temperature = temperature

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        """Return rank (N, 14) and suit (N, 5) probabilities of crops or cards, (N, H, W, 4) uint8 (`net_levels`)."""
        rank, suit = self.net(from_levels(crops[..., :3].permute(0, 3, 1, 2).float()))
        return torch.softmax(rank / self.temperature, 1), torch.softmax(suit / self.temperature, 1)


class Picture(nn.Module):
    """The detector net, or its gate, for grey levels, (1, H, W, 4) uint8: blue, green, red, and one that is ignored.

    The score is a probability. The division by 127.5 is done once, in the weights of the first convolution.
    """

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = deepcopy(net)
        first = next(part for part in self.net.modules() if isinstance(part, nn.Conv2d))
        with torch.no_grad():
            first.weight /= GREY

    def forward(self, picture: Tensor) -> Tensor:
        """Return the output, (1, 6, H / 4, W / 4), or one channel of the gate."""
        answer = self.net(picture[..., :3].permute(0, 3, 1, 2).float() - GREY)
        return torch.cat([torch.sigmoid(answer[:, :1]), answer[:, 1:]], 1)


class Suits(nn.Module):
    """The suit finder with the softmax of its logits."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, cards: Tensor) -> Tensor:
        """Return the probabilities, (N, 5, 55, 40), of cards, (N, 1, 220, 160) uint8 (`paper_relative`)."""
        return torch.softmax(self.net(from_levels(cards.float())), 1)


def export(model: Model, checkpoint: Path, out: Path, temperature: float = 1.0, mean_with: Path | None = None) -> int:
    """Write `out`; return its size in bytes.

    `mean_with`: an earlier file of the same net, from which this one was trained further: the mean of both is written,
    which keeps more of the earlier net's abilities (Wortsman et al., Robust fine-tuning of zero-shot models, 2022).
    Raises `ValueError`, and writes nothing, if its weights have other shapes or its input another type.

    All inputs are uint8. `index` and `glyphs`: input `crops` (N, 80, 48, 4); `cards`: input `cards` (N, 176, 128, 4);
    outputs of the three `rank` (N, 14), `suit` (N, 5). `places`: input `picture` (1, H, W, 4), sides divisible by 8;
    output `places` (1, 6, H / 4, W / 4). `gate`: the same input; output `gate` (1, 1, H / 4, W / 4). `suits`: input
    `cards` (N, 1, 220, 160); output `suits` (N, 5, 55, 40).
    """
    inputs: list[str]
    outputs: list[str]
    net = net_of(model)
    net.load_state_dict(torch.load(checkpoint, map_location="cpu", weights_only=True)["net"])
    net.eval()
    if model in ("places", "gate"):
        whole: nn.Module = Picture(net)
        example = torch.zeros(1, 64, 64, 4, dtype=torch.uint8)
        inputs, outputs = ["picture"], [model]
        axes = {"picture": {1: "height", 2: "width"}, outputs[0]: {2: "rows", 3: "columns"}}
    elif model == "suits":
        whole = Suits(net)
        example = torch.zeros(2, 1, 220, 160, dtype=torch.uint8)
        inputs, outputs = ["cards"], ["suits"]
        axes = {name: {0: "n"} for name in (*inputs, *outputs)}
    else:
        whole = Probabilities(net, temperature)
        wide, tall = CARD_PX if model == "cards" else CROP
        example = torch.zeros(2, tall, wide, 4, dtype=torch.uint8)
        inputs, outputs = ["cards" if model == "cards" else "crops"], ["rank", "suit"]
        axes = {name: {0: "n"} for name in (*inputs, *outputs)}
    part = out.with_suffix(".part")  # `out` may be the file that is averaged
    torch.onnx.export(
        whole.eval(),
        (example,),
        str(part),
        input_names=inputs,
        output_names=outputs,
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )
    if mean_with is not None:
        _average(part, mean_with)
    part.replace(out)
    return out.stat().st_size


def _average(out: Path, other: Path) -> None:
    """Replace the weights of `out` by the mean of both files; remove it if `other` is of another net."""
    net, earlier = onnx.load(out), onnx.load(other)
    pairs = list(zip(net.graph.initializer, earlier.graph.initializer, strict=False))
    kinds = [graph.input[0].type.tensor_type.elem_type for graph in (net.graph, earlier.graph)]
    shapes_differ = any(tensor.dims != before.dims for tensor, before in pairs)
    if len(net.graph.initializer) != len(earlier.graph.initializer) or shapes_differ or kinds[0] != kinds[1]:
        out.unlink()
        raise ValueError(f"{other} is not a file of this net")
    for tensor, before in pairs:
        mean = (numpy_helper.to_array(tensor) + numpy_helper.to_array(before)) / 2
        tensor.CopyFrom(numpy_helper.from_array(mean.astype(np.float32), tensor.name))
    onnx.save(net, out)
