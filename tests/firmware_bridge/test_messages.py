"""Payloads become messages; every malformed one is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware_bridge.frames import (
    PAYLOAD_MAX,
    FrameDecoder,
    FrameKind,
    InvalidFrame,
    SerialFrame,
    cobs_encode,
    crc16,
    decode,
    encode,
)
from firmware_bridge.messages import EventKind, Hello, ReaderStatus, State, TagEvent, read_event, read_hello, read_state


def test_greeting() -> None:
    payload = bytes((1, 2, 3, 4, 5, 6, 7, 0x34, 0x12, 0x78, 0x56, 0xBC, 0x9A))
    expected = Hello(9, 11, 1, "2.3", 4, 5, 6, 7, 0x1234, 0x5678, 0x9ABC)
    assert read_hello(SerialFrame(FrameKind.BOARD_HELLO, 9, 11, payload)) == expected
    chips = bytes((0x92, 0x12))
    later = read_hello(SerialFrame(FrameKind.BOARD_HELLO, 9, 11, payload + chips))
    assert later == replace(expected, chips=(0x92, 0x12))


@pytest.mark.parametrize("length", [1, 12])
def test_greeting_of_a_shorter_protocol(length: int) -> None:
    hello = read_hello(SerialFrame(FrameKind.BOARD_HELLO, 9, 11, bytes((2,)) * length))
    assert hello == Hello(9, 11, 2, "?", 0, 0, 0, 0, 0, 11, 0)


def test_greeting_without_a_protocol() -> None:
    with pytest.raises(InvalidFrame, match=r"^a greeting without a protocol$"):
        read_hello(SerialFrame(FrameKind.BOARD_HELLO, 9, 11))


@pytest.mark.parametrize(
    ("cause", "why"),
    [
        (0, "the cause is not known"),
        (1, "its power came"),
        (2, "its reset button was pressed, or its port was opened"),
        (3, "its power came"),
        (4, "its voltage fell"),
        (8, "its program had stopped, and the watchdog ended it"),
        (16, "the cause is not known"),
    ],
)
def test_cause_of_the_start(cause: int, why: str) -> None:
    assert Hello(1, 0, 1, "1.0", 8, 0, 0, cause, 1, 0, 0).why_started == why


def test_event() -> None:
    frame = SerialFrame(FrameKind.EVENT, 9, 11, bytes((2, 3, 0xE8, 0x03, 0x04, 0xA1)))
    assert read_event(frame) == TagEvent(9, 11, EventKind.LIFTED, 3, 1.0, "04a1")
    assert read_event(SerialFrame(FrameKind.EVENT, 9, 11, bytes((7, 0, 0, 0)))) == TagEvent(
        9, 11, EventKind.TESTED, 0, 0.0, ""
    )


def test_the_numbers_of_an_event_are_unsigned() -> None:
    event = read_event(SerialFrame(FrameKind.EVENT, 9, 11, bytes((2, 200, 0x40, 0x9C))))
    assert (event.index, event.age) == (200, 40.0)


@pytest.mark.parametrize("payload", [b"", b"\1\0\0", b"\0\0\0\0", bytes((8, 0, 0, 0))])
def test_invalid_event(payload: bytes) -> None:
    with pytest.raises(InvalidFrame, match=r"^not an event$"):
        read_event(SerialFrame(FrameKind.EVENT, 9, 11, payload))


def test_state() -> None:
    payload = bytes((3, 1, 4, 1, 2, 3, 4, 7, 5, 6, 7, 8, 9, 10, 11))
    expected = State(9, 11, 3, ReaderStatus.WORKING, ("01020304", "05060708090a0b"))
    assert read_state(SerialFrame(FrameKind.STATE, 9, 11, payload)) == expected
    assert read_state(SerialFrame(FrameKind.STATE, 9, 11, bytes((0, 2)))) == State(9, 11, 0, ReaderStatus.BROKEN, ())
    assert read_state(SerialFrame(FrameKind.STATE, 9, 11, bytes((0, 0, 0)))).uids == ("",)


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b"", "not a state"),
        (b"\3", "not a state"),
        (b"\3\3", "not a state"),
        (b"\3\1\4\1\2\3", "a tag is cut off|not a state"),
        (b"\3\1\1", "a tag is cut off|not a state"),
    ],
)
def test_invalid_state(payload: bytes, message: str) -> None:
    with pytest.raises(InvalidFrame, match=rf"^({message})$"):
        read_state(SerialFrame(FrameKind.STATE, 9, 11, payload))


def test_longest_and_shortest_frame() -> None:
    longest = SerialFrame(255, 65535, 65535, bytes(range(1, PAYLOAD_MAX + 1)))
    assert len(encode(longest)) == 60
    assert decode(encode(longest)[1:-1]) == longest
    assert decode(encode(SerialFrame(1))[1:-1]) == SerialFrame(1, 0, 0, b"")
    with pytest.raises(InvalidFrame, match=r"^too long$"):
        decode(encode(SerialFrame(1, 2, 3, bytes(PAYLOAD_MAX + 1)))[1:-1])


@pytest.mark.parametrize("length", [0, 4])
def test_frame_without_a_complete_header(length: int) -> None:
    body = bytes(length)
    with pytest.raises(InvalidFrame, match=r"^too short, or wrong checksum$"):
        decode(cobs_encode(body + crc16(body).to_bytes(2, "little")))


def test_wrong_checksum() -> None:
    with pytest.raises(InvalidFrame, match=r"^too short, or wrong checksum$"):
        decode(cobs_encode(bytes(7)))


@pytest.mark.parametrize(
    ("coded", "message"),
    [(b"", "empty"), (b"\0", "invalid COBS"), (b"\3\1", "invalid COBS"), (b"\3\1\0", "invalid COBS")],
)
def test_invalid_cobs(coded: bytes, message: str) -> None:
    with pytest.raises(InvalidFrame, match=rf"^{message}$"):
        decode(coded)


def test_the_decoder_keeps_the_longest_frame_and_drops_longer_ones() -> None:
    longest = encode(SerialFrame(255, 65535, 65535, bytes(range(1, PAYLOAD_MAX + 1))))
    decoder = FrameDecoder()
    assert decoder.bad == 0
    assert decoder.feed(longest[:-1]) == []
    assert len(decoder.feed(longest[-1:])) == 1 and decoder.bad == 0
    assert decoder.feed(b"\1" + longest[1:-1]) == []
    assert decoder.feed(b"\0") == [] and decoder.bad == 1
    assert decoder.feed(b"\1\1\0\1\1\0\0\0") == [] and decoder.bad == 3


@pytest.mark.parametrize("length", [1, 2, 20])
def test_garbage_before_a_frame_is_not_cut_into_a_valid_one(length: int) -> None:
    """Only the end of an endless piece is kept; with one byte less it could look like a frame."""
    longest = encode(SerialFrame(255, 65535, 65535, bytes(range(1, PAYLOAD_MAX + 1))))
    decoder = FrameDecoder()
    decoder.feed(b"x" * length + longest[1:-1])
    assert decoder.feed(b"\0") == []
    assert decoder.bad == 1
