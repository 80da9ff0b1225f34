"""Auctions: what may be called, when it is over, the contract and its declarer."""

from __future__ import annotations

import pytest

from engine.games.bridge.auction import BIDS, Auction, Contract


def auction(calls: str, first: int = 0) -> Auction:
    held = Auction([word.name for word in BIDS], first, lambda seat: seat % 2)
    for word in calls.split():
        assert word in held.allowed()
        held.add(word)
    return held


@pytest.mark.parametrize(
    ("calls", "contract"),
    [
        ("1nt pass 3nt pass pass pass", Contract(3, "nt", 0, 1)),
        ("1h pass 2h pass 4h pass pass pass", Contract(4, "h", 0, 1)),
        ("pass 1s 2h 2s 3h pass pass 3s pass pass pass", Contract(3, "s", 1, 1)),
        ("1c double redouble pass pass pass", Contract(1, "c", 0, 4)),
        ("1c double 1d double pass pass pass", Contract(1, "d", 2, 2)),
        ("1h 1s 2s 3h pass pass pass", Contract(3, "h", 3, 1)),  # the other side's hearts do not count
        ("pass pass pass 1c pass pass pass", Contract(1, "c", 3, 1)),
        ("pass pass pass pass", None),
    ],
)
def test_contracts(calls: str, contract: Contract | None) -> None:
    held = auction(calls)
    assert held.over
    assert held.contract() == contract


@pytest.mark.parametrize(
    ("calls", "others"),
    [
        ("", ["pass"]),
        ("1h", ["pass", "double"]),
        ("1h pass", ["pass"]),
        ("1h pass pass", ["pass", "double"]),
        ("1h double", ["pass", "redouble"]),
        ("1h double pass", ["pass"]),
        ("1h double pass pass", ["pass", "redouble"]),
        ("1h double redouble", ["pass"]),
        ("1h double 1s", ["pass", "double"]),
    ],
)
def test_only_opponents_are_doubled_and_redoubled(calls: str, others: list[str]) -> None:
    assert [word for word in auction(calls).allowed() if not word[0].isdecimal()] == others


def test_a_bid_is_higher_than_the_last_one() -> None:
    bids = [word.name for word in BIDS]
    assert [word for word in auction("2s").allowed() if word in bids] == bids[bids.index("2nt") :]
    assert len([word for word in auction("").allowed() if word in bids]) == 35
    assert auction("7nt").allowed() == ("pass", "double")
    assert not auction("pass pass pass").over
