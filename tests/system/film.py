"""A short game before a drawn camera, as frames, as a video and as a folder of pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import numpy as np

from tests.vision.drawn_table import FPS, DrawnTable
from vision.frames import Image

GAME = ["--game", "all-fives", "--players", "Ann,Bo", "--dealer", "Ann", "--marks", "aruco"]
ACTIONS = [
    {"do": "turn", "card": "4H"},
    {"do": "say", "seat": 1, "word": "stand"},
    {"do": "play", "seat": 1, "card": "10S"},
    {"do": "play", "seat": 0, "card": "QS"},
    {"do": "gather", "seat": 0},
    {"do": "play", "seat": 0, "card": "5H"},
]
"""The actions in the film."""
EACH = 12
"""Frames for each action: it happens in the first one, and the others are still."""
SIZE = (1024, 576)
"""Few pixels, because the programs that watch the film look at all of them."""


def shrunk(image: Image) -> Image:
    return np.asarray(cv2.resize(image, SIZE, interpolation=cv2.INTER_AREA), np.uint8)


def frames() -> Iterator[Image]:
    """The game: the empty table, then each action."""
    table = DrawnTable(noise=1.0)

    def passing() -> Iterator[Image]:
        for _ in range(EACH):
            frame = table.read()
            assert frame is not None
            yield shrunk(frame.image)

    yield from passing()
    table.lay("4H", ("turn-up", None))
    yield from passing()
    word = table.lay("say:stand", ("say", 1))
    yield from passing()
    table.cards.remove(word)
    ten = table.lay("10S", ("play", 1), angle=8)
    yield from passing()
    queen = table.lay("QS", ("play", 0), angle=-15)
    yield from passing()
    table.cards.remove(ten)
    table.cards.remove(queen)
    yield from passing()
    table.lay("5H", ("play", 0), angle=30)
    yield from passing()


def write_video(path: Path, images: Iterable[Image]) -> None:
    """A film as motion JPEG, which can be read even if it is cut off."""
    first, *rest = images
    height, width, _ = first.shape
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), FPS, (width, height))
    for image in (first, *rest):
        writer.write(image)
    writer.release()
