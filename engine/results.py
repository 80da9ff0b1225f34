"""How the result of a game is written: the winner first."""

from __future__ import annotations

from collections.abc import Sequence


def ranked_sides(scores: Sequence[int], winners: Sequence[int]) -> list[int]:
    """Return the sides in the order in which a result names them: those that have won first, then the better scores.

    Whether low scores are the better ones, the winner's score says.

    >>> ranked_sides((2, 5, 11), (2,)), ranked_sides((26, 104, 80), (0,))
    ([2, 1, 0], [0, 2, 1])
    """
    lowest_wins = any(scores[side] == min(scores) < max(scores) for side in winners)
    best_first = 1 if lowest_wins else -1
    return sorted(range(len(scores)), key=lambda side: (side not in winners, best_first * scores[side]))


def result_scores(scores: Sequence[int], winners: Sequence[int]) -> str:
    """Return the scores of a game that is over, the winner's first.

    >>> result_scores((2, 11), (1,)), result_scores((-5, 12), (1,))
    ('11–2', '12 : −5')
    """
    between = " : " if min(scores, default=0) < 0 else "–"
    return between.join(str(scores[side]).replace("-", "−") for side in ranked_sides(scores, winners))
