"""Draw the table as the simulated camera sees it.

Cards at rest are drawn once. Each frame draws only what moves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np

from cardtable.simulation.camera import HEIGHT, WIDTH, Camera
from cardtable.simulation.light import Light
from cardtable.simulation.sprites import Rect, Sprite
from vision.frames import Image

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
                own = part.moved(-x, -y)
                cv2.multiply(part.of(self._work), own.of(mask), dst=part.of(self._work), scale=1 / 255)
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
