"""How fast the people at the simulated table move. Everything is counted in frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

FPS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Pace:
    """`into`, `out`: frames of a hand's way over the table and back. `dwell`: how long it rests on the card laid.

    `gather`: frames in which a trick is drawn together. `pause`: the fewest and most frames someone thinks.
    `patience`: frames in which the board must have shown what was done, before it is done again. `away`: how long a
    place is left empty so that everybody sees it. `shuffle`: how long the pack is shuffled. `smear`: pixels that a hand
    moves while the shutter is open. `deals`: whether the dealing is shown.
    """

    into: int
    out: int
    dwell: int
    gather: int
    pause: tuple[int, int]
    patience: int
    away: int
    shuffle: int
    smear: int
    deals: bool

    def way_in(self) -> Iterator[float]:
        """The shares of the way that are still to go, frame by frame; the last frame is nearly there."""
        return (1 - _eased(step / (self.into + 1)) for step in range(1, self.into + 1))

    def way_out(self) -> Iterator[float]:
        """The shares of the way back, up to 1."""
        return (_eased(step / self.out) for step in range(1, self.out + 1))

    def gathering(self) -> Iterator[float]:
        """How far cards are drawn together, up to 1."""
        return (_eased(step / self.gather) for step in range(1, self.gather + 1))


FAST: Final = Pace(
    into=4, out=3, dwell=1, gather=2, pause=(0, 0), patience=45, away=11, shuffle=66, smear=30, deals=False
)
HUMAN: Final = Pace(
    into=16, out=13, dwell=5, gather=12, pause=(4, 22), patience=75, away=16, shuffle=90, smear=8, deals=True
)


def _eased(share: float) -> float:
    """Slow at both ends, as a hand moves."""
    return share * share * (3 - 2 * share)
