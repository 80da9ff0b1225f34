"""A reader under a zone for face-down cards reports none of them until they must be shown."""

from __future__ import annotations

from dataclasses import replace

from engine.cards import Card, parse_card
from engine.observations import Scene, Sighting, Zone
from engine.referee.hidden_cards import FaceDown
from engine.table import Table
from engine.views import View


def view(phase: str) -> View:
    return replace(Table("cribbage", ["Ann", "Bo"], dealer=0).view(), phase=phase)


def scene(*cards: tuple[str, str]) -> Scene:
    return Scene(1.0, "readers", tuple(Sighting(f"{c}/1", parse_card(c), Zone(zone), 0.0) for c, zone in cards))


def seen(out: Scene) -> list[Card]:
    return [sighting.face for sighting in out.sightings if isinstance(sighting.face, Card)]


def test_a_card_in_the_crib_is_not_reported_before_it_is_shown() -> None:
    cards = FaceDown()
    assert seen(cards.without(scene(("5H", "crib"), ("9C", "play"), ("2D", "stock")), view("play"))) == [
        parse_card("9C")
    ]


def test_a_card_laid_face_up_is_reported_while_it_is_on_the_reader() -> None:
    cards = FaceDown()
    assert seen(cards.without(scene(("5H", "crib")), view("show"))) == [parse_card("5H")]
    assert seen(cards.without(scene(("5H", "crib"), ("6H", "crib")), view("deal"))) == [parse_card("5H")]
    assert seen(cards.without(scene(("6H", "crib")), view("deal"))) == []
    assert seen(cards.without(scene(("5H", "crib")), view("deal"))) == []


def test_a_card_that_lay_there_before_must_be_laid_again() -> None:
    cards = FaceDown()
    cards.without(scene(("5H", "crib")), view("play"))
    assert seen(cards.without(scene(("5H", "crib"), ("6H", "crib")), view("show"))) == [parse_card("6H")]
    cards.without(scene(("6H", "crib")), view("show"))
    assert seen(cards.without(scene(("5H", "crib"), ("6H", "crib")), view("show"))) == [
        parse_card("5H"),
        parse_card("6H"),
    ]


def test_the_show_zone_of_all_fives_is_for_face_up_cards() -> None:
    open_view = Table("all-fives", ["Ann", "Bo"], dealer=0).view()
    laid = Scene(1.0, "readers", (Sighting("a/1", parse_card("5H"), Zone("show", 0), 0.0),))
    assert FaceDown().without(laid, open_view) == laid


def test_a_card_turned_up_is_reported_also_where_it_may_be_turned_over() -> None:
    euchre = Table("euchre", ["Ann", "Bo", "Cy", "Di"], dealer=0).view()
    assert "turn-up" in euchre.face_down
    assert seen(FaceDown().without(scene(("9H", "turn-up")), euchre)) == [parse_card("9H")]
