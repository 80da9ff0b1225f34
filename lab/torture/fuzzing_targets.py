"""The parsers that meet the outside, each with examples of what it reads and the errors that it documents.

A target is called with bytes. It returns None, or raises only what is wrong: the documented errors are caught in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lab.torture import fuzzing_club, fuzzing_games, fuzzing_phones
from lab.torture import fuzzing_files as files
from lab.torture import fuzzing_parsers as parsers
from lab.torture.fuzzing_club import CLUB
from lab.torture.fuzzing_seeds import (
    CONFIGURATION,
    JOURNAL,
    JSON_WORDS,
    MESSAGES,
    PAIRING,
    PBN,
    PBN_WORDS,
    PHONES,
    RECORD_WORDS,
    RECORDING,
    RECORDS,
    REQUESTS,
    deck,
    frames,
    pictures,
    stream,
    write_ahead_logs,
)
from lab.torture.hidden_writers import called, modules


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


TARGETS: Final[Mapping[str, Target]] = {
    target.name: target
    for target in (
        Target("record", parsers.record, RECORDS, 280_000, JSON_WORDS + RECORD_WORDS),
        Target(
            "action-text", parsers.action_text, (b"1 play 10C", b"0 say revoke 1 5S", b"undo"), 1_050_000, RECORD_WORDS
        ),
        Target("pbn", parsers.pbn, PBN, 100_000, PBN_WORDS),
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
        Target("picture-size", parsers.header_of_picture, pictures(), 1_000_000),
        Target("picture", parsers.picture, pictures(), 100_000),
        Target("camera-stream", parsers.camera_stream, (stream(pictures()[1]),), 100_000, (b"--frame", b"\r\n\r\n")),
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
        *("loads", "load", "unpack", "unpack_from", "from_bytes", "decode", "fromhex", "imdecode", "frombuffer"),
        *(
            "ZipFile",
            "validate_json",
            "validate_python",
            "model_validate",
            "model_validate_json",
            "validate_json",
            "read_json",
            "read_text",
            "read_bytes",
            "readline",
        ),
        *("VideoCapture", "imread", "parse_qs", "receive_text", "receive_bytes", "receive_json", "read_barcodes"),
    )
)
"""Names of functions and methods that turn bytes or text from outside into something else."""

PARSERS: Final[Mapping[str, str]] = {
    "cardtable/web/access_file.py": "no: hexadecimal digits that were checked before",
    "cardtable/web/phones.py": "pairing-request",
    "cardtable/web/access_file.py": "phones-file",
    "cardtable/web/guide.py": "page-message",
    "cardtable/web/serving.py": "pairing-request",
    "cardtable/table/messages.py": "page-message",
    "cardtable/web/serving.py": "http-request, page-message, request-headers",
    "cardtable/cli/__init__.py": "no: text of the program itself",
    "club/cardtable_club/member/enrolment.py": "club-message",
    "club/cardtable_club/member/enrolment.py": "club-message",
    "club/cardtable_club/member/home_assistant.py": "club-message",
    "club/cardtable_club/member/home_assistant.py": "no: the state that the board has made",
    "club/cardtable_club/member/messages.py": "club-message",
    "club/cardtable_club/member/outbox.py": "club-message",
    "club/cardtable_club/commands/hub.py": "club-message",
    "club/cardtable_club/commands/tournament.py": "no: numbers among the arguments of the command line",
    "club/cardtable_club/hub/authority.py": "club-message",
    "club/cardtable_club/hub/config.py": "configuration",
    "club/cardtable_club/hub/service.py": "no: a request that the authority reads",
    "club/cardtable_club/hub/director.py": "no: events that it has stored itself, and records, which club-message covers",
    "club/cardtable_club/hub/receiver.py": "club-message",
    "club/cardtable_club/hub/director_pages.py": "pairing-request",
    "club/cardtable_club/hub/games.py": "club-message",
    "club/cardtable_club/hub/games.py": "club-message",
    "club/cardtable_club/hub/pages.py": "pairing-request",
    "club/cardtable_club/hub/receiver.py": "club-message",
    "club/cardtable_club/hub/games.py": "club-message",
    "cardtable/cli/bundle.py": "no: it writes a file",
    "cardtable/cli/config.py": "no: names among the arguments of the command line",
    "cardtable/cli/setup.py": "no: an answer that its user types",
    "cardtable/terminal/input.py": "no: a PIN that its user types",
    "cardtable/maintenance/install.py": "no: units of this program, compared as text",
    "cardtable/cli/watch.py": "command-line",
    "cardtable/config/writing.py": "configuration",
    "cardtable/config/toml_file.py": "configuration",
    "cardtable/config/load.py": "configuration",
    "cardtable/config/toml_file.py": "configuration",
    **{
        f"cardtable/cli/{command}.py": "no: it loads modules of the program"
        for command in ("calibrate", "deck", "doctor", "print", "run", "see")
    },
    "cardtable/maintenance/backup.py": "backup-file",
    "cardtable/maintenance/systemd.py": "no: whether a table answers on this machine",
    "cardtable/maintenance/backup.py": "no: the mounts and disks that Linux lists",
    "cardtable/maintenance/updates.py": "no: the status that the updater of the package writes; a damaged one counts as none",
    "cardtable/maintenance/pages.py": "pairing-request",
    "cardtable/doctor/cameras.py": "no: a structure of the kernel, of a fixed size",
    "cardtable/files.py": "no: what it reads is parsed elsewhere",
    "cardtable/cli/tags.py": "line-recording",
    "cardtable/setup/first_start.py": "no: its own file; what is damaged in it is left out",
    "cardtable/setup/terminal.py": "no: a line that its user types",
    "cardtable/setup/pages.py": "pairing-request",
    "cardtable/setup/without_display.py": "no: the address of a connection, which the system writes",
    "cardtable/setup/sites.py": "no: a row of the journal; one that is damaged counts as none",
    "cardtable/evening/memory.py": "no: a row of the journal; one that is damaged counts as none",
    "cardtable/evening/host.py": "page-message",
    "cardtable/history/pages.py": "no: a picture that the program has written, sent as it is",
    "cardtable/languages.py": "no: catalogues of the program",
    "cardtable/history/pictures.py": "no: its own list of pictures; one that is damaged counts as none",
    "cardtable/journal/corrections.py": "no: a row of the journal; one that is damaged is left out",
    "cardtable/journal/file.py": "journal-log",
    "cardtable/journal/games.py": "journal-rows",
    "cardtable/journal/games.py": "journal-rows",
    "cardtable/maintenance/support_bundle.py": "no: copied as text",
    "cardtable/simulation/deck/__init__.py": "no: pictures of the program",
    "cardtable/simulation/rfid.py": "no: it makes random numbers",
    "cardtable/simulation/robots.py": "no: entry points",
    "cardtable/terminal/output.py": "configuration",
    "cardtable/terminal/input.py": "no: a line is compared with four numbers",
    "engine/games/__init__.py": "no: entry points",
    "cardtable/cli/replay.py": "pbn",
    "engine/record.py": "record",
    "firmware_bridge/building.py": "no: sources of the program",
    "firmware_bridge/frames.py": "serial-bytes, link-frames",
    "firmware_bridge/messages.py": "link-frames",
    "firmware_bridge/recorder.py": "line-recording",
    "firmware_bridge/simulated.py": "no: the simulated board",
    "firmware_bridge/tags.py": "tags-file",
    "hardware/voice.py": "no: what a command writes to standard error, shown as text",
    "vision/cameras/network.py": "no: it limits FFmpeg's memory",
    "vision/cameras/network.py": "camera-stream",
    "vision/cameras/network.py": "no: FFmpeg reads it",
    "vision/cameras/picamera.py": "no: a process of the program",
    "vision/cameras/picamera_process.py": "no: a process of the program",
    "vision/cameras/usb.py": "no: the kernel's driver",
    "vision/cameras/sources.py": "no: FFmpeg reads it",
    "vision/cameras/usb.py": "no: the kernel's driver",
    "vision/decks/deck.py": "deck-file",
    "vision/faces/net_forms.py": "no: Linux's description of the processor",
    "vision/image_files.py": "picture",
    "vision/marks/qr.py": "qr-content, picture",
    "vision/image_files.py": "picture-size",
    "vision/mat/homography.py": "calibration",
}
"""Each module that parses something: its targets, or why it meets nothing from outside that a parser must withstand."""


def parsing_modules() -> set[str]:
    """Return the modules of the program that parse something, found in their source."""
    return {
        name
        for name, source in modules(("cardtable", "engine", "firmware_bridge", "hardware", "vision"))
        if any(called(call) in PARSING for call in source.calls)
    }
