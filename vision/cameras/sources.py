"""Frame sources by name: recordings, folders of pictures, network and USB cameras.

    video:FILE   dir:FOLDER   url:ADDRESS   usb:N   picamera   FILE or FOLDER

The application adds its own schemes (`synthetic:`). A recording ends; a live camera does not: if it stops, `read`
raises `SourceLost`, and the next `read` opens it again.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from engine.texts import is_small_number, plural, text
from vision.cameras.live import LiveCamera, frame_size
from vision.cameras.network import limit_memory, network_camera
from vision.cameras.picamera import raspberry_pi_camera
from vision.cameras.settings import CameraSettings
from vision.cameras.usb import usb_camera
from vision.frames import Frame, FrameSource, Image, SourceLost
from vision.image_files import NotAPicture, PictureTooLarge, as_picture, check_size, is_regular, load_picture

_LOG: Final = logging.getLogger(__name__)
PICTURES: Final = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".ppm")
PICTURES_PER_SECOND: Final = 10.0
"""Frame rate of a folder of pictures, whose files have no times."""
_NETWORK: Final = ("http", "https", "rtsp", "rtmp", "udp", "tcp")


class BadSource(SourceLost):
    """The name can never give frames: the file or the scheme does not exist, or the file is not a video."""


def open_source(
    spec: str,
    more: Mapping[str, Callable[[str], FrameSource]] | None = None,
    settings: CameraSettings | None = None,
) -> FrameSource:
    """Open the source with the name `spec`.

    `more`: further schemes, each with a function that opens what follows its colon. `settings`: for live cameras.
    Raises `BadSource` if the source can never give frames; the message says what would. A live camera that does not
    answer raises nothing here: its `read` raises `SourceLost` until it does.
    """
    schemes: dict[str, Callable[[str], FrameSource]] = {
        "video": VideoFile,
        "dir": PictureFolder,
        "url": lambda address: _network(address, settings),
        "usb": lambda which: _usb(which, settings),
        "picamera": lambda number: _picamera(number, settings),
        **(more or {}),
    }
    scheme, colon, rest = spec.partition(":")
    if spec == "picamera":
        return _picamera("0", settings)
    if colon and scheme in schemes:
        return schemes[scheme](rest)
    if colon and scheme in _NETWORK:
        return _network(spec, settings)
    path = Path(spec)
    if path.is_dir():
        return PictureFolder(spec)
    if path.exists():
        return VideoFile(spec)
    names = ", ".join(name if name == "picamera" else f"{name}:…" for name in schemes)
    if colon and "/" not in scheme and len(scheme) > 1:
        raise BadSource(
            text(
                "{spec!r} is not a frame source: write {names}, or the path of a video or a folder.",
                spec=spec,
                names=names,
            )
        )
    raise BadSource(
        text(
            "There is no video or folder {spec!r}. A frame source is a path or one of {names}.",
            spec=spec,
            names=names,
        )
    )


class VideoFile:
    """A video file that OpenCV can decode. Broken frames are skipped. Raises `BadSource`."""

    live = False

    def __init__(self, path: str) -> None:
        self.name = f"video:{path}"
        file = Path(path)
        if not file.exists():
            raise BadSource(
                text("There is no file {path!r}: check the name, or give the folder with its pictures.", path=path)
            )
        if file.is_dir():
            raise BadSource(
                text("{path!r} is a folder, not a video: write dir:{path} for the pictures in it.", path=path)
            )
        if not is_regular(file):
            message = (
                "{path!r} is a pipe or a device, not a video: save the video in a file, or write usb:0 for a camera."
            )
            raise BadSource(text(message, path=path))
        if not os.access(file, os.R_OK):
            raise BadSource(text("You have no permission to read {path!r}: change that (chmod +r).", path=path))
        limit_memory()
        self._capture = cv2.VideoCapture(str(file))
        if not self._capture.isOpened():
            raise BadSource(
                text(
                    "{path!r} is not a video that can be played: copy the whole file again, or "
                    "convert it to MP4 or MJPEG AVI.",
                    path=path,
                )
            )
        try:
            check_size(*frame_size(self._capture))
        except PictureTooLarge as error:
            self.close()
            message = "{path!r} has frames of {size}: convert it to a smaller size, 1920 × 1080 is enough."
            raise BadSource(text(message, path=path, size=error.size)) from None
        rate = float(self._capture.get(cv2.CAP_PROP_FPS))
        self._gap = 1 / rate if 0.5 <= rate <= 500 else 1 / 30
        self._length = int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self._path = path
        self._read = 0
        self._start: float | None = None
        self._last = -self._gap
        self._ended = False

    def read(self) -> Frame | None:
        """Return the next frame, None at the end.

        Raises `SourceLost` once, before the end, if the file has fewer frames than its header says.
        """
        if self._ended:
            return None
        image = self._decode()
        if image is None:
            self.close()
            self._ended = True
            seen = round(self._last / self._gap) + 1
            if self._read == 0 or seen < self._length - max(3, self._length // 50):
                whole = plural("{count} frame", "{count} frames", seen)
                if self._length > 0:
                    whole = plural("{seen} of {count} frame", "{seen} of {count} frames", self._length, seen=seen)
                message = "The recording {path} is cut off after {frames}. Copy the whole file again."
                raise SourceLost(text(message, path=self._path, frames=whole))
            return None
        position = float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000
        if self._start is None:
            self._start = position
        time = position - self._start
        if time <= self._last:
            time = self._last + self._gap
        self._last = time
        frame = Frame(image, time, self._read)
        self._read += 1
        return frame

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._capture.release()

    def _decode(self) -> Image | None:
        """Return the next picture that can be decoded; None at the end."""
        for _ in range(5):
            if not self._capture.isOpened():
                return None
            good, image = self._capture.read()
            if good and image.size:
                return as_picture(np.asarray(image))
        return None


class PictureFolder:
    """A folder of pictures, in the order of their names (2 before 10), ten per second. Raises `BadSource`.

    Pictures that cannot be read are skipped and logged; `broken` has the names of those so far.
    """

    live = False

    def __init__(self, path: str) -> None:
        self.name = f"dir:{path}"
        self._path = path
        folder = Path(path)
        if not folder.is_dir():
            message = "There is no folder {path!r}: check its name."
            if folder.exists():
                message = "The folder {path!r} is a file, not a folder: write video:{path}"
            raise BadSource(text(message, path=path))
        self._files = sorted((f for f in folder.iterdir() if f.suffix.lower() in PICTURES), key=_natural)
        if not self._files:
            raise BadSource(
                text("The folder {path!r} has no pictures ({names}).", path=path, names=", ".join(PICTURES))
            )
        self._next = 0
        self.broken: list[str] = []

    def read(self) -> Frame | None:
        """Return the next picture; None after the last. Raises `SourceLost` once, if none of them can be read."""
        while self._next < len(self._files):
            number = self._next
            file = self._files[number]
            self._next += 1
            try:
                return Frame(load_picture(file, upright=True), number / PICTURES_PER_SECOND, number)
            except NotAPicture as error:
                _LOG.warning("%s: %s", file, error)
                self.broken.append(file.name)
                if len(self.broken) == len(self._files):
                    message = "No picture in the folder {path!r} can be read; {file}: {why}."
                    raise SourceLost(text(message, path=self._path, file=file.name, why=str(error))) from None
        return None

    def close(self) -> None:
        """End the sequence."""
        self._next = len(self._files)


def _natural(file: Path) -> tuple[tuple[int, int | str], ...]:
    """Return the sort key of a file name: numbers by value, before text."""
    parts = re.split(r"(\d+)", file.name)
    return tuple((0, int(part)) if part.isdecimal() else (1, part) for part in parts)


def _network(address: str, settings: CameraSettings | None) -> LiveCamera:
    if not re.match(r"[a-z]+://[^/]", address):
        raise BadSource(
            text("{address!r} is not an address: write one like url:http://192.168.1.20:8080/video", address=address)
        )
    return network_camera(address, settings)


def _usb(which: str, settings: CameraSettings | None) -> LiveCamera:
    if not is_small_number(which) and not which.startswith("/"):
        raise BadSource(text("usb:{which} is not a camera: write usb:0 for /dev/video0.", which=which))
    return usb_camera(which, settings)


def _picamera(number: str, settings: CameraSettings | None) -> LiveCamera:
    if not is_small_number(number):
        raise BadSource(
            text("picamera:{number} is not a camera: write picamera, or picamera:1 for a second one.", number=number)
        )
    return raspberry_pi_camera(int(number), settings)


class Recording:
    """A `FrameSource`: the video at `path`. Raises `SourceLost` if it cannot be opened.

    A video that was copied only in part, or is still being written, ends early. `read` then raises `SourceLost`, as for
    an unplugged camera. Once the file has changed, the next `read` opens it again and continues with the first frame
    that was not read.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._version = self._file_version()
        self._file: VideoFile | None = VideoFile(path)
        self.name = self._file.name
        self.live = False
        """True while the table waits for the rest of the file; it is then polled like a camera."""
        self._frames_read = 0
        self._reason = ""

    def read(self) -> Frame | None:
        """Return the next frame; None at the end of the complete recording. Raises `SourceLost`."""
        if self._file is None:
            self._open_again()
        assert self._file is not None
        try:
            frame = self._file.read()
        except SourceLost as lost:
            _LOG.warning("%s ends early after %d frames: %s", self._path, self._frames_read, lost)
            self._file.close()
            self._file, self.live, self._reason = None, True, str(lost)
            raise
        if frame is None:
            return None
        self._frames_read = frame.number + 1
        return frame

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _open_again(self) -> None:
        """Open the file and skip the frames seen before. Raises `SourceLost` if there is nothing new."""
        version = self._file_version()
        if version == self._version or version is None:
            raise SourceLost(self._reason)
        self._version = version
        file = VideoFile(self._path)
        try:
            if any(file.read() is None for _ in range(self._frames_read)):
                raise SourceLost(self._reason)
        except SourceLost:
            file.close()
            raise
        _LOG.info("%s has changed: reading on from frame %d", self._path, self._frames_read)
        self._file, self.live = file, False

    def _file_version(self) -> tuple[int, int] | None:
        """Return size (bytes) and modification time (ns) of the file; None if it does not exist."""
        try:
            state = os.stat(Path(self._path))
        except OSError:
            return None
        return state.st_size, state.st_mtime_ns
