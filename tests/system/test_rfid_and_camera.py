"""Readers under the table and a camera above it, both of the same cards: each card is laid once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cardtable.evening.playing import Parts, one_game
from cardtable.simulation.checking import Readings, first_difference
from cardtable.simulation.rfid import RfidTable
from cardtable.simulation.source import Setting
from cardtable.table.cameras import card_readers, mat_for
from cardtable.table.readers import open_readers
from cardtable.table.snapshot import Snapshot
from engine.observations import Observation, Scene
from engine.views import Prompt, View
from firmware_bridge import NotBuilt
from tests.cardtable.shown import Shown
from vision.camera_pipeline import CameraPipeline
from vision.frames import Frame

SETTING = Setting(seed=134, marks="aruco", pace="fast")
ACTIONS = (8, pytest.param(20, marks=pytest.mark.long))
"""Enough actions for the cut, the deal and a trick; for words, several tricks, cards taken back, exposed and called."""


class Above:
    """A camera above the table with readers."""

    live = False
    name = "above"

    def __init__(self, table: RfidTable) -> None:
        self._table = table

    def watch(self, view: Callable[[], View], prompts: Callable[[], tuple[Prompt, ...]]) -> None:
        self._table.watch(view, prompts)

    def read(self) -> Frame | None:
        return None if self._table.ended else self._table.seen()

    def close(self) -> None:
        self._table.close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RfidTable]:
    try:
        table = RfidTable(SETTING, tmp_path)
    except NotBuilt as error:
        if "missing" in str(error):
            pytest.skip(str(error))
        raise
    yield table
    table.close()


@pytest.mark.parametrize("wanted", ACTIONS)
def test_camera_and_readers_report_the_same_cards_and_each_is_laid_once(table: RfidTable, wanted: int) -> None:
    header = SETTING.header
    by_camera, by_readers = Readings(), Readings()
    both: list[set[str]] = []
    lately: dict[str, set[str]] = {}

    def observe(observation: Observation) -> None:
        if isinstance(observation, Scene):
            lately[observation.source] = {f"{card.face} {card.zone}" for card in observation.sightings if card.face}
            if len(lately) == 2:
                both.append(set.intersection(*lately.values()))

    def see(observation: Observation) -> None:
        (by_camera if observation.source == eye.name else by_readers).take(observation)
        observe(observation)

    eye = CameraPipeline(Above(table), mat_for(header), card_readers([SETTING.marks]))
    readers = open_readers(table.configs, None, lambda: table.time, stepped=table.port)
    doubled: list[object] = []
    prompts: set[str] = set()

    def show(shown: Snapshot) -> None:
        doubled.extend(twice(shown.view))
        prompts.update(prompt.text for prompt in shown.prompts if prompt.kind in ("two-cards", "take-back", "misread"))

    with one_game(Parts(header, [eye], readers=readers, outputs=[Shown(show)], observed=see)) as playing:
        record = playing.table
        playing.run(until=lambda: table.ended or len(record.actions) >= wanted)
        actions = list(record.actions)
    assert table.gave_up is None and len(actions) >= wanted
    # The robots see the board with the next frame, so they may not know the last action yet.
    done = [*table.director.done, *actions[len(table.director.done) :][:1]]
    assert first_difference(actions, done, table.director.again) is None
    assert doubled == [] and prompts == set()
    laid = [card for card in table.on_readers() if card.lifted is not None]
    assert by_camera.count(laid).missed == by_readers.count(laid).missed == 0
    assert len(set.union(*both)) > wanted / 3  # the number of cards that both saw in the same place at the same time


def twice(view: View) -> list[object]:
    return [card for card, times in Counter(entry.card for entry in view.lying).items() if times > 1]
