"""The movements of hands over the table: lay a card, take it up, move it, sweep cards together, deal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardtable.simulation.arms import Reach, Way, along
from cardtable.simulation.picture import Moving
from cardtable.simulation.places import Place
from cardtable.simulation.sprites import Sprite, card_sprite
from cardtable.simulation.stage import Movement, SimulatedCard, Stage
from cardtable.simulation.textures import texture


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
