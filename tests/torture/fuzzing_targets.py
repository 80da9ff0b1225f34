"""The parsers that meet the outside, each with examples of what it reads and the errors that it documents.

A target is called with bytes. It returns None, or raises only what is wrong: the documented errors are caught in it.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import sqlite3
import struct
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from cardtable.board.guard import Guard
from cardtable.board.messages import BadMessage, read_message
from cardtable.cli import main
from cardtable.config.load import ConfigError, read_config
from cardtable.errors import CardtableError
from cardtable.play.journal_errors import JournalError
from cardtable.play.stored_games import Games
from cardtable.terminal.output import configured_language
from engine.actions import Action, BadAction
from engine.errors import RecordError, Refused
from engine.record import read_record
from engine.replaying import answers
from engine.table import Table
from firmware_bridge.frames import Frame, FrameDecoder, FrameKind, encode
from firmware_bridge.link import Link
from firmware_bridge.messages import PROTOCOL
from firmware_bridge.raw import replay
from firmware_bridge.tags import TagsError, TagTable
from vision.cameras.motion_jpeg import MotionJpeg
from vision.decks.deck import BadDeck, OwnDeck, load_deck, save_deck
from vision.frames import SourceLost
from vision.image_files import NotAPicture, decode
from vision.marks.names import qr_face
from vision.picture_size import picture_size
from vision.table.homography import CalibrationError, load_homography
from engine.cards import parse_card

HEADER: Final = b'{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": 0}'


@dataclass(frozen=True, slots=True)
class Target:
    """A parser. `feed` reads bytes; `seeds` are examples; `inputs`: how many the long form tries.

    `words`: pieces that its inputs are made of.
    """

    name: str
    feed: Callable[[bytes], None]
    seeds: tuple[bytes, ...]
    inputs: int
    words: tuple[bytes, ...] = ()


JSON_WORDS: Final = (
    *(b'"', b"{", b"}", b"[", b"]", b":", b",", b"null", b"true", b"-1", b"1e999", b"NaN", b"Infinity", b"\\ud800"),
    *(b"9" * 5000, b"[" * 3000, b'{"a":' * 1500, b"\x00", b"\xff", b"\xe2\x80\xa8", b"0.1"),
)
RECORD_WORDS: Final = (
    *(b'"do"', b'"seat"', b'"card"', b'"cards"', b'"word"', b'"against"', b'"players"', b'"options"', b'"dealer"'),
    *(b"play", b"deal", b"say", b"undo", b"discard", b"take", b"bid", b"show", b"expose", b"cut", b"turn", b"gather"),
    *(b"revoke", b"call", b"go", b"stand", b"beg", b"crib", b"AS", b"10H", b"brown-1", b"red-2", b"\n", b"withdraw"),
    *(b"9" * 5000, b"\xc2\xb2", b" ", b"\xff"),
)


def record(data: bytes) -> None:
    """A record, and every action of it on the table."""
    with contextlib.suppress(RecordError):
        for _ in answers(read_record(io.BytesIO(data)), legal=False):
            pass


def action_text(data: bytes) -> None:
    """An action in the short notation, done on a table."""
    written = data.decode("utf-8", "surrogateescape")
    with contextlib.suppress(BadAction):
        action = Action.parse(written)
        assert Action.parse(str(action)) == action
        with contextlib.suppress(Refused):
            _table().do(action)
    _table().can(written)


@cache
def _table() -> Table:
    table = Table("all-fives", ["Ann", "Bo"], dealer=0)
    for each in ("turn 10H", "say stand"):
        table.do(each)
    return table


def page_message(data: bytes) -> None:
    """A message of a page over the WebSocket."""
    with contextlib.suppress(BadMessage):
        read_message(data.decode("utf-8", "replace"), 0.0, 17, 2)


async def _answer(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


_GUARD: Final = Guard(_answer, "0.0.0.0", ["table.lan"])


def request_headers(data: bytes) -> None:
    """The headers of a request to the board, as the guard sees them: lines `name: value`."""
    headers = [tuple(part.strip() for part in line.split(b":", 1)) for line in data.split(b"\n") if b":" in line]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(n.lower(), v) for n, v in headers]}
    statuses = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    asking = _GUARD(scope, receive, send)
    with contextlib.suppress(StopIteration):  # nothing in it waits, so no event loop is needed
        asking.send(None)
        raise AssertionError("the guard waits")
    assert statuses in ([200], [403])


def serial_bytes(data: bytes) -> None:
    """Bytes on the serial line, as they come."""
    decoder = FrameDecoder()
    for at in range(0, len(data), 7):
        decoder.feed(data[at : at + 7])
    assert len(decoder._rest) <= 100


def link_frames(data: bytes) -> None:
    """Valid frames with any content, to the host's end of the link: kind, boot, number, length, payload."""
    link, at, now = Link(), 0, 0.0
    link.opened(1, 0.0)
    while at + 6 <= len(data):
        kind, boot, seq, length = struct.unpack_from("<BBHB", data, at)
        payload = data[at + 6 : at + 6 + length % 51]
        at += 6 + length % 51
        now += data[at - 1] / 64 if at <= len(data) else 0.1
        kinds = (FrameKind.BOARD_HELLO, FrameKind.EVENT, FrameKind.STATE, kind)
        for update in link.receive(encode(Frame(kinds[kind % 4], boot, seq, payload)), now):
            if hasattr(update, "number"):
                link.stored(update)  # type: ignore[arg-type]
        link.outgoing(now)
    assert len(link._early) <= 64


def line_recording(data: bytes) -> None:
    """A recording of the serial line (`tags replay`)."""
    with contextlib.suppress(ValueError):
        for _ in replay(io.StringIO(data.decode("utf-8", "replace"))):
            pass


def qr_content(data: bytes) -> None:
    """The text of a QR code on a card."""
    qr_face(data.decode("utf-8", "replace"))


def card_name(data: bytes) -> None:
    """The name of a card."""
    from engine.cards import UnknownCard

    with contextlib.suppress(UnknownCard):
        card = parse_card(data.decode("utf-8", "replace"))
        assert parse_card(str(card)) == card


def header_of_picture(data: bytes) -> None:
    """The size in the header of a picture file."""
    picture_size(data)


def picture(data: bytes) -> None:
    """A picture file."""
    if (size := picture_size(data)) is None or size[0] * size[
        1
    ] <= 250_000:  # larger ones take as long as they are large
        with contextlib.suppress(NotAPicture):
            assert decode(data, upright=True).shape[2] == 3


class _Response:
    """A network camera's answer that is `data`."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)
        self._pipe, self._other = os.pipe()

    def fileno(self) -> int:
        return _SOCKET.fileno()

    def read1(self, count: int) -> bytes:
        return self._data.read1(min(count, 97))

    def close(self) -> None:
        for end in (self._pipe, self._other):
            os.close(end)


def _socket() -> Any:
    import socket

    return socket.socketpair()[0]


_SOCKET: Final = _socket()


def camera_stream(data: bytes) -> None:
    """The answer of a network camera: motion JPEG."""
    camera = MotionJpeg(_Response(data), "url:camera")  # type: ignore[arg-type]
    try:
        for _ in range(20):
            camera.read()
    except SourceLost:
        pass
    finally:
        camera.release()


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="fuzzing-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))


def _file(name: str, data: bytes) -> Path:
    path = _folder() / name
    path.write_bytes(data)
    return path


def configuration(data: bytes) -> None:
    """A table.toml."""
    path = _file("table.toml", data)
    configured_language(path)
    with contextlib.suppress(ConfigError):
        read_config(path)


def calibration(data: bytes) -> None:
    """A stored calibration."""
    with contextlib.suppress(CalibrationError):
        load_homography(_file("camera.calibration.json", data))


def tags_file(data: bytes) -> None:
    """A file of tags."""
    with contextlib.suppress(TagsError):
        TagTable(_file("tags.json", data))


def deck_file(data: bytes) -> None:
    """A learned deck."""
    with contextlib.suppress(BadDeck):
        load_deck(_file("deck.ctdeck", data))


@cache
def _journal() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE game (id INTEGER PRIMARY KEY, header TEXT, started REAL, over INTEGER)")
    database.execute("CREATE TABLE action (game INTEGER, n INTEGER, action TEXT, time REAL)")
    database.execute("CREATE TABLE result (game INTEGER PRIMARY KEY, actions INTEGER, value TEXT)")
    database.execute("PRAGMA user_version = 3")
    return database


def journal_rows(data: bytes) -> None:
    """The rows of a game in a journal: the header, the result, then the actions, one a line."""
    header, result, *actions = [*data.split(b"\n"), b""][:40]
    database = _journal()
    for table in ("game", "action", "result"):
        database.execute(f"DELETE FROM {table}")
    database.execute("INSERT INTO game VALUES (1, CAST(? AS TEXT), 0, 0)", (header,))
    rows = [(number, action) for number, action in enumerate(actions)]
    database.executemany("INSERT INTO action VALUES (1, ?, CAST(? AS TEXT), 0)", rows)
    database.execute("INSERT INTO result VALUES (1, ?, CAST(? AS TEXT))", (len(rows), result))
    games = Games(database, Path("journal.sqlite"))
    games.entries()
    games.raw(1)
    with contextlib.suppress(JournalError):
        games.replayed(1)


def command_line(data: bytes) -> None:
    """Arguments of `cardtable games`, `replay` and `watch`: usage errors, no traceback."""
    words = [word.replace("\0", "") for word in data.decode("utf-8", "replace").split("\n")[:8]]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            assert main(["watch", "none:", "--game", *words]) in (0, 1, 2)
        except (SystemExit, CardtableError):
            pass


def _frames() -> Iterator[bytes]:
    hello = struct.pack("<BHHB", PROTOCOL, 1, 0, 4).ljust(16, b"\1")
    for kind, payload in (
        (FrameKind.BOARD_HELLO, hello),
        (FrameKind.EVENT, struct.pack("<BBH", 1, 2, 30) + bytes.fromhex("04a1b2c3")),
        (FrameKind.STATE, b"\1\0\4\4\xa1\xb2\xc3"),
    ):
        yield encode(Frame(kind, 7, 3, payload))


def _pictures() -> tuple[bytes, ...]:
    image = (np.indices((40, 30)).sum(axis=0) * 3 % 256).astype(np.uint8)
    return tuple(
        cv2.imencode(ending, image)[1].tobytes() for ending in (".png", ".jpg", ".bmp", ".webp", ".tiff", ".pgm")
    )


def _deck() -> bytes:
    path = _folder() / "seed.ctdeck"
    save_deck(path, OwnDeck("two", {parse_card(name): np.zeros((176, 126, 3), np.uint8) for name in ("AS", "2S")}))
    return path.read_bytes()


def _stream(jpeg: bytes) -> bytes:
    part = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg) + jpeg + b"\r\n"
    return part + part + b"--frame\r\nContent-Type: image/jpeg\r\n\r\n" + jpeg + b"\r\n--frame\r\n"


CONFIGURATION: Final = (
    b'game = "all-fives"\nplayers = ["Ann", "Bo"]\ndealer = 0\nsource = "usb:0"\n[options]\ntarget = 61\n'
    b"[board]\nport = 8015\nhost = '0.0.0.0'\n[[seat]]\nseat = 0\nbutton = 17\n",
    b'game = "cribbage"\nplayers = ["A", "B"]\nlanguage = "fr"\n[[reader]]\nport = "auto"\nzones = ["play 0", "crib"]\n'
    b'buttons = ["go 0", "undo"]\nlights = ["seat 0"]\n[[display]]\nkind = "png"\nfile = "a.png"\n[voice]\nsay = "all"\n',
    b'game = "its-15"\nplayers = ["A", "B"]\n[[cameras]]\nname = "above"\nsource = "url:http://a:b@c/d?e"\nfps = 15\n',
)
MESSAGES: Final = (
    b'{"do": "say", "seat": 1, "word": "beg"}',
    b'{"do": "say", "seat": 0, "word": "revoke", "against": 1, "card": "KD"}',
    b'{"do": "undo", "n": 17}',
)
RECORDS: Final = (
    HEADER + b'\n{"do": "turn", "card": "10H"}\n{"do": "say", "seat": 1, "word": "stand"}\n'
    b'{"do": "play", "seat": 1, "card": "AS"}\n{"do": "undo"}\n',
    b'{"record": 1, "game": "cribbage", "players": ["A", "B"], "dealer": 0}\n'
    b'{"do": "deal", "seat": 0, "cards": ["AS", "2S", "3S", "4S", "5S", "6S"]}\n'
    b'{"do": "discard", "seat": 0, "cards": ["AS", "2S"]}\n{"do": "turn", "card": "JC"}\n'
    b'{"do": "play", "seat": 1, "card": "KD"}\n{"do": "say", "seat": 0, "word": "go"}\n',
    b'{"record": 1, "game": "its-15", "players": ["A", "B", "C"], "dealer": 0}\n{"do": "turn", "card": "green-3"}\n'
    b'{"do": "say", "seat": 0, "word": "card"}\n{"do": "bid", "seat": 0, "cards": ["red-1", "red-2"]}\n'
    b'{"do": "show", "seat": 0, "cards": ["brown-1", "brown-9"]}\n',
    b'{"record": 1, "game": "fifteen", "players": ["A", "B"], "dealer": 1}\n{"do": "turn", "card": "5D"}\n',
    b'{"record": 1, "game": "le-quinze", "players": ["A", "B"], "dealer": 1}\n{"do": "turn", "card": "5D"}\n'
    b'{"do": "take", "seat": 0, "cards": ["5D"]}\n{"do": "withdraw", "seat": 0, "card": "5D"}\n',
)
JOURNAL: Final = tuple(first + b"\n[[0, 0], []]\n" + rest for first, rest in (each.split(b"\n", 1) for each in RECORDS))
RECORDING: Final = (
    b'{"t": 0.0, "opened": 1, "mark": null}\n'
    + b"".join(b'{"t": 0.%d, "in": "%s"}\n' % (n, frame.hex().encode()) for n, frame in enumerate(_frames(), 1))
    + b'{"t": 9.5, "out": "00"}\n{"t": 10, "opened": 2, "mark": [7, 3]}\n'
)

TARGETS: Final[Mapping[str, Target]] = {
    target.name: target
    for target in (
        Target("record", record, RECORDS, 400_000, JSON_WORDS + RECORD_WORDS),
        Target("action-text", action_text, (b"1 play 10C", b"0 say revoke 1 5S", b"undo"), 1_200_000, RECORD_WORDS),
        Target("page-message", page_message, MESSAGES, 1_200_000, JSON_WORDS + RECORD_WORDS),
        Target(
            "request-headers", request_headers, (b"host: table.lan:8015\norigin: http://table.lan:8015\n",), 400_000
        ),
        Target("serial-bytes", serial_bytes, tuple(_frames()), 2_000_000),
        Target("link-frames", link_frames, (b"\0\7\3\0\x10\0" + bytes(16), b"\1\7\3\0\x08\0" + bytes(8)), 800_000),
        Target("line-recording", line_recording, (RECORDING,), 400_000, JSON_WORDS),
        Target("qr-content", qr_content, (b"ct1:10H", b"ct1:say:take-one", b"ct1:brown-7"), 1_000_000),
        Target("card-name", card_name, (b"10H", b"qs", b"brown-7"), 1_000_000),
        Target("picture-size", header_of_picture, _pictures(), 1_000_000),
        Target("picture", picture, _pictures(), 100_000),
        Target("camera-stream", camera_stream, (_stream(_pictures()[1]),), 100_000, (b"--frame", b"\r\n\r\n")),
        Target(
            "configuration", configuration, CONFIGURATION, 100_000, JSON_WORDS + (b"[[", b"]]", b"'''", b'"""', b"=")
        ),
        Target(
            "calibration",
            calibration,
            (b'{"homography": [[1,0,0],[0,1,0],[0,0,1]], "image_size": [2,2]}',),
            100_000,
            JSON_WORDS,
        ),
        Target(
            "tags-file", tags_file, (b'{"tags": {"04a1b2c3": "QS", "04d4e5f6a1b2c3": "say:beg"}}',), 100_000, JSON_WORDS
        ),
        Target("deck-file", deck_file, (_deck(),), 30_000, JSON_WORDS),
        Target("journal-rows", journal_rows, JOURNAL, 60_000, JSON_WORDS + RECORD_WORDS),
        Target(
            "command-line", command_line, (b"all-fives\n--players\nAnn,Bo\n--option\ntarget=3",), 10_000, JSON_WORDS
        ),
    )
}


def dictionary(target: Target) -> str:
    """Return the words of a target in libFuzzer's form, one a line."""
    return "".join('"' + "".join(f"\\x{byte:02x}" for byte in word[:60]) + '"\n' for word in target.words)


def found() -> dict[str, list[bytes]]:
    """Return the inputs that have failed before, by target."""
    path = Path(__file__).with_name("fuzzing_found.json")
    return {
        name: [bytes.fromhex(each) for each in inputs] for name, inputs in json.loads(path.read_text("utf-8")).items()
    }
