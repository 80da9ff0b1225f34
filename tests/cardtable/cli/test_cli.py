"""The command line: errors in arguments, exit statuses, and a quick start of small commands."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from cardtable import cli
from cardtable.cli import main, own_commands
from cardtable.stopping import INTERRUPTED, TERMINATED
from cardtable.table.game_loop import Activity, GameLoop
from tests.waiting import tries

PROGRAM = [sys.executable, "-m", "cardtable"]
HEADER = '{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": 0}\n'


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    path.write_text(HEADER + '{"do": "turn", "card": "4H"}\n', "utf-8")
    return path


def refusal(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """Run a wrong command line and return its one line of error."""
    assert main(argv) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("cardtable: ") and captured.err.count("\n") == 1
    return captured.err


def test_the_overview_names_every_command_with_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert {"replay", "see", "demo", "games", "print"} <= set(own_commands())
    for name in own_commands():
        line = next(line for line in text.splitlines() if line.strip().startswith(f"{name} "))
        assert len(line.split()) > 2


@pytest.mark.parametrize("name", own_commands())
def test_the_help_of_every_command_has_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"cardtable {name}" in capsys.readouterr().out.partition("example:")[2]


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ([], "a command is missing; choose from"),
        (["rpelay"], "there is no command 'rpelay'; did you mean 'replay'?"),
        (["xyzzy"], "there is no command 'xyzzy'; known:"),
        (["--json", "replay"], "the command comes before its options"),
        (["replay"], "replay: RECORD is missing; for example: cardtable replay game.jsonl"),
        (["replay", "--jsn", "x"], "there is no option --jsn; did you mean '--json'?"),
        (["replay", "x", "y"], "'y' is one argument too many"),
        (["demo", "--marks", "faecs"], "--marks: 'faecs' is not one of faces, qr, aruco; did you mean 'faces'?"),
        (["demo", "--seed", "seven"], "'seven' is not a whole number"),
        (["demo", "--port", "65536"], "demo: --port: 65536 is not a port: choose one from 1024 to 65535"),
        (["run", "--port", "board"], "run: --port: board is not a port"),
        (["print", "matt"], "print: 'matt' is not one of corners, mat, deck, actions; did you mean 'mat'?"),
        (["print"], "print: corners|mat|deck|actions is missing"),
        (["replay", "no-such-file.jsonl"], "no-such-file.jsonl cannot be read: No such file or directory"),
    ],
)
def test_a_wrong_argument_gets_one_line_that_says_what_would_be_right(
    argv: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert expected in refusal(capsys, *argv)


def test_an_unknown_option_is_reported_before_a_missing_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no option --gaem; did you mean '--game'?" in refusal(
        capsys, "watch", "x.mp4", "--gaem", "all-fives", "--players", "Ann,Bo"
    )


def test_ctrl_c_ends_with_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(argv: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_dispatch", interrupt)
    assert main(["replay", "-"]) == INTERRUPTED
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, INTERRUPTED), (signal.SIGTERM, TERMINATED)])
@pytest.mark.parametrize("left", [ImportError("initialization failed"), RuntimeError("cannot join thread")], ids=str)
def test_an_end_that_something_turns_into_another_exception(
    number: signal.Signals, status: int, left: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(argv: object) -> int:
        with contextlib.suppress(KeyboardInterrupt, SystemExit):
            signal.raise_signal(number)
        raise left

    monkeypatch.setattr(cli, "_dispatch", work)
    assert main(["see", "x.jpg"]) == status


class _StopsWhenDeleted:
    def __init__(self, number: signal.Signals) -> None:
        self.number = number

    def __del__(self) -> None:
        signal.raise_signal(self.number)  # Python swallows what the handler raises


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, INTERRUPTED), (signal.SIGTERM, TERMINATED)])
def test_a_request_to_stop_that_python_swallows(
    number: signal.Signals, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(argv: object) -> int:
        _StopsWhenDeleted(number)
        for _ in tries("the end of the program"):
            pass
        return 0

    monkeypatch.setattr(cli, "_dispatch", work)
    try:
        assert main(["see", "x.jpg"]) == status
    except SystemExit as end:
        assert end.code == status
    assert capsys.readouterr().err == ""


def test_a_request_to_stop_that_a_library_swallows_ends_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(argv: object) -> int:
        with contextlib.suppress(SystemExit):
            signal.raise_signal(signal.SIGTERM)
        GameLoop().run(cast(Activity, None), lambda: False)
        return 0

    monkeypatch.setattr(cli, "_dispatch", work)
    with pytest.raises(SystemExit) as end:
        main(["run"])
    assert end.value.code == TERMINATED


def test_other_import_errors_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(argv: object) -> int:
        raise ImportError("initialization failed")

    monkeypatch.setattr(cli, "_dispatch", load)
    with pytest.raises(ImportError, match="initialization failed"):
        main(["see", "x.jpg"])


def test_ctrl_c_while_a_command_waits(tmp_path: Path) -> None:
    pipe = tmp_path / "record"
    os.mkfifo(pipe)
    with (
        subprocess.Popen([*PROGRAM, "replay", pipe], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as waiting,
        pipe.open("w"),  # opens once the command reads
    ):
        waiting.send_signal(signal.SIGINT)
        output = waiting.communicate()
    assert (waiting.returncode, output) == (INTERRUPTED, (b"", b""))


def test_a_closed_pipe_is_not_an_error(tmp_path: Path) -> None:
    record = tmp_path / "long.jsonl"
    record.write_text(HEADER + '{"do": "turn", "card": "4H"}\n{"do": "undo"}\n' * 4000, "utf-8")
    with subprocess.Popen(
        [*PROGRAM, "replay", "--json", str(record)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as replaying:
        assert replaying.stdout and replaying.stderr
        replaying.stdout.readline()
        replaying.stdout.close()
        errors = replaying.stderr.read()
    assert (replaying.returncode, errors) == (cli.PIPE_CLOSED, b"")


def test_output_is_utf_8_in_every_locale(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    record.write_text(HEADER.replace("Bo", "Bö") + '{"do": "turn", "card": "4H"}\n', "utf-8")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([*PROGRAM, "replay", record], capture_output=True, env=environment, check=True)
    assert done.stderr == b""
    done.stdout.decode("utf-8")


def test_replay_loads_neither_opencv_nor_the_web_server(record: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "cardtable", "replay", "--json", record],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "engine.table" in loaded
    assert loaded.isdisjoint({"cv2", "numpy", "starlette", "uvicorn", "pydantic", "sqlite3"})
    assert json.loads(done.stdout.splitlines()[0])["ok"] is True
