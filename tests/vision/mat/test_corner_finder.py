"""Finding the mat by its corner marks, and stored calibrations."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from tests.drawing.marks import Matrix, camera, seen_mat, worn
from vision.frames import Image
from vision.mat.corner_finder import TableFinder
from vision.mat.homography import CalibrationError, Homography, load_homography, save_homography
from vision.mat.layout import lay_out

MAT = lay_out(3, ("play", "say", "show", "turn-up"))
VIEW = camera(1.85, turn=2, tilt=1.0)
BUMPED = camera(1.85, turn=0.5, tilt=1.0, shift=(18, -9))


def error_mm(homography: Homography, view: Matrix) -> float:
    """Return the largest error of a homography over the mat, mm."""
    grid = np.array([(x, y) for x in range(0, 881, 110) for y in range(0, 501, 100)], dtype=np.float64)
    pixels = cv2.perspectiveTransform(grid[None], view)[0] - 0.5
    return float(np.hypot(*(homography.to_mm(pixels) - grid).T).max())


def hide(image: Image, view: Matrix, *ids: int) -> Image:
    """Return the picture with a brown disc over some corner marks."""
    out = image.copy()
    for id_ in ids:
        corners = np.array([MAT.marks[id_]], dtype=np.float64)
        x, y = cv2.perspectiveTransform(corners, view)[0].mean(axis=0)
        cv2.circle(out, (int(x), int(y)), 60, (90, 120, 160), -1)
    return out


@pytest.fixture(scope="module")
def scene() -> Image:
    return worn(seen_mat(MAT, VIEW), 1)


@pytest.fixture(scope="module")
def bumped() -> Image:
    return worn(seen_mat(MAT, BUMPED), 2)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("turn", "tilt"), [(0.0, 0.0), (-4.0, 0.0), (3.0, 1.5), (180.0, 1.0), (2.0, -2.0)])
def test_the_mat_is_found_in_the_first_picture_within_half_a_millimetre(turn: float, tilt: float) -> None:
    view = camera(1.7, turn=turn, tilt=tilt)
    finder = TableFinder(MAT)
    frame = finder.update(worn(seen_mat(MAT, view), 3))
    assert frame is not None
    assert error_mm(frame, view) < 0.5
    assert finder.missing == ()
    assert frame.mm_per_px == pytest.approx(1 / 1.7, rel=0.03)


def test_the_mat_is_found_in_smaller_pictures() -> None:
    view = camera(1.2, size=(1280, 720))
    frame = TableFinder(MAT).update(worn(seen_mat(MAT, view, (1280, 720)), 4))
    assert frame is not None and error_mm(frame, view) < 0.6


def test_to_mm_and_to_px_are_inverse(scene: Image) -> None:
    frame = TableFinder(MAT).update(scene)
    assert frame is not None
    points: npt.NDArray[np.float64] = np.random.default_rng(0).uniform(0, 1000, (20, 2))
    assert np.allclose(frame.to_px(frame.to_mm(points)), points)


def test_covered_marks_make_no_difference(scene: Image) -> None:
    finder = TableFinder(MAT)
    first = finder.update(scene)
    assert first is not None
    for hidden in ((0,), (0, 2), (0, 1, 2, 3)):
        image = hide(scene, VIEW, *hidden)
        for _ in range(12):
            assert finder.update(image) is first
        assert finder.missing == hidden
    for _ in range(4):
        assert finder.update(scene) is first
    assert finder.missing == ()


@pytest.mark.parametrize("hidden", [(0,), (3,), (0, 2), (1, 3)])
def test_the_frame_is_refined_when_hidden_marks_appear(scene: Image, hidden: tuple[int, ...]) -> None:
    finder = TableFinder(MAT)
    frame = finder.update(hide(scene, VIEW, *hidden))
    assert frame is not None and error_mm(frame, VIEW) < 3
    assert finder.missing == hidden
    for _ in range(8):
        frame = finder.update(scene)
    assert frame is not None and error_mm(frame, VIEW) < 0.5


def test_a_bumped_camera_gets_a_new_frame_when_it_is_still(scene: Image, bumped: Image) -> None:
    finder = TableFinder(MAT)
    finder.update(scene)
    half_way = worn(seen_mat(MAT, camera(1.85, turn=1.2, tilt=1.0, shift=(9, -4))), 5)
    frames = [finder.update(image) for image in (half_way, bumped, half_way, bumped, bumped)]
    assert frames == [None] * 5
    assert finder.moving
    after = [finder.update(bumped) for _ in range(3)]
    frame = after[-1]
    assert frame is not None and error_mm(frame, BUMPED) < 0.5
    assert not finder.moving


def test_a_bump_is_detected_from_the_visible_marks(scene: Image, bumped: Image) -> None:
    finder = TableFinder(MAT)
    finder.update(scene)
    image = hide(bumped, BUMPED, 1, 2)
    frames = [finder.update(image) for _ in range(8)]
    assert None in frames
    frame = frames[-1]
    assert frame is not None and error_mm(frame, BUMPED) < 4


def test_a_bump_while_all_marks_are_hidden_is_detected_when_they_appear(scene: Image, bumped: Image) -> None:
    finder = TableFinder(MAT)
    finder.update(scene)
    far = worn(seen_mat(MAT, camera(1.7, turn=-5)), 6)
    dark = np.zeros_like(scene)
    for _ in range(10):
        finder.update(dark)
    frames = [finder.update(far) for _ in range(20)]
    frame = frames[-1]
    assert frame is not None and error_mm(frame, camera(1.7, turn=-5)) < 0.5


def test_the_stored_calibration_is_used_until_marks_are_seen(scene: Image) -> None:
    stored = Homography(np.diag([0.5, 0.5, 1.0]), (1920, 1080))
    finder = TableFinder(MAT, stored)
    bare = np.full_like(scene, 90)
    assert finder.update(bare) is stored
    assert finder.missing == (0, 1, 2, 3)
    small = finder.update(np.full((540, 960, 3), 90, np.uint8))
    assert small is not None and np.allclose(small.to_mm([(480, 270)]), [(480, 270)])
    for _ in range(12):
        frame = finder.update(scene)
    assert frame is not None and error_mm(frame, VIEW) < 0.5


def test_without_marks_and_calibration_there_is_no_frame() -> None:
    finder = TableFinder(MAT)
    noise = np.random.default_rng(1).integers(0, 255, (540, 960, 3), dtype=np.uint8)
    assert [finder.update(noise) for _ in range(3)] == [None] * 3
    assert finder.missing == (0, 1, 2, 3)


def test_one_mark_is_not_enough(scene: Image) -> None:
    finder = TableFinder(MAT)
    assert finder.update(hide(scene, VIEW, 0, 1, 2)) is None
    assert finder.missing == (0, 1, 2)


def test_a_calibration_is_stored_and_loaded(tmp_path: Path) -> None:
    homography = Homography(np.array([[0.5, 0.01, -20], [0.02, 0.49, -8], [1e-6, 2e-6, 1]]), (1920, 1080))
    path = tmp_path / "camera.json"
    save_homography(path, homography)
    save_homography(path, homography)
    loaded = load_homography(path)
    assert np.array_equal(loaded.matrix, homography.matrix) and loaded.image_size == homography.image_size
    assert [entry.name for entry in tmp_path.iterdir()] == ["camera.json"]


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1]", '{"homography": [[1]], "image_size": [1, 1]}', '{"homography": "x", "image_size": [2, 2]}',
     '{"homography": [[0,0,0],[0,0,0],[0,0,0]], "image_size": [10, 10]}',
     '{"homography": [[1,0,0],[0,1,0],[0,0,NaN]], "image_size": [10, 10]}'],
)  # fmt: skip
def test_a_broken_calibration_is_refused_with_advice(tmp_path: Path, text: str) -> None:
    path = tmp_path / "camera.json"
    path.write_text(text)
    with pytest.raises(CalibrationError, match="delete it"):
        load_homography(path)
