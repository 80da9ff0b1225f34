"""Draw the table as the simulated camera sees it.

Cards at rest are drawn once. Each frame draws only what moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from cardtable.simulation.sprites import HEIGHT, WIDTH, Camera, Mask, Rect, Sprite, sprite_of
from vision.frames import Image

# Draw hands and forearms as seen from above: rounded limbs, lit from the upper left.

Field = npt.NDArray[np.float32]

# All lengths in mm. The origin is the centre of a held card; the fingertips point to -y, the arm to +y.
_LEFT, _TOP, _RIGHT, _BOTTOM = -120.0, -70.0, 120.0, 620.0
_FINE: Final = 2.0
"""Resolution of the drawing, pixels per mm: about the scale of the picture."""
SHADOW_STRENGTH: Final = 0.34
SHADOW_BLUR_MM: Final = 9.0
SHADOW_MM: Final = (13.0, 17.0)

# Limbs: from (x, y, radius) to (x, y, radius).
_Limb = tuple[tuple[float, float, float], tuple[float, float, float]]
_PINCH: Final[tuple[_Limb, ...]] = (
    ((-27, 76, 12), (-16, 30, 9)),  # thumb, on the near edge of the card
    ((-16, 30, 9), (-10, 14, 8)),
    ((28, 72, 12), (24, 40, 9.5)),  # fingers, under the card up to the knuckles
    ((14, 66, 12), (12, 36, 9.5)),
    ((40, 82, 11), (35, 54, 9)),
)
_FLAT: Final[tuple[_Limb, ...]] = (
    ((-34, 62, 11), (-54, 26, 9)),  # thumb, spread
    ((-54, 26, 9), (-57, 8, 7.5)),
    ((-20, 50, 10.5), (-25, -16, 7.5)),
    ((-2, 46, 11), (-2, -26, 7.8)),
    ((16, 48, 10.5), (21, -18, 7.5)),
    ((32, 58, 9.5), (42, 4, 6.8)),
)
_PALM: Final[tuple[_Limb, ...]] = (
    ((-12, 74, 28), (-6, 108, 25)),
    ((14, 72, 27), (8, 108, 25)),
    ((0, 100, 27), (2, 160, 25)),
)
_SLEEVE: Final[tuple[_Limb, ...]] = (((2, 168, 36), (6, 640, 58)),)

_SKINS: Final = ((152, 176, 222), (104, 136, 190), (70, 100, 156), (168, 190, 232), (88, 118, 172), (126, 152, 208))
_CLOTHS: Final = ((112, 66, 42), (58, 56, 60), (58, 92, 58), (92, 78, 132), (148, 138, 122), (52, 52, 118))


@dataclass(frozen=True, slots=True, eq=False)
class Hand:
    """A drawn hand with its arm. `colour`: (h, w, 3) uint8 BGR. `alpha`: (h, w) uint8, 255 is opaque."""

    colour: Image
    alpha: Mask


def draw_hand(flat: bool, skin: int, cloth: int, light_from: float, rng: np.random.Generator) -> Hand:
    """Draw a hand that pinches a card, or lies flat if `flat`.

    `skin`, `cloth`: indices of the colours. `light_from`: direction of the light in the drawing, degrees.
    """
    size = (round((_BOTTOM - _TOP) * _FINE), round((_RIGHT - _LEFT) * _FINE))
    y, x = np.mgrid[0 : size[0], 0 : size[1]].astype(np.float32)
    x, y = x / _FINE + _LEFT, y / _FINE + _TOP
    skin_height = _height(x, y, (*(_FLAT if flat else _PINCH), *_PALM))
    sleeve = _height(x, y, _SLEEVE)
    folds = 2.2 * np.sin(y / 19 + 0.6 * np.sin(x / 23) + rng.uniform(0, 6)) * np.clip((sleeve - 6) / 18, 0, 1)
    cover_sleeve = _soft(sleeve, 1.2)
    cover_skin = _soft(skin_height, 1.2)
    weave = rng.normal(0, 4.0, size).astype(np.float32)
    pores = cv2.GaussianBlur(rng.normal(0, 9.0, size).astype(np.float32), (0, 0), 1.6 * _FINE) * _FINE
    cloth_colour = np.array(_CLOTHS[cloth % len(_CLOTHS)], np.float32) + weave[..., None]
    skin_colour = np.array(_SKINS[skin % len(_SKINS)], np.float32) + pores[..., None]
    flush = np.exp(-(((y - 30) / 40) ** 2))[..., None] * np.array([-10, -8, 5], np.float32)
    skin_lit = (skin_colour + flush) * _lit(_rounded(skin_height), light_from, 0.42)
    cloth_lit = cloth_colour * _lit(_rounded(sleeve + folds), light_from, 0.5)
    hem = np.exp(-(((y - 140 - 4 * np.cos(x / 22)) / 6) ** 2))[..., None]
    colour = skin_lit * (1 - 0.25 * hem) * (1 - cover_sleeve[..., None]) + cloth_lit * cover_sleeve[..., None]
    cover = np.maximum(cover_sleeve, cover_skin)
    return Hand(np.clip(colour, 0, 255).astype(np.uint8), np.rint(cover * 255).astype(np.uint8))


def hand_sprite(camera: Camera, hand: Hand, at_mm: tuple[float, float], angle: float, brightness: float) -> Sprite:
    """Return the sprite of a hand.

    `at_mm`: the centre of the held card. `angle`: clockwise angle of the arm from +y, degrees. `brightness`: factor.
    """
    scale = camera.scale(at_mm)
    turn = math.radians(angle)
    cos, sin = math.cos(turn) * scale, math.sin(turn) * scale
    centre = camera.pixels([at_mm])[0]
    spread = np.array([[cos, -sin], [sin, cos]])
    outline = np.array([(_LEFT, _TOP), (_RIGHT, _TOP), (_RIGHT, _BOTTOM), (_LEFT, _BOTTOM)]) @ spread.T + centre
    pad = round((max(SHADOW_MM) + 2 * SHADOW_BLUR_MM) * scale)
    low, high = np.floor(outline.min(axis=0)).astype(int) - pad, np.ceil(outline.max(axis=0)).astype(int) + pad
    rect = Rect(int(low[0]), int(low[1]), int(high[0]), int(high[1]))
    size = (rect.x1 - rect.x0, rect.y1 - rect.y0)
    start = centre - low + spread @ np.array([_LEFT, _TOP])
    lay = np.column_stack([spread / _FINE, start]).astype(np.float32)
    colour = cv2.warpAffine(hand.colour, lay, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    alpha = cv2.warpAffine(hand.alpha, lay, size, flags=cv2.INTER_LINEAR)
    # The shadow is so soft that a quarter of the resolution is enough.
    small = cv2.resize(alpha, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), SHADOW_BLUR_MM * scale / 4)
    fall = np.array([[1, 0, SHADOW_MM[0] * scale / 4], [0, 1, SHADOW_MM[1] * scale / 4]], np.float32)
    small = cv2.warpAffine(small, fall, (small.shape[1], small.shape[0]))
    shade = cv2.resize(small, size, interpolation=cv2.INTER_LINEAR).astype(np.float32) * (SHADOW_STRENGTH / 255)
    return sprite_of(rect, colour.astype(np.float32) * brightness, np.asarray(alpha, np.uint8), shade)


def _height(x: Field, y: Field, limbs: tuple[_Limb, ...]) -> Field:
    """Return the height in mm of the limbs, which have circular cross-sections, above each point; 0 beside them."""
    out = np.zeros_like(x)
    for (ax, ay, ar), (bx, by, br) in limbs:
        reach = max(ar, br)
        rows = slice(*_span(y[:, 0], min(ay, by) - reach, max(ay, by) + reach))
        columns = slice(*_span(x[0], min(ax, bx) - reach, max(ax, bx) + reach))
        across, down = x[rows, columns] - ax, y[rows, columns] - ay
        dx, dy = bx - ax, by - ay
        along = np.clip((across * dx + down * dy) / (dx * dx + dy * dy), 0, 1)
        radius = ar + along * (br - ar)
        square = (across - along * dx) ** 2 + (down - along * dy) ** 2
        part = out[rows, columns]
        np.maximum(part, np.sqrt(np.clip(radius**2 - square, 0, None)), out=part)
    return out


def _span(values: Field, low: float, high: float) -> tuple[int, int]:
    """Return the slice bounds of the ascending `values` between `low` and `high`."""
    return int(np.searchsorted(values, low)), int(np.searchsorted(values, high))


def _soft(height: Field, edge: float) -> Field:
    """Return the coverage: 1 inside the limbs, 0 outside, with an edge blurred over `edge` mm."""
    inside = (height > 0).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(inside, (0, 0), edge * _FINE / 2), np.float32)


def _rounded(height: npt.NDArray[np.floating[Any]]) -> Field:
    return np.asarray(cv2.GaussianBlur(height, (0, 0), 2.0 * _FINE), np.float32)


def _lit(height: Field, light_from: float, depth: float) -> Field:
    """Return the brightness of a surface of this height by Lambert's law: (h, w, 1), about 1.

    `light_from`: direction of the light, degrees. `depth`: strength of the shading.
    """
    down, across = (slope * _FINE for slope in np.gradient(height))
    norm = np.sqrt(across**2 + down**2 + 1)
    turn = math.radians(light_from)
    facing = (across * math.cos(turn) + down * math.sin(turn)) * -1 / norm
    return np.asarray((1 - depth + depth * (1 / norm) + 0.55 * depth * facing)[..., None] * 1.04, np.float32)


# The light over the simulated table, and the noise of its camera.

NOISE_SIGMA: Final = 2.2
"""Standard deviation of the sensor noise in grey levels of 255, independent for each pixel and channel."""
BIAS: Final = 9
"""Grey levels by which the settled picture is kept darker, so that adding noise is one saturated addition."""
LENS_BLUR_PX: Final = 0.65
"""Standard deviation of the lens blur."""
_DRIFT: Final = 2.0  # amplitude of the slow change of brightness, grey levels
_SPARE: Final = 64  # pixels by which a noise tile is larger than the picture
_BRIGHTEST: Final = 200.0  # the value of a gain of 1
_COARSE: Final = 8  # the gain is computed for every eighth pixel and enlarged


class Light:
    """A lamp beside the table, vignetting, a slow drift of brightness, and sensor noise."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._gain = _gain(rng)
        noise = rng.standard_normal((HEIGHT + _SPARE, WIDTH + _SPARE, 3), dtype=np.float32) * NOISE_SIGMA
        # The brightness drifts in steps of half a grey level, which cannot be seen under the noise.
        self._tiles = [
            np.asarray(cv2.convertScaleAbs(noise, alpha=1.0, beta=BIAS + float(offset)), np.uint8)
            for offset in np.arange(-_DRIFT, _DRIFT + 0.1, 0.5)
        ]
        self._phases = rng.uniform(0, 2 * np.pi, 2)

    def fall_on(self, sharp: Image, part: Rect) -> Image:
        """Return one part of the sharp picture after lighting and lens blur, darker by `BIAS`."""
        wide = part.grown(4).clipped(WIDTH, HEIGHT)
        lit = cv2.multiply(wide.of(sharp), wide.of(self._gain), scale=1 / _BRIGHTEST)
        soft = np.asarray(cv2.GaussianBlur(lit, (0, 0), LENS_BLUR_PX), np.uint8)
        inner = part.moved(-wide.x0, -wide.y0)
        return np.asarray(cv2.subtract(inner.of(soft), np.array([BIAS, BIAS, BIAS, 0], np.float64)), np.uint8)

    def exposed(self, settled: Image, time: float) -> Image:
        """Return the picture as the sensor records it at `time` (seconds), in a new array."""
        slow = 0.7 * np.sin(time / 7.0 + self._phases[0]) + 0.3 * np.sin(time / 2.3 + self._phases[1])
        tile = self._tiles[round((float(slow) + 1) / 2 * (len(self._tiles) - 1))]
        y, x = (int(value) for value in self._rng.integers(0, _SPARE, 2))
        return np.asarray(cv2.add(settled, tile[y : y + HEIGHT, x : x + WIDTH]), np.uint8)


def _gain(rng: np.random.Generator) -> Image:
    """Return the illumination of each pixel: (HEIGHT, WIDTH, 3) uint8; `_BRIGHTEST` stands for a factor of 1."""
    across, down = np.meshgrid(
        np.linspace(-1, 1, WIDTH // _COARSE, dtype=np.float32), np.linspace(-1, 1, HEIGHT // _COARSE, dtype=np.float32)
    )
    lean = rng.uniform(-0.10, 0.10), rng.uniform(-0.09, 0.03)
    lamp = rng.uniform(-0.6, 0.6), rng.uniform(-0.9, -0.2)
    pool = np.exp(-((across - lamp[0]) ** 2 + (down - lamp[1]) ** 2 * 0.6) / 1.8)
    vignette = 1 - 0.13 * (across**2 + down**2) / 2
    level = (0.88 + lean[0] * across + lean[1] * down + 0.16 * pool) * vignette
    warm: npt.NDArray[np.float32] = np.array([0.965, 1.0, 1.012], np.float32)
    coarse = np.clip(level[..., None] * warm * _BRIGHTEST, 0, 255).astype(np.float32)
    return np.rint(cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)).clip(0, 255).astype(np.uint8)


def passing_shadow(rng: np.random.Generator) -> Image:
    """Return the soft shadow of a person leaning over the table: (h, w, 3) uint8; 255 means no shadow."""
    height, width = 420, 620
    down, across = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    blob = np.exp(-3.2 * (across**2 * rng.uniform(0.9, 1.3) + down**2)) - np.exp(-3.2)
    dark = np.clip(blob, 0, None) * rng.uniform(0.05, 0.10)
    return np.repeat(np.rint(255 * (1 - dark)).astype(np.uint8)[..., None], 3, axis=2)


_WOOD: Final = np.array([62, 92, 134], np.float32)


@dataclass(eq=False)
class Moving:
    """A sprite to draw over the table in one frame, shifted by (dx, dy) pixels."""

    sprite: Sprite
    dx: int = 0
    dy: int = 0


@dataclass(eq=False)
class TablePicture:
    """The picture of the table. `lay` and `lift` change the cards on it; `frame` draws what moves over them.

    `mat`: the picture of the mat, uint8 BGR, at `mat_px_per_mm`. `lying`: the sprites of the cards, the lowest first.
    """

    camera: Camera
    mat: Image
    mat_px_per_mm: float
    light: Light
    rng: np.random.Generator
    lying: list[Sprite] = field(default_factory=list)

    def __post_init__(self) -> None:
        fine = self.camera.to_px @ np.diag([1 / self.mat_px_per_mm, 1 / self.mat_px_per_mm, 1.0])
        shrink = 0.5 * self.mat_px_per_mm / 2.1
        soft = cv2.GaussianBlur(self.mat, (0, 0), shrink) if shrink > 0.5 else self.mat
        self._empty = _wood(self.rng)
        cv2.warpPerspective(
            soft, fine, (WIDTH, HEIGHT), dst=self._empty, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_TRANSPARENT
        )
        self._sharp = self._empty.copy()
        self._settled = np.empty_like(self._empty)
        self._work = np.empty_like(self._empty)
        self._dirty: list[Rect] = []
        self._settle(Rect(0, 0, WIDTH, HEIGHT))

    def lay(self, sprite: Sprite) -> None:
        """Put a card on top of what lies."""
        self.lying.append(sprite)
        self._redraw(sprite.rect)

    def lift(self, sprite: Sprite) -> None:
        """Take a card away, also from under others."""
        self.lying.remove(sprite)
        self._redraw(sprite.rect)

    def frame(self, time: float, moving: list[Moving], shadow: tuple[Image, int, int] | None = None) -> Image:
        """Return the picture at `time` (seconds): a new (HEIGHT, WIDTH, 3) uint8 array, BGR.

        `moving`: the lowest first. `shadow`: a soft shadow (255 means none) and the pixel of its top left corner.
        """
        for part in self._dirty:
            part.of(self._work)[:] = part.of(self._settled)
        self._dirty = [item.sprite.draw(self._work, item.dx, item.dy) for item in moving]
        if shadow is not None:
            mask, x, y = shadow
            whole = Rect(x, y, x + mask.shape[1], y + mask.shape[0])
            part = whole.clipped(WIDTH, HEIGHT)
            if not part.empty:
                inner = part.moved(-x, -y)
                cv2.multiply(part.of(self._work), inner.of(mask), dst=part.of(self._work), scale=1 / 255)
                self._dirty.append(part)
        self._dirty = [part for part in self._dirty if not part.empty]
        return self.light.exposed(self._work, time)

    def _redraw(self, rect: Rect) -> None:
        part = rect.grown(2).clipped(WIDTH, HEIGHT)
        if part.empty:
            return
        part.of(self._sharp)[:] = part.of(self._empty)
        for sprite in self.lying:
            if sprite.rect.meets(part):
                sprite.draw(self._sharp, within=part)
        self._settle(part.grown(3).clipped(WIDTH, HEIGHT))

    def _settle(self, part: Rect) -> None:
        part.of(self._settled)[:] = self.light.fall_on(self._sharp, part)
        part.of(self._work)[:] = part.of(self._settled)


def _wood(rng: np.random.Generator) -> Image:
    """Draw the table top around the mat: wooden boards with a grain."""
    grain = rng.standard_normal((HEIGHT // 2, 60)).astype(np.float32)
    fibres = cv2.resize(cv2.GaussianBlur(grain, (0, 0), 1.0), (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
    broad = cv2.resize(rng.standard_normal((9, 3)).astype(np.float32), (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
    board = np.repeat(rng.normal(0, 6, 6).astype(np.float32), HEIGHT // 6)[:, None]
    level = 9 * fibres + 5 * broad + board
    seams = (np.arange(HEIGHT) % (HEIGHT // 6) < 2)[:, None] * -26.0
    tone = np.array([0.55, 0.8, 1.0], np.float32)
    return (_WOOD + (level + seams)[..., None] * tone).clip(12, 245).astype(np.uint8)
