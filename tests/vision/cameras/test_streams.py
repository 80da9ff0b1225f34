"""Network cameras that FFmpeg reads, and recordings: frames that never end or are gigantic, and silence."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.cameras import live
from vision.cameras.network import limit_memory, network_camera
from vision.cameras.sources import VideoFile
from vision.frames import SourceLost

PICTURE = cv2.imencode(".jpg", np.full((480, 640, 3), 90, np.uint8))[1].tobytes()

pytestmark = pytest.mark.skipif(not limit_memory(), reason="OpenCV was built without FFmpeg")


@contextmanager
def camera(send: Callable[[socket.socket, threading.Event], None]) -> Iterator[str]:
    """The address of a camera that sends what `send` sends, until the event is set."""
    over = threading.Event()

    def serve() -> None:
        with suppress(OSError):
            while not over.is_set():
                connection, _ = listening.accept()
                with connection, suppress(OSError):
                    send(connection, over)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        over.set()
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(10)


def test_a_camera_that_hangs_in_the_middle_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "NEXT_PICTURE_S", 0.3)

    def send(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(PICTURE * 900)  # enough for FFmpeg to know what it is
        over.wait()

    with camera(send) as address, closing(network_camera(address)) as source:
        assert source.read() is not None
        with pytest.raises(SourceLost, match="hangs"):
            while True:
                source.read()


def test_a_camera_that_sends_nothing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "FIRST_PICTURE_S", 0.3)

    def send(connection: socket.socket, over: threading.Event) -> None:
        over.wait()

    with camera(send) as address:
        source = network_camera(address)
        with pytest.raises(SourceLost, match="hangs"):
            source.read()


MEASURE = """
import re, resource, sys
from vision.cameras import network
from vision.cameras.sources import VideoFile
from vision.frames import SourceLost

network.MAX_BLOCK_BYTES = 16 << 20
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
video, frames, why = VideoFile(sys.argv[1]), 0, ""
try:
    while video.read():
        frames += 1
except SourceLost as lost:
    why = str(lost)
print(frames, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10, why)
"""


def played(path: Path) -> tuple[int, int, str]:
    """How many frames of a recording are read, the megabytes that it takes, and what is reported at its end.

    The limit is 16 MB here, so that the test takes little.
    """
    command = [sys.executable, "-c", MEASURE, str(path)]
    frames, took, *why = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(maxsplit=2)
    return int(frames), int(took), "".join(why)


def test_a_frame_that_never_ends_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "film.mjpeg"
    path.write_bytes(PICTURE * 30 + PICTURE[:600] + b"\x11" * (96 << 20))
    frames, took, _ = played(path)
    assert frames >= 29
    assert took < 60, "megabytes"


def test_a_gigantic_frame_takes_no_memory(tmp_path: Path) -> None:
    """160 KB, 100 megapixels."""
    bomb = cv2.imencode(".jpg", np.zeros((10_000, 10_000), np.uint8))[1].tobytes()
    path = tmp_path / "film.mjpeg"
    path.write_bytes(PICTURE * 30 + bomb * 10)
    frames, took, _ = played(path)
    assert frames >= 29
    assert took < 60, "megabytes"


def test_an_ordinary_recording_is_within_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (4000, 3000))
    for number in range(3):
        writer.write(np.full((3000, 4000, 3), 60 * number, np.uint8))
    writer.release()
    with closing(VideoFile(str(path))) as video:
        assert [frame.image.shape for frame in iter(video.read, None) if frame] == [(3000, 4000, 3)] * 3
