"""The card classifier's net: from the picture of a whole card to its rank and suit."""

from __future__ import annotations

from torch import nn

from lab.training.blocks import block
from lab.training.classifier_net import RankAndSuitNet


class CardNet(RankAndSuitNet):
    """The net of whole cards, (N, 3, 176, 128) float32; about 0.6 M weights."""

    def __init__(self) -> None:
        body = nn.Sequential(
            block(3, 16, 2, 5),
            block(16, 32, 2),
            block(32, 64, 2),
            block(64, 64),
            block(64, 96, 2),
            block(96, 96),
            block(96, 32, 1, 1),
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(32 * 11 * 8, 128),
            nn.ReLU(inplace=True),
        )
        super().__init__(body, 128)
