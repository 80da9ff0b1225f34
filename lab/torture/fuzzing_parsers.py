"""Functions that feed bytes to one parser each. They catch only the errors that the parser documents."""

from __future__ import annotations

import contextlib
import io
import itertools
import socket
import sqlite3
import struct
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

from cardtable.cli import main
from cardtable.errors import CardtableError
from cardtable.journal.file import _MAGIC, JournalError, _sums, transactions_lost
from cardtable.journal.games import Games
from cardtable.journal.schema import create_tables
from cardtable.table.messages import BadMessage, read_message
from cardtable.web.connections import Guard
from cardtable.web.server import Board as Server
from engine.actions import Action, BadAction
from engine.cards import parse_card
from engine.errors import RecordError, Refused
from engine.formats.board import Board, Fault, boards_of
from engine.formats.iss import SkatGame, read_iss
from engine.formats.lin import read_lin
from engine.formats.pbn import read_pbn
from engine.formats.reading import read_games
from engine.formats.usebio import read_usebio
from engine.record import read_record
from engine.table import Table, answers
from firmware_bridge.frames import FrameDecoder, FrameKind, SerialFrame, encode
from firmware_bridge.link import Link
from firmware_bridge.recorder import replay
from lab.torture.fuzzing_files import file_of
from tests.cardtable.boards import board_for
from vision.image_files import NotAPicture, decode, picture_size
from vision.marks.names import qr_face


def record(data: bytes) -> None:
    """A record, and every action of it on the table."""
    with contextlib.suppress(RecordError):
        for _ in answers(read_record(io.BytesIO(data)), legal=False):
            pass


def pbn(data: bytes) -> None:
    """Boards of bridge in PBN, each converted to a record and back."""
    _imported(read_pbn(data.decode("iso-8859-1")))
    _imported(read_games(data) or ())


def lin(data: bytes) -> None:
    """Boards of bridge in LIN."""
    _imported(read_lin(data.decode("iso-8859-1")))


def usebio(data: bytes) -> None:
    """Results of bridge in USEBIO."""
    _imported(read_usebio(data))


def skat_games(data: bytes) -> None:
    """Games of the International Skat Server."""
    _imported(read_iss(data.decode("iso-8859-1")))


def _imported(found: Iterable[Board | SkatGame | Fault]) -> None:
    """Make a record of each board or game, and boards of the record."""
    for each in found:
        with contextlib.suppress(Fault):
            header, actions = each.record() if not isinstance(each, Fault) else (None, [])
            if header is not None and isinstance(each, Board):
                assert len(boards_of(header, actions)) <= 1


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


@cache
def _board() -> Server:
    """A board that is served until this process ends."""
    return board_for("All Fives", lambda message, sender: None, port=0)


_ASKED: Final = itertools.count()


def http_request(data: bytes) -> None:
    """The bytes of a connection to the board; now and then, check that it still answers."""
    asks = [data]
    if next(_ASKED) % 50 == 0:
        asks.append(b"GET /state.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    for ask in asks:
        with socket.create_connection(("127.0.0.1", _board().port), timeout=20) as line, io.BytesIO() as answer:
            with contextlib.suppress(ConnectionError, BrokenPipeError):
                line.sendall(ask)
                line.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionError):
                while part := line.recv(65536):
                    answer.write(part)
            if ask is not data:
                assert answer.getvalue().startswith(b"HTTP/1.1 200"), "the board does not answer any more"


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
        for update in link.receive(encode(SerialFrame(kinds[kind % 4], boot, seq, payload)), now):
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
    ] <= 250_000:  # the time for larger ones grows with their size
        with contextlib.suppress(NotAPicture):
            assert decode(data, upright=True).shape[2] == 3


@cache
def _journal() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    create_tables(database)
    return database


def journal_rows(data: bytes) -> None:
    """The rows of a game in a journal: the header, the result, then the actions, one a line."""
    header, result, *actions = [*data.split(b"\n"), b""][:40]
    database = _journal()
    for table in ("game", "action", "summary"):
        database.execute(f"DELETE FROM {table}")
    database.execute("INSERT INTO game VALUES (1, CAST(? AS TEXT), 0, 0)", (header,))
    rows = [(number, action) for number, action in enumerate(actions)]
    database.executemany("INSERT INTO action VALUES (1, ?, CAST(? AS TEXT), 0)", rows)
    database.execute("INSERT INTO summary VALUES (1, '', ?, 0, 0, CAST(? AS TEXT))", (len(rows), result))
    games = Games(database, Path("journal.sqlite"))
    games.entries()
    games.raw(1)
    with contextlib.suppress(JournalError):
        games.replayed(1)


def journal_log(data: bytes) -> None:
    """The write-ahead log of a journal, as written, and with a right checksum of its header."""
    transactions_lost(file_of("journal.sqlite-wal", data))
    begin = next(iter(_MAGIC)).to_bytes(4, "big") + data[4:24].ljust(20, b"\0")
    sums = struct.pack(">II", *_sums(begin, "little", (0, 0)))
    transactions_lost(file_of("journal.sqlite-wal", begin + sums + data[32:]))


def command_line(data: bytes) -> None:
    """Arguments of `cardtable watch`: usage errors, no traceback."""
    words = [word.replace("\0", "") for word in data.decode("utf-8", "replace").split("\n")[:8]]
    silent = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    with silent[0], silent[1], contextlib.suppress(SystemExit, CardtableError):
        assert main(["watch", "none:", "--game", *words]) in (0, 1, 2)
