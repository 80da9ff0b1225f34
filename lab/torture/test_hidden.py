"""No output shows a hidden card."""

from __future__ import annotations

import random

import pytest

from lab.torture.hidden import Compared, compare, with_readers
from lab.torture.hidden_outputs import OUTPUTS
from lab.torture.hidden_swaps import face_down_swaps, swaps
from lab.torture.hidden_table import HiddenTable
from tests.cardtable.people.people import observations

OF_THE_GAME = frozenset(name for name, output in OUTPUTS.items() if output.shows == "hands")
EVERY_SEAT = frozenset(f"{what} of seat {seat}" for seat in range(7) for what in ("display", "phone"))


def played(game: str, players: int, acts: int, dealt: bool) -> Compared:
    rng = random.Random(f"{game}/{players}")
    header, seen = observations(game, players, 1, acts)
    observed = with_readers(header, seen, rng)
    swap = (swaps if dealt else face_down_swaps)(header, observed, rng, 1)[0]
    return compare(header, observed, swap, "fr", whole=dealt)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("game", "players", "acts"), [("fifteen", 2, 40), ("cribbage", 3, 40), ("le-quinze", 4, 30), ("spades", 4, 75)]
)
def test_a_card_dealt_over_readers_changes_no_output(
    game: str, players: int, acts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own seat's display, and outputs that show hands by design, show it: the card was really changed."""
    names: set[str] = set()
    outputs = HiddenTable.outputs

    def named(table: HiddenTable, whole: bool = False) -> dict[str, bytes]:
        written = outputs(table, whole)
        names.update(written)
        return written

    monkeypatch.setattr(HiddenTable, "outputs", named)
    compared = played(game, players, acts, dealt=True)
    assert compared.differing == {}
    assert names | EVERY_SEAT == set(OUTPUTS)
    assert compared.observations > 10
    of_seats = {f"{what} of seat {seat}" for seat in compared.swap.seats for what in ("display", "phone")}
    assert compared.changed == OF_THE_GAME | of_seats


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("game", "players"), [("its-15", 3), ("cribbage", 2)])
def test_a_card_face_down_on_a_reader_changes_no_output(game: str, players: int) -> None:
    compared = played(game, players, 15, dealt=False)
    assert (compared.differing, compared.changed) == ({}, set())
