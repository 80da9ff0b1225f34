"""The nets and their training data, by name; training resumes from a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.training.card_net import CardNet
from lab.training.classifier_net import ClassifierNet
from lab.training.corner_crops import CornerCrops
from lab.training.corners import Decks
from lab.training.detector_net import DetectorNet
from lab.training.detector_net import loss as detector_loss
from lab.training.gate import GateNet
from lab.training.gate import loss as gate_loss
from lab.training.loop import learn
from lab.training.photo_indices import PhotoIndex
from lab.training.prefetch import Prefetcher, Source
from lab.training.restore import restore
from lab.training.suit_net import SuitNet
from lab.training.suit_net import loss as suit_loss
from vision.frames import Image

Model = Literal["index", "places", "gate", "glyphs", "suits", "cards"]
MODELS: tuple[Model, ...] = ("index", "places", "gate", "glyphs", "suits", "cards")
"""The classifier of the corners of outlined cards; the index detector; its gate; the classifier of detected indices;
the suit finder; the classifier of whole cards."""
BATCH = 96
"""Crops in a batch of the corner classifier, which it learns from in one step."""
Arrays = tuple[npt.NDArray[np.generic], ...]


def net_of(model: Model) -> nn.Module:
    """Return the untrained net."""
    nets = {"places": DetectorNet, "gate": GateNet, "suits": SuitNet, "cards": CardNet}
    return nets.get(model, ClassifierNet)()


def source_of(
    model: Model,
    decks: Decks,
    seed: int,
    backgrounds: Sequence[Image] = (),
    places: Path | None = None,
    photographs: Sequence[Image] = (),
    indices: Sequence[PhotoIndex] = (),
) -> Source[Any, Arrays]:
    """Return the training data of a net.

    `places`: the ONNX file of a detector: it finds the crops for `glyphs`, and `gate` learns from what it finds, also
    in the `photographs`. `indices`: printed ones in photographs, for `glyphs`.
    """
    if model == "index":
        return CornerCrops(decks, BATCH, seed)
    if model == "suits":
        from lab.training.suit_cards import SuitCards

        return SuitCards(decks, seed)
    from lab.training.drawn_cards import DeckArtwork

    if model == "cards":
        from lab.training.whole_cards import WholeCards

        return WholeCards(DeckArtwork(decks), seed, backgrounds)
    if model == "places":
        from lab.training.detector_scenes import DetectorScenes

        return DetectorScenes(DeckArtwork(decks), seed, backgrounds)
    if model == "gate":
        from lab.training.gate import GateScenes
        from vision.faces.index_detector import DETECTOR_MODEL

        return GateScenes(DeckArtwork(decks), seed, backgrounds, places or DETECTOR_MODEL, photographs)
    from lab.training.glyph_crops import GlyphCrops
    from vision.faces.index_detector import DETECTOR_MODEL

    return GlyphCrops(DeckArtwork(decks), seed, backgrounds, places or DETECTOR_MODEL, indices)


def loss_of(model: Model, net: nn.Module, batch: Arrays, device: str) -> Tensor:
    """Return the loss of a batch; the net is on `device`, the batch need not be."""
    inputs, *wanted = (torch.as_tensor(part).to(device) for part in batch)
    if model == "places":
        return detector_loss(net(inputs), *wanted)
    if model == "gate":
        return gate_loss(net(inputs), *wanted)
    if model == "suits":
        return suit_loss(net(inputs), *wanted)
    return sum(
        (functional.cross_entropy(answer, right) for answer, right in zip(net(inputs), wanted, strict=True)),
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
    backgrounds: Sequence[Image] = (),
    places: Path | None = None,
    photographs: Sequence[Image] = (),
    indices: Sequence[PhotoIndex] = (),
    device: str = "cpu",
    workers: int = 0,
) -> nn.Module:
    """Train up to `steps`, or for `minutes`; on a CPU the same arguments give the same weights, interrupted or not.

    `device`: torch's name of the device. `workers`: number of processes that draw the batches; 0: this one.
    `backgrounds`: photographs without cards. `places`, `photographs`, `indices`, `start`: as in `source_of` and
    `learn`; `start` may also be an ONNX file of a classifier.
    """
    torch.manual_seed(seed)
    net = net_of(model).to(device)
    source = source_of(model, decks, seed, backgrounds, places, photographs, indices)
    if start is not None and start.suffix == ".onnx" and not checkpoint.exists():
        net.load_state_dict(restore(start, torch.as_tensor(Prefetcher(source, 0, 1)(0)[0])).state_dict())
        start = None
    batches = Prefetcher(source, workers, steps)
    learn(
        net, lambda step: loss_of(model, net, batches(step), device), checkpoint,
        steps=steps, minutes=minutes, rate=rate, start=start, drawing=lambda: batches.waited,
    )  # fmt: skip
    return net
