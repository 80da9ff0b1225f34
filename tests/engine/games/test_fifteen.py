"""Fifteen: the source's examples, and the rulings, one by one."""

from __future__ import annotations

import pytest

from engine.cards import parse_card
from engine.errors import HeaderError
from engine.games import load_game
from engine.games.fifteen import count_cards
from engine.table import Table
from tests.engine.talk import do, events, legal, points, refusal, table_of

# Ann deals. The last two cards of each hand are laid away.
ANN = "AH KH QD JD 10C 2C 3D"
BO = "9S 8S 7S 6H 5H 2H 3H"


def dealt(ann: str = ANN, bo: str = BO, turned: str = "4S", **options: object) -> Table:
    table = table_of("fifteen", 2, 0, **options)
    for seat, cards in enumerate((ann, bo)):
        do(table, f"{seat} deal {cards}", f"{seat} discard {' '.join(cards.split()[5:])}")
    do(table, f"turn {turned}")
    return table


def hidden(turned: str = "4S", **options: object) -> Table:
    table = table_of("fifteen", 2, 0, **options)
    do(table, f"turn {turned}")
    return table


def test_the_sources_example_of_a_count() -> None:
    turn_up = parse_card("5S")
    won = [parse_card(card) for card in ["5D", "AS", "3S"]]
    assert sum(points for points, _ in count_cards(won, turn_up)) == 3
    dealers = [parse_card(card) for card in ["6S", "JS", "5C", "5H"]]
    assert sum(points for points, _ in count_cards(dealers, turn_up)) == 4


def test_the_highest_card_cut_deals_and_aces_are_high() -> None:
    table = table_of("fifteen", 2, None)
    do(table, "0 cut KS", "1 cut AS")
    assert table.view().dealer == 1


def test_seven_cards_are_dealt_and_two_laid_away() -> None:
    table = table_of("fifteen")
    assert table.view().trump is None
    assert refusal(table, "0 deal AH KH QD JD 10C 2C") == "wrong-count"
    do(table, f"0 deal {ANN}")
    assert refusal(table, "turn 4S") == "wrong-phase"
    assert refusal(table, "0 discard 2C") == "wrong-count"
    assert refusal(table, "0 discard") == "wrong-count"
    do(table, "1 discard 2H 3H", "0 discard 2C 3D")
    assert refusal(table, "turn 2H") == "already-seen"
    do(table, "turn 4S")
    assert (table.phase, table.turn, [hand.size for hand in table.view().hands]) == ("say", 1, [5, 5])
    assert refusal(table, "0 discard 2C 3D") == "wrong-phase"


def test_the_non_dealer_speaks_first() -> None:
    table = dealt()
    assert table.view().trump == "S"
    assert legal(table) == ["say accept", "say beg", "say switch"]
    assert refusal(table, "0 say accept") == "not-your-turn"
    assert refusal(table, "1 say take-one") == "no-such-word"
    assert refusal(table, "1 say revoke") == "no-such-word"
    assert refusal(table, "0 say revoke") == "no-such-word"
    assert refusal(table, "0 give KH") == "wrong-phase"
    assert refusal(table, "1 play 9S") == "wrong-phase"


def test_the_non_dealer_leads_after_accepting() -> None:
    table = dealt()
    do(table, "1 say accept")
    assert (table.phase, table.turn) == ("play", 1)
    assert refusal(table, "1 say accept") == "wrong-phase"
    assert refusal(table, "1 say go") == "wrong-phase"
    assert refusal(table, "1 expose 9S") == "wrong-phase"


def test_take_one_scores_the_beg_and_the_dealer_leads() -> None:
    table = dealt()
    do(table, "1 say beg")
    assert (table.phase, table.turn) == ("say", 0)
    assert refusal(table, "1 say take-one") == "not-your-turn"
    assert refusal(table, "0 say switch") == "no-such-word"
    assert points(do(table, "0 say take-one")) == [(1, 1, "beg")]
    assert (table.scores, table.phase, table.turn, table.view().trump) == ((0, 1), "play", 0, "S")


def test_the_point_for_the_beg_can_win_the_game() -> None:
    table = dealt(target=1)
    outcome = do(table, "1 say beg", "0 say take-one")
    assert (events(outcome), table.winners) == (["game-over"], (1,))


def test_the_dealer_gives_a_card_of_another_suit_and_rank() -> None:
    table = dealt("AH KH QD 4D 10S 2C 3D")
    do(table, "1 say beg")
    assert legal(table) == ["say take-one", "give AH", "give KH", "give QD"]
    assert refusal(table, "0 give 10S") == "bad-exchange"
    assert refusal(table, "0 give 4D") == "bad-exchange"
    assert refusal(table, "0 give 4S") == "already-seen"
    assert refusal(table, "0 give 9S") == "already-seen"
    assert refusal(table, "0 give 2C") == "already-seen"
    assert refusal(table, "0 give JC") == "not-in-hand"
    assert refusal(table, "0 give 5X") == "no-such-card"
    assert refusal(table, "1 give 9S") == "not-your-turn"
    do(table, "0 give QD")
    assert (table.phase, table.turn, table.view().trump) == ("play", 0, "D")
    assert [str(lying.card) for lying in table.lying] == ["QD"]
    assert [str(card) for card in table.view(0).hands[0].cards] == ["AH", "KH", "4D", "10S", "4S"]
    assert legal(table) == ["play AH", "play KH", "play 4D", "play 10S", "play 4S"]


def test_a_known_hand_without_such_a_card_can_only_say_take_one() -> None:
    table = dealt("AS KS QS JS 10S 2C 3D", "9H 8H 7H 6H 5H 2H 3H")
    do(table, "1 say beg")
    assert legal(table) == ["say take-one"]


def test_the_old_turn_up_binds_a_hidden_hand() -> None:
    table = hidden()
    do(table, "1 say beg", "0 give QD")
    assert refusal(table, "1 play 4S") == "not-your-turn"
    do(table, "0 play KH")
    assert refusal(table, "1 play 4S") == "already-seen"
    do(table, "1 play AH", "1 play 2S")
    assert refusal(table, "0 play 2H") == "must-follow-suit"
    assert legal(table)[0] == "play AS" and "play 4S" in legal(table)
    do(table, "0 play 4S")


def test_switching_takes_the_crib_and_the_turn_up() -> None:
    table = dealt()
    do(table, "1 say switch")
    assert (table.phase, table.turn) == ("turn", None)
    assert [str(card) for card in table.view(1).hands[1].cards] == ["2C", "3D", "2H", "3H", "4S"]
    assert table.view().trump is None and table.lying == ()
    assert refusal(table, "turn 4S") == "already-seen"
    assert refusal(table, "turn 9S") == "already-seen"
    assert refusal(table, "turn 2C") == "already-seen"
    assert refusal(table, "1 say accept") == "wrong-phase"
    do(table, "turn 7C")
    assert (table.phase, table.turn, table.view().trump) == ("play", 0, "C")
    do(table, "0 play 10C")
    assert refusal(table, "1 play 9S") == "already-seen"
    assert refusal(table, "1 play 2H") == "must-follow-suit"
    assert legal(table)[0] == "play 2C"


def test_after_a_switch_a_hand_is_known_if_the_whole_crib_was_named() -> None:
    table = table_of("fifteen")
    do(table, "0 discard 2C 3D", "1 discard 2H 3H", "turn 4S", "1 say switch", "turn 7C", "0 play 10H")
    assert refusal(table, "1 play AH") == "not-in-hand"
    assert refusal(table, "1 play 2C") == "must-follow-suit"


def test_after_a_switch_the_named_half_of_the_crib_binds_a_hidden_hand() -> None:
    table = table_of("fifteen")
    do(table, f"1 deal {BO}", "1 discard 2H 3H", "turn 4S", "1 say switch", "turn 7C", "0 play 10H")
    assert refusal(table, "1 play 4S") == "must-follow-suit"
    assert refusal(table, "1 play 9S") == "already-seen"  # in the crib now
    do(table, "1 play AH")
    do(table, "1 play KS")
    assert refusal(table, "0 play 2H") == "already-seen"


def test_after_a_switch_the_crib_has_five_cards() -> None:
    table = hidden()
    do(table, "1 say switch", "turn 7C")
    tricks(table, "AH", "AD", "KH", "KD", "QH", "QD", "JH", "JD", "10H", "10D")
    assert table.phase == "show"
    assert refusal(table, "crib show AS KS QS JS") == "wrong-count"
    do(table, "crib show AS KS QS JS 10S")
    table = dealt()
    do(table, "1 say switch", "turn 7C")
    while table.phase == "play":
        table.do(next(action for action in table.legal_actions() if action.do == "play"))
    assert table.phase == "deal"


def test_tricks_are_played_as_in_all_fives() -> None:
    table = dealt()
    do(table, "1 say accept", "1 play 6H")
    assert refusal(table, "0 play QD") == "must-follow-suit"
    assert events(do(table, "0 play AH")) == ["trick 0"]
    assert refusal(table, "1 gather") == "not-your-turn"
    assert refusal(table, "1 withdraw 6H") == "not-your-turn"
    assert refusal(table, "0 withdraw KH") == "wrong-phase"
    do(table, "0 withdraw AH")
    assert events(do(table, "0 play KH")) == ["trick 0"]
    do(table, "0 gather")
    assert refusal(table, "0 gather") == "wrong-phase"
    assert refusal(table, "0 withdraw KH") == "wrong-phase"
    do(table, "0 play 10C")
    assert events(do(table, "1 play 7S")) == ["trick 1"]  # a trump


def test_a_revoke_is_reported_once_without_a_penalty() -> None:
    table = hidden()
    do(table, "1 say accept", "1 play 6H", "0 play 10C")
    assert table.view().facts[-1] == ("void", "Ann: hearts")
    do(table, "1 play 5H")
    assert events(do(table, "0 play AH"))[0] == "revoke-proven 0 AH"
    do(table, "0 play KH", "1 play 2D")
    assert table.scores == (0, 0)


def tricks(table: Table, *cards: str) -> Table:
    for card in cards:
        do(table, f"{table.turn} play {card}")
    return table


def test_eldest_counts_first_then_the_dealer_then_the_crib() -> None:
    table = dealt("AH KH QD 4D 10C 4C AS")
    do(table, "1 say accept")
    tricks(table, "9S", "10C", "8S", "QD", "7S", "4D", "6H", "KH", "AH")
    outcome = do(table, "1 play 5H")
    assert points(outcome) == [(1, 3, "trump"), (1, 1, "rank"), (0, 1, "trump"), (0, 1, "rank")]
    assert events(outcome) == ["trick 0", "hand-over"]
    assert (table.scores, table.view().dealer, table.phase) == ((2, 4), 1, "deal")
    assert refusal(table, "1 gather") == "not-your-turn"
    do(table, "0 gather")
    assert refusal(table, "0 gather") == "wrong-phase"
    assert refusal(table, "0 withdraw AH") == "wrong-phase"


def test_an_unknown_crib_is_asked_for_after_the_tricks_are_counted() -> None:
    table = table_of("fifteen")
    do(table, "0 discard 2C 3D", "turn 4S", "1 say accept")
    outcome = do(tricks(table, "9S", "10C", "8S", "QD", "7S", "JD", "6H", "KH", "AH"), "1 play 5H")
    assert (points(outcome), events(outcome), table.phase, table.turn) == ([(1, 3, "trump")], ["trick 0"], "show", None)
    assert refusal(table, "1 show 2C 3D 9H 9D") == "not-your-turn"
    assert refusal(table, "crib show 2C 3D 9H") == "wrong-count"
    assert refusal(table, "crib show 2C 3D 9H 5X") == "no-such-card"
    assert refusal(table, "crib show 2C 3D 9H 9S") == "already-seen"
    assert refusal(table, "crib show 2C 3D 9H 9H") == "already-seen"
    assert refusal(table, "crib show 2C 9C 9H 9D") == "not-in-hand"
    for other in ("turn 7C", "0 discard", "0 say accept", "0 withdraw AH", "0 play 7C"):
        assert refusal(table, other) == "wrong-phase"
    assert refusal(table, "1 gather") == "not-your-turn"
    assert legal(table) == ["gather"]
    do(table, "0 gather")
    outcome = do(table, "crib show 2C 3D AS 4H")
    assert (points(outcome), events(outcome)) == ([(0, 1, "trump"), (0, 1, "rank")], ["hand-over"])
    assert refusal(table, "0 gather") == "wrong-phase"


def test_the_last_trick_cannot_be_gathered_after_the_crib_is_shown() -> None:
    table = hidden()
    do(table, "1 say accept")
    tricks(table, "9S", "10C", "8S", "QD", "7S", "JD", "6H", "KH", "AH", "5H")
    do(table, "crib show 2C 3D AS 4H")
    assert refusal(table, "0 gather") == "wrong-phase"


def test_the_first_to_reach_the_target_in_counting_order_wins() -> None:
    table = dealt(target=2)
    do(table, "1 say accept")
    tricks(table, "9S", "10C", "8S", "QD", "7S", "JD", "6H", "KH", "AH")
    outcome = do(table, "1 play 5H")
    assert (points(outcome), table.scores) == ([(1, 3, "trump")], (0, 3))
    assert (events(outcome), table.winners) == (["trick 0", "hand-over", "game-over"], (1,))
    for other in ("0 gather", "turn 7C", "crib show 2C 3D 2H 3H"):
        assert refusal(table, other) == "wrong-phase"
    do(table, "undo")
    assert not table.over


@pytest.mark.parametrize(("target", "score", "cap"), [(3, 2, None), (2, 1, -1), (1, 0, -2)])
def test_the_dealer_cannot_win_by_the_crib(target: int, score: int, cap: int | None) -> None:
    table = dealt("9H 8H 7H 6D 5D AS KS", "AH KH QH JD 10D 2C 3D", target=target)
    do(table, "1 say accept")
    outcome = do(tricks(table, "AH", "9H", "KH", "8H", "QH", "7H", "JD", "6D", "10D"), "0 play 5D")
    assert points(outcome) == [(0, 2, "trump"), *([(0, cap, "crib-cap")] if cap else [])]
    assert (table.scores, table.over) == ((score, 0), False)


def test_the_last_trick_is_gathered_before_the_next_deal_or_not_at_all() -> None:
    table = dealt("9H 8H 7H 6D 5D AS KS", "AH KH QH JD 10D 2C 3D")
    do(table, "1 say accept")
    do(tricks(table, "AH", "9H", "KH", "8H", "QH", "7H", "JD", "6D", "10D"), "0 play 5D")
    assert (table.phase, refusal(table, "1 gather"), refusal(table, "0 gather")) == ("deal", "", "not-your-turn")
    do(table, "0 discard")
    assert refusal(table, "1 gather") == "wrong-phase"


def test_invalid_options_and_numbers_of_players() -> None:
    game = load_game("fifteen")
    for options in ({"target": 0}, {"target": "15"}, {"revoke_bonus": True}):
        with pytest.raises(HeaderError):
            game.check_header(("Ann", "Bo"), 0, options)
    for players in (1, 3):
        with pytest.raises(HeaderError):
            game.check_header(("Ann",) * players, 0, {})
