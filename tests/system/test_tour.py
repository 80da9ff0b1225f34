"""The walks of docs/tour.md are those of the running program."""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import pytest
from websockets.sync.client import connect

from cardtable.config.model import BoardConfig
from cardtable.evening.playing import Parts, Playing, one_game
from cardtable.journal.journal import Journal
from cardtable.simulation.rfid import RfidTable
from cardtable.simulation.source import Setting, SyntheticSource
from cardtable.table.cameras import card_readers, mat_for
from cardtable.table.readers import open_readers
from firmware_bridge import NotBuilt
from vision.camera_pipeline import CameraPipeline

ROOT: Final = Path(__file__).parents[2]
TOUR: Final = ROOT / "docs" / "tour.md"
MOST_FILES: Final = 12
Step = tuple[str, str]
"""A file, by its path in the repository, and the qualified name of a function in it."""


def walks() -> dict[str, list[Step]]:
    """Return the steps of each walk by its title."""
    parts = re.split(r"^## (.*)\n", TOUR.read_text("utf-8"), flags=re.MULTILINE)
    steps = {
        title: re.findall(r"^\d+\. `([\w/]+\.py)` `([\w.]+)`", text, re.MULTILINE)
        for title, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    return {title: found for title, found in steps.items() if found}


class Walked:
    """The calls of the functions that a walk names, in the order in which they happened, in any thread."""

    def __init__(self, steps: list[Step]) -> None:
        self.calls: list[Step] = []
        self._names = {name for _, name in steps}
        self._steps = set(steps)
        self._known: dict[CodeType, Step | None] = {}

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_qualname in self._names:
            step = self._step(frame.f_code)
            if step in self._steps:
                self.calls.append(step)

    def _step(self, code: CodeType) -> Step | None:
        if code not in self._known:
            path = Path(code.co_filename)
            inside = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
            self._known[code] = (inside, code.co_qualname)
        return self._known[code]

    def misses(self, steps: list[Step]) -> list[Step]:
        """Return the steps that did not happen after those before them."""
        calls = iter(self.calls)
        return [step for step in steps if step not in calls]


@contextmanager
def watched(steps: list[Step]) -> Iterator[Walked]:
    """Watch the calls of every thread that is started meanwhile, and of this one."""
    walked = Walked(steps)
    threading.setprofile(walked)
    sys.setprofile(walked)
    try:
        yield walked
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


@contextmanager
def before_a_camera(folder: Path) -> Iterator[Playing]:
    """A game with printed faces and a board, whose first action has been done."""
    setting = Setting(seed=3, pace="fast")
    camera = CameraPipeline(SyntheticSource(setting), mat_for(setting.header), card_readers(["faces"]))
    journal = Journal(folder / "journal.sqlite")
    journal.begin(setting.header)
    with one_game(Parts(setting.header, [camera], journal), BoardConfig(port=0)) as playing:
        playing.run(until=lambda: bool(playing.table.actions))
        yield playing
    journal.close()


def test_there_are_three_walks_of_at_most_twelve_files() -> None:
    assert len(walks()) == 3
    assert [title for title, steps in walks().items() if len({file for file, _ in steps}) > MOST_FILES] == []


def test_a_card_before_the_camera(tmp_path: Path) -> None:
    steps = walks()["A card before the camera"]
    with watched(steps) as walked, before_a_camera(tmp_path):
        pass
    assert walked.misses(steps) == []


def test_a_card_on_a_reader(tmp_path: Path) -> None:
    steps = walks()["A card on a reader"]
    setting = Setting(seed=134, marks="aruco", pace="fast")
    try:
        table = RfidTable(setting, tmp_path)
    except NotBuilt as error:
        pytest.skip(str(error))
    journal = Journal(tmp_path / "journal.sqlite")
    journal.begin(setting.header)
    readers = open_readers(table.configs, journal, lambda: table.time, table.port)
    try:
        with watched(steps) as walked, one_game(Parts(setting.header, [], journal, readers=readers)) as playing:
            table.watch(lambda: playing.game.snapshot.view, lambda: playing.game.snapshot.prompts)

            def done() -> bool:
                table.turn()
                return walked.misses(steps) == [] or table.ended

            playing.run(until=done)
    finally:
        table.close()
        journal.close()
    assert walked.misses(steps) == []


def test_a_tap_on_a_page(tmp_path: Path) -> None:
    steps = walks()["A tap on a page"]
    with watched(steps) as walked, before_a_camera(tmp_path) as playing:
        assert playing.board is not None
        shown = playing.game.snapshot.n
        walked.calls.clear()
        with connect(f"ws://127.0.0.1:{playing.board.port}/live", proxy=None) as page:
            page.send(json.dumps({"do": "undo-to", "n": shown, "line": 1}))
            playing.run(until=lambda: playing.game.snapshot.n > shown)
    assert walked.misses(steps) == []
