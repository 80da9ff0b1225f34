"""The scores of duplicate bridge: matchpoints and IMPs, from the scores of all tables at which a board was played.

Scores are those of North and South; East and West have the opposite.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

# Scores of cribbage tournaments by the rules of the American Cribbage Congress (ACC).
#
# Grass Roots: nine games against nine opponents. A win counts 2 game points, a skunk (a win by 31 or more) 3. Equal
# game points are ranked by games won, then by net spread. The best quarter of a larger event goes on to a knock-out.

GAMES: Final = 9
WIN: Final = 2
SKUNK: Final = 3
SKUNKED: Final = 31
"""The difference of the scores from which on a win is a skunk."""


class Card(NamedTuple):
    """What a player's scorecard adds up to. `spread`: points won by, less points lost by."""

    points: int = 0
    won: int = 0
    spread: int = 0
    played: int = 0


def points_of(own: int, other: int) -> int:
    """Return the game points of a game that ended `own` to `other`.

    >>> points_of(121, 90), points_of(121, 91), points_of(90, 121)
    (3, 2, 0)
    """
    return 0 if own <= other else SKUNK if own - other >= SKUNKED else WIN


def with_game(card: Card, own: int, other: int) -> Card:
    """Return the scorecard with one game more."""
    spread = card.spread + own - other
    return Card(card.points + points_of(own, other), card.won + (own > other), spread, card.played + 1)


def ranked(cards: Mapping[str, Card]) -> list[tuple[int, str, Card]]:
    """Return rank, player and scorecard, the best first; those with the same points, wins and spread share a rank."""
    order = sorted(cards.items(), key=lambda each: (each[1].points, each[1].won, each[1].spread), reverse=True)
    return [(1 + sum(_key(other) > _key(card) for _, other in order), player, card) for player, card in order]


def qualifiers(players: Iterable[str]) -> list[str]:
    """Return those of ranked players who go on to the knock-out: a quarter, rounded up."""
    found = list(players)
    return found[: -(-len(found) // 4)]


def _key(card: Card) -> tuple[int, int, int]:
    return card.points, card.won, card.spread


IMPS: Final = (20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600, 750, 900, 1100, 1300, 1500, 1750, 2000, 2250,
               2500, 3000, 3500, 4000)  # fmt: skip
"""The least difference of two scores for 1, 2, ... IMPs (Laws of Duplicate Bridge 2017, law 78B)."""
AVERAGES: Final = {"A+": Fraction(60, 100), "A": Fraction(50, 100), "A-": Fraction(40, 100)}
"""The share of the matchpoints of a board for an artificial adjusted score (law 12C2)."""


class Line(NamedTuple):
    """A board at one table: the pairs, and the score; or for each side an adjusted score, `A+`, `A` or `A-`."""

    ns: str
    ew: str
    score: int | None
    adjusted: tuple[str, str] | None = None


class Share(NamedTuple):
    """What a line scores for both sides, and the most that it can score: 0 with IMPs, which have no top."""

    ns: Fraction
    ew: Fraction
    top: int


def matchpoints(lines: Sequence[Line]) -> list[Share]:
    """Return the matchpoints of each line: 1 for each score that is beaten, ½ for an equal one.

    If some lines have an adjusted score, the others are scaled up to the top of the board by Neuberg's formula
    (law 78A, EBU White Book 3.2): (played points + ½) × all / played - ½.
    """
    scores = [line.score for line in lines if line.score is not None]
    top, played = len(lines) - 1, len(scores)
    found = []
    for line in lines:
        if line.score is None:
            ns, ew = line.adjusted or ("A", "A")
            found.append(Share(AVERAGES[ns] * top, AVERAGES[ew] * top, top))
            continue
        beaten = sum(score < line.score for score in scores)
        equal = sum(score == line.score for score in scores) - 1
        raw = beaten + Fraction(equal, 2)
        scaled = (raw + Fraction(1, 2)) * Fraction(len(lines), played) - Fraction(1, 2)
        found.append(Share(scaled, top - scaled, top))
    return found


def imps(difference: int) -> int:
    """Return the IMPs for a difference of two scores.

    >>> imps(430), imps(-420), imps(10)
    (10, -9, 0)
    """
    sign = 1 if difference > 0 else -1
    return sign * bisect_right(IMPS, abs(difference))


def cross_imps(lines: Sequence[Line]) -> list[Share]:
    """Return the IMPs of each line: the mean of the comparisons with all other tables.

    An adjusted score counts 2 IMPs for A+, 0 for A, -2 for A-: a rule of this program, the laws have one for teams only
    (law 86A: 3).
    """
    scores = [line.score for line in lines if line.score is not None]
    found = []
    for line in lines:
        if line.score is None:
            ns, ew = ({"A+": 2, "A": 0, "A-": -2}[each] for each in line.adjusted or ("A", "A"))
            found.append(Share(Fraction(ns), Fraction(ew), 0))
            continue
        total = sum(imps(line.score - other) for other in scores)
        mean = Fraction(total, max(len(scores) - 1, 1))
        found.append(Share(mean, -mean, 0))
    return found


def shares_of(boards: Mapping[int, Sequence[Line]], scoring: str) -> dict[int, list[Share]]:
    """Return what each line of each board scores. `scoring`: `matchpoints` or `imps`.

    With matchpoints, A+ counts as the pair's own percentage on its other boards if that is above 60, and A- if it is
    below 40 (law 12C2c).
    """
    if scoring != "matchpoints":
        return {board: cross_imps(lines) for board, lines in boards.items()}
    found = {board: matchpoints(lines) for board, lines in boards.items()}
    played: dict[str, tuple[Fraction, int]] = {}
    for board, lines in boards.items():
        for line, share in zip(lines, found[board], strict=True):
            for pair, score in ((line.ns, share.ns), (line.ew, share.ew)) if line.score is not None else ():
                before, top = played.get(pair, (Fraction(0), 0))
                played[pair] = before + score, top + share.top

    def average(given: str, pair: str) -> Fraction:
        score, top = played.get(pair, (Fraction(0), 0))
        share, own = AVERAGES[given], score / top if top else AVERAGES[given]
        if given == "A+":
            return max(share, own)
        return min(share, own) if given == "A-" else share

    for board, lines in boards.items():
        for at, line in enumerate(lines):
            if line.score is None:
                (ns, ew), top = line.adjusted or ("A", "A"), found[board][at].top
                found[board][at] = Share(average(ns, line.ns) * top, average(ew, line.ew) * top, top)
    return found


class Total(NamedTuple):
    """What a pair has scored on `boards` boards. `top`: the most matchpoints that they could give; 0 with IMPs."""

    score: Fraction = Fraction(0)
    top: int = 0
    boards: int = 0

    @property
    def percent(self) -> float:
        """The score as a percentage of the most possible; 0 without a board."""
        return float(100 * self.score / self.top) if self.top else 0.0

    def over(self, boards: int) -> float:
        """The score over so many boards at the same rate: pairs that sit out play fewer than others."""
        return float(self.score * boards / self.boards) if self.boards else 0.0


def totals(boards: Mapping[int, Sequence[Line]], scoring: str) -> dict[str, Total]:
    """Return what each pair has scored on all boards. `scoring`: `matchpoints` or `imps`."""
    found: dict[str, Total] = {}
    for board, shares in shares_of(boards, scoring).items():
        for line, share in zip(boards[board], shares, strict=True):
            for pair, score in ((line.ns, share.ns), (line.ew, share.ew)):
                before = found.get(pair, Total())
                found[pair] = Total(before.score + score, before.top + share.top, before.boards + 1)
    return found
