"""The convolution that all nets of the face reader are made of."""

from __future__ import annotations

from torch import nn


def block(inside: int, outside: int, stride: int = 1, kernel: int = 3) -> nn.Sequential:
    """Return a convolution with batch normalisation and ReLU. `stride`: the factor by which it shrinks the picture."""
    return nn.Sequential(
        nn.Conv2d(inside, outside, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(outside),
        nn.ReLU(inplace=True),
    )
