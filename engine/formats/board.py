"""A board of bridge, as every reader of this package returns it, and what it has in common with a record.

`boards_of` makes boards of a record, and `Board.record` a record of a board. North is the seat that deals board 1; if
the game begins with a later board (option `first_board`), the seat that would have dealt board 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Final

from engine.actions import Action
from engine.cards import RANKS_DOWN, STANDARD_DECK, SUITS, Card
from engine.errors import EngineError, HeaderError, Refused
from engine.games import plays_boards
from engine.games.bridge import Bridge
from engine.games.bridge.auction import BIDS, Auction, Contract
from engine.games.bridge.scoring import duplicate_score
from engine.record import Header
from engine.rules.bidding import CALLS
from engine.rules.penalties import REVOKE
from engine.table import Table
from engine.texts import Text, text

SEATS: Final = "NESW"
NAMES: Final = ("North", "East", "South", "West")
PLAYERS: Final = 4
HAND: Final = 13
"""The cards of a hand."""
SCORING: Final = {"duplicate": "MP", "rubber": "Rubber", "chicago": "Chicago"}
"""How PBN calls each value of the option `scoring` of a record."""
PASSED_OUT: Final = "Pass"
_WORDS: Final = dict(zip(("Pass", "X", "XX"), [call.name for call in CALLS], strict=True))
"""The words of records for the calls besides the bids."""
_CALLS: Final = {word: call for call, word in _WORDS.items()}
_BIDS: Final = [word.name for word in BIDS]
_DOUBLED: Final = {1: "", 2: "X", 4: "XX"}
_CALL: Final = re.compile(r"(P(?:ASS)?)|(X|D|DBL)|(XX|R|REDBL)|([1-7])(?:(NT?)|([CDHS]))", re.IGNORECASE | re.ASCII)
_CONTRACT: Final = re.compile(r"([1-7])\s*(NT?|[CDHS])\s*(XX|R|X|D|)", re.IGNORECASE | re.ASCII)
_RANKS: Final = {"T": "10"} | {rank: rank for rank in RANKS_DOWN}
_CARD: Final = re.compile(r"([SHDC])(10|[2-9TJQKA])", re.IGNORECASE | re.ASCII)


class Fault(EngineError, ValueError):
    """What is wrong in a file. `number`: of the board; `line`, `tag`: where it is. None and "" if that is not known."""

    def __init__(self, reason: str, number: int | None = None, line: int | None = None, tag: str = "") -> None:
        message = reason
        if number is not None and line is not None:
            template = "board {number}, line {line}, {tag}: {reason}"
            message = text(template, number=number, line=line, tag=tag or "–", reason=reason)
        elif number is not None:
            message = text("board {number}: {reason}", number=number, reason=reason)
        elif line is not None:
            message = text("line {line}: {reason}", line=line, reason=reason)
        super().__init__(message)
        self.number, self.line, self.tag = number, line, tag


@dataclass(frozen=True, slots=True)
class Board:
    """One board. Seats are 0 to 3: North, East, South, West.

    `names`: the players' names. `vulnerable`: 1 for North and South, plus 2 for East and West. `hands`: the 13 cards of
    each seat, or None if they are not known. `calls`: `Pass`, `X`, `XX` and bids such as `1NT`, from the dealer on.
    `plays`: seat and card, trick after trick; each trick begins with the seat that made the opening lead. `contract`:
    such as `4SX`, `Pass`, or "" before the end of the auction. `result`: the tricks of the declarer's side; None if the
    board was not played to an end. `faults`: what the file says and the auction or the play contradicts.
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
    faults: tuple[Fault, ...] = field(default=(), compare=False)

    @property
    def scores(self) -> tuple[int, ...] | None:
        """What the side of North and that of East score in duplicate; None if the board was not played to an end."""
        score = score_of(self)
        return None if score is None else (max(score, 0), max(-score, 0))

    def record(self) -> tuple[Header, list[Action]]:
        """Return the record of the board as duplicate of one board; seat 0 is North.

        If the result is known, the declarer claims the tricks that were not played, and the claim is accepted; before
        the opening lead nothing can be claimed. The hands are named unless a card that was played revokes. Raises
        `Fault` if the rules refuse a call or a card.
        """
        options = {"scoring": "duplicate", "boards": 1, "first_board": _number(self)}
        header = Header(Bridge.name, self.names, self.dealer, options)
        refusal: Refused | HeaderError | None = None
        for named in (True, False):
            try:
                header.check()
                table = Table(header)
                for action in _actions(self, table, named):
                    table.do(action)
            except (Refused, HeaderError) as error:
                refusal = refusal or error
                continue
            return header, list(table.actions)
        raise Fault(str(refusal), self.number)


# Reading what all formats write


def card_of(written: str) -> Card | None:
    """Return the card that is written suit first, such as `SA` or `ht`; None if it is none."""
    match = _CARD.fullmatch(written)
    return Card(_RANKS[match[2].upper()], match[1].upper()) if match else None


def call_of(written: str) -> str:
    """Return a call as `Board.calls` has it; "" if it is none.

    >>> [call_of(written) for written in ("p", "1n", "D", "r", "8C")]
    ['Pass', '1NT', 'X', 'XX', '']
    """
    match = _CALL.fullmatch(written)
    if match is None:
        return ""
    if match[4]:
        return match[4] + ("NT" if match[5] else match[6].upper())
    return "Pass" if match[1] else "X" if match[2] else "XX"


def contract_of(written: str) -> str | None:
    """Return a contract as `Board.contract` has it; None if it is none.

    >>> [contract_of(written) for written in ("3Nx", "5DR", "PASS", "?", "8C")]
    ['3NTX', '5DXX', 'Pass', '', None]
    """
    if written.strip() in ("", "?", "-"):
        return ""
    if written.strip().upper() in ("P", "PAS", "PASS", "PASSED OUT"):
        return PASSED_OUT
    match = _CONTRACT.fullmatch(written.strip())
    if match is None:
        return None
    strain, doubled = match[2].upper(), match[3].upper()
    return match[1] + ("NT" if strain.startswith("N") else strain) + {"D": "X", "R": "XX"}.get(doubled, doubled)


def tricks_of(written: str) -> int:
    """Return the number of tricks written. Raises `Fault` if a hand has not so many."""
    if not re.fullmatch(r"\d{1,2}", written, re.ASCII) or int(written) > HAND:
        raise Fault(text("{value!r} is not a number of tricks", value=written[:20]))
    return int(written)


def hands_of(written: Sequence[Sequence[str] | None]) -> tuple[tuple[Card, ...] | None, ...]:
    """Return the hands of a deal, each written as the ranks of spades, hearts, diamonds and clubs, or None.

    A void is written as nothing, or `-`. If three are known, so is the fourth. Raises `Fault`.
    """
    hands: list[tuple[Card, ...] | None] = []
    seen: set[Card] = set()
    for suits in written:
        if suits is None:
            hands.append(None)
            continue
        hand = ".".join(suits)[:40]
        if not re.fullmatch(r"(?:(?:-|(?:10|[2-9TJQKA])*)\.){4}", ".".join((*suits, "")).upper(), re.ASCII):
            raise Fault(text("a hand is written like AK5.QJT9.876.432, not {hand!r}", hand=hand))
        ranks = [re.findall(r"10|[^-]", ranks.upper()) for ranks in suits]
        cards = [Card(_RANKS[rank], suit) for suit, each in zip(SUITS, ranks, strict=True) for rank in each]
        if len(cards) != HAND or len({*cards}) != HAND or not seen.isdisjoint(cards):
            raise Fault(text("a hand has 13 cards, each of them once in the deal: {hand!r}", hand=hand))
        seen.update(cards)
        hands.append(tuple(cards))
    if hands.count(None) == 1:
        hands[hands.index(None)] = tuple(sorted({*STANDARD_DECK} - seen, key=_place))
    return tuple(hands)


def dealer_of(number: int) -> int:
    """Return the dealer of a board of duplicate."""
    return (number - 1) % PLAYERS


def vulnerable_of(number: int) -> int:
    """Return who is vulnerable in a board of duplicate, as `Board.vulnerable`."""
    return (number - 1 + (number - 1) // PLAYERS) % PLAYERS


def judged(
    board: Board,
    lines: Mapping[str, int],
    tags: Mapping[str, str],
    score: int | None = None,
    cards: Sequence[Card] = (),
) -> Board:
    """Return `board` with what follows from its auction and its play, and with a fault for all that contradicts them.

    `lines`, `tags`: by the names of PBN's tags, where each thing stands in the file and what it is called there.
    `score`: what the file says that North and South score. `cards`: those played, in turn, if `board.plays` is empty.
    Raises `Fault` for an auction that breaks the rules.
    """
    faults = list(board.faults)

    def doubt(name: str, reason: Text) -> None:
        faults.append(Fault(reason, board.number, lines.get(name, next(iter(lines.values()), 1)), tags.get(name, name)))

    auction, declarer = Auction(_BIDS, board.dealer, lambda seat: seat % 2), board.declarer
    for call in board.calls:
        word = _WORDS.get(call, call.lower())
        if auction.over or word not in auction.allowed():
            reason = text("{call} by {seat} breaks the rules of the auction", call=call, seat=SEATS[auction.turn])
            raise Fault(reason, board.number, lines.get("Auction"), tags.get("Auction", "Auction"))
        auction.add(word)
    if auction.over:
        contract = auction.contract()
        bid = _written(contract)
        declarer = contract.declarer if contract else None
        if board.contract not in ("", bid):
            doubt("Contract", text("{said!r}, but the auction ends with {bid}", said=board.contract, bid=bid))
        if contract and board.declarer not in (None, declarer):
            said, seat = SEATS[board.declarer or 0], SEATS[contract.declarer]
            doubt("Declarer", text("{said}, but by the auction it is {seat}", said=said, seat=seat))
        board = replace(board, contract=bid, declarer=declarer, result=board.result if contract else None)
    if (board.plays or cards) and declarer is not None and board.contract not in ("", PASSED_OUT):
        board = replace(board, plays=board.plays or tuple(_in_turn(cards, declarer, board.contract[1])))
        fit, won, lacking = _followed(board)
        for reason in filter(None, (_revoke(board.hands, fit), lacking)):
            doubt("Play", reason)
        board = replace(board, plays=_in_columns(fit, (declarer + 1) % PLAYERS))
        left = HAND - len(fit) // PLAYERS
        if board.result is not None and not won <= board.result <= won + left:
            doubt("Result", text("{said}, but {won} tricks are won in the play", said=board.result, won=won))
            board = replace(board, result=None if left else won)
        elif not left:
            board = replace(board, result=won)
    scored = score_of(board)
    if score is not None and scored is not None and score != scored:
        doubt("Score", text("{said}, but North and South score {scored}", said=score, scored=scored))
    return replace(board, faults=tuple(faults))


def _written(contract: Contract | None) -> str:
    if contract is None:
        return PASSED_OUT
    return f"{contract.level}{contract.strain.upper()}{_DOUBLED[contract.risk]}"


def _followed(board: Board) -> tuple[list[tuple[int, Card]], int, Text | None]:
    """Follow the play. Return the plays that fit, the declarer's tricks, and why the next card does not fit."""
    declarer, trump = board.declarer or 0, board.contract[1]
    holders = {card: seat for seat, hand in enumerate(board.hands) for card in hand or ()}
    turn, won, seen, fit = (declarer + 1) % PLAYERS, 0, set[Card](), list[tuple[int, Card]]()
    for start in range(0, len(board.plays), PLAYERS):
        row = board.plays[start : start + PLAYERS]
        cards = dict(row)
        for _ in row:
            card = cards.get(turn)
            if card is None:
                return fit, won, text("a trick lacks the card of {seat}, who is on turn", seat=SEATS[turn])
            if card in seen or holders.get(card, turn) != turn:
                return fit, won, text("{seat} does not hold {card}", seat=SEATS[turn], card=str(card))
            seen.add(card)
            fit.append((turn, card))
            turn = (turn + 1) % PLAYERS
        if len(row) == PLAYERS:
            turn = _winner(fit[-PLAYERS:], trump)
            won += turn % 2 == declarer % 2
    return fit, won, None


def _revoke(hands: Sequence[Sequence[Card] | None], plays: Sequence[tuple[int, Card]]) -> Text | None:
    """Return who does not follow suit first, and what a record then lacks (`Board.record`)."""
    left = [set(hand or (card for by, card in plays if by == seat)) for seat, hand in enumerate(hands)]
    for number, (seat, card) in enumerate(plays):
        led = plays[number - number % PLAYERS][1].suit
        if card.suit != led and any(held.suit == led for held in left[seat]):
            if hands[seat] is None:
                return text("{seat} revokes with {card}", seat=SEATS[seat], card=str(card))
            return text("{seat} revokes with {card}, so a record names no hands", seat=SEATS[seat], card=str(card))
        left[seat].discard(card)
    return None


def _in_turn(cards: Sequence[Card], declarer: int, trump: str) -> Iterator[tuple[int, Card]]:
    """Yield the cards with the seats that played them, each trick being led by the winner of the last one."""
    turn = (declarer + 1) % PLAYERS
    for start in range(0, len(cards), PLAYERS):
        trick = [((turn + place) % PLAYERS, card) for place, card in enumerate(cards[start : start + PLAYERS])]
        yield from trick
        turn = _winner(trick, trump)


def _winner(trick: Sequence[tuple[int, Card]], trump: str) -> int:
    """Return the seat that wins a trick. `trump`: its suit, or `N` without trumps."""
    led = trick[0][1].suit
    order = (trump, *({led} - {trump}))
    follow = [(order.index(card.suit), RANKS_DOWN.index(card.rank), seat) for seat, card in trick if card.suit in order]
    return min(follow)[-1]


def _in_columns(plays: Sequence[tuple[int, Card]], leader: int) -> tuple[tuple[int, Card], ...]:
    """Return the plays in the order of `Board.plays`: within each trick by seat, from `leader` on."""
    numbered = sorted(enumerate(plays), key=lambda each: (each[0] // PLAYERS, (each[1][0] - leader) % PLAYERS))
    return tuple(play for _, play in numbered)


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
        leader = self._plays[0][0] if self._plays else 0
        return Board(
            self._number,
            names,
            self._dealer,
            self._vulnerable,
            hands=tuple(tuple(sorted(cards, key=_place)) if len(cards) == HAND else None for cards in self.known),
            calls=tuple(_CALLS.get(word, word.upper()) for _, word in self.auction.calls),
            plays=_in_columns(self._plays, leader),
            declarer=contract.declarer if contract else None,
            contract=_written(contract) if self.auction.over else "",
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


def _number(board: Board) -> int:
    """Return the number of the board, or of the first one with this dealer and this vulnerability."""
    fits = [n for n in range(1, 17) if (dealer_of(n), vulnerable_of(n)) == (board.dealer, board.vulnerable)]
    return board.number if (board.number - 1) % 16 + 1 in fits else fits[0]


def _actions(board: Board, table: Table, named: bool) -> Iterator[Action]:
    """Yield the actions of the board. The caller does each one on `table` before it asks for the next.

    `named`: whether the hands are dealt by name, and the dummy's cards shown.
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
                raise Fault(text("a trick lacks a card before one that was played"), board.number)
            yield Action("play", turn, cards.pop(turn))
            if start == 0 and turn == leader:
                for card in (board.hands[dummy] or ()) if named else ():
                    yield Action("expose", dummy, card)
    left, won = HAND - len(board.plays) // PLAYERS, sum(table.view().won[declarer % 2 :: 2])
    if board.result is not None and board.plays and left and 0 <= board.result - won <= left:
        yield Action("say", declarer, word="claim")
        yield Action("say", declarer, word=str(board.result - won))
        for opponent in (leader, (declarer + 3) % PLAYERS):
            yield Action("say", opponent, word="accept")
