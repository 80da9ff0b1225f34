"""Frames: the firmware's core, this program and the cobs package agree on every byte; garbage is harmless."""

from __future__ import annotations

import random
import re
import tracemalloc

import pytest
from cobs import cobs
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge import frames
from firmware_bridge.frames import (
    FrameDecoder,
    InvalidFrame,
    SerialFrame,
    cobs_decode,
    cobs_encode,
    crc16,
    decode,
    encode,
)
from tests.firmware_bridge.core import CORE, Core

FRAMES = st.builds(
    SerialFrame,
    st.integers(0, 255),
    st.integers(0, 65535),
    st.integers(0, 65535),
    st.binary(max_size=frames.PAYLOAD_MAX),
)

some = settings(deadline=None, derandomize=True)


def test_crc_of_the_catalogue_check_string() -> None:
    assert crc16(b"123456789") == 0x29B1  # CRC-16/CCITT-FALSE


def test_bytes_of_a_frame() -> None:
    frame = SerialFrame(frames.FrameKind.ACK, 0x0102, 3, bytes((0, 0, 0, 0)))
    line = encode(frame)
    assert line[0] == line[-1] == 0 and 0 not in line[1:-1]
    assert decode(line[1:-1]) == frame
    body = bytes((2, 2, 1, 3, 0, 0, 0, 0, 0))
    assert line[1:-1] == cobs.encode(body + crc16(body).to_bytes(2, "little"))


@some
@given(st.binary(max_size=254))
def test_cobs_agrees_with_the_cobs_package(data: bytes) -> None:
    assert cobs_encode(data) == cobs.encode(data)
    assert cobs_decode(cobs_encode(data)) == data


@some
@given(st.binary(max_size=60))
def test_cobs_refuses_what_the_cobs_package_refuses(data: bytes) -> None:
    try:
        plain = cobs.decode(data) if data else None
    except cobs.DecodeError:
        plain = None
    if plain is None:
        with pytest.raises(InvalidFrame):
            cobs_decode(data)
    else:
        assert cobs_decode(data) == plain


@some
@given(st.lists(FRAMES, max_size=5), st.binary(max_size=200), st.data())
def test_frames_are_found_after_garbage_and_in_any_chunks(
    sent: list[SerialFrame], rubbish: bytes, data: st.DataObject
) -> None:
    line = rubbish + b"\0" + b"".join(map(encode, sent))
    decoder = FrameDecoder()
    found = []
    at = 0
    while at < len(line):
        step = data.draw(st.integers(1, 40))
        found += decoder.feed(line[at : at + step])
        at += step
    assert found[len(found) - len(sent) :] == sent


def test_memory_is_bounded_without_frames() -> None:
    decoder = FrameDecoder()
    tracemalloc.start()
    for _ in range(1000):
        assert decoder.feed(b"x" * 10_000) == []
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100_000
    assert decoder.feed(b"\0" + encode(SerialFrame(1))) == [SerialFrame(1)]
    assert decoder.bad == 1


def test_cobs_of_the_core_agrees_with_the_cobs_package(core: Core) -> None:
    rng = random.Random(1)
    for _ in range(500):
        alphabet = rng.choice((b"\0\1", bytes(range(256)), b"\0" + bytes(range(250, 256))))
        data = bytes(rng.choice(alphabet) for _ in range(rng.randrange(254)))
        assert core.ask(f"cobs 0 {data.hex()}") == cobs.encode(data).hex()
        coded = bytearray(cobs.encode(data))
        for _ in range(rng.randrange(3)):
            coded[rng.randrange(len(coded))] = rng.choice(alphabet)
        try:
            expected = cobs.decode(bytes(coded)).hex()
        except cobs.DecodeError:
            expected = "no"
        assert core.ask(f"uncobs 0 {coded.hex()}") == expected


def test_core_and_host_decode_the_same_frames(core: Core) -> None:
    rng = random.Random(2)
    found = 0
    for _ in range(250):
        stream = b""
        for _ in range(rng.randrange(1, 8)):
            payload = bytes(
                rng.choice((0, 1, rng.randrange(256))) for _ in range(rng.randrange(frames.PAYLOAD_MAX + 1))
            )
            frame = SerialFrame(rng.randrange(256), rng.randrange(65536), rng.randrange(65536), payload)
            body = bytes((frame.kind,)) + frame.boot.to_bytes(2, "little") + frame.seq.to_bytes(2, "little") + payload
            assert core.ask(f"encode 0 {body.hex()}") == encode(frame).hex()
            stream += encode(frame)
        broken = bytearray(stream)
        for _ in range(rng.randrange(6)):
            at = rng.randrange(len(broken))
            broken[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        *texts, bad = core.ask(f"decode 0 {broken.hex()}").split(",")
        decoder = FrameDecoder()
        ours = decoder.feed(bytes(broken))
        assert len(texts) == len(ours)
        for text, frame in zip(texts, ours, strict=True):
            theirs = bytes.fromhex(text)
            assert (theirs[0], theirs[1] | theirs[2] << 8, theirs[3] | theirs[4] << 8) == (
                frame.kind,
                frame.boot,
                frame.seq,
            )
            assert theirs[5:] == frame.payload
        assert int(bad) == decoder.bad
        found += len(ours)
    assert found > 400


def test_core_survives_random_frames(core: Core) -> None:
    """Random valid frames of every type and length, while the sanitizers watch."""
    rng = random.Random(3)
    for step in range(1200):
        payload = rng.randbytes(rng.randrange(frames.PAYLOAD_MAX + 1))
        kind = rng.choice((1, 2, 3, 4, 5, rng.randrange(256)))
        boot, seq = rng.choice((1, rng.randrange(65536))), rng.choice((0, 5, 65530, rng.randrange(65536)))
        data = encode(SerialFrame(kind, boot, seq, payload)) + rng.randbytes(rng.randrange(4))
        core.ask_all((f"time {step}", f"take 0 {data.hex()}", f"saw {step % 8} {rng.randbytes(4).hex()}", "next 63"))
        oldest, count = map(int, core.ask("queue").split())
        assert 0 <= oldest < 65536 and 0 <= count <= 32


def test_shared_constants_are_equal_in_core_and_host() -> None:
    header = "".join((CORE / name).read_text("utf-8") for name in ("frame.h", "queue.h", "link.h"))
    values = {name: int(value, 0) for name, value in re.findall(r"(CT_\w+) = (0x\w+|\d+)", header)}
    for kind in frames.FrameKind:
        assert values[f"CT_{kind.name}"] == kind
    assert values["CT_PAYLOAD_MAX"] == frames.PAYLOAD_MAX
    from firmware_bridge import link, messages

    for update in messages.EventKind:
        assert values[f"CT_{update.name}"] == update
    assert values["CT_PROTOCOL"] == messages.PROTOCOL
    assert values["CT_QUEUE_SIZE"] == link.WINDOW
    assert values["CT_HELLO_MS"] == 1000 * link.HELLO_S
    assert values["CT_DEAD_MS"] == 1000 * link.DEAD_S


@pytest.mark.parametrize("coded", [b"\x03\x00\x01", b"\x03\x01\x00", b"\x00", b"\x02", b""])
def test_a_zero_in_a_frame_or_a_count_beyond_its_end_is_invalid(coded: bytes) -> None:
    with pytest.raises(InvalidFrame):
        cobs_decode(coded)
