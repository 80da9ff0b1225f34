"""The training loop: cosine rate, checkpoints, going on after a break with the same steps as if there had been none."""

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
    """Runs to `steps`, or `minutes` long, or breaks off at the step `until`; goes on from `checkpoint` if it is there.

    It is written every so many steps. `loss_of`: the loss of the net at a step, which depends on nothing but the
    weights and the step. `start`: another run's checkpoint, whose weights a new run begins with. `drawing`: how many
    seconds have gone into what is learned from; told with each line of progress, because more workers shorten only it.
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
            taken = f"{time.monotonic() - begun:.0f} s, {drawing():.0f} of them waiting for pictures"
            print(f"step {step} of {steps} loss {smooth:.3f} {taken}", flush=True)
            saved = {
                "net": net.state_dict(), "optimiser": optimiser.state_dict(), "step": step, "loss": smooth,
                "random": torch.get_rng_state(),
            }  # fmt: skip
            torch.save(saved, checkpoint.with_suffix(".part"))
            checkpoint.with_suffix(".part").replace(checkpoint)
