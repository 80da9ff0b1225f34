"""Matchpoints, IMPs and cribbage scores, compared with published results; only facts are taken over."""

from __future__ import annotations

from fractions import Fraction

import pytest

from cardtable_club.tournament.scoring import (
    Card,
    Line,
    Total,
    cross_imps,
    imps,
    matchpoints,
    qualifiers,
    ranked,
    shares_of,
    totals,
    with_game,
)

# Richmond Bridge, 22 June 2013 (sugarcrossing.com/Bridge/results/scores_130622.htm): boards 1 to 5, three tables.
# By board: EW pair, score of NS, matchpoints of NS and of EW; for NS pairs 1, 2 and 3.
RICHMOND = {
    1: [(1, -450, 0.0, 2.0), (3, -150, 1.0, 1.0), (2, -100, 2.0, 0.0)],
    2: [(1, -420, 0.0, 2.0), (3, -170, 1.0, 1.0), (2, 110, 2.0, 0.0)],
    3: [(1, 400, 1.5, 0.5), (3, 100, 0.0, 2.0), (2, 400, 1.5, 0.5)],
    4: [(3, 100, 1.0, 1.0), (2, -110, 0.0, 2.0), (1, 200, 2.0, 0.0)],
    5: [(3, 150, 1.0, 1.0), (2, 630, 2.0, 0.0), (1, -100, 0.0, 2.0)],
}


def test_matchpoints_of_a_published_game() -> None:
    for board, results in RICHMOND.items():
        lines = [Line(f"NS{ns}", f"EW{ew}", score) for ns, (ew, score, _, _) in enumerate(results, start=1)]
        found = [(float(share.ns), float(share.ew)) for share in matchpoints(lines)]
        assert found == [(ns, ew) for _, _, ns, ew in results], f"board {board}"


def test_matchpoints_of_the_english_example() -> None:
    # bernardmageebridge.com/glossary/matchpoints: two points for each pair beaten; 450 twice, 430, -50, and a top.
    shares = matchpoints([Line(str(n), f"e{n}", score) for n, score in enumerate((480, 450, 450, 430, -50))])
    assert [2 * share.ns for share in shares] == [8, 5, 5, 2, 0]
    assert [2 * (share.top - share.ns) for share in shares] == [2 * share.ew for share in shares]


def test_the_percentages_of_a_published_game() -> None:
    # The same game: 10.5, 5 and 11.5 of 18 were published as 58.3, 27.8 and 63.9 per cent.
    columns = {"1": "0 0 1.5 1 1 2 2 1 2", "2": "1 1 0 0 2 0 1 0 0", "3": "2 2 1.5 2 0 1 0 2 1"}
    boards = {}
    for board in range(9):
        points = {ns: float(column.split()[board]) for ns, column in columns.items()}
        boards[board] = [Line(ns, f"e{ns}", int(100 * each)) for ns, each in points.items()]
    found = totals(boards, "matchpoints")
    assert {ns: (float(found[ns].score), round(found[ns].percent, 1)) for ns in columns} == {
        "1": (10.5, 58.3), "2": (5.0, 27.8), "3": (11.5, 63.9),
    }  # fmt: skip


def test_imps() -> None:
    # The scale as published in the laws: the first and last difference of some steps.
    steps = {0: 0, 10: 0, 20: 1, 40: 1, 50: 2, 80: 2, 90: 3, 120: 3, 130: 4, 160: 4, 170: 5, 210: 5, 370: 9, 420: 9,
             1500: 17, 1740: 17, 3990: 23, 4000: 24}  # fmt: skip
    assert {difference: imps(difference) for difference in steps} == steps
    assert all(imps(-difference) == -value for difference, value in steps.items())


@pytest.mark.parametrize(
    ("scores", "published"),
    [((420, 170, 300), {0: 4.5, 1: -5.0}), ((430, 400, 150, -50), {0: 6.0})],
    ids=["teams scoring explained", "BridgeHit"],
)
def test_cross_imps_of_published_examples(scores: tuple[int, ...], published: dict[int, float]) -> None:
    shares = cross_imps([Line(str(n), f"e{n}", score) for n, score in enumerate(scores)])
    assert {at: float(shares[at].ns) for at in published} == published
    assert sum(share.ns for share in shares) == 0 and all(share.ns == -share.ew for share in shares)


def test_adjusted_scores_and_the_scaling_of_the_others() -> None:
    lines = [Line("1", "e1", 100), Line("2", "e2", 50), Line("3", "e3", None, ("A+", "A-"))]
    shares = matchpoints(lines)
    # Neuberg: (1 + ½) × 3 / 2 - ½ = 1.75 of 2.
    assert [share.ns for share in shares] == [Fraction(7, 4), Fraction(1, 4), Fraction(12, 10)]
    assert shares[2].ew == Fraction(8, 10)
    assert [share.ns for share in cross_imps(lines)] == [2, -2, 2]


def test_average_plus_is_not_worse_than_the_rest_of_the_session() -> None:
    # Law 12C2(c) of 2017: above 60 % (below 40 %) the percentage that the pair has on its other boards.
    boards = {
        1: [Line("good", "bad", 300), Line("2", "e2", 100), Line("3", "e3", 0)],
        2: [Line("good", "e3", 300), Line("2", "bad", 0), Line("3", "e2", 300)],
        3: [Line("good", "bad", None, ("A+", "A-")), Line("2", "e3", 100), Line("3", "e2", None, ("A-", "A"))],
    }
    third = {line.ns: share for line, share in zip(boards[3], shares_of(boards, "matchpoints")[3], strict=True)}
    assert third["good"].ns / third["good"].top == Fraction(7, 8)  # 2 and 1½ of 4
    assert third["good"].ew / third["good"].top == Fraction(2, 5)  # 0 and 2 of 4 are not below 40 %
    assert third["3"].ns / third["3"].top == Fraction(3, 8)  # 0 and 1½ of 4
    assert third["3"].ew == Fraction(1, 2) * 2
    assert totals(boards, "matchpoints")["good"].percent == 87.5


def test_who_has_played_fewer_imps_is_counted_up() -> None:
    assert Total(Fraction(6), 0, 4).over(6) == 9.0 and Total(Fraction(6), 0, 6).over(6) == 6.0
    assert Total().over(6) == 0.0


def test_a_published_cribbage_result_is_ranked_as_published() -> None:
    # Graeagle Peggers, ACC Grass Roots, 14 December (plumasnews.com/cribbage-club-welcomes-new-players-and-members).
    cards = {
        "Peterson": Card(13, 6, 71), "Terry": Card(13, 6, 74), "Castillo": Card(14, 6, 0), "Morgan": Card(16, 7, 0),
        "Rasmussen": Card(12, 6, 0), "Revene": Card(12, 6, 0),
    }  # fmt: skip
    assert [(rank, player) for rank, player, _ in ranked(cards)] == [
        (1, "Morgan"), (2, "Castillo"), (3, "Terry"), (4, "Peterson"), (5, "Rasmussen"), (5, "Revene"),
    ]  # fmt: skip
    # 7 December: 15 points from six wins are three skunks; 13 from six are one, ranked by spread.
    card = Card()
    for ours, theirs in [(121, 90)] * 3 + [(121, 91)] * 3 + [(100, 121)] * 3:
        card = with_game(card, ours, theirs)
    assert card == Card(15, 6, 3 * 31 + 3 * 30 - 3 * 21, 9)


def test_more_games_won_beat_a_better_spread_and_a_quarter_qualifies() -> None:
    order = [player for _, player, _ in ranked({"skunks": Card(12, 4, 90), "wins": Card(12, 6, -5)})]
    assert order == ["wins", "skunks"]
    assert qualifiers(f"p{n}" for n in range(9)) == ["p0", "p1", "p2"]
