"""The inputs that the complete reader, with its nets as trained, passes to each net while it reads drawn pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from lab.benchmarks.opened_nets import reading_with
from lab.benchmarks.reading import pictures
from lab.training.eight_bits import NetInputs
from lab.training.files import WEIGHTS
from tests.drawing.faces import hard_picture
from tests.drawing.german import german_table
from tests.drawing.net_inputs import OUTPUTS
from vision.faces.onnx_session import open_session
from vision.faces.reader_nets import Suits
from vision.frames import Image

FIRST: Final = 3
"""The first seed of the drawn pictures; the forms are compared on earlier seeds."""
PICTURES: Final = 8
"""Pictures of each kind."""
MOST: Final = 64
"""How many inputs of each net are kept, evenly spread over all that it is given."""


@dataclass
class _Notes:
    """Every `step`th input of a net; when more than twice `most` are kept, `step` doubles."""

    most: int
    step: int = 1
    seen: int = 0
    kept: list[dict[str, Any]] = field(default_factory=list)

    def note(self, inputs: Mapping[str, Any]) -> None:
        """Keep an input, or count it."""
        if self.seen % self.step == 0:
            self.kept.append({name: np.array(value) for name, value in inputs.items()})
        self.seen += 1
        if len(self.kept) > 2 * self.most:
            del self.kept[1::2]
            self.step *= 2

    def even(self) -> NetInputs:
        """Return at most `most` of them, evenly spread."""
        return self.kept[:: max(1, -(-len(self.kept) // self.most))]


@dataclass
class _Noting:
    """A session that records its inputs."""

    session: Any
    notes: _Notes

    def run(self, names: list[str], inputs: dict[str, Any]) -> Any:
        """Return the outputs `names`."""
        self.notes.note(inputs)
        return self.session.run(names, inputs)


def recorded(count: int = PICTURES, most: int = MOST) -> dict[str, NetInputs]:
    """Return up to `most` inputs of each net in `OUTPUTS`, from `count` drawn pictures of each kind."""
    seeds = range(FIRST, FIRST + count)
    french = [picture for kind in pictures(FIRST + count).values() for picture in kind[FIRST:]]
    drawn: dict[Suits, list[Image]] = {
        "french": [*french, *(hard_picture(seed)[0] for seed in seeds)],
        "german": [german_table(seed) for seed in seeds],
    }
    notes = {net: _Notes(most) for net in OUTPUTS}

    def noting(net: str) -> _Noting:
        return _Noting(open_session(WEIGHTS / net), notes[net])

    for suits, some in drawn.items():
        with reading_with(noting, suits) as reader:
            for picture in some:
                reader.read(picture)
    return {net: kept.even() for net, kept in notes.items()}
