"""Frame sources from files: videos and folders of pictures; the names of sources."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.broken_pictures import png_header
from tests.vision.cameras.numbered_pictures import number_of, picture
from vision.cameras.sources import BadSource, PictureFolder, VideoFile, open_source
from vision.frames import Frame, FrameSource, SourceLost


def all_of(source: FrameSource) -> list[Frame]:
    """Read all frames of a recording."""
    frames = []
    while (frame := source.read()) is not None:
        frames.append(frame)
    return frames


def test_a_video_gives_every_frame_with_its_time(video: Path) -> None:
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


def test_broken_frames_are_skipped(video: Path, capfd: pytest.CaptureFixture[str]) -> None:
    data = bytearray(video.read_bytes())
    place = data.find(b"00dc", len(data) // 2)
    data[place + 20 : place + 400] = bytes(range(95)) * 4
    video.write_bytes(bytes(data))
    frames = all_of(VideoFile(str(video)))
    assert 17 <= len(frames) <= 20
    assert number_of(frames[-1]) == 19
    assert frames[-1].time == pytest.approx(19 / 20, abs=0.002)
    assert capfd.readouterr().err == ""


def test_a_truncated_video_is_reported_once_and_then_ends(video: Path) -> None:
    data = video.read_bytes()
    video.write_bytes(data[: len(data) // 2])
    source = VideoFile(str(video))
    seen = 0
    with pytest.raises(SourceLost, match=r"is cut off after \d+ of 20 frames.*Copy the whole file again"):
        while source.read() is not None:
            seen += 1
    assert 3 <= seen <= 12
    assert source.read() is None


def test_bad_sources_are_refused_with_advice(tmp_path: Path) -> None:
    text = tmp_path / "notes.avi"
    text.write_text("no video")
    with pytest.raises(BadSource, match="not a video that can be played: copy the whole file again, or convert it"):
        open_source(f"video:{text}")
    with pytest.raises(BadSource, match=r"There is no file .*check the name"):
        open_source("video:nowhere.avi")
    with pytest.raises(BadSource, match=r"is a folder.*write dir:"):
        open_source(f"video:{tmp_path}")
    with pytest.raises(BadSource, match="no video or folder"):
        open_source("nowhere.avi")
    with pytest.raises(BadSource, match="is not a frame source: write video:"):
        open_source("vidoe:game.avi")
    with pytest.raises(BadSource, match="is not an address"):
        open_source("url:camera")
    with pytest.raises(BadSource, match="is not a camera: write usb:0"):
        open_source("usb:front")


@pytest.mark.parametrize("spec", ["usb:²", "picamera:²", "usb:" + "9" * 5000, "picamera:" + "9" * 5000])
def test_a_number_that_no_camera_has_is_refused(spec: str) -> None:
    with pytest.raises(BadSource, match="camera: write"):
        open_source(spec)


def test_names_of_pictures_may_have_other_digits(tmp_path: Path) -> None:
    for name in ("5².png", "².png", "10.png", "5.png"):
        cv2.imwrite(str(tmp_path / name), picture(1))
    assert len(all_of(PictureFolder(str(tmp_path)))) == 4


def test_a_folder_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        cv2.imwrite(str(tmp_path / f"shot{number}.png"), picture(number))
    (tmp_path / "shot3.png").write_bytes(b"broken")
    (tmp_path / "shot4.png").write_bytes(b"")
    (tmp_path / "shot5.png").write_bytes(png_header(60000, 60000))  # larger than OpenCV accepts
    (tmp_path / "readme.txt").write_text("not a picture")
    for spec in (f"dir:{tmp_path}", str(tmp_path)):
        frames = all_of(open_source(spec))
        assert [number_of(f) for f in frames] == [1, 2, 10]
        assert [f.time for f in frames] == pytest.approx([0.0, 0.1, 0.5])


def test_a_folder_of_pictures_that_cannot_be_read_says_why_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(png_header(20000, 20000))
    source = PictureFolder(str(tmp_path))
    with pytest.raises(SourceLost, match=r"No picture in the folder .* can be read; b.png: too large, 20000 × 20000"):
        source.read()
    assert source.read() is None
    assert source.broken == ["a.png", "b.png"]


def test_a_pipe_or_a_device_is_not_a_video(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.avi")
    for path in (tmp_path / "a.avi", "/dev/zero"):
        with pytest.raises(BadSource, match="a pipe or a device, not a video: save the video in a file"):
            open_source(str(path))


def test_a_video_with_frames_that_are_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "a.avi")
    writer = cv2.VideoWriter(path, cv2.VideoWriter.fourcc(*"MJPG"), 10, (640, 480))
    writer.write(np.zeros((480, 640, 3), np.uint8))
    writer.release()
    VideoFile(path).close()
    monkeypatch.setattr("vision.image_files.MAX_PIXELS", 640 * 480 - 1)
    with pytest.raises(BadSource, match="has frames of 640 × 480 pixels: convert it to a smaller size"):
        VideoFile(path)


def test_a_folder_with_grey_16_bit_and_transparent_pictures(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), picture(4)[:, :, 0])
    cv2.imwrite(str(tmp_path / "b.png"), picture(4).astype(np.uint16) * 257)
    cv2.imwrite(str(tmp_path / "c.png"), np.dstack([picture(4), np.full((120, 160), 255, np.uint8)]))
    for frame in all_of(PictureFolder(str(tmp_path))):
        assert frame.image.shape == (120, 160, 3)
        assert frame.image.dtype == np.uint8
        assert number_of(frame) == 4


def test_a_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="has no pictures"):
        open_source(f"dir:{tmp_path}")
    with pytest.raises(BadSource, match="There is no folder"):
        open_source(f"dir:{tmp_path / 'none'}")
    file = tmp_path / "a.txt"
    file.write_text("x")
    with pytest.raises(BadSource, match="write video:"):
        open_source(f"dir:{file}")


def test_the_application_can_add_schemes(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), picture(1))
    opened: list[str] = []

    def synthetic(rest: str) -> FrameSource:
        opened.append(rest)
        return PictureFolder(str(tmp_path))

    assert open_source("synthetic:seed=7", {"synthetic": synthetic}).read() is not None
    assert opened == ["seed=7"]
