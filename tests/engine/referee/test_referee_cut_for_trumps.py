"""The cut for trumps between two hands: the last trick still lies there, and cut cards are laid in its place."""

from __future__ import annotations

from tests.engine.referee.table_top import TableTop, play


def tied() -> tuple[TableTop, list[str]]:
    """Ann and Bo have won a trick each, and cut for trumps. Return the names of the last trick's cards too."""
    top = TableTop(("Ann", "Bo"), 0, game="knock-out-whist", options={"cards": 2})
    top.lay("5H", "turn-up")
    first = [top.lay("KC", "play", 1), top.lay("AC", "play", 0)]
    top.lift(*first)
    return top, [top.lay("2C", "play", 0), top.lay("QC", "play", 1)]


def test_the_last_trick_is_gathered_before_the_cut() -> None:
    top, trick = tied()
    top.lift(*trick)
    assert top.done[-1] == {"do": "gather", "seat": 1}
    top.lay("9S", "play", 0)
    cut = top.lay("JD", "play", 1)
    assert top.done[-2:] == [{"do": "cut", "seat": 0, "card": "9S"}, {"do": "cut", "seat": 1, "card": "JD"}]
    assert (top.table.phase, top.kinds) == ("deal", ["turn"])
    top.lift(cut)
    assert top.done[-1]["do"] == "cut"


def test_cards_are_cut_while_the_last_trick_lies_there() -> None:
    top, trick = tied()
    nine = top.lay("9S", "play", 0)
    top.lift(*trick)
    assert top.done[-1] == {"do": "cut", "seat": 0, "card": "9S"}
    top.lift(nine)
    top.lay("JD", "play", 1)
    top.say(1, "spade")
    top.lay("3S", "play", 0)
    assert top.done[-2:] == [{"do": "say", "seat": 1, "word": "spade"}, play(0, "3S")]
