"""The three nets and what each learns from, by name; each goes on from its checkpoint after a break."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.frames import Image
from vision.training.ahead import Ahead
from vision.training.augment import Batch, batch
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
Crops = Callable[[int], Batch]


def net_of(model: Model) -> nn.Module:
    """The net, not yet trained."""
    return PlaceNet() if model == "places" else IndexNet()


def crops_of(model: Model, decks: Decks, seed: int, grounds: Sequence[Image] = (), places: Path | None = None) -> Crops:
    """The crops of a step, for the two nets that read crops. `places`: the place model, for the crops of `glyphs`."""
    if model == "index":
        return lambda step: batch(decks, BATCH, seed, step)
    from vision.faces.places import MODEL, PlaceModel
    from vision.training.closeups import Closeups
    from vision.training.whole import Sheaf

    return Closeups(Sheaf(decks), seed, grounds, PlaceModel(places or MODEL)).batch


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
    `grounds`: photographs without cards. `places`, `start`: as in `crops_of` and `learn`; `start` may also be an ONNX
    file of one of the two nets that read crops.
    """
    torch.manual_seed(seed)
    net = net_of(model).to(device)
    if model == "places":
        from vision.training.sights import Sights
        from vision.training.whole import Sheaf

        scenes_at = Ahead(Sights(Sheaf(decks), seed, grounds).batch, workers, steps)

        def loss_of(step: int) -> Tensor:
            pictures, maps, weights = (torch.as_tensor(part).to(device) for part in scenes_at(step))
            return place_loss(net(pictures), maps, weights)
    else:
        crops_at = crops_of(model, decks, seed, grounds, places)
        if start is not None and start.suffix == ".onnx":
            net.load_state_dict(restore(start, torch.from_numpy(crops_at(0)[0])).state_dict())
            start = None

        drawn_at = Ahead(crops_at, workers, steps)

        def loss_of(step: int) -> Tensor:
            crops, ranks, suits = (torch.as_tensor(part).to(device) for part in drawn_at(step))
            rank, suit = net(crops)
            return functional.cross_entropy(rank, ranks) + functional.cross_entropy(suit, suits)

    learn(net, loss_of, checkpoint, steps=steps, minutes=minutes, rate=rate, start=start)
    return net
