"""Views as text and as a picture, and the cards that may be named with a word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.cards import SUITS, parse_card
from engine.observations import Zone
from engine.table import Table
from engine.texts import both, commas, either, plural, spaced, text, word_text
from engine.views import HandView, TableCard, View, table_svg
from engine.words import Word


def view(**changes: object) -> View:
    """All Fives after two cards of the first trick."""
    table = Table("all-fives", ["Ann", "Bo"], dealer=0)
    for written in ("turn 10H", "say stand", "play KS", "play 2S"):
        table.do(written)
    return replace(table.view(), **changes)


def test_the_target_and_what_the_dealer_does() -> None:
    fifteen, its_15 = (Table(game, ["Ann", "Bo"], dealer=0).view() for game in ("fifteen", "its-15"))
    assert (fifteen.target, fifteen.dealer_does, its_15.dealer_does) == (15, "deals", "starts")


def test_the_text_of_a_table() -> None:
    table = Table("all-fives", ["Ann", "Bo"], dealer=0)
    for written in ("turn 10H", "say stand", "play KS"):
        table.do(written)
    assert (
        str(table)
        == str(table.view())
        == (
            "all-fives, play: Ann to act\n"
            "  Ann (dealer)  0 points  6 cards\n"
            "  Bo            0 points  5 cards\n"
            "trumps: hearts ♥\n"
            "on the table: turn-up 10♥, Bo K♠"
        )
    )
    assert repr(table) == "<Table all-fives: Ann 0, Bo 0; play>"


def test_the_text_of_a_game_that_is_over_and_of_one_without_a_turn() -> None:
    partners = view(
        over=True, winners=(1,), scores=(3, 7), players=("Ann", "Bo", "Cy", "Di"), hands=(HandView(0),) * 4, lying=()
    )
    lines = str(partners).splitlines()
    assert lines[0] == "all-fives, over: Bo and Di won"
    assert lines[1:5] == [
        "  Ann (dealer)  3 points  0 cards",
        "  Bo            7 points  0 cards",
        "  Cy            3 points  0 cards",
        "  Di            7 points  0 cards",
    ]
    assert not any("on the table" in line for line in lines)
    both_won = replace(partners, winners=(0, 1))
    assert str(both_won).startswith("all-fives, over: Ann and Cy and Bo and Di won\n")
    assert str(view(turn=None)).startswith("all-fives, play\n")


def test_the_text_shows_known_cards_and_where_each_card_lies() -> None:
    queen, ten = parse_card("QS"), parse_card("10H")
    lying = (TableCard(queen, Zone("show", 0)), TableCard(ten, Zone("show", 0)), TableCard(ten, Zone("play", 1)))
    lines = str(view(hands=(HandView(2, (queen, ten)), HandView(5)), lying=lying)).splitlines()
    assert lines[1].endswith("2 cards: Q♠ 10♥") and lines[2].endswith("5 cards")
    assert lines[-1] == "on the table: Ann (show) Q♠ 10♥, Bo 10♥"


def test_the_picture_of_a_table() -> None:
    lying = (
        TableCard(parse_card("QS"), Zone("turn-up", None)),
        TableCard(parse_card("10H"), Zone("play", 1)),
        TableCard(parse_card("2D"), Zone("play", 1)),
    )
    shown = view(lying=lying, players=("Ann", "B<o"))
    assert table_svg(shown) == (
        '<svg xmlns="http://www.w3.org/2000/svg" width="264" height="128" font-family="sans-serif">'
        '<rect width="100%" height="100%" fill="#e8f0e8"/>'
        '<text x="12" y="22" font-size="14" font-weight="bold">all-fives, play: B&lt;o to act</text>'
        '<text x="12" y="44" font-size="13">turn-up</text>'
        '<rect x="12" y="52" width="46" height="64" rx="5" fill="#fff" stroke="#888"/>'
        '<text x="35.0" y="90.0" font-size="17" text-anchor="middle" fill="#111">Q♠</text>'
        '<text x="76" y="44" font-size="13">B&lt;o</text>'
        '<rect x="76" y="52" width="46" height="64" rx="5" fill="#fff" stroke="#888"/>'
        '<text x="99.0" y="90.0" font-size="17" text-anchor="middle" fill="#b00020">10♥</text>'
        '<rect x="128" y="52" width="46" height="64" rx="5" fill="#fff" stroke="#888"/>'
        '<text x="151.0" y="90.0" font-size="17" text-anchor="middle" fill="#b00020">2♦</text>'
        "</svg>"
    )
    assert 'width="552" height="128"' in table_svg(replace(shown, lying=lying * 3))


def words_of(*words: Word) -> dict[str, Word]:
    return {word.name: word for word in words}


def test_the_cards_that_may_be_named_with_a_word() -> None:
    lying = tuple(
        TableCard(parse_card(card), zone)
        for card, zone in (
            ("KS", Zone("play", 1)),
            ("2H", Zone("play", 0)),
            ("3D", Zone("show", 1)),
            ("4D", Zone("show", 0)),
        )
    )
    vocabulary = words_of(
        Word("call", needs=("card",)),
        Word("match", needs=("card",), cards="led"),
        Word("swap", needs=("card",), cards="open"),
        Word("revoke", needs=("against", "evidence"), cards="led"),
        Word("stand"),
    )
    shown = view(lying=lying, vocabulary=vocabulary, turn=1, seen=frozenset((parse_card("KC"),)), led="S")
    any_card = shown.choices("call")
    assert [str(card) for card in any_card[:13]] == [
        "AS",
        "QS",
        "JS",
        "10S",
        "9S",
        "8S",
        "7S",
        "6S",
        "5S",
        "4S",
        "3S",
        "2S",
        "AH",
    ]
    assert len(any_card) == 49 and [card.suit for card in any_card] == sorted(
        (card.suit for card in any_card), key=SUITS.index
    )
    spades = ["AS", "QS", "JS", "10S", "9S", "8S", "7S", "6S", "5S", "4S", "3S", "2S"]
    assert [str(card) for card in shown.choices("match")] == spades
    assert [str(card) for card in shown.choices("revoke")] == spades
    assert shown.choices("swap") == (parse_card("3D"),)
    assert shown.choices("stand") == shown.choices("unknown") == ()
    assert len(replace(shown, lying=(), seen=frozenset(), led=None).choices("match")) == 52


def test_who_may_be_accused_with_which_cards_and_what_it_costs() -> None:
    table = Table("all-fives", ["Ann", "Bo", "Cy"], dealer=0, revoke_bonus=True)
    for action in ("turn 4H", "1 say stand", "play 10S", "play 2C"):
        table.do(action)
    assert table.view().accused == {}, "the trick is not over"
    for action in ("play 3S", "1 expose AS"):
        table.do(action)
    (costs,) = table.view().accused["revoke"].items()
    ruling = "Cy should have followed suit: Ann and Bo get 3 points each, and Cy cannot win on this hand."
    assert costs == (2, ruling)
    assert parse_card("AS") in table.view().choices("revoke")
    assert parse_card("AS") not in table.view().choices("revoke", 2), "it is exposed in front of Bo"
    assert parse_card("AS") in table.view().choices("revoke", 1)
    table.do("1 say revoke 2 KS")
    assert table.view().accused == {}


def test_cards_of_other_decks_are_listed_by_colour_and_number() -> None:
    table = Table("its-15", ["Ann", "Bo"], dealer=0)
    shown = replace(table.view(), vocabulary=words_of(Word("call", needs=("card",))))
    chosen = shown.choices("call")
    keys = [(card.suit, int(card.rank)) for card in chosen]
    assert keys == sorted(keys) and len({card.suit for card in chosen}) > 1


def test_a_view_names_sides_with_their_scores() -> None:
    assert view(players=("Ann", "Bo", "Cy", "Di"), scores=(3, 7)).side_scores() == (("Ann and Cy", 3), ("Bo and Di", 7))


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((), ("", "", "")),
        (("A",), ("A", "A", "A")),
        (("A", "B"), ("A and B", "A or B", "A, B")),
        (("A", "B", "C"), ("A, B and C", "A, B or C", "A, B, C")),
        (("A", "B", "C", "D"), ("A, B, C and D", "A, B, C or D", "A, B, C, D")),
    ],
)
def test_lists_in_a_sentence(parts: tuple[str, ...], expected: tuple[str, str, str]) -> None:
    assert (both(parts), either(parts), commas(parts)) == expected


def test_texts_keep_their_templates() -> None:
    message = plural("{count} card of {name}", "{count} cards of {name}", 2, name="Bo")
    assert (message.template, message.forms) == (
        "{count} cards of {name}",
        ("{count} card of {name}", "{count} cards of {name}", 2),
    )
    assert dict(message.values) == {"count": 2, "name": "Bo"}
    assert text("a").forms is None and str(message) is message
    assert word_text("take-one") == "take one" and word_text("take-one").template == "take one"
    cards = spaced(("QS", "KS"))
    assert cards == "QS KS" and cards.template == "{part0} {part1}" and spaced(()) == ""
