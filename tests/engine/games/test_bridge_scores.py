"""Bridge: the score of every contract, compared with endplay's."""

from __future__ import annotations

from typing import Any

import pytest

from engine.games.bridge import BOOK, above_the_line, trick_points, undertricks
from engine.rules.auction import STRAINS, Contract

types: Any = pytest.importorskip("endplay.types")


def duplicate_score(contract: Contract, tricks: int, vulnerable: bool) -> int:
    """The points of the declarer's side, negative if the opponents score."""
    over = tricks - BOOK - contract.level
    if over < 0:
        return -undertricks(contract.risk, -over, vulnerable)
    points = trick_points(contract)
    bonus = 50 if points < 100 else 500 if vulnerable else 300
    return points + bonus + sum(points for points, _ in above_the_line(contract, over, vulnerable))


@pytest.mark.parametrize("vulnerable", [False, True])
@pytest.mark.parametrize("risk", [1, 2, 4])
def test_every_contract_scores_as_in_endplay(risk: int, vulnerable: bool) -> None:
    penalty = {1: types.Penalty.passed, 2: types.Penalty.doubled, 4: types.Penalty.redoubled}[risk]
    names = ("clubs", "diamonds", "hearts", "spades", "nt")
    denoms = {strain: types.Denom[name] for strain, name in zip(STRAINS, names, strict=True)}
    vul = types.Vul.ns if vulnerable else types.Vul.none
    differences = []
    for level in range(1, 8):
        for strain in STRAINS:
            for tricks in range(14):
                result = tricks - BOOK - level
                contract = Contract(level, strain, 0, risk)
                other = types.Contract(
                    level=level, denom=denoms[strain], declarer=types.Player.north, penalty=penalty, result=result
                )
                ours, theirs = duplicate_score(contract, tricks, vulnerable), other.score(vul)
                if ours != theirs:
                    differences.append((level, strain, tricks, ours, theirs))
    assert differences == []
