"""One-use codes with which a table enrols at its hub, and what both sides compute from them.

A code has 24 letters and digits: 60 bits that only the hub and the table know, and 60 bits of the fingerprint of the
club's authority. The table proves that it knows the first part without sending it, and recognises the authority by the
second; so another device in the network cannot take the place of either.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import Final, NamedTuple

GROUP: Final = 4
_HALF: Final = 12


class Code(NamedTuple):
    """The two parts of a code, each 12 letters and digits of base 32."""

    secret: str
    fingerprint: str

    def __str__(self) -> str:
        written = self.secret + self.fingerprint
        return "-".join(written[at : at + GROUP] for at in range(0, len(written), GROUP))

    def proof(self, request: bytes) -> str:
        """Return what proves that the sender of a certificate request knows the code."""
        return hmac.new(self.secret.encode(), request, hashlib.sha256).hexdigest()


def new_code(authority: bytes) -> Code:
    """Return a new code. `authority`: the certificate of the authority, as PEM."""
    return Code(_letters(secrets.token_bytes(8)), fingerprint(authority))


def fingerprint(authority: bytes) -> str:
    """Return the part of the fingerprint that a code has."""
    return _letters(hashlib.sha256(authority.strip()).digest())


def read_code(written: str) -> Code | None:
    """Return the code that a person has typed; None if it is not one. Case, spaces and hyphens do not matter.

    >>> read_code("abcd-efgh-ijkl mnop-qrst-uvwx")
    Code(secret='ABCDEFGHIJKL', fingerprint='MNOPQRSTUVWX')
    """
    letters = "".join(written.upper().replace("-", " ").split())
    # What is easily mistaken when a code is read from another screen: base 32 has no 0, 1 and 8.
    letters = letters.translate(str.maketrans("018", "OIB"))
    if len(letters) != 2 * _HALF or not {*letters} <= {*"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"}:
        return None
    return Code(letters[:_HALF], letters[_HALF:])


def _letters(content: bytes) -> str:
    return base64.b32encode(content).decode()[:_HALF]
