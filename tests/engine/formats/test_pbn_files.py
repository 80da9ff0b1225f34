"""Whole files in Portable Bridge Notation: what is written and what is read, to the letter."""

from __future__ import annotations

from dataclasses import replace

from engine.actions import Action
from engine.cards import RANKS_DOWN, SUITS, Card, parse_card
from engine.formats.board import Board, boards_of
from engine.formats.pbn import read_pbn, write_pbn
from engine.record import Header
from engine.table import Table

SUIT_EACH = tuple(tuple(Card(rank, suit) for rank in RANKS_DOWN) for suit in SUITS)
"""North has all spades, East all hearts, South all diamonds, West all clubs."""

FULL = Board(
    number=7,
    names=("Ann", "Bo", "Cy", 'Dee "D"'),
    dealer=2,
    vulnerable=3,
    hands=SUIT_EACH,
    calls=("Pass", "1NT", "X", "XX", "Pass", "Pass", "Pass"),
    plays=((0, parse_card("10S")), (1, parse_card("2H")), (2, parse_card("AD")), (3, parse_card("KC"))),
    declarer=3,
    contract="1NTXX",
    result=0,
    scoring="MP",
    event="A  club\nevening",
    date="2026.11.23",
)
FULL_TEXT = r"""% PBN 2.1
% EXPORT
[Event "A club evening"]
[Site ""]
[Date "2026.11.23"]
[Board "7"]
[West "Dee \"D\""]
[North "Ann"]
[East "Bo"]
[South "Cy"]
[Dealer "S"]
[Vulnerable "All"]
[Deal "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"]
[Scoring "MP"]
[Declarer "W"]
[Contract "1NTXX"]
[Result "0"]
[Auction "S"]
Pass 1NT X XX
Pass Pass Pass
[Play "N"]
ST H2 DA CK
*

"""
BARE = Board(number=1, names=("North", "East", "South", "West"), dealer=0)
BARE_TEXT = """% PBN 2.1
% EXPORT
[Event ""]
[Site ""]
[Date "?"]
[Board "1"]
[West "West"]
[North "North"]
[East "East"]
[South "South"]
[Dealer "N"]
[Vulnerable "None"]
[Deal "N:- - - -"]
[Scoring ""]
[Declarer "?"]
[Contract "?"]
[Result "?"]

"""


def boards_in(written: str) -> list[Board]:
    """The boards in a file without faults."""
    boards = [*read_pbn(written)]
    assert all(isinstance(board, Board) for board in boards)
    return [board for board in boards if isinstance(board, Board)]


def test_a_full_and_a_bare_board_are_written() -> None:
    assert "\n".join(write_pbn([FULL])) + "\n" == FULL_TEXT
    assert "\n".join(write_pbn([BARE])) + "\n" == BARE_TEXT
    assert [*read_pbn(FULL_TEXT + BARE_TEXT)] == [replace(FULL, event="A club evening"), BARE]


def test_an_unfinished_auction_and_a_broken_trick_are_marked() -> None:
    board = replace(BARE, calls=("1C", "Pass", "2NT"), plays=((1, parse_card("AH")), (3, parse_card("2C"))))
    lines = [*write_pbn([board])]
    assert lines[-7:] == ['[Auction "N"]', "1C Pass 2NT", "*", '[Play "E"]', "HA - C2 -", "*", ""]
    assert [*read_pbn("\n".join(lines))] == [board]


def test_what_other_programs_write() -> None:
    [board] = boards_in(
        '[Board "?"]\r\n[Dealer "W"]\r\n[Vulnerable "Love"]\r\n[West "?"]\r\n[Result "^N 7"]\r\n[Contract "1nx"]\r\n'
        '[Deal "W:- .AKQJT98765432.. ..AKQJT98765432. -"]\r\n[Declarer "^N"]\r\n'
        '[Auction "W"]\r\np 1n! x $3 ap\r\n[Play "E"]\r\nd10 + - S2? -\r\n'
    )
    assert board == Board(
        number=1,
        names=("North", "East", "South", "West"),
        dealer=3,
        hands=(SUIT_EACH[1], SUIT_EACH[2], None, None),
        calls=("Pass", "1NT", "X", "Pass", "Pass", "Pass"),
        plays=((1, parse_card("10D")),),
        declarer=0,
        contract="1NTX",
        result=7,
    )
    assert [str(fault) for fault in board.faults] == [
        "board 1, line 11, [Play]: a trick lacks the card of S, who is on turn"
    ]
    assert boards_in('[Dealer "N"]\n[Vulnerable "Both"]')[0].vulnerable == 3
    for vulnerable in ("N-S", "ns", "N/S", "n s"):
        assert boards_in(f'[Dealer "North"]\n[Vulnerable "{vulnerable}"]')[0].vulnerable == 1
    [board] = boards_in('[Dealer "West"]\n[Declarer "east"]\n[Contract "1C"]\n[Result "7"]\n[Score "70"]')
    assert (board.dealer, board.declarer, board.faults) == (3, 1, ())
    for result in ("14", "100", "x", "NS 14"):
        [board] = boards_in(f'[Dealer "N"]\n[Result "{result}"]')
        assert board.result is None and str(board.faults[0]).endswith("is not a number of tricks")
    assert boards_in('[Dealer "E"]\n[Auction "E"]\nAP')[0].calls == ("Pass",) * 4


def test_the_board_of_a_record() -> None:
    header = Header("bridge", ("Ann", "Bo", "Cy", "Dee"), 1)  # seat 1 deals board 1, and is North
    table = Table(header)
    for text in (
        "1 say 1s",
        *("2 say pass", "3 say pass", "0 say double", "1 say pass", "2 say pass", "3 say 2nt", "0 say pass"),
        *("1 say pass", "2 say pass", "0 play 2D"),
        *(f"1 expose {card}" for card in SUIT_EACH[0]),
        *("1 play 2S", "2 play 3D", "3 play 4D"),
    ):
        table.do(text)
    assert boards_of(header, [*table.actions, Action("play", 0, parse_card("2D"))]) == [
        Board(
            number=1,
            names=("Bo", "Cy", "Dee", "Ann"),
            dealer=0,
            hands=(SUIT_EACH[0], None, None, None),
            calls=("1S", "Pass", "Pass", "X", "Pass", "Pass", "2NT", "Pass", "Pass", "Pass"),
            plays=tuple((seat, parse_card(card)) for seat, card in ((3, "2D"), (0, "2S"), (1, "3D"), (2, "4D"))),
            declarer=2,
            contract="2NT",
            scoring="Chicago",
        )
    ]


def test_a_revoke_in_the_play_is_reported() -> None:
    deal = '[Deal "N:AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9 6543.876.876.876 2.5432.5432.5432"]'
    for known, more in ((deal, ", so a record names no hands"), ("", "")):
        written = f'[Board "1"]\n{known}\n[Auction "N"]\n1NT AP\n[Play "E"]\nST S6 H5 SA\nS9 S5 S2 SK\n*\n'
        [board] = [*read_pbn(written)]
        assert isinstance(board, Board) and len(board.plays) == 8
        assert [str(each) for each in board.faults] == [f"board 1, line 5, [Play]: W revokes with 5H{more}"]
        assert not any(action.do == "deal" for action in board.record()[1])
