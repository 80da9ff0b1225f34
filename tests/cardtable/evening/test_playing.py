"""Playing a game with cameras, journal and board together; recordings that continue."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest
from websockets.sync.client import connect

from cardtable.config.devices import CameraConfig
from cardtable.config.model import BoardConfig
from cardtable.errors import CardtableError, UsageError
from cardtable.evening.playing import Parts, checked, one_game, open_game, return_free_memory
from cardtable.journal.journal import Journal
from cardtable.table.cameras import card_readers, open_camera
from cardtable.table.snapshot import Snapshot
from engine.actions import Action
from engine.games import word_marks
from engine.record import Header
from tests.cardtable.limits import full_disk
from tests.cardtable.shown import Shown
from tests.cardtable.stored import append, readable
from tests.engine.talk import action
from tests.vision.drawn_table import DrawnTable
from vision.camera_pipeline import CameraPipeline
from vision.cameras.sources import Recording
from vision.frames import Frame, SourceLost
from vision.marks import ArucoReader, QrReader
from vision.mat.homography import load_homography

HEADER = Header("all-fives", ("Ann", "Bo"), 0)
ANYWHERE = BoardConfig(port=0)


class Script:
    """A drawn table on which something is done at certain frames; it ends after the last.

    `live`: it stands for a camera.
    """

    name = "script"

    def __init__(self, steps: dict[int, Callable[[DrawnTable], object]], length: int, live: bool = False) -> None:
        self.table = DrawnTable(noise=0)
        self.live = live
        self.closed = 0
        self._steps = steps
        self._length = length
        self._number = 0

    def read(self) -> Frame | None:
        if self._number == self._length:
            if self.live:
                raise SourceLost("Plug the camera in.")
            return None
        self._steps.get(self._number, lambda table: None)(self.table)
        self._number += 1
        return self.table.read()

    def close(self) -> None:
        self.closed += 1


def turn_up(table: DrawnTable) -> object:
    return table.lay("4H", ("turn-up", None))


def camera_over(source: Script, name: str = "camera") -> CameraPipeline:
    return CameraPipeline(source, source.table.mat, [ArucoReader(word_marks())], name)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        yield journal


def stored(journal: Journal) -> tuple[Action, ...]:
    last = journal.last()
    assert last is not None
    return last.actions


def test_from_frames_to_the_board(journal: Journal) -> None:
    source = Script({5: turn_up}, 14)
    past = open_game(journal, HEADER)
    with one_game(Parts(HEADER, [camera_over(source)], journal, past), ANYWHERE) as playing:
        playing.run()
        assert playing.board is not None
        state = httpx.get(f"{playing.board.url}/state.json").json()
        picture = httpx.get(f"{playing.board.url}/camera.jpg").content
    assert (state["title"], state["trump"], state["turn"]) == ("All Fives", "H", 1)
    assert cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR).shape[1] == 960
    assert stored(journal) == (action("turn 4H"),)
    assert source.closed


def test_a_live_camera_has_its_own_thread_and_is_waited_for(journal: Journal) -> None:
    """The camera shows the table, then it is unplugged."""
    source = Script({5: turn_up}, 14, live=True)
    shown: list[Snapshot] = []
    with one_game(
        Parts(HEADER, [camera_over(source)], journal, open_game(journal, HEADER), outputs=[Shown(shown.append)])
    ) as playing:
        playing.run(until=lambda: bool(shown[-1].sources and shown[-1].sources[0].trouble))
    assert shown[-1].sources[0].trouble == "Plug the camera in."
    assert stored(journal) == (action("turn 4H"),)


def test_a_fault_in_a_camera_thread_ends_the_program() -> None:
    def break_down(table: DrawnTable) -> object:
        raise ZeroDivisionError("a fault of the program")

    with (
        one_game(Parts(HEADER, [camera_over(Script({3: break_down}, 9, live=True))])) as playing,
        pytest.raises(ZeroDivisionError),
    ):
        playing.run()


def test_words_entered_on_the_page_are_played(journal: Journal) -> None:
    past = (action("turn 4H"),)
    open_game(journal, HEADER)
    append(journal, past)
    with one_game(Parts(HEADER, [], journal, past), ANYWHERE) as playing:
        assert playing.board is not None
        with connect(playing.board.url.replace("http", "ws") + "/live", proxy=None) as page:
            page.send('{"do": "say", "seat": 1, "word": "beg"}')
            playing.run(until=lambda: playing.game.snapshot.n == 2)
            while (state := json.loads(page.recv(timeout=10)))["n"] < 2:
                pass
            assert state["history"][0]["text"] == "Bo: “beg”"
            page.send('{"do": "undo", "n": 2}')
            playing.run(until=lambda: playing.game.snapshot.n == 3)
    assert stored(journal) == (action("turn 4H"), action("1 say beg"), Action("undo"))


def test_a_stale_undo_is_ignored() -> None:
    """Word and undo were sent while the page showed one action; the word came first."""
    with one_game(Parts(HEADER, [], None, (action("turn 4H"),)), ANYWHERE) as playing:
        assert playing.board is not None
        with connect(playing.board.url.replace("http", "ws") + "/live", proxy=None) as page:
            page.send('{"do": "say", "seat": 1, "word": "beg"}')
            page.send('{"do": "undo", "n": 1}')
            page.send('{"do": "say", "seat": 0, "word": "take-one"}')
            playing.run(until=lambda: playing.game.snapshot.n == 3)
    assert [entry.action.do for entry in playing.game.snapshot.history] == ["turn", "say", "say"]


def test_the_game_goes_on_by_itself_when_the_disk_has_room_again(journal: Journal) -> None:
    past = open_game(journal, HEADER)
    source = Script({5: turn_up}, 14)
    with one_game(Parts(HEADER, [camera_over(source)], journal, past)) as playing:
        with full_disk(journal.path.with_name("journal.sqlite-wal").stat().st_size):
            playing.run()
            assert playing.game.snapshot.trouble and "full" in playing.game.snapshot.trouble
        playing.run(until=lambda: playing.game.snapshot.trouble is None)
    assert stored(journal) == (action("turn 4H"),)


def test_the_last_game_with_the_same_header_is_resumed_unless_it_is_over(journal: Journal) -> None:
    assert open_game(journal, HEADER) == ()
    append(journal, [action("turn 4H")])
    assert open_game(journal, HEADER) == (action("turn 4H"),)
    assert open_game(journal, Header("all-fives", ("Ann", "Cy"), 0)) == ()
    assert open_game(journal, HEADER) == (action("turn 4H"),), "another game between changes nothing"
    assert open_game(journal, HEADER, new=True) == ()
    append(journal, [action("turn 6H")], over=True)
    assert open_game(journal, HEADER) == ()
    assert [len(game.actions) for game in readable(journal.games)] == [1, 0, 1, 0]


def test_the_view_of_the_mat_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "camera.json"
    with one_game(Parts(HEADER, [camera := camera_over(Script({}, 6))], calibrations={"camera": path})) as playing:
        playing.run()
    assert camera.homography is not None
    assert np.allclose(load_homography(path).matrix, camera.homography.matrix)


def test_a_damaged_calibration_file(tmp_path: Path) -> None:
    path = tmp_path / "camera.json"
    path.write_text("{}")
    with pytest.raises(UsageError, match="delete it"):
        open_camera(CameraConfig(source="usb:63", calibration=path), HEADER, ["aruco"])


def test_everything_is_closed_when_the_port_is_in_use() -> None:
    with one_game(Parts(HEADER, []), ANYWHERE) as first:
        assert first.board is not None
        source = Script({}, 6)
        second = one_game(Parts(HEADER, [camera_over(source)]), BoardConfig(port=first.board.port))
        with pytest.raises(CardtableError, match="is in use"), second:
            pass
        assert source.closed


def test_the_end_of_a_recording_is_reported_if_the_table_waits() -> None:
    shown: list[Snapshot] = []
    with one_game(Parts(HEADER, [camera_over(Script({}, 6))], outputs=[Shown(shown.append)])) as playing:
        playing.run()
        assert shown[-1].sources == () or shown[-1].sources[0].trouble is None
        playing.run(until=lambda: bool(shown[-1].sources and shown[-1].sources[0].trouble))
    assert "The recording script has ended, but the game has not" in str(shown[-1].sources[0].trouble)


def test_card_readers_for_marks() -> None:
    kinds = [type(reader) for reader in card_readers(["qr", "aruco"])]
    assert kinds == [ArucoReader, QrReader]
    assert type(card_readers(["faces"])[0]) is ArucoReader, "for the action cards"


def test_a_header_that_the_game_refuses() -> None:
    assert checked(HEADER) is HEADER
    with pytest.raises(UsageError, match="All Fives is for"):
        checked(Header("all-fives", ("Ann",)))


# Recordings that continue where they broke off


def film(path: Path, length: int) -> bytes:
    """Write a film whose frames encode their number as brightness; return its bytes."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20, (160, 120))
    for number in range(length):
        writer.write(np.full((120, 160, 3), 5 + 10 * number, np.uint8))
    writer.release()
    return path.read_bytes()


def numbers(source: Recording) -> Iterator[int]:
    while (frame := source.read()) is not None:
        yield round((float(np.median(frame.image)) - 5) / 10)


def test_a_recording_continues_where_it_broke_off(tmp_path: Path) -> None:
    path = tmp_path / "film.avi"
    whole = film(path, 20)
    path.write_bytes(whole[: len(whole) * 7 // 10])
    source = Recording(str(path))
    seen: list[int] = []
    with pytest.raises(SourceLost, match="is cut off after"):
        for number in numbers(source):
            seen.append(number)
    assert source.live, "it is waited for, as a camera is"
    with pytest.raises(SourceLost, match="is cut off after"):
        source.read()
    path.unlink()
    with pytest.raises(SourceLost, match="is cut off after"):
        source.read()
    path.write_bytes(whole[:100])  # a copy of it has begun
    with pytest.raises(SourceLost, match="not a video"):
        source.read()
    with pytest.raises(SourceLost, match="is cut off after"):
        source.read()
    path.write_bytes(whole)
    seen += numbers(source)
    assert seen == list(range(20))
    assert not source.live
    source.close()


def test_a_whole_recording_ends(tmp_path: Path) -> None:
    film(tmp_path / "film.avi", 5)
    source = Recording(str(tmp_path / "film.avi"))
    assert list(numbers(source)) == list(range(5))
    source.close()


# Memory that is free is returned to the system between two games

SIZE = 100_000
"""Below the size from which the C library gives memory back at once, bytes."""


def resident_mb() -> float:
    found = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) / 1024


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can be asked to return memory")
def test_what_lies_free_between_pieces_in_use_is_returned() -> None:
    pieces = [bytes([1]) * SIZE for _ in range(2_000)]
    kept = pieces[::100]
    del pieces
    before = resident_mb()
    return_free_memory()
    assert resident_mb() < before - 100
    assert len(kept) == 20
