"""Cards and words that lie where they mean nothing: what the players are asked to do."""

from __future__ import annotations

import pytest

from tests.engine.referee.table_top import TableTop


@pytest.mark.parametrize(
    ("face", "zone", "seat", "kind", "asked"),
    [
        ("4S", "say", 1, "outside", 1),
        ("4S", None, None, "outside", None),
        ("say:stand", None, None, "outside", None),
        ("say:stand", "play", 1, "outside", 1),
        ("say:stand", "show", 0, "outside", 0),
        (None, "play", 1, "unreadable", 1),
    ],
)
def test_a_card_in_the_wrong_place(
    face: str | None, zone: str | None, seat: int | None, kind: str, asked: int | None
) -> None:
    top = TableTop().started()
    card = top.lay(face, zone, seat)
    assert (kind, asked) in [(prompt.kind, prompt.seat) for prompt in top.referee.prompts]
    assert top.done == []
    top.lift(card)
    assert top.kinds == ["turn"]


def test_an_action_card_belongs_in_a_say_zone() -> None:
    top = TableTop().started()
    top.lay("say:stand", "play", 1)
    assert top.text("outside") == "Lay the card “stand” in your own say zone."


def test_a_refused_card_is_taken_back_by_the_seat_it_lies_before() -> None:
    top = TableTop().started()
    top.lay("2H", "play", 1)
    assert ("take-back", 1) in [(prompt.kind, prompt.seat) for prompt in top.referee.prompts]


def test_a_bid_before_the_game_begins_is_taken_back() -> None:
    top = TableTop(game="its-15")
    top.lay("red-1", "bid", 0)
    assert (top.done, top.kinds) == ([], ["take-back", "turn"])
