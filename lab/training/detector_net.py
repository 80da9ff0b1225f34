"""The detector net: where in a picture indices are, in which direction they read, and how high they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.training.blocks import block
from lab.training.scenes import DrawnIndex
from vision.faces.index_detector import CELL, UNIT

CHANNELS = 6
"""Score, offset right, offset down (cells), log2 of the height over `UNIT`, and the direction down: x, y."""
MIN_HEIGHT, MAX_HEIGHT = 13.0, 34.0
"""Heights of the indices that the net has to find, pixels; larger ones are found in a reduced picture."""
SEEN, HIDDEN = 0.8, 0.25
"""Visible fraction from which an index has to be found, and below which it must not be."""


class DetectorNet(nn.Module):
    """From (N, 3, H, W) float32, -1 to 1, sides divisible by 8, to (N, 6, H / 4, W / 4); about 0.08 M weights."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            block(3, 16, 2),
            block(16, 32, 2),
            block(32, 48, 2),
            block(48, 48),
            block(48, 48),
            block(48, 48),
        )
        self.head = nn.Conv2d(48, 4 * CHANNELS, 1)
        with torch.no_grad():
            assert self.head.bias is not None
            self.head.bias.zero_()
            self.head.bias[:4] = -4.0

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the output; its first channel is a logit."""
        return functional.pixel_shuffle(self.head(self.body(pictures)), 2)


def target(places: Sequence[DrawnIndex], size: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return the wanted output for a picture (size, size) with these indices, and the weight of each cell.

    The output is (6, size / 4, size / 4), its first channel a score of 0 to 1. The weights are (2, size / 4, size / 4):
    those of the score, and those of the other channels.
    """
    cells = size // CELL
    y, x = np.mgrid[:cells, :cells].astype(np.float32)
    wanted = np.zeros((CHANNELS, cells, cells), np.float32)
    weight = np.zeros((2, cells, cells), np.float32)
    weight[0] = 1
    for place in places:
        at_x, at_y, height = (place.x + 0.5) / CELL - 0.5, (place.y + 0.5) / CELL - 0.5, place.height
        if place.visible < HIDDEN or height < 0.6 * MIN_HEIGHT:
            continue
        away = (x - at_x) ** 2 + (y - at_y) ** 2
        if place.visible < SEEN or not MIN_HEIGHT <= height <= MAX_HEIGHT:
            weight[0][away < (0.45 * height / CELL) ** 2] = 0
    for place in places:
        at_x, at_y, height = (place.x + 0.5) / CELL - 0.5, (place.y + 0.5) / CELL - 0.5, place.height
        if place.visible < SEEN or not MIN_HEIGHT <= height <= MAX_HEIGHT:
            continue
        away = (x - at_x) ** 2 + (y - at_y) ** 2
        heat = np.exp(-away / (2 * max(0.7, 0.11 * height / CELL) ** 2))
        column, row = round(at_x), round(at_y)
        if not (0 <= column < cells and 0 <= row < cells):
            continue
        heat[row, column] = 1
        near = (heat >= wanted[0]) & (away < 2.6)
        wanted[0] = np.maximum(wanted[0], heat)
        weight[0][away < 2.6] = 1
        weight[1][near] = 1
        for channel, value in enumerate((
            at_x - x, at_y - y, np.log2(height / UNIT), place.down_x / height, place.down_y / height,
        ), 1):  # fmt: skip
            wanted[channel][near] = np.broadcast_to(value, x.shape)[near]
    return wanted, weight


def loss(found: Tensor, wanted: Tensor, weight: Tensor) -> Tensor:
    """Return the focal loss of the score (Law and Deng, CornerNet, 2018) plus the absolute errors of the rest."""
    logit, heat = found[:, 0].clamp(-10, 10), wanted[:, 0]
    chance = torch.sigmoid(logit)
    peak = (heat == 1).float()
    hit = peak * (1 - chance) ** 2 * functional.logsigmoid(logit)
    miss = (1 - peak) * (1 - heat) ** 4 * chance**2 * functional.logsigmoid(-logit)
    count = peak.sum().clamp(min=1)
    focal = -((hit + miss) * weight[:, 0]).sum() / count
    error = (found[:, 1:] - wanted[:, 1:]).abs() * found.new_tensor([1.0, 1.0, 1.5, 1.5, 1.5])[None, :, None, None]
    return focal + (error.sum(1) * weight[:, 1]).sum() / weight[:, 1].sum().clamp(min=1)
