"""The steps of the first start that look at the table: the camera, the light, the mat and the view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardtable.doctor.cameras import Capability, find_cameras
from cardtable.doctor.finding import Machine
from cardtable.setup.steps_camera import CameraStep, MatStep
from tests.cardtable.setup.conftest import Site, pipeline
from tests.cardtable.setup.test_steps import findings, labels, written
from vision.mat.homography import Homography, load_homography


def test_cameras_are_found_by_v4l2(tmp_path: Path) -> None:
    """On a Raspberry Pi most video devices are decoders; a USB camera has a second device without pictures."""
    devices = {
        "video0": Capability("HD Webcam", "usb-0000:01:00.0-1.2", True),
        "video1": Capability("HD Webcam", "usb-0000:01:00.0-1.2", False),
        "video10": Capability("bcm2835-codec-decode", "platform:bcm2835-codec", True),
        "video2": None,
    }
    for name in devices:
        (tmp_path / name).touch()
    by_id = tmp_path / "v4l" / "by-id"
    by_id.mkdir(parents=True)
    (by_id / "usb-HD_Webcam-video-index0").symlink_to(tmp_path / "video0")
    machine = Machine(dev=tmp_path, run=lambda command: "['imx708']" if "picamera2" in command[-1] else None)
    found = find_cameras(machine, lambda device: devices[device.name])
    assert [(camera.source, str(camera.label)) for camera in found] == [
        (f"usb:{by_id}/usb-HD_Webcam-video-index0", "HD Webcam"),
        ("picamera", "the Raspberry Pi’s own camera"),
    ]
    assert find_cameras(machine)[0].source == "picamera"  # plain files are not devices


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", {"source": "picamera"}),
        ('source = "usb:0"\n', {"source": "picamera"}),
        ('[camera]\nsource = "usb:0"\n', {"camera": {"source": "picamera"}}),
        ('[[cameras]]\nname = "above"\nsource = "usb:0"\n', {"cameras": [{"name": "above", "source": "picamera"}]}),
    ],
)
def test_the_camera_is_written_where_the_file_has_it(tmp_path: Path, before: str, after: dict[str, Any]) -> None:
    (tmp_path / "table.toml").write_text(before)
    site = Site(tmp_path)
    site.machine = Machine(dev=tmp_path, run=lambda command: "['imx708']")
    step = CameraStep()
    step.begin(site)
    assert not step.answer(site, "picamera") and written(site) == after and site.reopening
    assert step.question(site).picture is None
    site.camera_says("picture", "bad", "its pictures are 640 × 480")
    site.pipelines = [pipeline(np.zeros((48, 64, 3), np.uint8))]
    assert step.question(site).forward is not None and step.question(site).picture == "camera"
    assert findings(step, site)[0] == ("trouble", "its pictures are 640 × 480")


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (30, ("trouble", "it is too dark")),
        (255, ("warning", "part of the picture is overexposed")),
        (150, ("good", "it is bright enough")),
    ],
)
def test_the_light_is_judged(site: Site, level: int, expected: tuple[str, str]) -> None:
    site.pipelines = [pipeline(np.full((90, 160, 3), level, np.uint8))]
    assert findings(CameraStep(), site) == [expected]


def test_the_mains_are_asked_for_if_a_lamp_flickers(site: Site) -> None:
    step = CameraStep()
    site.pipelines = [pipeline(np.full((90, 160, 3), 120, np.uint8), flickers=False)]
    assert "50 Hz" not in labels(step, site)
    site.pipelines[0].flickers = True
    assert findings(step, site)[-1] == ("warning", "the light flickers") and "60 Hz" in labels(step, site)
    assert not step.answer(site, "50") and written(site) == {"camera": {"flicker": 50}} and site.reopening
    site.pipelines[0].flickers = None
    assert "60 Hz" in labels(step, site)  # it can be changed


def test_the_mat_is_offered_as_marks_or_for_a_game(site: Site) -> None:
    step = MatStep()
    step.begin(site)
    site.pipelines = [pipeline(np.zeros((108, 192, 3), np.uint8), missing=(0, 1, 2, 3))]
    assert [sheet.name for sheet in step.question(site).sheets] == ["corners.pdf"]
    assert not step.answer(site, "whole") and not step.answer(site, "cribbage")
    assert labels(step, site) == ["2 players", "3 players", "4 players"]
    assert not step.question(site).allows("5")
    assert not step.answer(site, "3")
    assert [sheet.name for sheet in step.question(site).sheets] == ["mat-cribbage-3.pdf"]
    assert step.back() and step.back() and step.back() and not step.back()


def test_the_view_is_stored_when_it_is_still(site: Site) -> None:
    step = MatStep()
    step.begin(site)
    camera = pipeline(np.zeros((108, 192, 3), np.uint8), missing=(0, 1, 2, 3))
    site.pipelines = [camera]

    def look(scale: float | None, missing: tuple[int, ...] = ()) -> str:
        camera.frame.number += 1
        camera.missing_marks = missing
        camera.homography = None if scale is None else Homography(np.diag([scale, scale, 1.0]), (192, 108))
        return findings(step, site)[0][1]

    assert look(None, (0, 1, 2, 3)) == "no corner mark is in sight"
    assert look(5.0, (2,)) == "missing: mark 2 (bottom right)"
    assert look(5.0) == look(5.1) == look(5.1) == "all four corner marks are in sight"
    findings(step, site)  # the same picture again counts once
    assert step.question(site).forward is None
    assert look(5.1) == "it sees the four corner marks" and step.question(site).forward is not None
    assert load_homography(site.path.parent / "camera.calibration.json").matrix[0, 0] == 5.1
