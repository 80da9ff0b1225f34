"""USEBIO, the XML of the results of duplicate bridge (version 1.2), as scoring programs and the EBU exchange them.

Each result of a board becomes a `Board` with its contract, tricks and players; the cards are known if the file has the
deal. A file that declares entities is refused, so none can be expanded without end; nothing that it refers to is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree
from xml.parsers import expat

from engine.formats.board import (
    NAMES,
    PASSED_OUT,
    SEATS,
    Board,
    Fault,
    card_of,
    contract_of,
    dealer_of,
    hands_of,
    judged,
    tricks_of,
    vulnerable_of,
)
from engine.texts import text

_SUITS: Final = ("SPADES", "HEARTS", "DIAMONDS", "CLUBS")
_TAGS: Final = {
    "Board": "BOARD_NUMBER",
    "Contract": "CONTRACT",
    "Declarer": "PLAYED_BY",
    "Deal": "HAND",
    "Play": "LEAD",
    "Result": "TRICKS",
    "Score": "SCORE",
}
"""The elements that stand for the tags of PBN."""
_DEEPEST: Final = 32
"""How deeply elements may be nested; files have eight levels. What looks into nested elements stays linear with it."""


def read_usebio(written: bytes) -> Iterator[Board | Fault]:
    """Yield the results in a file, in order, and what is wrong with the others."""
    builder, lines = ElementTree.TreeBuilder(), dict[ElementTree.Element, int]()
    parser, open_elements = expat.ParserCreate(), list[str]()

    def start(name: str, attributes: dict[str, str]) -> None:
        open_elements.append(name)
        if len(open_elements) > _DEEPEST:
            raise Fault(text("its elements are nested too deeply"), line=parser.CurrentLineNumber)
        lines[builder.start(name.upper(), attributes)] = parser.CurrentLineNumber

    def refuse(*_: object) -> None:
        raise Fault(text("files that declare entities are not read"), line=parser.CurrentLineNumber)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: (open_elements.pop(), builder.end(name.upper()))
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(written, True)
        root = builder.close()
    except Fault as fault:
        yield fault
        return
    except (expat.ExpatError, ValueError, AssertionError) as error:
        reason = text("this is not XML: {reason}", reason=str(error))
        yield Fault(reason, line=parser.CurrentLineNumber)
        return
    deals = {_said(board, "BOARD_NUMBER"): board for board in root.iter("BOARD") if board.find("HAND") is not None}
    for section in _sections(root):
        pairs: dict[str, dict[str, list[str]]] = {}
        for pair in section.iter("PAIR"):
            direction = _said(pair, "DIRECTION").upper()
            pairs.setdefault(_said(pair, "PAIR_NUMBER"), {})[direction] = [*_players(pair)]
        for board in section.iter("BOARD"):
            for line in board.iter("TRAVELLER_LINE"):
                number = _said(board, "BOARD_NUMBER")
                where = {name: lines[at] for name, tag in _TAGS.items() if (at := line.find(tag)) is not None}
                try:
                    yield _board(number, line, pairs, deals.get(number), {"Board": lines[line]} | where)
                except Fault as fault:
                    yield fault


def _sections(root: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """Yield the parts in which the numbers of pairs are their own: sections, or the whole file."""
    sections = [*root.iter("SECTION")]
    yield from sections or [root]


def _said(element: ElementTree.Element, name: str) -> str:
    return (element.findtext(name) or "").strip()


def _players(pair: ElementTree.Element) -> Iterator[str]:
    for player in pair.iter("PLAYER"):
        yield _said(player, "PLAYER_NAME")


def _board(
    said: str,
    line: ElementTree.Element,
    pairs: dict[str, dict[str, list[str]]],
    deal: ElementTree.Element | None,
    lines: dict[str, int],
) -> Board:
    """Return the board of one result, judged. `pairs`: the players by number and direction. Raises `Fault`."""
    number = int(said) if re.fullmatch(r"[1-9]\d{0,5}", said, re.ASCII) else None

    def fault(name: str, reason: str) -> Fault:
        return Fault(reason, number, lines.get(name, lines["Board"]), _TAGS[name])

    if number is None:
        reason = text("the number of a board is 1 or more, not {number!r}", number=said[:20])
        raise Fault(reason, line=lines["Board"], tag=_TAGS["Board"])
    contract, declarer = contract_of(_said(line, "CONTRACT").replace("*", "X")), _said(line, "PLAYED_BY").upper()[:1]
    if contract is None:
        raise fault("Contract", text("{value!r} is not a contract", value=_said(line, "CONTRACT")[:20]))
    if contract not in ("", PASSED_OUT) and (declarer not in SEATS or not declarer):
        raise fault("Declarer", text("{value!r} is not a seat: N, E, S or W", value=declarer))
    tricks = _said(line, "TRICKS")
    try:
        made = tricks_of(tricks) if tricks else None
    except Fault as error:
        raise fault("Result", error.args[0]) from None
    try:
        hands = hands_of([*_hands(deal)]) if deal is not None else (None,) * 4
    except Fault as error:
        raise fault("Deal", error.args[0]) from None
    # In a Mitchell movement each number is that of two pairs; in others a pair plays in both directions.
    found = [(side, pairs.get(_said(line, f"{side}_PAIR_NUMBER"), {})) for side in ("NS", "EW")]
    sides = [known.get(side) or next(iter(known.values()), []) for side, known in found]
    names = [side[place] if place < len(side) else "" for place in (0, 1) for side in sides]
    played, lead = contract not in ("", PASSED_OUT), card_of(_said(line, "LEAD"))
    board = Board(
        number=number,
        names=tuple(name or seat for name, seat in zip(names, NAMES, strict=True)),
        dealer=dealer_of(number),
        vulnerable=vulnerable_of(number),
        hands=hands,
        declarer=SEATS.index(declarer) if played else None,
        contract=contract,
        result=made if played else None,
    )
    score = _said(line, "SCORE")
    points = int(score) if re.fullmatch(r"[+-]?\d{1,5}", score, re.ASCII) else None
    return judged(board, lines, _TAGS, points, [lead] if lead else [])


def _hands(deal: ElementTree.Element) -> Iterator[list[str] | None]:
    """Yield the hands from North on, each as the ranks of its suits."""
    found = {(hand.get("DIRECTION") or _said(hand, "DIRECTION")).upper()[:1]: hand for hand in deal.iter("HAND")}
    for seat in SEATS:
        yield [_said(found[seat], suit).replace(" ", "") for suit in _SUITS] if seat in found else None
