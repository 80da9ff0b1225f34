"""Examples of each parser's input, and pieces to build inputs from."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from typing import Final

import cv2
import numpy as np

from engine.cards import parse_card
from firmware_bridge.frames import FrameKind, SerialFrame, encode
from firmware_bridge.messages import PROTOCOL
from lab.torture.fuzzing_files import folder
from vision.decks.deck import LearnedDeck, save_deck

HEADER: Final = b'{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": 0}'


JSON_WORDS: Final = (
    *(b'"', b"{", b"}", b"[", b"]", b":", b",", b"null", b"true", b"-1", b"1e999", b"NaN", b"Infinity", b"\\ud800"),
    *(b"9" * 5000, b"1" + b"0" * 400, b"[" * 3000, b'{"a":' * 1500, b"\x00", b"\xff", b"\xe2\x80\xa8", b"0.1"),
)
PBN: Final = (
    b'[Board "1"]\n[Dealer "N"]\n[Vulnerable "NS"]\n[Auction "N"]\n1NT =1= Pass 3NT {strong} AP\n'
    b'[Play "E"]\nSK H3 S4 S3\n*\n',
    b'[Dealer "E"]\n[Deal "N:AKQJT98765432... .AKQJT98765432.. - -"]\n[Result "9"]\n[Auction "E"]\n7NT X XX AP\n',
)
PBN_WORDS: Final = (b"[Board ", b"[Deal ", b"[Auction ", b"[Play ", b'"]', b"1NT", b"AP", b"XX", b"SA", b"*", b"#")
LIN: Final = (
    b"qx|o17|pn|S,W,N,E|md|3SKT3HJT7D87CKQ843,SA54HQ94DT963CAT2,S9872HK85DAJ542C5,|sv|n|ah|Board 17|mb|p|mb|1C!|an|x|"
    b"mb|p|mb|1N|mb|p|mb|p|mb|p|pc|S9|pc|SJ|pc|SK|pc|S5|mc|7|\n",
)
LIN_WORDS: Final = (b"md|", b"qx|", b"pn|", b"mb|1N|", b"mb|p|", b"pc|SA|", b"mc|", b"|", b",")
USEBIO: Final = (
    b"<USEBIO><SECTION><PAIR><PAIR_NUMBER>1</PAIR_NUMBER><PLAYER><PLAYER_NAME>A</PLAYER_NAME></PLAYER></PAIR><BOARD>"
    b"<BOARD_NUMBER>2</BOARD_NUMBER><HAND DIRECTION='N'><SPADES>AKQJT98765432</SPADES></HAND><TRAVELLER_LINE>"
    b"<NS_PAIR_NUMBER>1</NS_PAIR_NUMBER><CONTRACT>3NT</CONTRACT><PLAYED_BY>N</PLAYED_BY><LEAD>HK</LEAD>"
    b"<TRICKS>10</TRICKS><SCORE>630</SCORE></TRAVELLER_LINE></BOARD></SECTION></USEBIO>",
)
USEBIO_WORDS: Final = (b"<BOARD>", b"</BOARD>", b"<SECTION>", b"<a>", b"<!--", b"&lt;", b"<![CDATA[", b"<!DOCTYPE a [")
SKAT: Final = (
    b"(;GM[Skat]P0[A]P1[B]P2[C]MV[w CJ.SJ.HJ.DJ.CA.CT.CK.CQ.C9.C8.SA.ST.SK.SQ.S9.S8.S7.HA.HT.HK.HQ.H9.H8.H7.DA.DT.DK"
    b".DQ.D9.D8.C7.D7 1 18 0 y 1 p 2 p 0 s w C7.D7 0 C.C7.D7 0 CJ 1 SK 2 DQ 0 SC 1 RE ]R[d:0 win v:156 m:11] ;)\n",
)
SKAT_WORDS: Final = (b"(;", b"MV[", b"]", b"w ", b"0 18 ", b"1 p ", b"0 CHOZ ", b"0 N ", b"H8.CK")
PAIRING: Final = (
    b'{"code": "ABC234"}',
    b'{"pin": "1234"}',
    b'{"seat": 0}',
    b'{"id": 1}',
    b'{"pin": null}',
    b"{}",
    b'{"do": "answer", "step": "language", "value": "fr"}',
)
PHONES: Final = (
    b'{"version":1,"phones":[{"id":1,"token":"%s","player":"Ann","seat":0,"director":false,"device":"iPad","since":1.5}],'
    b'"next":2,"pin":{"salt":"%s","value":"%s","n":1024,"r":8,"p":1},"failures":3,"until":12.5}'
    % (b"0a" * 32, b"1b" * 16, b"2c" * 32),
)
RECORD_WORDS: Final = (
    *(b'"do"', b'"seat"', b'"card"', b'"cards"', b'"word"', b'"against"', b'"players"', b'"options"', b'"dealer"'),
    *(b"play", b"deal", b"say", b"undo", b"discard", b"take", b"bid", b"show", b"expose", b"cut", b"turn", b"gather"),
    *(b"revoke", b"call", b"go", b"stand", b"beg", b"crib", b"AS", b"10H", b"brown-1", b"red-2", b"\n", b"withdraw"),
    *(b"9" * 5000, b"\xc2\xb2", b" ", b"\xff"),
)


def frames() -> Iterator[bytes]:
    hello = struct.pack("<BHHB", PROTOCOL, 1, 0, 4).ljust(16, b"\1")
    for kind, payload in (
        (FrameKind.BOARD_HELLO, hello),
        (FrameKind.EVENT, struct.pack("<BBH", 1, 2, 30) + bytes.fromhex("04a1b2c3")),
        (FrameKind.STATE, b"\1\0\4\4\xa1\xb2\xc3"),
    ):
        yield encode(SerialFrame(kind, 7, 3, payload))


def pictures() -> tuple[bytes, ...]:
    image = (np.indices((40, 30)).sum(axis=0) * 3 % 256).astype(np.uint8)
    return tuple(
        cv2.imencode(ending, image)[1].tobytes() for ending in (".png", ".jpg", ".bmp", ".webp", ".tiff", ".pgm")
    )


def deck() -> bytes:
    path = folder() / "seed.deck"
    save_deck(path, LearnedDeck("two", {parse_card(name): np.zeros((176, 126, 3), np.uint8) for name in ("AS", "2S")}))
    return path.read_bytes()


def write_ahead_logs() -> tuple[bytes, ...]:
    path = folder() / "seed.sqlite"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for command in ("PRAGMA page_size = 512", "PRAGMA journal_mode = WAL", "CREATE TABLE a (b)"):
            database.execute(command)
        first = path.with_name("seed.sqlite-wal").read_bytes()
        database.execute("INSERT INTO a VALUES (1)")
        return first, path.with_name("seed.sqlite-wal").read_bytes()


CONFIGURATION: Final = (
    b'game = "all-fives"\nplayers = ["Ann", "Bo"]\ndealer = 0\nsource = "usb:0"\n[options]\ntarget = 61\n'
    b"[board]\nport = 8015\nhost = '0.0.0.0'\n[[seat]]\nseat = 0\nbutton = 17\n",
    b'game = "cribbage"\nplayers = ["A", "B"]\nlanguage = "fr"\n[[reader]]\nport = "auto"\nzones = ["play 0", "crib"]\n'
    b'buttons = ["go 0", "undo"]\nlights = ["seat 0"]\n[[display]]\nkind = "png"\nfile = "a.png"\n'
    b'[voice]\nsay = "all"\n',
    b'game = "its-15"\nplayers = ["A", "B"]\n[[cameras]]\nname = "above"\nsource = "url:http://a:b@c/d?e"\nfps = 15\n',
)
MESSAGES: Final = (
    b'{"do": "say", "seat": 1, "word": "beg"}',
    b'{"do": "say", "seat": 0, "word": "revoke", "against": 1, "card": "KD"}',
    b'{"do": "undo", "n": 17}',
    b'{"do": "set-option", "name": "target", "value": 61}',
    b'{"do": "add-player", "name": "Ann", "seat": 1}',
    b'{"do": "join", "name": "Zo\xc3\xab"}',
    b'{"do": "go-on", "id": 3}',
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
    + b"".join(b'{"t": 0.%d, "in": "%s"}\n' % (n, frame.hex().encode()) for n, frame in enumerate(frames(), 1))
    + b'{"t": 9.5, "out": "00"}\n{"t": 10, "opened": 2, "mark": [7, 3]}\n'
)
REQUESTS: Final = (
    b"GET /state.json HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /camera.jpg?of=above HTTP/1.1\r\nHost: 127.0.0.1:80\r\nOrigin: http://127.0.0.1:80\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.0\r\n\r\n",
    b"GET /live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    b'\x81\x8a\0\0\0\0{"do": 17}\x88\x80\0\0\0\0',
)
