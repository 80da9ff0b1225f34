"""The state of a game: seats in the order of play, and who wins."""

from __future__ import annotations

import pytest

from engine.cards import parse_card
from engine.rules.game import Game, Option
from engine.rules.state import Match, sole_best
from engine.rules.tricks import Trick
from engine.views import Feat


class Race(Game):
    """A game to 5 points that is never dealt."""

    name = "race"
    title = "Race"
    seats = range(2, 5)
    options = (Option("target", 5, "points that win", least=1),)


class RaceToTheRight(Race):
    def next_seat(self, seat: int) -> int:
        return (seat - 1) % len(self.players)


def race(*scores: int) -> Race:
    game = Race(("Ann", "Bo", "Cy")[: len(scores)], 0, {})
    game.match.scores = list(scores)
    return game


def test_the_highest_value_must_be_the_only_one() -> None:
    assert sole_best({"a": 1, "b": 3, "c": 2}) == "b"
    assert sole_best({"a": 3, "b": 3}) is None
    assert sole_best({"a": -2, "b": -1}) == "b"
    assert sole_best({}) is None


def test_seats_come_in_the_order_of_play() -> None:
    assert Race(("Ann", "Bo", "Cy"), 0, {}).seats_from(1) == (1, 2, 0)
    assert RaceToTheRight(("Ann", "Bo", "Cy"), 0, {}).seats_from(1) == (1, 0, 2)
    assert (Race(("Ann", "Bo", "Cy"), 2, {}).eldest, RaceToTheRight(("Ann", "Bo", "Cy"), 2, {}).eldest) == (0, 1)


@pytest.mark.parametrize(
    ("scores", "winners"), [((5, 4), (0,)), ((4, 6), (1,)), ((5, 5), ()), ((4, 3), ()), ((7, 9, 9), ())]
)
def test_only_a_sole_highest_score_at_the_target_wins(scores: tuple[int, ...], winners: tuple[int, ...]) -> None:
    game = race(*scores)
    game.win_or_pass_deal()
    assert (game.match.winners, game.match.over, game.dealer) == (winners, bool(winners), 0 if winners else 1)


def test_a_barred_side_neither_wins_nor_counts_for_the_highest() -> None:
    game = race(9, 5, 3)
    game.win_or_pass_deal(barred={0})
    assert game.match.winners == (1,)
    game = race(9, 4)
    game.win_or_pass_deal(barred={0})
    assert not game.match.over


def test_a_seat_wins_as_soon_as_it_reaches_the_target() -> None:
    game = race(4, 5)
    assert not game.win_at_target(0)
    assert game.win_at_target(1)
    assert (game.match.winners, [event.event for event in game.events]) == ((1,), ["game-over"])


def test_points_beyond_the_target_are_not_scored() -> None:
    game = race(1, 0)
    assert game.score_to_target(0, [(3, "fifteen"), (1, "go"), (2, "pair")])
    assert (game.match.scores, [(point.points, point.reason) for point in game.points]) == (
        [5, 0],
        [(3, "fifteen"), (1, "go")],
    )
    assert not game.score_to_target(1, [(4, "run")])
    assert game.score_to_target(1, [(2, "pair")])
    assert (game.match.scores, game.points[-1].points) == ([5, 5], 1)


def test_a_copy_of_the_match_has_its_values_and_is_independent() -> None:
    match = Match(
        scores=[3, 4],
        dealer=1,
        hands=2,
        over=True,
        winners=(1,),
        left=Trick(0, 2, None),
        may_gather=True,
        turn_up=parse_card("KS"),
        cut={0: parse_card("2S")},
        counted=("counted",),
        feats=(Feat("moon", 1),),
        more={"pot": 5},
    )
    copied = match.copy()
    assert copied == match
    copied.scores[0] = 9
    copied.cut.clear()
    copied.more.clear()
    assert (match.scores, len(match.cut), match.more) == ([3, 4], 1, {"pot": 5})


class PartnersRace(Race):
    partners = (4,)


def test_partners_sit_opposite_each_other_and_share_a_score() -> None:
    game = PartnersRace(("Ann", "Bo", "Cy", "Di"), 0, {})
    assert game.sides() == ((0, 2), (1, 3))
    assert [game.partner_of(seat) for seat in game.every_seat] == [2, 3, 0, 1]
    assert game.side_name(1) == "Bo and Di"
    game.score(3, 5, "laps")
    assert game.match.scores == [0, 5]
    assert game.win_at_target(1) and game.match.winners == (1,)


def test_without_partners_each_seat_is_a_side() -> None:
    game = PartnersRace(("Ann", "Bo", "Cy"), 0, {})
    assert game.sides() == ((0,), (1,), (2,))
    assert game.partner_of(1) is None and game.side_name(1) == "Bo"
