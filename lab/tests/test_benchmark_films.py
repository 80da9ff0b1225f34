"""`lab.benchmarks.films` plays whole games with unseen decks, and fails if a record or a reading is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardtable.simulation.places import Place
from cardtable.simulation.stage import FAST, Stage
from engine.cards import Card, parse_card
from lab.benchmarks.films import DRAWN, Film, main, setting_of
from tests.drawing.unseen_decks import FRAME_CLEAR_MM, deck, random_layout
from vision.frames import Image
from vision.mat.layout import lay_out


@pytest.mark.slow
def test_a_game_with_indices_far_from_the_edge_is_recorded() -> None:
    summary = Film("drawn, inset 12 mm", setting_of("all-fives", 2, ("target=5",))).play()
    cards = summary["cards"]
    assert summary["agree"] and cards["laid"] == cards["right"] > 20


def test_the_stage_draws_the_given_faces_and_its_own_backs() -> None:
    asked: list[Card] = []

    def faces(card: Card) -> Image:
        asked.append(card)
        return drawn(card)

    drawn, ace, middle = deck(DRAWN[0], Path()), parse_card("AS"), Place((300.0, 200.0), 0.0, None)
    special, usual = (Stage(lay_out(2, ("play",)), "faces", FAST, 1, faces=drawing) for drawing in (faces, None))
    shown, other = (stage.sprite(stage.card(ace, 0, middle)).adds for stage in (special, usual))
    back, same = (stage.sprite(stage.card(None, 0, middle)).adds for stage in (special, usual))
    assert asked == [ace]
    assert not np.array_equal(shown, other) and np.array_equal(back, same)


@pytest.mark.parametrize(("agree", "wrong", "status"), [(True, 0, 0), (False, 0, 1), (True, 1, 1)])
def test_a_record_that_differs_or_a_wrong_card_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], agree: bool, wrong: int, status: int
) -> None:
    def play(film: Film) -> dict[str, Any]:
        cards = {"laid": 10, "right": 10 - wrong, "wrong": wrong, "missed": 0}
        return {
            "cards": cards, "laid_again": 0, "actions": 12, "agree": agree, "difference": None if agree else "a score",
        }  # fmt: skip

    monkeypatch.setattr(Film, "play", play)
    assert main(["--games", "cribbage"]) == status
    printed = capsys.readouterr().out
    assert all(name in printed for name in DRAWN) and ("DIFFERS: a score" in printed) is not agree


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--games", "snap"], "snap"), (["--games", "cribbage", "--option", "target=x"], "target")],
)
def test_a_game_that_cannot_be_played_is_named(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2 and message in capsys.readouterr().err


def test_only_the_decks_named_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    decks: list[str] = []

    def play(film: Film) -> dict[str, Any]:
        decks.append(film.deck)
        cards = dict.fromkeys(("laid", "right", "wrong", "missed"), 0)
        return {"cards": cards, "laid_again": 0, "actions": 0, "agree": True, "difference": None}

    monkeypatch.setattr(Film, "play", play)
    assert main(["--games", "cribbage", "--random", "2", "--first", "7", "miniature", "random"]) == 0
    assert decks == ["drawn, miniature", "random 7", "random 8"]


def test_frames_of_random_decks_stand_clear_of_the_indices() -> None:
    layouts = [random_layout(number) for number in range(0, 120, 2)]
    framed = [layout for layout in layouts if layout.frame_mm]
    assert len(framed) > 5 and len({layout.card_mm for layout in layouts}) == 3
    assert all(layout.frame_mm + FRAME_CLEAR_MM <= min(layout.side_mm, layout.top_mm) for layout in framed)
    with pytest.raises(ValueError, match="random deck 3"):
        random_layout(3)
