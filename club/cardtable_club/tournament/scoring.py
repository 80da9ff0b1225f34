"""Scoring: game points for cribbage, matchpoints and IMPs for duplicate bridge.

A board of bridge is scored from its results at all tables, which are those of North and South; East and West have the
opposite.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

# Cribbage, by the rules of the American Cribbage Congress (ACC). Grass Roots: nine games against nine opponents. A win
# counts 2 game points, a skunk (a win by 31 or more) 3. Equal game points are ranked by games won, then by net spread.
# The best quarter of a larger event advances to a knock-out.

GAMES: Final = 9
WIN: Final = 2
SKUNK: Final = 3
SKUNKED: Final = 31
"""The smallest difference of the scores that makes a win a skunk."""


class Card(NamedTuple):
    """The totals of a player's scorecard. `spread`: the margins of the games won, minus those of the games lost."""

    points: int = 0
    won: int = 0
    spread: int = 0
    played: int = 0


def points_of(score: int, opponent: int) -> int:
    """Return the game points for a game that ended `score` to `opponent`.

    >>> points_of(121, 90), points_of(121, 91), points_of(90, 121)
    (3, 2, 0)
    """
    return 0 if score <= opponent else SKUNK if score - opponent >= SKUNKED else WIN


def with_game(card: Card, score: int, opponent: int) -> Card:
    """Return the scorecard with another game."""
    spread = card.spread + score - opponent
    return Card(card.points + points_of(score, opponent), card.won + (score > opponent), spread, card.played + 1)


def ranked(cards: Mapping[str, Card]) -> list[tuple[int, str, Card]]:
    """Return rank, player and scorecard, the best first; those with the same points, wins and spread share a rank."""
    order = sorted(cards.items(), key=lambda each: (each[1].points, each[1].won, each[1].spread), reverse=True)
    return [(1 + sum(_key(other) > _key(card) for _, other in order), player, card) for player, card in order]


def qualifiers(players: Iterable[str]) -> list[str]:
    """Return the players who advance to the knock-out: the first quarter of `players`, rounded up."""
    found = list(players)
    return found[: -(-len(found) // 4)]


def _key(card: Card) -> tuple[int, int, int]:
    return card.points, card.won, card.spread


# Duplicate bridge

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
    """Return the matchpoints of each line: 1 for each lower score, ½ for each equal one.

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

    An adjusted score counts 2 IMPs for A+, 0 for A and -2 for A-. That is this program's own rule: the laws give a
    value for teams only (law 86A: 3).
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

    def average(adjusted: str, pair: str) -> Fraction:
        score, top = played.get(pair, (Fraction(0), 0))
        share = AVERAGES[adjusted]
        on_others = score / top if top else share
        if adjusted == "A+":
            return max(share, on_others)
        return min(share, on_others) if adjusted == "A-" else share

    for board, lines in boards.items():
        for at, line in enumerate(lines):
            if line.score is None:
                (ns, ew), top = line.adjusted or ("A", "A"), found[board][at].top
                found[board][at] = Share(average(ns, line.ns) * top, average(ew, line.ew) * top, top)
    return found


class Total(NamedTuple):
    """What a pair has scored on `boards` boards. `top`: the most matchpoints possible on them; 0 with IMPs."""

    score: Fraction = Fraction(0)
    top: int = 0
    boards: int = 0

    @property
    def percent(self) -> float:
        """The score as a percentage of the most possible; 0 without a board."""
        return float(100 * self.score / self.top) if self.top else 0.0

    def over(self, boards: int) -> float:
        """Return the score scaled to `boards` boards, because pairs that sit out play fewer than others."""
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
