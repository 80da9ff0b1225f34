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

LONG_COMMENT = b"\xff\xfe\xff\xff" + bytes(0xFFFF - 2)
"""A comment in a JPEG picture: many bytes, and nothing to decode."""
PICTURE = cv2.imencode(".jpg", np.full((480, 640, 3), 90, np.uint8))[1].tobytes()
LONG_PICTURE = PICTURE[:2] + LONG_COMMENT + PICTURE[2:]

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
        connection.sendall(LONG_PICTURE * 90)  # enough for FFmpeg to know what it is
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
import contextlib, resource, sys
from vision.cameras import network
from vision.cameras.sources import VideoFile
from vision.frames import SourceLost

network.MAX_BLOCK_BYTES = 16 << 20
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for name in sys.argv[1:]:
    video, frames = VideoFile(name), 0
    with contextlib.suppress(SourceLost):
        while video.read():
            frames += 1
    print(frames)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


def test_frames_that_never_end_or_are_gigantic_take_no_memory(tmp_path: Path) -> None:
    """A frame without an end, and frames of 100 megapixels in 160 KB. The limit is 16 MB here, to be quick."""
    bomb = cv2.imencode(".jpg", np.zeros((10_000, 10_000), np.uint8))[1].tobytes()
    films = []
    for name, after in (("endless", PICTURE[:600] + b"\x11" * (24 << 20)), ("gigantic", bomb * 10)):
        films.append(tmp_path / f"{name}.mjpeg")
        films[-1].write_bytes(PICTURE * 30 + after)
    printed = subprocess.run([sys.executable, "-c", MEASURE, *films], capture_output=True, text=True, check=True).stdout
    *frames, took = map(int, printed.split())
    assert min(frames) >= 29
    assert took < 50, "megabytes"


def test_an_ordinary_recording_is_within_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (4000, 3000))
    for number in range(2):
        writer.write(np.full((3000, 4000, 3), 60 * number, np.uint8))
    writer.release()
    with closing(VideoFile(str(path))) as video:
        assert [frame.image.shape for frame in iter(video.read, None) if frame] == [(3000, 4000, 3)] * 2
