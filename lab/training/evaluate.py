"""The accuracy of a classifier on unseen crops, and the temperature that calibrates it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from lab.training.classifier_net import RANK_CLASSES, SUIT_CLASSES
from lab.training.nets import Arrays, Model, net_of
from lab.training.prefetch import Prefetcher, Source

BATCHES = 40
"""Batches of crops on which a net is measured."""
UNSEEN = 1_000_000
"""Added to the seed, for crops that no training step has drawn."""
TEMPERATURES = tuple(float(value) for value in np.round(np.arange(0.6, 2.55, 0.1), 2))
"""Divisors of the logits that are tried (`evaluate`)."""


@dataclass(frozen=True, slots=True)
class Result:
    """Fractions of right answers for crops with and without an index, and the best temperature."""

    index_right: float
    none_right: float
    wrong_when_sure: float
    temperature: float

    def __str__(self) -> str:
        return (
            f"index read right {self.index_right:.4f}, no index recognized {self.none_right:.4f}, "
            f"wrong among those surer than 0.9: {self.wrong_when_sure:.4f}; temperature {self.temperature}"
        )


def evaluate(model: Model, source: Source[Any, Arrays], checkpoint: Path) -> Result:
    """Read crops with a classifier; print and return the result.

    `source`: training data with a seed not used in training.

    The temperature is the divisor of the logits with the least negative log-likelihood (Guo et al., On calibration of
    modern neural networks, 2017).
    """
    net = net_of(model)
    net.load_state_dict(torch.load(checkpoint, map_location="cpu", weights_only=True)["net"])
    net.eval()
    crops_at = Prefetcher(source, 0, BATCHES)
    parts: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []
    with torch.no_grad():
        for step in range(BATCHES):
            crops, ranks, suits = (torch.as_tensor(part) for part in crops_at(step))
            rank, suit = net(crops)
            parts.append((rank, suit, ranks, suits))
    rank, suit, ranks, suits = (torch.cat(column) for column in zip(*parts, strict=True))
    right = (rank.argmax(1) == ranks) & (suit.argmax(1) == suits)
    shows = (ranks < RANK_CLASSES - 1) & (suits < SUIT_CLASSES - 1)
    best = min(
        TEMPERATURES,
        key=lambda t: float(functional.cross_entropy(rank / t, ranks) + functional.cross_entropy(suit / t, suits)),
    )
    confident = (torch.softmax(rank / best, 1).amax(1) * torch.softmax(suit / best, 1).amax(1)) > 0.9
    claims = confident & (rank.argmax(1) < RANK_CLASSES - 1) & (suit.argmax(1) < SUIT_CLASSES - 1)
    result = Result(
        float(right[shows].float().mean()),
        float((~((rank.argmax(1) < RANK_CLASSES - 1) & (suit.argmax(1) < SUIT_CLASSES - 1)))[~shows].float().mean()),
        float((~right)[claims].float().mean()),
        best,
    )
    print(result)
    return result
