"""Frame sources: real files, a real server of motion JPEG, cameras that are not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import cv2
import numpy as np
import pytest

from tests.vision.broken_pictures import png_header
from vision.camera_settings import CameraSettings
from vision.cameras import CaptureDevice, LiveCamera, network_camera
from vision.frames import Frame, FrameSource, Image, SourceLost
from vision.sources import BadSource, PictureFolder, VideoFile, open_source
from vision.usb import explain_usb


def picture(number: int) -> Image:
    """A picture that tells its number by its brightness."""
    image = np.full((120, 160, 3), 5 + 10 * number, np.uint8)
    image[10:20, 10:20] = 255 - image[0, 0]
    return image


def number_of(frame: Frame | None) -> int:
    assert frame is not None
    return round((float(np.median(frame.image)) - 5) / 10)


@pytest.fixture
def video(tmp_path: Path) -> Path:
    path = tmp_path / "game.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20, (160, 120))
    for number in range(20):
        writer.write(picture(number))
    writer.release()
    return path


def all_of(source: FrameSource) -> list[Frame]:
    frames = []
    while (frame := source.read()) is not None:
        frames.append(frame)
    return frames


def test_video_gives_every_frame_with_its_time(video: Path) -> None:
    for spec in (f"video:{video}", str(video)):
        source = open_source(spec)
        assert not source.live
        frames = all_of(source)
        assert [number_of(f) for f in frames] == list(range(20))
        assert [f.number for f in frames] == list(range(20))
        assert [f.time for f in frames] == pytest.approx([n / 20 for n in range(20)], abs=0.002)
        assert source.read() is None
        source.close()
        source.close()


def test_broken_frames_in_the_middle_are_passed_over(video: Path, capfd: pytest.CaptureFixture[str]) -> None:
    data = bytearray(video.read_bytes())
    place = data.find(b"00dc", len(data) // 2)
    data[place + 20 : place + 400] = bytes(range(95)) * 4
    video.write_bytes(bytes(data))
    frames = all_of(VideoFile(str(video)))
    assert 17 <= len(frames) <= 20
    assert number_of(frames[-1]) == 19
    assert frames[-1].time == pytest.approx(19 / 20, abs=0.002)
    assert capfd.readouterr().err == ""


def test_video_cut_off_is_reported_once_and_then_ends(video: Path) -> None:
    data = video.read_bytes()
    video.write_bytes(data[: len(data) // 2])
    source = VideoFile(str(video))
    seen = 0
    with pytest.raises(SourceLost, match=r"ends early, after \d+ of 20 frames.*Copy it again"):
        while source.read() is not None:
            seen += 1
    assert 3 <= seen <= 12
    assert source.read() is None


def test_what_is_no_video_is_refused_with_what_to_do(tmp_path: Path) -> None:
    text = tmp_path / "notes.avi"
    text.write_text("no video")
    with pytest.raises(BadSource, match="not a video that can be played: copy it again, whole, or convert it"):
        open_source(f"video:{text}")
    with pytest.raises(BadSource, match=r"There is no file .*check the name"):
        open_source("video:nowhere.avi")
    with pytest.raises(BadSource, match=r"is a folder.*write dir:"):
        open_source(f"video:{tmp_path}")
    with pytest.raises(BadSource, match="no video and no folder"):
        open_source("nowhere.avi")
    with pytest.raises(BadSource, match="is no frame source: there is video:"):
        open_source("vidoe:game.avi")
    with pytest.raises(BadSource, match="is no address"):
        open_source("url:camera")
    with pytest.raises(BadSource, match="names no camera: write usb:0"):
        open_source("usb:front")


def test_folder_in_the_order_of_names(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        cv2.imwrite(str(tmp_path / f"shot{number}.png"), picture(number))
    (tmp_path / "shot3.png").write_bytes(b"broken")
    (tmp_path / "shot4.png").write_bytes(b"")
    (tmp_path / "shot5.png").write_bytes(png_header(60000, 60000))  # more than OpenCV takes
    (tmp_path / "readme.txt").write_text("not a picture")
    for spec in (f"dir:{tmp_path}", str(tmp_path)):
        frames = all_of(open_source(spec))
        assert [number_of(f) for f in frames] == [1, 2, 10]
        assert [f.time for f in frames] == pytest.approx([0.0, 0.1, 0.5])


def test_folder_with_grey_deep_and_transparent_pictures(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), picture(4)[:, :, 0])
    cv2.imwrite(str(tmp_path / "b.png"), picture(4).astype(np.uint16) * 257)
    cv2.imwrite(str(tmp_path / "c.png"), np.dstack([picture(4), np.full((120, 160), 255, np.uint8)]))
    for frame in all_of(PictureFolder(str(tmp_path))):
        assert frame.image.shape == (120, 160, 3)
        assert frame.image.dtype == np.uint8
        assert number_of(frame) == 4


def test_folder_without_pictures_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="holds no pictures"):
        open_source(f"dir:{tmp_path}")
    with pytest.raises(BadSource, match="not there"):
        open_source(f"dir:{tmp_path / 'none'}")
    file = tmp_path / "a.txt"
    file.write_text("x")
    with pytest.raises(BadSource, match="write video:"):
        open_source(f"dir:{file}")


def test_schemes_of_the_application(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), picture(1))
    asked: list[str] = []

    def synthetic(rest: str) -> FrameSource:
        asked.append(rest)
        return PictureFolder(str(tmp_path))

    assert open_source("synthetic:seed=7", {"synthetic": synthetic}).read() is not None
    assert asked == ["seed=7"]


class Stream:
    """A camera on the network: motion JPEG over HTTP, on a port of its own."""

    def __init__(self) -> None:
        stream = self
        self.stop = Event()
        self.stalled = Event()
        """While it is set, connections stay open and nothing comes."""
        self.connections = 0

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stream.connections += 1
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
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


def test_network_camera_gives_frames_and_comes_back(stream: Stream, capfd: pytest.CaptureFixture[str]) -> None:
    source = open_source(f"url:{stream.address}")
    assert source.live
    frames = [source.read() for _ in range(5)]
    times = [frame.time for frame in frames if frame is not None]
    assert times[0] == 0.0
    assert times == sorted(times)
    assert len(set(times)) == 5
    stream.stop.set()
    with pytest.raises(SourceLost, match=r"No picture from http.*check that the camera is switched on"):
        for _ in range(500):
            source.read()
    stream.stop.clear()
    again = source.read()
    assert again is not None
    assert again.time > times[-1]
    assert stream.connections == 2
    source.close()
    assert capfd.readouterr().err == ""


def test_network_camera_that_stalls_is_left_and_connected_anew(stream: Stream) -> None:
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
    with pytest.raises(SourceLost, match=r"The camera url:http.* hangs, and is started again"):
        for _ in range(500):
            source.read()
    stream.stalled.clear()
    step = 0.0
    assert source.read() is not None
    assert stream.connections == 2
    source.close()


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


def test_a_driver_that_never_answers_does_not_take_thread_after_thread() -> None:
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
        assert camera.stuck == (times >= 3)  # from here on only a new start of the program helps
        with pytest.raises(SourceLost, match=r"stuck hangs, and is started again. If that does not help: take it off"):
            camera.read()
    assert len(opened) == 3
    end.set()
    camera.close()


def test_network_camera_not_there() -> None:
    # The port was free a moment ago, and nobody listens on it.
    listener = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    port = listener.server_address[1]
    listener.server_close()
    source = network_camera(f"http://user:se/c@ret@127.0.0.1:{port}/video?pwd=secret")
    with pytest.raises(SourceLost) as lost:
        source.read()
    assert f"No picture from http://127.0.0.1:{port}/video?…:" in str(lost.value)
    assert source.name == f"url:http://127.0.0.1:{port}/video?…"
    source.close()


def test_missing_usb_camera_names_those_that_are_there(tmp_path: Path) -> None:
    assert "nor any other: plug one in" in explain_usb("0", tmp_path)
    for number in (2, 10):
        (tmp_path / f"video{number}").touch()
    assert "use one that is there: usb:2, usb:10" in explain_usb("0", tmp_path)
    assert "gives no picture: close other programs" in explain_usb("2", tmp_path)


@pytest.mark.skipif(os.path.exists("/dev/video99"), reason="a camera is there")
def test_usb_camera_that_is_not_there_is_lost_not_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    source = open_source("usb:99")
    for _ in range(2):
        with pytest.raises(SourceLost, match="There is no camera usb:99"):
            source.read()
    source.close()
    assert capfd.readouterr().err == ""


def test_live_camera_unplugged_and_plugged_in_again(video: Path, tmp_path: Path) -> None:
    """A recording in the place of a camera: it runs out, as a camera that is unplugged."""
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
