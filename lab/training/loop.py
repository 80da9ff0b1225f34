"""The training loop: cosine learning rate, checkpoints, and resuming with the same steps as without interruption."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn


def learn(
    net: nn.Module,
    loss_of: Callable[[int], Tensor],
    checkpoint: Path,
    *,
    steps: int,
    minutes: float = 1e9,
    rate: float = 2e-3,
    start: Path | None = None,
    every: int = 50,
    until: int | None = None,
    drawing: Callable[[], float] = lambda: 0.0,
) -> None:
    """Train `net` up to `steps`, for `minutes`, or until step `until`; resume from `checkpoint` if it exists.

    The checkpoint is written every `every` steps. `loss_of`: the loss of the net at a step, which must depend on the
    weights and the step only. `start`: another run's checkpoint with the initial weights. `drawing`: seconds spent
    waiting for training data, printed with the progress, because more workers shorten only that part.
    """
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-3)
    step, smooth = 0, 0.0
    if checkpoint.exists():
        saved = torch.load(checkpoint, map_location="cpu", weights_only=True)
        net.load_state_dict(saved["net"])
        optimiser.load_state_dict(saved["optimiser"])
        step, smooth = int(saved["step"]), float(saved["loss"])
        torch.set_rng_state(saved["random"])
    elif start is not None:
        net.load_state_dict(torch.load(start, map_location="cpu", weights_only=True)["net"])
    begun = time.monotonic()
    net.train()
    end = steps if until is None else min(until, steps)
    while step < end and time.monotonic() - begun < minutes * 60:
        warm = min(1.0, (step + 1) / 200)
        now = rate * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / steps)))
        for group in optimiser.param_groups:
            group["lr"] = now
        loss = loss_of(step)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        step += 1
        smooth += (float(loss.detach()) - smooth) / min(step, 50)
        if step % every == 0 or step == steps:
            times = f"{time.monotonic() - begun:.0f} s, {drawing():.0f} of them waiting for pictures"
            print(f"step {step} of {steps} loss {smooth:.3f} {times}", flush=True)
            saved = {
                "net": net.state_dict(), "optimiser": optimiser.state_dict(), "step": step, "loss": smooth,
                "random": torch.get_rng_state(),
            }  # fmt: skip
            torch.save(saved, checkpoint.with_suffix(".part"))
            checkpoint.with_suffix(".part").replace(checkpoint)
