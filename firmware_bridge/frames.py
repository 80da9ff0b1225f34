"""Frames on the line: `00 | COBS(type, boot, seq, payload, CRC-16) | 00` (docs/protocol.md).

The firmware's side is `arduino/cardtable/src/core/frame.c`. Numbers are little-endian.
"""

from __future__ import annotations

import binascii
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

PAYLOAD_MAX: Final = 50
_HEADER: Final = struct.Struct("<BHH")
_CODED_MAX: Final = _HEADER.size + PAYLOAD_MAX + 2 + 1


class FrameKind(IntEnum):
    """Types of frames: the host's below 0x80, the board's from there."""

    HELLO = 0x01
    ACK = 0x02
    ASK = 0x03
    LIGHTS = 0x04
    TEST = 0x05
    BOARD_HELLO = 0x81
    EVENT = 0x82
    STATE = 0x83


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame. `boot`: the board's start it belongs to, 0 where that is not known. `seq`: docs/protocol.md."""

    kind: int
    boot: int = 0
    seq: int = 0
    payload: bytes = b""


class InvalidFrame(ValueError):
    """The bytes are not what a frame encodes to."""


def cobs_encode(data: bytes) -> bytes:
    """`data` (at most 254 bytes) without zeros: consistent overhead byte stuffing (Cheshire and Baker, 1999)."""
    return b"".join(bytes((len(part) + 1,)) + part for part in data.split(b"\0"))


def cobs_decode(coded: bytes) -> bytes:
    """The reverse of `cobs_encode`. Raises `InvalidFrame`."""
    parts = []
    at = 0
    while at < len(coded):
        end = at + coded[at]
        if coded[at] == 0 or end > len(coded) or 0 in coded[at + 1 : end]:
            raise InvalidFrame("no COBS")
        parts.append(coded[at + 1 : end])
        at = end
    if not parts:
        raise InvalidFrame("nothing")
    return b"\0".join(parts)


def crc16(data: bytes) -> int:
    """CRC-16/CCITT-FALSE: polynomial 0x1021, starting from 0xFFFF."""
    return binascii.crc_hqx(data, 0xFFFF)


def encode(frame: Frame) -> bytes:
    """The frame as it goes over the line, with a zero before and after it."""
    body = _HEADER.pack(frame.kind, frame.boot, frame.seq) + frame.payload
    return b"\0" + cobs_encode(body + struct.pack("<H", crc16(body))) + b"\0"


def decode(coded: bytes) -> Frame:
    """The frame between two zeros. Raises `InvalidFrame`."""
    if len(coded) > _CODED_MAX:
        raise InvalidFrame("too long")
    body = cobs_decode(coded)
    if len(body) < _HEADER.size + 2 or crc16(body[:-2]) != int.from_bytes(body[-2:], "little"):
        raise InvalidFrame("damaged")
    kind, boot, seq = _HEADER.unpack_from(body)
    return Frame(kind, boot, seq, body[_HEADER.size : -2])


class FrameDecoder:
    """Cuts what comes over the line into frames. `bad`: how many pieces were none."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self.bad = 0

    def take(self, data: bytes) -> list[Frame]:
        """The frames that `data` completes; what is damaged is counted and left out."""
        frames = []
        *pieces, rest = (bytes(self._rest) + data).split(b"\0")
        for piece in pieces:
            if not piece:
                continue
            try:
                frames.append(decode(piece))
            except InvalidFrame:
                self.bad += 1
        # Without a zero in sight the beginning is of no use, but its length must still tell that it is too long.
        self._rest = bytearray(rest[-(_CODED_MAX + 1) :])
        return frames
