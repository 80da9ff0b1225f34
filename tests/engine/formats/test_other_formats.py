"""LIN, USEBIO and the files of the International Skat Server: written by hand after real ones."""

from __future__ import annotations

import pytest

from engine.formats.board import SEATS, Board, Fault, score_of
from engine.formats.iss import SkatGame, read_iss
from engine.formats.lin import read_lin
from engine.formats.reading import read_games
from engine.formats.usebio import read_usebio
from engine.table import Table

LIN = """vg|Final,Segment 1,I,1,2,Home,0,Guests,0|
pn|So,We,No,Ea,So2,We2,No2,Ea2|pg||
qx|o17|st||md|3SKT3HJT7D87CKQ843,SA54HQ94DT963CAT2,S9872HK85DAJ542C5,|rh||ah|Board 17|sv|n|nt|Ann: hello|pg||
mb|p|mb|1C!|an|15-17|mb|p|mb|1N|mb|p|mb|p|mb|p|pg||pc|S9|pc|SJ|pc|SK|pc|S5|pg||pc|ST|pc|S4|pc|s2|pc|SQ|pg||mc|7|
qx|c17|md|3SKT3HJT7D87CKQ843,SA54HQ94DT963CAT2,S9872HK85DAJ542C5|sv|n|mb|p|mb|p|mb|p|mb|p|
qx|o18|md|9SKT3||sv|e|
qx|c18|md|1,,,|sv|e|mb|1S|mb|p|mb|4S|mb|d|mb|r|mb|p|mb|p|mb|p|
"""
SKAT = (
    "(;GM[Skat]PC[International Skat Server]CO[]SE[1]ID[{id}]DT[2020-01-01/00:00:00/UTC]P0[A]P1[B]P2[C]R0[]R1[]R2[0.0]"
    "MV[w {moves} ]R[{result}] ;)\n"
)
"""A game of this server; `moves` begin with the deal."""
DEAL = (
    "CJ.SJ.HJ.DJ.CA.CT.CK.CQ.C9.C8.SA.ST.SK.SQ.S9.S8.S7.HA.HT.HK.HQ.H9.H8.H7.DA.DT.DK.DQ.D9.D8.C7.D7"  # all to forehand
)
OUT = "d:0 win v:{v} m:4 bidok p:120 t:10 s:1 z:1 p0:0 p1:0 p2:0 l:-1 to:-1 r:0"
SUIT_TAGS = ("SPADES", "HEARTS", "DIAMONDS", "CLUBS")
USEBIO = """<?xml version="1.0" encoding="iso-8859-1"?>
<!DOCTYPE USEBIO SYSTEM "http://www.ebu.co.uk/usebio/usebio_v1_2.dtd">
<USEBIO Version="1.2"><EVENT EVENT_TYPE="PAIRS"><SESSION SESSION_ID="1"><SECTION SECTION_ID="A">
<PARTICIPANTS>
<PAIR><PAIR_NUMBER>1</PAIR_NUMBER><PLAYER><PLAYER_NAME>Zo\xeb</PLAYER_NAME></PLAYER>
<PLAYER><PLAYER_NAME>Bo</PLAYER_NAME></PLAYER></PAIR>
<PAIR><PAIR_NUMBER>2</PAIR_NUMBER><PLAYER><PLAYER_NAME>Cy</PLAYER_NAME></PLAYER></PAIR>
</PARTICIPANTS>
<BOARD><BOARD_NUMBER>2</BOARD_NUMBER>
<TRAVELLER_LINE><NS_PAIR_NUMBER>1</NS_PAIR_NUMBER><EW_PAIR_NUMBER>2</EW_PAIR_NUMBER><CONTRACT>3NT</CONTRACT>
<PLAYED_BY>N</PLAYED_BY><LEAD>HK</LEAD><TRICKS>10</TRICKS><SCORE>630</SCORE></TRAVELLER_LINE>
<TRAVELLER_LINE><CONTRACT>4SX</CONTRACT><PLAYED_BY>E</PLAYED_BY><TRICKS>9</TRICKS><SCORE>200</SCORE></TRAVELLER_LINE>
<TRAVELLER_LINE><CONTRACT>PASS</CONTRACT><SCORE>0</SCORE></TRAVELLER_LINE>
<TRAVELLER_LINE><CONTRACT>9S</CONTRACT></TRAVELLER_LINE>
</BOARD></SECTION></SESSION></EVENT></USEBIO>
"""


def game(moves: str, result: str = "passed") -> SkatGame:
    [found] = read_iss(SKAT.format(id=1, moves=f"{DEAL} {moves}", result=result))
    assert isinstance(found, SkatGame)
    return found


def table_of(found: Board | SkatGame) -> Table:
    header, actions = found.record()
    table = Table(header)
    for action in actions:
        table.do(action)
    return table


def test_lin_of_two_tables() -> None:
    first, second, fault, last = read_lin(LIN)
    assert isinstance(first, Board) and isinstance(second, Board) and isinstance(last, Board)
    assert (first.number, first.names, first.dealer, first.vulnerable) == (17, ("No", "Ea", "So", "We"), 0, 1)
    assert (first.contract, first.declarer, first.result) == ("1NT", 3, 7)
    assert [str(card) for _, card in first.plays] == ["9S", "JS", "KS", "5S", "2S", "QS", "10S", "4S"]
    assert first.hands[1] is not None and len(first.hands[1]) == 13
    assert table_of(first).scores == first.scores == (0, 90)
    assert (second.names, second.contract) == (("No2", "Ea2", "So2", "We2"), "Pass")
    assert str(fault) == "board 18, line 6, md: '9SKT3' does not begin with the dealer: 1 to 4, from South on"
    assert (last.contract, last.declarer, last.vulnerable, last.result) == ("4SXX", 2, 2, None)


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        ("mb|8C|", "board 1, line 2, mb: '8C' is not a call"),
        ("mb|1C|mb|1C|", "board 1, line 2, mb: 1C by W breaks the rules of the auction"),
        ("pc|ZZ|", "board 1, line 2, pc: 'ZZ' is not a card: it is written like SA or HT"),
        ("md|2SAHDC,,,|", "board 1, line 2, md: a hand has 13 cards, each of them once in the deal: 'A...'"),
        ("md|2spades|", "board 1, line 2, md: a hand is written like SAK5HQJT9D876C432, not 'spades'"),
    ],
)
def test_a_fault_in_lin_names_board_line_and_command(commands: str, message: str) -> None:
    *_, fault = read_lin(f"md|1,,,|\n{commands}")
    assert str(fault).replace("board 2", "board 1") == message


def test_lin_in_capitals_and_with_comments_in_calls() -> None:
    written = "PN|a,b,c,d|QX|C3|MD|3,,,|SV|N|MB|1S(5+)|MB|P|MB|2s! (raise)|MB|P|MB|P|MB|P|MC|14|"
    [board] = read_games(written.encode()) or ()
    assert isinstance(board, Board)
    assert (board.number, board.calls[::2], board.vulnerable) == (3, ("1S", "2S", "Pass"), 1)
    assert board.result is None and [str(each) for each in board.faults] == [
        "board 3, line 1, mc: '14' is not a number of tricks"
    ]


def test_what_contradicts_a_lin_is_reported() -> None:
    [board] = read_lin("md|1SAKQJT98765432HDC,,,|mb|1N|mb|p|mb|p|mb|p|pc|SA|")
    assert isinstance(board, Board)
    assert [str(fault) for fault in board.faults] == ["board 1, line 1, pc: W does not hold AS"]


@pytest.mark.parametrize(
    ("moves", "value"),
    [
        ("1 p 2 p 0 18 0 s w C7.D7 0 C.C7.D7", 12 * 14),  # with 11, schneider, schwarz
        ("1 p 2 p 0 18 0 CH", 12 * 15),
        ("1 18 0 y 1 p 2 p 0 CHZ", 12 * 17),
        ("1 p 2 p 0 18 0 CHOSZ", 12 * 18),
        ("1 p 2 p 0 18 0 s w C7.D7 0 C 0 C7.D7", 12 * 14),
        ("1 p 2 p 0 18 0 GO", 24 * 11),
    ],
)
def test_the_value_of_a_game_of_skat(moves: str, value: int) -> None:
    hands = [DEAL.split(".")[10 * seat : 10 * seat + 10] for seat in range(3)]
    played = " ".join(f"{seat} {card}" for trick in zip(*hands, strict=True) for seat, card in enumerate(trick))
    found = game(f"{moves} {played}", OUT.format(v=value))
    assert found.scores == (value, 0, 0)
    table = table_of(found)
    assert table.scores == found.scores


def test_a_null_and_a_game_that_was_resigned() -> None:
    null = game("1 23 0 p 2 p 1 s w C7.D7 1 N.C7.D7 0 CJ 1 SK 2 DA", "d:1 win v:23 m:0")
    assert null.record()[1][-1].to_json() == {"do": "play", "seat": 2, "card": "AD"}
    resigned = game("1 p 2 p 0 18 0 CH 0 CJ 1 SC 1 RE 2 RE", "d:0 win v:156 m:11 r:1")
    assert (table_of(resigned).scores, resigned.scores) == ((0, 0, 0), (156, 0, 0))
    assert table_of(game("1 p 2 p 0 p")).scores == (0, 0, 0)


def test_a_fault_in_a_file_of_skat_names_game_line_and_property() -> None:
    written = (
        SKAT.format(id=1, moves=f"{DEAL} 1 p 2 p 0 p", result="passed") + "\n(;GM[Go]MV[w]R[] ;)\n(;GM[Skat]MV[0 p];)\n"
    )
    good, *faults = read_iss(written)
    assert isinstance(good, SkatGame)
    assert [str(fault) for fault in faults] == [
        "board 2, line 3, GM: this is a game of Go, not of Skat",
        "board 3, line 4, MV: the moves do not begin with the deal",
    ]
    with pytest.raises(Fault, match=r"board 1, line 1, MV: 32 cards are expected, not 'CJ\.CJ'"):
        next(iter(read_iss(SKAT.format(id=1, moves="CJ.CJ 1 p", result="")))).record()  # type: ignore[union-attr]
    with pytest.raises(Fault, match=r"board 1, line 1, MV: .*\(not-your-turn\)"):
        game("0 18").record()


def test_results_in_usebio() -> None:
    first, second, third, fault = read_usebio(USEBIO.encode("iso-8859-1"))
    assert isinstance(first, Board) and isinstance(second, Board) and isinstance(third, Board)
    assert (first.number, first.dealer, first.vulnerable, first.names) == (2, 1, 1, ("Zoë", "Cy", "Bo", "West"))
    assert (first.contract, first.declarer, first.result, first.faults) == ("3NT", 0, 10, ())
    assert [str(card) for _, card in first.plays] == ["KH"] and score_of(first) == 630
    assert [str(each) for each in second.faults] == ["board 2, line 12, SCORE: 200, but North and South score 100"]
    assert (third.contract, third.scores) == ("Pass", (0, 0))
    assert str(fault) == "board 2, line 14, CONTRACT: '9S' is not a contract"


def test_pairs_of_a_mitchell_movement_and_voids() -> None:
    """North and South are numbered from 1, and so are East and West."""
    participants = "".join(
        f"<PAIR><PAIR_NUMBER>{number}</PAIR_NUMBER><DIRECTION>{side}</DIRECTION>"
        f"<PLAYER><PLAYER_NAME>{side[0]}{number}</PLAYER_NAME></PLAYER>"
        f"<PLAYER><PLAYER_NAME>{side[1]}{number}</PLAYER_NAME></PLAYER></PAIR>"
        for side in ("NS", "EW")
        for number in (1, 2)
    )
    suits = ("AKQJ1098765432", *"---")
    hands = "".join(
        f"<HAND><DIRECTION>{seat}</DIRECTION>"
        + "".join(f"<{name}>{suits[place - at]}</{name}>" for place, name in enumerate(SUIT_TAGS))
        + "</HAND>"
        for at, seat in enumerate(SEATS)
    )
    line = "<TRAVELLER_LINE><NS_PAIR_NUMBER>2</NS_PAIR_NUMBER><EW_PAIR_NUMBER>2</EW_PAIR_NUMBER></TRAVELLER_LINE>"
    board = f"<BOARD><BOARD_NUMBER>1</BOARD_NUMBER>{hands}{line}</BOARD>"
    (found,) = read_usebio(f"<USEBIO>{participants}{board}</USEBIO>".encode())
    assert isinstance(found, Board), found
    assert found.names == ("N2", "E2", "S2", "W2")
    assert [{card.suit for card in hand or ()} for hand in found.hands] == [{suit} for suit in "SHDC"]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (b"<USEBIO><BOARD>", "line 1: this is not XML"),
        (b'<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>\n<a>&c;</a>', "line 1: files that declare entities"),
        (b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "line 1: files that declare entities"),
        (b"<html>&nbsp;</html>", "line 1: this is not XML"),
        (b"<a>" * 50_000 + b"</a>" * 50_000, "line 1: its elements are nested too deeply"),
    ],
)
def test_xml_that_is_not_usebio(written: bytes, message: str) -> None:
    assert [str(fault)[: len(message)] for fault in read_usebio(written)] == [message] * bool(message)


def test_a_format_is_known_by_its_content() -> None:
    kinds = [LIN.encode(), SKAT.encode(), b'\xef\xbb\xbf% PBN\n\n[Board "1"]\n', USEBIO.encode("iso-8859-1")]
    readers = [found for kind in kinds if (found := read_games(kind)) is not None]
    assert [reader.__name__ for reader in readers] == ["read_lin", "read_iss", "read_pbn", "read_usebio"]  # type: ignore[attr-defined]
    assert read_games(b'{"record": 1, "game": "bridge", "players": ["pn|a", "[Event \\"x\\"]"]}\n') is None
    assert read_games(b"") is None


@pytest.mark.parametrize(
    "content",
    [
        b" \n" * 100_000,
        b"(;GM[Skat]P0[a]P1[b]P2[c]MV[w ]R[" + b"d:1 " * 50_000 + b"];)",
        b"<USEBIO>" + b"<BOARD>" * 12_000 + b"</BOARD>" * 12_000 + b"</USEBIO>",
    ],
    ids=["blank lines", "declarers", "nested boards"],
)
def test_a_nasty_file_of_200_kB_is_judged(content: bytes) -> None:
    """With work that grows with the square it would take minutes."""
    assert not [each for each in read_games(content) or () if isinstance(each, Board)]
