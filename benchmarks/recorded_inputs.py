"""The inputs that the complete reader gives each of its nets while it reads drawn pictures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.drawn.faces import hard_picture
from benchmarks.drawn.german import german_table
from benchmarks.opened_nets import NetInputs, net_name, reading_with
from benchmarks.reading import pictures
from vision.faces.onnx_session import open_session
from vision.faces.reader_nets import Suits
from vision.faces.runtimes import OUTPUTS
from vision.frames import Image

FIRST: Final = 3
"""The first seed of the drawn pictures; the runtimes are compared on the seeds before it."""
PICTURES: Final = 4
"""Pictures of each kind."""
MOST: Final = 24
"""Inputs of each net that are kept, evenly spread over all that it was given."""


@dataclass
class _Noting:
    """A session that notes the inputs that it is given."""

    session: Any
    notes: list[dict[str, Any]]

    def run(self, names: list[str], given: dict[str, Any]) -> Any:
        """Return the outputs `names`."""
        self.notes.append({name: np.array(value) for name, value in given.items()})
        return self.session.run(names, given)


def recorded(count: int = PICTURES, most: int = MOST) -> dict[str, NetInputs]:
    """Return up to `most` inputs of each net in `OUTPUTS`, from `count` drawn pictures of each kind."""
    seeds = range(FIRST, FIRST + count)
    french = [picture for kind in pictures(FIRST + count).values() for picture in kind[FIRST:]]
    drawn: dict[Suits, list[Image]] = {
        "french": [*french, *(hard_picture(seed)[0] for seed in seeds)],
        "german": [german_table(seed) for seed in seeds],
    }
    notes: dict[str, list[dict[str, Any]]] = {net: [] for net in OUTPUTS}

    def noting(path: Path) -> _Noting:
        return _Noting(open_session(path), notes[net_name(path)])

    for suits, some in drawn.items():
        with reading_with(noting, suits) as reader:
            for picture in some:
                reader.read(picture)
    return {net: given[:: max(1, -(-len(given) // most))] for net, given in notes.items()}
