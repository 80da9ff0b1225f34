"""Skat: the auction, what may be announced, the suits in play, values, and who sits out."""

from __future__ import annotations

from typing import Final

import pytest

from engine.actions import Action
from engine.cards import parse_card
from engine.games.skat import VALUES, tops, value_of
from engine.table import Table
from tests.engine.talk import do, events, points, refusal, table_of

HANDS: Final = (
    "7S 8S 9S 7H 8H 9H 7D 8D 9D QD",
    "JC JS JH JD AC 10C KC QC AS 10S",
    "7C 8C 9C KS QS AH 10H KH AD 10D",
)
"""Seat 0 deals; seat 1 is forehand. In the skat: QH KD."""


def dealt(*actions: str, players: int = 3, **options: object) -> Table:
    table = table_of("skat", players, 0, **{"rounds": 1, **options})
    for seat, hand in zip((0, 1, 2) if players == 3 else (3, 1, 2), HANDS, strict=True):
        table.do(Action("deal", seat, cards=tuple(map(parse_card, hand.split()))))
    do(table, *actions)
    return table


def words(table: Table) -> list[str]:
    return [action.word or "" for action in table.legal_actions() if action.do == "say"]


def played_out(table: Table) -> Table:
    while table.phase == "play":
        table.do(next(action for action in table.legal_actions() if action.do == "play"))
    return table


FOREHAND: Final = ("2 say pass", "0 say pass", "1 say 18")


def test_the_values_that_can_be_bid() -> None:
    assert VALUES[:14] == [18, 20, 22, 23, 24, 27, 30, 33, 35, 36, 40, 44, 45, 46]
    assert VALUES[-3:] == [216, 240, 264] and 59 in VALUES and 288 not in VALUES


@pytest.mark.parametrize(
    ("game", "cards", "count"),
    [
        ("grand", "JC", 1),
        ("grand", "JS JH JD", 1),
        ("grand", "AC", 4),
        ("club", "JC JS JH JD AC 10C KC", 7),
        ("diamond", "JH JD", 2),
        ("heart", "7H 8H", 9),
        ("spade", "JC JS JD", 2),
    ],
)
def test_with_or_without(game: str, cards: str, count: int) -> None:
    assert tops(game, {parse_card(card) for card in cards.split()}) == count


@pytest.mark.parametrize(
    ("game", "cards", "eyes", "tricks", "hand", "announced", "bid", "result"),
    [
        ("diamond", "JC", 61, 6, False, (), 18, (18, True)),
        ("heart", "JH JD", 75, 7, False, (), 30, (30, True)),
        ("club", "JC JS", 60, 6, False, (), 36, (36, False)),
        ("spade", "JC JS JH", 90, 8, False, (), 44, (55, True)),
        ("spade", "JC JS JH", 30, 2, False, (), 44, (55, False)),
        ("spade", "JC JS JH", 31, 3, False, (), 44, (44, False)),
        ("spade", "JC JS JH", 89, 8, False, (), 44, (44, True)),
        ("spade", "JC JS JH", 0, 0, False, (), 44, (66, False)),
        ("spade", "JC JS JH", 4, 1, False, (), 44, (55, False)),
        ("grand", "JC JS JH JD", 120, 10, False, (), 100, (168, True)),
        ("grand", "JC JS JH JD", 120, 10, True, ("schneider", "schwarz", "ouvert"), 264, (264, True)),
        ("heart", "JC", 95, 9, True, ("schneider",), 18, (50, True)),
        ("heart", "JC", 85, 9, True, ("schneider",), 18, (50, False)),
        ("club", "JC", 120, 9, True, ("schneider", "schwarz"), 18, (84, False)),
        ("spade", "JC", 70, 7, False, (), 23, (33, False)),
        ("grand", "JC", 80, 7, False, (), 50, (72, False)),
    ],
)
def test_worked_examples(
    game: str,
    cards: str,
    eyes: int,
    tricks: int,
    hand: bool,
    announced: tuple[str, ...],
    bid: int,
    result: tuple[int, bool],
) -> None:
    held = {parse_card(card) for card in cards.split()}
    assert value_of(game, held, eyes, tricks, hand, announced, bid)[:2] == result


def test_one_bids_and_another_holds() -> None:
    table = dealt("2 say 18")
    assert (table.turn, words(table)) == (1, ["hold", "pass"])
    do(table, "1 say hold")
    assert refusal(table, "2 say 18") == "no-such-word" and refusal(table, "2 say 264") == ""
    assert table.view().words[2] == ("20", "22", "23", "24", "27", "pass")
    do(table, "2 say 22", "1 say pass", "0 say 23", "2 say hold", "0 say 24", "2 say pass")
    assert (table.turn, words(table)) == (0, ["take-up", "hand"])
    assert ("highest bid", "24") in table.view().facts


def test_the_auction_asks_one_seat_after_the_other() -> None:
    table = table_of("skat", 3, 0)
    assert (table.view().hint, dict(table.view().facts)) == ("Ann deals. Cy bids or passes.", {})
    table = dealt("2 say 18")
    assert (table.phase, table.view().hint) == ("bid", "Bo holds 18?")
    assert dict(table.view().facts) == {"highest bid": "18"}


def test_values_that_are_rarely_bid_have_no_action_card() -> None:
    words = table_of("skat", 3, 0).vocabulary
    marked = [value for value in VALUES if words[str(value)].mark is not None]
    assert marked == VALUES[:20] and words["18"].mark == 130
    assert [value for value in VALUES if words[str(value)].rare] == VALUES[20:]
    assert {words[str(value)].rare for value in VALUES[20:]} == {True}


def test_if_all_pass_the_deal_passes_on() -> None:
    table = dealt("2 say pass", "0 say pass")
    assert words(table) == ["18", "pass"]
    assert events(do(table, "1 say pass")) == ["passed"]
    assert table.scores == (0, 0, 0) and table.view().dealer == 1


def test_the_declarer_takes_the_skat_and_lays_two_cards_away() -> None:
    table = dealt(*FOREHAND, "1 say take-up")
    assert {parse_card("QH"), parse_card("KD")} <= set(table.view(1).hands[1].cards)
    assert refusal(table, "1 discard QH") == "wrong-count"
    do(table, "1 discard QH KD")
    assert words(table) == ["diamond", "heart", "spade", "club", "grand", "null", "ouvert"]
    do(table, "1 say club", "1 play JC")
    assert refusal(table, "2 play AH") == "must-follow-suit"
    assert played_out(table).scores[1] in (108, 120, 132)  # with eight, game, perhaps schneider and schwarz


def test_a_hidden_declarer_has_laid_two_cards_away_at_the_first_lead() -> None:
    table = table_of("skat", 3, 0)
    do(table, *FOREHAND, "1 say take-up", "1 say grand")
    assert table.view().hands[1].size == 12 and "Bo lays 2 cards away" in table.view().hint
    do(table, "1 play JD")
    assert table.view().hands[1].size == 9 and table.view().trump is None


def test_jacks_are_trumps_in_a_suit_and_a_suit_of_their_own_in_grand() -> None:
    suit = table_of("skat", 3, 0)
    do(suit, *FOREHAND, "1 say hand", "1 say heart", "1 play JS")
    assert suit.view().led == "H" and parse_card("JC") in suit.view().choices("revoke")
    grand = dealt(*FOREHAND, "1 say hand", "1 say grand", "1 play AC", "2 play 9C", "0 play 7S", "1 play JD")
    assert grand.view().led == "J" and refusal(grand, "2 play AD") == ""
    null = dealt(*FOREHAND, "1 say hand", "1 say null", "1 play JC")
    assert null.view().led == "C" and refusal(null, "2 play AH") == "must-follow-suit"


def test_a_null_is_over_when_the_declarer_wins_a_trick() -> None:
    table = dealt(*FOREHAND, "1 say hand", "1 say null")
    outcome = do(table, "1 play AC", "2 play 7C", "0 play 7S")
    assert events(outcome) == ["trick 1", "hand-over"] and points(outcome) == [(1, -70, "game-lost")]


@pytest.mark.parametrize(
    ("words", "score"),
    [("hand ouvert null", -118), ("hand null", -70), ("take-up null", -46), ("take-up ouvert null", -92)],
)
def test_what_a_lost_null_costs(words: str, score: int) -> None:
    skat, *more = words.split()
    laid = ["1 discard QH KD"] if skat == "take-up" else []
    table = dealt(*FOREHAND, f"1 say {skat}", *laid, *(f"1 say {word}" for word in more))
    shown = ["null", *(word for word in ("hand", "ouvert") if word in words)]
    assert ("plays", f"Bo: {', '.join(shown)}") in table.view().facts
    assert points(do(table, "1 play AC", "2 play 7C", "0 play 7S")) == [(1, score, "game-lost")]


def test_announcements() -> None:
    table = dealt(*FOREHAND, "1 say hand", "1 say schwarz")
    assert words(table) == ["diamond", "heart", "spade", "club", "grand", "schneider", "ouvert"]
    do(table, "1 say club")
    assert ("plays", "Bo: club, hand, schwarz") in table.view().facts
    assert played_out(table).scores[1] in (168, -336)
    ouvert = dealt(*FOREHAND, "1 say take-up", "1 discard QH KD", "1 say ouvert")
    assert words(ouvert) == ["null"]


def test_a_hidden_ouvert_is_laid_open_and_then_known() -> None:
    table = table_of("skat", 3, 0)
    do(table, *FOREHAND, "1 say take-up", "1 say ouvert", "1 say null")
    assert (table.view().hands[1].size, table.view().hint) == (
        10,
        "Bo lays the hand open: 10 cards still to come. Then Bo leads.",
    )
    assert refusal(table, "2 expose 7S") == "wrong-phase"
    cards = ["7C", "8C", "9C", "7S", "8S", "9S", "7H", "8H", "9H", "7D"]
    do(table, *(f"1 expose {card}" for card in cards))
    assert refusal(table, "1 expose 8D") == "wrong-phase"
    assert {str(card) for card in table.view(2).hands[1].cards} == {*cards}
    do(table, "1 play 7C", "2 play JC", "0 play QC", "0 play AC")
    assert refusal(table, "1 play 7S") == "must-follow-suit" and refusal(table, "1 play 8C") == ""


def test_an_ouvert_that_the_table_knows_is_laid_open_too() -> None:
    table = dealt(*FOREHAND, "1 say hand", "1 say ouvert", "1 say grand")
    expose = table.question.offers["expose"]
    assert [*expose.actions()] == [Action("expose", 1, parse_card(card)) for card in HANDS[1].split()]
    do(table, "1 expose JC")
    assert table.view().hands[1].cards == (parse_card("JC"),)
    assert refusal(table, "1 expose 7S") == "already-seen"


def test_null_must_be_worth_the_bid() -> None:
    table = dealt("2 say 24", "1 say pass", "0 say pass", "2 say take-up", "2 discard QH KD")
    assert "null" not in words(table) and "ouvert" in words(table)


def test_seeger_fabian_and_the_dealer_who_sits_out() -> None:
    table = dealt("2 say pass", "3 say pass", "1 say 18", "1 say hand", "1 say null", players=4, seeger_fabian=True)
    assert [hand.size for hand in table.view().hands] == [0, 10, 10, 10]
    do(table, "1 play AC", "2 play 7C", "3 play 7S")
    assert table.scores == (30, -120, 30, 30)


def test_seeger_fabian_for_a_game_won() -> None:
    table = played_out(dealt(*FOREHAND, "1 say hand", "1 say club", seeger_fabian=True))
    assert table.scores == (0, 144 + 50, 0)  # with 8, game 9, hand 10, schneider 11, schwarz 12


def test_the_skat_counts_among_the_highest_trumps_of_a_hand_game() -> None:
    """The jack of clubs lies in the skat: the declarer plays with it."""
    hands = (HANDS[0], HANDS[1].replace("JC", "QH"), HANDS[2])
    table = table_of("skat", 3, 0, rounds=1)
    for seat, hand in enumerate(hands):
        table.do(Action("deal", seat, cards=tuple(map(parse_card, hand.split()))))
    played_out(do_all(table, *FOREHAND, "1 say hand", "1 say club"))
    assert table.scores[1] in (12 * 11, 12 * 12)  # with 8; the queen of hearts may lose a trick


def do_all(table: Table, *actions: str) -> Table:
    do(table, *actions)
    return table


@pytest.mark.parametrize(
    ("bid", "taken", "called"),
    [
        ("23", "take-up", ["null"]),
        ("46", "take-up", ["ouvert", "null"]),
        ("35", "hand", ["null"]),
        ("59", "hand", ["ouvert", "null"]),
    ],
)
def test_null_may_be_worth_just_the_bid(bid: str, taken: str, called: list[str]) -> None:
    higher = str(VALUES[VALUES.index(int(bid)) + 1])
    for value, allowed in ((bid, True), (higher, False)):
        table = dealt(f"2 say {value}", "1 say hold", "2 say pass", "0 say pass", f"1 say {taken}")
        if taken == "take-up":
            do(table, "1 discard QH KD")
        *before, last = called
        if not allowed and taken == "take-up":
            assert before == [] or "ouvert" not in words(table)
        else:
            do(table, *(f"1 say {word}" for word in before))
        assert (last in words(table)) is allowed


def test_a_revoke_that_a_later_card_proves_loses_the_game_too() -> None:
    table = table_of("skat", 3, 0, rounds=1)
    do(table, *FOREHAND, "1 say hand", "1 say null", "1 play 7C", "2 play 8C", "0 play 7D")
    assert events(do(table, "2 play 7H", "0 play 9C")) == ["revoke-proven 0 9C"]
    assert points(do(table, "1 play AH")) == [(1, 35, "game-won")]


def test_the_side_that_revoked_loses_the_game() -> None:
    table = table_of("skat", 3, 0, rounds=1)
    do(table, *FOREHAND, "1 say hand", "1 say null", "1 play 7C", "2 play 8C", "0 play 7D")
    assert events(do(table, "1 say revoke 0 9C")) == ["revoke-proven 0 9C"]
    outcome = do(table, "2 play 7H", "0 play 8H", "1 play AH")
    assert points(outcome) == [(1, 35, "game-won")]


@pytest.mark.parametrize(
    ("skat", "announced", "bid", "eyes", "tricks", "value", "how"),
    [
        ("hand", (), 18, 70, 6, 48, "with 2, game 3, hand 4, times clubs 12"),
        ("take-up", (), 18, 90, 8, 48, "with 2, game 3, schneider 4, times clubs 12"),
        (
            "hand",
            ("schneider",),
            18,
            60,
            5,
            72,
            "with 2, game 3, hand 4, schneider 5, schneider announced 6, times clubs 12",
        ),
        ("take-up", (), 40, 61, 6, 48, "with 2, game 3, bid 40: 4, times clubs 12"),
    ],
)
def test_it_says_how_a_value_comes_about(
    skat: str, announced: tuple[str, ...], bid: int, eyes: int, tricks: int, value: int, how: str
) -> None:
    cards = [parse_card("JC"), parse_card("JS"), parse_card("AC")]
    found = value_of("club", cards, eyes, tricks, skat == "hand", announced, bid)
    assert (found[0], str(found[2])) == (value, how)


def test_the_table_shows_how_the_last_value_comes_about() -> None:
    table = table_of("skat", 3, 0, rounds=1)
    do(table, *FOREHAND, "1 say hand", "1 say null", "1 play AC", "2 play 7C", "0 play 7S")
    shown = "Bo: null, hand is 35; lost, so minus 70"
    assert ("value", shown) in table.view().facts and table.remarks == (shown,)


def test_after_the_last_deal_the_highest_score_wins() -> None:
    table = table_of("skat", 3, 0, rounds=1)
    for dealer in (0, 1, 2):
        assert table.view().dealer == dealer and not table.over
        for _ in range(3):
            table.do("say pass")
    assert table.over and table.winners == (0, 1, 2)


def test_the_declarer_names_its_hand_with_the_skat() -> None:
    table = table_of("skat", 3, 0)
    do(table, f"1 deal {HANDS[1]}", *FOREHAND, "1 say take-up")
    assert (table.phase, len(table.legal_actions())) == ("bid", len(words(table)))
    assert refusal(table, "1 hold QH KD 7S") == "wrong-count"
    assert refusal(table, f"1 hold {HANDS[1][3:]} QH KD 7S") == "not-in-hand"
    assert refusal(table, f"1 hold {HANDS[1]} QH 1S") == "no-such-card"
    do(table, f"1 hold {HANDS[1]} QH KD")
    assert (table.phase, len(table.legal_actions())) == ("discard", 66)
    assert refusal(table, f"1 hold {HANDS[1]} QH KD") == "wrong-phase"
    do(table, "1 discard QH KD", "1 say grand")
    assert [str(each) for each in table.legal_actions()] == [f"1 play {card}" for card in HANDS[1].split()]
    do(table, "undo", "undo", "undo")
    assert (table.phase, table.holds(1)) == ("bid", ())
