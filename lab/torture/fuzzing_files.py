"""Functions that feed bytes to the parser of one kind of file each."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import zipfile
from functools import cache
from pathlib import Path

from cardtable.config.load import ConfigError, read_config, readable_part
from cardtable.config.model import TableConfig
from cardtable.config.writing import NotChanged, change_config
from cardtable.errors import CardtableError
from cardtable.maintenance.backup import restore_backup
from cardtable.maintenance.support_bundle import without_secrets
from cardtable.setup.network import Output, System
from cardtable.terminal.output import configured_language
from firmware_bridge.tags import TagsError, TagTable
from vision.decks.deck import BadDeck, load_deck
from vision.mat.homography import CalibrationError, load_homography


@cache
def folder() -> Path:
    """Return the folder of the files that are parsed, in memory if possible."""
    return Path(tempfile.mkdtemp(prefix="fuzzing-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))


def file_of(name: str, data: bytes) -> Path:
    """Write `data` to a file with this name; return its path."""
    path = folder() / name
    path.write_bytes(data)
    return path


def configuration(data: bytes) -> None:
    """A table.toml, read and changed, also in safe mode, and packed for a bug report."""
    path = file_of("table.toml", data)
    configured_language(path)
    readable_part(path, TableConfig())
    without_secrets(data.decode("utf-8", "replace"))
    with contextlib.suppress(ConfigError, NotChanged):
        read_config(path)
        change_config(path, {("language",): "fr", ("seat", 0, "button"): 17, ("camera", "flicker"): 50})


def calibration(data: bytes) -> None:
    """A stored calibration."""
    with contextlib.suppress(CalibrationError):
        load_homography(file_of("camera.calibration.json", data))


def tags_file(data: bytes) -> None:
    """A file of tags."""
    with contextlib.suppress(TagsError):
        TagTable(file_of("tags.json", data))


def deck_file(data: bytes) -> None:
    """A learned deck."""
    with contextlib.suppress(BadDeck):
        load_deck(file_of("deck.deck", data))


def backup() -> bytes:
    """Return a small backup."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("backup.json", '{"backup": 1}')
        packed.writestr("table.toml", 'source = "usb:0"\n')
        packed.writestr("files/tags.json", "{}")
    return content.getvalue()


def backup_file(data: bytes) -> None:
    """A backup that is restored."""
    with contextlib.suppress(CardtableError):
        restore_backup(file_of("backup.zip", data), folder() / "table.toml")


def network_list(data: bytes) -> None:
    """The names of Wi-Fi networks in reach, which anybody chooses, as nmcli prints them."""
    printed = data.decode("utf-8", "replace")
    for network in System(lambda command, seconds: Output(0, printed, "")).networks():
        assert network.name and network.signal >= 0
