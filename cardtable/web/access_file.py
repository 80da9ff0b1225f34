"""The file of the paired phones and the director's PIN, so that both survive a restart.

The file has mode 0600 and contains no secrets: tokens (256 random bits) are stored as SHA-256 hashes, the PIN as a
scrypt hash. The running table and `cardtable director` may write it at the same time.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import logging
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cardtable.errors import CardtableError, why
from engine.texts import text
from vision.atomic_files import store

PIN: Final = re.compile(r"[0-9]{4,12}")
COST: Final = 2**14
"""The parameter n of scrypt: with r = 8 a guess takes 16 MiB, and some 0.1 s on a Raspberry Pi."""


class PinHash(BaseModel):
    """The stored hash of a PIN: `salt` and `value` in hexadecimal, `n`, `r` and `p` the parameters of scrypt."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    salt: str = Field(pattern=r"^[0-9a-f]{32}$")
    value: str = Field(pattern=r"^[0-9a-f]{64}$")
    n: int = Field(ge=2**10, le=2**17)
    r: int = Field(ge=1, le=16)
    p: int = Field(ge=1, le=4)

    @classmethod
    def of(cls, pin: str) -> PinHash:
        """Return the hash of `pin` with a new salt."""
        salt = os.urandom(16)
        return cls(salt=salt.hex(), value=_scrypt(pin, salt, COST, 8, 1).hex(), n=COST, r=8, p=1)

    def fits(self, pin: str) -> bool:
        """Return whether this is the hash of `pin`, in constant time."""
        value = _scrypt(pin, bytes.fromhex(self.salt), self.n, self.r, self.p)
        return hmac.compare_digest(value, bytes.fromhex(self.value))


def _scrypt(pin: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(
        pin.encode("utf-8", "replace"), salt=salt, n=n, r=r, p=p, maxmem=256 * n * r * p + 2**20, dklen=32
    )


_PRIVATE: Final = 0o600
_LOG: Final = logging.getLogger(__name__)


def phones_file(journal: Path) -> Path:
    """Return the file of phones and PIN of the table with this journal.

    >>> phones_file(Path("journal.sqlite")).name
    'journal-phones.json'
    """
    return journal.with_name(f"{journal.stem}-phones.json")


class Phone(BaseModel):
    """A paired device. `token`: the hash of its cookie. `player`: None for a director who does not play.

    `seat`: where the player sat when it was paired. `device`: its system, for the list. `since`: seconds since 1970.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: int = Field(ge=1)
    token: str = Field(pattern=r"^[0-9a-f]{64}$")
    player: str | None = None
    seat: int = Field(default=0, ge=0)
    director: bool = False
    device: str = ""
    since: float = 0.0

    def seat_among(self, players: tuple[str, ...]) -> int | None:
        """Return the seat of its player; None if the player does not sit at the table."""
        if self.player is None or self.player not in players:
            return None
        if self.seat < len(players) and players[self.seat] == self.player:
            return self.seat
        return players.index(self.player)


class Stored(BaseModel):
    """The contents of the file. `until` (since 1970): when the wrong PINs of devices that are not paired are forgiven.

    `failures` is no longer used; files of version 0.2 have it.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    version: Literal[1] = 1
    phones: tuple[Phone, ...] = Field(default=(), strict=False)
    next: int = Field(default=1, ge=1)
    pin: PinHash | None = None
    failures: int = Field(default=0, ge=0)
    until: float = 0.0


class Store:
    """The file at `path`; without a path everything is kept in memory. Several threads may use it."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._read_at: tuple[int, int, int] | None = None
        self._stored = Stored()

    def read(self) -> Stored:
        """Return the contents. A file that is damaged or cannot be read counts as empty."""
        with self._lock:
            if self._path is not None and (at := _version(self._path)) != self._read_at:
                self._stored, self._read_at = _load(self._path), at
            return self._stored

    def change(self, changed: Callable[[Stored], Stored]) -> Stored:
        """Apply `changed` to the stored state, write the result and return it.

        Raises `CardtableError` if it cannot be written.
        """
        with self._lock:
            if self._path is None:
                self._stored = changed(self._stored)
                return self._stored
            try:
                lock = os.open(self._path.with_name(f"{self._path.name}-lock"), os.O_RDWR | os.O_CREAT, _PRIVATE)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                    after = changed(self.read())
                    if after != self._stored:
                        store(self._path, after.model_dump_json().encode(), _PRIVATE)
                        self._stored, self._read_at = after, _version(self._path)
                finally:
                    os.close(lock)
            except OSError as error:
                message = "{path} cannot be written: {why}. Phones and PIN stay as they were."
                raise CardtableError(text(message, path=self._path, why=why(error))) from error
            return self._stored


def _version(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _load(path: Path) -> Stored:
    try:
        return Stored.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Stored()
    except (OSError, ValidationError, ValueError, RecursionError) as error:
        _LOG.warning("%s cannot be read, no phone is paired: %s", path, type(error).__name__)
        return Stored()
