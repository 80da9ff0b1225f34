"""Cards that a source loses from sight all at once and sees again: the light flickered, they were not laid."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.actions import Action
from engine.observations import Scene, Sighting, Zone
from engine.referee.observed_cards import ObservedCards
from tests.engine.referee.table_top import TableTop, read

BID, WORD = Zone("bid", 1), Zone("say", 0)


def seen(cards: ObservedCards, time: float, *faces: tuple[str | None, Zone], since: float | None = None) -> None:
    """Show cards, each with an id made of its place in the scene and the time since when it lies there."""
    since = time if since is None else since
    sightings = [Sighting(f"{number}-{since}", read(face), zone, since) for number, (face, zone) in enumerate(faces)]
    cards.update(Scene(time, "camera", tuple(sightings)), hand_phase=0)


def spent() -> ObservedCards:
    """A bid and a word that have had their effect lie on the table."""
    cards = ObservedCards()
    seen(cards, 1.0, ("blue-2", BID), ("say:pass", WORD))
    for card in cards:
        card.count(Action("stay"), 0)
        card.retire()
    return cards


def statuses(cards: ObservedCards) -> list[str]:
    return [card.status for card in cards]


def test_cards_without_further_effect_have_none_after_a_blink() -> None:
    cards = spent()
    seen(cards, 2.0)
    seen(cards, 3.0, ("blue-2", BID), ("say:pass", WORD), ("blue-2", BID))
    assert statuses(cards) == ["spent", "spent", "open"], "there was only one blue two"


def test_a_card_that_is_read_late_after_a_blink() -> None:
    cards = spent()
    seen(cards, 2.0)
    seen(cards, 3.0, (None, BID), ("say:pass", WORD))
    assert statuses(cards) == ["open", "spent"]
    seen(cards, 4.0, ("blue-2", BID), ("say:pass", WORD), since=3.0)
    assert statuses(cards) == ["spent", "spent"]


@pytest.mark.parametrize(
    ("gone", "again"),
    [
        pytest.param([("say:pass", WORD)], 3.0, id="one of two was taken up"),
        pytest.param([], 4.5, id="too long to be a blink"),
    ],
)
def test_a_card_taken_up_and_laid_again_is_new(gone: list[tuple[str | None, Zone]], again: float) -> None:
    cards = spent()
    seen(cards, 2.0, *gone)
    seen(cards, again, ("blue-2", BID), ("say:pass", WORD))
    assert [card.status for card in cards if card.zone == BID] == ["open"]


def test_an_old_card_squared_up_with_others_is_still_refused() -> None:
    """Laid again by itself it counts, as the request says."""
    pile, pot = [("green-5", Zone("table")), ("red-1", Zone("table"))], ("black-1", Zone("table"))
    cards = ObservedCards()
    seen(cards, 1.0, *pile, pot)
    next(iter(cards)).refuse("before")
    seen(cards, 2.0, pot)
    seen(cards, 3.0, pot, *pile, since=2.5)
    assert [card.code for card in cards if str(card.face) == "green-5"] == ["before"]
    seen(cards, 4.0, pot, *pile[1:])
    seen(cards, 5.0, pot, *pile[1:], pile[0], since=4.5)
    assert [card.status for card in cards if str(card.face) == "green-5"] == ["open"]


def test_a_card_cut_and_pushed_about_is_not_cut_again_after_a_blink() -> None:
    """All cut queens, so that they cut again; one queen was pushed to the turn-up zone and back."""
    top = TableTop(("Ann", "Bo", "Cy"), None, game="cribbage")
    lying = [top.lay("QH", "play", 1), top.lay("QD", "play", 0), top.lay("QS", "play", 2)]
    there = top.lying[lying[0]]
    for zone in (Zone("turn-up"), there.zone):
        top.lying[lying[0]] = replace(there, zone=zone, since=top.clock)
        top.show()
    top.done.clear()
    top.lift(*lying)
    for face, seat in (("QH", 1), ("QD", 0), ("QS", 2)):
        top.put(face, "play", seat)
    top.show()
    assert top.done == []


@pytest.mark.parametrize("seconds", [0.0, 3.0])
def test_a_pot_put_back_into_the_bid_zones_is_not_bid_again(seconds: float) -> None:
    top = TableTop(game="its-15")
    top.lay("green-9", "table")
    top.say(0, "stay")
    top.say(1, "stay")
    pot = [top.put(face, "bid", seat) for face, seat in (("red-1", 0), ("red-1", 0), ("blue-2", 1))]
    top.show()
    shown = [top.lay("brown-3", "show", seat) for seat in (0, 1)]
    top.lift(*shown)
    top.lay("green-5", "table")
    top.say(0, "stay")
    top.say(1, "stay")
    assert top.table.phase == "bid"
    top.done.clear()
    top.lift(*pot)
    top.clock += seconds
    for face, seat in (("red-1", 0), ("red-1", 0), ("blue-2", 1)):
        top.put(face, "bid", seat)
    top.show()
    assert bool(top.done) == bool(seconds), "laid again later, they are a bid"
    top.lay("red-1", "bid", 0)
    assert ("bid", 0) in [(done["do"], done["seat"]) for done in top.done]
