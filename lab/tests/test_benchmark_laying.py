"""Deals of `lab.benchmarks.laying`, with a camera at one side and with a reader that sees nothing."""

from __future__ import annotations

from functools import partial

import pytest

from engine.observations import Observation
from lab.benchmarks import laying
from lab.benchmarks.laying import TRIES, Deal, Dealt
from tests.drawing.german import german_style
from tests.drawing.placed import Layout
from tests.drawing.stage_source import StageSource
from tests.drawing.unseen_decks import drawn, placed
from vision.faces import FaceReader
from vision.mat.layout import Mat
from vision.readings import Reader


class Blind:
    """In place of the vision pipeline: moves the hands on without drawing a picture, and reports nothing."""

    def __init__(self, source: StageSource, mat: Mat, readers: list[Reader]) -> None:
        self._stage = source.stage

    def step(self) -> list[Observation]:
        self._stage.move_on(self._stage.time + 0.1)
        return []


@pytest.mark.slow
@pytest.mark.parametrize("inset", [False, True])
def test_cards_are_read_by_a_camera_at_one_side(inset: bool) -> None:
    """At 40 degrees sides of a card differ by a quarter from those of one seen from above."""
    faces = partial(placed, layout=Layout(top_mm=12.0)) if inset else drawn
    tally = Deal(3, faces, FaceReader(), tilt=40.0).run(8)
    assert (tally.laid, tally.wrong, tally.again, tally.never) == (8, 0, 0, 0)


def test_cards_that_are_never_reported_are_laid_again_and_then_swept_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last try ends before the trick is swept: otherwise two hands take the same card."""
    monkeypatch.setattr(laying, "CameraPipeline", Blind)
    deal = Deal(3, drawn, FaceReader())
    tally = deal.run(8)
    assert (tally.laid, tally.again, tally.never, tally.wrong) == (8, TRIES * 8, 8, 0)
    assert tally.missed
    assert not deal.stage.busy()
    assert sorted(laid.place.zone.name for laid in deal.stage.lying() if laid.place.zone) == ["show"] * 3 + ["turn-up"]


@pytest.mark.slow
def test_a_deck_with_german_suits_is_laid() -> None:
    tally = Deal(3, partial(drawn, style=german_style()), FaceReader(suits="german")).run(8)
    assert (tally.laid, tally.wrong, tally.again, tally.never) == (8, 0, 0, 0)


def test_deals_with_other_suits_are_recorded_apart() -> None:
    assert Dealt("mine", 3).key != Dealt("mine", 3, suits="german").key


@pytest.mark.parametrize("more", [["--twelve", "unseen"], ["--random", "2"], ["--letters", "J=V"]])
def test_german_suits_are_for_one_deck(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        laying.main(["--german", *more])
    assert "leave --twelve, --random and --letters out" in capsys.readouterr().err
