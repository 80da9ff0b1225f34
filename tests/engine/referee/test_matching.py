"""Matching the cards that lie there by the record with those that are observed."""

from __future__ import annotations

from engine.actions import Action
from engine.cards import parse_card
from engine.observations import Scene, Sighting, Zone
from engine.record import Header
from engine.referee.matching import RecordMatching
from engine.referee.observed_cards import ObservedCards
from engine.table import Table
from engine.views import TableCard
from tests.engine.talk import do


def observed(table: Table, *cards: tuple[str, Zone]) -> RecordMatching:
    """The table with these cards observed on it, all of them counted."""
    seen = ObservedCards()
    sightings = (Sighting(f"p{n}", parse_card(card), zone, float(n)) for n, (card, zone) in enumerate(cards))
    seen.update(Scene(10.0, "camera", tuple(sightings)), 0)
    for card in seen:
        card.count(Action("undo"), 0)
    return RecordMatching(table, seen)


def entries(*cards: tuple[str, Zone]) -> list[TableCard]:
    return [TableCard(parse_card(card), zone) for card, zone in cards]


def plain(found: list[TableCard]) -> list[tuple[str, Zone]]:
    return [(str(entry.card), entry.zone) for entry in found]


# Several copies: two players bid equal cards, a player bids the same card twice

BID = Zone("bid", 0)


def pot() -> Table:
    """Ann has bid two red 1 and a red 2; the green card lies on the table."""
    table = Table(Header("its-15", ("Ann", "Bo"), 0))
    do(table, "turn green-5", "0 say stay", "1 say stay", "0 bid red-1 red-1 red-2")
    return table


def test_each_copy_that_is_not_observed_is_missing() -> None:
    table = pot()
    lying = table.lying
    assert plain(list(lying)) == [("green-5", Zone("table")), *((card, BID) for card in ("red-1", "red-1", "red-2"))]
    green = ("green-5", Zone("table"))
    assert plain(observed(table, green).missing(lying)) == [("red-1", BID), ("red-1", BID), ("red-2", BID)]
    assert plain(observed(table, green, ("red-1", BID)).missing(lying)) == [("red-1", BID), ("red-2", BID)]
    assert plain(observed(table, green, ("red-2", BID)).missing(lying)) == [("red-1", BID), ("red-1", BID)]
    twice = (("red-1", BID), ("red-1", BID))
    assert plain(observed(table, green, *twice).missing(lying)) == [("red-2", BID)]
    assert observed(table, green, *twice, ("red-2", BID)).missing(lying) == []


def test_more_copies_than_lie_there_replace_no_other_card() -> None:
    three = [("red-1", BID)] * 3
    matching = observed(pot(), *three)
    assert plain(matching.missing(pot().lying)) == [("green-5", Zone("table")), ("red-2", BID)]
    assert len(matching.unmatched()) == 1


def test_the_zone_decides_which_of_two_equal_cards_is_missing() -> None:
    table = Table(Header("its-15", ("Ann", "Bo", "Cy"), 0))
    do(table, "turn green-5", "0 say stay", "1 say stay", "2 say stay", "0 bid red-1", "1 bid blue-1", "2 bid yellow-1")
    do(table, "0 show brown-9", "1 show brown-9")
    shown = [entry for entry in table.lying if entry.zone.name == "show"]
    assert plain(shown) == [("brown-9", Zone("show", 0)), ("brown-9", Zone("show", 1))]
    for absent in (0, 1):
        matching = observed(table, ("brown-9", Zone("show", 1 - absent)))
        assert plain(matching.missing(shown)) == [("brown-9", Zone("show", absent))]


def test_of_some_entries_only_those_are_missing() -> None:
    table = pot()
    matching = observed(table, ("red-1", BID))
    first, second = [entry for entry in table.lying if str(entry.card) == "red-1"]
    assert matching.missing([first]) == [], "one copy lies there, whichever is asked for"
    assert matching.missing([first, second]) == [second]
    assert matching.missing([]) == []


# The cut: cards cut lie in the play zones, and are no trick


def test_cards_cut_for_the_deal_are_no_trick() -> None:
    table = Table(Header("all-fives", ("Ann", "Bo"), None))
    do(table, "0 cut 9S")
    assert table.phase == "cut" and plain(list(table.lying)) == [("9S", Zone("play", 0))]
    assert observed(table).trick() == []
    do(table, "1 cut KD")
    assert table.phase != "cut"


def test_the_trick_has_its_cards_in_the_order_played() -> None:
    table = Table(Header("all-fives", ("Ann", "Bo"), 0))
    do(table, "turn 2H", "1 say stand", "1 play KS", "0 play 3S")
    assert plain(observed(table).trick()) == [("KS", Zone("play", 1)), ("3S", Zone("play", 0))]
