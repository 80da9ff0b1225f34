"""Drawn photographs of tables with cards of decks that no net was trained on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import STANDARD_DECK, Card
from tests.drawing.faces import FOUR_INKS, FRENCH, GERMAN, Style, face_of
from vision.frames import Image
from vision.readings import CARD_MM

Matrix = npt.NDArray[np.float64]
LARGE: Final = 100
"""Height of indices from which on a picture has at most three cards, pixels."""
SEEN: Final = 0.9
"""Visible share of an index from which on a card has to be read."""
LIES: Final = ("apart", "thrown", "row", "fan")
GROUNDS: Final = {
    "green": (60, 110, 40), "dark": (40, 38, 36), "white": (225, 230, 232), "wood": (70, 120, 170),
    "printed": (150, 150, 150),
}  # fmt: skip
LIGHTS: Final = ("even", "lamp", "dim", "shadow")
CAMERAS: Final = ("above", "at the side")
STYLES: Final = {
    "drawn": Style(), "drawn, French": Style(8, 400, letters=FRENCH), "drawn, German": Style(9, 600, letters=GERMAN),
    "drawn, four-coloured": Style(9, 500, inks=FOUR_INKS), "drawn, jumbo": Style(14, 600),
}  # fmt: skip


class Box(NamedTuple):
    """The box of a deck's upper left index, millimetres from the card's top left."""

    left: float
    top: float
    right: float
    bottom: float


BOXES: Final = {
    "kde-jolly-royal": Box(1.8, 1.9, 9.8, 25.0), "heruka-2color": Box(1.5, 2.0, 7.2, 18.2),
    "heruka-4color": Box(1.5, 2.0, 7.2, 18.2), "heruka-2color-bf": Box(1.5, 1.5, 13, 30),
    "pokerth-default": Box(2.5, 2.5, 14.5, 29), "pokerth-default4c": Box(2.5, 2.5, 14.5, 29),
}  # fmt: skip
ORDINARY_BOXES: Final = {"younestouati": Box(1.6, 3.0, 8.0, 20.7), "react-casino": Box(2.3, 4.3, 8.2, 21.3)}
"""The same for two decks that look like the decks that most shops sell."""
GERMAN_BOXES: Final = {"kde-xskat-german": Box(2.0, 2.8, 8.2, 14.5)}
"""The same for decks with German suits."""


class DrawnCards(Mapping[Card, Image]):
    """The cards of a drawn deck; each is drawn when it is first asked for."""

    def __init__(self, draw: Callable[[Card], Image]) -> None:
        self._draw = cache(draw)

    def __getitem__(self, card: Card) -> Image:
        return self._draw(card)

    def __iter__(self) -> Iterator[Card]:
        return iter(STANDARD_DECK.cards)

    def __len__(self) -> int:
        return len(STANDARD_DECK.cards)


@dataclass(frozen=True)
class Deck:
    """A deck to lay: pictures of its cards, and the position of their indices."""

    cards: Mapping[Card, Image]
    index: Box


@dataclass(frozen=True)
class Kind:
    """The properties of a scene. `height`: that of an index, pixels."""

    deck: str
    height: int
    lie: str
    ground: str
    light: str
    camera: str


def drawn_decks(styles: Mapping[str, Style] = STYLES) -> dict[str, Deck]:
    """Return decks drawn with OpenCV's own letters."""
    decks = {}
    for name, style in styles.items():
        box = Box(2.0, 3.5, 2.4 + 1.1 * style.index_mm, 4.8 + 1.72 * style.index_mm)
        decks[name] = Deck(DrawnCards(partial(face_of, style=style)), box)
    return decks


def packaged_decks(folder: Path, boxes: Mapping[str, Box] = BOXES) -> dict[str, Deck]:
    """Return the decks that `render --unseen` has drawn into `folder`; by default those with French suits."""
    decks = {}
    for name, box in boxes.items():
        pictures = {card: folder / name / f"{card}.png" for card in STANDARD_DECK.cards}
        if all(path.exists() for path in pictures.values()):
            read = {card: np.asarray(cv2.imread(str(path)), np.uint8) for card, path in pictures.items()}
            decks[name] = Deck(read, box)
        else:
            print(f"{name}: left out, {folder / name} has not all its cards")
    if not decks:
        raise SystemExit(
            f"{folder}: no deck is there; run first: python -m lab.training render --unseen --out {folder}"
        )
    return decks


def at(x: float, y: float, turn: float = 0.0) -> Matrix:
    """Return the matrix that rotates by `turn`, radians, and then moves."""
    cos, sin = math.cos(turn), math.sin(turn)
    return np.array([[cos, -sin, x], [sin, cos, y], [0, 0, 1]])


def layout(lie: str, rng: np.random.Generator) -> list[Matrix]:
    """Return the matrices from card millimetres to table millimetres, the uppermost card last."""
    middle = at(-CARD_MM[0] / 2, -CARD_MM[1] / 2)
    if lie == "apart":
        places = [
            at(115 * (k % 3) - 115 + rng.uniform(-8, 8), 120 * (k // 3) - 60 + rng.uniform(-5, 5)) for k in range(6)
        ]
        return [place @ at(0, 0, rng.uniform(0, 2 * np.pi)) @ middle for place in places]
    if lie == "thrown":
        places = [at(rng.uniform(-110, 110), rng.uniform(-82, 82), rng.uniform(0, 2 * np.pi)) for _ in range(8)]
        return [place @ middle for place in places]
    whole = at(0, 60 if lie == "fan" else 0, rng.uniform(0, 2 * np.pi))
    if lie == "row":
        step = rng.uniform(15, 25)
        return [
            whole @ at((k - 4) * step + rng.normal(0, 0.7), rng.normal(0, 1.2), rng.normal(0, 0.03)) @ middle
            for k in range(9)
        ]
    step = np.deg2rad(rng.uniform(9, 15))
    return [whole @ at(0, 0, (k - 3.5) * step) @ at(0, -95, rng.normal(0, 0.02)) @ middle for k in range(8)]


def points(matrix: Matrix, flat: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the points (N, 2) transformed by the matrix."""
    moved = np.hstack([flat, np.ones((len(flat), 1))]) @ matrix.T
    return np.asarray(moved[:, :2] / moved[:, 2:])


def bare(ground: str, shape: tuple[int, int], px_per_mm: float, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Return the empty table."""
    table = np.full((*shape, 3), GROUNDS[ground], np.float32)
    if ground == "wood":
        grain = rng.normal(0, 14, (max(2, round(shape[0] / max(2, px_per_mm))), 4)).astype(np.float32)
        table += cv2.resize(grain, shape[::-1], interpolation=cv2.INTER_CUBIC)[..., None]
    if ground == "printed":
        rows, columns = np.mgrid[: shape[0], : shape[1]] // (20 * px_per_mm)
        table[(rows + columns) % 2 == 0] = (170, 60, 60)
        for _ in range(60):
            x, y = rng.uniform(0, shape[1]), rng.uniform(0, shape[0])
            colour = tuple(rng.uniform(0, 255, 3).tolist())
            cv2.circle(table, (round(x), round(y)), round(rng.uniform(2, 7) * px_per_mm), colour, -1)
    return np.asarray(table + rng.normal(0, 3, (*shape, 1)), np.float32)


@cache
def outline_mask() -> Image:
    """Return the mask of a card, ten pixels per millimetre, 255 inside."""
    mask, radius = np.zeros((880, 630), np.uint8), 35
    cv2.rectangle(mask, (radius, 0), (629 - radius, 879), 255, -1)
    cv2.rectangle(mask, (0, radius), (629, 879 - radius), 255, -1)
    for x in (radius, 629 - radius):
        for y in (radius, 879 - radius):
            cv2.circle(mask, (x, y), radius, 255, -1)
    return mask


def laid(picture: Image, matrix: Matrix, shape: tuple[int, int], px_per_mm: float) -> Image:
    """Return the card's picture warped into a picture of `shape`; `matrix`: card millimetres to pixels."""
    small = min(1.0, 1.6 * px_per_mm * CARD_MM[0] / picture.shape[1])
    fitting = cv2.resize(picture, None, fx=small, fy=small, interpolation=cv2.INTER_AREA)
    to_card = np.diag([CARD_MM[0] / fitting.shape[1], CARD_MM[1] / fitting.shape[0], 1.0])
    border = cv2.BORDER_REPLICATE if picture.ndim == 3 else cv2.BORDER_CONSTANT
    return np.asarray(cv2.warpPerspective(fitting, matrix @ to_card, shape[::-1], borderMode=border), np.uint8)


def lit(table: npt.NDArray[np.float32], light: str, px_per_mm: float, rng: np.random.Generator) -> Image:
    """Return the table as a camera shows it: lit, slightly blurred, noisy, compressed."""
    tall, wide = table.shape[:2]
    if light == "lamp":
        rows, columns = np.mgrid[:tall, :wide]
        away = np.hypot(columns - wide * rng.uniform(), rows - tall * rng.uniform()) / math.hypot(tall, wide)
        table = table * (1.05 - 0.75 * away[..., None]) * np.array([0.62, 0.85, 1.0])
    elif light == "dim":
        table = table * 0.38
    elif light == "shadow":
        shade = np.zeros((tall, wide), np.float32)
        corners = (rng.uniform(0, 1, (4, 2)) * (wide, tall)).astype(np.int32)
        cv2.fillPoly(shade, [cv2.convexHull(corners)], 1.0)
        table = table * (1 - 0.5 * cv2.GaussianBlur(shade, (0, 0), 4 * px_per_mm + 1)[..., None])
    soft = cv2.GaussianBlur(table.astype(np.float32), (0, 0), 0.7)
    noisy = rng.normal(0, 4 if light == "dim" else 2.5, table.shape)
    noisy += soft
    _, jpeg = cv2.imencode(".jpg", np.clip(noisy, 0, 255, out=noisy).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 85])
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)


def scene(deck: Deck, kind: Kind, seed: int) -> tuple[Image, list[Card], list[Card]]:
    """Return a picture, the cards in it that have to be read, and those that may be."""
    rng = np.random.default_rng(seed)
    cards = [STANDARD_DECK.cards[k] for k in rng.permutation(52)]
    px_per_mm = kind.height / (deck.index.bottom - deck.index.top)
    lying = layout(kind.lie, rng)[: 3 if kind.height >= LARGE else None]
    if kind.camera != "above":
        lean = np.array([[1, 0, 0], [0, 0.75, 0], [0, 0.0009, 1.0]]) @ at(0, 0, rng.uniform(-0.3, 0.3))
        lying = [lean @ place for place in lying]
    corners = np.array([[0, 0], [CARD_MM[0], 0], CARD_MM, [0, CARD_MM[1]]])
    ends = np.concatenate([points(place, corners) for place in lying])
    low, high = ends.min(axis=0) - 25, ends.max(axis=0) + 25
    shape = (int((high[1] - low[1]) * px_per_mm), int((high[0] - low[0]) * px_per_mm))
    camera = np.diag([px_per_mm, px_per_mm, 1.0]) @ at(-low[0], -low[1])
    table = bare(kind.ground, shape, px_per_mm, rng)
    owner = np.zeros(shape, np.uint8)
    for number, (card, place) in enumerate(zip(cards, lying, strict=False), 1):
        matrix = camera @ place
        mask = laid(outline_mask(), matrix, shape, px_per_mm)
        shadow = cv2.GaussianBlur(mask, (0, 0), max(0.6, 0.8 * px_per_mm)).astype(np.float32) / 255
        moved = np.roll(shadow, (round(0.8 * px_per_mm), round(0.5 * px_per_mm)), (0, 1))
        share = mask[..., None].astype(np.float32) / 255
        table *= 1 - 0.35 * moved[..., None]
        table += (0.97 * laid(deck.cards[card], matrix, shape, px_per_mm) - table) * share
        owner[mask > 127] = number
    seen = [_seen(owner, camera @ place, deck.index, number) for number, place in enumerate(lying, 1)]
    must = [card for card, share in zip(cards, seen, strict=False) if share >= SEEN]
    may = [card for card, share in zip(cards, seen, strict=False) if share < SEEN]
    return lit(table, kind.light, px_per_mm, rng), must, may


def _seen(owner: Image, matrix: Matrix, index: Box, number: int) -> float:
    """Return the visible share of the more visible index of a card, 0 to 1."""
    across, along = np.meshgrid(np.linspace(index.left, index.right, 7), np.linspace(index.top, index.bottom, 9))
    upper = np.stack([across, along], axis=-1).reshape(-1, 2)
    shares = []
    for flat in (upper, np.array(CARD_MM) - upper):
        columns, rows = np.round(points(matrix, flat)).astype(int).T
        shares.append(float((owner[rows, columns] == number).mean()))
    return max(shares)
