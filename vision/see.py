"""Read the cards in a single picture with several readers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import cv2
import numpy as np

from vision.frames import Image
from vision.image_files import as_picture, load_picture
from vision.readings import Reader, Reading

if TYPE_CHECKING:
    from vision.decks.deck import LearnedDeck
    from vision.faces.reader_nets import Suits

Marks = Literal["faces", "qr", "aruco", "all"]
"""What to read: printed faces, QR codes, ArUco marks, or all of them; `readers_for` also takes several."""
MarkKind = Literal["faces", "qr", "aruco"]


SAME_FACE_SHARE: Final = 0.25
"""Share of the smaller outline that two readings of one face must have in common to be one card. Higher: a card is
reported twice; lower: one of two equal cards that overlap is lost."""
OTHER_FACE_SHARE: Final = 0.6
"""The same for readings of different faces. Higher: a card is reported with two faces; lower: cards that lie on one
another are lost."""
ROW_HEIGHT_WIDTHS: Final = 0.5
"""Cards are in one row if their middles differ in height by less than this, in widths of a card. Higher: two rows that
lie close are read as one; lower: a crooked row is read as two."""


def read(
    picture: str | os.PathLike[str] | Image,
    *,
    marks: Marks = "all",
    readers: Sequence[Reader] | None = None,
    mm_per_px: float | None = None,
) -> list[Reading]:
    """Return the cards in a picture in reading order, one `Reading` for each physical card.

    `picture`: a file, or an (H, W, 3) uint8 BGR array as OpenCV gives it. `marks`: what to read. `readers`: used
    instead, for example a `vision.decks.matching.DeckReader`; if two of them see one card, the earlier one counts.
    `mm_per_px`: millimetres per pixel, if the camera looks straight down at a known scale; cards of another size are
    then ignored. Raises `NotAPicture`.

    Action cards are read by their QR codes only. Their ArUco ids depend on the games and have to be given, as in
    `readers=readers_for("all", words=engine.games.word_marks())`.

    The models are loaded at the first call and kept.

        readings = vision.read("photo.jpg")
        print(readings[0].face, readings[0].confidence, readings[0].outline)

    >>> read(np.zeros((240, 320, 3), np.uint8), marks="aruco")
    []
    >>> read("missing.jpg")
    Traceback (most recent call last):
    vision.image_files.NotAPicture: there is no such file
    """
    image = _checked(picture) if isinstance(picture, np.ndarray) else load_picture(Path(picture))
    return see(image, _readers(marks) if readers is None else readers, mm_per_px)


@cache
def _readers(marks: Marks) -> tuple[Reader, ...]:
    return tuple(readers_for(marks))


def _checked(image: Image) -> Image:
    """Return an array as (H, W, 3) uint8 BGR; grey, 16 bits or transparency are converted."""
    if image.ndim not in (2, 3) or not image.size or (image.ndim == 3 and image.shape[2] not in (1, 3, 4)):
        raise ValueError(f"an array of shape {image.shape} is not a picture: (height, width, 3) BGR is expected")
    return as_picture(image)


def readers_for(
    marks: Marks | Iterable[MarkKind] = "all",
    deck: LearnedDeck | None = None,
    words: Mapping[str, int] | None = None,
    card_mm: tuple[float, float] | None = None,
    suits: Suits = "french",
) -> list[Reader]:
    """Return the readers for some kinds of marks, marks before faces: a mark is read more reliably than a face.

    `deck`: a learned deck whose faces are read instead of ordinary ones. `words`: the ArUco ids of action cards, by the
    word (`engine.games.word_marks`); without it no action card is read by ArUco. `card_mm`: width and height of
    ordinary cards at a table; without it they are learned. `suits`: the signs that their deck prints. The models
    are loaded here. Raises `vision.marks.MissingLibrary`.

    >>> [type(reader).__name__ for reader in readers_for(("qr", "aruco"))]
    ['ArucoReader', 'QrReader']
    """
    kinds: set[str] = {marks} if isinstance(marks, str) else set(marks)
    if "all" in kinds:
        kinds = {"faces", "qr", "aruco"}
    readers: list[Reader] = []
    if "aruco" in kinds:
        from vision.marks import ArucoReader

        readers.append(ArucoReader(words or {}))
    if "qr" in kinds:
        from vision.marks import QrReader

        readers.append(QrReader())
    if "faces" in kinds and deck is not None:
        from vision.decks.matching import DeckReader

        readers.append(DeckReader(deck))
    elif "faces" in kinds:
        from vision.faces import FaceReader, ReaderSettings

        readers.append(FaceReader(ReaderSettings(card_mm=card_mm), suits))
    return readers


def see(image: Image, readers: Sequence[Reader], mm_per_px: float | None = None) -> list[Reading]:
    """Return the cards in `image` in reading order, one `Reading` for each physical card.

    `image`: (H, W, 3) uint8 BGR. `readers`: if two of them see one card, the earlier one's answer counts: pass mark
    readers first. `mm_per_px`: millimetres per pixel, if the camera looks straight down at a known scale; cards of
    another size are then ignored.
    """
    cards: list[Reading] = []
    for reader in readers:
        found = reader.read(image, mm_per_px)
        cards += [reading for reading in found if not any(_same_card(reading, card) for card in cards)]
    return reading_order(cards)


def reading_order(readings: Iterable[Reading]) -> list[Reading]:
    """Return the readings row by row, each from left to right."""
    waiting = sorted(readings, key=lambda r: r.centre[1])
    ordered: list[Reading] = []
    while waiting:
        first = waiting[0]
        row = [r for r in waiting if r.centre[1] - first.centre[1] < ROW_HEIGHT_WIDTHS * _short_side(first)]
        ordered += sorted(row, key=lambda r: r.centre[0])
        waiting = waiting[len(row) :]
    return ordered


def _short_side(reading: Reading) -> float:
    """Return the length of the card's shortest side, pixels."""
    steps = np.linalg.norm(np.roll(reading.outline, -1, axis=0) - reading.outline, axis=1)
    return float(steps.min())


def _same_card(first: Reading, second: Reading) -> bool:
    """Return whether two readings are of one physical card: their outlines overlap, by more if the faces differ."""
    common, _ = cv2.intersectConvexConvex(first.outline, second.outline)
    smaller = min(cv2.contourArea(first.outline), cv2.contourArea(second.outline))
    share = SAME_FACE_SHARE if first.face is second.face else OTHER_FACE_SHARE
    return bool(common > share * max(smaller, 1e-6))
