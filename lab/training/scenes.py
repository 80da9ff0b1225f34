"""Drawn scenes of cards on a table, and the places of the visible indices.

Cards lie as in games: alone, thrown on one another, in fans, in rows in which each card hides all but a strip of the
next; with fingers, chips and pens on them; on cloth, wood, printed paper, or a photograph without cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from lab.training.artwork import HEIGHT, SCALE, WIDTH
from lab.training.corner_crops import exposed
from lab.training.corners import STRANGERS
from lab.training.drawn_cards import SMALLER, CardPool, DrawnCard, Index
from lab.training.glyphs import letter, letter_fonts
from vision.frames import Image

Matrix = npt.NDArray[np.float64]
WIDE, LONG = WIDTH / SCALE, HEIGHT / SCALE
USUAL_HEIGHT = 16.0
"""Height of an index by which a scene is scaled, millimetres."""


@dataclass(frozen=True, slots=True)
class DrawnIndex:
    """An index in a drawn picture, pixels.

    `x`, `y`: its middle. `down_x`, `down_y`: from the rank's top to the suit's foot. `visible`: the fraction of its box
    that is not covered and inside the picture.
    """

    x: float
    y: float
    down_x: float
    down_y: float
    visible: float
    rank: str
    suit: str

    @property
    def height(self) -> float:
        """From the rank's top to the suit's foot, pixels."""
        return float(np.hypot(self.down_x, self.down_y))


def _at(x: float, y: float, angle: float) -> Matrix:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, x], [s, c, y], [0, 0, 1]])


def _camera(size: int, px_per_mm: float, rng: np.random.Generator) -> Matrix:
    """Return the map from table millimetres, origin in the middle, to pixels: rotated, and usually tilted."""
    flat = _at(0, 0, rng.uniform(0, 2 * np.pi))
    tilt = np.eye(3)
    tilt[1, 1] = 1 if rng.random() < 0.35 else rng.uniform(0.55, 1)
    tilt[2, :2] = rng.normal(0, 0.0006, 2) if rng.random() < 0.6 else 0
    zoom = np.diag([px_per_mm, px_per_mm, 1.0])
    zoom[:2, 2] = size / 2
    return np.asarray(zoom @ _at(0, 0, rng.uniform(0, 2 * np.pi)) @ tilt @ flat)


def _layout(rng: np.random.Generator, span: float) -> list[Matrix]:
    """Return maps from card to table millimetres, the topmost card last. `span`: of the picture, millimetres."""
    kind = rng.random()
    to_corner = _at(-WIDE / 2, -LONG / 2, 0)
    layout: list[Matrix] = []
    if kind < 0.34:  # a fan: each card rotated about a point below it
        step = np.deg2rad(rng.uniform(5, 24)) * rng.choice([-1, 1, 1, 1])
        radius = rng.uniform(60, 140)
        count = int(rng.integers(3, 10))
        first = -rng.uniform(0, 1) * step * count
        for k in range(count):
            turn = _at(0, radius, 0) @ _at(0, 0, first + k * step + rng.normal(0, 0.02)) @ _at(0, -radius, 0)
            layout.append(turn @ to_corner)
    elif kind < 0.60:  # a row
        step = rng.uniform(11, 40)
        count = int(rng.integers(2, 10))
        lean = rng.uniform(-0.4, 0.4)
        first = rng.uniform(-1, 0.2) * count
        for k in range(count):
            shift = _at((first + k) * step + rng.normal(0, 1), (first + k) * step * lean + rng.normal(0, 1), 0)
            layout.append(shift @ _at(0, 0, rng.normal(0, 0.05)) @ to_corner)
    else:  # thrown
        count = int(rng.integers(1, 5)) + int(span / 120)
        for _ in range(count):
            x, y = rng.uniform(-0.55, 0.55, 2) * span
            layout.append(_at(x, y, rng.uniform(0, 2 * np.pi)) @ to_corner)
    x, y = rng.uniform(-0.25, 0.25, 2) * span
    away = _at(x, y, rng.uniform(0, 2 * np.pi))
    return [away @ each for each in layout]


def _points(matrix: Matrix, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    moved = np.hstack([points, np.ones((len(points), 1))]) @ matrix.T
    return np.asarray(moved[:, :2] / moved[:, 2:])


class Backgrounds:
    """Backgrounds of scenes: parts of photographs without cards, if there are any, and drawn ones."""

    def __init__(self, photographs: Sequence[Image] = ()) -> None:
        self._photographs = list(photographs)

    def draw(self, size: int, rng: np.random.Generator) -> Image:
        """Return a background (size, size, 3): table, cloth, wood, print or photograph."""
        kind = rng.random()
        if kind < 0.35 and self._photographs:
            return _part(self._photographs[rng.integers(len(self._photographs))], size, rng)
        base = rng.uniform(0, 255, 3) if kind < 0.8 else np.full(3, rng.uniform(170, 255)) + rng.normal(0, 6, 3)
        coarse = (1, 1) if rng.random() < 0.3 else (int(rng.integers(3, 90)), int(rng.integers(3, 90)))
        spots = base + rng.normal(0, rng.uniform(3, 30), (*coarse, 1))
        ground = np.asarray(cv2.resize(np.clip(spots, 0, 255).astype(np.uint8), (size, size)), np.uint8)
        if rng.random() < 0.4:
            fine = rng.normal(0, rng.uniform(3, 18), (size // 2, size // 2, 1)).astype(np.float32)
            grain = np.asarray(cv2.resize(fine, (size, size)))[..., None]
            ground = np.clip(ground + grain, 0, 255).astype(np.uint8)
        if rng.random() < 0.25:
            _printed(ground, rng)
        return ground


def _part(photograph: Image, size: int, rng: np.random.Generator) -> Image:
    side = int(min(*photograph.shape[:2], size * rng.uniform(0.5, 1.5)))
    y, x = (int(rng.integers(0, length - side + 1)) for length in photograph.shape[:2])
    part = np.rot90(photograph[y : y + side, x : x + side], int(rng.integers(4)))
    return np.asarray(cv2.resize(np.ascontiguousarray(part), (size, size), interpolation=cv2.INTER_AREA), np.uint8)


def _printed(ground: Image, rng: np.random.Generator) -> None:
    """Draw lines of letters, as in a newspaper or on a box."""
    fonts = letter_fonts()
    font = fonts[rng.integers(len(fonts))]
    size = ground.shape[0]
    height = float(np.exp(rng.uniform(np.log(6), np.log(60))))
    page = np.zeros((size, size), np.uint8)
    letters = STRANGERS + "AJQK23456789"
    y = rng.uniform(0, height)
    while y < size - height:
        x = rng.uniform(0, height)
        while x < size - height:
            if rng.random() < 0.85:
                mask = letter(font, letters[rng.integers(len(letters))])
                wide = max(2, round(height * min(mask.shape[1] / mask.shape[0], 1.3)))
                small = cv2.resize(mask, (wide, max(3, round(height))), interpolation=cv2.INTER_AREA)
                part = page[round(y) : round(y) + small.shape[0], round(x) : round(x) + wide]
                part[:] = small[: part.shape[0], : part.shape[1]]
                x += wide
            x += height * 0.25
        y += height * rng.uniform(1.2, 2)
    turn = cv2.getRotationMatrix2D((size / 2, size / 2), rng.uniform(0, 360), 1)
    alpha = cv2.warpAffine(page, turn, (size, size))[..., None].astype(np.float32) / 255
    ground[:] = (ground * (1 - alpha) + rng.uniform(0, 255, 3) * alpha).astype(np.uint8)


def _lay(canvas: Image, owner: Image, card: DrawnCard, matrix: Matrix, number: int, rng: np.random.Generator) -> None:
    """Draw the card; `matrix` maps its millimetres to pixels. Its pixels in `owner` become `number`."""
    size = canvas.shape[0]
    outline = _points(matrix, np.array([[0, 0], [WIDE, 0], [WIDE, LONG], [0, LONG]], np.float64))
    low, high = np.floor(outline.min(axis=0)).astype(int) - 3, np.ceil(outline.max(axis=0)).astype(int) + 4
    low, high = np.maximum(low, 0), np.minimum(high, size)
    if (high - low < 2).any():
        return
    scale = np.sqrt(cv2.contourArea(outline.astype(np.float32)) / (WIDE * LONG))
    which = int(np.clip(np.round(np.log(SCALE / max(scale, 0.1)) / np.log(SMALLER) - 0.4), 0, len(card.sizes) - 1))
    picture = card.sizes[which]
    shift = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]], np.float64)
    pixels = np.diag([WIDE / picture.shape[1], LONG / picture.shape[0], 1.0])
    pixels[:2, 2] = pixels[0, 0] / 2, pixels[1, 1] / 2
    box = (int(high[0] - low[0]), int(high[1] - low[1]))
    drawn = cv2.warpPerspective(
        picture, shift @ matrix @ pixels, box, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    radius = rng.uniform(1.5, 4.5)
    arc = np.linspace(0, np.pi / 2, 5)
    rounded = np.concatenate([
        np.stack([x + radius * np.cos(arc + a), y + radius * np.sin(arc + a)], axis=1)
        for x, y, a in (
            (WIDE - radius, LONG - radius, 0), (radius, LONG - radius, np.pi / 2),
            (radius, radius, np.pi), (WIDE - radius, radius, 1.5 * np.pi),
        )
    ])  # fmt: skip
    polygon = np.round((_points(matrix, rounded) - low) * 16).astype(np.int32)
    mask = np.zeros((box[1], box[0]), np.uint8)
    cv2.fillPoly(mask, [polygon], 255, cv2.LINE_AA, 4)
    part, mine = canvas[low[1] : high[1], low[0] : high[0]], owner[low[1] : high[1], low[0] : high[0]]
    if rng.random() < 0.5:  # the shadow it casts
        blur, dx, dy = rng.uniform(0.3, 2.0) * scale, *rng.normal(0, 0.7 * scale, 2)
        moved = cv2.warpAffine(mask, np.array([[1, 0, dx], [0, 1, dy]]), box)
        shade = cv2.GaussianBlur(moved, (0, 0), max(blur, 0.4)).astype(np.float32) * (-rng.uniform(0.15, 0.6) / 255) + 1
        part[:] = cv2.multiply(part, cv2.merge([shade] * 3), dtype=cv2.CV_8U)
    alpha = mask[..., None].astype(np.float32) / 255
    part[:] = (part + (drawn.astype(np.float32) - part) * alpha).astype(np.uint8)
    if rng.random() < 0.25:
        edge = rng.uniform(60, 200)
        cv2.polylines(part, [polygon], True, (edge, edge, edge), 1, cv2.LINE_AA, 4)
    mine[mask > 127] = number


def _covered(canvas: Image, owner: Image, rng: np.random.Generator) -> None:
    """Draw a finger, a chip or a pen over the scene."""
    size = canvas.shape[0]
    x, y = rng.uniform(0, size, 2)
    mask = np.zeros(owner.shape, np.uint8)
    kind = rng.random()
    if kind < 0.5:
        colour = np.array([rng.uniform(60, 170), rng.uniform(90, 190), rng.uniform(140, 240)])
        for _ in range(rng.integers(1, 5)):
            reach, turn = rng.uniform(0.2, 0.8) * size, rng.uniform(0, 2 * np.pi)
            end = (round(x + reach * np.cos(turn)), round(y + reach * np.sin(turn)))
            cv2.line(mask, (round(x), round(y)), end, 255, max(2, round(rng.uniform(0.04, 0.1) * size)))
            x, y = x + rng.normal(0, 0.06 * size), y + rng.normal(0, 0.06 * size)
    elif kind < 0.8:
        colour = rng.uniform(0, 255, 3)
        cv2.circle(mask, (round(x), round(y)), round(rng.uniform(0.03, 0.15) * size), 255, -1)
    else:
        colour = rng.uniform(0, 255, 3)
        far_x, far_y = rng.uniform(0, size, 2)
        cv2.line(
            mask,
            (round(x), round(y)),
            (round(far_x), round(far_y)),
            255,
            max(1, round(rng.uniform(0.01, 0.04) * size)),
        )
    canvas[mask > 0] = np.clip(colour, 0, 255).astype(np.uint8)
    owner[mask > 0] = 0


def _seen(owner: Image, card: DrawnCard, matrix: Matrix, index: Index, number: int) -> DrawnIndex:
    """Return where an index is in the picture, and its visible fraction."""
    half = 0.5 * index.height
    top, foot = index.y - half * index.down, index.y + half * index.down
    ends = _points(matrix, np.array([[index.x, top], [index.x, foot], [index.x, index.y]]))
    across = np.linspace(-0.19, 0.19, 5) * index.height
    grid = np.stack(np.meshgrid(index.x + across, np.linspace(top, foot, 9)), axis=-1).reshape(-1, 2)
    points = np.round(_points(matrix, grid)).astype(int)
    inside = ((points >= 0) & (points < owner.shape[0])).all(axis=1)
    clipped = np.clip(points, 0, owner.shape[0] - 1)
    visible = float(((owner[clipped[:, 1], clipped[:, 0]] == number) & inside).mean())
    down = ends[1] - ends[0]
    x, y = (ends[0] + ends[1]) / 2
    return DrawnIndex(float(x), float(y), float(down[0]), float(down[1]), visible, card.rank, card.suit)


def scene(
    cards: CardPool,
    backgrounds: Backgrounds,
    size: int,
    heights: tuple[float, float],
    rng: np.random.Generator,
    step: int,
    hard_share: float = 0.0,
) -> tuple[Image, list[DrawnIndex]]:
    """Return a picture (size, size, 3) and the indices in it, about `heights` (least, greatest) pixels high.

    `hard_share`: probability of a hardship (`hardships`).
    """
    low, high = heights
    px_per_mm = float(np.exp(rng.uniform(np.log(low), np.log(high)))) / USUAL_HEIGHT
    canvas = backgrounds.draw(size, rng)
    owner = np.zeros((size, size), np.uint8)
    places: list[tuple[DrawnCard, Matrix, int]] = []
    if rng.random() < 0.93:
        camera = _camera(size, px_per_mm, rng)
        for number, layout in enumerate(_layout(rng, size / px_per_mm), 1):
            card = cards.random(rng, step)
            matrix = camera @ layout
            _lay(canvas, owner, card, matrix, number, rng)
            places.append((card, matrix, number))
    for _ in range(rng.integers(1, 3) if rng.random() < 0.25 else 0):
        _covered(canvas, owner, rng)
    seen = [_seen(owner, card, matrix, index, n) for card, matrix, n in places for index in card.indices]
    picture = exposed(canvas, min(px_per_mm, 4.0), rng, hard_share)
    return picture, [place for place in seen if place.visible > 0]
