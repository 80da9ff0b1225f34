"""The three nets and what each learns from, by name; each goes on from its checkpoint after a break."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.frames import Image
from vision.training.ahead import Ahead, Source
from vision.training.augment import CornerCrops
from vision.training.corners import Decks
from vision.training.loop import learn
from vision.training.net import IndexNet
from vision.training.place_net import PlaceNet
from vision.training.place_net import loss as place_loss
from vision.training.restore import restore

Model = Literal["index", "places", "glyphs"]
MODELS: tuple[Model, ...] = ("index", "places", "glyphs")
"""The corner of an outlined card; where indices are; what an index shows."""
BATCH = 96
Arrays = tuple[npt.NDArray[np.generic], ...]


def net_of(model: Model) -> nn.Module:
    """The net, not yet trained."""
    return PlaceNet() if model == "places" else IndexNet()


def source_of(
    model: Model, decks: Decks, seed: int, grounds: Sequence[Image] = (), places: Path | None = None
) -> Source[Any, Arrays]:
    """What a net learns from. `places`: the place model, for the crops of `glyphs`."""
    if model == "index":
        return CornerCrops(decks, BATCH, seed)
    from vision.training.whole import Sheaf

    if model == "places":
        from vision.training.sights import Sights

        return Sights(Sheaf(decks), seed, grounds)
    from vision.faces.index_detector import DETECTOR_MODEL, IndexDetector
    from vision.training.closeups import Closeups

    return Closeups(Sheaf(decks), seed, grounds, IndexDetector(places or DETECTOR_MODEL))


def loss_of(model: Model, net: nn.Module, batch: Arrays, device: str) -> Tensor:
    """How far the net's answers to a batch are from what it shows; the net is on `device`, the batch need not be."""
    given, *wanted = (torch.as_tensor(part).to(device) for part in batch)
    if model == "places":
        return place_loss(net(given), *wanted)
    return sum(
        (functional.cross_entropy(answer, right) for answer, right in zip(net(given), wanted, strict=True)),
        start=torch.zeros((), device=device),
    )


def train(
    model: Model,
    decks: Decks,
    checkpoint: Path,
    *,
    steps: int,
    seed: int,
    minutes: float = 1e9,
    rate: float = 2e-3,
    start: Path | None = None,
    grounds: Sequence[Image] = (),
    places: Path | None = None,
    device: str = "cpu",
    workers: int = 0,
) -> nn.Module:
    """Trains to `steps`, or `minutes` long; on a CPU the same arguments give the same weights, breaks or none.

    `device`: torch's name of what the net is trained on. `workers`: so many processes draw the batches; 0: this one.
    `grounds`: photographs without cards. `places`, `start`: as in `source_of` and `learn`; `start` may also be an ONNX
    file of one of the two nets that read crops.
    """
    torch.manual_seed(seed)
    net = net_of(model).to(device)
    source = source_of(model, decks, seed, grounds, places)
    if start is not None and start.suffix == ".onnx" and not checkpoint.exists():
        net.load_state_dict(restore(start, torch.as_tensor(Ahead(source, 0, 1)(0)[0])).state_dict())
        start = None
    batches = Ahead(source, workers, steps)
    learn(
        net, lambda step: loss_of(model, net, batches(step), device), checkpoint,
        steps=steps, minutes=minutes, rate=rate, start=start, drawing=lambda: batches.waited,
    )  # fmt: skip
    return net
