"""What a contract of bridge scores: law 77 of the Laws of Duplicate Bridge (2017), and the laws of rubber bridge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.games.bridge.auction import Contract

BOOK: Final = 6
"""The tricks that do not count towards a contract: 1♣ needs seven tricks."""
GAME: Final = 100
"""The trick points that make a game."""
TRICK: Final = {"c": 20, "d": 20, "h": 30, "s": 30, "nt": 30}
"""The points of each trick bid, by strain."""
FIRST_IN_NO_TRUMPS: Final = 10
"""The points of the first trick in no trumps, besides `TRICK`."""
SLAM: Final = {6: ("slam", 500, 750), 7: ("grand-slam", 1000, 1500)}
"""By level: the reason, the points if the side is not vulnerable, and those if it is."""
PART_SCORE: Final = 50
"""The bonus for a part-score in duplicate."""
GAME_BONUS: Final = (300, 500)
"""The bonus for a game in Chicago and duplicate: not vulnerable, and vulnerable."""


def trick_points(contract: Contract) -> int:
    """Return what the tricks that were bid score, below the line."""
    return (TRICK[contract.strain] * contract.level + FIRST_IN_NO_TRUMPS * (contract.strain == "nt")) * contract.risk


def above_the_line(contract: Contract, over: int, vulnerable: bool) -> Iterator[tuple[int, str]]:
    """Yield points and reasons for a contract made with `over` overtricks, besides `trick_points` and game bonuses."""
    each = TRICK[contract.strain] if contract.risk == 1 else 50 * contract.risk * (1 + vulnerable)
    yield each * over, "overtricks"
    yield 25 * contract.risk * (contract.risk > 1), "insult"
    reason, *points = SLAM.get(contract.level, ("slam", 0, 0))
    yield points[vulnerable], reason


def undertricks(risk: int, under: int, vulnerable: bool) -> int:
    """Return what the opponents score for `under` undertricks. `risk`: as in `Contract`."""
    if risk == 1:
        return 50 * under * (1 + vulnerable)
    doubled = 300 * under - 100 if vulnerable else max(200 * under - 100, 300 * under - 400)
    return doubled * risk // 2


def duplicate_score(contract: Contract, tricks: int, vulnerable: bool) -> int:
    """Return what the declarer's side scores in duplicate with `tricks` tricks; negative if the contract fails."""
    over = tricks - BOOK - contract.level
    if over < 0:
        return -undertricks(contract.risk, -over, vulnerable)
    points = trick_points(contract)
    bonus = GAME_BONUS[vulnerable] if points >= GAME else PART_SCORE
    return points + bonus + sum(more for more, _ in above_the_line(contract, over, vulnerable))
