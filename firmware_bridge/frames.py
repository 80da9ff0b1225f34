"""Frames on the serial line: `00 | COBS(type, boot, seq, payload, CRC-16) | 00` (docs/reference/protocol.md).

The firmware's counterpart is `arduino/cardtable/src/core/frame.c`. Numbers are little-endian.

    >>> line = encode(SerialFrame(FrameKind.ASK, boot=7, payload=bytes([0b11])))
    >>> line.hex(" ")
    '00 03 03 07 01 01 04 03 47 97 00'
    >>> FrameDecoder().feed(line)
    [SerialFrame(kind=3, boot=7, seq=0, payload=b'\\x03')]
"""

from __future__ import annotations

import binascii
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

PAYLOAD_MAX: Final = 50
"""Longest payload of a frame, bytes."""
_HEADER: Final = struct.Struct("<BHH")
_CODED_MAX: Final = _HEADER.size + PAYLOAD_MAX + 2 + 1
"""Longest encoded frame between its two zeros, bytes: header, payload, checksum, one byte of COBS."""


class FrameKind(IntEnum):
    """Frame types: the host sends those below 0x80, the reader board those from 0x80 on."""

    HELLO = 0x01
    ACK = 0x02
    ASK = 0x03
    LIGHTS = 0x04
    TEST = 0x05
    BOARD_HELLO = 0x81
    EVENT = 0x82
    STATE = 0x83


@dataclass(frozen=True, slots=True)
class SerialFrame:
    """One frame on the serial line.

    `boot`: the number of the reader board's start that the frame belongs to, 0 if it is unknown. `seq`: an event
    number; its meaning depends on `kind` (docs/reference/protocol.md). `payload`: at most `PAYLOAD_MAX` bytes.
    """

    kind: int
    boot: int = 0
    seq: int = 0
    payload: bytes = b""


class InvalidFrame(ValueError):
    """The bytes are not a valid frame, or its payload does not fit its type."""


def cobs_encode(data: bytes) -> bytes:
    """Return `data` (at most 254 bytes) without zeros: consistent overhead byte stuffing (Cheshire and Baker, 1999).

    >>> cobs_encode(bytes([1, 2, 0, 3])).hex(" ")
    '03 01 02 02 03'
    """
    return b"".join(bytes((len(part) + 1,)) + part for part in data.split(b"\0"))


def cobs_decode(coded: bytes) -> bytes:
    """Reverse `cobs_encode`. Raises `InvalidFrame`."""
    parts = []
    at = 0
    while at < len(coded):
        end = at + coded[at]
        if coded[at] == 0 or end > len(coded) or 0 in coded[at + 1 : end]:
            raise InvalidFrame("invalid COBS")
        parts.append(coded[at + 1 : end])
        at = end
    if not parts:
        raise InvalidFrame("empty")
    return b"\0".join(parts)


def crc16(data: bytes) -> int:
    """Return the CRC-16/CCITT-FALSE of `data`: polynomial 0x1021, initial value 0xFFFF."""
    return binascii.crc_hqx(data, 0xFFFF)


def encode(frame: SerialFrame) -> bytes:
    """Return the bytes of `frame` on the line, with a zero before and after it."""
    body = _HEADER.pack(frame.kind, frame.boot, frame.seq) + frame.payload
    return b"\0" + cobs_encode(body + struct.pack("<H", crc16(body))) + b"\0"


def decode(coded: bytes) -> SerialFrame:
    """Return the frame between two zeros. Raises `InvalidFrame`."""
    if len(coded) > _CODED_MAX:
        raise InvalidFrame("too long")
    body = cobs_decode(coded)
    if len(body) < _HEADER.size + 2 or crc16(body[:-2]) != int.from_bytes(body[-2:], "little"):
        raise InvalidFrame("too short, or wrong checksum")
    kind, boot, seq = _HEADER.unpack_from(body)
    return SerialFrame(kind, boot, seq, body[_HEADER.size : -2])


class FrameDecoder:
    """Splits a stream of bytes into frames. `bad`: number of invalid frames so far."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self.bad = 0

    def feed(self, data: bytes) -> list[SerialFrame]:
        """Return the frames that `data` completes; invalid ones are counted and dropped."""
        frames = []
        *pieces, rest = (bytes(self._rest) + data).split(b"\0")
        for piece in pieces:
            if not piece:
                continue
            try:
                frames.append(decode(piece))
            except InvalidFrame:
                self.bad += 1
        # Bound the memory: of an unfinished frame that is too long, keep one byte more than allowed, so that `decode`
        # still rejects it.
        self._rest = bytearray(rest[-(_CODED_MAX + 1) :])
        return frames
