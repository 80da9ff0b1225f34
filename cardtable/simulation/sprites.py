"""Sprites: pictures with soft edges and a shadow that are drawn over another picture in two fast passes.

A sprite is stored as the light it lets through and the light it adds: `out = under * through / 255 + adds`. Both passes
use 8-bit arithmetic; drawing a hand takes well under a millisecond.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, get_args

import cv2
import numpy as np
import numpy.typing as npt

from cardtable.paper.drawings import card_picture, plain_drawing
from cardtable.paper.shapes import picture as drawn
from cardtable.simulation.deck import back_picture, face_picture
from engine.cards import SUIT_NAMES, Card
from engine.observations import ActionCard
from vision.frames import Image
from vision.readings import CARD_MM

# The simulated camera: a pinhole camera above the mat, slightly tilted and turned.

Points = npt.NDArray[np.float64]
WIDTH: Final = 1920
HEIGHT: Final = 1080
MARGIN_PX: Final = 26
"""Smallest distance between the mat and the border of the picture."""


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A camera. `to_px`: (3, 3) homography from mm on the mat to pixels of the picture."""

    to_px: npt.NDArray[np.float64]

    @classmethod
    def above(cls, mat_mm: tuple[float, float], rng: np.random.Generator, tilt: float = 0.0) -> Camera:
        """Return a camera above the centre of the mat, tilted and turned by random angles of a few degrees.

        Its distance is 1.15 times the longer side of the mat. Its picture is moved and enlarged so that it contains the
        whole mat. `tilt`: degrees by which it is inclined towards the long side y = 0, as on an arm at that side.
        """
        width, height = mat_mm
        roll = math.radians(rng.uniform(-1.6, 1.6))
        pitch, yaw = (math.radians(angle) for angle in (rng.uniform(-3.2, 3.2) + tilt, rng.uniform(-3.2, 3.2)))
        away = 1.15 * max(width, height)
        turn = _about(2, roll) @ _about(0, pitch) @ _about(1, yaw)
        middle = np.array([[1.0, 0.0, -width / 2], [0.0, 1.0, -height / 2], [0.0, 0.0, 1.0]])
        plane = np.column_stack([turn[:, 0], turn[:, 1], turn @ np.array([0.0, 0.0, 0.0]) + [0.0, 0.0, away]])
        raw = plane @ middle
        corners = _apply(raw, np.array([[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]]))
        low, high = corners.min(axis=0), corners.max(axis=0)
        room = np.array([WIDTH, HEIGHT]) - 2 * MARGIN_PX
        zoom = float((room / (high - low)).min())
        slack = room - zoom * (high - low)
        shift = MARGIN_PX + slack * rng.uniform(0.35, 0.65, 2) - zoom * low
        view = np.array([[zoom, 0.0, shift[0]], [0.0, zoom, shift[1]], [0.0, 0.0, 1.0]])
        whole = view @ raw
        return cls(whole / whole[2, 2])

    def pixels(self, points_mm: npt.ArrayLike) -> Points:
        """Return the (N, 2) pixels of (N, 2) points in mm."""
        return _apply(self.to_px, np.asarray(points_mm, np.float64).reshape(-1, 2))

    def scale(self, at_mm: tuple[float, float]) -> float:
        """Return the scale at one point of the table, pixels per mm."""
        x, y = at_mm
        a, b, c = self.pixels([(x, y), (x + 1, y), (x, y + 1)])
        (ux, uy), (vx, vy) = b - a, c - a
        return math.sqrt(abs(ux * vy - uy * vx))


def _apply(homography: npt.NDArray[np.float64], points: Points) -> Points:
    ends = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return np.asarray(ends[:, :2] / ends[:, 2:], np.float64)


def _about(axis: int, angle: float) -> npt.NDArray[np.float64]:
    """Return the rotation matrix by `angle` (radians) about the x (0), y (1) or z (2) axis."""
    i, j = ((1, 2), (2, 0), (0, 1))[axis]
    out = np.eye(3)
    out[i, i] = out[j, j] = math.cos(angle)
    out[i, j], out[j, i] = -math.sin(angle), math.sin(angle)
    return out


Mask = npt.NDArray[np.uint8]
TEXTURE_PX_PER_MM: Final = 4.0
CARD_PX: Final = (round(CARD_MM[0] * TEXTURE_PX_PER_MM), round(CARD_MM[1] * TEXTURE_PX_PER_MM))
"""Width and height of the texture of a poker card."""
CORNER_MM: Final = 3.2
SHADOW_MM: Final = (1.1, 1.5)
"""Offset (x, y) of the shadow of a card on the table: the light comes from the upper left."""
SHADOW_BLUR_MM: Final = 1.3
SHADOW_STRENGTH: Final = 0.42
_PAD_MM: Final = 6.0


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle of pixels: `[x0, x1) × [y0, y1)`."""

    x0: int
    y0: int
    x1: int
    y1: int

    def clipped(self, width: int, height: int) -> Rect:
        """Return the part inside a picture of this size; it may be empty."""
        x0, y0 = max(self.x0, 0), max(self.y0, 0)
        return Rect(x0, y0, max(x0, min(self.x1, width)), max(y0, min(self.y1, height)))

    def moved(self, dx: int, dy: int) -> Rect:
        """Return the rectangle shifted by (dx, dy)."""
        return Rect(self.x0 + dx, self.y0 + dy, self.x1 + dx, self.y1 + dy)

    def grown(self, by: int) -> Rect:
        """Return the rectangle enlarged by `by` pixels on each side."""
        return Rect(self.x0 - by, self.y0 - by, self.x1 + by, self.y1 + by)

    def meets(self, other: Rect) -> bool:
        """Return whether the two have a pixel in common."""
        return self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1

    @property
    def empty(self) -> bool:
        """Whether it has no pixels."""
        return self.x0 >= self.x1 or self.y0 >= self.y1

    def of(self, picture: Image) -> Image:
        """Return this part of `picture` as a view, not a copy."""
        return picture[self.y0 : self.y1, self.x0 : self.x1]


@dataclass(frozen=True, slots=True, eq=False)
class Sprite:
    """A picture with soft edges. `rect`: its place. `through`, `adds`: (h, w, 3) uint8, as the module describes."""

    rect: Rect
    through: Image
    adds: Image

    def draw(self, picture: Image, dx: int = 0, dy: int = 0, within: Rect | None = None) -> Rect:
        """Draw the sprite over `picture`, shifted by (dx, dy) pixels, and return the rectangle that was changed.

        `within`: draw only in this rectangle.
        """
        place = self.rect.moved(dx, dy)
        part = place.clipped(picture.shape[1], picture.shape[0])
        if within is not None:
            part = Rect(
                max(part.x0, within.x0), max(part.y0, within.y0), min(part.x1, within.x1), min(part.y1, within.y1)
            )
        if part.empty:
            return part
        inner = part.moved(-place.x0, -place.y0)
        under = part.of(picture)
        cv2.multiply(under, inner.of(self.through), dst=under, scale=1 / 255)
        cv2.add(under, inner.of(self.adds), dst=under)
        return part

    def smeared(self, dx: float, dy: float) -> Sprite:
        """Return the sprite with the motion blur of a shift by (dx, dy) pixels, along the longer axis only."""
        size = 2 * round(max(abs(dx), abs(dy)) / 2) + 1
        if size < 3:
            return self
        kernel = (size, 1) if abs(dx) > abs(dy) else (1, size)
        border, pad = cv2.BORDER_CONSTANT, size // 2
        through = cv2.copyMakeBorder(self.through, pad, pad, pad, pad, border, value=(255, 255, 255))
        adds = cv2.copyMakeBorder(self.adds, pad, pad, pad, pad, border, value=(0, 0, 0))
        return Sprite(
            self.rect.grown(pad),
            np.asarray(cv2.blur(through, kernel), np.uint8),
            np.asarray(cv2.blur(adds, kernel), np.uint8),
        )


def sprite_of(rect: Rect, colour: npt.NDArray[np.float32], alpha: Mask, shade: npt.NDArray[np.float32]) -> Sprite:
    """Return a sprite. `colour`: (h, w, 3), 0 to 255. `alpha`: (h, w), 255 is opaque. `shade`: (h, w), 1 is black."""
    cover = alpha.astype(np.float32) / 255
    through = (1 - cover) * (1 - shade) * 255
    adds = colour * cover[..., None]
    return Sprite(
        rect,
        np.repeat(np.rint(through).astype(np.uint8)[..., None], 3, axis=2),
        np.clip(np.rint(adds), 0, 255).astype(np.uint8),
    )


def card_sprite(camera: Camera, texture: Image, at_mm: tuple[float, float], angle: float) -> Sprite:
    """Return the sprite of a card with its centre at `at_mm`, turned clockwise by `angle` degrees.

    `texture`: the upright card at `TEXTURE_PX_PER_MM`, which also gives the card's size. The card is drawn at twice the
    resolution of the picture and reduced, to avoid aliasing.
    """
    shape = card_shape((texture.shape[1], texture.shape[0]))
    width, height = (side / TEXTURE_PX_PER_MM for side in (texture.shape[1], texture.shape[0]))
    reach = math.hypot(width, height) / 2 + _PAD_MM
    x, y = at_mm
    corners = camera.pixels(
        [(x - reach, y - reach), (x + reach, y - reach), (x + reach, y + reach), (x - reach, y + reach)]
    )
    low, high = np.floor(corners.min(axis=0)).astype(int), np.ceil(corners.max(axis=0)).astype(int)
    rect = Rect(int(low[0]), int(low[1]), int(high[0]), int(high[1]))
    turn = math.radians(angle)
    cos, sin = math.cos(turn), math.sin(turn)
    mm = 1 / TEXTURE_PX_PER_MM
    lay = np.array([[cos, -sin, x], [sin, cos, y], [0, 0, 1]]) @ np.array(
        [[mm, 0, -width / 2], [0, mm, -height / 2], [0, 0, 1]]
    )
    fine = np.array([[2.0, 0, -2.0 * rect.x0 + 0.5], [0, 2.0, -2.0 * rect.y0 + 0.5], [0, 0, 1]])
    whole = fine @ camera.to_px @ lay
    size = (2 * (rect.x1 - rect.x0), 2 * (rect.y1 - rect.y0))
    picture = cv2.warpPerspective(texture, whole, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    alpha = cv2.warpPerspective(shape, whole, size, flags=cv2.INTER_LINEAR)
    half = (size[0] // 2, size[1] // 2)
    small = cv2.resize(picture, half, interpolation=cv2.INTER_AREA).astype(np.float32)
    cover = cv2.resize(alpha, half, interpolation=cv2.INTER_AREA)
    scale = camera.scale(at_mm)
    shade = cv2.GaussianBlur(cover, (0, 0), SHADOW_BLUR_MM * scale).astype(np.float32) / 255 * SHADOW_STRENGTH
    fall = np.array([[1, 0, SHADOW_MM[0] * scale], [0, 1, SHADOW_MM[1] * scale]], np.float32)
    fallen = cv2.warpAffine(shade, fall, half)
    return sprite_of(rect, small, np.asarray(cover, np.uint8), np.asarray(fallen, np.float32))


@cache
def card_shape(size: tuple[int, int] = CARD_PX) -> Mask:
    """Return the mask of a card of `size` (width, height, pixels): a rectangle with round corners, 255 inside."""
    width, height = size
    radius = round(CORNER_MM * TEXTURE_PX_PER_MM)
    shape = np.zeros((height, width), np.uint8)
    cv2.rectangle(shape, (radius, 0), (width - 1 - radius, height - 1), 255, -1)
    cv2.rectangle(shape, (0, radius), (width - 1, height - 1 - radius), 255, -1)
    for cx in (radius, width - 1 - radius):
        for cy in (radius, height - 1 - radius):
            cv2.circle(shape, (cx, cy), radius, 255, -1, cv2.LINE_AA)
    return shape


# The printed faces and backs of the simulated cards.

Marks = Literal["faces", "qr", "aruco", "plain"]
KINDS: Final[tuple[Marks, ...]] = get_args(Marks)
MARKS: Final = KINDS[:3]
"""The kinds that need no learned deck to be read; `plain` cards do."""
_EDGE: Final = (184, 187, 190)
_PAPER: Final = np.array([0.955, 0.97, 0.98], np.float32)
"""Factors for blue, green and red: paper is darker and slightly warmer than white."""


@cache
def texture(face: Card | ActionCard | None, marks: Marks, mark: int | None = None) -> Image:
    """Return the upright picture of a card at `TEXTURE_PX_PER_MM`: uint8 BGR. `face`: None for the back.

    With the marks `faces` an ordinary card shows its printed face; action cards and the cards of a game's own deck have
    an ArUco mark. With `plain` the cards of a game's own deck have no mark either. `mark`: the ArUco id of an action
    card.
    """
    if face is None:
        picture = back_picture()
    elif marks in ("faces", "plain") and isinstance(face, Card) and face.suit in SUIT_NAMES:
        picture = face_picture(face)
    elif marks == "plain" and isinstance(face, Card):
        picture = drawn(plain_drawing(face), *CARD_MM, TEXTURE_PX_PER_MM)
    else:
        words = {face.text: mark} if isinstance(face, ActionCard) and mark is not None else {}
        picture = card_picture(face, "qr" if marks == "qr" else "aruco", TEXTURE_PX_PER_MM, words=words)
    return printed(picture)


def printed(picture: Image, size: tuple[int, int] = CARD_PX) -> Image:
    """Return a drawn card as it is printed: at `TEXTURE_PX_PER_MM`, in the colour of paper, with cut edges.

    `picture`: the upright card, uint8 BGR, any size. `size`: width and height of the result, pixels.
    """
    if (picture.shape[1], picture.shape[0]) != size:
        picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    out = (picture * _PAPER).astype(np.uint8)
    # The cut edge reflects less light; the line separates a white card from another white card.
    shape = card_shape(size)
    inner = cv2.erode(shape, np.ones((3, 3), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    out[(shape > 0) & (inner < 255)] = _EDGE
    return out
