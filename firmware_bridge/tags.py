"""The table of tags: which tag is on which card. A JSON file, `{"tags": {"04a1b2c3": "QS", "04d4e5f6": "say:beg"}}`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from engine.cards import Card, UnknownCard, parse_card
from engine.observations import ActionCard
from engine.texts import text, why
from firmware_bridge.errors import BridgeError

_MAX_BYTES: Final = 10 << 20
_UID: Final = re.compile(r"([0-9a-f]{8}|[0-9a-f]{14})")


class TagsError(BridgeError):
    """The file of tags cannot be read or written. The message says why."""


def parse_face(text: str) -> Card | ActionCard:
    """Return the face that `text` names: a card, or an action card. Raises `UnknownCard`.

    >>> parse_face("QS"), parse_face("say:beg")
    (Card('QS'), ActionCard(text='beg'))
    """
    word = text.removeprefix("say:")
    return ActionCard(word) if word != text and word else parse_card(text)


class TagTable:
    """The tags and the faces of their cards, kept in the file `path`. A missing file is an empty table.

    Identifiers of tags (`uid`) are 4 or 7 bytes in lower-case hexadecimal. Raises `TagsError`.
    """

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._faces: dict[str, Card | ActionCard] = {}
        try:
            if path.stat().st_size > _MAX_BYTES or path.is_fifo() or path.is_char_device():
                raise ValueError("a pipe, or too large: it could block for ever, or fill the memory")
            found = json.loads(path.read_text("utf-8"))["tags"]
            for uid, face in found.items():
                if not _UID.fullmatch(uid):
                    raise TagsError(
                        text("{path}: {uid!r} is not a tag: 8 or 14 hexadecimal digits", path=path, uid=uid)
                    )
                self._faces[uid] = parse_face(face)
        except FileNotFoundError:
            return
        except OSError as error:
            raise TagsError(text("{path} cannot be read: {why}", path=path, why=why(error))) from error
        except UnknownCard as error:
            raise TagsError(text("{path}: {error}", path=path, error=str(error))) from error
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise TagsError(text("{path} is not a file of tags: cardtable tags learn makes one", path=path)) from error

    def __len__(self) -> int:
        return len(self._faces)

    def __iter__(self) -> Iterator[tuple[str, Card | ActionCard]]:
        """Iterate over the tags and their cards, in the order in which they were learnt."""
        return iter(self._faces.items())

    def face(self, uid: str) -> Card | ActionCard | None:
        """Return the face of the card with the tag `uid`; None for an unknown tag."""
        return self._faces.get(uid)

    def uids(self, face: Card | ActionCard) -> tuple[str, ...]:
        """Return the tags on cards with this face."""
        return tuple(uid for uid, other in self._faces.items() if other == face)

    def learn(self, uid: str, face: Card | ActionCard, instead: Collection[str] = ()) -> None:
        """Assign the tag `uid` to a card, forget the tags in `instead`, and replace the file atomically.

        Raises `TagsError`.
        """
        if not _UID.fullmatch(uid):
            raise TagsError(text("{uid!r} is not a tag: 8 or 14 hexadecimal digits", uid=uid))
        for old in instead:
            self._faces.pop(old, None)
        self._faces[uid] = face
        written = json.dumps({"tags": {uid: str(face) for uid, face in self}}, indent=1)
        path = self.path.resolve()  # replace the target of a symbolic link, not the link
        temporary = path.with_name(f"{path.name}.new")
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.write(f"{written}\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise TagsError(text("{path} cannot be written: {why}", path=self.path, why=why(error))) from error
