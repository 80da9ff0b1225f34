"""Pictures of the table, kept with the actions of a game: small JPEG files in a folder beside the journal.

Nothing is kept unless `table.toml` asks for it. Only the owner may read them (mode 0600); the oldest are deleted first.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from cardtable.table.snapshot import Corners
from engine.cards import STANDARD_DECK, Card
from engine.referee.observed_cards import SightingId
from vision.atomic_files import store
from vision.camera_pipeline import CameraPipeline
from vision.frames import Frame, Image
from vision.readings import CARD_MM

WIDTH: Final = 800
"""Largest width of a picture, pixels."""
MOST_BYTES: Final = 100_000
"""Largest size of a picture; one that is larger is compressed more, or not kept."""
_QUALITIES: Final = (75, 55, 35, 20)
_WAITING: Final = 4
"""Pictures that may wait to be written; when the disk is slower, further ones are left out."""

_LOG: Final = logging.getLogger(__name__)


def folder_of(journal: Path) -> Path:
    """Return the folder of the pictures of the games in this journal."""
    return journal.with_name(f"{journal.name}-pictures")


def picture_path(folder: Path, number: int, started: float, line: int) -> Path:
    """Return the path of the picture of an action: `line` of the record of game `number`, which began at `started`.

    The beginning of the game is in the name, because another journal may have a game with this number.
    """
    return folder / f"{number}-{int(started * 1000)}-{line}.jpg"


class KeptPictures:
    """Keeps at most `most` pictures in `folder`. They are encoded and written in a thread of its own.

    Nothing is raised: a picture that cannot be written is left out, and the log says why.
    """

    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        self._most = most
        self._pool = ThreadPoolExecutor(1, "pictures")
        self._waiting = 0
        self._kept: list[Path] | None = None
        self._failed = False

    def keep(self, number: int, started: float, line: int, frame: Frame) -> None:
        """Keep a frame as the picture of an action (see `picture_path`). Returns at once."""
        if self._waiting < _WAITING:
            self._waiting += 1
            self._pool.submit(self._write, picture_path(self._folder, number, started, line), frame)

    def close(self) -> None:
        """Write the pictures that are waiting."""
        self._pool.shutdown()

    def _write(self, path: Path, frame: Frame) -> None:
        try:
            data = small_jpeg(frame)
            if data is not None:
                kept = self._files()
                _write_private(path, data)
                kept.append(path)
                while len(kept) > self._most:
                    kept.pop(0).unlink(missing_ok=True)
            self._failed = False
        except (OSError, cv2.error) as error:
            if not self._failed:
                _LOG.warning("%s cannot be written: %s", path, error)
            self._failed = True
        finally:
            self._waiting -= 1

    def _files(self) -> list[Path]:
        """Return the pictures in the folder, the oldest first; the folder is made if there is none."""
        if self._kept is None:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._kept = sorted(self._folder.glob("*.jpg"), key=lambda path: path.stat().st_mtime_ns)
        return self._kept


def small_jpeg(frame: Frame, most: int = MOST_BYTES) -> bytes | None:
    """Return the frame as JPEG, at most `WIDTH` pixels wide; None if it cannot be made as small as `most` bytes."""
    height, width = frame.image.shape[:2]
    scale = min(WIDTH / width, 1.0)
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    small = cv2.resize(frame.image, size, interpolation=cv2.INTER_AREA)
    for quality in _QUALITIES:
        done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if done and data.nbytes <= most:
            return data.tobytes()
    return None


def _write_private(path: Path, data: bytes) -> None:
    new = path.with_suffix(".new")
    with suppress(FileNotFoundError):
        new.unlink()
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(data)
    new.replace(path)


# Pictures of cards that people have corrected, with their right names, kept as a set for training.
#
# The folder is a photo set for `python -m lab.training --photos` (`truth.json`, `images/`), and has the newest picture
# of each card for `cardtable deck learn --from` (`QS.png`, `brown-1.png`). Only its owner may read it.

MOST_CROP_BYTES: Final = 64_000_000
"""How large all pictures together may be; the oldest are removed."""
_PX_PER_MM: Final = 6
_MARGIN: Final = 0.25
"""What a picture shows around the card, as a share of the card's larger side."""


class CorrectedCrops:
    """Keeps pictures of cards in `folder`, of `most_bytes` together."""

    def __init__(self, folder: Path, most_bytes: int = MOST_CROP_BYTES) -> None:
        self._folder = folder
        self._most = most_bytes

    def keep_from(self, cameras: Sequence[CameraPipeline], sighting: SightingId, card: Card) -> None:
        """Keep the picture of the card that one of `cameras` sees. Does nothing if none of them does.

        A folder that cannot be written stops no game: it is logged.
        """
        source, card_id = sighting
        camera = next((camera for camera in cameras if camera.name == source), None)
        if camera is None or camera.frame is None or (corners := camera.places.get(card_id)) is None:
            return
        try:
            self.keep(camera.frame.image, corners, card)
        except (OSError, ValueError) as error:
            _LOG.warning("%s cannot be written: %s", self._folder, error)

    def keep(self, image: Image, corners: Corners, card: Card) -> None:
        """Keep a picture of `card`, which lies at `corners` in `image`. Raises `OSError`."""
        height, width = image.shape[:2]
        quad = np.array(corners, np.float32) * np.array((width, height), np.float32)
        images = self._folder / "images"
        images.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        store(self._folder / f"{card}.png", _png(_face(image, quad)), 0o600)
        entries = self._entries()
        number = max((int(entry["image"].split("-")[0]) for entry in entries), default=0) + 1
        name = f"{number:06d}-{card}.png"
        surroundings, box = _surroundings(image, quad)
        store(images / name, _png(surroundings), 0o600)
        boxes = [{"label": str(card), "xyxy": box, "kind": "card"}] if card in STANDARD_DECK else []
        entries.append({"image": name, "cards": [str(card)], "complete": False, "boxes": boxes})
        self._store(self._within_limit(entries))

    def _entries(self) -> list[dict[str, Any]]:
        try:
            entries = json.loads((self._folder / "truth.json").read_text("utf-8"))
            return [entry for entry in entries if (self._folder / "images" / entry["image"]).is_file()]
        except (FileNotFoundError, ValueError, TypeError, KeyError):
            return []

    def _within_limit(self, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        sizes = [(self._folder / "images" / entry["image"]).stat().st_size for entry in entries]
        first = 0
        while sum(sizes[first:]) > self._most and first < len(entries) - 1:
            first += 1
        self._store(entries[first:])
        for entry in entries[:first]:
            (self._folder / "images" / entry["image"]).unlink(missing_ok=True)
        return entries[first:]

    def _store(self, entries: list[dict[str, Any]]) -> None:
        store(self._folder / "truth.json", json.dumps(entries, indent=1).encode(), 0o600)


def _face(image: Image, quad: np.ndarray[Any, np.dtype[np.float32]]) -> Image:
    """Return the card alone, upright."""
    width, height = (round(side * _PX_PER_MM) for side in CARD_MM)
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    return np.asarray(cv2.warpPerspective(image, cv2.getPerspectiveTransform(quad, target), (width, height)), np.uint8)


def _surroundings(image: Image, quad: np.ndarray[Any, np.dtype[np.float32]]) -> tuple[Image, list[float]]:
    """Return the card with a margin around it, and its box in that picture: left, top, right, bottom."""
    height, width = image.shape[:2]
    low, high = quad.min(axis=0), quad.max(axis=0)
    margin = float((high - low).max()) * _MARGIN
    left, top = (max(int(value - margin), 0) for value in low)
    right, bottom = min(int(high[0] + margin) + 1, width), min(int(high[1] + margin) + 1, height)
    box = [float(low[0] - left), float(low[1] - top), float(high[0] - left), float(high[1] - top)]
    return np.ascontiguousarray(image[top:bottom, left:right]), box


def _png(image: Image) -> bytes:
    done, data = cv2.imencode(".png", image)
    if not done:
        raise ValueError("the picture cannot be encoded")
    return data.tobytes()
