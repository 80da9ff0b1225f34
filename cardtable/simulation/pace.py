"""How fast the people at the simulated table move, in frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

FPS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Durations in frames.

    `into`, `out`: a hand comes over the table, and leaves. `dwell`: it rests on the card laid. `gather`: it draws a
    trick together. `pause`: shortest and longest time to think. `patience`: an act is repeated if the board does not
    show it in this time. `away`: a place stays empty for at least this time, so that the camera sees it. `shuffle`: the
    pack is shuffled. `smear`: length of the motion blur of a hand, pixels. `deals`: whether hands are seen dealing.
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
        """Yield, for each frame, the part of the way still to go: from nearly 1 to nearly 0."""
        return (1 - _eased(step / (self.into + 1)) for step in range(1, self.into + 1))

    def way_out(self) -> Iterator[float]:
        """Yield, for each frame, the part of the way back that is done, up to 1."""
        return (_eased(step / self.out) for step in range(1, self.out + 1))

    def gathering(self) -> Iterator[float]:
        """Yield, for each frame, how far the cards are drawn together, up to 1."""
        return (_eased(step / self.gather) for step in range(1, self.gather + 1))


FAST: Final = Pace(
    into=4, out=3, dwell=1, gather=2, pause=(0, 0), patience=45, away=11, shuffle=66, smear=30, deals=False
)
HUMAN: Final = Pace(
    into=16, out=13, dwell=5, gather=12, pause=(4, 22), patience=75, away=16, shuffle=90, smear=8, deals=True
)


def _eased(share: float) -> float:
    """Return a smooth step from 0 to 1 (3t² − 2t³): a hand starts and stops slowly."""
    return share * share * (3 - 2 * share)
