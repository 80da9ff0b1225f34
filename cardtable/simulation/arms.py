"""The arms of the people at the simulated table: sprites of each player's hand, at rest and blurred by motion."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from cardtable.simulation.camera import HEIGHT, WIDTH, Camera
from cardtable.simulation.hands import Hand, draw_hand, hand_sprite
from cardtable.simulation.picture import Moving
from cardtable.simulation.places import Place
from cardtable.simulation.sprites import Sprite
from vision.table.mat import Mat

Way = npt.NDArray[np.float64]
"""A vector in the picture: (2,) float64, pixels."""
_LEANS: Final = (-15.0, 0.0, 15.0)
"""Angles in degrees for which an arm is drawn. Drawn arms are only shifted by whole pixels, which is fast."""
_BEHIND_MM: Final = 330.0
"""Distance of a player's body from the edge of the mat."""
_HAND_MM: Final = 95.0
"""Length of a hand."""


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """The hand of a player over one place.

    `rest`, `moving`: its sprites, the second blurred by motion. `shift`: where to draw them, pixels. `way`: the vector
    from the place to a point outside the picture.
    """

    rest: Sprite
    moving: Sprite
    shift: tuple[int, int]
    way: Way

    def still(self) -> Moving:
        """Return the hand at rest over the place."""
        return Moving(self.rest, *self.shift)

    def away(self, part: float) -> Moving:
        """Return the moving hand after `part` (0 to 1) of its way out of the picture."""
        dx, dy = along(self.way, part)
        return Moving(self.moving, self.shift[0] + dx, self.shift[1] + dy)


class Arms:
    """The hands of all players; draws each one once. `smear`: length of the motion blur, pixels."""

    def __init__(self, mat: Mat, camera: Camera, smear: int, rng: np.random.Generator) -> None:
        self._mat = mat
        self._camera = camera
        self._smear = smear
        self._rng = rng
        self._people = rng.permutation(6)
        self._hands: dict[tuple[int, bool], Hand] = {}
        self._sprites: dict[tuple[int, bool, float], tuple[Sprite, Sprite]] = {}
        self._home = self._camera.pixels([(mat.size_mm[0] / 2, mat.size_mm[1] / 2)])[0]

    def reach(self, seat: int, place: Place, flat: bool = False) -> Reach:
        """Return the hand of `seat` over `place`, pinching the card there, or lying flat if `flat`."""
        want = self._lean(seat, place)
        lean = min(_LEANS, key=lambda known: abs(known - want))
        rest, moving = self._drawn(seat, flat, lean)
        at = self._camera.pixels([place.at])[0]
        turn = math.radians(self._mat.turns[seat] + lean)
        direction = np.array([-math.sin(turn), math.cos(turn)])
        size = np.array([WIDTH, HEIGHT], np.float64)
        limits = np.where(direction > 0, size - at, at) / np.maximum(np.abs(direction), 1e-6)
        length = float(limits.min()) + _HAND_MM * self._camera.scale(place.at)
        shift = np.rint(at - self._home).astype(int)
        return Reach(rest, moving, (int(shift[0]), int(shift[1])), direction * length)

    def _lean(self, seat: int, place: Place) -> float:
        """Return the angle in degrees between the arm that reaches `place` and straight ahead."""
        width, height = self._mat.size_mm
        turn = math.radians(self._mat.turns[seat])
        back = np.array([-math.sin(turn), math.cos(turn)])
        middle = np.array([width / 2, height / 2])
        body = middle + back * (np.abs(back) @ middle + _BEHIND_MM)
        to_body = body - np.asarray(place.at)
        across = back[0] * to_body[1] - back[1] * to_body[0]
        return math.degrees(math.atan2(float(across), float(back @ to_body)))

    def _drawn(self, seat: int, flat: bool, lean: float) -> tuple[Sprite, Sprite]:
        key = (seat, flat, lean)
        if key not in self._sprites:
            turn = self._mat.turns[seat] + lean
            if (seat, flat) not in self._hands:
                who = int(self._people[seat % len(self._people)])  # a seventh player has the first one's hand
                self._hands[seat, flat] = draw_hand(flat, who, who, 225 - self._mat.turns[seat], self._rng)
            middle = (self._mat.size_mm[0] / 2, self._mat.size_mm[1] / 2)
            rest = hand_sprite(self._camera, self._hands[seat, flat], middle, turn, 0.97)
            radians = math.radians(turn)
            moving = rest.smeared(-math.sin(radians) * self._smear, math.cos(radians) * self._smear)
            self._sprites[key] = rest, moving
        return self._sprites[key]


def along(way: Way, part: float) -> tuple[int, int]:
    """Return `part` (0 to 1) of a way, in whole pixels."""
    return round(float(way[0]) * part), round(float(way[1]) * part)
