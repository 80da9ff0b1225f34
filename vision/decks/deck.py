"""A deck of one's own: a picture of each card's face, in one file.

The file is a zip archive with `deck.json` and a PNG for each card, named as records name the card: anybody can look
into it, and a copy of it is the deck.
"""

from __future__ import annotations

import io
import json
import lzma
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from engine.cards import Card, parse_card
from engine.texts import Text, text, why
from vision.atomic_files import store
from vision.decks.looks import FACE_SIZE
from vision.frames import Image

FORMAT: Final = 1
SUFFIX: Final = ".deck"
MOST_CARDS: Final = 400
_MOST_BYTES: Final = 2_000_000
_SIZE_MM: Final = (20.0, 300.0)
"""A card's sides are no shorter, and no longer."""
_PNG: Final = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
_DAMAGED: Final = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, cv2.error, RuntimeError,
    KeyError, TypeError, IndexError, ValueError,
)  # fmt: skip
"""What the readers of zip archives, JSON and pictures raise; `RuntimeError` for a password, or another packing."""
NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


class BadDeck(ValueError):
    """The file is no deck; the message says what is wrong."""


@dataclass
class OwnDeck:
    """`faces`: (176, 126, 3) BGR for each card. `size_mm`: width and height of its cards, where that is known."""

    name: str
    faces: dict[Card, Image] = field(default_factory=dict)
    size_mm: tuple[float, float] | None = None


def save_deck(path: Path, deck: OwnDeck) -> None:
    """Stores the deck. After a power cut the old file or the new one is there, whole."""
    about = {
        "cardtable-deck": FORMAT,
        "name": deck.name,
        "size_mm": list(deck.size_mm) if deck.size_mm else None,
        "cards": [str(card) for card in deck.faces],
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("deck.json", json.dumps(about, indent=1))
        for card, face in deck.faces.items():
            archive.writestr(f"{card}.png", cv2.imencode(".png", face)[1].tobytes())
    store(path, file.getvalue())


def load_deck(path: Path) -> OwnDeck:
    """The deck stored by `save_deck`. Raises `BadDeck`, also for a file that may not be read; `FileNotFoundError`."""
    try:
        with zipfile.ZipFile(path) as archive:
            about = json.loads(_part(archive, "deck.json"))
            if about["cardtable-deck"] != FORMAT:
                told = "{path} is a deck of another version of cardtable: bring the older of the two up to date"
                raise BadDeck(text(told, path=path))
            names = about["cards"]
            if len(names) > MOST_CARDS:
                raise BadDeck(
                    text(
                        "{path} has {count} cards; a deck has {most} at most",
                        path=path,
                        count=len(names),
                        most=MOST_CARDS,
                    )
                )
            faces = {parse_card(name): _face(archive, name) for name in names}
            return OwnDeck(str(about["name"]), faces, _size(about["size_mm"]))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise BadDeck(text("{path} cannot be read: {why}", path=path, why=why(error))) from error
    except _DAMAGED as error:
        if isinstance(error, BadDeck):
            raise
        said = str(error)
        fault = said if isinstance(said, Text) else text("damaged, or another kind of file")
        raise BadDeck(
            text("{path} is no deck ({error}): learn it again with --anew, or copy it again", path=path, error=fault)
        ) from error


def check_name(name: str) -> str:
    """The name, if a deck may be called so. Raises `ValueError`."""
    if not NAME.fullmatch(name) or name == "ordinary":
        raise ValueError(text("a deck is called by small letters, numbers and -, like my-tarot"))
    return name


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    if name not in archive.namelist():
        raise ValueError(text("{name} is not in it", name=name))
    if archive.getinfo(name).file_size > _MOST_BYTES:
        raise ValueError(text("{name} is too large", name=name))
    return archive.read(name)


def _size(given: Any) -> tuple[float, float] | None:
    if not given:
        return None
    size = float(given[0]), float(given[1])
    if not all(_SIZE_MM[0] <= side <= _SIZE_MM[1] for side in size):
        raise ValueError(text("its cards are {width:g} × {height:g} mm", width=size[0], height=size[1]))
    return size


def _face(archive: zipfile.ZipFile, name: str) -> Image:
    data = _part(archive, f"{name}.png")
    # Its size is looked at before it is unpacked: a small file may hold a picture that fills the memory.
    fits = data.startswith(_PNG) and struct.unpack(">II", data[16:24]) == FACE_SIZE
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if fits else None
    if picture is None or picture.shape[:2] != (FACE_SIZE[1], FACE_SIZE[0]):
        raise ValueError(text("{name}.png is no picture of a face", name=name))
    return np.asarray(picture, np.uint8)
