"""A learned deck: a picture of each card's face, in one file.

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
from vision.atomic_files import store, zip_entry
from vision.faces.geometry import Floats, Quad
from vision.faces.pyramid import level_for, to_level
from vision.frames import Image
from vision.image_files import is_regular

# The appearance of a card: its face cut out upright, and a form in which lighting has little effect.

FACE_SIZE: Final = (126, 176)
"""Width and height of a stored face, pixels: 2 per millimetre for a poker card. Decks are stored in this size."""
ROUGH_SIZE: Final = (63, 88)
"""Width and height of the rough form, pixels: 1 per millimetre."""


RIM_PX: Final = 2
"""Pixels at the edge of the rough form that are not compared: shadows, rounded corners, and the table. Higher: print
near the edge does not count; lower: rough outlines make faces less alike."""
FINE_BLUR_PX: Final = 1.0
"""Standard deviation of the blur of the fine form, pixels. Higher: small signs are lost; lower: noise and a blurred
lens make faces less alike."""
ROUGH_BLUR_PX: Final = 0.8
"""Standard deviation of the blur of the rough form, pixels. Higher: different cards are more alike."""
PAPER_PERCENTILE: Final = 96.0
"""Percentile of each channel that is taken as the colour of the paper. Higher: reflections count as paper; lower: print
does."""
MIN_PAPER: Final = 0.04
"""Brightness that the paper has at least. Lower: noise in the dark is amplified."""
PAPER_TINT: Final = (0.7, 1.3)
"""Range of a channel of the paper relative to the mean of the three. Wider: stronger colours of light are removed, and
so is the colour of a face without white."""
MAX_BRIGHTNESS: Final = 1.1
"""Brightness, relative to the paper, at which a channel is clipped. Higher: reflections make faces less alike."""


@dataclass(frozen=True, slots=True, eq=False)
class Appearance:
    """A face prepared for comparison. `fine`: (176, 126, 3) float32 CIE Lab. `rough`: (N,) float32, of length 1."""

    fine: Floats
    rough: Floats

    def upside_down(self) -> Appearance:
        """Return the appearance of the same card rotated by half a turn."""
        small = _small(self.fine)[::-1, ::-1]
        return Appearance(np.ascontiguousarray(self.fine[::-1, ::-1]), _rough(small))


def cut_out(levels: list[Image], quad: Quad) -> Image:
    """Return the face with its corners at `quad`, upright, (176, 126, 3) uint8 BGR.

    `levels`: an image pyramid. `quad`: in pixels of its first level.
    """
    side = float(np.linalg.norm(quad[0] - quad[3]) + np.linalg.norm(quad[1] - quad[2])) / 2
    level = level_for(levels, side / FACE_SIZE[1])
    width, height = FACE_SIZE
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    matrix = cv2.getPerspectiveTransform(to_level(quad, level), corners)
    face = cv2.warpPerspective(levels[level], matrix, FACE_SIZE, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(face, np.uint8)


def appearance_of(face: Image) -> Appearance:
    """Return the appearance of a face as `cut_out` gives it, (176, 126, 3) uint8 BGR.

    Each channel is divided by that of the paper, so that warm light does not change every card; the brightest part is
    taken as paper. A face without white is not made white: the gains of the channels differ by a factor of 1.9 at most.
    """
    picture = face.astype(np.float32) / 255
    edge = 2 * RIM_PX
    inner = picture[edge:-edge:2, edge:-edge:2]
    paper = np.percentile(inner.reshape(-1, 3), PAPER_PERCENTILE, axis=0)
    level = max(float(paper.mean()), MIN_PAPER)
    white = level * np.clip(paper / level, *PAPER_TINT)
    balanced = np.clip(picture / white, 0, MAX_BRIGHTNESS).astype(np.float32)
    soft = cv2.GaussianBlur(balanced, (0, 0), FINE_BLUR_PX)
    fine = np.asarray(cv2.cvtColor(soft, cv2.COLOR_BGR2Lab), np.float32)
    return Appearance(fine, _rough(_small(fine)))


def _small(fine: Floats) -> Floats:
    small = cv2.resize(fine, ROUGH_SIZE, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), ROUGH_BLUR_PX), np.float32)


def _rough(small: Floats) -> Floats:
    """Return the picture without rim and mean colour as a vector of length 1: dot products are correlations."""
    rim = RIM_PX
    part = small[rim:-rim, rim:-rim]
    flat = (part - part.reshape(-1, 3).mean(axis=0)).reshape(-1)
    return np.asarray(flat / max(float(np.linalg.norm(flat)), 1e-6), np.float32)


FORMAT: Final = 1
"""The version of the file format."""
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
class LearnedDeck:
    """A learned deck. `faces`: (176, 126, 3) uint8 BGR for each card. `size_mm`: width and height, if known."""

    name: str
    faces: dict[Card, Image] = field(default_factory=dict)
    size_mm: tuple[float, float] | None = None


def save_deck(path: Path, deck: LearnedDeck) -> None:
    """Write the deck to `path`. The file is replaced atomically: a power cut leaves the old one or the new one."""
    about = {
        "cardtable-deck": FORMAT,
        "name": deck.name,
        "size_mm": list(deck.size_mm) if deck.size_mm else None,
        "cards": [str(card) for card in deck.faces],
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zip_entry("deck.json", zipfile.ZIP_STORED), json.dumps(about, indent=1))
        for card, face in deck.faces.items():
            picture = cv2.imencode(".png", face)[1].tobytes()
            archive.writestr(zip_entry(f"{card}.png", zipfile.ZIP_STORED), picture)
    store(path, file.getvalue())


def load_deck(path: Path) -> LearnedDeck:
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
            return LearnedDeck(str(about["name"]), faces, _size(about["size_mm"]))
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


def _size(stored: Any) -> tuple[float, float] | None:
    if not stored:
        return None
    size = float(stored[0]), float(stored[1])
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
