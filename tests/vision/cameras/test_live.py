"""Live cameras: a real server of motion JPEG, drivers that do not answer, missing cameras."""

from __future__ import annotations

import base64
import contextlib
import logging
import os
import resource
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import cv2
import numpy as np
import pytest

from tests.vision.cameras.numbered_pictures import number_of, picture
from vision.cameras import network
from vision.cameras.live import CaptureDevice, LiveCamera
from vision.cameras.network import network_camera
from vision.cameras.settings import CameraSettings
from vision.cameras.sources import open_source
from vision.cameras.usb import explain_usb
from vision.frames import Image, SourceLost


class Stream:
    """A network camera: motion JPEG over HTTP on a free port."""

    def __init__(self) -> None:
        stream = self
        self.stop = Event()
        self.stalled = Event()
        """While it is set, connections stay open and no data are sent."""
        self.connections = 0
        self.send: list[bytes] | None = None
        """What is sent instead of pictures; then the connection is closed."""
        self.challenge = ""
        """The WWW-Authenticate header for requests without a password, if one is needed."""
        self.authorization = ""
        """The Authorization header of the last request."""

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stream.authorization = self.headers.get("Authorization", "")
                if stream.challenge and not stream.authorization:
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", stream.challenge)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                stream.connections += 1
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                if stream.send is not None:
                    with contextlib.suppress(OSError):
                        for data in stream.send:
                            self.wfile.write(data)
                    return
                number = 0
                while not stream.stop.wait(0.02):
                    if stream.stalled.is_set():
                        continue
                    data = cv2.imencode(".jpg", picture(number % 20))[1].tobytes()
                    head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                    try:
                        self.wfile.write(head.encode() + data + b"\r\n")
                    except OSError:
                        return
                    number += 1
                self.close_connection = True

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/video.mjpg"

    def close(self) -> None:
        self.stop.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def stream() -> Iterator[Stream]:
    server = Stream()
    yield server
    server.close()


def test_a_network_camera_gives_frames_and_reconnects(stream: Stream, capfd: pytest.CaptureFixture[str]) -> None:
    source = open_source(f"url:{stream.address}")
    assert source.live
    frames = [source.read() for _ in range(5)]
    times = [frame.time for frame in frames if frame is not None]
    assert times[0] == 0.0
    assert times == sorted(times)
    assert len(set(times)) == 5
    stream.stop.set()
    with pytest.raises(SourceLost, match=r"No picture from http.*switch the camera on"):
        for _ in range(500):
            source.read()
    stream.stop.clear()
    again = source.read()
    assert again is not None
    assert again.time > times[-1]
    assert stream.connections == 2
    source.close()
    assert capfd.readouterr().err == ""


def test_a_stalled_network_camera_is_abandoned_and_reconnected(stream: Stream) -> None:
    now, step = 0.0, 0.0

    def clock() -> float:
        nonlocal now
        now += step
        return now

    source = network_camera(stream.address, CameraSettings(exposure=8.0), clock)
    assert source.read() is not None
    assert source.notes == ("exposure: a camera on the network is set on its own page, or in its app",)
    stream.stalled.set()
    step = 0.25
    with pytest.raises(SourceLost, match=r"The camera url:http.* hangs and is restarted"):
        for _ in range(500):
            source.read()
    stream.stalled.clear()
    step = 0.0
    assert source.read() is not None
    assert stream.connections == 2
    source.close()


def test_a_frame_without_end_of_a_network_camera_takes_no_memory(
    stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The camera announces 1 GB, or announces nothing and sends for ever. The limit is 16 MB here."""
    monkeypatch.setattr(network, "MAX_BLOCK_BYTES", 16 << 20)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for header in ("Content-Length: 1000000000\r\n", ""):
        stream.send = [f"--frame\r\nContent-Type: image/jpeg\r\n{header}\r\n".encode(), *[bytes(1 << 20)] * 60]
        source = network_camera(stream.address)
        with pytest.raises(SourceLost, match=r"No picture from http.*switch the camera on"):
            source.read()
        source.close()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40 << 10, "KB"


def test_a_picture_with_too_many_pixels_of_a_network_camera_is_refused(stream: Stream) -> None:
    data = cv2.imencode(".jpg", np.zeros((7000, 8000), np.uint8))[1].tobytes()
    stream.send = [b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(data) + data] * 3
    source = network_camera(stream.address)
    with pytest.raises(SourceLost, match="are too large, 8000 × 7000 pixels: set"):
        source.read()
    source.close()


def test_frames_without_a_length_and_with_another_boundary(stream: Stream) -> None:
    data = cv2.imencode(".jpg", picture(7))[1].tobytes()
    stream.send = [b"\r\n--other\nContent-Type: image/jpeg\n\n" + data] * 3 + [b"\r\n--other--\r\n"]
    source = network_camera(stream.address)
    frame = source.read()
    assert frame is not None and number_of(frame) == 7
    source.close()


@pytest.mark.parametrize("scheme", ["Basic", "Digest"])
def test_a_network_camera_with_a_password(stream: Stream, scheme: str) -> None:
    stream.challenge = f'{scheme} realm="camera"' + ', nonce="abc", qop="auth"' * (scheme == "Digest")
    source = network_camera(stream.address.replace("//", "//Ann:p%40ss@"))
    assert source.read() is not None
    source.close()
    if scheme == "Basic":
        assert stream.authorization == "Basic " + base64.b64encode(b"Ann:p@ss").decode()
    else:
        assert stream.authorization.startswith('Digest username="Ann", realm="camera"')


class NeverAnswers:
    """A driver that hangs until the test ends."""

    notes = ()

    def __init__(self, end: Event) -> None:
        self._end = end

    def read(self) -> Image | None:
        self._end.wait()
        return None

    def stop(self) -> None:
        pass

    def release(self) -> None:
        pass


def test_a_driver_that_never_answers_blocks_only_a_few_threads() -> None:
    end, opened = Event(), []
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 1.0
        return now

    def connect() -> NeverAnswers:
        opened.append(len(opened))
        return NeverAnswers(end)

    camera = LiveCamera("stuck", connect, lambda: "never said", clock)
    for times in range(10):
        assert camera.stuck == (times >= 3)  # from now on only a restart of the program helps
        with pytest.raises(SourceLost, match=r"stuck hangs and is restarted. If that does not help, unplug it"):
            camera.read()
    assert len(opened) == 3
    end.set()
    camera.close()


def test_a_missing_network_camera_is_lost_and_its_password_hidden() -> None:
    # The port was just closed, so nothing listens on it.
    listener = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    port = listener.server_address[1]
    listener.server_close()
    source = network_camera(f"http://user:se/c@ret@127.0.0.1:{port}/video?pwd=secret")
    with pytest.raises(SourceLost) as lost:
        source.read()
    assert f"No picture from http://127.0.0.1:{port}/video?…:" in str(lost.value)
    assert source.name == f"url:http://127.0.0.1:{port}/video?…"
    source.close()


def test_the_message_for_a_missing_usb_camera_lists_the_others(tmp_path: Path) -> None:
    assert "and no other camera: plug one in" in explain_usb("0", tmp_path)
    for number in (2, 10):
        (tmp_path / f"video{number}").touch()
    assert "use one that is there: usb:2, usb:10" in explain_usb("0", tmp_path)
    assert "gives no picture: close other programs" in explain_usb("2", tmp_path)


@pytest.mark.skipif(os.path.exists("/dev/video99"), reason="a camera is there")
def test_a_missing_usb_camera_is_lost_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    source = open_source("usb:99")
    for _ in range(2):
        with pytest.raises(SourceLost, match="There is no camera usb:99"):
            source.read()
    source.close()
    assert capfd.readouterr().err == ""


def test_a_live_camera_is_unplugged_and_plugged_in_again(video: Path, tmp_path: Path) -> None:
    """A recording stands in for the camera: its end looks like an unplugged camera."""
    plugs = [video, tmp_path / "nothing", video]
    camera = LiveCamera(
        "test", lambda: CaptureDevice(cv2.VideoCapture(str(plugs.pop(0)))), lambda: "Plug the camera in again."
    )
    frames = []
    with pytest.raises(SourceLost, match="Plug the camera in again"):
        while True:
            frames.append(camera.read())
    numbers = [number_of(frame) for frame in frames]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == 19
    with pytest.raises(SourceLost, match="Plug the camera in again"):
        camera.read()
    again = camera.read()
    assert again is not None
    assert frames[-1] is not None
    assert again.time > frames[-1].time
    assert again.number == frames[-1].number + 1
    camera.close()
    camera.close()


def test_the_log_says_once_why_a_camera_is_missing(caplog: pytest.LogCaptureFixture) -> None:
    reasons = ["", "there is none", "there is none", "another program uses it", "another program uses it"]

    def connect() -> CaptureDevice:
        raise SourceLost(reasons.pop(0))

    camera = LiveCamera("test", connect, lambda: "Plug the camera in.")
    with caplog.at_level(logging.INFO, "vision.cameras.live"):
        while reasons:
            with pytest.raises(SourceLost):
                camera.read()
    camera.close()
    assert caplog.messages == ["test: there is none", "test: another program uses it"]
