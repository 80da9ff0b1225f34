"""The stage: the cards on the simulated table and the movements over it, frame by frame.

A movement is a coroutine that yields, for each frame, the sprites to draw over the table, the lowest first; the
stage runs any number of them at once (`cardtable.simulation.movements` has them).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Final

import numpy as np

from cardtable.printing.mat_picture import mat_picture
from cardtable.simulation.arms import Arms
from cardtable.simulation.camera import HEIGHT, WIDTH, Camera
from cardtable.simulation.light import Light, passing_shadow
from cardtable.simulation.pace import Pace
from cardtable.simulation.picture import Moving, TablePicture
from cardtable.simulation.places import Place
from cardtable.simulation.sprites import Sprite, card_sprite
from cardtable.simulation.textures import Marks, texture
from engine.cards import Card
from engine.observations import ActionCard
from vision.frames import Image
from vision.marks.names import NO_WORDS, WordMarks
from vision.table.mat import Mat

Movement = Generator[list[Moving], None, None]
MAT_PX_PER_MM: Final = 3.0
_SHADOW_EVERY_S: Final = 23.0
_SHADOW_LASTS_S: Final = 6.0


@dataclass(eq=False)
class SimulatedCard:
    """One card at one place on the table, now, before or later; a card that is laid again is a new `SimulatedCard`.

    `face`: the upper side; None if the card is face down. `laid`, `lifted`: the times, seconds; None if not yet.
    """

    face: Card | ActionCard | None
    seat: int
    place: Place
    laid: float | None = None
    lifted: float | None = None

    @property
    def lies(self) -> bool:
        """Whether it lies on the table now."""
        return self.laid is not None and self.lifted is None


@dataclass(eq=False)
class Doing:
    """A movement under way, of the hand of `seat`."""

    movement: Movement
    seat: int
    done: bool = False


class Stage:
    """The table, the camera above it and the cards on it. `seed` decides all that is random.

    `words`: the ArUco ids of the action cards.
    """

    def __init__(self, mat: Mat, marks: Marks, pace: Pace, seed: int, words: WordMarks = NO_WORDS) -> None:
        self.mat: Final = mat
        self._words: Final = words
        self.marks: Final = marks
        self.pace: Final = pace
        self.time = 0.0
        self.pieces: list[SimulatedCard] = []
        """Every card laid so far, in the order laid."""
        self._lying: list[SimulatedCard] = []
        # Only of cards that lie or are about to: pictures are large, and games are long.
        self._sprites: dict[SimulatedCard, Sprite] = {}
        self._rng = np.random.default_rng([seed, 1])
        self.camera: Final = Camera.above(mat.size_mm, self._rng)
        light = Light(self._rng)
        self._picture = TablePicture(self.camera, mat_picture(mat, MAT_PX_PER_MM), MAT_PX_PER_MM, light, self._rng)
        self.arms: Final = Arms(mat, self.camera, pace.smear, self._rng)
        self._doing: list[Doing] = []
        self._shadow: tuple[Image, float, float, float, float] | None = None
        self._next_shadow = float(self._rng.uniform(1, _SHADOW_EVERY_S))

    def frame(self, time: float) -> Image:
        """Let everything move on by one frame; the picture at `time` seconds."""
        return self._picture.frame(time, self.move_on(time), self._passing(time))

    def move_on(self, time: float) -> list[Moving]:
        """Let everything move on by one frame; what moves over the table then, the lowest first."""
        self.time = time
        moving: list[Moving] = []
        for doing in self._doing:
            drawn = next(doing.movement, None)
            doing.done = drawn is None
            moving += drawn or ()
        self._doing = [doing for doing in self._doing if not doing.done]
        return moving

    def start(self, movement: Movement, seat: int) -> Doing:
        """Let the hand of `seat` begin a movement with the next frame."""
        doing = Doing(movement, seat)
        self._doing.append(doing)
        return doing

    def busy(self, seat: int | None = None) -> bool:
        """Whether the hand of `seat` (None: anybody's) is over the table."""
        return any(seat is None or doing.seat == seat for doing in self._doing)

    def card(self, face: Card | ActionCard | None, seat: int, place: Place) -> SimulatedCard:
        """A card that is to lie at `place`, and does not lie yet."""
        piece = SimulatedCard(face, seat, place)
        mark = self._words.get(face.text) if isinstance(face, ActionCard) else None
        self._sprites[piece] = card_sprite(self.camera, texture(face, self.marks, mark), place.at, place.angle)
        return piece

    def sprite(self, piece: SimulatedCard) -> Sprite:
        """The picture of a card that lies, or is about to."""
        return self._sprites[piece]

    def put(self, piece: SimulatedCard) -> None:
        """The card lies, on top of what lies there."""
        piece.laid = self.time
        self.pieces.append(piece)
        self._lying.append(piece)
        self._picture.lay(self._sprites[piece])

    def take(self, piece: SimulatedCard) -> Sprite:
        """The card is taken up. Its picture, which the stage does not keep."""
        piece.lifted = self.time
        self._lying.remove(piece)
        sprite = self._sprites.pop(piece)
        self._picture.lift(sprite)
        return sprite

    def lying(self) -> list[SimulatedCard]:
        """The cards that lie on the table, the lowest first."""
        return list(self._lying)

    def _passing(self, time: float) -> tuple[Image, int, int] | None:
        """Now and then someone leans over, and a soft shadow passes over the table."""
        if self._shadow is None:
            if time < self._next_shadow:
                return None
            y0, y1 = (float(value) for value in self._rng.uniform(-0.1, 0.7, 2) * HEIGHT)
            self._shadow = (passing_shadow(self._rng), time, float(self._rng.choice((-1, 1))), y0, y1)
        mask, start, side, y0, y1 = self._shadow
        part = (time - start) / _SHADOW_LASTS_S
        if part >= 1:
            self._shadow = None
            self._next_shadow = time + float(self._rng.uniform(0.5, 1.5)) * _SHADOW_EVERY_S
            return None
        swing = (part if side > 0 else 1 - part) * (WIDTH + mask.shape[1]) - mask.shape[1]
        return mask, round(swing), round(y0 + part * (y1 - y0))
