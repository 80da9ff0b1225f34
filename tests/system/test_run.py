"""`cardtable run`: the program itself, its journal and its board, through sources that fail and come back."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import cv2
import httpx
import numpy as np
import pytest
from websockets.sync.client import connect

from cardtable.cli import main
from tests.cardtable.stored import read_games
from tests.programs import Program
from tests.system.film import ACTIONS, EACH, write_video
from tests.waiting import lines_up_to, tries
from vision.frames import Image

State = dict[str, Any]
CONFIG = (
    'game = "all-fives"\nplayers = ["Ann", "Bo"]\ndealer = 0\nmarks = ["aruco"]\nsource = "{}"\n[board]\nport = 0\n'
)
LOOKED = 6
"""Processed frames after which the table knows what lay there from the start: what comes then is new."""


class Running:
    """A running table and a page that looks at its board."""

    def __init__(self, process: Program) -> None:
        self.process = process
        *self.messages, line = lines_up_to(process, "the board: ")
        self.url = line.split()[2]

    def until(self, wanted: Callable[[State], bool]) -> State:
        """Return the first state for which `wanted` is true."""
        with connect(self.url.replace("http", "ws") + "/live", proxy=None) as page:
            for _ in tries("a state of the table"):
                state: State = json.loads(page.recv(timeout=60))
                if wanted(state):
                    return state


def wait_for(url: str, wanted: Callable[[dict[str, float]], bool]) -> None:
    """Wait until `wanted` is true for the figures of the table's camera, by their names in `/metrics`."""
    with httpx.Client() as client:
        for _ in tries("figures of the camera", pause_s=0.05):
            found = re.findall(r"(\w+)\{camera=.*\} (\S+)", client.get(f"{url}/metrics").text)
            if wanted({name.removeprefix("cardtable_"): float(value) for name, value in found}):
                return


@contextmanager
def running(folder: Path, source: str, config: str = CONFIG) -> Iterator[Running]:
    """`cardtable run` with this source, until Ctrl-C, which must end it cleanly."""
    (folder / "table.toml").write_text(config.format(source), "utf-8")
    with Program("run", "-c", str(folder / "table.toml")) as process:
        yield Running(process)
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 130
            assert process.stderr.read() == ""


def trouble(state: State) -> str:
    """The board's message about its first source that does not work."""
    return next((source["trouble"] for source in state["sources"] if source["trouble"]), "")


def stored(folder: Path) -> list[dict[str, Any]]:
    """The actions of the last game in the journal."""
    return [action.to_json() for action in read_games(folder / "journal.sqlite")[-1].actions]


def test_a_game_continues_after_kill_9(images: list[Image], tmp_path: Path) -> None:
    """The first run is killed; the second continues the game with the rest of the film."""
    write_video(tmp_path / "first.avi", images[: 4 * EACH])
    write_video(tmp_path / "rest.avi", images[4 * EACH :])
    with running(tmp_path, "first.avi") as table:
        state = table.until(lambda state: bool(trouble(state)))
        assert state["n"] == 3
        assert "first.avi has ended, but the game has not" in trouble(state)
        table.process.kill()
        table.process.wait()
    assert stored(tmp_path) == ACTIONS[:3]
    with running(tmp_path, "rest.avi") as table:
        assert table.messages == ["continuing the interrupted game: 3 actions so far\n"]
        state = table.until(lambda state: bool(trouble(state)))
        assert state["n"] == len(ACTIONS)
        assert httpx.get(f"{table.url}/camera.jpg").content.startswith(b"\xff\xd8")
        game = httpx.get(f"{table.url}/history/game.json?id=now").json()
        assert len(game["steps"]) == len(ACTIONS) and game["error"] is None
    assert stored(tmp_path) == ACTIONS
    assert main(["history", "--journal", str(tmp_path / "journal.sqlite")]) == 0


def test_a_video_that_ends_early_is_waited_for(film: Path, tmp_path: Path) -> None:
    data = film.read_bytes()
    part, whole = tmp_path / "game.avi", tmp_path / "whole.avi"
    part.write_bytes(data[: len(data) * 6 // 10])
    with running(tmp_path, "game.avi") as table:
        state = table.until(lambda state: "is cut off after" in trouble(state))
        assert 2 <= state["n"] < len(ACTIONS)
        assert any("is cut off after" in prompt["text"] for prompt in state["prompts"])
        whole.write_bytes(data)
        whole.replace(part)
        state = table.until(lambda state: not trouble(state))
        state = table.until(lambda state: state["n"] == len(ACTIONS))
        assert [entry["text"] for entry in state["history"]][-1] == "4♥ is turned up"
    assert stored(tmp_path) == ACTIONS


def test_without_corner_marks_the_board_shows_what_is_missing(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(9):
        shades = np.linspace(60 + number, 180 + number, 640 * 3).astype(
            np.uint8
        )  # a picture of something, but no marks
        cv2.imwrite(str(folder / f"{number}.png"), np.tile(shades.reshape(640, 3), (480, 1, 1)))
    with running(tmp_path, "dir:pictures") as table:
        table.until(lambda state: "No corner marks in sight: lay the mat" in trouble(state))
        picture = np.frombuffer(httpx.get(f"{table.url}/camera.jpg").content, np.uint8)
        assert cv2.imdecode(picture, cv2.IMREAD_COLOR).shape == (480, 640, 3)


class Camera:
    """A camera on the network. It shows the table after `done` actions, until it is switched `off`."""

    def __init__(self, images: list[Image]) -> None:
        self._pictures = [cv2.imencode(".jpg", image)[1].tobytes() for image in images]
        self.done = 0
        self.off = Event()
        camera = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if camera.off.is_set():
                    self.send_error(503)
                    return
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=next")
                self.end_headers()
                for number in itertools.count():
                    if camera.off.wait(1 / 15):
                        return
                    picture = camera.picture(number)
                    head = f"--next\r\nContent-Type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n"
                    try:
                        self.wfile.write(head.encode() + picture + b"\r\n")
                    except OSError:
                        return

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()
        self.address = f"url:http://127.0.0.1:{self.server.server_address[1]}/video.mjpg"

    def picture(self, number: int) -> bytes:
        return self._pictures[self.done * EACH + number % EACH]

    def close(self) -> None:
        self.off.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def camera(images: list[Image]) -> Iterator[Camera]:
    camera = Camera(images)
    yield camera
    camera.close()


def test_a_camera_that_disappears_and_comes_back(camera: Camera, tmp_path: Path) -> None:
    def goes_on(table: Running, until: int) -> None:
        for done in range(camera.done, until + 1):
            camera.done = done
            table.until(lambda state, done=done: state["n"] == done and not trouble(state))

    with running(tmp_path, camera.address) as table:
        wait_for(table.url, lambda camera: camera.get("frames_total", 0) >= LOOKED)
        goes_on(table, 3)
        camera.off.set()
        state = table.until(lambda state: "switch the camera on" in trouble(state))
        assert state["n"] == 3 and state["lying"][-1]["card"] == "10S", "the game waits"
        camera.off.clear()
        table.until(lambda state: not trouble(state))
        goes_on(table, len(ACTIONS))
    assert stored(tmp_path) == ACTIONS


def test_a_second_program_on_the_same_game_says_so_and_ends(camera: Camera, tmp_path: Path) -> None:
    with running(tmp_path, camera.address) as table:
        other = shutil.copy(tmp_path / "table.toml", tmp_path / "other.toml")
        for more in ([], ["--new"]):
            with Program("run", "-c", str(other), *more) as second:
                _, refused = second.communicate(60)
            assert (second.returncode, refused.count("\n")) == (1, 1), "the camera that it had opened is let go"
            assert "another program writes the same game: close it" in refused
        wait_for(table.url, lambda camera: camera.get("frames_total", 0) >= LOOKED)
        camera.done = 1
        table.until(lambda state: state["n"] == 1)
    assert len(read_games(tmp_path / "journal.sqlite")) == 1


def test_a_port_in_use_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "table.toml").write_text(CONFIG.format("usb:63"))
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as other:
        port = other.server_address[1]
        assert main(["run", "-c", str(tmp_path / "table.toml"), "--port", str(port)]) == 1
    err = capsys.readouterr().err
    assert f"port {port} is in use, perhaps by another cardtable: close that one, or choose another port" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("port", ["-1", "65536"])
def test_an_impossible_port(port: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "table.toml").write_text(CONFIG.format("usb:63"))
    assert main(["run", "-c", str(tmp_path / "table.toml"), f"--port={port}"]) == 2
    assert f"{port} is not a port: choose one from 1024 to 65535" in capsys.readouterr().err
