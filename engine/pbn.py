r"""Portable Bridge Notation: boards of bridge as text, as other programs read and write them (PBN 2.1).

`read_pbn` reads what `write_pbn` writes, and files of other programs: tags may be in any order or inherited from the
board before (`#`); comments, notes, annotations, and sections other than the auction and the play are ignored.
`boards_of` makes boards of a record, and `record_of` a record of a board. North is the seat that deals board 1; if the
game begins with a later board (option `first_board`), the seat that would have dealt board 1.

>>> [board] = read_pbn('[Board "1"]\n[Dealer "N"]\n[Auction "N"]\n1NT =1= Pass {strong} 3NT AP\n')
>>> board.calls
('1NT', 'Pass', '3NT', 'Pass', 'Pass', 'Pass')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile, zip_longest
from typing import Final

from engine.actions import Action
from engine.cards import RANKS_DOWN, SUITS, Card
from engine.errors import EngineError, HeaderError, Refused
from engine.games import plays_boards
from engine.games.bridge import Bridge
from engine.games.bridge.auction import BIDS, Auction, Contract
from engine.games.bridge.scoring import duplicate_score
from engine.record import Header
from engine.rules.bidding import CALLS
from engine.rules.penalties import REVOKE
from engine.table import Table
from engine.texts import text

SEATS: Final = "NESW"
NAMES: Final = ("North", "East", "South", "West")
VULNERABLE: Final = ("None", "NS", "EW", "All")
"""The values of the tag: the index is 1 if North and South are vulnerable, plus 2 if East and West are."""
PLAYERS: Final = 4
HAND: Final = 13
"""The cards of a hand."""
SCORING: Final = {"duplicate": "MP", "rubber": "Rubber", "chicago": "Chicago"}
"""The tag `Scoring`, by the option `scoring` of a record."""
_WORDS: Final = dict(zip(("Pass", "X", "XX"), [call.name for call in CALLS], strict=True))
"""The words of records for the calls besides the bids."""
_CALLS: Final = {word: call for call, word in _WORDS.items()}
_DOUBLED: Final = {1: "", 2: "X", 4: "XX"}
_OTHER_NAMES: Final = {"-": "None", "Love": "None", "Both": "All"}
_TAG: Final = re.compile(r'\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_TOKEN: Final = re.compile(r"\{[^}]*\}|;[^\n]*|\$\d+|=\d+=|[^\s{};$]+")
_CALL: Final = re.compile(r"(Pass|P|XX|X|AP|[1-7](?:NT|N|[CDHS]))[!?]*", re.IGNORECASE | re.ASCII)
_CARD: Final = re.compile(r"([SHDC])(10|[2-9TJQKA])[!?]*", re.IGNORECASE | re.ASCII)
_HIDDEN: Final = "-"
_UNKNOWN: Final = ("Date", "Result", "Contract", "Declarer")
"""The tags whose value is `?` if it is not known."""


class PbnError(EngineError, ValueError):
    """Text that is not a board of bridge in PBN; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Board:
    """One board. Seats are 0 to 3: North, East, South, West.

    `names`: the players' names. `vulnerable`: 1 for North and South, plus 2 for East and West. `hands`: the 13 cards of
    each seat, or None if they are not known. `calls`: `Pass`, `X`, `XX` and bids such as `1NT`, from the dealer on.
    `plays`: seat and card, trick after trick; each trick begins with the seat that made the opening lead. `contract`:
    such as `4SX`, `Pass`, or "" before the end of the auction. `result`: the tricks of the declarer's side; None if the
    board was not played to an end.
    """

    number: int
    names: tuple[str, ...]
    dealer: int
    vulnerable: int = 0
    hands: tuple[tuple[Card, ...] | None, ...] = (None,) * 4
    calls: tuple[str, ...] = ()
    plays: tuple[tuple[int, Card], ...] = ()
    declarer: int | None = None
    contract: str = ""
    result: int | None = None
    scoring: str = ""
    event: str = ""
    date: str = ""


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
    if len(board.plays) < 4 * HAND:
        yield "*"


# Reading boards


def read_pbn(written: str) -> list[Board]:
    """Return the boards in the text of a file, in order. Raises `PbnError`."""
    before: dict[str, str] = {}
    boards = []
    for tags, sections in _games(written):
        inherited = {name: before.get(name, "") if value in ("#", "##") else value for name, value in tags.items()}
        boards.append(_board(inherited, sections))
        before = inherited
    if not boards:
        raise PbnError(text("there is no board: a board begins with tags such as [Board “1”]"))
    return boards


def _games(written: str) -> Iterator[tuple[dict[str, str], dict[str, list[str]]]]:
    """Yield the tags and the tokens of the sections of each board. A tag that is there twice begins another board."""
    lines = [line for line in written.replace("\r\n", "\n").split("\n") if not line.startswith("%")]
    rest = re.sub(r"\{[^}]*\}", " ", "\n".join(lines))
    tags: dict[str, str] = {}
    sections: dict[str, list[str]] = {}
    for block in re.split(r"(?m)^(?=\s*\[)", rest):
        if not block.strip():
            continue
        match = _TAG.match(block)
        if match is None:
            raise PbnError(text("a tag is written like [Board “1”], not {line!r}", line=block.strip()[:40]))
        name, value = match[1], match[2].replace('\\"', '"').replace("\\\\", "\\")
        if name in tags:
            if name == "Note":
                continue
            yield tags, sections
            tags, sections = {}, {}
        tags[name] = value
        tokens = [token for token in _TOKEN.findall(block[match.end() :]) if token[0] not in "{;$="]
        if tokens:
            sections[name] = tokens
    if tags:
        yield tags, sections


def _board(tags: dict[str, str], sections: dict[str, list[str]]) -> Board:
    number, result = tags.get("Board", ""), tags.get("Result", "").lstrip("^").split(" ")[-1]
    if number and number != "?" and not re.fullmatch(r"[1-9]\d{0,5}", number, re.ASCII):
        raise PbnError(text("the number of a board is 1 or more, not {number!r}", number=number))
    dealer = _seat(tags, "Dealer")
    if dealer is None:
        raise PbnError(text("the board has no dealer: it needs a tag such as [Dealer “N”]"))
    vulnerable = _OTHER_NAMES.get(tags.get("Vulnerable", "None"), tags.get("Vulnerable", "None"))
    if vulnerable not in VULNERABLE:
        raise PbnError(text("{value!r} is not a vulnerability: None, NS, EW or All", value=vulnerable))
    if not re.fullmatch(r"\d{1,2}", result, re.ASCII) or int(result) > HAND:
        result = ""
    contract = "" if tags.get("Contract", "?") == "?" else tags["Contract"].upper().replace("PASS", "Pass")
    return Board(
        number=int(number) if number.isdecimal() else 1,
        names=tuple(_name(tags.get(name, ""), name) for name in NAMES),
        dealer=dealer,
        vulnerable=VULNERABLE.index(vulnerable),
        hands=_hands(tags.get("Deal", "")),
        calls=tuple(_calls(sections.get("Auction", ()))),
        plays=tuple(_plays(sections.get("Play", ()), _seat(tags, "Play") or 0)),
        declarer=_seat(tags, "Declarer"),
        contract=contract,
        result=int(result) if result else None,
        scoring=tags.get("Scoring", ""),
        event=tags.get("Event", ""),
        date="" if tags.get("Date") == "?" else tags.get("Date", ""),
    )


def _name(name: str, seat: str) -> str:
    return name if name not in ("", "?") else seat


def _seat(tags: dict[str, str], name: str) -> int | None:
    value = tags.get(name, "").lstrip("^")
    if value in ("", "?"):
        return None
    if value not in tuple(SEATS):
        raise PbnError(text("{value!r} is not a seat: N, E, S or W", value=value))
    return SEATS.index(value)


def _hands(deal: str) -> tuple[tuple[Card, ...] | None, ...]:
    """Return the hands of the tag `Deal`, `N:… … … …`: clockwise from the seat named."""
    if deal in ("", "?"):
        return (None,) * 4
    first, _, rest = deal.partition(":")
    written = rest.split()
    if first not in tuple(SEATS) or len(written) != 4:
        raise PbnError(text("a deal is a seat, a colon and four hands, not {deal!r}", deal=deal[:80]))
    hands: list[tuple[Card, ...] | None] = [None] * 4
    seen: set[Card] = set()
    for place, hand in enumerate(written):
        cards = None if hand == _HIDDEN else _cards(hand)
        hands[(SEATS.index(first) + place) % 4] = cards
        if cards is not None and (len(cards) != HAND or len({*cards}) != HAND or seen.intersection(cards)):
            raise PbnError(text("a hand has 13 cards, each of them once in the deal: {hand!r}", hand=hand[:40]))
        seen.update(cards or ())
    return tuple(hands)


def _cards(hand: str) -> tuple[Card, ...]:
    suits = hand.split(".")
    names = {_rank(rank): rank for rank in RANKS_DOWN}
    if len(suits) != 4 or not {*"".join(suits)} <= names.keys():
        raise PbnError(text("a hand is written like AK5.QJT9.876.432, not {hand!r}", hand=hand[:40]))
    return tuple(Card(names[rank], suit) for suit, ranks in zip(SUITS, suits, strict=True) for rank in ranks)


def _calls(tokens: Iterable[str]) -> Iterator[str]:
    """Yield the calls; `AP` is a pass of all others."""
    calls: list[str] = []
    for token in tokens:
        if token in ("*", "+", "-"):
            break
        match = _CALL.fullmatch(token)
        if match is None:
            raise PbnError(text("{token!r} is not a call: 1C to 7NT, Pass, X, XX or AP", token=token[:20]))
        call = match[1].upper()
        if call == "AP":
            wanted = 4 if not calls or all(each == "Pass" for each in calls) else 3
            passes = next((n for n, each in enumerate(reversed(calls)) if each != "Pass"), len(calls))
            calls += ["Pass"] * (wanted - passes)
            break
        calls.append("Pass" if call in ("P", "PASS") else call + "T" if re.fullmatch(r"\dN", call) else call)
    yield from calls


def _plays(tokens: Iterable[str], leader: int) -> Iterator[tuple[int, Card]]:
    """Yield the cards in the order of `Board.plays`."""
    found = [token for token in takewhile(lambda token: token != "*", tokens) if token != "+"]
    names = {_rank(rank): rank for rank in RANKS_DOWN} | {"10": "10"}
    rows = zip_longest(*[iter(found)] * 4)
    for row in rows:
        for place, token in enumerate(row):
            if token is None or token == _HIDDEN:
                continue
            match = _CARD.fullmatch(token)
            if match is None:
                raise PbnError(text("{token!r} is not a card: it is written like SA or HT", token=token[:20]))
            yield (leader + place) % 4, Card(names[match[2].upper()], match[1].upper())


# Boards of a record


def boards_of(header: Header, actions: Iterable[Action]) -> list[Board]:
    """Return the boards of a game of bridge. Actions that the rules refuse are left out.

    Raises `HeaderError` if it is another game.
    """
    if not plays_boards(header.game):
        raise HeaderError(text("only games of bridge can be written as PBN, not {game!r}", game=header.game), "game")
    done = Table(header)
    for action in actions:
        if done.can(action):
            done.do(action)
    first = int(str(header.options.get("first_board", 1)))
    table, deals, north = Table(header), list[_Deal](), 0
    for action in done.actions:
        if table.phase != "cut" and len(deals) < len(table.hand_starts):
            dealer = table.view().dealer or 0
            if not deals:
                north = (dealer - (first - 1)) % PLAYERS
            vulnerable = sum(1 if side == north % 2 else 2 for side in table.deal_data["vulnerable"])
            deals.append(_Deal(first + len(deals), north, (dealer - north) % PLAYERS, vulnerable))
        if deals:
            deals[-1].read(action, table)
        table.do(action)
    scoring = SCORING[str(header.options.get("scoring", "chicago"))]
    names = tuple(header.players[(north + seat) % PLAYERS] for seat in range(PLAYERS))
    results = zip_longest(deals, done.result["tricks"][: len(deals)])
    return [deal.board(names, scoring, made) for deal, made in results if deal.auction.calls or any(deal.known)]


class _Deal:
    """Collects what happened in one deal. Seats are those of `Board`; `north`: the seat of North at the table."""

    def __init__(self, number: int, north: int, dealer: int, vulnerable: int) -> None:
        self.auction = Auction([word.name for word in BIDS], dealer, lambda seat: seat % 2)
        self.known: list[dict[Card, None]] = [{} for _ in range(PLAYERS)]
        self._number = number
        self._north = north
        self._dealer = dealer
        self._vulnerable = vulnerable
        self._plays: list[tuple[int, Card]] = []

    def read(self, action: Action, table: Table) -> None:
        """Note an action that is about to be done on `table`."""
        seat = (action.seat - self._north) % PLAYERS if isinstance(action.seat, int) else 0
        if action.do == "deal":
            self.known[seat].update(dict.fromkeys(action.cards or ()))
        elif action.do in ("expose", "play") and action.card:
            self.known[seat][action.card] = None
        if action.do == "play" and action.card:
            self._plays.append((seat, action.card))
        elif action.do == "withdraw":
            self._plays.pop()
        elif action.do == "say" and table.phase in ("bid", "deal") and action.word:
            self.auction.add(action.word)
        elif action.word == REVOKE.name and action.card is not None and action.against is not None:
            self.known[(action.against - self._north) % PLAYERS][action.card] = None

    def board(self, names: tuple[str, ...], scoring: str, result: int | None) -> Board:
        """Return the board."""
        contract = self.auction.contract() if self.auction.over else None
        written = "Pass" if self.auction.over and contract is None else ""
        if contract:
            written = f"{contract.level}{contract.strain.upper()}{_DOUBLED[contract.risk]}"
        leader = self._plays[0][0] if self._plays else 0
        numbered = enumerate(self._plays)  # within a trick, by seat
        plays = sorted(numbered, key=lambda each: (each[0] // PLAYERS, (each[1][0] - leader) % PLAYERS))
        return Board(
            self._number,
            names,
            self._dealer,
            self._vulnerable,
            hands=tuple(tuple(sorted(cards, key=_place)) if len(cards) == HAND else None for cards in self.known),
            calls=tuple(_CALLS.get(word, word.upper()) for _, word in self.auction.calls),
            plays=tuple(play for _, play in plays),
            declarer=contract.declarer if contract else None,
            contract=written,
            result=result if contract else None,
            scoring=scoring,
        )


def _place(card: Card) -> tuple[int, int]:
    """Sort key: the order in which a hand is written."""
    return SUITS.index(card.suit), RANKS_DOWN.index(card.rank)


def score_of(board: Board) -> int | None:
    """Return the score of North and South in duplicate; None if the board was not played to an end.

    >>> score_of(Board(1, ("", "", "", ""), 0, declarer=1, contract="4SX", result=9))
    100
    """
    if board.contract == "Pass":
        return 0
    if not board.contract or board.declarer is None or board.result is None:
        return None
    level, strain, doubled = board.contract[0], board.contract[1:].rstrip("X"), board.contract.count("X")
    contract = Contract(int(level), strain.lower(), board.declarer, 2**doubled)
    score = duplicate_score(contract, board.result, bool(board.vulnerable & (2 if board.declarer % 2 else 1)))
    return -score if board.declarer % 2 else score


# The record of a board


def record_of(board: Board) -> tuple[Header, list[Action]]:
    """Return the record of a board as duplicate of one board; seat 0 is North.

    If the result is known, the declarer claims the tricks that were not played, and the claim is accepted. The hands
    are named unless a card that was played revokes. Raises `PbnError` if the rules refuse a call or a card.
    """
    options = {"scoring": "duplicate", "boards": 1, "first_board": _number(board)}
    header = Header(Bridge.name, board.names, board.dealer, options)
    refusal: Refused | HeaderError | None = None
    for named in (True, False):
        try:
            header.check()
            table = Table(header)
            for action in _actions(board, table, named):
                table.do(action)
        except (Refused, HeaderError) as error:
            refusal = refusal or error
            continue
        return header, list(table.actions)
    raise PbnError(text("board {number}: {reason}", number=board.number, reason=str(refusal)))


def _number(board: Board) -> int:
    """Return the number of the board, or of the first one with this dealer and this vulnerability."""
    fits = [n for n in range(1, 17) if (n - 1) % 4 == board.dealer and (n - 1 + (n - 1) // 4) % 4 == board.vulnerable]
    return board.number if (board.number - 1) % 16 + 1 in fits else fits[0]


def _actions(board: Board, table: Table, named: bool) -> Iterator[Action]:
    """Yield the actions of the board. The caller does each one on `table` before it asks for the next.

    `named`: whether the hands are dealt by name.
    """
    for seat, hand in enumerate(board.hands):
        if hand is not None and named:
            yield Action("deal", seat, cards=hand)
    for call in board.calls:
        yield Action("say", table.turn, word=_WORDS.get(call, call.lower()))
    leader = table.turn
    if table.phase != "play" or leader is None:
        return
    declarer, dummy = (leader - 1) % PLAYERS, (leader + 1) % PLAYERS
    for start in range(0, len(board.plays), PLAYERS):
        cards = dict(board.plays[start : start + PLAYERS])
        while cards:
            if (turn := table.turn) is None or turn not in cards:
                message = "board {number}: a trick lacks a card before one that was played"
                raise PbnError(text(message, number=board.number))
            yield Action("play", turn, cards.pop(turn))
            if start == 0 and turn == leader:
                for card in board.hands[dummy] or ():
                    yield Action("expose", dummy, card)
    left, won = HAND - len(board.plays) // PLAYERS, sum(table.view().won[declarer % 2 :: 2])
    if board.result is not None and board.plays and left and 0 <= board.result - won <= left:
        yield Action("say", declarer, word="claim")
        yield Action("say", declarer, word=str(board.result - won))
        for opponent in (leader, (declarer + 3) % PLAYERS):
            yield Action("say", opponent, word="accept")
