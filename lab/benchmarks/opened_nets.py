"""The complete reader with its nets opened in another way: by another runtime, as trained, or noting their inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vision.faces import FaceReader, card_classifier, detector_gate, index_classifier, index_detector, suit_finder
from vision.faces.reader_nets import Suits
from vision.faces.runtime_choice import open_net
from vision.faces.runtimes import NETS_FOLDER

Open = Callable[[Path], Any]
"""Opens a net; what it returns has the `run` of an onnxruntime session."""


def net_name(path: Path) -> str:
    """Return the name of a net in `vision.faces.runtimes.OUTPUTS`.

    >>> net_name(NETS_FOLDER / "german" / "glyphs.onnx")
    'german/glyphs.onnx'
    """
    return path.relative_to(NETS_FOLDER).as_posix()


@contextmanager
def reading_with(opened: Open, suits: Suits = "french") -> Iterator[FaceReader]:
    """Give a reader whose nets are opened with `opened`."""
    users = (card_classifier, detector_gate, index_classifier, index_detector, suit_finder)
    for module in users:
        vars(module)["open_net"] = lambda path, memory_arena=True: opened(path)
    try:
        yield FaceReader(suits=suits)
    finally:
        for module in users:
            vars(module)["open_net"] = open_net
