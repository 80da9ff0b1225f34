"""Cards that leave a place whose table was never seen: what lay face down at the start was taken for the table."""

from __future__ import annotations

import pytest

from tests.vision.drawn_table import DrawnTable, Watched

PLACE = ("turn-up", None)


def on_a_back(*cards: tuple[str, float, float, float]) -> tuple[DrawnTable, Watched]:
    """Start with a card face down; lay these cards where it was: their names, offsets in mm and rotations."""
    table = DrawnTable()
    back = table.lay("back", PLACE)
    watched = Watched(table)
    watched.run(20)
    table.cards.remove(back)
    for name, dx, dy, angle in cards:
        table.lay(name, PLACE, dx, dy, angle)
        watched.until_scene()
    watched.run(10)
    return table, watched


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("dx", "dy", "angle"), [(0, 0, 0), (9, -6, 4), (-20, 12, 30), (3, 3, 90)])
def test_a_card_that_leaves_is_noticed(dx: float, dy: float, angle: float) -> None:
    table, watched = on_a_back(("QH", dx, dy, angle))
    assert watched.seen == {("QH", "turn-up")}
    table.cards.clear()
    watched.run(20)
    assert watched.seen == set()


def test_cards_on_one_another_leave_together_or_one_by_one() -> None:
    table, watched = on_a_back(("QH", 0, 0, 0), ("7C", 14, 10, 12))
    assert {face for face, _ in watched.seen} == {"QH", "7C"}
    table.cards.pop()
    watched.run(20)
    assert {face for face, _ in watched.seen} == {"QH"}
    table.cards.clear()
    watched.run(20)
    assert watched.seen == set()


def test_a_covered_card_stays() -> None:
    table, watched = on_a_back(("QH", 0, 0, 0))
    x, y = table.mat.centre(next(zone for zone in table.mat.areas if zone.name == "turn-up"))
    for dx, dy in ((0, 0), (-30, -40)):
        table.hands = [((x - 300, y + 400), (x + dx, y + dy))]
        watched.run(15)
        assert watched.seen == {("QH", "turn-up")}
    table.hands = []
    watched.run(15)
    for angle in (0, 45):
        cover = table.lay("back", PLACE, 5, -5, angle)
        watched.run(20)
        assert ("QH", "turn-up") in watched.seen
        table.cards.remove(cover)
        watched.run(20)
        assert watched.seen == {("QH", "turn-up")}


def test_a_shadow_takes_no_card_away() -> None:
    table, watched = on_a_back(("QH", 0, 0, 0))
    x, y = table.mat.centre(next(zone for zone in table.mat.areas if zone.name == "turn-up"))
    for dark in (0.3, 0.7):
        table.shadows = [(x + 20, y, 60, dark)]
        watched.run(15)
        assert watched.seen == {("QH", "turn-up")}
