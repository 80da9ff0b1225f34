"""Handmade frames of a reader board, and links that have received them."""

from __future__ import annotations

import struct

from firmware_bridge.frames import FrameDecoder, FrameKind, SerialFrame, encode
from firmware_bridge.link import Checkpoint, Connected, Link, LinkUpdate
from firmware_bridge.messages import PROTOCOL, EventKind, TagEvent

SESSION = 9


def hello(
    boot: int = 5, number: int = 0, oldest: int = 0, readers: int = 0, session: int = SESSION, protocol: int = PROTOCOL
) -> bytes:
    about = struct.pack("<BBBBBBBHHH", protocol, 1, 0, readers, 0, 0, 1, session, oldest, 0)
    return encode(SerialFrame(FrameKind.BOARD_HELLO, boot, number, about))


def event(number: int, boot: int = 5, kind: EventKind = EventKind.TESTED, index: int = 0) -> bytes:
    return encode(SerialFrame(FrameKind.EVENT, boot, number, bytes((kind, index, 0, 0))))


def state(number: int, reader: int = 0, status: int = 1, boot: int = 5) -> bytes:
    return encode(SerialFrame(FrameKind.STATE, boot, number, bytes((reader, status))))


def opened(checkpoint: Checkpoint | None = None, now: float = 0.0) -> Link:
    link = Link(checkpoint)
    link.opened(SESSION, now)
    return link


def connected(readers: int = 0, number: int = 0) -> Link:
    """A link that is connected at 0.0, with nothing left to send."""
    link = opened()
    assert [type(update) for update in link.receive(hello(number=number, oldest=number, readers=readers), 0.0)] == [
        Connected
    ]
    link.outgoing(0.006)  # the first ACK
    return link


def sent(link: Link, now: float, *kinds: FrameKind) -> list[SerialFrame]:
    """The frames that the link sends at `now`; only those of `kinds`, if given."""
    frames = FrameDecoder().feed(link.outgoing(now))
    return [frame for frame in frames if not kinds or frame.kind in kinds]


def numbers(updates: list[LinkUpdate]) -> list[int]:
    return [update.number for update in updates if isinstance(update, TagEvent)]
