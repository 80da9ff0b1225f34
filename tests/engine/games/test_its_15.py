"""It's 15: the source's rules, and the rulings, one by one."""

from __future__ import annotations

import pytest

from engine.cards import Card, parse_card
from engine.errors import HeaderError, RecordError
from engine.games import load_game
from engine.games.its_15 import nearest
from engine.record import Header, read_record
from engine.table import Table
from engine.views import Event
from tests.engine.talk import do, events, legal, points, refusal, rules_of, table_of


def drawn(players: int = 3, words: str = "stay stay stay stay stay stay", dealer: int = 0, **options: object) -> Table:
    """A round after everyone has drawn or stayed; the centre card is green 5."""
    table = table_of("its-15", players, dealer, **options)
    return draw(table, words)


def draw(table: Table, words: str = "stay stay stay stay stay stay") -> Table:
    do(table, "turn green-5")
    for word in words.split()[: len(table.header.players)]:
        do(table, f"{table.turn} say {word}")
    return table


def test_the_deck() -> None:
    table = table_of("its-15", 3)
    deck = rules_of(table).deck
    copies = {name: deck.copies(parse_card(name)) for name in ("brown-10", "green-9", "red-1", "yellow-2", "black-1")}
    assert copies == {"brown-10": 4, "green-9": 1, "red-1": 5, "yellow-2": 5, "black-1": 0}
    assert len(deck) == 40 + 9 + 30
    assert len(load_game("its-15").deck) == 40 + 9 + 60


def test_a_record_needs_a_starting_player() -> None:
    with pytest.raises(RecordError, match="dealer"):
        read_record(['{"record": 1, "game": "its-15", "players": ["Ann", "Bo"]}'])


@pytest.mark.parametrize(
    ("players", "options"),
    [
        (6, {"brown_copies": 1}),
        (2, {"brown_copies": 0}),
        (2, {"green_copies": 0}),
        (2, {"rounds": 0}),
        (2, {"ones": -1}),
        (2, {"twos": -1}),
        (2, {"twos": True}),
        (2, {"target": 15}),
        (1, {}),
        (7, {}),
    ],
)
def test_headers_that_cannot_be_played(players: int, options: dict[str, object]) -> None:
    with pytest.raises(HeaderError):
        Table(Header("its-15", ("Ann",) * players, 0, options))


def test_headers_that_can_be_played() -> None:
    Table(Header("its-15", ("Ann",) * 5, 0, {"brown_copies": 1, "ones": 0, "twos": 0}))
    assert table_of("its-15", 2, ones=3, twos=4).scores == (11, 11)


def test_a_green_card_is_turned_to_the_centre() -> None:
    table = table_of("its-15", 2, 1)
    assert (table.phase, table.turn) == ("turn", None)
    for card in ("brown-3", "red-1", "green-10", "green-0", "5H", "5X"):
        assert refusal(table, f"turn {card}") == "no-such-card"
    for other in (
        "0 cut brown-1",
        "0 deal brown-1",
        "0 discard brown-1",
        "0 say card",
        "0 bid red-1",
        "0 show brown-1",
    ):
        assert refusal(table, other) == "wrong-phase"
    assert legal(table) == [f"turn green-{number}" for number in range(1, 10)]
    do(table, "turn green-5")
    assert (table.phase, table.turn) == ("say", 1)


def test_each_player_in_turn_takes_one_more_card_or_stays() -> None:
    table = table_of("its-15", 3, 1)
    do(table, "turn green-5")
    assert refusal(table, "0 say card") == "not-your-turn"
    assert refusal(table, "1 say pass") == "no-such-word"
    assert refusal(table, "1 say fold") == "no-such-word"
    assert refusal(table, "1 bid blue-1") == "wrong-phase"
    assert legal(table) == ["say card", "say stay"]
    do(table, "1 say card", "2 say stay", "0 say card")
    assert [hand.size for hand in table.view().hands] == [2, 2, 1]
    assert (table.phase, table.turn) == ("bid", 1)


def test_value_cards_in_the_pot_count_only_for_its_winner() -> None:
    table = drawn()
    assert table.scores == (15, 15, 15)
    do(table, "0 bid red-1 red-2")
    assert table.scores == (12, 15, 15)
    do(table, "1 say pass")
    outcome = do(table, "2 say pass")
    assert (points(outcome), events(outcome), table.scores) == ([(0, 3, "pot")], ["round 0"], (15, 15, 15))
    assert (table.phase, table.turn, table.view().dealer) == ("turn", None, 0)


def test_a_player_who_passes_before_the_first_bid_may_still_bid() -> None:
    table = drawn()
    do(table, "0 say pass", "1 say pass", "2 bid yellow-2")
    assert (table.phase, table.turn) == ("bid", 0)
    do(table, "0 bid red-2", "1 bid blue-1 blue-1")
    assert (table.phase, table.turn) == ("show", None)


def test_one_raise_in_a_round_must_be_matched_or_passed() -> None:
    table = drawn(4)
    do(table, "0 bid red-2", "1 bid blue-2")
    assert refusal(table, "2 bid yellow-1") == "wrong-amount"
    do(table, "2 bid yellow-2 yellow-1")  # the raise
    assert refusal(table, "3 bid black-2 black-2") == "wrong-amount"
    assert refusal(table, "3 bid black-2") == "wrong-amount"
    do(table, "3 bid black-2 black-1")
    assert table.turn == 0
    assert refusal(table, "0 bid red-2") == "wrong-amount"
    assert refusal(table, "0 bid red-1 red-1") == "wrong-amount"
    assert legal(table) == ["bid red-1", "say pass"]
    do(table, "0 bid red-1", "1 say pass")
    assert table.phase == "show"
    assert table.scores == (12, 13, 12, 12)
    assert refusal(table, "1 show brown-1") == "not-your-turn"
    do(table, "0 show brown-10", "2 show brown-1", "3 show brown-1")
    assert table.scores == (12 + 11, 13, 12, 12)  # the bid of the player who passed stays in the pot


def test_refused_bids() -> None:
    table = drawn(2)
    for card in ("brown-2", "green-3", "yellow-1", "pink-1", "red-3", "red-0", "5H", "5X"):
        assert refusal(table, f"0 bid {card}") == "no-such-card"
        assert refusal(table, f"1 bid {card}") == "no-such-card"
    assert refusal(table, "1 bid blue-1") == "not-your-turn"
    assert refusal(table, "1 bid") == "not-your-turn"
    assert refusal(table, "0 bid") == "wrong-count"
    assert refusal(table, "0 bid blue-1") == "not-in-hand"
    assert refusal(table, "0 bid" + " red-2" * 6) == "not-in-hand"
    assert refusal(table, "1 say pass") == "not-your-turn"
    assert refusal(table, "0 say card") == "no-such-word"
    assert refusal(table, "0 show brown-1") == "wrong-phase"
    do(table, "0 bid red-2 red-2")
    assert refusal(table, "1 bid blue-2 blue-1") == "wrong-amount"


def test_a_value_card_that_nobody_starts_with_is_in_the_deck() -> None:
    table = drawn(2, twos=0)
    assert refusal(table, "0 bid red-2") == "not-in-hand"


def test_a_player_who_cannot_make_the_amount_raises_or_passes() -> None:
    table = drawn(2, ones=1, twos=3)
    do(table, "0 bid red-2 red-2 red-2 red-1")
    do(table, "undo", "0 bid red-1 red-2")
    table = drawn(3, ones=1, twos=2)
    do(table, "0 bid red-1", "1 bid blue-2")
    assert legal(table) == ["bid yellow-2", "say pass"]


def test_one_bid_is_listed_for_each_amount() -> None:
    table = drawn(2, ones=1, twos=2)
    assert legal(table) == [
        "bid red-1",
        "bid red-2",
        "bid red-2 red-1",
        "bid red-2 red-2",
        "bid red-2 red-2 red-1",
        "say pass",
    ]
    table = drawn(2, ones=0, twos=2)
    assert legal(table) == ["bid red-2", "bid red-2 red-2", "say pass"]
    do(table, "0 bid red-2")
    assert legal(table) == ["bid blue-2", "bid blue-2 blue-2", "say pass"]
    do(table, "1 bid blue-2 blue-2")
    assert legal(table) == ["bid red-2", "say pass"]


def test_a_player_without_value_cards_can_only_pass() -> None:
    table = drawn(2, ones=0, twos=0)
    assert legal(table) == ["say pass"]
    do(table, "0 say pass", "1 say pass")
    assert table.phase == "show"


def test_without_bids_the_winner_still_starts_the_next_round() -> None:
    table = drawn(2)
    do(table, "0 say pass", "1 say pass", "1 show brown-10")
    outcome = do(table, "0 show brown-9")
    assert (points(outcome), events(outcome), table.view().dealer) == ([], ["round 1"], 1)


def test_everyone_still_in_shows_all_brown_cards_in_any_order() -> None:
    table = drawn(3, "card stay stay")
    do(table, "0 bid red-1", "1 say pass", "2 bid yellow-1")
    assert refusal(table, "2 show yellow-1") == "no-such-card"
    assert refusal(table, "2 show green-1") == "no-such-card"
    assert refusal(table, "1 show green-1") == "no-such-card"
    assert refusal(table, "1 show brown-1") == "not-your-turn"
    assert refusal(table, "crib show brown-1") == "not-your-turn"
    assert refusal(table, "0 show brown-1") == "wrong-count"
    assert refusal(table, "2 show brown-1 brown-2") == "wrong-count"
    assert refusal(table, "2 show") == "wrong-count"
    for other in ("0 say pass", "turn green-1", "0 bid red-1"):
        assert refusal(table, other) == "wrong-phase"
    do(table, "2 show brown-9")
    assert refusal(table, "2 show brown-9") == "not-your-turn"
    assert [str(entry.zone) for entry in table.lying] == ["table", "bid 0", "bid 2", "show 2"]
    assert points(do(table, "0 show brown-9 brown-1")) == [(0, 2, "pot")]


def test_a_brown_card_cannot_be_shown_more_often_than_it_has_copies() -> None:
    table = drawn(2, "card card", brown_copies=1)
    do(table, "0 say pass", "1 say pass")
    assert refusal(table, "0 show brown-3 brown-3") == "already-seen"
    do(table, "0 show brown-3 brown-4")
    assert refusal(table, "1 show brown-4 brown-5") == "already-seen"
    do(table, "1 show brown-5 brown-6", "turn green-1", "1 say stay", "0 say stay", "1 say pass", "0 say pass")
    do(table, "1 show brown-5")  # all cards are shuffled again


def shown(*hands: str) -> dict[int, list[Card]]:
    return {seat: [parse_card(f"brown-{number}") for number in hand.split()] for seat, hand in enumerate(hands)}


@pytest.mark.parametrize(
    ("hands", "centre", "winner"),
    [
        (("10", "9"), 5, 0),
        (("10", "1"), 9, 0),  # 19 and 10: four above is nearer than five below
        (("8", "6"), 8, 0),  # 16 and 14 are equally near: the higher card wins
        (("4 3", "7"), 8, 1),  # a tie: the single highest card, not the sum
        (("4 6", "6 4"), 5, None),
        (("10", "10"), 5, None),
        (("7 3", "7 3", "9 1"), 5, 2),
        (("7 3", "7 3", "6 4"), 5, None),
        (("10 10", "1"), 9, 1),
    ],
)
def test_the_winner_of_a_showdown(hands: tuple[str, ...], centre: int, winner: int | None) -> None:
    assert nearest(shown(*hands), parse_card(f"green-{centre}")) == winner


def test_a_tie_leaves_the_pot_and_the_start_as_they_are() -> None:
    table = drawn(2, dealer=1)
    do(table, "1 bid blue-2", "0 bid red-2", "1 show brown-10")
    outcome = do(table, "0 show brown-10")
    assert (points(outcome), outcome.events) == ([], (Event("round", ends="hand", won=True),))
    assert (table.scores, table.view().dealer) == ((13, 13), 1)
    draw(table)
    do(table, "1 say pass", "0 say pass", "1 show brown-9")  # no bid: the pot left by a tie is still won
    outcome = do(table, "0 show brown-8")
    assert (points(outcome), table.scores) == ([(1, 4, "pot")], (13, 17))
    draw(table)
    do(table, "1 bid red-2")  # cards won may be bid
    assert refusal(table, "0 bid blue-2") == "not-in-hand"


def test_after_the_last_round_the_highest_score_wins() -> None:
    table = drawn(2, rounds=1)
    do(table, "0 bid red-2", "1 bid blue-2", "0 show brown-10")
    outcome = do(table, "1 show brown-9")
    assert (events(outcome), table.winners, table.phase) == (["round 0", "game-over"], (0,), "over")
    for other in ("turn green-1", "0 say card", "0 bid red-1", "0 show brown-1"):
        assert refusal(table, other) == "wrong-phase"


def test_equal_scores_share_the_win_and_the_last_pot_goes_to_no_player() -> None:
    table = drawn(3, rounds=1)
    do(table, "0 bid red-2", "1 bid blue-2", "2 say pass", "0 show brown-10")
    do(table, "1 show brown-10")
    assert (table.scores, table.winners) == ((13, 13, 15), (2,))
    do(table, "undo", "1 show brown-9")
    assert table.scores == (17, 13, 15)
    table = drawn(2, rounds=1)
    do(table, "0 bid red-2", "1 bid blue-2", "0 show brown-10", "1 show brown-10")
    assert (table.scores, table.winners) == ((13, 13), (0, 1))


def test_the_facts_on_the_board() -> None:
    table = drawn(3)
    do(table, "0 bid red-2", "1 say pass")
    assert table.view().facts == (("round", "1 of 10"), ("bid", "2"), ("pot", "2"), ("out", "Bo"))
    assert [(str(entry.card), str(entry.zone)) for entry in table.lying] == [
        ("green-5", "table"),
        ("red-2", "bid 0"),
    ]
