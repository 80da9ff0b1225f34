"""A table drawn with OpenCV for the tests of the camera pipeline: mat, marked cards, hands, shadows, light, noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

import cv2
import numpy as np

from cardtable.paper.drawings import card_picture, mat_picture
from engine.cards import Card, parse_card
from engine.games import word_marks
from engine.observations import ActionCard, Observation, Scene, Zone
from tests.vision.grain import Grain
from vision.camera_pipeline import CameraPipeline
from vision.frames import Frame, Image
from vision.marks.aruco import ArucoReader
from vision.mat.layout import Mat, lay_out
from vision.readings import CARD_MM

ZONES = ("play", "say", "show", "turn-up")
SIZE = (1536, 864)
FPS = 30.0
_FINE = 3.0


@lru_cache(maxsize=4)
def _mat(players: int) -> tuple[Mat, Image]:
    mat = lay_out(players, ZONES)
    return mat, mat_picture(mat, _FINE)


def _paste(image: Image, texture: Image, where: np.ndarray) -> None:
    height, width = texture.shape[:2]
    corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float64)
    outline = cv2.perspectiveTransform(corners, where)[0]
    low = np.maximum(np.floor(outline.min(axis=0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(outline.max(axis=0)).astype(int) + 2, SIZE)
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    local = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]], np.float64) @ where
    shrink = np.linalg.norm(outline[1] - outline[0]) / width
    if shrink < 0.6:
        texture = np.asarray(cv2.GaussianBlur(texture, (0, 0), 0.4 / shrink), np.uint8)
    warped = cv2.warpPerspective(texture, local, size, flags=cv2.INTER_LINEAR)
    cover = cv2.warpPerspective(np.full((height, width), 255, np.uint8), local, size, flags=cv2.INTER_LINEAR)
    part = image[low[1] : high[1], low[0] : high[0]]
    share = cover[..., None].astype(np.float32) / 255
    part[:] = np.rint(warped * share + part * (1 - share)).astype(np.uint8)


def _laid_out(cloth: Image, view: np.ndarray) -> Image:
    """Return the mat as the camera sees it. `view`: the homography from millimetres to pixels."""
    picture = np.full((SIZE[1], SIZE[0], 3), (62, 74, 96), np.uint8)
    _paste(picture, cloth, view @ np.diag([1 / _FINE, 1 / _FINE, 1.0]))
    return picture


@lru_cache(maxsize=4)
def _bare(players: int, view: bytes) -> Image:
    return _laid_out(_mat(players)[1], np.frombuffer(view).reshape(3, 3))


@lru_cache(maxsize=64)
def _face(face: Card | ActionCard) -> Image:
    return card_picture(face, "aruco", _FINE * 2, words=word_marks())


@cache
def _aruco_reader() -> ArucoReader:
    """Return the reader of all tables: what it reads depends on nothing that it has read."""
    return ArucoReader(word_marks())


@dataclass
class DrawnCard:
    """A card on the drawn table: its centre in mm, its clockwise rotation in degrees. `face` None: face down."""

    face: Card | ActionCard | None
    x: float
    y: float
    angle: float = 0.0


class DrawnTable:
    """A frame source; the test changes its table between two frames. `noise`: standard deviation in grey levels.

    `printed`: draws the faces of cards instead of their marks, six pixels for each millimetre.
    """

    live = False
    name = "drawn"

    def __init__(
        self, players: int = 2, noise: float = 2.5, seed: int = 1, printed: Callable[[Card], Image] | None = None
    ) -> None:
        self.mat = _mat(players)[0]
        self._players = players
        self._cloth: Image | None = None
        self._printed = printed
        self.cards: list[DrawnCard] = []
        self.hands: list[tuple[tuple[float, float], tuple[float, float]]] = []
        """Arms: from a point at the border of the picture to a fingertip, in mm."""
        self.shadows: list[tuple[float, float, float, float]] = []
        """Centre x, y and radius in mm, darkness 0 to 1."""
        self.gain = 1.0
        self.fps = FPS
        self.shift = (0.0, 0.0)
        self.turn = 0.0
        self.noise = noise
        self._rng = np.random.default_rng(seed)
        self._number = 0
        self._grain: Grain | None = None
        self._drawn: dict[str, Image] = {}

    @property
    def view(self) -> np.ndarray:
        """The homography from millimetres to pixels: slightly from one side, then shifted and turned by a bump."""
        width, height = self.mat.size_mm
        mat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        seen = np.array([[52, 30], [1490, 22], [1510, 838], [38, 846]], np.float32)
        tilted = cv2.getPerspectiveTransform(mat, seen)
        bump = np.vstack([cv2.getRotationMatrix2D((SIZE[0] / 2, SIZE[1] / 2), self.turn, 1.0), [0, 0, 1]])
        bump[:2, 2] += self.shift
        return np.asarray(bump @ tilted)

    @property
    def cloth(self) -> Image:
        """The picture of the mat. One that is set replaces the printed one."""
        return _mat(self._players)[1] if self._cloth is None else self._cloth

    @cloth.setter
    def cloth(self, cloth: Image) -> None:
        self._cloth = cloth
        self._drawn.clear()

    def lay(self, name: str, zone: tuple[str, int | None], dx: float = 0, dy: float = 0, angle: float = 0) -> DrawnCard:
        """Lay a card (`QH`), an action card (`say:beg`) or a card face down (`back`) in a zone.

        `dx`, `dy`: offset from the centre of the zone, mm. `angle`: degrees clockwise.
        """
        x, y = self.mat.centre(Zone(*zone))
        face = None if name == "back" else ActionCard(name[4:]) if name.startswith("say:") else parse_card(name)
        card = DrawnCard(face, x + dx, y + dy, angle)
        self.cards.append(card)
        return card

    def read(self) -> Frame | None:
        """Return the table as it is now."""
        image = self._with_grain(self._clean())
        frame = Frame(image, self._number / self.fps, self._number)
        self._number += 1
        return frame

    def _with_grain(self, image: Image) -> Image:
        if not self.noise:
            return image
        if self._grain is None:
            self._grain = Grain(SIZE[1], SIZE[0], self.noise, self._rng)
        return self._grain.added_to(image)

    def _clean(self) -> Image:
        """Return the table without noise. How it looked a moment ago is kept: things that shake look so again."""
        state = repr((self.cards, self.hands, self.shadows, self.gain, self.shift, self.turn))
        if state not in self._drawn:
            if len(self._drawn) > 1:
                del self._drawn[next(iter(self._drawn))]
            self._drawn[state] = self._draw()
        return self._drawn[state]

    def _draw(self) -> Image:
        if self._cloth is None:
            image = _bare(self._players, self.view.tobytes()).copy()
        else:
            image = _laid_out(self._cloth, self.view)
        for card in self.cards:
            self._draw_card(image, card)
        if self.shadows or self.gain != 1.0:
            image = self._lit(image)
        for start, end in self.hands:
            self._draw_hand(image, start, end)
        return image

    def _lit(self, image: Image) -> Image:
        picture = image.astype(np.float32)
        for x, y, radius, dark in self.shadows:
            mask = np.zeros((SIZE[1] // 4, SIZE[0] // 4), np.float32)
            at = cv2.perspectiveTransform(np.array([[[x, y]]], np.float64), self.view)[0, 0] / 4
            cv2.circle(mask, (round(at[0]), round(at[1])), round(radius * 1.65 / 4), dark, -1)
            soft = cv2.resize(cv2.GaussianBlur(mask, (0, 0), 6), SIZE)
            picture *= 1 - soft[..., None]
        return np.clip(picture * self.gain, 0, 255).astype(np.uint8)

    def close(self) -> None:
        """Do nothing."""

    def _draw_card(self, image: Image, card: DrawnCard) -> None:
        if card.face is None:
            texture = np.full((round(CARD_MM[1] * 6), round(CARD_MM[0] * 6), 3), (235, 235, 235), np.uint8)
            texture[24:-24, 24:-24] = (140, 60, 40)
            texture[40:-40:24, 40:-40] = (210, 180, 170)
        elif self._printed and isinstance(card.face, Card):
            texture = self._printed(card.face)
        else:
            texture = _face(card.face)
        turn = math.radians(card.angle)
        cos, sin = math.cos(turn) / 6, math.sin(turn) / 6
        w, h = CARD_MM[0] / 2, CARD_MM[1] / 2
        place = np.array(
            [
                [cos, -sin, card.x - 6 * (cos * w - sin * h)],
                [sin, cos, card.y - 6 * (sin * w + cos * h)],
                [0, 0, 1],
            ]
        )
        _paste(image, texture, self.view @ place)

    def _draw_hand(self, image: Image, start: tuple[float, float], end: tuple[float, float]) -> None:
        points = cv2.perspectiveTransform(np.array([[start, end]], np.float64), self.view)[0]
        a, b = ((round(x), round(y)) for x, y in points)
        cv2.line(image, a, b, (60, 70, 150), 130)
        cv2.circle(image, b, 72, (120, 150, 205), -1)
        for spread in (-40, -12, 15, 40):
            cv2.line(image, b, (b[0] + spread, b[1] - 95), (118, 146, 200), 24)


class Watched:
    """A drawn table and the camera pipeline above it, with everything that it has observed."""

    def __init__(self, table: DrawnTable, make: Callable[[DrawnTable], CameraPipeline] | None = None) -> None:
        self.table = table
        self.pipeline = make(table) if make else CameraPipeline(table, table.mat, [_aruco_reader()])
        self.observations: list[Observation] = []
        self.scene: Scene | None = None

    def run(self, frames: int) -> list[Observation]:
        """Process frames; return what was observed in them."""
        new: list[Observation] = []
        for _ in range(frames):
            for observation in self.pipeline.step():
                new.append(observation)
                if isinstance(observation, Scene):
                    self.scene = observation
        self.observations += new
        return new

    def until_scene(self, most: int = 30) -> int:
        """Process frames until one gives a scene; return their number."""
        for count in range(1, most + 1):
            if any(isinstance(observation, Scene) for observation in self.run(1)):
                return count
        raise AssertionError(f"no scene within {most} frames")

    @property
    def seen(self) -> set[tuple[str, str]]:
        """(face, zone) of every card in the last scene."""
        assert self.scene is not None
        return {(str(s.face), str(s.zone)) for s in self.scene.sightings}

    def card_id(self, face: str) -> str:
        """Return the id of the card with this face in the last scene."""
        assert self.scene is not None
        return next(s.card_id for s in self.scene.sightings if str(s.face) == face)
