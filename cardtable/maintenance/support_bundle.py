"""The contents of a bug report: configuration without secrets, last game, doctor's findings, log, camera pictures.

If a part cannot be made, a text that says why takes its place.
"""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from cardtable.config.devices import CameraConfig
from cardtable.config.load import ConfigError, read_config
from cardtable.config.model import TableConfig
from cardtable.doctor import Machine, examine
from cardtable.errors import CardtableError
from cardtable.files import MAX_TOML_BYTES, read_text
from cardtable.journal.file import UnreadableGame
from cardtable.journal.games import open_games
from cardtable.maintenance.install import TABLE, reachable
from vision.frames import SourceLost

FRAMES: Final = 3
"""Number of pictures from each camera."""
_LOG_LINES: Final = 2000
_BOARD_TIMEOUT_S: Final = 3.0
_HIDDEN: Final = "HIDDEN"

# Nothing is looked at twice: the time grows with the length of a text, not with its square.
_LOGIN: Final = re.compile(r"(?<=://)[^\s\"'<>?]++")
_ADDRESS: Final = re.compile(r"(?<=://)[^\s\"']++")
_NAMES: Final = (
    r"(?=[\w-]*?(?:password|passwd|passphrase|passwort|passe|pwd|token|secret|credential)"
    r"|(?:[\w-]*(?:-|[^\Wa-z]))?(?:auth|authorization|key|apikey|pass)(?![\w-]))[\w-]++"
)
_VALUE: Final = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\n\"']+)"
_KEY: Final = re.compile(rf"(?i)((?<![\w-]){_NAMES}[\"']?\s*+[=:]\s*){_VALUE}")
_OPTION: Final = re.compile(rf"(?i)((?<![\w-])(?:--{_NAMES}|-u|--user)(?:[\"']\s*+,|=|\s)\s*){_VALUE}")

_COMMENT: Final = re.compile(r"(\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+'|[\"'][^#\n]*+)|#.*")
"""A string in TOML, also one that does not end; or a comment."""


def without_secrets(text: str) -> str:
    """Return the text with all secrets replaced by HIDDEN.

    Secrets are user names and passwords in addresses, the query of an address, and the values of keys and options with
    names such as password, token, secret or key.

    >>> without_secrets('source = "url:http://ann:geheim@192.168.1.20/video?auth=77"')
    'source = "url:http://HIDDEN@192.168.1.20/video?HIDDEN"'
    """
    text = _LOGIN.sub(lambda found: f"{_HIDDEN}@{found[0].rpartition('@')[2]}" if "@" in found[0] else found[0], text)
    text = _ADDRESS.sub(lambda found: re.sub(r"(?<=\?).+", _HIDDEN, found[0], count=1, flags=re.DOTALL), text)
    text = _KEY.sub(rf"\1{_HIDDEN}", text)
    return _OPTION.sub(rf"\1{_HIDDEN}", text)


def parts(path: Path, machine: Machine, hands: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the bundle as (name, content), each as soon as it is made.

    The configuration at `path` may be wrong. With `hands`, the record of an unfinished game includes the known hands.
    """
    yield from _part("table.toml", lambda: _public(read_text(path, MAX_TOML_BYTES, "replace")).encode())
    yield from _part("log.txt", lambda: _log(machine))
    try:
        config = read_config(path)
    except ConfigError as error:
        yield "configuration.error.txt", f"{without_secrets(str(error))}\n".encode()
        return
    yield from _part("game.jsonl", lambda: _game(config, hands))
    # A running table occupies the cameras, but its board serves their picture.
    board = f"http://{reachable(config.board.host)}:{config.board.port}"
    running = _fetch(f"{board}/state.json")
    yield from _part("doctor.jsonl", lambda: _doctor(config, machine, running is not None))
    if running is not None:
        yield "board/state.json", without_secrets(running.decode()).encode()
        yield from _part("board/camera.jpg", lambda: _fetch(f"{board}/camera.jpg") or b"")
    else:
        for camera in config.cameras:
            yield from _pictures(config, camera)


def _part(name: str, make: Callable[[], bytes]) -> Iterator[tuple[str, bytes]]:
    try:
        yield name, make()
    except (OSError, CardtableError) as error:
        yield f"{name}.error.txt", f"{without_secrets(str(error))}\n".encode()


def _public(written: str) -> str:
    """Return a configuration, which may be wrong, without its secrets, and without comments: they may hold any."""
    return without_secrets(_COMMENT.sub(r"\1", written))


def _log(machine: Machine) -> bytes:
    log = machine.run(["journalctl", "-u", TABLE, "-n", str(_LOG_LINES), "--no-pager", "-o", "short-iso"])
    return without_secrets(log or f"there is no log of {TABLE} here: the table was started by hand\n").encode()


def _game(config: TableConfig, hands: bool) -> bytes:
    """Return the record of the last game, or its stored lines if it cannot be read and may show hands."""
    with open_games(config.journal) as games:
        number = games.last()
        if number is None:
            return b""
        try:
            game = games.read(number)
            lines = game.record() if hands or game.over else games.record_without_hands(game)
        except UnreadableGame:
            if not hands and not games.over(number):
                raise
            lines = games.raw(number)
    return "".join(f"{line}\n" for line in lines).encode()


def _doctor(config: TableConfig, machine: Machine, running: bool) -> bytes:
    skip = ("cameras", "voice", "pins", "displays") if running else ("voice",)
    lines = (json.dumps(finding.to_json(), ensure_ascii=False) for finding in examine(config, machine, skip))
    return without_secrets("".join(f"{line}\n" for line in lines)).encode()


def _fetch(url: str) -> bytes | None:
    """Return the board's answer; None if no table is running."""
    straight = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with straight.open(url, timeout=_BOARD_TIMEOUT_S) as answer:
            return bytes(answer.read())
    except (OSError, ValueError):
        return None


def _pictures(config: TableConfig, camera: CameraConfig) -> Iterator[tuple[str, bytes]]:
    import cv2

    from cardtable.table.cameras import open_frames

    try:
        with closing(open_frames(camera.source, config.header, settings=camera.settings)) as source:
            for number in range(1, FRAMES + 1):
                frame = source.read()
                if frame is None:
                    break
                yield f"cameras/{camera.name}-{number}.png", cv2.imencode(".png", frame.image)[1].tobytes()
    except (CardtableError, SourceLost) as error:
        yield f"cameras/{camera.name}.error.txt", f"{without_secrets(str(error))}\n".encode()
