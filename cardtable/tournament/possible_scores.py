"""Which scores a game can end with: what a director mistypes is refused."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Final

from cardtable.tournament.errors import TournamentError
from cardtable.tournament.setup import Setup
from engine.rules.auction import STRAINS, Contract
from engine.rules.contract_points import duplicate_score
from engine.texts import text

GAME: Final = 121
"""The points that win a game of cribbage in a tournament of the ACC."""


def check_scores(setup: Setup, one: int, other: int) -> None:
    """Raise `TournamentError` if a game of cribbage cannot end with these scores; of other games any are possible."""
    if setup.scoring == "cribbage" and not (max(one, other) == GAME and 0 <= min(one, other) < GAME):
        message = "{one} – {other} is no result of cribbage: the winner has {game}, the loser 0 or more, but fewer"
        raise TournamentError(text(message, one=one, other=other, game=GAME))


def check_board(score: int) -> None:
    """Raise `TournamentError` if no contract of duplicate bridge scores this."""
    if score not in _of_contracts():
        message = "no contract scores {score}: give the score of North and South, or A+/A-"
        raise TournamentError(text(message, score=score))


@lru_cache(maxsize=1)
def _of_contracts() -> frozenset[int]:
    """Return the scores of all contracts with any number of tricks, for either side."""
    contracts = product(range(1, 8), STRAINS, (1, 2, 4), range(14), (False, True))
    scores = {
        duplicate_score(Contract(level, strain, 0, risk), tricks, vulnerable)
        for level, strain, risk, tricks, vulnerable in contracts
    }
    return frozenset({0} | scores | {-score for score in scores})
