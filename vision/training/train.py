"""Trains the index net on crops made as it goes; goes on from its checkpoint after a break."""

from __future__ import annotations

import math
import time
from pathlib import Path

import torch
from torch.nn import functional

from vision.training.augment import batch
from vision.training.corners import Decks
from vision.training.net import IndexNet

BATCH = 96


def train(
    decks: Decks, checkpoint: Path, steps: int, seed: int, minutes: float, rate: float = 2e-3, start: Path | None = None
) -> IndexNet:
    """Runs to `steps`, or `minutes` long; writes `checkpoint` every 50 steps and starts from it if it is there.

    `start`: another run's checkpoint, whose weights a new run begins with.
    """
    torch.manual_seed(seed)
    net = IndexNet()
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-3)
    step = 0
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        net.load_state_dict(saved["net"])
        optimiser.load_state_dict(saved["optimiser"])
        step = int(saved["step"])
    elif start is not None:
        net.load_state_dict(torch.load(start, weights_only=True)["net"])
    begun = time.monotonic()
    smooth = [0.0, 0.0, 0.0]
    net.train()
    while step < steps and time.monotonic() - begun < minutes * 60:
        warm = min(1.0, (step + 1) / 200)
        now = rate * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / steps)))
        for group in optimiser.param_groups:
            group["lr"] = now
        crops, ranks, suits = (torch.from_numpy(part) for part in batch(decks, BATCH, seed, step))
        rank_logits, suit_logits = net(crops)
        loss = functional.cross_entropy(rank_logits, ranks) + functional.cross_entropy(suit_logits, suits)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        right = ((rank_logits.argmax(1) == ranks).float().mean(), (suit_logits.argmax(1) == suits).float().mean())
        smooth = [0.98 * old + 0.02 * float(new) for old, new in zip(smooth, (loss.detach(), *right), strict=True)]
        step += 1
        if step % 50 == 0 or step == steps:
            part = 1 - 0.98 ** min(step, 10_000)
            print(
                f"step {step} loss {smooth[0] / part:.3f} rank {smooth[1] / part:.4f} suit {smooth[2] / part:.4f} "
                f"{time.monotonic() - begun:.0f} s",
                flush=True,
            )
            saved = {"net": net.state_dict(), "optimiser": optimiser.state_dict(), "step": step}
            torch.save(saved, checkpoint.with_suffix(".part"))
            checkpoint.with_suffix(".part").replace(checkpoint)
    return net
