"""The moments of each game: what one action brings about and the whole table looks at."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.cards import Card
from engine.games import HOUSE, load_game
from engine.record import Header
from engine.table import Table
from engine.views import Moment
from tests.cardtable.web.states import choose
from tests.engine.games.cribbage_tables import dealt, hidden
from tests.engine.games.test_bridge import ONE_SUIT_EACH as HANDS
from tests.engine.games.test_bridge import call
from tests.engine.games.test_bridge import dealt as bridge
from tests.engine.games.test_hearts import shoot
from tests.engine.games.test_spades import ONE_SUIT_EACH, bid
from tests.engine.games.test_spades import dealt as spades
from tests.engine.talk import all_fives, do, rules_of, table_of
from tests.short_games import short_options

NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve", "Flo", "Gus", "Hal")


def said(moments: tuple[Moment, ...]) -> list[str]:
    """Each moment as `trumps: spades are trumps 7S`."""
    return [" ".join([f"{moment.kind}: {moment.headline}", *map(str, moment.cards)]) for moment in moments]


def after(table: Table, *texts: str) -> list[str]:
    return said(do(table, *texts).moments)


def to_the_end_of_the_hand(table: Table) -> tuple[Moment, ...]:
    """Play on until a hand is over, and return the moments of its last card."""
    while True:
        outcome = table.do(next(action for action in table.legal_actions() if action.do == "play"))
        if table.between_hands or table.over:
            return outcome.moments


@pytest.mark.parametrize("game", ["all-fives", "fifteen", "german-whist", "oh-hell", "knock-out-whist"])
def test_trumps_that_are_turned_up_are_a_moment(game: str) -> None:
    table = table_of(game, load_game(game).seats[0])
    assert after(table, "turn 7S") == ["trumps: spades are trumps 7S"]


def test_trumps_of_another_suit_are_another_moment() -> None:
    table = all_fives()
    do(table, "turn 7S", "1 say beg", "0 say change")
    assert after(table, "turn 9S") == []
    assert after(table, "turn 7H") == ["trumps: hearts are trumps 7H"]


@pytest.mark.parametrize(
    ("game", "actions", "moment"),
    [
        ("euchre", "turn QH/1 say order-up", "Bo plays hearts"),
        ("belote", "turn JH/3 say take-up", "Dee plays hearts"),
        ("bridge", "0 say 4s/1 say double/2 say pass/3 say pass/0 say pass", "Ann plays 4\u202f♠, doubled"),
    ],
)
def test_trumps_and_contracts_are_a_moment_when_they_are_named(game: str, actions: str, moment: str) -> None:
    assert after(table_of(game, 4), *actions.split("/")) == [f"trumps: {moment}"]


def test_a_game_of_skat_is_a_moment_with_what_was_announced() -> None:
    table = table_of("skat", 3)
    do(table, "2 say 18", "1 say pass", "0 say pass", "2 say hand", "2 say schneider")
    assert after(table, "2 say club") == ["trumps: Cy plays clubs, hand, schneider"]


def test_a_revoke_names_both_cards_their_tricks_and_what_it_costs() -> None:
    table = table_of("hearts", 4)
    do(table, "0 play 2C", "1 play AC", "2 play 3C", "3 play 4C")
    do(table, "1 play KD", "2 play 5C", "3 play 2D", "0 play 3D", "1 play QD")
    (moment,) = do(table, "2 play 8D").moments
    assert (moment.kind, moment.headline, moment.seat) == ("revoke", "Cy had a diamond", 2)
    assert [str(card) for card in moment.cards] == ["5C", "8D"]
    assert moment.captions == ("Trick 2: Bo led diamonds, Cy played 5♣.", "Trick 3: Cy still has 8♦.")
    assert moment.follows.startswith("Cy should have followed suit: Cy scores 26 points")


def test_a_revoke_that_is_called_or_not_says_what_it_costs() -> None:
    called, proved = all_fives(), all_fives()
    for table in (called, proved):
        do(table, "turn 7S", "1 say stand", "1 play 2H", "0 play 5C")
    (moment,) = do(called, "1 say revoke 0 9H").moments
    assert moment.follows.startswith("Ann should have followed suit: Ann loses 3 points")
    (moment,) = do(proved, "1 play 3H", "0 play 9H").moments
    assert (moment.headline, moment.follows) == ("Ann had a heart", "Nobody has called it, so it costs nothing.")


def test_a_go_that_a_card_disproves_is_a_moment() -> None:
    table = hidden()
    do(table, "1 play KH", "0 play QH", "1 play 10H")
    do(table, "0 say go", "1 say go")
    assert after(table, "0 play AH") == ["revoke: Ann said go with A♥ in hand AH"]


def test_the_last_trick_is_a_moment_with_its_cards() -> None:
    table = table_of("knock-out-whist", 2, cards=3)
    do(table, "turn 7S", "1 play AH", "0 play 2H", "1 play 3H", "0 play KH", "0 play 9C")
    assert after(table, "1 play QC") == ["last-trick: Bo takes the last trick 9C QC"]


def test_every_trick_and_a_nil_are_moments_of_spades() -> None:
    table = spades(*ONE_SUIT_EACH)
    bid(table, "nil 4 5 2")
    assert [moment.kind for moment in to_the_end_of_the_hand(table)] == ["slam"]
    table = spades(*ONE_SUIT_EACH)
    bid(table, "5 3 nil 2")
    moments = to_the_end_of_the_hand(table)
    assert [str(moment.headline) for moment in moments] == ["Every trick for Bo and Dee", "Dee makes nil"]


def test_the_moon_is_a_moment_of_hearts() -> None:
    table = shoot()
    last = table.actions[-1]
    table.undo()
    moments = table.do(last).moments
    assert [str(moment.headline) for moment in moments] == ["Every trick for Ann", "Ann shoots the moon"]


def test_a_slam_of_bridge_is_a_moment_only_if_it_was_bid() -> None:
    for contract, kinds in (("7s", ["slam", "slam"]), ("4s", ["slam"])):
        table = bridge(*HANDS)
        call(table, f"{contract} pass pass pass")
        moments = to_the_end_of_the_hand(table)
        assert [moment.kind for moment in moments] == kinds
    assert moments[-1].headline == "Every trick for Ann and Cy"


def test_great_hands_heels_and_skunks_are_moments_of_cribbage() -> None:
    assert said(dealt_moments("5S 5H 5D JC 2C 3C", "5C")) == ["hand: Ann has a hand of 29 5S 5H 5D JC 5C"]
    table = table_of("cribbage", 2)
    assert after(table, "turn JD") == ["heels: Two for his heels JD"]
    game: Any = rules_of(dealt())
    game.match.scores[:] = [121, 60]
    game.win(0)
    assert game.moments[-1][:2] == ("skunk", "Ann wins")
    assert game.moments[-1].follows == "A double skunk."


def dealt_moments(ann: str, starter: str) -> tuple[Moment, ...]:
    """Return the moments of the show of a hand of Ann's."""
    table = dealt(ann, "7H 8H 9H QD 2D 3D", starter)
    while table.phase == "play":
        outcome = table.do(next(action for action in table.legal_actions()))
    return outcome.moments


def test_a_cleared_table_and_a_pot_are_moments() -> None:
    table = table_of("le-quinze", 2)
    do(table, "turn AC", "turn 2S", "turn 3S", "turn 4S", "1 play 5D")
    assert after(table, "1 take AC 2S 3S 4S") == ["sweep: Bo clears the table 5D AC 2S 3S 4S"]
    table = table_of("its-15", 2)
    do(table, "turn green-5", "0 say stay", "1 say stay", "0 bid red-2")
    assert after(table, "1 say pass") == ["pot: Ann takes the pot"]


@pytest.mark.parametrize("game", HOUSE)
def test_moments_show_only_what_everybody_has_seen(game: str) -> None:
    rng, count = random.Random(5), load_game(game).seats[-1]
    table = Table(Header(game, NAMES[:count], 0, options=short_options(game)))
    found, public = set[str](), set[Card | None]()
    while not table.over and len(table.actions) < 150:
        public |= {*table.view().seen, *(lying.card for lying in table.view().lying)}
        for moment in table.do(choose(table, rng)).moments:
            found.add(moment.kind)
            view = table.view()
            public |= {*view.seen, *(lying.card for lying in view.lying)}
            public |= {card for hand in view.counted for card in (*hand.cards, hand.starter)}
            assert public.issuperset(moment.cards), moment
            assert len(moment.captions) in (0, len(moment.cards))
    assert found


def test_who_takes_the_queen_of_spades() -> None:
    table = table_of("hearts", 4, jack_of_diamonds=True)
    do(table, "0 play 2C", "1 play 3C", "2 play 4C", "3 play 5C", "3 play KS", "0 play 2S", "1 play QS")
    assert after(table, "2 play JD") == ["taken: Dee takes Q♠ QS", "taken: Dee takes J♦ JD"]
