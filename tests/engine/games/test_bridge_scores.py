"""Bridge: the score of every contract, compared with endplay's."""

from __future__ import annotations

from typing import Any

import pytest

from engine.games.bridge.auction import STRAINS, Contract
from engine.games.bridge.scoring import BOOK, duplicate_score

types: Any = pytest.importorskip("endplay.types")


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
