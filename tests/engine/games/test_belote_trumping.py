"""The duty to trump and to rise, as in Belote."""

from __future__ import annotations

import pytest

from engine.cards import parse_card
from engine.games.belote import Belote


def playable(trick: str, hand: str, **options: bool) -> set[str]:
    """What seat 1, whose hand is known, may play; hearts are trumps."""
    undertrumps = options.pop("undertrumps", True)
    game = Belote(("Ann", "Bo", "Cy", "Dee"), 0, options)
    game.name_trumps("heart")
    game.undertrumps = undertrumps
    played = tuple(map(parse_card, trick.split()))
    now = game.new_trick((1 + len(played)) % 4)
    for card in played:
        now.add(card)
    game.hands[1].deal(tuple(map(parse_card, hand.split())))
    return {str(action.card) for action in game.play_offers(now)["play"].actions()}


@pytest.mark.parametrize(
    ("trick", "hand", "rules", "allowed"),
    [
        ("7S", "8S AS JH", {}, "8S AS"),
        ("7H", "8H AC", {}, "8H"),
        ("QH", "8H AH JH AC", {}, "AH JH"),
        ("9H", "8H AH AC", {}, "8H AH"),
        ("9H AC 7S", "8H JH AH", {}, "JH"),  # also if the partner has the highest trump
        ("7S", "8H JH AC", {}, "8H JH"),
        ("7S KH", "8H JH AC", {}, "JH"),
        ("7S 9H 8C", "8H QH AC", {}, "8H QH AC"),  # the partner is winning
        ("7S 9H 8C", "8H QH AC", {"spare_partner": False}, "8H QH"),
        ("AS 8S 9S", "8H AC", {}, "8H"),
        ("AS 8S", "8H AC", {}, "8H AC"),
        ("7S 8S AS", "8H AC", {}, "8H"),
        ("7S AS", "8H AC", {}, "8H"),
        ("KH", "AC 10S", {}, "AC 10S"),
        ("7S 8C 9H", "8H QH AC", {}, "8H QH"),  # undertrumps
        ("7S 8C 9H", "8H QH AC", {"undertrumps": False}, "8H QH AC"),
        ("7S 8C 9H", "8H JH AC", {"undertrumps": False}, "JH"),
        ("", "8H JH AC", {}, "8H JH AC"),
    ],
)
def test_the_duty_to_trump_and_to_rise(trick: str, hand: str, rules: dict[str, bool], allowed: str) -> None:
    assert playable(trick, hand, **rules) == {*allowed.split()}
