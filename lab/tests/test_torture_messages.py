"""A short form of `lab.torture.messages`: random messages, action cards, buttons and restarts in two evenings."""

from __future__ import annotations

from collections import Counter

import pytest

from cardtable.config.model import AccessConfig
from cardtable.table.messages import HERE, Identity
from lab.torture.messages import evening
from lab.torture.messages_devices import may
from lab.torture.messages_random import KINDS, NAMED, POOLS


@pytest.mark.parametrize(("game", "seed"), [(("german-whist", 2), 1), (("le-quinze", 3), 6)])
def test_nothing_ends_an_evening(game: tuple[str, int], seed: int) -> None:
    tally: Counter[str] = Counter()
    assert evening(game, seed, 80, tally) is None
    assert tally["accepted"] > 1 and tally["forbidden"] > 3


def test_every_key_of_every_message_has_values() -> None:
    assert {key for shape in KINDS.values() for key in shape["properties"]} == POOLS.keys() | {"do"}
    assert all(key in KINDS[do]["properties"] for do, key in NAMED)


def test_who_may_do_what() -> None:
    phone, board, looker = ("seat", 1, Identity(False, 2)), ("board", None, HERE), ("spectator", None, Identity(False))
    usual, open_to_all = AccessConfig(), AccessConfig(say=("spectator",))
    say = {"do": "say", "seat": 1, "word": "beg"}
    assert may(usual, phone, say, None) and may(usual, board, say, None) and not may(usual, looker, say, None)
    assert may(open_to_all, looker, say, None) and not may(open_to_all, looker, {**say, "against": 0}, None)
    assert not may(usual, phone, {**say, "seat": 0}, None)
    assert may(usual, phone, {"do": "undo", "n": 3}, 1) and not may(usual, phone, {"do": "undo", "n": 3}, 0)
    assert not may(usual, phone, {"do": "begin"}, 1) and not may(usual, phone, {"do": "undo-to", "n": 3, "line": 1}, 1)
