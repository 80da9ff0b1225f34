"""A deck of one's own: a picture of each card's face, in one file.

The file is a zip archive with `deck.json` and a PNG for each card, named as records name the card, so that it can be
inspected with any zip program and shared as one file.
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
from vision.decks.appearance import FACE_SIZE
from vision.frames import Image
from vision.image_files import is_regular

FORMAT: Final = 1
"""The version of the file format."""
SUFFIX: Final = ".deck"
MOST_CARDS: Final = 400
"""Cards of the largest deck."""
_MOST_BYTES: Final = 2_000_000
"""Bytes of the largest file inside the archive, unpacked."""
_SIZE_MM: Final = (20.0, 300.0)
"""Shortest and longest side of a card, millimetres."""
_PNG: Final = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
_DAMAGED: Final = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, cv2.error, RuntimeError,
    KeyError, TypeError, IndexError, ValueError,
)  # fmt: skip
"""Raised for damaged zip archives, JSON and pictures; `RuntimeError` for a password or an unknown compression."""
NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
"""Names of decks."""
PRINTED: Final = ("ordinary", "german-suits")
"""Decks that are read by their printed indices; no learned deck may have such a name."""


class BadDeck(ValueError):
    """The file is not a valid deck; the message, for a person, says why."""


@dataclass
class OwnDeck:
    """A learned deck. `faces`: (176, 126, 3) uint8 BGR for each card. `size_mm`: width and height, if known."""

    name: str
    faces: dict[Card, Image] = field(default_factory=dict)
    size_mm: tuple[float, float] | None = None


def save_deck(path: Path, deck: OwnDeck) -> None:
    """Write the deck to `path`. The file is replaced atomically: a power cut leaves the old one or the new one."""
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
    """Return the deck stored by `save_deck`.

    Raises `FileNotFoundError`, and `BadDeck` for a file that is damaged, not a deck, or not readable.
    """
    try:
        if not is_regular(path):
            raise BadDeck(text("{path} is a pipe or a device, not a file of a deck", path=path))
        with zipfile.ZipFile(path) as archive:
            about = json.loads(_part(archive, "deck.json"))
            if about["cardtable-deck"] != FORMAT:
                raise BadDeck(
                    text(
                        "{path} is a deck of another version of cardtable: update the older of the two",
                        path=path,
                    )
                )
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
        message = str(error)
        fault = message if isinstance(message, Text) else text("damaged, or another kind of file")
        raise BadDeck(
            text("{path} is not a deck ({error}): learn it again with --anew, or copy it again", path=path, error=fault)
        ) from error


def check_name(name: str) -> str:
    """Return the name if it is a valid name of a deck. Raises `ValueError`.

    >>> check_name("my-tarot")
    'my-tarot'
    """
    if name in PRINTED:
        raise ValueError(text("a deck of that name needs no learning: its cards are read by their indices"))
    if not NAME.fullmatch(name):
        raise ValueError(text("a deck's name has small letters, digits and -, like my-tarot"))
    return name


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a file of the archive. Raises `ValueError` if it is missing or too large."""
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
    # The size in the header is checked before decoding: a small file may hold a picture that fills the memory.
    fits = data.startswith(_PNG) and struct.unpack(">II", data[16:24]) == FACE_SIZE
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if fits else None
    if picture is None or picture.shape[:2] != (FACE_SIZE[1], FACE_SIZE[0]):
        raise ValueError(text("{name}.png is not a picture of a face", name=name))
    return np.asarray(picture, np.uint8)
