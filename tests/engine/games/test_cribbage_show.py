"""Cribbage: the show, the end, partners and skunks."""

from __future__ import annotations

import pytest

from engine.errors import HeaderError
from engine.games import load_game
from engine.table import Table
from tests.engine.games.cribbage_tables import BO, dealt
from tests.engine.talk import do, events, points, refusal, rules_of, table_of

SHOWN = [(1, 2, "fifteen"), (1, 4, "run"), (0, 2, "fifteen"), (0, 2, "fifteen"), (0, 2, "fifteen"), (0, 3, "run")]
CRIB = [(0, 2, "fifteen")] * 4 + [(0, 2, "pair")] * 2


def played_out(table: Table) -> Table:
    """A table after all but the last card were played, always the first that fits."""
    while sum(hand.size for hand in table.view().hands) > 1:
        table.do(table.legal_actions()[0])
    return table


def test_the_show_counts_from_the_dealers_left_and_the_crib_last() -> None:
    table = played_out(dealt(starter="10C"))
    pegged = table.scores
    table.do(table.legal_actions()[0])
    assert [event.event for event in table.view().events] == ["hand-over"]
    shown = [tuple(point) for point in table.view().points if point.reason != "last-card"]
    assert shown == SHOWN + CRIB
    assert table.scores == (pegged[0] + 9 + 12, pegged[1] + 6 + 1)
    assert table.view().facts == (
        ("Bo", "fifteen-two and a run of four is six"),
        ("Ann", "fifteen-two, fifteen-four, fifteen-six, and a run of three is nine"),
        ("the crib", "fifteen-two, fifteen-four, fifteen-six, fifteen-eight, and two pairs is twelve"),
    )
    assert (table.view().dealer, table.phase, table.turn) == (1, "deal", None)
    do(table, "0 discard")
    assert table.view().facts == ()


def hidden_crib(starter: str = "10C", **options: object) -> Table:
    """As above, but Ann's hand is hidden, because her discard is not recorded."""
    table = table_of("cribbage", 2, 0, **options)
    do(table, f"1 deal {BO}", "1 discard 2D 3D", f"turn {starter}")
    do(table, "1 play 7H", "0 play KD", "1 play 8H", "0 play 6S", "1 play 9H", "0 play 5S", "1 play QD")
    return table


def test_a_hidden_crib_is_asked_for() -> None:
    table = hidden_crib()
    outcome = do(table, "0 play 4S")
    assert points(outcome) == [(0, 1, "last-card"), *SHOWN]
    assert (events(outcome), table.phase, table.turn, table.legal_actions()) == ([], "show", None, [])
    assert str(next(table.question.offers["show"].actions())) == "crib show 2D 3D AS 2S", "Bo's two were named"
    assert refusal(table, "crib show 2C 3C 2D 5X") == "no-such-card"
    assert refusal(table, "0 show 2C 3C 2D 3D") == "not-your-turn"
    assert refusal(table, "crib show 2C 3C 2D") == "wrong-count"
    assert refusal(table, "crib show 2C 3C 2D 3D 4D") == "wrong-count"
    assert refusal(table, "crib show 2C 3C 2D 4S") == "already-seen"
    assert refusal(table, "crib show 2C 2C 2D 3D") == "already-seen"
    assert refusal(table, "crib show 2C 3C 2D 4D") == "not-in-hand"
    for other in ("turn AS", "0 discard", "0 deal 4S 5S 6S KD 2C 3C", "0 say go", "0 play AS", "1 gather"):
        assert refusal(table, other) == "wrong-phase"
    outcome = do(table, "crib show 2C 3C 2D 3D")
    assert (points(outcome), events(outcome)) == (CRIB, ["hand-over"])
    assert refusal(table, "crib show 2C 3C 2D 3D") == "wrong-phase"


def test_a_crib_is_known_if_hidden_hands_named_its_cards() -> None:
    table = table_of("cribbage")
    do(table, "1 discard 2D 3D", "0 discard 2C 3C", "turn 10C")
    do(table, "1 play 7H", "0 play KD", "1 play 8H", "0 play 6S", "1 play 9H", "0 play 5S", "1 play QD")
    assert events(do(table, "0 play 4S")) == ["hand-over"]


def test_with_three_players_one_crib_card_comes_from_the_stock() -> None:
    table = table_of("cribbage", 3, 0)
    do(table, "0 discard 2C", "1 discard 2D", "2 discard 2H", "turn 10C")
    while table.phase == "play":
        table.do(table.legal_actions()[0])
    assert (table.phase, table.legal_actions()) == ("show", [])
    rest, other = [card for card in load_game("cribbage").deck if card not in rules_of(table).pack.place][:2]
    assert refusal(table, f"crib show 2C 2D {rest} {other}") == "not-in-hand"
    assert points(do(table, f"crib show 2C 2D 2H {rest}"))[-3:] == [(0, 2, "pair")] * 3


def test_the_game_may_end_in_the_middle_of_the_show() -> None:
    table = dealt(starter="10C", target=4)
    do(table, "1 play 7H", "0 play KD", "1 play 8H", "0 play 6S", "1 play 9H", "0 play 5S", "1 play QD")
    outcome = do(table, "0 play 4S")
    assert points(outcome) == [(0, 1, "last-card"), (1, 2, "fifteen"), (1, 2, "run")]
    assert (events(outcome), table.scores, table.winners) == (["hand-over", "game-over"], (3, 4), (1,))
    assert refusal(table, "crib show 2C 3C 2D 3D") == "wrong-phase"


def test_a_hidden_crib_is_not_asked_for_once_the_game_is_over() -> None:
    table = hidden_crib(target=8)
    outcome = do(table, "0 play 4S")
    assert table.winners == (0,)
    assert (events(outcome), table.phase) == (["hand-over", "game-over"], "over")
    assert points(outcome)[-1][0] == table.winners[0]


def test_the_crib_may_win_the_game() -> None:
    full = hidden_crib()
    do(full, "0 play 4S")
    table = hidden_crib(target=full.scores[0] + 3)
    do(table, "0 play 4S")
    outcome = do(table, "crib show 2C 3C 2D 3D")
    assert points(outcome) == [(0, 2, "fifteen"), (0, 1, "fifteen")]
    assert events(outcome) == ["hand-over", "game-over"]


def test_four_play_as_partners() -> None:
    table = table_of("cribbage", 4, 3)
    do(table, "turn JH")
    assert table.scores == (0, 2)
    do(table, "0 play 7H", "1 play 8H", "2 play 8D", "3 play 8S")
    assert points(do(table, "undo", "3 play 8S")) == [(3, 2, "thirty-one"), (3, 6, "pair-royal")]
    assert table.scores == (2, 2 + 2 + 8)
    assert table.view().scores == (2, 12)


def test_partners_win_together() -> None:
    table = table_of("cribbage", 4, 3, target=2)
    assert events(do(table, "turn JH")) == ["game-over"]
    assert table.winners == (1,)


@pytest.mark.parametrize(
    ("players", "scores", "options", "skunk"),
    [
        (2, [121, 91], {}, 0),
        (2, [121, 90], {}, 1),
        (2, [61, 121], {}, 1),
        (2, [60, 121], {}, 2),
        (2, [0, 121], {"skunks": False}, 0),
        (2, [61, 10], {"target": 61}, 0),
        (3, [121, 90, 91], {}, 0),
        (3, [60, 121, 90], {}, 1),
        (3, [60, 121, 0], {}, 2),
        (4, [121, 60], {}, 2),
    ],
)
def test_skunks(players: int, scores: list[int], options: dict[str, object], skunk: int) -> None:
    table = table_of("cribbage", players, 0, **options)
    assert table.result == {"skunk": 0}
    game = rules_of(table)
    game.match.scores = scores
    assert table.result == {"skunk": 0}
    game.match.over, game.match.winners = True, (scores.index(max(scores)),)
    assert table.result == {"skunk": skunk}
    assert table.remarks == ((), ("A skunk.",), ("A double skunk.",))[skunk]


def test_invalid_options_and_numbers_of_players() -> None:
    game = load_game("cribbage")
    for options in ({"target": 0}, {"target": True}, {"skunks": 1}, {"crib": 4}):
        with pytest.raises(HeaderError):
            game.check_header(("Ann", "Bo"), 0, options)
    for players in (1, 5):
        with pytest.raises(HeaderError):
            game.check_header(("Ann",) * players, 0, {})
