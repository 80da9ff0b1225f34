"""An exposure that follows the cards: how each kind of camera is changed, and that it keeps to the mains."""

from __future__ import annotations

import fcntl
import itertools
from pathlib import Path

import cv2
import pytest

from cardtable.languages import translator
from engine.texts import in_language
from tests.vision.cameras.test_picamera import FLICKER, STAND_IN, Plan, logged, plan, small
from tests.vision.cameras.test_usb import Kernel, UvcCamera, run
from vision.cameras import network
from vision.cameras.picamera import PicameraProcess
from vision.cameras.picamera_process import CHECK_PICTURES, SETTLING_PICTURES
from vision.cameras.settings import CameraSettings
from vision.cameras.usb import SETTLING_S, UsbDevice, UsbExposure

__all__ = ["plan"]  # a fixture


def test_an_exposure_that_follows_the_cards_on_a_raspberry_pi(plan: Plan, tmp_path: Path) -> None:
    device = PicameraProcess(0, small(exposure="cards", fps=50), [STAND_IN])
    device.adjust_exposure(0.5)  # it has not been found yet
    for _ in range(SETTLING_PICTURES + CHECK_PICTURES):
        device.read()
    for factor in (0.5, 4.0):
        device.adjust_exposure(factor)
        device.read(), device.read()
    device.release()
    _, found, darker, brighter = [entry["controls"] for entry in logged(tmp_path) if "controls" in entry]
    assert (found["AeEnable"], found["ExposureTime"], found["AnalogueGain"]) == (False, 12000, 2.0)
    assert darker == {"ExposureTime": 6000, "AnalogueGain": 2.0}
    assert brighter == {"ExposureTime": 20000, "AnalogueGain": pytest.approx(2.4)}  # the time of one picture, then gain
    assert device.notes == ()


@pytest.mark.parametrize(("hz", "period"), [(50, 10_000), (60, 8_333)])
def test_the_exposure_keeps_to_the_mains_on_a_raspberry_pi(hz: int, period: int, plan: Plan, tmp_path: Path) -> None:
    """It has found 12 ms and gain 2, that is 24 ms at gain 1."""
    plan(controls=FLICKER)
    device = PicameraProcess(0, small(exposure="cards", flicker=hz), [STAND_IN])
    for _ in range(SETTLING_PICTURES + CHECK_PICTURES):
        device.read()
    for factor in (1.3, 1.3, 1 / 1.3, 1 / 1.3, 1 / 1.3, 1 / 1.3):
        device.adjust_exposure(factor)
        device.read(), device.read()
    device.adjust_exposure(0.25)
    device.read(), device.read()
    device.release()
    entries = [entry["controls"] for entry in logged(tmp_path) if "controls" in entry][2:]
    products = [entry["ExposureTime"] * entry["AnalogueGain"] / 24_000 for entry in entries]
    assert products == pytest.approx([1.3, 1.69, 1.3, 1, 1 / 1.3, 1 / 1.69, 0.25 / 1.69], rel=0.01)
    *others, last = [entry["ExposureTime"] for entry in entries]
    assert all(abs(time - round(time / period) * period) <= 2 for time in others)
    assert last < period and entries[-1]["AnalogueGain"] == 1.0  # it is brighter than one period allows
    assert all(entry["AnalogueGain"] >= 1 for entry in entries)


def test_on_a_raspberry_pi_exposure_grows_by_whole_mains_flashes(plan: Plan, tmp_path: Path) -> None:
    """And shrinks again, when the light comes back."""
    plan(controls=FLICKER)
    device = PicameraProcess(0, small(exposure="cards", flicker=50), [STAND_IN])
    for _ in range(SETTLING_PICTURES + CHECK_PICTURES):
        device.read()
    for factor in (1.3,) * 12 + (1 / 1.3,) * 13:
        device.adjust_exposure(factor)
        device.read(), device.read()
    device.release()
    entries = [entry["controls"] for entry in logged(tmp_path) if "controls" in entry][2:]
    times = [entry["ExposureTime"] for entry in entries]
    assert max(times) == 30_000 and set(times) <= {10_000, 20_000, 30_000}
    products = [entry["ExposureTime"] * entry["AnalogueGain"] for entry in entries]
    assert products[:10] == pytest.approx([24_000 * 1.3 ** (k + 1) for k in range(10)], rel=0.01)
    assert products[-1] < 24_000


def test_the_others_ignore_the_cards(plan: Plan, tmp_path: Path) -> None:
    device = PicameraProcess(0, small(exposure="lock"), [STAND_IN])
    for _ in range(SETTLING_PICTURES + 2):
        device.read()
    device.adjust_exposure(0.5)
    device.read(), device.read()
    device.release()
    assert len([entry for entry in logged(tmp_path) if "controls" in entry]) == 2


def test_the_exposure_is_found_then_changed_in_steps() -> None:
    camera = UvcCamera()
    device = UsbDevice(camera, CameraSettings(exposure="cards"))
    device.adjust_exposure(0.5)  # it is still being found
    run(device, 2 * SETTLING_S)
    assert camera.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 1.0
    assert camera.values[cv2.CAP_PROP_EXPOSURE] == pytest.approx(160, abs=1)
    device.adjust_exposure(0.5)
    assert camera.values[cv2.CAP_PROP_EXPOSURE] == pytest.approx(80, abs=1)
    device.adjust_exposure(100)  # at most the time of one picture
    assert camera.values[cv2.CAP_PROP_EXPOSURE] == pytest.approx(10_000 / 30, abs=1)
    assert device.notes == ()


@pytest.mark.parametrize("hz", [50, 60])
@pytest.mark.parametrize("light", [140.0, 400.0, 900.0])
@pytest.mark.parametrize("start", [0.4, 1.8])
def test_an_exposure_that_follows_the_cards_keeps_to_the_mains(
    start: float, light: float, hz: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The camera has found a wrong exposure: it is changed by what is seen, as `CardExposure` does."""
    monkeypatch.setattr(fcntl, "ioctl", Kernel(0, 1, 2).ioctl)
    camera = UvcCamera(light=light * start)
    device = UsbDevice(camera, CameraSettings(exposure="cards", flicker=hz))
    run(device, 2 * SETTLING_S)
    camera.light = light
    for _ in range(20):
        level = camera.colour()[1]
        if 95 <= level <= 125:
            break
        device.adjust_exposure(min(max(110 / level, 1 / 1.3), 1.3))
        periods = camera.values[cv2.CAP_PROP_EXPOSURE] / (10_000 / (2 * hz))
        assert periods < 0.98 or abs(periods - round(periods)) < 0.02
    assert periods > 0.98  # less only as long as it was too short when it was found
    assert 95 <= camera.colour()[1] <= 125 and device.notes == ()


def test_in_bright_light_the_exposure_is_below_a_mains_period() -> None:
    camera = UvcCamera(light=100.0)
    device = UsbDevice(camera, CameraSettings(exposure="cards", flicker=50))
    run(device, 2 * SETTLING_S)
    camera.light = 10.0
    for _ in range(20):
        device.adjust_exposure(min(max(110 / camera.colour()[1], 1 / 1.3), 1.3))
    assert camera.values[cv2.CAP_PROP_GAIN] == 16 and camera.values[cv2.CAP_PROP_EXPOSURE] < 100
    assert camera.colour()[1] == pytest.approx(110, abs=12)


def test_a_coarse_gain_is_not_changed_back_and_forth() -> None:
    """From 1 to 2 it doubles the light: too dark with one, burnt out with the other."""

    camera = UvcCamera()
    exposure = UsbExposure(camera, 30.0, 50)
    camera.values.update({cv2.CAP_PROP_EXPOSURE: 300.0, cv2.CAP_PROP_GAIN: 1.0})
    gains = []
    for _ in range(40):
        white = 0.5 * camera.values[cv2.CAP_PROP_EXPOSURE] * camera.values[cv2.CAP_PROP_GAIN]
        exposure.multiply(1 / 1.3 if white > 200 else 1.3)
        gains.append(camera.values[cv2.CAP_PROP_GAIN])
    assert sum(before != after for before, after in itertools.pairwise(gains)) <= 8


def test_without_a_gain_nothing_burns_out_all_the_same() -> None:
    camera = UvcCamera(refuses=(cv2.CAP_PROP_GAIN,))
    device = UsbDevice(camera, CameraSettings(exposure="cards", flicker=50))
    run(device, 2 * SETTLING_S)
    camera.values[cv2.CAP_PROP_EXPOSURE] = 100.0
    for _ in range(3):
        device.adjust_exposure(1.2)
    assert camera.values[cv2.CAP_PROP_EXPOSURE] == pytest.approx(172.8)


def test_a_camera_that_cannot_follow_the_cards_stays_automatic() -> None:
    camera = UvcCamera(forgets=True)
    device = UsbDevice(camera, CameraSettings(exposure="cards", flicker="off"))
    run(device, 2 * SETTLING_S)
    device.adjust_exposure(0.8)
    assert camera.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 3.0
    (note,) = device.notes
    assert note == 'exposure: this camera cannot follow the cards and stays automatic; write exposure = "auto"'
    assert "reste automatique" in in_language(note, translator("fr"))


def test_a_network_camera_without_settings_has_nothing_to_note() -> None:
    """An exposure that follows the cards is what a table has without the key."""
    assert network._not_accepted(CameraSettings(exposure="cards")) == ()
    assert len(network._not_accepted(CameraSettings(exposure="lock"))) == 1


def test_other_exposures_are_not_changed() -> None:
    camera = UvcCamera()
    device = UsbDevice(camera, CameraSettings(exposure="lock"))
    run(device, 2 * SETTLING_S)
    held = camera.values[cv2.CAP_PROP_EXPOSURE]
    device.adjust_exposure(0.5)
    assert camera.values[cv2.CAP_PROP_EXPOSURE] == held


def test_an_exposure_that_cannot_follow_the_cards_is_noted() -> None:
    camera = UvcCamera()
    device = UsbDevice(camera, CameraSettings(exposure="cards"))
    run(device, 2 * SETTLING_S)
    camera.refuses.add(cv2.CAP_PROP_EXPOSURE)
    device.adjust_exposure(0.8)
    assert device.notes[0].startswith("exposure: this camera cannot follow the cards")
