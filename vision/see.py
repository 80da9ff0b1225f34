"""What a single picture shows: several readers, one list of cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import cv2
import numpy as np

from engine.texts import text, why
from vision.frames import Image
from vision.image_files import decode
from vision.readings import Reader, Reading

Marks = Literal["faces", "qr", "aruco", "all"]


class NotAPicture(ValueError):
    """The file holds no picture that can be read; the message says what it is instead, for a person."""


def load_picture(path: Path, *, upright: bool = False) -> Image:
    """The picture as stored, (height, width, 3) BGR; how it should be turned to be looked at is left aside.

    Cards are read at any angle, and outlines then fit the file's own width and height. `upright`: turned as its EXIF
    data says. Raises `NotAPicture`.
    """
    try:
        data = np.fromfile(path, np.uint8)
    except FileNotFoundError:
        raise NotAPicture(text("there is no such file")) from None
    except IsADirectoryError:
        raise NotAPicture(text("a folder, not a picture; name the pictures in it")) from None
    except OSError as error:
        raise NotAPicture(text("cannot be read: {why}", why=why(error))) from None
    picture = decode(data, upright=upright)
    if picture is None:
        raise NotAPicture(text("not a picture"))
    return picture


def readers_for(marks: Marks) -> list[Reader]:
    """The readers of a kind of marks; models are loaded here, once. Marks come first: they outrank faces."""
    readers: list[Reader] = []
    if marks in ("aruco", "all"):
        from vision.marks import ArucoReader

        readers.append(ArucoReader())
    if marks in ("qr", "all"):
        from vision.marks import QrReader

        readers.append(QrReader())
    if marks in ("faces", "all"):
        from vision.faces import FaceReader

        readers.append(FaceReader())
    return readers


def see(image: Image, readers: Sequence[Reader], mm_per_px: float | None = None) -> list[Reading]:
    """All cards in `image`, one `Reading` for each physical card, in reading order.

    Where two readers see one card, the earlier reader's answer stands: give mark readers first.
    """
    cards: list[Reading] = []
    for reader in readers:
        mine = reader.read(image, mm_per_px)
        cards += [one for one in mine if not any(_same_card(one, other) for other in cards)]
    return reading_order(cards)


def reading_order(readings: Iterable[Reading]) -> list[Reading]:
    """Top to bottom, then left to right: cards whose middles differ by less than half a card's width share a row."""
    waiting = sorted(readings, key=lambda r: _middle(r)[1])
    ordered: list[Reading] = []
    while waiting:
        first = waiting[0]
        row = [r for r in waiting if _middle(r)[1] - _middle(first)[1] < 0.5 * _extent(first)]
        ordered += sorted(row, key=lambda r: _middle(r)[0])
        waiting = waiting[len(row) :]
    return ordered


def _middle(reading: Reading) -> tuple[float, float]:
    x, y = reading.outline.mean(axis=0)
    return float(x), float(y)


def _extent(reading: Reading) -> float:
    """The card's short side, pixels."""
    steps = np.linalg.norm(np.roll(reading.outline, -1, axis=0) - reading.outline, axis=1)
    return float(steps.min())


def _same_card(first: Reading, second: Reading) -> bool:
    """Two readings of one physical card: the outlines nearly agree, or the face does and they overlap."""
    common, _ = cv2.intersectConvexConvex(first.outline, second.outline)
    smaller = min(cv2.contourArea(first.outline), cv2.contourArea(second.outline))
    return bool(common > (0.25 if first.face is second.face else 0.6) * max(smaller, 1e-6))
