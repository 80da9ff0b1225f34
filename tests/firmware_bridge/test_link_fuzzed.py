"""The link with random valid frames: it raises no error and returns no event twice."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from firmware_bridge.frames import PAYLOAD_MAX, FrameKind, SerialFrame, encode
from firmware_bridge.link import Checkpoint, Connected, Link
from firmware_bridge.messages import TagEvent

SESSION = 7


def any_frame(rng: random.Random) -> SerialFrame:
    """Mostly frames that a reader board might send, with random numbers."""
    kind = rng.choice((FrameKind.BOARD_HELLO, FrameKind.EVENT, FrameKind.STATE, rng.randrange(256)))
    payload = rng.randbytes(rng.randrange(PAYLOAD_MAX + 1))
    if kind == FrameKind.BOARD_HELLO and rng.random() < 0.8:
        about = bytes((1, 1, 0, rng.choice((0, 3, 8, 255)), 3, 3, 1))
        payload = about + SESSION.to_bytes(2, "little") + bytes((rng.randrange(3), 0)) + rng.randbytes(2)
    elif kind == FrameKind.EVENT and rng.random() < 0.9:
        payload = bytes((rng.randrange(1, 8), rng.randrange(256))) + rng.randbytes(2 + rng.choice((0, 4, 7, 12)))
    elif kind == FrameKind.STATE and rng.random() < 0.8:
        payload = bytes((rng.randrange(10), rng.randrange(3), 4)) + rng.randbytes(4)
    return SerialFrame(kind, rng.choice((5, 5, 5, 6)), rng.choice((*range(6), rng.randrange(65536))), payload)


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(20))
def test_random_frames_leave_the_link_consistent(seed: int) -> None:
    rng = random.Random(seed)
    link = Link(Checkpoint(5, 3) if seed % 2 else None)
    link.opened(SESSION, 0.0)
    now, received, met = 0.0, 0, 0
    run: list[TagEvent] = []
    for _ in range(1500):
        now += rng.choice((0.001, 0.02, 0.5, 4.0))
        for update in link.receive(encode(any_frame(rng)), now):
            if isinstance(update, Connected):
                met += 1
                run = []
            elif isinstance(update, TagEvent):
                received += 1
                run.append(update)
                if rng.random() < 0.7:
                    link.stored(update)
        assert all(later.number == (event.number + 1) & 0xFFFF for event, later in pairwise(run[-3:]))
        for frame in link.outgoing(now).split(b"\0"):
            assert len(frame) <= 58
    assert received > 20 and met > 20
