"""The complete reader with its nets opened differently: in another form, as trained, or recording their inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from vision.faces import FaceReader, card_classifier, detector_gate, index_classifier, index_detector, suit_finder
from vision.faces.onnx_session import open_net
from vision.faces.reader_nets import Suits

Open = Callable[[str], Any]
"""Opens a net by its name; returns an object with the `run` of an onnxruntime session."""


@contextmanager
def reading_with(opened: Open, suits: Suits = "french") -> Iterator[FaceReader]:
    """Return a reader whose nets are opened with `opened`."""
    users = (card_classifier, detector_gate, index_classifier, index_detector, suit_finder)
    for module in users:
        vars(module)["open_net"] = lambda net, memory_arena=True: opened(net)
    try:
        yield FaceReader(suits=suits)
    finally:
        for module in users:
            vars(module)["open_net"] = open_net
