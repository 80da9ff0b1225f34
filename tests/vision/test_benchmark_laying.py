"""A deal of `benchmarks.laying` with a reader that sees nothing ends with a result."""

from __future__ import annotations

import pytest

from benchmarks import laying
from benchmarks.laying import TRIES, Deal
from benchmarks.stage_source import StageSource
from benchmarks.unseen_decks import drawn
from engine.observations import Observation
from vision.faces import FaceReader
from vision.readings import Reader
from vision.table.mat import Mat


class Blind:
    """In place of the vision pipeline: moves the hands on without drawing a picture, and reports nothing."""

    def __init__(self, source: StageSource, mat: Mat, readers: list[Reader]) -> None:
        self._stage = source.stage

    def step(self) -> list[Observation]:
        self._stage.move_on(self._stage.time + 0.1)
        return []


def test_cards_that_are_never_reported_are_laid_again_and_then_swept_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last try ends before the trick is swept: otherwise two hands take the same card."""
    monkeypatch.setattr(laying, "CameraPipeline", Blind)
    deal = Deal(3, drawn, FaceReader())
    tally = deal.run(8)
    assert (tally.laid, tally.again, tally.never, tally.wrong) == (8, TRIES * 8, 8, 0)
    assert tally.missed
    assert not deal.stage.busy()
    assert sorted(laid.place.zone.name for laid in deal.stage.lying() if laid.place.zone) == ["show"] * 3 + ["turn-up"]
