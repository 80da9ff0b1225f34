"""Files that people name: a pipe without a writer, a device that never ends, a file too large to be meant."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from cardtable import files
from cardtable.cli import main
from cardtable.files import read_file, read_text


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n")
    assert read_file(path) == path.read_bytes()
    assert read_text(path) == "one\ntwo\nthree\n"


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    writer = threading.Thread(target=pipe.write_bytes, args=(b"x" * 200_000,))
    writer.start()
    assert read_file(pipe) == b"x" * 200_000
    writer.join()


def test_a_pipe_to_which_nothing_is_written_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_PIPE_TIMEOUT_S", 0.05)
    os.mkfifo(pipe := tmp_path / "pipe")
    with pytest.raises(TimeoutError):
        read_file(pipe)


def test_what_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_file(path, 5) == b"12345"
    with pytest.raises(OSError, match="File too large"):
        read_file(path, 4)
    with pytest.raises(OSError, match="File too large"):
        read_file(Path("/dev/zero"), 1 << 20)
    assert read_file(Path("/dev/null")) == b""


COMMANDS = (
    "config --check",
    "backup -o x.zip -c",
    "bundle -o b.zip -c",
    "calibrate -o p.png -c",
    "deck list -c",
    "deck import",
    "director --remove -c",
    "doctor -c",
    "history --journal",
    "replay",
    "run --port 0 -c",
    "run --port 0 --journal",
    "see",
    "setup -c",
    "tags list --tags",
    "tags replay",
)
"""The commands that read a file, which follows them."""


def check_pipe_and_device(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Check that the command soon says what is wrong with a pipe without a writer and with an endless device."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(files, "_PIPE_TIMEOUT_S", 0.05)
    (folder / "table.toml").write_text('game = "whist"\nplayers = ["A", "B", "C", "D"]\n')
    os.mkfifo(folder / "pipe")
    for name in ("pipe", "/dev/zero"):
        assert main([*command.split(), name]) in (0, 1, 2)
        shown = capsys.readouterr()
        assert len(shown.err) < 1000
        assert shown.err or command.startswith(("bundle", "see"))


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_waits_for_a_pipe_or_reads_a_device_without_end(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check_pipe_and_device(command, tmp_path, monkeypatch, capsys)
