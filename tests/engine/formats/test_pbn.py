"""Portable Bridge Notation: round trips, files of other programs, and what endplay reads."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from engine.actions import Action
from engine.cards import STANDARD_DECK, parse_card
from engine.errors import HeaderError
from engine.formats.board import Board, Fault, boards_of, score_of
from engine.formats.pbn import read_pbn, write_pbn
from engine.record import Header
from engine.table import Table

FROM_CLUBS = """% PBN 2.1
[Event "International Amsterdam Airport Schiphol Bridgetournament"]
[Board "1"]
[West "Podgor"]
[North "Westra"]
[East "Kalish"]
[South "Leufkens"]
[Dealer "N"]
[Vulnerable "None"]
[Deal "N:.63.AKQ987.A9732 A8654.KQ5.T.QJT6 J973.J98742.3.K4 KQT2.AT.J6542.85"]
[Scoring "IMP"]
[Declarer "S"]
[Contract "5HX"]
[Result "9"]
{
                S
}
[Auction "N"]
1D      1S   3H =1= 4S
4NT =2= X    Pass   Pass
5C      X    5H     X
Pass    Pass Pass
[Note "1:non-forcing 6-9 points, 6-card"]
[Note "2:two colors: clubs and diamonds"]
[Play "W"]
SK =1= H3 S4 S3
C5 C2 C6 CK
S2 H6 S5 S7
C8 CA CT C4
D2 DA DT D3
D4 DK H5 H7
-  -  -  H2
*
[Note "1:highest of series"]

[Event "#"]
[Board "2"]
[West "#"]
[North "#"]
[East "#"]
[South "#"]
[Dealer "E"]
[Vulnerable "NS"]
[Deal "?"]
[Contract "Pass"]
[Auction "E"]
AP
"""
"""The example of the PBN standard, and a board that was passed out."""


DEAL = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"


@cache
def game(seed: int, known: bool, longest: int = 300) -> Table:
    """A game in which the cards follow suit if the hands are known."""
    rng = random.Random(seed)
    scoring = rng.choice(("chicago", "duplicate", "rubber"))
    table = Table(Header("bridge", ("Ann", "Bo", "Cy", "Dee"), rng.randrange(4), {"scoring": scoring}))
    while not table.over and len(table.actions) < longest:
        legal = table.legal_actions()
        if known and table.phase == "deal" and table.question.offers["deal"].seats:
            deck = rng.sample(STANDARD_DECK.cards, 52)
            for seat in range(4):
                table.do(Action("deal", seat, cards=tuple(deck[13 * seat : 13 * seat + 13])))
            continue
        plays = [action for action in legal if action.do == "play"]
        passes = [action for action in legal if action.word == "pass"]
        expose = table.question.offers.get("expose")
        lay = [*expose.actions()] if expose and table.view().hands[expose.seats[0]].cards is not None else []
        if passes and rng.random() < 0.6:
            table.do(passes[0])
        elif lay and rng.random() < 0.5:
            table.do(rng.choice(lay))
        else:
            calm = [action for action in legal if action.word not in ("claim", "revoke") and action.do != "withdraw"]
            table.do(rng.choice(legal if rng.random() < 0.05 else plays or calm))
    return table


@pytest.mark.parametrize("known", [True, False])
def test_boards_are_read_as_they_were_written(known: bool) -> None:
    for seed in range(2 if known else 1):
        table = game(seed, known)
        boards = boards_of(table.header, table.actions)
        assert len(boards) == len(table.hand_starts) - table.between_hands
        boards = [replace(board, date="2026.11.22", event='A "great" evening') for board in boards]
        assert [*read_pbn("\n".join(write_pbn(boards)))] == boards


def test_a_record_becomes_the_same_board_again() -> None:
    compared = 0
    for seed in range(3):
        table = game(seed, known=True)
        for board in boards_of(table.header, table.actions):
            header, actions = board.record()
            [again] = boards_of(header, actions)
            assert replace(again, number=board.number, scoring=board.scoring) == board
            compared += bool(board.result)
    assert compared > 3


def test_endplay_reads_what_is_written() -> None:
    parser: Any = pytest.importorskip("endplay.parsers.pbn")
    table = game(1, known=True)
    boards = boards_of(table.header, table.actions)
    for board, theirs in zip(boards, parser.loads("\n".join(write_pbn(boards)) + "\n"), strict=True):
        assert (theirs.board_num, len(theirs.auction)) == (board.number, len(board.calls))
        assert theirs.dealer.name[0].upper() == "NESW"[board.dealer]
        assert [len(theirs.deal[seat]) for seat in type(theirs.dealer)] == [13] * 4
        assert len(theirs.play) == len(board.plays)
        if board.contract not in ("", "Pass") and board.result is not None:
            assert theirs.contract.result == board.result - 6 - int(board.contract[0])
            assert theirs.contract.declarer.name[0].upper() == "NESW"[board.declarer or 0]


def test_the_example_of_the_standard() -> None:
    first, second = read_pbn(FROM_CLUBS)
    assert isinstance(first, Board) and isinstance(second, Board) and first.faults == second.faults == ()
    assert first.calls[:3] == ("1D", "1S", "3H") and first.calls[-4:] == ("X", "Pass", "Pass", "Pass")
    assert (first.contract, first.declarer, first.result, len(first.plays)) == ("5HX", 2, 9, 25)
    header, actions = first.record()
    assert (header.players, header.options["first_board"]) == (("Westra", "Kalish", "Leufkens", "Podgor"), 1)
    table = Table(header)
    for action in actions:
        table.do(action)
    assert table.over and table.scores == (0, 300) and table.result == {"tricks": [9]}
    assert (second.names, second.calls, second.vulnerable) == (first.names, ("Pass",) * 4, 1)
    header, actions = second.record()
    assert len(actions) == 4 and header.options["first_board"] == 2


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ('[Dealer "Z"]', "[Dealer]: 'Z' is not a seat: N, E, S or W"),
        ('[Vulnerable "some"]', "[Vulnerable]: 'some' is not a vulnerability: None, NS, EW or All"),
        ('[Deal "N:AKQ"]', "[Deal]: a deal is a seat, a colon and four hands, not 'N:AKQ'"),
        ('[Deal "N:AKQ.. - - -"]', "[Deal]: a hand is written like AK5.QJT9.876.432, not 'AKQ..'"),
        ('[Deal "N:AKQ... - - -"]', "[Deal]: a hand has 13 cards, each of them once in the deal: 'AKQ...'"),
        ('[Auction "N"]\n8C', "[Auction]: '8C' is not a call: 1C to 7NT, Pass, X, XX or AP"),
        ('[Auction "N"]\n2C 1C', "[Auction]: 1C by E breaks the rules of the auction"),
        ('[Contract "8C"]', "[Contract]: '8C' is not a contract"),
        ('[Declarer "Q"]', "[Declarer]: 'Q' is not a seat: N, E, S or W"),
        ('[Play "E"]\nZZ', "[Play]: 'ZZ' is not a card: it is written like SA or HT"),
        ('[Deal "N:', """[Deal "N:: a tag is written like [Board “1”], not '[Deal "N:'"""),
    ],
)
def test_a_fault_names_board_line_and_tag_and_spares_the_others(written: str, message: str) -> None:
    good, bad, *rest = read_pbn(f'[Board "1"]\n[Dealer "N"]\n\n[Board "7"]\n{written}\n\n[Board "8"]\n')
    assert isinstance(good, Board) and str(bad) == f"board 7, line 5, {message}"
    assert isinstance(rest[-1], Board) and rest[-1].number == 8


def test_no_board_is_found_in_something_else() -> None:
    assert [*read_pbn("")] == [*read_pbn("hello")] == []


@pytest.mark.parametrize(
    ("tags", "fault"),
    [
        ('[Dealer "S"]', "[Dealer]: S, but the auction begins with N"),
        ('[Declarer "S"]', "[Declarer]: S, but by the auction it is N"),
        ('[Contract "4H"]', "[Contract]: '4H', but the auction ends with 1NT"),
        ('[Result "12"]', "[Result]: 12, but 0 tricks are won in the play"),
        ('[Score "NS 90"]', "[Score]: 90, but North and South score -350"),
        ('[Score "EW 350"]\n[Result "NS 0 EW 13"]', ""),
    ],
)
def test_what_contradicts_the_auction_and_the_play_is_reported(tags: str, fault: str) -> None:
    rows = "\n".join(f"H{rank} D{rank} C{rank} S{rank}" for rank in "AKQJT98765432")
    [board] = read_pbn(f'[Board "1"]\n{tags}\n[Deal "{DEAL}"]\n[Auction "N"]\n1NT AP\n[Play "E"]\n{rows}\n')
    assert isinstance(board, Board) and board.contract == "1NT" and board.declarer == 0
    assert [str(each).partition(", ")[2].partition(", ")[2] for each in board.faults][:1] == [fault] * bool(fault)


@pytest.mark.parametrize(
    ("rows", "plays", "fault"),
    [
        ("HA DA CA SA\nSK HK DK CK", 8, ""),  # in any order
        ("HA DA CA SA\n- CQ SQ HQ", 5, "a trick lacks the card of S, who is on turn"),
        ("HA DA CA SA\nHA D2 C2 S2", 4, "E does not hold AH"),
        ("HA DA CA -\nHK DK CK SK", 3, "cards follow a trick that is not complete"),
    ],
)
def test_rows_that_are_not_in_turn(rows: str, plays: int, fault: str) -> None:
    [board] = read_pbn(f'[Board "1"]\n[Deal "{DEAL}"]\n[Auction "N"]\n1NT AP\n[Play "E"]\n{rows}\n')
    assert isinstance(board, Board) and len(board.plays) == plays
    assert [seat for seat, _ in board.plays] == [1, 2, 3, 0, 1, 2, 3, 0][:plays]
    assert [str(each) for each in board.faults] == [f"board 1, line 5, [Play]: {fault}"] * bool(fault)


def test_what_programs_add_to_a_board() -> None:
    written = """[Board "2-13"]
[Room "Open"]
[Room "IMP"]
[Event Casual game]
[Contract "3NTx"]
[Result "9"]
[Auction "E"]
1NT=1= ! X ^R 2C* ! P
3NT $14 =2= X AP

Tricks won: 9 of 13
[Play "S"]
*
{ not a comment
"""
    [board] = read_pbn(written)
    assert isinstance(board, Board) and board.faults == ()
    assert (board.number, board.dealer, board.event, board.result) == (13, 1, "Casual game", 9)
    assert board.calls[:6] == ("1NT", "X", "2C", "Pass", "3NT", "X")
    assert (board.contract, board.scores) == ("3NTX", (0, 550))


def test_calls_and_cards_that_the_rules_refuse() -> None:
    with pytest.raises(Fault, match=r"board 1: .*no-such-word"):
        Board(1, ("A", "B", "C", "D"), 0, calls=("2C", "1C")).record()
    with pytest.raises(HeaderError):
        boards_of(Header("whist", ("A", "B", "C", "D"), 0), ())


@pytest.mark.parametrize(
    ("contract", "declarer", "tricks", "vulnerable", "score"),
    [
        ("Pass", None, None, 0, 0),
        ("2S", 0, 10, 0, 170),  # ACBL, "How to keep score: duplicate"
        ("4H", 0, 10, 0, 420),
        ("4H", 1, 10, 2, -620),
        ("4H", 1, 10, 1, -420),
        ("4H", 0, 10, 1, 620),
        ("3NTX", 2, 9, 0, 550),
        ("1NTXX", 3, 5, 2, 1000),
        ("", 0, 10, 0, None),
        ("4H", None, 10, 0, None),
        ("4H", 0, None, 0, None),
    ],
)
def test_the_score_of_a_board(
    contract: str, declarer: int | None, tricks: int | None, vulnerable: int, score: int | None
) -> None:
    names = ("Ann", "Bo", "Cy", "Dee")
    board = Board(1, names, 0, vulnerable, declarer=declarer, contract=contract, result=tricks)
    assert score_of(board) == score


def test_a_board_has_the_first_number_with_its_dealer_and_vulnerability() -> None:
    header, _ = Board(1, ("Ann", "Bo", "Cy", "Dee"), 3, 2).record()
    assert header.options["first_board"] == 16


def test_a_trick_that_lacks_a_card_is_refused_by_board_number() -> None:
    calls = ("1NT", "Pass", "Pass", "Pass")
    plays = ((3, parse_card("KS")), (1, parse_card("AS")))
    board = Board(7, ("Ann", "Bo", "Cy", "Dee"), 2, 3, calls=calls, plays=plays, declarer=2, contract="1NT")
    with pytest.raises(Fault, match="board 7: a trick lacks a card before one that was played"):
        board.record()
