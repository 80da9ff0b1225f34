"""Which prompts are urgent: what is wrong and has stayed so for two seconds; progress never is."""

from __future__ import annotations

import pytest

from engine.observations import Lost, Said, Scene
from engine.referee.prompts import URGENT_S
from tests.engine.referee.table_top import TableTop


def urgent(top: TableTop) -> list[str]:
    return [prompt.kind for prompt in top.referee.prompts if prompt.urgent]


@pytest.fixture
def top() -> TableTop:
    return TableTop().started()


def test_a_card_out_of_turn_is_urgent_after_two_seconds(top: TableTop) -> None:
    top.lay("3D", "play", 0)
    assert (top.kinds, urgent(top)) == (["take-back", "turn"], [])
    top.referee.pass_time("camera", top.clock + URGENT_S - 0.1)
    assert urgent(top) == []
    top.referee.pass_time("camera", top.clock + URGENT_S)
    assert urgent(top) == ["take-back"]
    top.referee.pass_time("reader", 0.0)
    assert urgent(top) == ["take-back"], "it stays urgent by every clock"


def test_the_clocks_of_two_sources_are_not_compared(top: TableTop) -> None:
    top.lay("3D", "play", 0)
    top.referee.pass_time("reader", 9000.0)
    assert urgent(top) == []
    top.referee.pass_time("reader", 9000.0 + URGENT_S)
    assert urgent(top) == ["take-back"]


def test_scenes_measure_the_time_as_well(top: TableTop) -> None:
    top.lay("3D", "play", 0)
    top.show()
    assert urgent(top) == []
    top.show()
    assert urgent(top) == ["take-back"]


def test_a_card_lifted_just_before_it_is_laid_elsewhere_raises_no_alarm(top: TableTop) -> None:
    exposed = top.lay("8H", "show", 1)
    top.lift(exposed)
    assert (top.kinds, urgent(top)) == (["put-back", "turn"], [])
    top.lay("8H", "play", 1)
    assert (top.kinds, urgent(top)) == (["turn"], [])


def test_the_time_starts_again_when_the_mistake_is_repeated(top: TableTop) -> None:
    laid = top.lay("3D", "play", 0)
    top.show()
    top.lift(laid)
    top.lay("3D", "play", 0)
    assert urgent(top) == []


def test_a_bid_laid_card_by_card_is_never_urgent() -> None:
    top = TableTop(game="its-15")
    top.lay("green-1", "table")
    top.say(0, "stay")
    top.say(1, "stay")
    for _ in range(3):
        top.lay("red-1", "bid", 0)
    top.lay("blue-1", "bid", 1)
    top.referee.pass_time("camera", top.clock + 60)
    assert top.kinds == ["unfinished", "turn"]
    assert urgent(top) == []


def test_the_crib_laid_card_by_card_is_never_urgent() -> None:
    top = TableTop(game="cribbage")
    top.lay("2H", "turn-up")
    hands = (("4S", "5S", "6S", "7S"), ("4C", "5C", "6C", "7C"))
    for cards in zip(*hands, strict=True):
        for _ in range(2):
            seat = top.table.turn
            if seat is not None:
                top.lay(cards[seat], "play", seat)
    shown = 0
    for card in ("8D", "9D", "10D"):
        if top.table.phase == "show":
            top.lay(card, "crib")
            top.referee.pass_time("camera", top.clock + 60)
            shown += "unfinished" in top.kinds
            assert urgent(top) == []
    assert shown == 3


def test_failed_sources_and_refused_words_are_urgent_at_once(top: TableTop) -> None:
    top.referee.observe(Lost(top.clock, "camera", "Plug the camera in."))
    top.referee.observe(Said(top.clock, "page", 0, "beg"))
    assert urgent(top) == ["source", "refused"]


def test_a_turn_is_never_urgent(top: TableTop) -> None:
    top.referee.observe(Scene(top.clock + 1000, "camera", tuple(top.lying.values())))
    assert (top.kinds, urgent(top)) == (["turn"], [])
