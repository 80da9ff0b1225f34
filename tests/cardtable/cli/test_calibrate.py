"""`cardtable calibrate`: findings, picture, stored view, and that the other commands use the stored view."""

from __future__ import annotations

import itertools
import json
import signal
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest

from cardtable.cli import main
from cardtable.cli.calibrate import FRAMES
from cardtable.config.load import read_config
from cardtable.setup.calibration import BLUE, GREEN, PALE, RED, STILL_FRAMES, Calibration, calibration_picture
from engine.games import word_marks
from tests.programs import Program
from tests.vision.drawn_table import SIZE, DrawnTable
from vision.camera_pipeline import CameraPipeline
from vision.frames import Image
from vision.marks import ArucoReader
from vision.mat.homography import load_homography

HEAD = 'game = "all-fives"\nplayers = ["Ann", "Bo"]\nmarks = ["aruco"]\n'


def at(table: DrawnTable, points: list[tuple[float, float]]) -> np.ndarray:
    return cv2.perspectiveTransform(np.array([points], np.float64), table.view)[0]


def calibration(table: DrawnTable, path: Path | None = None) -> Calibration:
    return Calibration(CameraPipeline(table, table.mat, [ArucoReader(word_marks())]), table.mat, ("Ann", "Bo"), path)


def near(picture: Image, point: np.ndarray, colour: tuple[int, int, int], reach: int = 4) -> bool:
    """Whether a pixel of that colour lies within `reach` pixels of `point`."""
    x, y = (round(float(value)) for value in point)
    part = picture[max(y - reach, 0) : y + reach + 1, max(x - reach, 0) : x + reach + 1].astype(int)
    return bool((np.abs(part - np.array(colour)).max(axis=2) < 40).any())


def test_the_view_is_stored_once_all_marks_have_been_still(tmp_path: Path) -> None:
    table, path = DrawnTable(), tmp_path / "above.json"
    view = calibration(table, path)
    for _ in range(STILL_FRAMES - 1):
        view.step()
    assert not path.exists() and view.advice() == "All four corner marks are in sight. Let go of the camera."
    view.step()
    homography = load_homography(path)
    assert homography.image_size == SIZE
    corners = [(0.0, 0.0), (880.0, 0.0), (880.0, 500.0), (0.0, 500.0)]
    assert np.abs(homography.to_px(corners) - at(table, corners)).max() < 1.5
    assert view.advice().startswith(f"The camera sees the mat. Its view is stored in {path}.")
    kept = path.stat().st_mtime_ns
    for _ in range(3):
        view.step()
    assert path.stat().st_mtime_ns == kept


def test_the_view_of_a_turned_camera_is_stored_when_it_rests(tmp_path: Path) -> None:
    table, path = DrawnTable(), tmp_path / "above.json"
    view = calibration(table, path)
    for _ in range(STILL_FRAMES):
        view.step()
    before = load_homography(path)
    table.shift = (-9.0, 6.0)
    for _ in range(6):
        view.step()
    assert np.array_equal(load_homography(path).matrix, before.matrix)
    for _ in range(18):
        view.step()
    corners = [(100.0, 100.0), (800.0, 400.0)]
    assert np.abs(load_homography(path).to_px(corners) - at(table, corners)).max() < 1.5


def test_a_missing_mark_is_named_and_nothing_is_stored(tmp_path: Path) -> None:
    table, path = DrawnTable(), tmp_path / "above.json"
    table.hands.append(((880.0, 700.0), (840.0, 440.0)))
    view = calibration(table, path)
    for _ in range(STILL_FRAMES + 4):
        view.step()
    assert view.advice().startswith("Missing: mark 2 (bottom right). Uncover it, point the camera at it")
    assert not path.exists() and not view.ready
    picture = view.picture()
    assert picture is not None
    marks = table.mat.marks
    assert near(picture, at(table, [marks[0][0]])[0], GREEN)
    assert near(picture, at(table, [marks[2][0]])[0], RED, 9)


def test_no_mark_at_all() -> None:
    table = DrawnTable()
    table.gain = 0.02
    view = calibration(table)
    assert view.advice() == "Waiting for the camera's first picture."
    view.step()
    assert view.advice().startswith("No corner mark is in sight: lay the mat, or the four corner marks")
    picture = view.picture()
    assert picture is not None and picture.shape[1] == SIZE[0]
    found = view.to_json()
    assert found["marks"] == {"seen": [], "missing": [0, 1, 2, 3]}
    assert (found["homography"], found["zones"], found["px_per_mm"]) == (None, [], None)


def test_zones_and_cards_are_drawn_in_place() -> None:
    table = DrawnTable()
    card = table.lay("KS", ("play", 0), angle=20)
    view = calibration(table)
    for _ in range(20):
        view.step()
    picture = calibration_picture(view.camera, table.mat, ("Ann", "Bo"), view.findings())
    assert picture is not None and picture.shape[0] > SIZE[1]
    for polygon in table.mat.areas.values():
        for a, b in itertools.pairwise(polygon):
            assert near(picture, at(table, [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)])[0], PALE)
    turn = np.radians(20)
    corner = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ (31.5, 0) + (card.x, card.y)
    assert near(picture, at(table, [tuple(corner)])[0], BLUE)
    (seen,) = view.to_json()["cards"]
    assert (seen["card"], seen["zone"]) == ("KS", "play 0")
    assert np.abs(np.mean(seen["outline"], axis=0) - at(table, [(card.x, card.y)])[0]).max() < 3


def pictures(folder: Path, table: DrawnTable, count: int = STILL_FRAMES + 1) -> Path:
    folder.mkdir()
    for number in range(count):
        frame = table.read()
        assert frame is not None
        cv2.imwrite(str(folder / f"{number:02}.bmp"), frame.image)
    return folder


def answer(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    (line,) = capsys.readouterr().out.splitlines()
    return dict(json.loads(line))


def test_the_stored_view_is_used_by_other_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = DrawnTable()
    table.lay("KS", ("play", 0))
    pictures(tmp_path / "clear", table)
    config = tmp_path / "table.toml"
    config.write_text(HEAD + '[camera]\nname = "above"\nsource = "dir:clear"\n', "utf-8")
    assert read_config(config).cameras[0].calibration is None
    assert main(["calibrate", "-c", str(config), "--json", "-o", str(tmp_path / "seen.png")]) == 0
    found = answer(capsys)
    kept = tmp_path / "above.calibration.json"
    assert (found["camera"], found["size"], found["stored"]) == ("above", list(SIZE), str(kept))
    assert [entry["card"] for entry in found["cards"]] == ["KS"]
    assert {entry["state"] for entry in found["findings"]} == {"good"}
    assert 1.5 < found["px_per_mm"] < 1.8
    assert found["picture"] == str(tmp_path / "seen.png")
    assert cv2.imread(found["picture"]).shape[1] == SIZE[0]
    assert read_config(config).cameras[0].calibration == kept
    # Later all marks are covered; the zones are still known.
    hidden = DrawnTable()
    hidden.hands += [((x, -200.0), (x, 30.0)) for x in (30.0, 850.0)] + [
        ((x, 700.0), (x, 470.0)) for x in (30.0, 850.0)
    ]
    pictures(tmp_path / "hidden", hidden)
    config.write_text(HEAD + '[camera]\nname = "above"\nsource = "dir:hidden"\n', "utf-8")
    assert main(["doctor", "-c", str(config), "--json", "--skip", "voice"]) == 1
    findings = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    texts = [finding["text"] for finding in findings if finding["check"] == "camera above"]
    assert "corner marks are missing: 0, 1, 2, 3" in texts
    assert any(text.startswith("a millimetre on the mat is 1.6") for text in texts)
    assert main(["calibrate", "-c", str(config), "--json"]) == 1
    assert answer(capsys)["stored"] is None


def test_the_simulated_table_is_calibrated_beside_another_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    other = 'game = "cribbage"\nplayers = ["Ann", "Bo"]\n[options]\ntarget = 61\n'
    (tmp_path / "table.toml").write_text(other, "utf-8")
    simulated = "synthetic:its-15?players=3&seed=7&pace=fast"
    assert main(["calibrate", simulated, "-o", "seen.jpg", "--store", "view.json"]) == 0
    output = capsys.readouterr().out
    assert "✓ it sees the four corner marks" in output and "Its view is stored in view.json." in output
    assert cv2.imread("seen.jpg").shape[1] == 1920
    assert load_homography(Path("view.json")).image_size == (1920, 1080)
    assert main(["calibrate", "synthetic:its-15?players=3", "-c", "table.toml", "--json"]) == 2
    assert "synthetic: 3 robots play its-15, not 2 cribbage" in capsys.readouterr().err


def test_texts_are_printed_and_drawn_in_the_language_of_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures(tmp_path / "pictures", DrawnTable())
    config = tmp_path / "table.toml"
    config.write_text('language = "fr"\n' + HEAD + 'source = "dir:pictures"\n', "utf-8")
    assert main(["calibrate", "-c", str(config), "-o", str(tmp_path / "vu.png")]) == 0
    printed = capsys.readouterr().out
    assert "✓ elle voit les quatre marques des coins\n" in printed and "Posez des cartes dans les coins" in printed
    french = cv2.imread(str(tmp_path / "vu.png"))
    config.write_text(HEAD + 'source = "dir:pictures"\n', "utf-8")
    assert main(["calibrate", "-c", str(config), "-o", str(tmp_path / "seen.png")]) == 0
    english = cv2.imread(str(tmp_path / "seen.png"))
    height = 864  # of the camera picture; the findings are below
    assert french.shape == english.shape and (french[:height] != english[:height]).any()
    assert (french[height:] != english[height:]).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-c", "{}/none.toml"], "there is no file"),
        (["dir:{}/nothing", "-o", "{}/a.png"], "There is no folder"),
        (["dir:{}/nothing", "-o", "{}/a.txt"], "will be a picture: call it picture.png"),
        (["-c", "{}/table.toml"], "which camera? --camera above or --camera side"),
        (["-c", "{}/table.toml", "--camera", "abov"], "no camera 'abov'; did you mean 'above'?"),
        (["synthetic:all-fives", "--port", "99999"], "--port: 99999 is not a port"),
        (["synthetic:chess"], "no players for 'chess'"),
    ],
)
def test_a_wrong_argument(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cameras = '[[cameras]]\nname = "above"\nsource = "usb:0"\n[[cameras]]\nname = "side"\nsource = "usb:1"\n'
    (tmp_path / "table.toml").write_text(HEAD + cameras, "utf-8")
    assert main(["calibrate", *(text.format(tmp_path) for text in arguments)]) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1


def test_a_missing_camera_is_reported_with_advice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "usb:99", "--json"]) == 1
    found = answer(capsys)
    (finding,) = found["findings"]
    assert "There is no camera usb:99" in finding["text"] and found["size"] is None
    assert main(["calibrate", "usb:99", "-o", "seen.png"]) == 1
    assert "there is no picture to save: There is no camera usb:99" in capsys.readouterr().err


def test_the_page_is_served_until_ctrl_c(tmp_path: Path) -> None:
    pictures(tmp_path / "clear", DrawnTable())
    with Program("calibrate", "dir:clear", "--port", "0", "--store", "view.json", folder=tmp_path) as process:
        line = process.stderr.readline()
        assert line.startswith("what the camera sees: http://127.0.0.1:") and "Ctrl-C ends" in line
        url = line.split()[4]
        while "The recording is over. The camera sees the mat." not in (line := process.stdout.readline()):
            assert line, "the program has ended"
        state = {"text": ""}
        while "is over" not in state["text"]:
            state = httpx.get(f"{url}/state.json", timeout=20).json()
        assert state["alert"] is False and state["title"] == "Calibrating: camera"
        assert "it sees the four corner marks" in [finding["text"] for finding in state["findings"]]
        picture = cv2.imdecode(np.frombuffer(httpx.get(f"{url}/camera.jpg", timeout=20).content, np.uint8), 1)
        assert picture.shape[1] == SIZE[0]
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr.read() == ""
    assert (tmp_path / "view.json").exists()


@pytest.mark.long
def test_two_seconds_are_enough_to_read_cards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The frames that calibrate reads without a page are enough."""
    table = DrawnTable()
    for card, zone in (("KS", ("play", 0)), ("2H", ("play", 1)), ("7D", ("turn-up", None))):
        table.lay(card, zone)
    folder = pictures(tmp_path / "cards", table, FRAMES // 2)
    assert main(["calibrate", f"dir:{folder}", "--json"]) == 0
    assert {entry["card"] for entry in answer(capsys)["cards"]} == {"KS", "2H", "7D"}
