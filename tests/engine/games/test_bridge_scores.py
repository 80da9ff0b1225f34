"""Bridge: the score of every contract, compared with endplay's."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from engine.games.bridge.auction import STRAINS, Contract
from engine.games.bridge.scoring import BOOK, duplicate_score


def test_every_contract_scores_as_in_endplay() -> None:
    types: Any = pytest.importorskip("endplay.types")  # slow to load
    penalties = {1: types.Penalty.passed, 2: types.Penalty.doubled, 4: types.Penalty.redoubled}
    names = ("clubs", "diamonds", "hearts", "spades", "nt")
    denoms = {strain: types.Denom[name] for strain, name in zip(STRAINS, names, strict=True)}
    for risk, level, strain, tricks in product(penalties, range(1, 8), STRAINS, range(14)):
        theirs = types.Contract(
            level=level,
            denom=denoms[strain],
            declarer=types.Player.north,
            penalty=penalties[risk],
            result=tricks - BOOK - level,
        )
        ours = Contract(level, strain, 0, risk)
        for vulnerable, vul in ((False, types.Vul.none), (True, types.Vul.ns)):
            assert duplicate_score(ours, tricks, vulnerable) == theirs.score(vul), (ours, tricks, vulnerable)
