"""Knock-out Whist: trumps, who is out, the dog's life and revokes, as in docs/reference/games/knock-out-whist.md."""

from __future__ import annotations

import pytest

from engine.referee.observed_cards import hand_phase
from engine.table import Table
from tests.engine.talk import do, events, points, refusal, table_of

FIRST_OF_TWO = ("turn 5H", "1 play KC", "2 play 9D", "0 play AC", "0 play 2H", "1 play 3C", "2 play QH")
"""A hand of two cards that Ann deals to three: Ann and Cy win a trick, Bo none."""


def sizes(table: Table) -> list[int]:
    return [hand.size for hand in table.view().hands]


def with_a_dog(players: int = 3) -> Table:
    """Three cards are dealt. Ann and Cy win tricks, the others none; then Cy deals two cards, and Ann names hearts."""
    table = table_of("knock-out-whist", players, cards=3, dogs_life=True)
    others = ["3 play 3D"], ["3 play 4D"], ["3 play 5D"]
    do(table, "turn 5H", "1 play KC", "2 play 9D", *(others[0] if players > 3 else ()), "0 play AC")
    do(table, "0 play 2H", "1 play 3C", "2 play QH", *(others[1] if players > 3 else ()))
    do(table, "2 play 4S", *(others[2] if players > 3 else ()), "0 play AS", "1 play 5S")
    return table


def test_the_first_trumps_are_turned_up_and_the_dealer_plays_last() -> None:
    table = table_of("knock-out-whist", 4, dealer=1)
    assert table.view().hint == "Bo deals 7 cards each and turns the next one up."
    do(table, "turn 5H")
    assert (table.view().trump, table.turn, sizes(table)) == ("H", 2, [7, 7, 7, 7])
    outcome = do(table, "2 play KC", "3 play AC", "0 play 2H", "1 play QC")
    assert events(outcome) == ["trick 0"]
    assert (table.turn, refusal(table, "1 play AH"), refusal(table, "0 play 5H")) == (
        0,
        "not-your-turn",
        "already-seen",
    )


def test_a_known_hand_must_follow_suit() -> None:
    table = table_of("knock-out-whist", cards=2)
    do(table, "0 deal 4C 9S", "1 deal AC KH", "turn 5H", "1 play AC")
    assert refusal(table, "0 play 9S") == "must-follow-suit"
    assert refusal(table, "0 play 4C") == ""


@pytest.mark.parametrize(("players", "cards"), [(2, 7), (7, 7), (3, 1), (3, 9)])
def test_at_most_seven_cards_are_dealt(players: int, cards: int) -> None:
    table = table_of("knock-out-whist", players, cards=cards)
    do(table, "turn 5H")
    assert sizes(table) == [min(cards, 7)] * players


def test_who_takes_no_trick_is_out_and_the_best_cut_for_trumps() -> None:
    table = table_of("knock-out-whist", 3, cards=2)
    outcome = do(table, *FIRST_OF_TWO)
    assert events(outcome) == ["trick 2", "hand-over"]
    assert points(outcome) == [(2, 1, "still-in"), (0, 1, "still-in")]
    view = table.view()
    assert (table.phase, view.hint, view.dealer) == ("cut", "Cy and Ann cut for trumps.", 2)
    assert (view.facts, sizes(table)) == ((("out", "Bo"),), [0, 0, 0])
    assert (refusal(table, "1 cut AS"), refusal(table, "2 gather")) == ("not-your-turn", "")
    do(table, "2 cut 9S")
    assert (table.view().hint, refusal(table, "0 cut 9S")) == ("Still to cut: Ann.", "already-seen")
    do(table, "0 cut 9D")
    assert table.view().hint == "Cy and Ann cut for trumps."
    do(table, "0 cut JS", "2 cut QS")
    assert table.view().hint == "Cy deals. 1 card each. Cy: trumps?"
    assert (sizes(table), refusal(table, "0 say heart"), table.view().words[2][0]) == (
        [1, 0, 1],
        "not-your-turn",
        "spade",
    )
    do(table, "2 say spade")
    assert (table.view().trump, table.turn, table.view().turn) == ("S", 0, 0)
    outcome = do(table, "0 play AH", "2 play 2S")
    assert events(outcome) == ["trick 2", "hand-over", "game-over"]
    assert (table.over, table.winners, table.scores) == (True, (2,), (1, 0, 2))


def test_the_player_with_most_tricks_names_trumps_without_a_cut() -> None:
    table = table_of("knock-out-whist", 2, cards=3)
    do(table, "turn 5H", "1 play KC", "0 play 2C", "1 play QC", "0 play 3C", "1 play 4D", "0 play 5D")
    assert (table.phase, table.view().hint) == ("deal", "Bo deals. 2 cards each. Bo: trumps?")
    assert refusal(table, "1 say knock") == "no-such-word"


def test_the_next_player_who_is_still_in_deals_and_the_one_after_leads() -> None:
    table = table_of("knock-out-whist", 4, dealer=0, cards=3)
    do(table, "turn 5H", "1 play KC", "2 play 9C", "3 play AC", "0 play 2C")
    do(table, "3 play 2D", "0 play AD", "1 play 3D", "2 play 4D")
    do(table, "0 play 2S", "1 play 3S", "2 play 4S", "3 play 5S")
    assert (table.view().dealer, table.view().facts[-1]) == (3, ("out", "Bo and Cy"))
    do(table, "3 say club")
    assert table.turn == 0


@pytest.mark.parametrize("dogs_life", [False, True])
def test_all_take_no_trick_but_one_and_the_game_is_over(dogs_life: bool) -> None:
    table = table_of("knock-out-whist", 3, cards=1, dogs_life=dogs_life)
    do(table, "turn 5H")
    assert events(do(table, "1 play KC", "2 play AC", "0 play 2C"))[-1] == "game-over"
    assert (table.winners, table.scores) == ((2,), (0, 0, 1))


# The dog's life


def test_the_first_player_without_a_trick_is_dealt_one_card_and_may_knock() -> None:
    table = with_a_dog()
    view = table.view()
    assert (table.scores, view.dealer, view.facts) == ((1, 1, 1), 1, (("dog’s life", "Bo"),))
    assert (view.hint, sizes(table)) == ("Bo deals. 2 cards each, one for Bo. Ann: trumps?", [2, 1, 2])
    do(table, "0 say heart", "2 play KS")
    assert refusal(table, "0 say knock") == "no-such-word"
    do(table, "0 play 2S")
    assert (table.view().hint, table.view().words[1]) == ("Bo plays or knocks.", ("knock",))
    outcome = do(table, "1 say knock")
    assert (events(outcome), table.turn, sizes(table)) == (["trick 2"], 2, [1, 1, 1])
    do(table, "2 play 3D", "0 play 4D")
    assert (table.view().hint, refusal(table, "1 say knock")) == ("", "no-such-word")
    outcome = do(table, "1 play 2H")
    assert points(outcome) == [(2, 1, "still-in"), (1, 1, "still-in")]
    assert table.view().facts == (("out", "Ann"),)


def test_a_winner_without_cards_lets_the_next_player_lead() -> None:
    table = with_a_dog()
    do(table, "0 say heart", "2 play KS", "0 play 2S", "1 play 3H")
    assert (table.turn, sizes(table), table.view().won) == (2, [1, 0, 1], (0, 1, 0))
    assert (refusal(table, "2 gather"), refusal(table, "1 gather")) == ("not-your-turn", "")
    do(table, "1 withdraw 3H")
    assert (table.turn, refusal(table, "1 say knock")) == (1, "")
    do(table, "1 play 3H", "2 play 3D", "0 play 4D")
    assert (table.scores, table.view().facts) == ((2, 2, 1), (("out", "Cy"),))


def test_only_one_dog_gets_the_chance_and_is_out_without_a_trick() -> None:
    table = table_of("knock-out-whist", 4, cards=4, dogs_life=True)
    do(table, "turn 5H", "1 play KC", "2 play QC", "3 play AC", "0 play 2C", "3 play KD", "0 play AD", "1 play 2D")
    do(table, "2 play 3D", "0 play 2S", "1 play 3S", "2 play 4S", "3 play 5S", "3 play 4D", "0 play 5D", "1 play 6D")
    do(table, "2 play 7D")
    assert (table.view().facts, table.scores) == ((("dog’s life", "Bo"),), (1, 1, 1, 1))


def test_several_players_have_the_dogs_life_if_they_fail_in_the_same_hand() -> None:
    table = with_a_dog(4)
    assert (table.view().facts, table.view().dealer) == ((("dog’s life", "Bo and Dee"),), 1)
    do(table, "0 say heart")
    assert (sizes(table), table.turn) == ([2, 1, 2, 1], 2)
    do(table, "2 play KS", "3 play 3H")
    assert refusal(table, "0 say knock") == "no-such-word"
    do(table, "0 play 2S", "1 say knock")
    assert (table.turn, table.view().won) == (0, (0, 0, 0, 1))  # Dee has no card left, so Ann leads
    do(table, "0 play AD", "1 play 2D", "2 play 3D")
    assert (table.scores, table.view().facts) == ((2, 1, 1, 2), (("out", "Bo and Cy"),))


def test_a_dog_need_not_lead() -> None:
    table = table_of("knock-out-whist", 3, cards=3, dogs_life=True, dealer=1)
    do(table, "turn 5H", "2 play KC", "0 play 2C", "1 play AC", "1 play AS", "2 play 3C", "0 play 3S")
    do(table, "1 play KS", "2 play 4C", "0 play 4S")
    assert table.view().facts == (("dog’s life", "Cy and Ann"),)
    do(table, "1 say heart")
    assert (table.view().dealer, table.turn) == (2, 0)
    do(table, "0 say knock")
    assert (table.turn, refusal(table, "0 play AS")) == (1, "not-your-turn")
    do(table, "1 play QD", "2 play KD")
    assert (table.turn, sizes(table)) == (0, [1, 1, 0])
    assert refusal(table, "0 say knock") == "no-such-word"


def test_a_card_taken_back_takes_back_the_knocks_after_it() -> None:
    table = with_a_dog()
    do(table, "0 say heart", "2 play KS", "0 play 2S", "1 say knock")
    assert refusal(table, "2 withdraw KS") != ""
    do(table, "0 withdraw 2S", "0 play 3S")
    assert (table.turn, table.view().words[1]) == (1, ("knock",))
    do(table, "1 say knock", "2 play 3D")
    assert table.turn == 0


def test_knocking_for_the_next_lead_is_taken_back_with_the_card_before_it() -> None:
    table = table_of("knock-out-whist", 3, cards=4, dogs_life=True, dealer=1)
    do(table, "turn 5H", "2 play KC", "0 play 2C", "1 play AC", "1 play AS", "2 play 3C", "0 play 3S")
    do(table, "1 play KS", "2 play 4C", "0 play 4S", "1 play QS", "2 play 6C", "0 play 6S")
    do(table, "1 say heart", "0 say knock", "1 play QD", "2 play KD")
    assert (table.turn, refusal(table, "0 say knock")) == (0, "")
    do(table, "0 say knock")
    assert (table.turn, refusal(table, "1 say knock")) == (1, "no-such-word")
    do(table, "2 withdraw KD", "2 play KD")
    assert table.turn == 0
    do(table, "0 say knock", "1 play 3D")
    assert (table.turn, table.view().won) == (1, (0, 1, 1))
    do(table, "1 play 4D", "0 play 5D")
    assert table.scores == (2, 2, 2)


# Revokes


def test_a_revoke_costs_the_game() -> None:
    table = table_of("knock-out-whist", 3, cards=2, dogs_life=True)
    do(table, "turn 5H", "1 play KC", "2 play 9D", "0 play AC")
    assert table.view().accused == {"revoke": {2: "Cy should have followed suit: Cy is out after this hand."}}
    assert events(do(table, "1 say revoke 2 4C")) == ["revoke-proven 2 4C"]
    do(table, "0 play 2H", "1 play 3C", "2 play 4C")
    assert (table.scores, table.view().facts) == ((1, 1, 0), (("dog’s life", "Bo"), ("out", "Cy")))


def test_if_a_revoker_took_all_tricks_the_others_stay_in_as_they_are() -> None:
    table = table_of("knock-out-whist", 3, cards=2, dogs_life=True)
    do(table, "turn 5H", "1 play KC", "2 play 9H", "0 play AC", "2 play 4C", "0 play 2C", "1 play 3C")
    assert (table.scores, table.phase) == ((1, 1, 0), "cut")
    assert (table.view().facts, table.view().hint) == ((("out", "Cy"),), "Bo and Ann cut for trumps.")


def test_if_all_revoked_those_with_tricks_stay_in() -> None:
    table = table_of("knock-out-whist", 2, cards=4)
    do(table, "turn 5H", "1 play KC", "0 play 9D", "1 play 2S", "0 play AS", "0 play 4H", "1 play 3D")
    outcome = do(table, "0 play 3C", "1 play KH")
    assert events(outcome) == ["revoke-proven 1 KH", "trick 1", "hand-over"]
    assert (table.scores, table.view().hint) == ((1, 1), "Bo and Ann cut for trumps.")


# The phases of a hand without a turn-up


def test_a_card_of_one_hand_never_counts_in_another() -> None:
    table = table_of("knock-out-whist", 3, cards=2)
    phases = [hand_phase(table)]
    for action in (*FIRST_OF_TWO, "0 cut 9D", "2 cut JD", "2 say spade", "0 play AH"):
        do(table, action)
        phases.append(hand_phase(table))
    assert phases == [1, *[2] * 6, 3, 3, 3, 4, 4]
