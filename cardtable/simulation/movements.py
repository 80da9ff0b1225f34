"""The movements of hands over the table: lay a card, take it up, move it, gather a trick, deal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardtable.simulation.arms import Reach, Way, along
from cardtable.simulation.picture import Moving
from cardtable.simulation.places import Place
from cardtable.simulation.sprites import Sprite, card_sprite
from cardtable.simulation.stage import Movement, SimulatedCard, Stage
from cardtable.simulation.textures import texture


def lay(stage: Stage, piece: SimulatedCard) -> Movement:
    """A hand brings `piece`, lays it and goes."""
    reach = stage.arms.reach(piece.seat, piece.place)
    card = _in_motion(stage, stage.sprite(piece), reach.way)
    for part in stage.pace.way_in():
        yield [Moving(card, *along(reach.way, part)), reach.away(part)]
    stage.put(piece)
    yield from _leave(stage, reach)


def lift(stage: Stage, piece: SimulatedCard) -> Movement:
    """A hand comes, takes `piece` up and carries it away."""
    reach = stage.arms.reach(piece.seat, piece.place)
    yield from _come(stage, reach)
    yield from _carry_off(stage, stage.take(piece), reach)


def move(stage: Stage, piece: SimulatedCard, to: SimulatedCard) -> Movement:
    """A hand takes `piece` up and lays it down again as `to`."""
    reach = stage.arms.reach(piece.seat, piece.place)
    yield from _come(stage, reach)
    stage.take(piece)
    after = stage.arms.reach(to.seat, to.place)
    start, end = stage.camera.pixels([piece.place.at, to.place.at])
    way = start - end
    card = _in_motion(stage, stage.sprite(to), way)
    for part in stage.pace.way_in():
        dx, dy = along(way, part)
        yield [Moving(card, dx, dy), Moving(after.moving, after.shift[0] + dx, after.shift[1] + dy)]
    stage.put(to)
    yield from _leave(stage, after)


def sweep(stage: Stage, seat: int, pieces: Sequence[SimulatedCard]) -> Movement:
    """The hand of `seat` draws `pieces` together, the lowest first, and takes them off the table."""
    middle = np.mean([piece.place.at for piece in pieces], axis=0)
    reach = stage.arms.reach(seat, Place((float(middle[0]), float(middle[1])), 0.0, None), flat=True)
    yield from _come(stage, reach)
    sprites = [stage.take(piece) for piece in pieces]
    centre = stage.camera.pixels([middle])[0]
    ways = [0.8 * (centre - stage.camera.pixels([piece.place.at])[0]) for piece in pieces]
    for part in stage.pace.gathering():
        cards = [Moving(sprite, *along(way, part)) for sprite, way in zip(sprites, ways, strict=True)]
        yield [*cards, reach.still()]
    for part in stage.pace.way_out():
        cards = [Moving(sprite, *along(way + reach.way * part, 1.0)) for sprite, way in zip(sprites, ways, strict=True)]
        yield [*cards, reach.away(part)]


def deal(stage: Stage, dealer: int, pack: Place, to: int) -> Movement:
    """The dealer's hand takes cards from the pack and pushes them, face down, over the table to the seat `to`."""
    width, height = stage.mat.size_mm
    reach = stage.arms.reach(dealer, pack)
    yield from _come(stage, reach)
    sprite = card_sprite(stage.camera, texture(None, stage.marks), pack.at, pack.angle)
    card = _in_motion(stage, sprite, reach.way)
    out = stage.arms.reach(to, Place((width / 2, height / 2), 0.0, None)).way
    middle = stage.camera.pixels([(width / 2, height / 2)])[0] - stage.camera.pixels([pack.at])[0]
    for part in stage.pace.way_out():
        pushed = along(middle * min(1.0, 2 * part) + out * max(0.0, 2 * part - 1), 1.0)
        yield [Moving(card, *pushed), reach.away(part)]


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
    card = _in_motion(stage, sprite, reach.way)
    for part in stage.pace.way_out():
        yield [Moving(card, *along(reach.way, part)), reach.away(part)]


def _in_motion(stage: Stage, sprite: Sprite, way: Way) -> Sprite:
    """The card blurred as by a hand's speed along `way`."""
    length = float(np.hypot(*way))
    if length == 0:
        return sprite
    dx, dy = way / length * stage.pace.smear
    return sprite.smeared(float(dx), float(dy))
