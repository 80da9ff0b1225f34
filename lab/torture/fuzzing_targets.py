"""The parsers that read data from outside, each with examples of its input.

A target is called with bytes. It catches the errors that the parser documents, so anything that it raises is a fault.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from lab.torture import fuzzing_club, fuzzing_games, fuzzing_phones
from lab.torture import fuzzing_files as files
from lab.torture import fuzzing_parsers as parsers
from lab.torture.fuzzing_club import CLUB
from lab.torture.fuzzing_seeds import (
    CONFIGURATION,
    JOURNAL,
    JSON_WORDS,
    LIN,
    LIN_WORDS,
    MESSAGES,
    PAIRING,
    PBN,
    PBN_WORDS,
    PHONES,
    RECORD_WORDS,
    RECORDING,
    RECORDS,
    REQUESTS,
    SKAT,
    SKAT_WORDS,
    USEBIO,
    USEBIO_WORDS,
    deck,
    frames,
    pictures,
    write_ahead_logs,
)
from lab.torture.hidden_writers import PACKAGES, called, modules, room


@dataclass(frozen=True, slots=True)
class Target:
    """A parser.

    `feed` parses bytes; `seeds` are examples; `inputs`: how many the long form tries; `words`: pieces to build inputs
    from.
    """

    name: str
    feed: Callable[[bytes], None]
    seeds: tuple[bytes, ...]
    inputs: int
    words: tuple[bytes, ...] = ()


TARGETS: Final[Mapping[str, Target]] = {
    target.name: target
    for target in (
        Target("record", parsers.record, RECORDS, 280_000, JSON_WORDS + RECORD_WORDS),
        Target(
            "action-text", parsers.action_text, (b"1 play 10C", b"0 say revoke 1 5S", b"undo"), 800_000, RECORD_WORDS
        ),
        Target("pbn", parsers.pbn, PBN, 100_000, PBN_WORDS),
        Target("lin", parsers.lin, LIN, 100_000, LIN_WORDS),
        Target("usebio", parsers.usebio, USEBIO, 100_000, USEBIO_WORDS),
        Target("skat-games", parsers.skat_games, SKAT, 50_000, SKAT_WORDS),
        Target("pairing-request", fuzzing_phones.pairing_request, PAIRING, 100_000, JSON_WORDS),
        Target("phones-file", fuzzing_phones.phones_file, PHONES, 50_000, JSON_WORDS),
        Target("page-message", parsers.page_message, MESSAGES, 1_100_000, JSON_WORDS + RECORD_WORDS),
        Target(
            "request-headers",
            parsers.request_headers,
            (b"host: table.lan:8015\norigin: http://table.lan:8015\n",),
            400_000,
        ),
        Target("club-message", fuzzing_club.club_message, CLUB, 100_000, JSON_WORDS + RECORD_WORDS),
        Target("http-request", parsers.http_request, REQUESTS, 10_000, (b"\r\n", b": ", b"%00", b"../", b"chunked")),
        Target("serial-bytes", parsers.serial_bytes, tuple(frames()), 1_850_000),
        Target(
            "link-frames", parsers.link_frames, (b"\0\7\3\0\x10\0" + bytes(16), b"\1\7\3\0\x08\0" + bytes(8)), 800_000
        ),
        Target("line-recording", parsers.line_recording, (RECORDING,), 400_000, JSON_WORDS),
        Target("qr-content", parsers.qr_content, (b"ct1:10H", b"ct1:say:take-one", b"ct1:brown-7"), 930_000),
        Target("card-name", parsers.card_name, (b"10H", b"qs", b"brown-7"), 1_000_000),
        Target("picture-size", parsers.header_of_picture, pictures(), 1_100_000),
        Target("picture", parsers.picture, pictures(), 100_000),
        Target(
            "configuration",
            files.configuration,
            CONFIGURATION,
            100_000,
            (*JSON_WORDS, b"[[", b"]]", b"'''", b'"""', b"="),
        ),
        Target("game-file", fuzzing_games.game_file, fuzzing_games.GAME_FILES, 50_000, (*JSON_WORDS, b"[", b"]", b"=")),
        Target(
            "calibration",
            files.calibration,
            (b'{"homography": [[1,0,0],[0,1,0],[0,0,1]], "image_size": [2,2]}',),
            100_000,
            JSON_WORDS,
        ),
        Target(
            "tags-file",
            files.tags_file,
            (b'{"tags": {"04a1b2c3": "QS", "04d4e5f6a1b2c3": "say:beg"}}',),
            100_000,
            JSON_WORDS,
        ),
        Target(
            "network-list",
            files.network_list,
            (b"*:81:WPA2:Home\n :42:WPA1 WPA2:Anna\\:s \\\\ flat\n", b" :7::\n"),
            100_000,
            (b"\\:", b"\\\\", b":"),
        ),
        Target("backup-file", files.backup_file, (files.backup(),), 20_000, JSON_WORDS),
        Target("deck-file", files.deck_file, (deck(),), 30_000, JSON_WORDS),
        Target("journal-rows", parsers.journal_rows, JOURNAL, 60_000, JSON_WORDS + RECORD_WORDS),
        Target("journal-log", parsers.journal_log, write_ahead_logs(), 60_000),
        Target(
            "command-line",
            parsers.command_line,
            (b"all-fives\n--players\nAnn,Bo\n--option\ntarget=3",),
            10_000,
            JSON_WORDS,
        ),
    )
}


def dictionary(target: Target) -> str:
    """Return the words of a target in libFuzzer's form, one a line."""
    return "".join('"' + "".join(f"\\x{byte:02x}" for byte in word[:60]) + '"\n' for word in target.words)


def found() -> dict[str, list[bytes]]:
    """Return the inputs that have failed before, by target."""
    # An input is a list of texts (Latin-1), each with the number of its repetitions.
    stored = json.loads(Path(__file__).with_name("fuzzing_found.json").read_text("utf-8"))
    return {
        name: [b"".join(part.encode("latin-1") * times for part, times in parts) for parts in inputs]
        for name, inputs in stored.items()
    }


PARSING: Final = frozenset(
    (
        *("loads", "json.load", "tomllib.load", "np.load", "unpack", "unpack_from", "from_bytes", "decode", "fromhex"),
        *("imdecode", "imread", "frombuffer", "ZipFile", "validate_json", "validate_python", "model_validate"),
        *("model_validate_json", "read_json", "read_text", "read_bytes", "readline", "VideoCapture", "parse_qs"),
        *("receive_text", "receive_bytes", "receive_json", "read_barcodes"),
    )
)
"""Names of functions and methods that parse bytes or text from outside."""


class Room(NamedTuple):
    """The names of a room's parsing calls, and the targets that cover their input.

    If there is no target, the input cannot be hostile. Each room also reads files that the program itself has written;
    a damaged one counts as missing.
    """

    calls: str
    targets: tuple[str, ...] = ()


PARSERS: Final[Mapping[str, Room]] = {
    # Catalogues and configurations of the program; what `files.py` reads is parsed elsewhere.
    "cardtable": Room("decode loads read_bytes read_json read_text", ("pairing-request",)),
    "cardtable/cli": Room("ZipFile loads read_bytes read_text", ("command-line", "line-recording")),
    "cardtable/config": Room("loads model_validate read_text", ("configuration",)),
    "cardtable/doctor": Room("decode unpack"),  # structures of the kernel, of a fixed size
    "cardtable/evening": Room("loads", ("page-message",)),
    "cardtable/history": Room("loads read_bytes read_text"),  # pictures and highlights that the program has kept
    "cardtable/journal": Room("decode from_bytes loads read_bytes", ("journal-log", "journal-rows")),
    "cardtable/maintenance": Room(
        "ZipFile decode from_bytes json.load loads model_validate read_json read_text",
        ("backup-file", "pairing-request"),
    ),
    "cardtable/setup": Room(
        "decode model_validate_json read_bytes read_json read_text", ("pairing-request", "network-list")
    ),
    "cardtable/simulation": Room("from_bytes frombuffer imdecode read_bytes"),  # pictures of the program
    "cardtable/table": Room("validate_json", ("page-message",)),
    "cardtable/terminal": Room("read_text readline", ("configuration",)),
    "cardtable/web": Room(
        "decode fromhex loads model_validate_json read_bytes read_json read_text receive_text unpack validate_json",
        ("http-request", "page-message", "pairing-request", "phones-file", "request-headers"),
    ),
    "club": Room(
        "decode loads model_validate read_bytes read_json read_text receive_text",
        ("club-message", "configuration", "pairing-request"),
    ),
    "engine": Room(
        "decode loads read_text",
        ("record", "action-text", "pbn", "lin", "usebio", "skat-games", "card-name", "game-file"),
    ),
    "firmware_bridge": Room(
        "decode from_bytes fromhex loads read_bytes read_text readline unpack_from",
        ("serial-bytes", "link-frames", "line-recording", "tags-file"),
    ),
    "hardware": Room("decode"),  # what a command writes to standard error, shown as text
    "vision": Room(
        "VideoCapture ZipFile decode frombuffer imdecode loads read_barcodes read_text unpack unpack_from",
        ("picture", "picture-size", "qr-content", "deck-file", "calibration"),
    ),
}
"""What each room of the program parses (`lab.torture.hidden_writers.room`)."""


def parsing_calls() -> dict[str, set[str]]:
    """Return the names of the parsing calls of each room of the program, found in its source."""
    found: dict[str, set[str]] = {}
    for name, source in modules(("engine", *PACKAGES)):
        calls = {parser for call in source.calls for parser in (called(call), _of_module(call)) if parser in PARSING}
        if calls:
            found.setdefault(room(name), set()).update(calls)
    return found


def _of_module(call: ast.Call) -> str:
    """Return a call such as `json.load` with the name before its dot."""
    match call.func:
        case ast.Attribute(value=ast.Name(module), attr=name):
            return f"{module}.{name}"
    return ""
