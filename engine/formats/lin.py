"""LIN, the format of Bridge Base Online: boards that were played there, and tables that were shown as Vugraph.

A file is a row of commands, each of two letters and a value: `md|3S…|` deals, `mb|1N|` calls, `pc|SA|` plays a card.
Comments, notes and commands for the display are ignored.

>>> [board] = read_lin("qx|o3|md|1,,,|sv|n|mb|1N!|mb|p|mb|p|mb|p|pc|SA|mc|7|")
>>> board.number, board.dealer, board.contract, board.declarer, board.result
(3, 2, '1NT', 2, 7)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from engine.formats.board import NAMES, PLAYERS, Board, Fault, call_of, card_of, hands_of, judged, tricks_of
from engine.texts import text

_COMMAND: Final = re.compile(r"(?<!\w)([a-z]{2})\|([^|]*+)\|", re.ASCII | re.IGNORECASE)
_VULNERABLE: Final = {"o": 0, "0": 0, "-": 0, "n": 1, "e": 2, "b": 3, "": 0}
_HAND: Final = re.compile(r"\s*S([^SHDC]*+)H([^SHDC]*+)D([^SHDC]*+)C([^SHDC]*+)\s*", re.IGNORECASE)
_TAGS: Final = {"Deal": "md", "Auction": "mb", "Play": "pc", "Result": "mc"}
"""The commands that stand for the tags of PBN."""


@dataclass(slots=True)
class _Table:
    """What the commands of one board say. `lines`: where, by the tags of PBN."""

    number: int
    names: list[str]
    deal: str
    vulnerable: str = ""
    calls: list[str] = field(default_factory=list)
    cards: list[str] = field(default_factory=list)
    claimed: str = ""
    lines: dict[str, int] = field(default_factory=dict)

    def add(self, command: str, value: str, line: int) -> None:
        """Note a command about this board."""
        if command == "ah":
            self.number = _number(value) or self.number
        elif command == "sv":
            self.vulnerable = value.lower()
        elif command == "mb":
            self.lines.setdefault("Auction", line)
            self.calls.append(value)
        elif command == "pc":
            self.lines.setdefault("Play", line)
            self.cards.append(value)
        elif command == "mc":
            self.lines["Result"], self.claimed = line, value


def read_lin(written: str) -> Iterator[Board | Fault]:
    """Yield the boards in the text of a file, in order, and what is wrong with the others."""
    table: _Table | None = None
    names, number, room, count, line, at = list[str](), 0, 0, 0, 1, 0
    for match in _COMMAND.finditer(written):
        line, at = line + written.count("\n", at, match.start()), match.start()
        command, value = match[1].lower(), match[2].strip()
        if command in ("qx", "md"):
            if table is not None:
                yield _judged(table)
            table = None
        if command == "pn":
            names = [name.strip() for name in value.split(",")]
        elif command == "qx":
            number, room = _number(value), PLAYERS if value[:1] in ("c", "C") else 0
        elif command == "md":
            count += 1
            table = _Table(number or count, names[room : room + PLAYERS], value, lines={"Deal": line})
            number = 0
        elif table is not None:
            table.add(command, value, line)
    if table is not None:
        yield _judged(table)


def _number(value: str) -> int:
    """Return the number in a value such as `Board 17` or `o17`; 0 if there is none."""
    match = re.fullmatch(r"\D{0,20}0*([1-9]\d{0,5})", value, re.ASCII)
    return int(match[1]) if match else 0


def _judged(table: _Table) -> Board | Fault:
    try:
        return _board(table)
    except Fault as fault:
        return fault


def _board(table: _Table) -> Board:
    """Return the board at a table, judged. Seats of LIN begin with South. Raises `Fault`."""

    def fault(name: str, reason: str) -> Fault:
        return Fault(reason, table.number, table.lines.get(name), _TAGS[name])

    first, written = table.deal[:1], table.deal[1:].split(",")
    if first not in tuple("1234"):
        reason = text("{deal!r} does not begin with the dealer: 1 to 4, from South on", deal=table.deal[:20])
        raise fault("Deal", reason)
    dealer = (int(first) + 1) % PLAYERS
    hands: list[tuple[str, ...] | None] = [None] * PLAYERS
    for place, hand in enumerate(written[:PLAYERS]):
        match = _HAND.fullmatch(hand)
        if hand.strip() and match is None:
            raise fault("Deal", text("a hand is written like SAK5HQJT9D876C432, not {hand!r}", hand=hand[:40]))
        hands[(place + 2) % PLAYERS] = match.groups() if match else None
    try:
        known = hands_of(hands)
    except Fault as error:
        raise fault("Deal", error.args[0]) from None
    calls = [(call, call_of(call.partition("(")[0].rstrip("!?* "))) for call in table.calls]  # 1S(5+): a comment
    for said, call in calls:
        if not call:
            raise fault("Auction", text("{token!r} is not a call", token=said[:20]))
    cards = [(said, card_of(said)) for said in table.cards]
    for said, card in cards:
        if card is None:
            raise fault("Play", text("{token!r} is not a card: it is written like SA or HT", token=said[:20]))
    result, faults = None, list[Fault]()
    try:
        result = tricks_of(table.claimed) if table.claimed else None
    except Fault as error:
        faults.append(fault("Result", error.args[0]))
    board = Board(
        number=table.number,
        names=tuple(_name(table.names, place) for place in (2, 3, 0, 1)),
        dealer=dealer,
        vulnerable=_VULNERABLE.get(table.vulnerable, 0),
        hands=known,
        calls=tuple(call for _, call in calls),
        result=result,
        faults=tuple(faults),
    )
    return judged(board, table.lines, _TAGS, cards=[card for _, card in cards if card])


def _name(names: list[str], place: int) -> str:
    """Return a player's name; `place`: South, West, North and East."""
    return names[place] if place < len(names) and names[place] else NAMES[(place + 2) % PLAYERS]
