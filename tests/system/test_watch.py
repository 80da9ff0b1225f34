"""`cardtable watch`: from frames to the record, without a display."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from cardtable.cli import main
from engine.record import Header, read_record
from tests.drawing.faces import face_of
from tests.drawing.german import german_style
from tests.programs import Program
from tests.system.film import ACTIONS, EACH, GAME, shrunk, write_video
from tests.vision.drawn_table import DrawnTable
from vision.frames import Image


def watch(capsys: pytest.CaptureFixture[str], *argv: str, status: int = 0) -> list[dict[str, Any]]:
    """The lines that `watch --json` prints."""
    assert main(["watch", *argv, *GAME, "--json"]) == status
    captured = capsys.readouterr()
    assert captured.err == ""
    return [json.loads(line) for line in captured.out.splitlines()]


def test_a_game_from_a_video(film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "game.jsonl"
    lines = watch(capsys, str(film), "--record", str(record))
    actions = [line for line in lines if "action" in line]
    assert [line["action"] for line in actions] == ACTIONS
    assert [line["n"] for line in actions] == [2, 3, 4, 5, 6, 7]
    times = [line["t"] for line in lines]
    assert times == sorted(times) and 2.0 < times[-1] < 2.8
    prompts = [line["prompt"]["text"] for line in lines if "prompt" in line]
    assert prompts[:3] == ["Ann deals and turns the next card up.", "Bo: stand or beg?", "Bo leads."]

    with record.open() as file:
        header = read_record(file).header
    assert header == Header("all-fives", ("Ann", "Bo"), 0)
    assert main(["replay", str(record), "--json"]) == 0
    replayed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    printed = [line for line in lines if "prompt" not in line]
    assert [{key: line[key] for key in same} for line, same in zip(printed, replayed, strict=True)] == replayed


def test_a_game_for_people(film: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", f"video:{film}", *GAME]) == 0
    out = capsys.readouterr().out
    for text in ("4♥ is turned up", "Bo: “stand”", "Bo plays 10♠", "Ann plays Q♠, trick", "The game is not over: 0–0"):
        assert text in out


def test_a_video_that_was_cut_off(film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The readable part is refereed; then the reason is printed, and the exit status is 1."""
    half, record = tmp_path / "half.avi", tmp_path / "game.jsonl"
    data = film.read_bytes()
    half.write_bytes(data[: len(data) * 6 // 10])
    lines = watch(capsys, str(half), "--record", str(record), status=1)
    actions = [line["action"] for line in lines if "action" in line]
    assert 2 <= len(actions) < len(ACTIONS) and actions == ACTIONS[: len(actions)]
    lost = next(line["prompt"] for line in lines if line.get("prompt", {}).get("kind") == "source")
    assert "is cut off after" in lost["text"]
    assert len(record.read_text().splitlines()) == len(actions) + 1


@pytest.mark.long
def test_a_game_with_german_suits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An Ober, an Unter and a nine of acorns. Without the name of the deck the table says what to set."""
    table = DrawnTable(noise=1.0, printed=cache(partial(face_of, style=german_style())))
    played = [{"do": "turn", "card": "QC"}, {"do": "play", "seat": 1, "card": "9C"}]
    played.append({"do": "play", "seat": 0, "card": "JC"})

    def images() -> Iterator[Image]:
        for card, zone in ((None, None), ("QC", "turn-up"), ("say:stand", "say"), ("9C", "play"), ("JC", "play")):
            if card and zone:
                table.lay(card, (zone, {"QC": None, "JC": 0}.get(card, 1)), angle=5)
            for _ in range(EACH):
                frame = table.read()
                assert frame is not None
                yield frame.image

    film = tmp_path / "german.avi"
    write_video(film, images())
    asked = [str(film), *GAME, "--marks", "all", "--json"]
    assert main(["watch", *asked, "--deck", "german-suits"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["action"] for line in lines if "card" in line.get("action", {})] == played
    assert main(["watch", *asked]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert not any("action" in line for line in lines)
    advice = next(line["prompt"] for line in lines if line.get("prompt", {}).get("kind") == "source")
    assert 'set `deck = "german-suits"` for the camera' in advice["text"]


def test_pictures_without_corner_marks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(8):
        shades = np.linspace(60, 180, 640 * 3).astype(np.uint8)  # a picture of something, but no marks
        cv2.imwrite(str(folder / f"{number}.png"), np.tile(shades.reshape(640, 3), (480, 1, 1)))
    lines = watch(capsys, str(folder), status=1)
    assert [line["prompt"]["kind"] for line in lines if "prompt" in line] == ["turn", "source"]
    assert "No corner marks in sight" in lines[1]["prompt"]["text"]
    (folder / "3.png").write_bytes(b"no picture")
    assert main(["watch", str(folder), *GAME]) == 1
    assert "watch: 3.png is not a readable picture" in capsys.readouterr().err


def test_a_record_that_cannot_be_written(film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", str(film), *GAME, "--record", str(tmp_path / "none" / "game.jsonl")]) == 2
    assert "game.jsonl cannot be written: No such file or directory" in capsys.readouterr().err


def test_the_trace_explains_a_refusal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ann plays before Bo has led; after Bo's lead her card counts."""
    table, images = DrawnTable(noise=1.0), []
    for card, zone in (("", ""), ("4H", "turn-up"), ("say:stand", "say 1"), ("QS", "play 0"), ("10S", "play 1")):
        if card:
            name, _, seat = zone.partition(" ")
            table.lay(card, (name, int(seat) if seat else None))
        for _ in range(EACH):
            frame = table.read()
            assert frame is not None
            images.append(shrunk(frame.image))
    write_video(tmp_path / "game.avi", images)
    trace = tmp_path / "trace.jsonl"
    watch(capsys, str(tmp_path / "game.avi"), "--trace", str(trace))
    lines = [json.loads(line) for line in trace.read_text("utf-8").splitlines()]
    (refused,) = [line for line in lines if line["event"] == "refused"]
    assert (refused["card"], refused["zone"], refused["code"]) == ("QS", "play 0", "not-your-turn")
    seen = next(line for line in lines if line["event"] == "observation" and line["n"] == refused["n"])
    assert [card["card"] for card in seen["cards"]] == ["4H", "say:stand", "QS"]
    assert min(card["confidence"] for card in seen["cards"]) > 0.9
    actions = [(line["action"].get("card"), line["n"] > refused["n"]) for line in lines if line["event"] == "action"]
    assert actions == [("4H", False), (None, False), ("10S", True), ("QS", True)]


def test_a_trace_that_cannot_be_written(film: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", str(film), *GAME, "--json", "--trace", str(tmp_path / "none" / "trace.jsonl")]) == 0
    captured = capsys.readouterr()
    assert [line["action"] for line in map(json.loads, captured.out.splitlines()) if "action" in line] == ACTIONS
    assert captured.err.count("\n") == 1 and "trace.jsonl cannot be written: No such file" in captured.err


def test_the_simulated_table_and_ctrl_c(tmp_path: Path) -> None:
    """Ctrl-C during a game: everything printed is in the record."""
    record = tmp_path / "game.jsonl"
    game = ["--game", "all-fives", "--players", "Ann,Bo", "--marks", "aruco", "--json", "--record", str(record)]
    with Program("watch", "synthetic:all-fives?marks=aruco&pace=fast", *game) as watching:
        printed: list[dict[str, Any]] = []
        while len(printed) < 3:
            printed += [line for line in [json.loads(watching.stdout.readline())] if "action" in line]
        watching.send_signal(signal.SIGINT)
        printed += [line for line in map(json.loads, watching.stdout) if "action" in line]
        assert watching.wait() == 130
        assert watching.stderr.read() == ""
    assert {line["action"]["do"] for line in printed[:2]} == {"cut"}
    written = [json.loads(line) for line in record.read_text().splitlines()[1:]]
    assert written[: len(printed)] == [line["action"] for line in printed]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "synthetic:all-fives?players=3",
            "3 robots play all-fives, not 2 all-fives; write synthetic:all-fives?players=2",
        ),
        ("synthetic:poker", "no players for 'poker'"),
        ("synthetic:all-fives?sed=3", "did you mean 'seed'?"),
        ("none.avi", "There is no video or folder 'none.avi'."),
        ("usb:x", "usb:x is not a camera: write usb:0 for /dev/video0."),
        ("syn:x", "'syn:x' is not a frame source: write video:…, dir:…, url:…, usb:…, picamera, synthetic:…"),
    ],
)
def test_an_impossible_source(source: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", source, *GAME]) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ("--game all-fives", "watch: --players is missing; for example: "),
        ("--players Ann,Bo", "watch: --game is missing; for example: "),
        ("--game all-fives --players Ann,,Bo", "watch: --players: 'Ann,,Bo' should be different names"),
        ("--game all-fives --players Ann,Ann", "watch: --players: 'Ann,Ann' should be different names"),
        ("--game all-fivs --players Ann,Bo", "there is no game 'all-fivs'"),
        ("--game all-fives --players Ann", "All Fives is for 2 or 3 "),
        ("--game all-fives --players Ann,Bo --dealer Bob", "--dealer: 'Bob' is neither one of Ann, Bo nor a seat"),
        ("--game all-fives --players Ann,Bo --dealer 2", "'dealer' is a seat from 0 to 1, not 2"),
        ("--game all-fives --players Ann,Bo --option target", "--option: write 'target' like target=31"),
        ("--game all-fives --players Ann,Bo --option goal=3", "has no option 'goal'; it has target"),
    ],
)
def test_a_wrong_argument(argv: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "x.avi", *argv.split()]) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1
