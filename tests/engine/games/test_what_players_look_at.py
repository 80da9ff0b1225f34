"""What players look at in each game: the notes beside the seats, the poster, and the tallies of both parties."""

from __future__ import annotations

from engine.table import Table
from engine.toml_games.game import game_of
from engine.toml_games.keys import read_description
from engine.views import SeatNote, View
from tests.engine.talk import do, table_of
from tests.engine.toml_games.added import added
from tests.engine.toml_games.test_description import kind, values

RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


def roles(view: View) -> list[str]:
    return [str(note.role) for note in view.notes]


def poster(view: View) -> list[str]:
    return [str(part) for part in (view.poster.figure, *view.poster.lines)] if view.poster else []


def tallies(view: View) -> list[str]:
    needs = ["" if tally.need is None else f" of {tally.need}" for tally in view.tallies]
    return [f"{tally.figure} {tally.name}{need}" for tally, need in zip(view.tallies, needs, strict=True)]


def taken(note: SeatNote) -> tuple[int | None, str]:
    return note.gained, " ".join(map(str, note.cards))


def play(table: Table, cards: str) -> View:
    for card in cards.split():
        do(table, f"{table.turn} play {card}")
    return table.view()


def test_all_fives_shows_trumps_and_what_those_taken_score() -> None:
    table = table_of("all-fives", 2)
    do(table, "turn 7S", "1 say stand")
    assert [taken(note) for note in table.view().notes] == [(0, ""), (0, "")]
    assert poster(play(table, "2H 5S")) == ["♠", "trumps"]
    do(table, "1 say revoke 0 9H")
    assert roles(table.view()) == ["cannot win", ""]
    assert [taken(note) for note in play(table, "AS 10S").notes] == [(19, "10S 5S AS"), (0, "")]


def test_belote_shows_who_takes_and_the_points_of_both_sides() -> None:
    table = table_of("belote", 4)
    do(table, "turn JH", "3 say pass", "2 say take-up")
    assert poster(table.view()) == ["♥", "Cy takes"]
    assert tallies(table.view()) == ["0 Ann and Cy of 82", "0 Bo and Dee of 81"]
    view = play(table, "10H JH 7H 8H")
    assert tallies(view) == ["30 Ann and Cy of 82", "0 Bo and Dee of 81"]


def test_contree_shows_the_bid_and_what_defeats_it() -> None:
    table = table_of("belote", 4, form="contree")
    do(table, "3 say 100", "3 say heart")
    assert poster(table.view()) == ["100 ♥", "Dee"]
    do(table, "2 say double", *(f"{seat} say pass" for seat in (1, 0, 3)))
    assert poster(table.view()) == ["100 ♥ ×2", "Dee"]
    assert tallies(table.view()) == ["0 Ann and Cy of 63", "0 Bo and Dee of 100"]
    table = table_of("belote", 4, form="contree")
    do(table, "3 say capot", "3 say heart", *(f"{seat} say pass" for seat in (2, 1, 0)))
    assert tallies(table.view()) == ["0 Ann and Cy of 1", "0 Bo and Dee of 8"]


def test_cribbage_shows_the_count_the_crib_and_who_said_go() -> None:
    table = table_of("cribbage", 2)
    do(table, "turn 3H")
    view = play(table, "KS 10H")
    assert (poster(view), roles(view)) == (["20", "count"], ["crib", ""])
    view = play(table, "QS")
    do(table, "0 say go")
    assert (poster(table.view()), roles(table.view())) == (["30", "count"], ["go", ""])


def test_euchre_shows_the_maker_a_lone_hand_and_the_tricks() -> None:
    table = table_of("euchre", 4)
    do(table, "turn QH", "1 say order-up")
    view = play(table, "9S 10S AS JS")
    assert poster(view) == ["♥", "Bo makes"]
    assert tallies(view) == ["0 Ann and Cy of 3", "1 Bo and Dee of 3"]
    lone = table_of("euchre", 4)
    do(lone, "turn QH", "1 say alone")
    assert roles(lone.view()) == ["", "alone", "", "sits out"]


def test_fifteen_shows_what_tricks_score_and_whose_crib_it_is() -> None:
    table = table_of("fifteen", 2)
    do(table, "turn 5S", "1 say accept")
    view = play(table, "AS 5D")
    assert roles(view) == ["crib", ""]
    assert [note.gained for note in view.notes] == [0, 2]


def test_german_whist_shows_the_card_that_is_played_for() -> None:
    table = table_of("german-whist", 2)
    do(table, "turn 9H")
    assert poster(table.view()) == ["♥", "trumps", "for 9♥"]
    for number, rank in enumerate(RANKS):
        assert tallies(play(table, f"{rank}D {rank}C")) == []
        if number < 12:
            do(table, f"turn {rank}S")
    view = play(table, "2S 3H")
    assert (poster(view), tallies(view)) == (["♥", "trumps"], ["1 Ann of 7", "0 Bo of 7"])


def test_its_15_shows_the_pot_the_bids_and_who_has_passed() -> None:
    table = table_of("its-15", 3)
    do(table, "turn green-5", "0 say stay", "1 say stay", "2 say stay")
    assert (poster(table.view()), roles(table.view())) == ([], ["", "", ""])
    do(table, "0 bid red-2 red-1", "1 say pass", "2 bid yellow-2 yellow-2")
    view = table.view()
    assert poster(view) == ["7", "in the pot", "bid 4"]
    assert roles(view) == ["bids 3", "passed", "bids 4"]


def test_knock_out_whist_shows_the_dogs_life_and_who_is_out() -> None:
    for dogs_life, expected in ((True, ["dog’s life", "", ""]), (False, ["out", "", ""])):
        table = table_of("knock-out-whist", 3, cards=2, dogs_life=dogs_life)
        do(table, "turn 9H")
        assert roles(play(table, "KC 2C 3C 2D KD 3D")) == expected


def test_le_quinze_shows_how_fifteen_is_made_and_what_was_taken() -> None:
    table = table_of("le-quinze", 2)
    do(table, "turn QC", "turn 3S", "turn 7C", "turn 2H")
    view = play(table, "5D")
    assert poster(view) == ["15", "5 + 3 + 7", "Bo may take"]
    do(table, "1 take 3S 7C")
    view = table.view()
    assert (poster(view), roles(view), view.won) == ([], ["", "1 club"], (0, 3))
    assert taken(view.notes[1]) == (None, "7C")


def test_oh_hell_and_spades_show_bids_nils_and_bags() -> None:
    table = table_of("spades", 4, nil_helps=False)
    do(table, "1 say 3", "2 say nil", "3 say 2", "0 say 4")
    assert (poster(table.view()), roles(table.view())) == (["♠", "trumps"], ["", "", "nil", ""])
    view = play(table, "KD AD 2D 3D")
    assert tallies(view) == ["0 Ann and Cy of 4", "0 Bo and Dee of 5"]  # Cy's trick does not help
    three = table_of("spades", 3)
    do(three, "1 say 1", "2 say 2", "0 say 3")
    view = play(three, "AH KH QH")
    assert (tallies(view), view.bids, view.won) == ([], (3, 1, 2), (0, 1, 0))
    oh_hell = table_of("oh-hell", 3)
    do(oh_hell, "turn 9H", "1 say 3")
    assert (poster(oh_hell.view()), oh_hell.view().bids) == (["♥", "trumps"], (None, 3, None))


def test_the_bags_of_a_side_are_beside_its_players() -> None:
    table = table_of("spades", 4)
    do(table, "1 say 1", "2 say 1", "3 say 1", "0 say 1")
    for suit in "HDC":
        play(table, " ".join(f"{rank}{suit}" for rank in RANKS[:0:-1]))
    play(table, " ".join(f"{rank}S" for rank in RANKS[::-1]) + " 2H 2D 2C")  # Bo wins all tricks
    assert roles(table.view()) == ["", "1 bag", "", "1 bag"]


def test_skat_shows_the_bidding_then_the_game_and_the_eyes() -> None:
    table = table_of("skat", 3)
    assert (roles(table.view()), poster(table.view())) == (["rearhand", "forehand", "middlehand"], [])
    do(table, "2 say 18", "1 say hold")
    assert poster(table.view()) == ["18", "Cy bids", "Bo holds"]
    do(table, "2 say 20", "1 say pass")
    assert (poster(table.view()), roles(table.view())) == (["20", "Cy bids"], ["rearhand", "passed", "middlehand"])
    do(table, "0 say pass", "2 say hand")
    assert poster(table.view()) == ["20", "Cy plays", "hand"]
    do(table, "2 say schneider", "2 say club")
    view = table.view()
    assert poster(view) == ["♣", "Cy", "hand", "schneider announced"]
    assert ("worth", "60, bid 20") in view.facts
    assert (tallies(view), roles(view)) == (["0 Cy of 90", "0 Ann, Bo of 31"], ["", "", "declarer"])
    view = play(table, "10H AH KH")
    assert tallies(view) == ["25 Cy of 90", "0 Ann, Bo of 31"]
    view = play(table, "JC 7C JS")
    assert ("worth", "60, bid 20") in view.facts
    view = play(table, "JH JD 8C")
    assert tallies(view) == ["33 Cy of 90", "0 Ann, Bo of 31"]


def test_skats_worth_grows_with_the_jacks_that_everybody_saw() -> None:
    table = table_of("skat", 3)
    do(table, "2 say 18", "1 say pass", "0 say pass", "2 say hand", "2 say grand", "1 play 7H", "2 play JC")
    assert ("worth", "72, bid 18") in table.view().facts
    play(table, "8H JS 9H 10H JH AH 7D")
    assert ("worth", "120, bid 18") in table.view().facts
    without = table_of("skat", 3)
    do(without, "2 say 18", "1 say pass", "0 say pass", "2 say hand", "2 say grand")
    play(without, "JC 7H JS")
    assert ("worth", "96, bid 18") in without.view().facts


def test_a_null_has_no_eyes_and_schwarz_counts_tricks() -> None:
    null = table_of("skat", 3)
    do(null, "2 say 18", "1 say pass", "0 say pass", "2 say hand", "2 say null")
    assert (poster(null.view()), tallies(null.view())) == (["null", "Cy", "hand"], [])
    schwarz = table_of("skat", 3)
    do(schwarz, "2 say 18", "1 say pass", "0 say pass", "2 say hand", "2 say schwarz", "2 say grand")
    assert tallies(play(schwarz, "7H AH 8H")) == ["1 Cy of 10", "0 Ann, Bo of 1"]


def test_whist_shows_the_tricks_of_both_sides() -> None:
    table = table_of("whist", 4)
    do(table, "turn 9H")
    assert tallies(play(table, "2C KC 3C AC")) == ["1 Ann and Cy of 7", "0 Bo and Dee of 7"]


def test_a_described_game_shows_the_points_taken_and_the_tricks_of_partners() -> None:
    with added(kind("[points] JS = 7")) as name:
        table = table_of(name, 3)
        do(table, "turn 5H")
        assert taken(play(table, "JS 2H JC").notes[2]) == (6, "JS JC")
        assert poster(table.view()) == ["♥", "trumps"]
    whole = values() | {"players": [4], "partners": True}
    with added(game_of("knaves", read_description(whole))) as name:
        table = table_of(name, 4)
        do(table, "turn 5H")
        assert tallies(play(table, "2S 3S 4S 5S")) == ["1 Ann and Cy", "0 Bo and Dee"]
