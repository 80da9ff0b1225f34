"""German whist: what is drawn after a trick, what counts, and revokes, as in docs/reference/games/german-whist.md."""

from __future__ import annotations

import random

import pytest

from engine.actions import Action
from engine.cards import STANDARD_DECK
from engine.table import Table
from tests.engine.talk import do, events, play_honestly, points, refusal, table_of


def begun(**options: object) -> Table:
    """Ann deals; spades are trumps, and the ten of spades is to be won. Bo leads."""
    table = table_of("german-whist", **options)
    do(table, "turn 10S")
    return table


def sizes(table: Table) -> list[int]:
    return [hand.size for hand in table.view().hands]


def test_the_winner_takes_the_card_turned_up_and_the_loser_an_unseen_one() -> None:
    table = begun()
    assert (table.view().trump, table.turn) == ("S", 1)
    assert events(do(table, "1 play KD", "0 play AD")) == ["trick 0"]
    assert (table.phase, table.turn) == ("turn", 0)
    assert refusal(table, "0 play 9C") == "wrong-phase"
    assert "Ann takes 10♠ and Bo the next card" in table.view().hint
    do(table, "turn 3H")
    assert (table.phase, table.turn, sizes(table), table.view().trump) == ("play", 0, [13, 13], "S")
    assert refusal(table, "0 play 3H") == "already-seen"
    assert refusal(table, "0 play 10S") == ""
    assert refusal(table, "turn 4H") == "wrong-phase"
    do(table, "0 play 2D")
    assert refusal(table, "1 play 10S") == "already-seen"


def test_a_card_can_be_taken_back_until_the_next_is_turned_up() -> None:
    table = begun()
    do(table, "1 play KD", "0 play AD", "0 withdraw AD")
    assert (table.phase, table.turn, sizes(table)) == ("play", 0, [13, 12])
    assert refusal(table, "0 play 10S") == "already-seen"
    do(table, "0 play 2D")
    assert table.turn == 1
    do(table, "turn 3H")
    assert refusal(table, "0 withdraw 2D") == "wrong-phase"
    assert refusal(table, "1 play 10S") == ""


def known(rng: random.Random) -> tuple[Table, list[str]]:
    """A table that knows both hands, and the stock, the next card last."""
    cards = list(map(str, rng.sample(STANDARD_DECK.cards, 52)))
    table = table_of("german-whist", target=1)
    for seat in (0, 1):
        do(table, f"{seat} deal {' '.join(cards[13 * seat : 13 * seat + 13])}")
    do(table, f"turn {cards[-1]}")
    return table, cards[26:-1]


def test_known_hands_stay_known_if_the_card_drawn_is_named() -> None:
    rng = random.Random(4)
    table, stock = known(rng)
    while stock:
        table.do(rng.choice([each for each in table.legal_actions() if each.do == "play"]))
        table.do(rng.choice([each for each in table.legal_actions() if each.do == "play"]))
        do(table, f"{1 - (table.turn or 0)} deal {stock.pop()}")
        assert refusal(table, f"{1 - (table.turn or 0)} deal {stock[-1] if stock else '2C'}") == "wrong-phase"
        if stock:
            do(table, f"turn {stock.pop()}")
    held = {card for seat in (0, 1) for card in table.view(seat).hands[seat].cards}
    assert (len(held), sizes(table), table.view().won) == (26, [13, 13], (0, 0))


def test_a_known_hand_is_hidden_after_a_card_that_is_not_named() -> None:
    rng = random.Random(5)
    table, stock = known(rng)
    for _ in range(2):
        table.do(rng.choice([each for each in table.legal_actions() if each.do == "play"]))
    loser = 1 - (table.turn or 0)
    do(table, f"turn {stock[-2]}")
    assert (len(table.view(loser).hands[loser].cards), sizes(table)[loser]) == (12, 13)


def to_second_part(table: Table) -> None:
    """Play the first thirteen tricks at random, all hands hidden."""
    rng = random.Random(9)
    while len([each for each in table.actions if each.do == "play"]) < 26:
        turns = [each for each in table.legal_actions() if each.do == "turn"]
        table.do(rng.choice(turns)) if turns else play_honestly(table, rng)


def test_the_last_card_of_the_stock_is_drawn_without_a_turn() -> None:
    table = begun()
    to_second_part(table)
    assert sum(each.do == "turn" for each in table.actions) == 13
    winner = table.turn or 0
    turned = next(each.card for each in reversed(table.actions) if each.do == "turn")
    assert table.phase == "play" and "the last card" in table.view().hint
    table.do(Action("play", winner, turned))
    assert sizes(table)[1 - winner] == 13
    assert [each.zone.name for each in table.lying] == ["play"]


@pytest.mark.parametrize(("scoring", "scored"), [("hand", "most-tricks"), ("tricks", "tricks"), ("odd", "odd-tricks")])
def test_only_the_last_thirteen_tricks_count(scoring: str, scored: str) -> None:
    rng, table = random.Random(2), begun(scoring=scoring, target=60)
    to_second_part(table)
    won, outcome = [0, 0], None
    while not table.between_hands:
        outcome = play_honestly(table, rng)
        for event in outcome.events:
            if event.event == "trick":
                won[event.seat or 0] += 1
    assert outcome is not None and sum(won) == 13
    best = won.index(max(won))
    expected = {"hand": [(best, 1, scored)], "odd": [(best, max(won) - 6, scored)]}
    assert points(outcome) == expected.get(scoring, [(seat, won[seat], scored) for seat in (1, 0)])
    assert table.view().dealer == 1


def test_a_revoke_is_called_before_cards_are_drawn() -> None:
    table = begun()
    do(table, "1 play KD", "0 play 2S")
    assert refusal(table, "1 say revoke 0 10D") == ""
    assert refusal(table, "1 say revoke 0 10S") == "bad-call"
    do(table, "turn 3D")
    assert refusal(table, "1 say revoke 0 10D") == "bad-call"
    do(table, "0 play 2C", "1 play 4S")
    assert refusal(table, "0 say revoke 1 5C") == ""
    do(table, "0 say revoke 1 5C", "turn 6H")
    assert refusal(table, "0 say revoke 1 6C") == "bad-call"


def test_a_revoke_costs_three_of_the_last_thirteen_tricks() -> None:
    rng, table = random.Random(2), begun(scoring="tricks", target=60)
    do(table, "1 play KD", "0 play 2S", "1 say revoke 0 10D", "turn 3D")
    won = (0, 0)
    while not table.between_hands:
        won = max(won, table.view().won, key=sum)
        turns = [each for each in table.legal_actions() if each.do == "turn"]
        outcome = table.do(rng.choice(turns)) if turns else play_honestly(table, rng)
    winner = next(event.seat for event in outcome.events if event.event == "trick")
    taken = [count + (seat == winner) for seat, count in enumerate(won)]
    paid = min(3, taken[0])
    assert table.scores == (taken[0] - paid, taken[1] + paid)


def test_a_revoke_that_a_later_card_proves_costs_the_same() -> None:
    """No player calls any: at random, hidden hands revoke often."""
    rng, table = random.Random(3), begun(scoring="tricks", target=60)
    to_second_part(table)
    won, revokers = [0, 0], []
    while not table.between_hands:
        for event in table.do(rng.choice([each for each in table.legal_actions() if each.do == "play"])).events:
            won[event.seat or 0] += event.event == "trick"
            revokers += [event.seat or 0] if event.event == "revoke-proven" else []
    assert revokers
    for seat in revokers:
        paid = min(3, won[seat])
        won[seat] -= paid
        won[1 - seat] += paid
    assert table.scores == tuple(won)


def test_the_card_turned_up_proves_no_revoke_of_its_winner() -> None:
    table = table_of("german-whist")
    do(table, "turn 10S", "1 play KS", "0 play AD")
    assert table.turn == 1
    do(table, "turn 4H", "1 play KH", "0 play 2S")
    assert refusal(table, "1 say revoke 0 4H") == "bad-call"
    assert refusal(table, "1 say revoke 0 5H") == ""
    assert events(do(table, "turn 7C", "0 play 4H")) == []  # drawn after the void, so it proves no revoke
