"""The stage: the cards on the simulated table and the movements over it, frame by frame.

A movement is a generator that yields, for each frame, the sprites to draw over the table, the lowest first. The stage
runs any number of movements at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from cardtable.paper.drawings import mat_picture
from cardtable.simulation.picture import Hand, Light, Moving, TablePicture, draw_hand, hand_sprite, passing_shadow
from cardtable.simulation.places import Place
from cardtable.simulation.sprites import HEIGHT, WIDTH, Camera, Marks, Sprite, card_sprite, texture
from engine.cards import Card
from engine.observations import ActionCard
from vision.frames import Image
from vision.marks.names import NO_WORDS, WordMarks
from vision.mat.layout import Mat

# The arms of the people at the simulated table: sprites of each player's hand, at rest and blurred by motion.

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


# How fast the people at the simulated table move, in frames.

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
PACES: Final = {"fast": FAST, "human": HUMAN}


def _eased(share: float) -> float:
    """Return a smooth step from 0 to 1 (3t² − 2t³): a hand starts and stops slowly."""
    return share * share * (3 - 2 * share)


Movement = Generator[list[Moving], None, None]
Faces = Callable[[Card], Image]
"""Draws a playing card, as `sprites.printed` does."""
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

    `words`: the ArUco ids of the action cards. `faces`: draws the deck; None for the packaged deck. `tilt`: of the
    camera, as for `Camera.above`. `time`: the time of the last frame, seconds.
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
        self._seed = seed
        self._rng = np.random.default_rng([seed, 1])
        self.camera: Final = Camera.above(mat.size_mm, self._rng, tilt)
        self._picture: TablePicture | None = None
        """The picture of the table; None until `frame` is called, which never happens at a table without a camera."""
        self.arms: Final = Arms(mat, self.camera, pace.smear, self._rng)
        self._doing: list[Doing] = []
        self._shadow: tuple[Image, float, float, float, float] | None = None
        self._next_shadow = float(self._rng.uniform(1, _SHADOW_EVERY_S))

    def frame(self, time: float) -> Image:
        """Advance all movements by one frame and return the picture at `time` (seconds): uint8 BGR."""
        moving, shadow = self.move_on(time), self._passing(time)
        if self._picture is None:
            rng = np.random.default_rng([self._seed, 2])
            drawn_mat = mat_picture(self.mat, MAT_PX_PER_MM)
            self._picture = TablePicture(self.camera, drawn_mat, MAT_PX_PER_MM, Light(rng), rng)
            for card in self._lying:
                self._picture.lay(self._sprites[card])
        return self._picture.frame(time, moving, shadow)

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
        if self._picture is not None:
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
        if self._picture is not None:
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


# The movements of hands over the table: lay a card, take it up, move it, sweep cards together, deal.


def lay(stage: Stage, card: SimulatedCard) -> Movement:
    """Bring `card`, lay it, and take the hand back."""
    reach = stage.arms.reach(card.seat, card.place)
    blurred = _in_motion(stage, stage.sprite(card), reach.way)
    for part in stage.pace.way_in():
        yield [Moving(blurred, *along(reach.way, part)), reach.away(part)]
    stage.put(card)
    yield from _leave(stage, reach)


def lift(stage: Stage, card: SimulatedCard) -> Movement:
    """Take `card` up and carry it away."""
    reach = stage.arms.reach(card.seat, card.place)
    yield from _come(stage, reach)
    yield from _carry_off(stage, stage.take(card), reach)


def move(stage: Stage, card: SimulatedCard, to: SimulatedCard) -> Movement:
    """Take `card` up and lay it down as `to`."""
    reach = stage.arms.reach(card.seat, card.place)
    yield from _come(stage, reach)
    stage.take(card)
    after = stage.arms.reach(to.seat, to.place)
    start, end = stage.camera.pixels([card.place.at, to.place.at])
    way = start - end
    blurred = _in_motion(stage, stage.sprite(to), way)
    for part in stage.pace.way_in():
        dx, dy = along(way, part)
        yield [Moving(blurred, dx, dy), Moving(after.moving, after.shift[0] + dx, after.shift[1] + dy)]
    stage.put(to)
    yield from _leave(stage, after)


def sweep(stage: Stage, seat: int, cards: Sequence[SimulatedCard]) -> Movement:
    """Draw `cards`, the lowest first, together with the hand of `seat`, and take them off the table."""
    middle = np.mean([card.place.at for card in cards], axis=0)
    reach = stage.arms.reach(seat, Place((float(middle[0]), float(middle[1])), 0.0, None), flat=True)
    yield from _come(stage, reach)
    sprites = [stage.take(card) for card in cards]
    centre = stage.camera.pixels([middle])[0]
    ways = [0.8 * (centre - stage.camera.pixels([card.place.at])[0]) for card in cards]
    for part in stage.pace.gathering():
        moving = [Moving(sprite, *along(way, part)) for sprite, way in zip(sprites, ways, strict=True)]
        yield [*moving, reach.still()]
    for part in stage.pace.way_out():
        moving = [
            Moving(sprite, *along(way + reach.way * part, 1.0)) for sprite, way in zip(sprites, ways, strict=True)
        ]
        yield [*moving, reach.away(part)]


def deal(stage: Stage, dealer: int, pack: Place, to: int) -> Movement:
    """Push cards, face down, from the pack to the seat `to` with the dealer's hand."""
    width, height = stage.mat.size_mm
    reach = stage.arms.reach(dealer, pack)
    yield from _come(stage, reach)
    sprite = card_sprite(stage.camera, texture(None, stage.marks), pack.at, pack.angle)
    blurred = _in_motion(stage, sprite, reach.way)
    out = stage.arms.reach(to, Place((width / 2, height / 2), 0.0, None)).way
    middle = stage.camera.pixels([(width / 2, height / 2)])[0] - stage.camera.pixels([pack.at])[0]
    for part in stage.pace.way_out():
        pushed = along(middle * min(1.0, 2 * part) + out * max(0.0, 2 * part - 1), 1.0)
        yield [Moving(blurred, *pushed), reach.away(part)]


def _come(stage: Stage, reach: Reach) -> Movement:
    for part in stage.pace.way_in():
        yield [reach.away(part)]
    yield [reach.still()]


def _leave(stage: Stage, reach: Reach) -> Movement:
    for _ in range(stage.pace.dwell):
        yield [reach.still()]
    for part in stage.pace.way_out():
        yield [reach.away(part)]


def _carry_off(stage: Stage, sprite: Sprite, reach: Reach) -> Movement:
    blurred = _in_motion(stage, sprite, reach.way)
    for part in stage.pace.way_out():
        yield [Moving(blurred, *along(reach.way, part)), reach.away(part)]


def _in_motion(stage: Stage, sprite: Sprite, way: Way) -> Sprite:
    """Return the sprite of a card with the motion blur of a hand along `way`."""
    length = float(np.hypot(*way))
    if length == 0:
        return sprite
    dx, dy = way / length * stage.pace.smear
    return sprite.smeared(float(dx), float(dy))
