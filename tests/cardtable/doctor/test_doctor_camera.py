"""The doctor's findings about a camera, in good order and with each fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from cardtable.config.load import read_config
from cardtable.doctor import Finding
from cardtable.doctor.cameras import SOFT_MM, cameras, check_camera
from cardtable.evening.playing import Parts, one_game
from cardtable.simulation.source import Setting, SyntheticSource
from cardtable.table.cameras import card_readers, mat_for
from engine.games import word_marks
from engine.texts import text
from tests.vision.drawn_table import DrawnTable
from tests.vision.light.live_table import LiveTable
from vision.camera_pipeline import CameraPipeline
from vision.frames import Frame, Image, SourceLost
from vision.light.measures import grey, rectified, spread_mm
from vision.light.watch import BLURRED_MM
from vision.marks import ArucoReader

Change = Callable[[Image], Image]


class Lens:
    """A camera over a drawn table whose pictures are altered."""

    live = True
    name = "lens"

    def __init__(self, change: Change, table: DrawnTable | None = None) -> None:
        self.table = table or DrawnTable()
        self._change = change

    def read(self) -> Frame | None:
        frame = self.table.read()
        assert frame is not None
        return replace(frame, image=self._change(scaled(0.9)(frame.image)))

    def close(self) -> None:
        pass


def seen(change: Change = lambda image: image, *cards: str, frames: int = 12) -> list[Finding]:
    lens = Lens(change)
    for card in cards:
        lens.table.lay(card, ("play", 0))
    return list(
        check_camera(
            CameraPipeline(lens, lens.table.mat, [ArucoReader(word_marks())]),
            lens.table.mat,
            "camera",
            frames=frames,
            look_s=0,
        )
    )


def by_state(findings: list[Finding]) -> dict[str, list[str]]:
    return {state: [f.text for f in findings if f.state == state] for state in ("good", "warning", "trouble")}


def shrunk(image: Image) -> Image:
    return np.asarray(cv2.resize(image, (1152, 648), interpolation=cv2.INTER_AREA), np.uint8)


def blurred(sigma: float) -> Change:
    return lambda image: np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.uint8)


def scaled(gain: float, offset: float = 0.0) -> Change:
    return lambda image: np.asarray(np.clip(image * gain + offset, 0, 255), np.uint8)


def covered(image: Image) -> Image:
    hidden = image.copy()
    hidden[:200, :200] = 90
    return hidden


def test_all_is_well() -> None:
    findings = seen(lambda image: image, "KS")
    assert {finding.state for finding in findings} == {"good"}
    text = " | ".join(finding.text for finding in findings)
    for part in (
        "1536 × 864",
        "a millimetre on the mat is 1.6",
        "four corner marks",
        "bright enough",
        "it is sharp",
        "it reads K♠",
        "K♠ is bright and sharp: its white is ",
    ):
        assert part in text


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("change", "state", "faults"),
    [
        (shrunk, "warning", ["its pictures are 1152 × 648"]),
        (scaled(0.2), "trouble", ["it is too dark: white is ", "K♠ lies in the dark: its white is "]),
        (scaled(0.3, 140.0), "trouble", ["there is no contrast: white is "]),
        (scaled(1.8), "warning", ["of the marks’ white is overexposed", "% of K♠ is overexposed"]),
        (blurred(1.6), "warning", ["it is not quite sharp", "K♠ is not quite sharp: its edges are blurred by "]),
        (blurred(3.0), "trouble", ["it is out of focus"]),
        (covered, "trouble", ["mark"]),
    ],
)
def test_every_fault_has_its_advice(change: Change, state: str, faults: list[str]) -> None:
    findings = seen(change, "KS", frames=8)
    for fault in faults:
        (finding,) = [each for each in findings if each.state != "good" and fault in each.text]
        assert finding.state == state and finding.advice


def lit(change: Callable[[LiveTable], None]) -> list[str]:
    """Return the warnings of a doctor who looks at a table as long as usual."""
    table = LiveTable()
    table.fps = 8.0  # the fewest frames in the usual time
    table.lay("KS", ("play", 0))
    change(table)
    pipeline = CameraPipeline(table, table.mat, [ArucoReader(word_marks())])
    return by_state(list(check_camera(pipeline, table.mat, "camera")))["warning"]


def test_glare_is_found_with_its_place() -> None:
    def shine(table: LiveTable) -> None:
        table.gleams = [(760, 430, 25)]

    assert "Something shines at the bottom right of the mat: turn the lamp, or move what reflects it." in lit(shine)


@pytest.mark.parametrize("depth", [0.08, pytest.param(0.3, marks=pytest.mark.long)])
def test_flicker_is_found(depth: float) -> None:
    def flicker(table: LiveTable) -> None:
        table.lamp, table.depth = 0.7, depth

    assert any(found.startswith("The light flickers in the pictures") for found in lit(flicker))


def test_good_light_gives_no_warning_and_takes_five_seconds_of_frames() -> None:
    seen: list[LiveTable] = []
    assert lit(seen.append) == []
    frame = seen[0].read()
    assert frame is not None and frame.time == pytest.approx(5.0, abs=0.15)


@pytest.mark.parametrize("trouble", ["Overexposed", "something shines", "A shadow", "Flicker", "Out of focus"])
def test_the_document_that_the_advice_names_says_what_to_do(trouble: str) -> None:
    lamp = (
        (Path(__file__).parents[3] / "docs" / "start" / "build-a-table.md")
        .read_text("utf-8")
        .partition("## The lamp")[2]
        .partition("\n## ")[0]
    )
    assert any(trouble in line.partition("**")[2].partition("**")[0] for line in lamp.splitlines())


def _shades(image: Image) -> Image:
    """A picture of something, but no marks."""
    across = np.arange(image.shape[1])[:, np.newaxis] % 120 + 60
    return np.broadcast_to(across, image.shape).astype(np.uint8)


def test_nothing_is_measured_without_marks() -> None:
    findings = by_state(seen(_shades, frames=25))
    assert len(findings["trouble"]) == 1 and "No corner marks in sight" in findings["trouble"][0]
    assert findings["good"] == ["its pictures are 1536 × 864"]


def test_a_refused_setting_is_reported() -> None:
    lens = Lens(lambda image: image)
    lens.notes = ("exposure: it has 12 ms, not 8 ms",)  # type: ignore[attr-defined]
    findings = list(
        check_camera(
            CameraPipeline(lens, lens.table.mat, [ArucoReader(word_marks())]),
            lens.table.mat,
            "camera",
            frames=6,
            look_s=0,
        )
    )
    assert "did not accept a setting: exposure: it has 12 ms" in by_state(findings)["warning"][0]


@pytest.mark.parametrize(
    ("fault", "shown", "advice"),
    [
        ({"restarts": 3}, "it has stopped 3 times since it was opened", "press both ends of its cable in"),
        ({"restarts": 2}, "", ""),
        ({"remarks": (text("its lens had moved"),)}, "its lens had moved", "when the camera gets warm"),
    ],
)
def test_a_camera_that_stops_again_and_again_and_a_lens_that_moves(
    fault: dict[str, object], shown: str, advice: str
) -> None:
    lens = Lens(lambda image: image)
    for name, value in fault.items():
        setattr(lens, name, value)
    pipeline = CameraPipeline(lens, lens.table.mat, [ArucoReader(word_marks())])
    found = [
        each for each in check_camera(pipeline, lens.table.mat, "camera", frames=6, look_s=0) if each.what == "picture"
    ]
    warnings = [(each.text, each.advice) for each in found if each.state == "warning"]
    assert len(warnings) == bool(shown)
    assert all(shown in found_text and advice in help_ for found_text, help_ in warnings)


def test_cards_that_are_too_small_to_be_read() -> None:
    lens = Lens(lambda image: np.asarray(cv2.resize(image, (768, 432), interpolation=cv2.INTER_AREA), np.uint8))
    findings = list(
        check_camera(
            CameraPipeline(lens, lens.table.mat, card_readers(["faces"])), lens.table.mat, "camera", frames=6, look_s=0
        )
    )
    (finding,) = [finding for finding in findings if "too small" in finding.text]
    assert finding.state == "trouble" and finding.advice.startswith("1.25 are needed")


def test_without_a_card() -> None:
    assert by_state(seen())["warning"] == ["it reads no card"]


def test_a_camera_without_pictures() -> None:
    def unplugged(image: Image) -> Image:
        raise SourceLost("Plug the camera in.")

    (finding,) = seen(unplugged)
    assert (finding.state, finding.text) == ("trouble", "Plug the camera in.")


def test_sources_of_the_configuration(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    head = 'game = "all-fives"\nplayers = ["Ann", "Bo"]\nmarks = ["aruco"]\n'
    path.write_text(head + '[[cameras]]\nname = "above"\nsource = "dir:none"\n', "utf-8")
    (missing,) = cameras(read_config(path))
    assert (missing.check, missing.state) == ("camera above", "trouble")
    folder = tmp_path / "pictures"
    folder.mkdir()
    table = DrawnTable()
    table.lay("KS", ("play", 0))
    for number in range(12):
        frame = table.read()
        assert frame is not None
        cv2.imwrite(str(folder / f"{number:02}.bmp"), frame.image)
    path.write_text(head + 'source = "dir:pictures"\n', "utf-8")
    findings = list(cameras(read_config(path)))
    assert {finding.check for finding in findings} == {"camera"}
    assert "it sees the four corner marks" in by_state(findings)["good"]


@pytest.mark.long
def test_a_picture_is_out_of_focus_before_its_faces_are_no_longer_read() -> None:
    setting = Setting(players=2, seed=3, marks="faces", pace="fast")
    mat = mat_for(setting.header)
    readers = card_readers(["faces"])
    eye = CameraPipeline(SyntheticSource(setting), mat, readers)
    with one_game(Parts(setting.header, [eye])) as playing:
        playing.run(until=lambda: len(playing.table.lying) >= 3)
        lying = {entry.card for entry in playing.table.lying}
    assert eye.frame is not None and eye.homography is not None
    homography = eye.homography
    for sigma, sharp, read in ((0.0, True, True), (1.2, True, True), (2.0, False, True), (4.5, False, False)):
        image = blurred(sigma)(eye.frame.image) if sigma else eye.frame.image
        marks = (rectified(image, homography, each) for each in mat.marks.values())
        spread = float(np.median([spread_mm(grey(mark)) for mark in marks if mark is not None]))
        assert (spread < SOFT_MM) == sharp and (spread < BLURRED_MM) == read
        faces = {reading.face for reader in readers for reading in reader.read(image, homography.mm_per_px)}
        assert (lying <= faces) == read
        # The variances of the picture's own blur and of the added blur add up. Of wide blurs less is measured.
        if 0 < sigma < 4:
            expected = np.hypot(0.47, sigma * homography.mm_per_px)
            assert spread == pytest.approx(expected, rel=0.15)
