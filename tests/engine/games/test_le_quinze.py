"""Le Quinze: the source's examples, and the rulings, one by one."""

from __future__ import annotations

import pytest

from engine.cards import Card, parse_card
from engine.errors import HeaderError
from engine.games import load_game
from engine.games.le_quinze import VALUE, LeQuinze, count_captured, sums
from engine.table import Table
from tests.engine.talk import do, events, legal, points, refusal, rules_of, table_of


def laid(cards: str = "6S 2D JH KC", players: int = 2, dealer: int = 0, **options: object) -> Table:
    """A table with its four cards laid and every hand hidden."""
    table = table_of("le-quinze", players, dealer, **options)
    do(table, *(f"turn {card}" for card in cards.split()))
    return table


def taken(table: str, wanted: int) -> list[str]:
    return [" ".join(map(str, take)) for take in sums([parse_card(card) for card in table.split()], wanted, VALUE)]


def test_the_sources_examples_of_a_take() -> None:
    assert taken("6S 2D", 15 - 7) == ["6S 2D"]
    assert taken("JH", 15 - 7) == ["JH"]
    assert taken("KC 5D 5H", 15 - 5) == ["KC", "5D 5H"]


def test_the_deck_has_forty_cards() -> None:
    assert len(load_game("le-quinze").deck) == 40
    table = table_of("le-quinze")
    for card in ("8H", "9H", "10H", "5X"):
        assert refusal(table, f"turn {card}") == "no-such-card"


def test_the_lowest_card_cut_deals_in_the_games_own_order() -> None:
    table = table_of("le-quinze", 3, None)
    assert refusal(table, "0 cut 8S") == "no-such-card"
    do(table, "0 cut JS", "1 cut 7S", "2 cut 7D")
    assert refusal(table, "0 cut AS") == "not-your-turn"
    do(table, "2 cut QS", "1 cut KS")
    assert table.view().dealer == 2


@pytest.mark.parametrize("players", [2, 3, 4])
def test_dealing_and_play_go_to_the_right(players: int) -> None:
    table = laid(players=players, dealer=1)
    assert (table.phase, table.turn) == ("play", 0)
    assert refusal(table, "1 play AH") == "not-your-turn"
    do(table, "0 play AH")
    assert table.turn == players - 1


def test_three_cards_are_dealt_to_each_and_then_four_to_the_table() -> None:
    table = table_of("le-quinze", 3, 0)
    assert (table.phase, table.turn, refusal(table, "2 play AS")) == ("deal", None, "wrong-phase")
    assert refusal(table, "1 deal AS 2S") == "wrong-count"
    assert refusal(table, "1 deal AS 2S 2S") == "already-seen"
    do(table, "1 deal AS 2S 3S")
    assert refusal(table, "1 deal AH 2H 3H") == "wrong-phase"
    assert refusal(table, "2 deal AS 2H 3H") == "already-seen"
    assert refusal(table, "turn AS") == "already-seen"
    do(table, "turn 6S")
    assert refusal(table, "2 deal AH 2H 3H") == "wrong-phase"
    do(table, "turn 2D", "turn JH")
    assert (table.phase, table.turn) == ("turn", None)
    do(table, "turn KC")
    assert refusal(table, "turn KD") == "wrong-phase"
    assert [hand.size for hand in table.view().hands] == [3, 3, 3]


def test_a_known_hand_and_a_hidden_one() -> None:
    table = table_of("le-quinze")
    do(table, "1 deal AS 2S 3S", "turn 6S", "turn 2D", "turn JH", "turn KC")
    assert refusal(table, "1 play 4S") == "not-in-hand"
    assert refusal(table, "1 play 6S") == "already-seen"
    do(table, "1 play AS")
    assert refusal(table, "0 play 2S") == "already-seen"
    do(table, "0 play 4S")


def test_a_take_makes_fifteen_with_table_cards() -> None:
    table = laid("6S 2D JH KC")
    assert refusal(table, "1 take JH") == "wrong-phase"  # nothing was just played
    do(table, "1 play 7S")
    assert table.turn == 0
    assert refusal(table, "1 take 8H") == "no-such-card"
    assert refusal(table, "0 take JH") == "not-your-turn"
    assert refusal(table, "1 take") == "wrong-count"
    assert refusal(table, "1 take 7S") == "not-on-table"
    assert refusal(table, "1 take JD") == "not-on-table"
    assert refusal(table, "1 take 2D 2D 2D 2D") == "not-on-table"
    assert refusal(table, "1 take 6S") == "not-fifteen"
    assert [each for each in legal(table) if each.startswith("take")] == ["take 6S 2D", "take JH"]
    do(table, "1 take 2D 6S")
    assert (table.turn, table.view().won) == (0, (0, 3))
    assert refusal(table, "1 take JH") == "wrong-phase"  # once
    assert refusal(table, "0 play 6S") == "already-seen"


def test_a_player_need_not_take() -> None:
    table = laid()
    do(table, "1 play 7S", "0 play KH")
    assert refusal(table, "1 take JH") == "not-your-turn"
    assert refusal(table, "0 take 5S") == "not-on-table"
    do(table, "1 play JS")
    do(table, "1 take 7S")  # it stayed on the table


def test_a_wrong_take_is_not_fifteen_even_if_no_take_is_possible() -> None:
    table = laid("KC KD KH KS")
    do(table, "1 play AS")
    assert refusal(table, "1 take KC") == "not-fifteen"


def test_a_sweep_scores_at_once_and_an_empty_table_must_be_played_to() -> None:
    table = laid("6S 2D AH AD")
    do(table, "1 play 5S")
    outcome = do(table, "1 take 6S 2D AH AD")
    assert (points(outcome), events(outcome), table.scores) == ([(1, 1, "sweep")], ["sweep 1"], (0, 1))
    assert table.lying == ()
    do(table, "0 play KH")
    assert refusal(table, "0 take KH") == "not-on-table"
    do(table, "1 play 5D")
    assert events(do(table, "1 take KH")) == ["sweep 1"]


def test_hands_of_later_packets_are_named_before_their_first_play() -> None:
    table = laid("KC KD KH KS")
    do(table, "1 play AS", "0 play AH", "1 play AD", "0 play AC", "1 play 2S")
    assert refusal(table, "1 deal 3S 3H 3D") == "wrong-phase"
    do(table, "0 play 3C")
    assert (table.phase, table.turn) == ("play", 1)
    assert refusal(table, "0 take KC 2S") == ""
    do(table, "1 deal 4S 4H 4D")
    assert refusal(table, "0 take KC 2S") == "wrong-phase"  # the deal has ended the time for a take
    assert refusal(table, "1 deal 5S 5H 5D") == "wrong-phase"
    assert refusal(table, "1 play 5S") == "not-in-hand"
    do(table, "1 play 4S")
    assert refusal(table, "0 deal 5S 5H 5D") == "wrong-phase"
    do(table, "0 play 7S")  # hidden in this packet
    do(table, "1 play 4H", "0 play 7H", "1 play 4D", "0 play 7D")
    do(table, "1 play 5S")  # hidden again


def test_the_last_seat_of_a_packet_may_take_until_the_next_play() -> None:
    table = laid("KC KD KH KS")
    do(table, "1 play AS", "0 play AH", "1 play AD", "0 play AC", "1 play 2S", "0 play 5C", "0 take KC")
    assert table.turn == 1
    do(table, "1 deal 4S 4H 4D")


def test_with_the_option_a_player_who_can_take_must_take() -> None:
    table = laid(must_take=True)
    do(table, "1 play 7S")
    assert (table.turn, table.phase, legal(table)) == (1, "play", ["take 6S 2D", "take JH"])
    assert refusal(table, "0 play KH") == "not-your-turn"
    assert refusal(table, "0 take JH") == "not-your-turn"
    assert refusal(table, "0 deal AS 2S 3S") == "not-your-turn"
    # "While a take must be made anything else is refused: another seat's action with `not-your-turn`."
    assert refusal(table, "0 cut KH") == "not-your-turn"
    assert refusal(table, "0 play 9H") == "not-your-turn"
    assert refusal(table, "0 take 9H") == "no-such-card"  # a take can be made now: the usual order of codes
    assert refusal(table, "0 say go") == "wrong-phase"
    assert refusal(table, "1 play KH") == "wrong-phase"
    assert refusal(table, "turn KH") == "wrong-phase"
    assert refusal(table, "1 take 6S") == "not-fifteen"
    do(table, "1 take JH")
    assert table.turn == 0
    do(table, "0 play AH")  # takes nothing
    assert table.turn == 1


# Two players play 36 cards after the table cards. Here no card can take before the last one of the deal.
QUIET = (
    "KD KH KS QC QD QH QS JC JD JH JS 7C 7D 7H 7S 6C 6D 6H 6S 5C 5D 5H 5S 4C 4D 4H 4S "
    "3C 3D 3H 3S 2C 2D 2H 2S AC AD AH AS"
)


def nearly_over(last: str, **options: object) -> Table:
    """A deal with one card, `last`, left to play, in which no card was taken. Bo began, so Ann plays it."""
    cards = [card for card in QUIET.split() if card != last]
    table = laid(" ".join(["KC", *cards[:3]]), **options)
    for card in cards[3:]:
        do(table, f"{table.turn} play {card}")
    assert table.turn == 0
    return table


def test_the_last_card_of_a_deal_must_take_if_it_can() -> None:
    table = nearly_over("5S")
    outcome = do(table, "0 play 5S")
    assert (events(outcome), table.turn, table.phase) == ([], 0, "play")
    assert refusal(table, "1 take KC") == "not-your-turn"
    assert refusal(table, "1 deal AS 2S 3S") == "not-your-turn"
    assert refusal(table, "0 play KC") == "wrong-phase"
    outcome = do(table, "0 take KC")
    assert points(outcome) == [(0, 1, "cards"), (0, 1, "clubs")]
    assert (events(outcome), table.turn, table.phase, table.view().dealer) == (["hand-over"], None, "deal", 1)
    assert refusal(table, "0 take KD") == "wrong-phase"


def test_leftovers_go_to_no_player_or_to_the_last_taker() -> None:
    table = nearly_over("5S", leftovers="last-taker")
    outcome = do(table, "0 play 5S", "0 take KC")
    assert points(outcome) == [(0, 1, "cards"), (0, 1, "clubs"), (0, 1, "seven-of-clubs"), (0, 1, "sevens")]


def test_leftovers_go_to_no_player_if_none_has_taken() -> None:
    game = load_game("le-quinze")(("Ann", "Bo"), 0, {"leftovers": "last-taker"})
    assert isinstance(game, LeQuinze)
    game.table = [parse_card("KS"), parse_card("KH")]
    game.count_deal()
    assert game.captured == [[], []]


def test_the_count() -> None:
    def piles(*texts: str) -> list[list[Card]]:
        return [[parse_card(card) for card in text.split()] for text in texts]

    assert count_captured(piles("7C 7S AC", "7H AS")) == [
        (0, 1, "cards"),
        (0, 1, "clubs"),
        (0, 1, "seven-of-clubs"),
        (0, 1, "sevens"),
    ]
    assert count_captured(piles("7C AS", "7S AC", "")) == [(0, 1, "seven-of-clubs")]
    assert count_captured(piles("", "")) == []
    assert count_captured(piles("AS 2S 3S", "7C 7H", "AC 2C")) == [
        (0, 1, "cards"),
        (2, 1, "clubs"),
        (1, 1, "seven-of-clubs"),
        (1, 1, "sevens"),
    ]


def test_the_target_is_checked_after_a_complete_deal() -> None:
    table = nearly_over("5S", target=2)
    outcome = do(table, "0 play 5S", "0 take KC")
    assert (events(outcome), table.winners) == (["hand-over", "game-over"], (0,))
    assert refusal(table, "turn AS") == "wrong-phase"
    table = laid("6S 2D AH AD", target=1)
    do(table, "1 play 5S", "1 take 6S 2D AH AD")
    assert (table.scores, table.over) == ((0, 1), False)


def test_a_tie_at_the_target_does_not_win() -> None:
    table = nearly_over("5S", target=2)
    rules_of(table).match.scores[1] = 2
    outcome = do(table, "0 play 5S", "0 take KC")
    assert table.scores == (2, 2)
    assert (events(outcome), table.over, table.view().dealer) == (["hand-over"], False, 1)


def test_the_hint_asks_for_the_next_packet_until_its_first_play() -> None:
    table = laid()
    assert table.view().hint == "Bo plays."
    do(table, "1 play AS", "0 play 2S", "1 play AH", "0 play 2H", "1 play 3S", "0 play 3H")
    assert table.view().hint == "Ann deals 3 each. Bo plays."
    do(table, "1 play AD")
    assert table.view().hint == "Ann plays."


def test_words_and_actions_of_other_games_are_refused() -> None:
    table = laid()
    for other in ("1 say go", "1 withdraw 7S", "1 gather", "1 discard AS", "1 bid AS", "1 show AS", "1 cut AS"):
        assert refusal(table, other) == "wrong-phase"


def test_the_zones_of_the_cards_on_the_table() -> None:
    table = laid()
    do(table, "1 play 7S")
    lying = [(str(entry.card), str(entry.zone)) for entry in table.lying]
    assert lying == [("6S", "table"), ("2D", "table"), ("JH", "table"), ("KC", "table"), ("7S", "play 1")]
    assert table.view().facts == (("may take", "Bo"),)
    do(table, "0 play KH")
    assert [str(entry.zone) for entry in table.lying] == ["table"] * 5 + ["play 0"]


def test_invalid_options_and_numbers_of_players() -> None:
    game = load_game("le-quinze")
    for options in ({"target": 0}, {"must_take": 1}, {"leftovers": "all"}, {"leftovers": True}, {"house": 1}):
        with pytest.raises(HeaderError):
            game.check_header(("Ann", "Bo"), 0, options)
    for players in (1, 5):
        with pytest.raises(HeaderError):
            game.check_header(("Ann",) * players, 0, {})


@pytest.mark.parametrize(("card", "facts"), [("2S", ()), ("7C", (("may take", "Bo"),))])
def test_who_may_take_is_shown_only_if_the_card_makes_fifteen(card: str, facts: tuple[tuple[str, str], ...]) -> None:
    table = laid()
    do(table, f"1 play {card}")
    assert table.view().facts == facts
