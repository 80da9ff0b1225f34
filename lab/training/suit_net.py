"""The suit finder's net: where on a whole card its pips are, and of which suit."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.training.blocks import block

CELL = 4
"""Pixels of the card's picture for each cell of the net's output."""
CLASSES = 5
"""Four suits, and none."""
NONE_WEIGHT = 0.1
"""Weight of a cell without a pip: nearly all cells are."""


class SuitNet(nn.Module):
    """From cards (N, 1, 220, 160) float32 to logits of the suits and none, (N, 5, 55, 40); about 0.05 M weights."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            block(1, 12, 2, 5),
            block(12, 24, 2),
            block(24, 36),
            block(36, 48),
            block(48, 48),
        )
        self.head = nn.Conv2d(48, CLASSES, 1)

    def forward(self, cards: Tensor) -> Tensor:
        """Return the logits."""
        answer = self.head(self.body(cards))
        assert isinstance(answer, Tensor)
        return answer


def loss(found: Tensor, wanted: Tensor, weight: Tensor) -> Tensor:
    """Return the cross-entropy of the cells. `wanted`: classes (N, 55, 40); `weight`: of each cell, 0 to ignore it."""
    balance = torch.where(wanted == CLASSES - 1, NONE_WEIGHT, 1.0) * weight
    return (functional.cross_entropy(found, wanted, reduction="none") * balance).sum() / balance.sum().clamp(min=1)
