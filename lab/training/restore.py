"""Convert an ONNX file of the project back to weights that can be trained further."""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from lab.training.card_net import CardNet
from lab.training.classifier_net import ClassifierNet, RankAndSuitNet
from vision.faces.card_classifier import CARD_PX


def restore(path: Path, crops: Tensor) -> RankAndSuitNet:
    """Return the net of `index_classifier.onnx`, `glyphs.onnx` or `card_classifier.onnx`.

    `crops`: examples of what the net is trained on, (N, 3, 80, 48), or (N, 3, 176, 128) of whole cards.

    In the file each batch normalisation is folded into its convolution. Here the two are separated again, so that the
    net gives the same answers and each normalisation has the mean and variance of `crops`. The file's temperature is
    ignored; `evaluate` finds it again. Raises `ValueError` for another kind of file.
    """
    values = {value.name: torch.tensor(numpy_helper.to_array(value)) for value in onnx.load(path).graph.initializer}
    folded = [value for name, value in values.items() if not name.startswith("net.")]
    net: RankAndSuitNet = CardNet() if crops.shape[2:] == (CARD_PX[1], CARD_PX[0]) else ClassifierNet()
    weights = {name.removeprefix("net."): value for name, value in values.items() if name.startswith("net.")}
    blocks = [block for block in net.body if isinstance(block, nn.Sequential)]
    of_blocks = {
        f"body.{k}.{name}" for k, block in enumerate(net.body) for name in block.state_dict() if block in blocks
    }
    try:
        missing, unknown = net.load_state_dict(weights, strict=False)
    except RuntimeError as error:  # weights of other shapes
        raise ValueError(f"{path} is not a net of this kind: {error}") from error
    if unknown or not of_blocks.issuperset(missing):
        raise ValueError(f"{path} is not a classifier of this project")
    net.eval()
    with torch.no_grad():
        features = crops
        for block, weight, bias in zip(blocks, folded[::2], folded[1::2], strict=True):
            convolution, normal = block[0], block[1]
            assert isinstance(convolution, nn.Conv2d) and isinstance(normal, nn.BatchNorm2d)
            assert normal.running_mean is not None and normal.running_var is not None
            convolution.weight.copy_(weight)
            plain = convolution(features)
            mean, spread = plain.mean((0, 2, 3)), plain.var((0, 2, 3), correction=0)
            normal.running_mean.copy_(mean)
            normal.running_var.copy_(spread)
            normal.weight.copy_((spread + normal.eps).sqrt())
            normal.bias.copy_(bias + mean)
            features = block(features)
    return net
