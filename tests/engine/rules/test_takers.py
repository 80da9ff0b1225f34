"""Takers who must make more points than the others, or what they bid, in a game with other numbers than Belote."""

from __future__ import annotations

from typing import Any

import pytest

from engine.cards import SUITS, Card, Deck, parse_card
from engine.games.belote import TakersGame
from engine.games.belote.bidding import PointContract
from engine.rules.game import Option
from engine.rules.penalties import REVOKE

DECK = Deck(Card(rank, suit) for suit in SUITS for rank in ("A", "K"))
POINTS = {card: 11 if card.rank == "A" else 4 for card in DECK}
TRICKS = ("AS KS KH KD", "AC KC AD AH")
"""Two tricks without trumps: each is won by the ace that is led."""


class Pit(TakersGame):
    """Two cards each, aces for 11 and kings for 4. The last trick scores 5, both tricks 50. Seats 0 and 2 take."""

    name = title = "pit"
    seats = range(4, 5)
    partners = (4,)
    deck = DECK
    words = (REVOKE,)
    reasons = ("last", "pit", "other")
    last_trick, every_trick = ("last", 5), ("pit", 50)
    point_bids, every_trick_bid = {"30": 30, "pit": 70}, "pit"
    options = (
        *(Option("target", 500, "points that win"), TakersGame.LITIGE, TakersGame.REDOUBLED, TakersGame.ROUNDED),
    )
    card_points = POINTS
    others = (0, 0)

    def points_of(self, side: int) -> dict[str, int]:
        """Add what the test says."""
        return {**super().points_of(side), "other": self.others[side]}


def scored(
    leaders: tuple[int, int],
    contract: PointContract | None = None,
    others: tuple[int, int] = (0, 0),
    kept: tuple[str, ...] = (),
    revokers: tuple[int, ...] = (),
    **options: object,
) -> tuple[list[int], set[str], int]:
    """Count a hand of two tricks, each won by its leader; return scores, reasons, and the points held over."""
    game = Pit(("Ann", "Bo", "Cy", "Dee"), 0, options)
    for leader, cards in zip(leaders, TRICKS, strict=True):
        trick = game.new_trick(leader)
        for card in cards.split():
            trick.add(parse_card(card))
        game.tricks.append(trick)
    game.trick, game.contract, game.others, game.kept = None, contract, others, kept
    game.revokers = revokers
    game.count_hand(0)
    return game.match.scores, {point.reason for point in game.points}, game.match.more.get("held", 0)


def bid(word: str, risk: int = 1) -> PointContract:
    return PointContract(word, "", 0, risk)


@pytest.mark.parametrize(
    ("leaders", "more", "scores", "reasons"),
    [  # the first trick counts 23, the second 37
        ((1, 0), {}, [42, 23], {"tricks", "last"}),
        ((0, 1), {}, [0, 65], {"all-points"}),
        ((0, 1), {"others": (5, 0), "kept": ("other",)}, [5, 65], {"all-points", "other"}),
        ((0, 1), {"others": (5, 0)}, [0, 70], {"all-points", "other"}),
        ((0, 2), {}, [110, 0], {"tricks", "pit"}),
        ((1, 3), {}, [0, 110], {"all-points"}),
        ((1, 0), {"revokers": (2,)}, [0, 65], {"all-points"}),
        ((0, 2), {"revokers": (2, 1)}, [0, 0], set()),
        ((1, 0), {"contract": bid("30")}, [72, 23], {"tricks", "last", "contract"}),
        ((0, 1), {"contract": bid("30")}, [0, 95], {"all-points", "contract"}),
        ((1, 3), {"contract": bid("30")}, [0, 95], {"all-points", "contract"}),
        ((1, 0), {"contract": bid("30", 2)}, [125, 0], {"all-points", "contract"}),
        ((1, 0), {"contract": bid("30", 4), "surcoinche": 3}, [155, 0], {"all-points", "contract"}),
        ((1, 0), {"contract": bid("pit"), "others": (90, 0)}, [0, 225], {"all-points", "contract", "other"}),
        ((0, 2), {"contract": bid("pit")}, [180, 0], {"tricks", "pit", "contract"}),
        ((1, 0), {"rounded": True}, [40, 20], {"tricks", "last", "rounding"}),
    ],
)
def test_worked_examples(leaders: tuple[int, int], more: dict[str, Any], scores: list[int], reasons: set[str]) -> None:
    assert scored(leaders, **more) == (scores, reasons, 0)


def test_equal_points_are_held_or_lost() -> None:
    assert scored((1, 0), others=(0, 19)) == ([0, 42], {"tricks", "other"}, 42)
    assert scored((1, 0), others=(0, 19), litige="lost") == ([0, 84], {"all-points", "other"}, 0)
