"""Frames and where they come from: one small interface for cameras, recordings and the simulated table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture. `image`: (height, width, 3) uint8 BGR. `time`: seconds from the source's first frame."""

    image: Image
    time: float
    number: int


class SourceLost(Exception):
    """The source gives no frames now; the message tells the person at the table what to do.

    `open` (or the next `read`) may be tried again later: a camera is plugged in again, a network comes back.
    """


class FrameSource(Protocol):
    """Where frames come from. Every source is opened when made, and closed by `close`."""

    name: str
    live: bool
    """True for a camera, whose end is a fault; False for a recording, which ends."""

    def read(self) -> Frame | None:
        """The next frame; None where a recording has ended. Raises `SourceLost`."""

    def close(self) -> None:
        """Let the device go. May be called twice."""
