r"""Portable Bridge Notation: boards of bridge as text, as other programs read and write them (PBN 2.1).

`read_pbn` reads what `write_pbn` writes, and files of other programs: tags may be in any order or inherited from the
board before (`#`); comments, notes, annotations, and sections other than the auction and the play are ignored.

>>> [board] = read_pbn('[Board "1"]\n[Auction "N"]\n1NT =1= Pass {strong} 3NT AP\n')
>>> board.contract, board.calls
('3NT', ('1NT', 'Pass', '3NT', 'Pass', 'Pass', 'Pass'))
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from engine.cards import RANKS_DOWN, SUITS, Card
from engine.formats.board import (
    HAND,
    NAMES,
    PLAYERS,
    SEATS,
    Board,
    Fault,
    call_of,
    card_of,
    contract_of,
    dealer_of,
    hands_of,
    judged,
    tricks_of,
)
from engine.texts import Text, text

VULNERABLE: Final = ("None", "NS", "EW", "All")
"""The values of the tag: the index is 1 if North and South are vulnerable, plus 2 if East and West are."""
_VULNERABLE: Final = {
    **{name.upper(): number for number, name in enumerate(VULNERABLE)},
    **{"": 0, "?": 0, "LOVE": 0, "BOTH": 3},
}
_SEATS: Final = {written.upper(): seat for seat, name in enumerate(NAMES) for written in (name, name[0])}
_HIDDEN: Final = "-"
_UNKNOWN: Final = ("Date", "Result", "Contract", "Declarer")
"""The tags whose value is `?` if it is not known."""
_ONCE: Final = frozenset(
    (
        *("Event", "Site", "Date", "Board", *NAMES, "Dealer", "Vulnerable", "Deal", "Scoring"),
        *("Declarer", "Contract", "Result", "Auction", "Play"),
    )
)
"""The tags that a board has once: one that is there again begins the next board."""
_LEXEME: Final = re.compile(
    r"""
      \{[^}]*+\} | ;[^\n]*+ | ^%[^\n]*+ | \$\d*+ | =[^=\s]*+=?
    | \[\s*+(?P<name>\w++)\s*+"(?P<value>(?:[^"\\\n]|\\.)*+)"\s*+\]
    | \[(?P<loose>\w++)(?P<rest>[^\[\]\n]*+)\]
    | (?P<broken>\[[^\n]*+)
    | (?P<blank>\n[ \t]*+\n)
    | (?P<word>[^\s{};\[\]$=]++)
    """,
    re.VERBOSE | re.MULTILINE | re.ASCII,
)
"""Comments, notes, tags, and the words of sections. No part of a text is looked at twice: the time is linear."""
_MARKS: Final = "!?*"
"""What may follow a call or a card, with or without a space. `*` on its own ends a section."""
_NUMBER: Final = re.compile(r"(?:.{0,20}\D)?0*([1-9]\d{0,5})", re.ASCII)
_TRICKS: Final = re.compile(r"(NS|EW|)\s*+\^?(\d++)", re.ASCII)
_SCORE: Final = re.compile(r"(NS|EW|[NESW]|)\s*([+-]?\d{1,5})", re.ASCII)


# Writing boards


def write_pbn(boards: Iterable[Board]) -> Iterator[str]:
    """Yield the lines of a file in the export format, without line ends."""
    yield "% PBN 2.1"
    yield "% EXPORT"
    for board in boards:
        yield from _tags(board)
        if board.calls:
            yield f'[Auction "{SEATS[board.dealer]}"]'
            for start in range(0, len(board.calls), 4):
                yield " ".join(board.calls[start : start + 4])
            if not board.contract:
                yield "*"
        if board.plays:
            yield from _play(board)
        yield ""


def _tags(board: Board) -> Iterator[str]:
    north, east, south, west = board.names
    tags = {
        "Event": board.event,
        "Site": "",
        "Date": board.date,
        "Board": str(board.number),
        "West": west,
        "North": north,
        "East": east,
        "South": south,
        "Dealer": SEATS[board.dealer],
        "Vulnerable": VULNERABLE[board.vulnerable],
        "Deal": f"N:{' '.join(map(_hand, board.hands))}",
        "Scoring": board.scoring,
        "Declarer": "" if board.declarer is None else SEATS[board.declarer],
        "Contract": board.contract,
        "Result": "" if board.result is None else str(board.result),
    }
    for name, value in tags.items():
        escaped = " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')
        yield f'[{name} "{escaped or ("?" if name in _UNKNOWN else "")}"]'


def _hand(cards: Iterable[Card] | None) -> str:
    """Return a hand as the tag `Deal` writes it: spades, hearts, diamonds, clubs, each from the ace down."""
    if cards is None:
        return _HIDDEN
    held = {*cards}
    return ".".join("".join(_rank(rank) for rank in RANKS_DOWN if Card(rank, suit) in held) for suit in SUITS)


def _rank(rank: str) -> str:
    return "T" if rank == "10" else rank


def _play(board: Board) -> Iterator[str]:
    """Yield the tag and a row for each trick; the columns are the seats, from the one that led first."""
    leader = board.plays[0][0]
    yield f'[Play "{SEATS[leader]}"]'
    for start in range(0, len(board.plays), 4):
        trick = dict(board.plays[start : start + 4])
        seats = [(leader + place) % 4 for place in range(4)]
        yield " ".join(trick[seat].suit + _rank(trick[seat].rank) if seat in trick else _HIDDEN for seat in seats)
    if len(board.plays) < PLAYERS * HAND:
        yield "*"


# Reading boards


@dataclass(slots=True)
class _Block:
    """The tags, and the words of the sections, of one board; a blank line is the word "". `lines`: those of tags.

    `place`: of the board in the file, from 1.
    """

    place: int = 1
    tags: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)

    def number(self) -> int:
        """Return the number in the tag `Board`, the last one in `1-3`; without one, the place in the file."""
        said = _NUMBER.fullmatch(self.tags.get("Board", ""))
        return int(said[1]) if said else self.place


def read_pbn(written: str) -> Iterator[Board | Fault]:
    """Yield the boards in the text of a file, in order, and what is wrong with the others."""
    before: dict[str, str] = {}
    for block in _blocks(written):
        if isinstance(block, Fault):
            yield block
            continue
        before = {name: before.get(name, "") if said in ("#", "##") else said for name, said in block.tags.items()}
        block.tags = before
        try:
            yield _board(block, block.number())
        except Fault as fault:
            yield fault


def _blocks(written: str) -> Iterator[_Block | Fault]:
    """Yield the boards, and a fault for each tag that cannot be read."""
    written = written.replace("\r\n", "\n").replace("\r", "\n")
    end = written.rfind("}") + 1
    written = written[:end] + written[end:].replace("{", " ")  # a comment that does not end is none
    block, words, line, at = _Block(), list[str](), 1, 0
    for match in _LEXEME.finditer(written):
        line, at = line + written.count("\n", at, match.start()), match.start()
        kind = match.lastgroup
        if kind in ("value", "rest"):
            name, value = match["name"] or match["loose"], match["value"]
            value = match["rest"].strip(' \t"') if value is None else value.replace('\\"', '"').replace("\\\\", "\\")
            if name in block.tags and name in _ONCE:
                yield block
                block = _Block(block.place + 1)
            words = []
            if name not in block.tags:
                block.tags[name], block.lines[name], block.words[name] = value, line, words
        elif kind == "broken":
            reason = text("a tag is written like [Board “1”], not {line!r}", line=match[0][:40])
            yield Fault(reason, block.number(), line, match[0][:12])
        elif kind in ("blank", "word"):
            words.append(match[0].strip())
    if block.tags:
        yield block


def _board(block: _Block, number: int) -> Board:
    """Return the board in a block, judged. Raises `Fault`."""
    tags, tag, unread = block.tags, "", list[tuple[str, Text]]()
    try:
        tag = "Deal"
        hands = _hands(tags.get("Deal", ""))
        tag = "Vulnerable"
        said = tags.get("Vulnerable", "")
        vulnerable = _VULNERABLE.get(re.sub("[-/ ]", "", said).upper())
        if vulnerable is None:
            raise Fault(text("{value!r} is not a vulnerability: None, NS, EW or All", value=said))
        seats: dict[str, int | None] = {}
        for tag in ("Dealer", "Declarer", "Auction", "Play"):
            seats[tag] = _seat(tags.get(tag, ""))
        tag = "Auction"
        calls = tuple(_calls(block.words.get("Auction", [])))
        tag = "Play"
        leader = seats["Play"] if seats["Play"] is not None else ((seats["Declarer"] or 0) + 1) % PLAYERS
        plays, broken = _plays(block.words.get("Play", []), leader, hands)
        tag = "Contract"
        if (contract := contract_of(tags.get("Contract", ""))) is None:
            raise Fault(text("{value!r} is not a contract", value=tags["Contract"][:20]))
        try:
            result = _result(tags.get("Result", ""), seats["Declarer"])
        except Fault as fault:
            result, unread = None, [("Result", fault.args[0])]
        dealers = [seat for seat in (seats["Auction"], seats["Dealer"]) if seat is not None]
        board = Board(
            number=number,
            names=tuple(_name(tags.get(name, ""), name) for name in NAMES),
            dealer=dealers[0] if dealers else dealer_of(number),
            vulnerable=vulnerable,
            hands=hands,
            calls=calls,
            plays=tuple(plays),
            declarer=seats["Declarer"],
            contract=contract,
            result=result,
            scoring=tags.get("Scoring", ""),
            event=tags.get("Event", ""),
            date="" if tags.get("Date") == "?" else tags.get("Date", ""),
        )
        names = {name: f"[{name}]" for name in tags}
        board = judged(board, block.lines, names, _score(tags, seats["Declarer"]))
    except Fault as fault:
        if fault.number is not None:
            raise
        line = block.lines.get(tag, min(block.lines.values()))
        raise Fault(fault.args[0], number, line, f"[{tag}]") from None
    doubts = unread
    if len({*dealers}) > 1:
        said, seat = SEATS[dealers[1]], SEATS[dealers[0]]
        doubts.append(("Dealer", text("{said}, but the auction begins with {seat}", said=said, seat=seat)))
    if board.plays and board.declarer is not None and leader != (board.declarer + 1) % PLAYERS:
        said, seat = SEATS[leader], SEATS[(board.declarer + 1) % PLAYERS]
        doubts.append(("Play", text("{said}, but {seat} leads", said=said, seat=seat)))
    if broken:
        doubts.append(("Play", text("cards follow a trick that is not complete")))
    faults = [Fault(reason, number, block.lines[name], f"[{name}]") for name, reason in doubts]
    return replace(board, faults=(*board.faults, *faults))


def _name(name: str, seat: str) -> str:
    return name if name not in ("", "?") else seat


def _seat(written: str) -> int | None:
    value = written.strip().lstrip("^").upper()
    if value in ("", "?", "-"):
        return None
    if value not in _SEATS:
        raise Fault(text("{value!r} is not a seat: N, E, S or W", value=value))
    return _SEATS[value]


def _result(written: str, declarer: int | None) -> int | None:
    """Return the declarer's tricks in a tag such as `9`, `^9`, `EW 9` or `NS 9 EW 4`; None if they are not said.

    Raises `Fault`.
    """
    if written.strip() in ("", "?", "-", "*"):
        return None
    for side, tricks in _TRICKS.findall(written) or [("", written)]:
        made = tricks_of(tricks)
        if not side or declarer is not None:
            return made if side in ("", ("NS", "EW")[(declarer or 0) % 2]) else HAND - made
    return None


def _score(tags: dict[str, str], declarer: int | None) -> int | None:
    """Return what North and South score by the tag `Score`, such as `NS 420` or `-50`, or None."""
    match = _SCORE.fullmatch(tags.get("Score", "").strip())
    if match is None or tags.get("Scoring", "").startswith(("Rubber", "Chicago")):
        return None
    side = match[1] or ("" if declarer is None else SEATS[declarer])
    return -int(match[2]) if side in ("EW", "E", "W") else int(match[2]) if side else None


def _hands(deal: str) -> tuple[tuple[Card, ...] | None, ...]:
    """Return the hands of the tag `Deal`, `N:… … … …`: clockwise from the seat named."""
    if deal.strip() in ("", "?", "-"):
        return (None,) * PLAYERS
    first, _, rest = deal.strip().partition(":")
    hands = rest.split()
    if first.upper() not in _SEATS or len(hands) != PLAYERS:
        raise Fault(text("a deal is a seat, a colon and four hands, not {deal!r}", deal=deal[:80]))
    start = PLAYERS - _SEATS[first.upper()]
    in_turn = hands[start:] + hands[:start]
    return hands_of([None if hand in (_HIDDEN, "...") else hand.split(".") for hand in in_turn])


def _calls(words: Iterable[str]) -> Iterator[str]:
    """Yield the calls; `AP` is a pass of all others. What follows an auction that is over is left out."""
    passes, bid, ended = 0, False, False
    for word in words:
        if word in ("*", "+", "-") or passes == 3 + (not bid):
            return
        ended = ended or not word
        bare = word.rstrip(_MARKS)
        if not bare or (bare.startswith("^") and bare != "^S"):
            continue  # a mark on its own; `^I` and others name an irregularity of the next call
        call = call_of(bare)
        if bare.upper() == "AP":
            yield from ["Pass"] * (3 + (not bid) - passes)
            return
        if not call and ended:
            return  # after an empty line: something else, such as statistics
        if not call:
            raise Fault(text("{token!r} is not a call: 1C to 7NT, Pass, X, XX or AP", token=word[:20]))
        yield call
        passes, bid = (passes + 1 if call == "Pass" else 0), bid or call[0].isdigit()


def _plays(
    words: Iterable[str], leader: int, hands: tuple[tuple[Card, ...] | None, ...]
) -> tuple[list[tuple[int, Card]], bool]:
    """Return the cards, trick after trick, and whether cards follow a trick that is not complete: they are left out.

    A row has a column for each seat, from the leader on. Other programs write the cards of a row in the order in which
    they were played; so each card is the play of the seat that holds it, if that is known.
    """
    holders = {card: seat for seat, hand in enumerate(hands) for card in hand or ()}
    plays: list[tuple[int, Card]] = []
    place, ended = 0, False
    for word in words:
        if word == "*" or place == PLAYERS * HAND:
            break
        ended = ended or not word
        bare = word.rstrip(_MARKS)
        if not bare or bare.startswith("^") or bare == "+":
            continue
        if bare != _HIDDEN:
            card = card_of(bare)
            if card is None and ended:
                break
            if card is None:
                raise Fault(text("{token!r} is not a card: it is written like SA or HT", token=word[:20]))
            if len(plays) < place // PLAYERS * PLAYERS:
                return plays, True
            plays.append((holders.get(card, (leader + place) % PLAYERS), card))
        place += 1
    return plays, False
