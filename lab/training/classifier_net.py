"""The classifier: from a crop of an index to a rank (13, or none) and a suit (4, or none)."""

from __future__ import annotations

from torch import Tensor, nn

from lab.training.blocks import block

RANK_CLASSES = 14
SUIT_CLASSES = 5
"""Thirteen ranks and four suits, and none of them, which comes last."""


class RankAndSuitNet(nn.Module):
    """From pictures to rank logits (N, 14) and suit logits (N, 5).

    `body`: the layers from the pictures to the features, (N, `features`).
    """

    def __init__(self, body: nn.Sequential, features: int) -> None:
        super().__init__()
        self.body = body
        self.rank = nn.Linear(features, RANK_CLASSES)
        self.suit = nn.Linear(features, SUIT_CLASSES)

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of ranks and suits."""
        features = self.body(pictures)
        return self.rank(features), self.suit(features)


class ClassifierNet(RankAndSuitNet):
    """The net of indices, (N, 3, 80, 48) float32; about 0.23 M weights."""

    def __init__(self) -> None:
        body = nn.Sequential(
            block(3, 16, 2, 5),
            block(16, 32, 2),
            block(32, 48),
            block(48, 64, 2),
            block(64, 64),
            block(64, 96, 2),
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(96 * 5 * 3, 64),
            nn.ReLU(inplace=True),
        )
        super().__init__(body, 64)
