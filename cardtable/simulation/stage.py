"""The stage: the cards on the simulated table and the movements over it, frame by frame.

A movement (`cardtable.simulation.movements`) is a generator that yields, for each frame, the sprites to draw over the
table, the lowest first. The stage runs any number of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
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
Faces = Callable[[Card], Image]
"""Draws a playing card, as `textures.printed` does."""
MAT_PX_PER_MM: Final = 3.0
_SHADOW_EVERY_S: Final = 23.0
_SHADOW_LASTS_S: Final = 6.0


@dataclass(eq=False)
class SimulatedCard:
    """One card at one place on the table. A card that is laid again is a new `SimulatedCard`.

    `face`: None if the card is face down. `laid`, `lifted`: when it was laid and taken up, seconds; None if not yet.
    """

    face: Card | ActionCard | None
    seat: int
    place: Place
    laid: float | None = None
    lifted: float | None = None

    @property
    def lies(self) -> bool:
        """Whether the card is on the table now."""
        return self.laid is not None and self.lifted is None


@dataclass(eq=False)
class Doing:
    """A running movement of the hand of `seat`."""

    movement: Movement
    seat: int
    done: bool = False


class Stage:
    """The table, the camera above it and the cards on it. The same `seed` gives the same frames.

    `words`: the ArUco ids of the action cards. `faces`: the deck; None for that of the demo. `tilt`: of the camera, as
    for `Camera.above`. `time`: that of the last frame, seconds.
    """

    def __init__(
        self,
        mat: Mat,
        marks: Marks,
        pace: Pace,
        seed: int,
        words: WordMarks = NO_WORDS,
        faces: Faces | None = None,
        tilt: float = 0.0,
    ) -> None:
        self.mat: Final = mat
        self._words: Final = words
        self._faces: Final = faces
        self.marks: Final = marks
        self.pace: Final = pace
        self.time = 0.0
        self.cards_laid: list[SimulatedCard] = []
        """Every card laid so far, in the order laid."""
        self._lying: list[SimulatedCard] = []
        # Only for cards that are on the table or about to be laid, to bound the memory used in a long game.
        self._sprites: dict[SimulatedCard, Sprite] = {}
        self._rng = np.random.default_rng([seed, 1])
        self.camera: Final = Camera.above(mat.size_mm, self._rng, tilt)
        light = Light(self._rng)
        self._picture = TablePicture(self.camera, mat_picture(mat, MAT_PX_PER_MM), MAT_PX_PER_MM, light, self._rng)
        self.arms: Final = Arms(mat, self.camera, pace.smear, self._rng)
        self._doing: list[Doing] = []
        self._shadow: tuple[Image, float, float, float, float] | None = None
        self._next_shadow = float(self._rng.uniform(1, _SHADOW_EVERY_S))

    def frame(self, time: float) -> Image:
        """Advance all movements by one frame and return the picture at `time` (seconds): uint8 BGR."""
        return self._picture.frame(time, self.move_on(time), self._passing(time))

    def move_on(self, time: float) -> list[Moving]:
        """Advance all movements by one frame without drawing; return the moving sprites, the lowest first."""
        self.time = time
        moving: list[Moving] = []
        for doing in self._doing:
            drawn = next(doing.movement, None)
            doing.done = drawn is None
            moving += drawn or ()
        self._doing = [doing for doing in self._doing if not doing.done]
        return moving

    def start(self, movement: Movement, seat: int) -> Doing:
        """Start a movement of the hand of `seat` with the next frame."""
        doing = Doing(movement, seat)
        self._doing.append(doing)
        return doing

    def busy(self, seat: int | None = None) -> bool:
        """Return whether the hand of `seat` (None: any hand) is over the table."""
        return any(seat is None or doing.seat == seat for doing in self._doing)

    def card(self, face: Card | ActionCard | None, seat: int, place: Place) -> SimulatedCard:
        """Return a card that can be put at `place`."""
        card = SimulatedCard(face, seat, place)
        self._sprites[card] = card_sprite(self.camera, self._picture_of(face), place.at, place.angle)
        return card

    def _picture_of(self, face: Card | ActionCard | None) -> Image:
        if self._faces is not None and isinstance(face, Card):
            return self._faces(face)
        mark = self._words.get(face.text) if isinstance(face, ActionCard) else None
        return texture(face, self.marks, mark)

    def sprite(self, card: SimulatedCard) -> Sprite:
        """Return the sprite of a card that is on the table or about to be laid. Raises `KeyError` for another one."""
        return self._sprites[card]

    def put(self, card: SimulatedCard) -> None:
        """Put the card on the table, above the cards that are there."""
        card.laid = self.time
        self.cards_laid.append(card)
        self._lying.append(card)
        self._picture.lay(self._sprites[card])

    def take(self, card: SimulatedCard) -> Sprite:
        """Take the card off the table and return its sprite, which the stage no longer keeps.

        Raises `ValueError` if the card is not on the table, for example because another hand has taken it.
        """
        if not card.lies:
            raise ValueError(f"{card.face or 'a card face down'} is not on the table and cannot be taken")
        card.lifted = self.time
        self._lying.remove(card)
        sprite = self._sprites.pop(card)
        self._picture.lift(sprite)
        return sprite

    def lying(self) -> list[SimulatedCard]:
        """Return the cards on the table, the lowest first."""
        return list(self._lying)

    def _passing(self, time: float) -> tuple[Image, int, int] | None:
        """Return the shadow of a person leaning over and the pixel of its top left corner; None most of the time."""
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
