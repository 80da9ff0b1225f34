"""Frames, and the interface of their sources: cameras, recordings, the simulated table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
"""(height, width, 3) uint8 BGR, as OpenCV has it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture. `time`: seconds since the first frame of the source. `number`: counts its frames, from 0."""

    image: Image
    time: float
    number: int


class SourceLost(Exception):
    """The source gives no frames now. The message is a text for the person at the table and says what to do.

    The next `read` tries again: a camera may be plugged in again, a network may come back.
    """


class FrameSource(Protocol):
    """A source of frames: opened by its constructor, closed by `close`.

    `name`: its name for people. `live`: True for a camera, whose end is an error; False for a recording.
    """

    name: str
    live: bool

    def read(self) -> Frame | None:
        """Return the next frame; None if a recording has ended. Raises `SourceLost`."""

    def close(self) -> None:
        """Close the source. May be called twice."""


@runtime_checkable
class AdjustableExposure(Protocol):
    """A source whose exposure can follow the cards, if its settings say so."""

    def adjust_exposure(self, factor: float) -> None:
        """Multiply the exposure by `factor` before the next picture."""
