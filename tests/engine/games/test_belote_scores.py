"""What a hand of Belote scores, from worked examples: classic, contrée, litige and capot."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import pytest

from engine.cards import parse_card
from engine.games.belote import DECK, Belote, points_of_cards, ranking_of
from engine.games.belote.bidding import PointContract
from tests.engine.games.test_belote import cards


def counted(
    tricks: tuple[str, str],
    *,
    taker: int = 0,
    last: int = 0,
    belote: int | None = None,
    declared: tuple[int, int] = (0, 0),
    contract: PointContract | None = None,
    revokers: tuple[int, ...] = (),
    held: int = 0,
    **options: object,
) -> Any:
    """The game after a hand with hearts as trumps. `tricks`: by side, the cards won."""
    game: Any = Belote(("Ann", "Bo", "Cy", "Dee"), 0, {"form": "contree" if contract else "classic", **options})
    game.name_trumps("heart")
    game.contract, game.revokers = contract, revokers
    won = [cards(each) for each in tricks]
    sides = [*([0] * (len(won[0]) // 4)), *([1] * (len(won[1]) // 4))]
    sides.sort(key=lambda side: side == last)
    piles = [iter(pile) for pile in won]

    class Won:
        def __init__(self, side: int) -> None:
            self.winner, self.cards = side, tuple(next(piles[side]) for _ in range(4))

    game.tricks = [Won(side) for side in sides]
    game.tricks_of = sides.count
    game.belotes = lambda: [] if belote is None else [belote]
    game.declaration_points = lambda side: declared[side]
    if held:
        game.match.more["held"] = held
    game.count_hand(taker)
    return game


def scored(tricks: tuple[str, str], **hand: Any) -> tuple[list[int], int]:
    """The scores of a hand, and the points held over."""
    game = counted(tricks, **hand)
    return game.match.scores, game.match.more.get("held", 0)


ALL: Final = [str(card) for card in DECK]
NOTHING: Final = ("", " ".join(ALL))


@cache
def piles() -> dict[tuple[int, int], tuple[str, ...]]:
    """By the number of cards and their points with hearts as trumps: a pile of cards."""
    found: dict[tuple[int, int], tuple[str, ...]] = {(0, 0): ()}
    for each in ALL:
        worth = points_of_cards("heart")[parse_card(each)]
        for (number, total), pile in [*found.items()]:
            found.setdefault((number + 1, total + worth), (*pile, each))
    return found


def split(points_of_first: int, count: int = 16) -> tuple[str, str]:
    """Piles of `count` cards and the rest, of which the first has this many card points with hearts as trumps."""
    first = piles()[count, points_of_first]
    return " ".join(first), " ".join(each for each in ALL if each not in first)


def contract(bid: str, risk: int = 1) -> PointContract:
    return PointContract(bid, "heart", 0, risk)


@pytest.mark.parametrize("trumps", ["spade", "heart", "diamond", "club", "no-trumps", "all-suits"])
def test_all_cards_count_152(trumps: str) -> None:
    assert sum(points_of_cards(trumps).values()) == 152
    assert len(ranking_of(trumps).cards(None)) == 32


@pytest.mark.parametrize(
    ("made", "more", "score"),
    [  # of 152; side 0 takes and has the last trick, unless it is said otherwise
        (72, {}, [82, 80]),
        (71, {}, [0, 81]),  # litige: 81 each
        (71, {"litige": "lost"}, [0, 162]),
        (70, {}, [0, 162]),
        (70, {"belote": 0}, [100, 82]),  # belote saves it
        (70, {"belote": 1}, [0, 182]),
        (60, {"belote": 0}, [20, 162]),  # dedans, but belote stays
        (60, {"belote": 0, "keep_belote": "never"}, [0, 182]),
        (72, {"declared": (0, 50)}, [0, 212]),
        (60, {"declared": (100, 0)}, [170, 92]),
        (62, {"declared": (20, 0)}, [92, 90]),
        (72, {"taker": 1}, [162, 0]),
        (72, {"revokers": (0,)}, [0, 162]),
        (30, {"revokers": (1,)}, [162, 0]),
        (72, {"revokers": (0, 1)}, [0, 0]),
        (72, {"held": 81}, [163, 80]),
        (70, {"held": 81}, [0, 243]),
        (73, {"rounded": True}, [80, 80]),
        (74, {"rounded": True}, [80, 80]),
        (75, {"rounded": True}, [90, 80]),
    ],
)
def test_worked_examples_of_classic_belote(made: int, more: dict[str, Any], score: list[int]) -> None:
    assert scored(split(made), **more)[0] == score


def test_a_litige_is_held_for_the_next_hand() -> None:
    game: Any = Belote(("Ann", "Bo", "Cy", "Dee"), 0, {})
    assert game.facts() == ()
    game.match.more["held"] = 81
    assert game.facts() == (("litige", "81"),)
    assert scored(split(71)) == ([0, 81], 81)
    assert scored(split(71), held=81) == ([0, 81], 162)
    assert scored(split(71), belote=0, taker=1) == ([162 + 20, 0], 0)
    assert scored(split(61), belote=0, taker=1) == ([91, 0], 91)


def test_capot() -> None:
    assert scored((NOTHING[1], ""), belote=0) == ([272, 0], 0)
    assert scored(NOTHING, last=1) == ([0, 252], 0)
    assert scored((NOTHING[1], ""), contract=contract("100")) == ([352, 0], 0)
    assert scored(NOTHING, last=1, contract=contract("80")) == ([0, 242], 0)
    assert scored(NOTHING, last=1, revokers=(0,)) == ([0, 162], 0)


@pytest.mark.parametrize(
    ("made", "bid", "more", "score"),
    [  # the FFB's two conditions, its table of scores and colver's examples, without rounding
        (82, "80", {}, [172, 70]),
        (72, "100", {}, [0, 262]),
        (78, "100", {"belote": 0}, [208, 74]),
        (79, "90", {}, [0, 252]),  # 89 for a contract of 90 is lost
        (40, "80", {"belote": 0}, [0, 262]),  # belote goes to the winners
        (40, "80", {"belote": 0, "keep_belote": "always"}, [20, 242]),
        (70, "80", {}, [160, 82]),  # the points of the contract are enough
        (120, "capot", {}, [0, 412]),
        (60, "100", {"declared": (50, 0)}, [220, 92]),
        (82, "80", {"revokers": (0,)}, [0, 242]),
        (30, "80", {"revokers": (1,)}, [242, 0]),
    ],
)
def test_worked_examples_of_contree(made: int, bid: str, more: dict[str, Any], score: list[int]) -> None:
    assert scored(split(made), contract=contract(bid), **more)[0] == score


def test_points_of_declarations_do_not_replace_a_trick_of_a_capot() -> None:
    """Seven tricks and a carré of jacks are more than 250 points, but not all tricks."""
    (mine, theirs), _ = scored(split(142, 28), contract=contract("capot"), declared=(200, 0))
    assert mine == 0 < theirs


def test_after_a_double_one_side_scores_everything() -> None:
    assert scored(split(90), contract=contract("80", 2))[0] == [322, 0]
    assert scored(split(60), contract=contract("80", 2))[0] == [0, 322]
    assert scored(split(60), contract=contract("80", 4), surcoinche=3)[0] == [0, 402]
    assert scored((NOTHING[1], ""), contract=contract("capot", 4))[0] == [1252, 0]


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, True),
        ({"form": "contree"}, False),
        ({"form": "contree", "keep_belote": "always"}, True),
        ({"keep_belote": "never"}, False),
    ],
)
def test_which_form_keeps_belote(options: dict[str, object], kept: bool) -> None:
    assert Belote(("Ann", "Bo", "Cy", "Dee"), 0, options).applies("keep_belote") is kept


@pytest.mark.parametrize(
    ("hand", "feats"),
    [
        ({"belote": 3}, {"hand": 252, "belote": 1}),
        ({"contract": contract("100")}, {"hand": 252 + 100, "contract": 100}),
        ({"contract": contract("capot")}, {"hand": 252 + 250, "contract": 250, "capot": 1}),
    ],
)
def test_what_is_remembered_of_a_capot(hand: dict[str, Any], feats: dict[str, int]) -> None:
    found = counted((" ".join(ALL), ""), **hand).match.feats
    assert {feat.kind: feat.value for feat in found} == feats
    assert {feat.seat for feat in found if feat.kind != "belote"} == {0, 2}


def test_a_doubled_contract_that_fails_is_the_defenders_feat() -> None:
    found = counted(split(60), contract=contract("100", 2)).match.feats
    assert [(feat.kind, feat.seat) for feat in found if feat.kind != "hand"] == [("defeated", 1), ("defeated", 3)]
