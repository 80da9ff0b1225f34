"""The director's PIN: stored as a salted scrypt hash."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

PIN: Final = re.compile(r"[0-9]{4,12}")
COST: Final = 2**14
"""The parameter n of scrypt: with r = 8 a guess takes 16 MiB, and some 0.1 s on a Raspberry Pi."""


class PinHash(BaseModel):
    """A PIN as it is stored; `salt` and `value` in hexadecimal. `n`, `r`, `p`: the parameters of scrypt."""

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
        """Return whether this is the hash of `pin`, in a time that does not depend on the PIN."""
        value = _scrypt(pin, bytes.fromhex(self.salt), self.n, self.r, self.p)
        return hmac.compare_digest(value, bytes.fromhex(self.value))


def _scrypt(pin: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(
        pin.encode("utf-8", "replace"), salt=salt, n=n, r=r, p=p, maxmem=256 * n * r * p + 2**20, dklen=32
    )
