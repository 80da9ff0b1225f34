"""Belote: taking, the auction, declarations, belote, and what a hand scores."""

from __future__ import annotations

from typing import Any, Final

import pytest

from engine.actions import Action
from engine.cards import SUITS, Card, parse_card
from engine.games.belote import Belote
from engine.rules.contract_bids import PointContract
from engine.rules.jass_cards import PLAIN_RANKS, card_points, ranking_of
from engine.table import Table
from tests.engine.talk import do, events, points, refusal, table_of

# Play goes to the right: seat 0 deals, then come 3, 2, 1.
FIRST: Final = ("7S 8S 9S AD KD", "7C 8C 9C AC KC", "10S JS QS 7D 8D", "KS AS 7H 8H 9D")
TURNED: Final = "JH"
HANDS: Final = ("7S 8S 9S AD KD 10H AH 10D", "7C 8C 9C AC KC QH KH 10C", "10S JS QS 7D 8D 9H QD QC")
"""Seat 3 has the others: KS AS 7H 8H 9D JH JD JC."""


def cards(written: str) -> tuple[Card, ...]:
    return tuple(map(parse_card, written.split()))


def contree(*said: str, **options: object) -> Table:
    table = table_of("belote", 4, 0, **{"form": "contree", **options})
    for seat, hand in enumerate(HANDS):
        table.do(Action("deal", seat, cards=cards(hand)))
    table.do(Action("deal", 3, cards=cards("KS AS 7H 8H 9D JH JD JC")))
    do(table, *said)
    return table


def taken(*said: str) -> Table:
    table = table_of("belote", 4, 0)
    for seat, hand in enumerate(FIRST):
        table.do(Action("deal", seat, cards=cards(hand)))
    do(table, f"turn {TURNED}", *said)
    return table


def words(table: Table) -> list[str]:
    return [action.word or "" for action in table.legal_actions() if action.do == "say"]


def scored(
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
) -> tuple[list[int], int]:
    """The scores of a hand with hearts as trumps, and the points held over. `tricks`: by side, the cards won."""
    game: Any = Belote(("Ann", "Bo", "Cy", "Dee"), 0, {"form": "contree" if contract else "classic", **options})
    game.trumps, game.contract, game.revokers = "heart", contract, revokers
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
    return game.match.scores, game.match.more.get("held", 0)


ALL: Final = [str(Card(rank, suit)) for suit in SUITS for rank in PLAIN_RANKS]
NOTHING: Final = ("", " ".join(ALL))


def split(points_of_first: int, count: int = 16) -> tuple[str, str]:
    """Piles of `count` cards and the rest, of which the first has this many card points with hearts as trumps."""
    reach: dict[tuple[int, int], tuple[str, ...]] = {(0, 0): ()}
    for each in ALL:
        worth = card_points(parse_card(each), "heart")
        for (number, total), pile in [*reach.items()]:
            if number < count:
                reach.setdefault((number + 1, total + worth), (*pile, each))
    first = reach[count, points_of_first]
    return " ".join(first), " ".join(each for each in ALL if each not in first)


def contract(bid: str, risk: int = 1) -> PointContract:
    return PointContract(bid, "heart", 0, risk)


@pytest.mark.parametrize("trumps", ["spade", "heart", "diamond", "club", "no-trumps", "all-suits"])
def test_all_cards_count_152(trumps: str) -> None:
    assert sum(card_points(parse_card(each), trumps) for each in ALL) == 152
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
        (75, {"rounded": True}, [90, 80]),
    ],
)
def test_worked_examples_of_classic_belote(made: int, more: dict[str, Any], score: list[int]) -> None:
    assert scored(split(made), **more)[0] == score


def test_a_litige_is_held_for_the_next_hand() -> None:
    assert scored(split(71)) == ([0, 81], 81)
    assert scored(split(71), held=81) == ([0, 81], 162)
    assert scored(split(71), belote=0, taker=1) == ([162 + 20, 0], 0)
    assert scored(split(61), belote=0, taker=1) == ([91, 0], 91)


def test_capot() -> None:
    assert scored((NOTHING[1], ""), belote=0) == ([272, 0], 0)
    assert scored(NOTHING, last=1) == ([0, 252], 0)
    assert scored((NOTHING[1], ""), contract=contract("100")) == ([352, 0], 0)


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


def test_the_turn_up_is_taken_in_the_first_round_or_with_another_suit() -> None:
    table = taken()
    assert (table.turn, words(table)) == (3, ["take-up", "pass"])
    do(table, "3 say pass", "2 say pass", "1 say pass", "0 say pass")
    assert (table.turn, words(table)) == (3, ["spade", "diamond", "club", "pass"])
    do(table, "3 say pass", "2 say spade")
    view = table.view(2)
    assert (view.trump, view.hands[2].size, table.phase, table.turn) == ("S", 8, "deal", 3)
    assert parse_card(TURNED) in view.hands[2].cards and not table.lying
    assert refusal(table, "2 deal 9H QD QC") == "wrong-count"
    assert refusal(table, "3 deal JH JD JC") == "already-seen"
    do(table, "2 deal QD QC", "3 deal 9H JD JC")
    assert len(table.view(2).hands[2].cards) == len(table.view(3).hands[3].cards) == 8
    do(table, "3 play 9D")
    assert (table.phase, table.turn, refusal(table, "0 deal 10H AH 10D")) == ("play", 2, "wrong-phase")


def test_all_pass_twice_and_the_deal_passes_to_the_right() -> None:
    table = taken(*(f"{seat} say pass" for seat in (3, 2, 1, 0, 3, 2, 1)))
    assert events(do(table, "0 say pass")) == ["passed"]
    assert (table.view().dealer, table.scores, table.lying) == (3, (0, 0), ())


def test_the_auction() -> None:
    table = contree()
    assert (table.turn, words(table)[:3], words(table)[-1]) == (3, ["pass", "80", "90"], "capot")
    do(table, "3 say pass", "2 say 100")
    assert (table.turn, words(table)) == (2, ["spade", "heart", "diamond", "club"])
    do(table, "2 say heart")
    assert (table.turn, words(table)[:3]) == (1, ["pass", "double", "110"])
    do(table, "1 say double")
    assert (table.turn, words(table)) == (0, ["pass", "redouble"])
    do(table, "0 say pass")
    assert words(table) == ["pass"]
    do(table, "3 say pass")
    assert words(table) == ["pass", "redouble"]
    do(table, "2 say redouble")
    assert (table.phase, table.turn, table.view().trump) == ("play", 3, "H")
    assert ("contract", "100 ♥ ×4, Cy") in table.view().facts
    assert table.view().calls[:3] == ((3, "pass"), (2, "100-heart"), (1, "double")) and len(table.view().calls) == 6


def test_without_trumps_and_with_all_suits_as_trumps_if_the_table_plays_so() -> None:
    table = contree("3 say 80", "3 say no-trumps", "2 say 90", no_trumps=True)
    assert words(table)[-2:] == ["no-trumps", "all-suits"]
    do(table, "2 say all-suits", "1 say pass", "0 say pass", "3 say pass", "3 play 9D")
    assert refusal(table, "2 play QD") == "" and refusal(table, "2 play 10S") == "must-follow-suit"
    do(table, "2 play QD")
    assert refusal(table, "1 play QH") == ""


def test_a_known_hand_must_rise_and_a_hidden_one_revokes() -> None:
    table = contree("3 say 80", "3 say heart", "2 say pass", "1 say pass", "0 say pass", "3 play 7H", "2 play 9H")
    assert refusal(table, "1 play QH") == ""  # it has no higher trump
    hidden = table_of("belote", 4, 0, form="contree")
    do(hidden, "3 say 80", "3 say heart", "2 say pass", "1 say pass", "0 say pass")
    do(hidden, "3 play 7H", "2 play QH", "1 play 8H", "0 play KH")
    assert events(do(hidden, "0 play 7S", "3 play 8S", "2 play 9S", "1 play JH"))[0] == "revoke-proven 1 JH"
    hidden.undo()
    do(hidden, "1 play 7C")
    assert "revoke-proven 1 AH" in events(do(hidden, "2 play 8D", "1 play AH"))


def test_declarations_are_shown_after_the_first_trick_and_the_best_side_scores_all() -> None:
    table = contree("3 say pass", "2 say pass", "1 say 80", "1 say club", "0 say pass", "3 say pass", "2 say pass")
    assert refusal(table, "3 say tierce") == "no-such-word"
    do(table, "3 play 9D", "2 say tierce", "2 play 7D", "1 say tierce", "1 play 7C", "0 say tierce", "0 play 10D")
    assert (table.phase, table.turn) == ("show", 2)
    assert refusal(table, "0 play 7S") == "wrong-phase"
    assert refusal(table, "2 show 10S JS") == "wrong-count"
    assert refusal(table, "2 show 10S JS 9S") == "already-seen"
    assert refusal(table, "2 show 10S JS QD") == "wrong-amount"
    do(table, "2 show JS 10S QS")
    assert table.turn == 1
    do(table, "1 say pass")
    assert table.turn == 0
    do(table, "0 show 7S 8S 9S")
    assert (table.phase, dict(table.view().facts)["declarations"]) == ("play", "Ann and Cy: 40")


def test_a_hidden_hand_declares_and_the_cards_shown_are_known() -> None:
    table = table_of("belote", 4, 0, form="contree")
    do(table, "3 say 80", "3 say heart", "2 say pass", "1 say pass", "0 say pass")
    do(table, "3 say carre", "3 say tierce", "3 play 7S")
    assert refusal(table, "2 say carre") == ""
    do(table, "2 play 8S", "1 play 9S", "0 say cent", "0 play 10S")
    assert refusal(table, "3 show JS JH JD JC 7D 8D 10D") == "wrong-amount"
    do(table, "3 show JS JH JD JC 7D 8D 9D")
    assert dict(table.view().facts)["declarations"] == "Bo and Dee: 220"
    assert refusal(table, "0 play JS") == "already-seen"


def test_belote_and_rebelote_from_one_hand() -> None:
    said = ("3 say 80", "3 say heart", "2 say pass", "1 say pass", "0 say pass", "3 play JH", "2 play 9H")
    table = contree(*said)
    assert "belote 1" not in events(do(table, "1 play KH", "0 play 10H", "3 play 7H", "2 play 7D"))
    assert "belote 1" in events(do(table, "1 play QH"))
    assert ("belote", "Bo") in table.view().facts
    table = contree(*said, say_belote=True)
    do(table, "1 say rebelote")
    assert refusal(table, "1 say rebelote") == "no-such-word"  # once before each card
    do(table, "1 play KH", "0 play 10H", "3 play 7H", "2 play 7D")
    assert "belote 1" not in events(do(table, "1 play QH"))
    table = contree(*said, say_belote=True)
    do(table, "1 play KH", "0 play 10H", "3 play 7H", "2 play 7D")
    assert "belote 1" in events(do(table, "1 say rebelote", "1 play QH"))


def test_a_whole_hand_scores_all_points_and_what_was_taken_back_does_not_count() -> None:
    table = contree("3 say 80", "3 say heart", "2 say pass", "1 say pass", "0 say pass", declarations=False)
    do(table, "3 play JH", "3 withdraw JH")
    outcome = None
    while table.phase == "play":
        outcome = table.do(next(action for action in table.legal_actions() if action.do == "play"))
    assert outcome is not None
    made = [each for each in points(outcome) if each[2] != "contract"]
    assert sum(each[1] for each in made) in (162, 182, 252, 272)
    assert table.view().counted
