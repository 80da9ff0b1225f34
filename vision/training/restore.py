"""Convert an ONNX file of the project back to weights that can be trained further."""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from vision.training.classifier_net import ClassifierNet


def restore(path: Path, crops: Tensor) -> ClassifierNet:
    """Return the net of `index_classifier.onnx` or `glyphs.onnx`. `crops`: (N, 3, 80, 48) examples of its input.

    In the file each batch normalisation is folded into its convolution. Here they are separated again, so that the net
    gives the same answers and each normalisation has the mean and variance of `crops`. The file's temperature is
    ignored; `evaluate` finds it again. Raises `ValueError` for another kind of file.
    """
    values = {value.name: torch.tensor(numpy_helper.to_array(value)) for value in onnx.load(path).graph.initializer}
    folded = [value for name, value in values.items() if not name.startswith("net.")]
    net = ClassifierNet()
    own = {name.removeprefix("net."): value for name, value in values.items() if name.startswith("net.")}
    missing, unknown = net.load_state_dict(own, strict=False)
    if unknown or any("body.8" in name or not name.startswith("body.") for name in missing):
        raise ValueError(f"{path} is not an index net of this project")
    blocks = [block for block in net.body if isinstance(block, nn.Sequential)]
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
