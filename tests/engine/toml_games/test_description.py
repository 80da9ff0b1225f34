"""Descriptions of trick games: what is refused, and where."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

import pytest

from engine.actions import Action
from engine.cards import Card, parse_card
from engine.rules.game import Game
from engine.table import Table
from engine.toml_games.description import DescriptionError
from engine.toml_games.game import game_of
from engine.toml_games.keys import read_description
from tests.engine.toml_games.added import added

GAME = """
title = "Knaves"
players = [3, 4]
[deal]
cards = 5
[trumps]
choose = "turned"
[points]
J = -1
trump-J = -4
[score]
tricks = 1
revoke = 3
[end]
target = 20
"""


def values(change: str = "") -> dict[str, Any]:
    """The description, with a line `[section] key = value` changed or added."""
    found = tomllib.loads(GAME)
    section, _, line = change.rpartition("] ")
    part: dict[str, Any] = found.setdefault(section.strip("["), {}) if section else found
    if line.startswith("-"):
        del part[line[1:]]
    else:
        part.update(tomllib.loads(line))
    return found


def kind(change: str = "") -> type[Game]:
    return game_of("knaves", read_description(values(change)))


@pytest.mark.parametrize(
    ("change", "where", "words"),
    [
        ("-title", (), "'title' is missing"),
        ('title = ""', ("title",), "a text"),
        ("titel = 1", ("titel",), "did you mean 'title'?"),
        ("players = [3, 9]", ("players", 1), "from 2 to 7"),
        ("players = [3, 5]", ("players",), "without a gap"),
        ("-players", ("players",), "numbers of players"),
        ("partners = true", ("partners",), "two and two"),
        ('partners = "yes"', ("partners",), "true or false"),
        ("deal = 3", ("deal",), "write [deal] above them"),
        ("[deal] card = 3", ("deal", "card"), "did you mean 'cards'?"),
        ("[deal] cards = 13", ("deal", "cards"), "more than the 52 cards"),
        ("[deal] -cards", ("deck", "leave_out"), "needs 1 card"),
        ("[deal] cards = [3, 2, 1]", ("end",), "one of the two"),
        ('[deck] ranks = ["A", "A", "J"]', ("deck", "ranks"), "once"),
        ('[deck] ranks = ["A", "1"]', ("deck", "ranks", 1), "'1'"),
        ('[deck] leave_out = ["2C"]', ("deck", "leave_out"), "deals of all cards"),
        ('[deck] leave_out = ["1C"]', ("deck", "leave_out", 0), "'1C'"),
        ('[trumps] choose = "tuned"', ("trumps", "choose"), "did you mean 'turned'?"),
        ('[trumps] choose = "last"', ("trumps", "choose"), "all cards are dealt"),
        ('[trumps] suits = ["hearts"]', ("trumps", "suits"), "belong together"),
        ('[trumps] ranks = ["J", "9"]', ("trumps", "ranks"), "another order"),
        ('pass = {to = "left"}', ("pass",), "before anything is turned up"),
        ("[points] Z = 3", ("points", "Z"), "no card, rank, suit or trump"),
        ('[points] J = "1"', ("points", "J"), "whole number"),
        ("[points] J = true", ("points", "J"), "whole number"),
        ("[score] tricks = 0", ("points",), "above 0"),
        ("[score] most = 1", ("score", "most"), "belong together"),
        ("count = {A = 4}", ("score", "most"), "belong together"),
        ("count = {trump-A = 4}", ("count", "trump-A"), "the same in every suit"),
        ("[trumps] beg = 1\nchoose = 'named'", ("trumps", "beg"), "choose ="),
        ("trumps = {choose = 'none'}\nscore = {high = 1}", ("score", "high"), "no trumps"),
        ("trumps = {choose = 'none'}\nscore = {low = 1}", ("score", "low"), "no trumps"),
        ("[end] target = 0", ("end",), "one of the two"),
        ('[play] follow = "beats"', ("play", "follow"), "did you mean 'beat'?"),
        ('[play] lead = "AS"', ("play", "lead"), "may not be dealt"),
        ("partners = true\nplayers = [4]\nbid = {made = 1}", ("bid",), "for themselves"),
    ],
)
def test_what_makes_no_sense_is_refused_at_its_key(change: str, where: tuple[str | int, ...], words: str) -> None:
    with pytest.raises(DescriptionError) as refused:
        read_description(values(change))
    assert (refused.value.where, words in str(refused.value)) == (where, True), str(refused.value)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"pass": {"to": "across"}}, ("pass", "to")),
        ({"pass": {"cards": 5}}, ("pass", "cards")),
        ({"trumps": {"choose": "named", "by": "highest bid"}}, ("trumps", "by")),
    ],
)
def test_passing_and_naming_are_checked_too(change: Mapping[str, Any], where: tuple[str, ...]) -> None:
    plain = {key: value for key, value in values().items() if key != "trumps"}
    with pytest.raises(DescriptionError) as refused:
        read_description({**plain, **change})
    assert refused.value.where == where


def test_every_key_is_read() -> None:
    """Black Maria with every number and name changed that the other tests leave alone."""
    described = read_description(
        {
            "title": "Knaves",
            "about": "Take no jacks.",
            "players": [4],
            "pass": {"cards": 2, "to": ["left", "keep"]},
            "play": {"lead": "lowest club", "closed": "hearts", "opened_by": ["QS"], "not_first": ["QS", "JH"]},
            "points": {"J": 1},
            "score": {"tricks": 2, "above": 6, "sweep": 40, "sweep_to": "others", "revoke": 9},
            "end": {"target": 50, "wins": "lowest"},
        }
    )
    assert (described.passed, described.pass_to) == (2, ("left", "keep"))
    assert (described.lead, described.closed) == ("lowest club", "H")
    assert described.opened_by == (parse_card("QS"),) and described.not_first == (parse_card("QS"), parse_card("JH"))
    assert (described.tricks, described.above, described.revoke) == (2, 6, 9)
    assert (described.sweep, described.sweep_to) == (40, "others")
    assert (described.target, described.wins) == (50, "lowest")
    made = game_of("knaves", described)
    assert made.zones == ("play", "say", "show") and made.lowest_wins and list(made.seats) == [4]
    assert game_of("knaves", read_description(values())).zones == ("play", "turn-up", "say", "show")


def test_the_lowest_club_that_is_dealt_leads() -> None:
    change = {"players": [3], "deck": {"leave_out": ["2C"]}, "deal": {}, "play": {"lead": "lowest club"}}
    plain = {key: value for key, value in values().items() if key not in ("trumps", "deal")}
    with added(game_of("knaves", read_description({**plain, **change}))) as name:
        table = Table(name, ["Ann", "Bo", "Cy"], dealer=0)
        assert "3♣ leads." in table.view().hint
        assert not table.can("1 play 4C") and table.can("2 play 3C")


def test_a_trump_outweighs_a_card_and_a_card_its_rank() -> None:
    with added(kind("[points] JS = 7")) as name:
        table = Table(name, ["Ann", "Bo", "Cy"], dealer=0)
        table.do(Action("turn", card=parse_card("5H")))
        tricks = ("JH 2H 3H", "JS 2S 3S", "JD 2D 3D", "JC 2C 3C", "AH KH QH")
        for number, cards in enumerate(tricks):
            for place, card in enumerate(cards.split()):
                table.do(Action("play", (1 + place) % 3, parse_card(card)))
            assert table.scores == ((0, 0, 0) if number < 4 else (0, 5 - 4 + 7 - 1 - 1, 0))
    assert table.view().dealer == 1


def test_the_highest_bid_names_trumps_and_a_missed_bid_costs() -> None:
    change = {"trumps": {"choose": "named", "by": "highest bid"}, "bid": {"made": 10, "trick": 1, "missed": -2}}
    with added(
        game_of("knaves", read_description({**values(), **change, "deal": {"cards": [1, 2]}, "end": {}}))
    ) as name:
        table = Table(name, ["Ann", "Bo", "Cy"], dealer=0)
        for seat, word in ((1, "0"), (2, "1"), (0, "1")):
            table.do(Action("say", seat, word=word))
        assert table.turn == 2
        table.do(Action("say", 2, word="club"))
        for seat, card in ((1, "AS"), (2, "2C"), (0, "KS")):
            table.do(Action("play", seat, parse_card(card)))
    assert table.scores == (-2, 10, 12)  # and a point for the trick
    assert not table.over


@pytest.mark.parametrize(
    ("follow", "second", "last"),
    [
        ("suit", "QS 2S", "AS 4S"),
        ("trump", "QS 2S", "AS 4S"),
        ("beat", "QS", "AS"),
    ],
)
def test_cards_of_the_suit_led_must_beat_only_where_the_game_says_so(follow: str, second: str, last: str) -> None:
    table = known(follow, "JS 3S 5D", "QS 2S 6D", "AS 4S 7D")
    table.do(Action("play", 1, parse_card("JS")))
    assert plays(table) == {*second.split()}
    table.do(Action("play", 2, parse_card("QS")))
    assert plays(table) == {*last.split()}


@pytest.mark.parametrize(
    ("follow", "second", "last"),
    [
        ("suit", "6D 9H 8C", "7D 8H JH"),
        ("trump", "9H", "8H JH"),
        ("overtrump", "9H", "JH"),
        ("beat", "9H", "JH"),
    ],
)
def test_who_cannot_follow_must_trump_where_the_game_says_so(follow: str, second: str, last: str) -> None:
    table = known(follow, "JS 3S 5D", "6D 9H 8C", "7D 8H JH")
    table.do(Action("play", 1, parse_card("JS")))
    assert plays(table) == {*second.split()}
    table.do(Action("play", 2, parse_card("9H")))
    assert plays(table) == {*last.split()}


def test_a_trump_that_cannot_beat_must_still_be_played() -> None:
    table = known("overtrump", "JS 3S 5D", "6D 9H 8C", "7D 8H 2C")
    table.do(Action("play", 1, parse_card("JS")))
    table.do(Action("play", 2, parse_card("9H")))
    assert plays(table) == {"8H"}


def known(follow: str, *hands: str) -> Table:
    """A table with hearts as trumps at which three cards each are dealt: to seat 1, to seat 2, to the dealer."""
    trumps = {"choose": "suits", "suits": "hearts"}
    described = read_description({**values(), "deal": {"cards": 3}, "trumps": trumps, "play": {"follow": follow}})
    with added(game_of("knaves", described)) as name:
        table = Table(name, ["Ann", "Bo", "Cy"], dealer=0)
    for seat, hand in zip((1, 2, 0), hands, strict=True):
        table.do(Action("deal", seat, cards=tuple(map(parse_card, hand.split()))))
    return table


def plays(table: Table) -> set[str]:
    return {str(action.card) for action in table.legal_actions() if action.do == "play"}


def test_a_pack_of_its_own_ranks_as_it_says() -> None:
    change = {"ranks": ["A", "10", "K", "Q", "J", "9", "8", "7"]}
    described = read_description(
        {**values(), "deck": change, "trumps": {"choose": "suits", "suits": ["hearts", "none"]}}
    )
    with added(game_of("knaves", described)) as name:
        table = Table(name, ["Ann", "Bo", "Cy"], dealer=0)
        assert len(table.view().deck) == 32
        assert table.view().trump == "H"
        for seat, card in ((1, "KS"), (2, "10S"), (0, "7H")):
            table.do(Action("play", seat, parse_card(card)))
    assert table.turn == 0
    assert Card("2", "S") not in table.view().deck
