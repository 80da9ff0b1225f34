"""Presses and turns at a seat that choose in a menu, and say no word of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Control:
    """`kind`: a press of the button, or a turn of the encoder by `step`. `encoder`: whether the seat has an encoder."""

    seat: int
    kind: Literal["short", "long", "double", "turn"]
    step: int = 0
    encoder: bool = False
