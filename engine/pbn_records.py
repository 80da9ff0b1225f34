"""Records of bridge as boards in PBN, and boards as records (`engine.pbn`).

North is the seat that deals board 1; if the game begins with a later board (option `first_board`), the seat that would
have dealt board 1.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from engine.actions import Action
from engine.cards import SUITS, Card
from engine.errors import HeaderError, Refused
from engine.games import plays_boards
from engine.games.bridge import Bridge
from engine.pbn import HAND, RANKS_DOWN, Board, PbnError
from engine.record import Header
from engine.rules.auction import BIDS, CALLS, Auction, Contract
from engine.rules.contract_points import duplicate_score
from engine.rules.penalties import REVOKE
from engine.rules.tricks import Play, Trick
from engine.table import Table
from engine.texts import text

PLAYERS: Final = 4
SCORING: Final = {"duplicate": "MP", "rubber": "Rubber", "chicago": "Chicago"}
_WORDS: Final = dict(zip(("Pass", "X", "XX"), [call.name for call in CALLS], strict=True))
_CALLS: Final = {word: call for call, word in _WORDS.items()}
_DOUBLED: Final = {1: "", 2: "X", 4: "XX"}


def boards_of(header: Header, actions: Iterable[Action], date: str = "", event: str = "") -> list[Board]:
    """Return the boards of a game of bridge. Actions that the rules refuse are left out.

    `date`, `event`: the values of the tags with these names. Raises `HeaderError` if it is another game.
    """
    if not plays_boards(header.game):
        raise HeaderError(text("only games of bridge can be written as PBN, not {game!r}", game=header.game), "game")
    table = Table(header)
    for action in actions:
        if table.can(action):
            table.do(action)
    tricks = table.result["tricks"]
    options: Mapping[str, Any] = header.options
    first = int(options.get("first_board", 1))
    found, replay, north = [], Table(header), None
    for number, (start, end) in enumerate(pairwise([*table.hand_starts, len(table.actions)])):
        while replay.phase == "cut" and len(replay.actions) < end:
            replay.do(table.actions[len(replay.actions)])
        if replay.phase == "cut":
            break
        dealer = replay.view().dealer or 0
        north = (dealer - (first - 1)) % PLAYERS if north is None else north
        vulnerable = _vulnerable(replay, north)
        reader = _Reader(dealer)
        for action in table.actions[max(start, len(replay.actions)) : end]:
            reader.read(action, replay)
            replay.do(action)
        if not reader.auction.calls and not any(reader.known):
            continue
        result = tricks[number] if number < len(tricks) else None
        names = tuple(header.players[(north + seat) % PLAYERS] for seat in range(PLAYERS))
        scoring = SCORING[str(header.options.get("scoring", "chicago"))]
        found.append(reader.board(first + number, names, north, vulnerable, result, scoring, event, date))
    return found


def _vulnerable(table: Table, north: int) -> int:
    """Return the vulnerable pairs as a `Board` has them. `north`: the seat of North at the table."""
    return sum(1 if side == north % 2 else 2 for side in table.deal_data["vulnerable"])


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


class _Reader:
    """Collects what happened in one deal."""

    def __init__(self, dealer: int) -> None:
        self.auction = Auction([word.name for word in BIDS], dealer, lambda seat: seat % 2)
        self.dealer = dealer
        self.plays: list[Play] = []
        self.known: list[dict[Card, None]] = [{} for _ in range(PLAYERS)]

    def read(self, action: Action, table: Table) -> None:
        """Take an action that is about to be done."""
        seat = action.seat if isinstance(action.seat, int) else 0
        if action.do == "deal":
            self.known[seat].update(dict.fromkeys(action.cards or ()))
        elif action.do in ("expose", "play") and action.card:
            self.known[seat][action.card] = None
        if action.do == "play" and action.card:
            self.plays.append(Play(seat, action.card))
        elif action.do == "withdraw":
            self.plays.pop()
        elif action.do == "say" and table.phase in ("bid", "deal") and action.word:
            self.auction.add(action.word)
        elif action.word == REVOKE.name and action.card is not None and action.against is not None:
            self.known[action.against][action.card] = None

    def board(
        self,
        number: int,
        names: tuple[str, ...],
        north: int,
        vulnerable: int,
        result: int | None,
        scoring: str,
        event: str,
        date: str,
    ) -> Board:
        """Return the board; `north` is the seat that North has at the table."""
        contract = self.auction.contract() if self.auction.over else None
        written = "Pass" if self.auction.over and contract is None else ""
        if contract:
            written = f"{contract.level}{contract.strain.upper()}{_DOUBLED[contract.risk]}"
        hands = [tuple(cards) if len(cards) == HAND else None for cards in self.known]
        leader = self.plays[0].seat if self.plays else 0
        tricks = [self.plays[start : start + PLAYERS] for start in range(0, len(self.plays), PLAYERS)]
        ordered = [play for trick in tricks for play in sorted(trick, key=lambda play: (play.seat - leader) % PLAYERS)]
        return Board(
            number,
            names,
            (self.dealer - north) % PLAYERS,
            vulnerable,
            tuple(_sorted(hands[(north + seat) % PLAYERS]) for seat in range(PLAYERS)),
            tuple(_CALLS.get(word, word.upper()) for _, word in self.auction.calls),
            tuple(((play.seat - north) % PLAYERS, play.card) for play in ordered),
            None if contract is None else (contract.declarer - north) % PLAYERS,
            written,
            None if contract is None else result,
            scoring,
            event,
            date,
        )


def _sorted(cards: Sequence[Card] | None) -> tuple[Card, ...] | None:
    """Return the cards in the order in which a hand is written."""
    if cards is None:
        return None
    return tuple(sorted(cards, key=lambda card: (SUITS.index(card.suit), RANKS_DOWN.index(card.rank))))


# Boards as records


def record_of(board: Board) -> tuple[Header, list[Action]]:
    """Return the record of a board as duplicate of one board; seat 0 is North.

    Tricks that were not played are claimed by the declarer if the result is known, and accepted. The hands are named
    unless a card that was played revokes. Raises `PbnError` if the rules refuse a call or a card of the board.
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
    contract = _contract(board)
    if contract is None or table.question.phase != "play":
        return
    won = yield from _plays(board, contract)
    played, declarer = len(board.plays) // PLAYERS, contract.declarer
    if board.result is not None and board.plays and played < HAND and 0 <= board.result - won <= HAND - played:
        yield Action("say", declarer, word="claim")
        yield Action("say", declarer, word=str(board.result - won))
        for opponent in ((declarer + 1) % PLAYERS, (declarer + 3) % PLAYERS):
            yield Action("say", opponent, word="accept")


def _plays(board: Board, contract: Contract) -> Generator[Action, None, int]:
    """Yield the plays, with the dummy's hand after the first one; return the tricks of the declarer's side."""
    dummy, trump = (contract.declarer + 2) % PLAYERS, None if contract.strain == "nt" else contract.strain.upper()
    tricks = [dict(board.plays[start : start + PLAYERS]) for start in range(0, len(board.plays), PLAYERS)]
    leader, won = (contract.declarer + 1) % PLAYERS, 0
    for number, cards in enumerate(tricks):
        trick = Trick(leader, PLAYERS, trump)
        while not trick.complete and trick.turn in cards:
            seat = trick.turn
            trick.add(cards[seat])
            yield Action("play", seat, cards[seat])
            if number == 0 and seat == leader:
                for card in board.hands[dummy] or ():
                    yield Action("expose", dummy, card)
        if len(trick.plays) < len(cards):
            raise PbnError(text("board {number}: a trick lacks a card before one that was played", number=board.number))
        leader = trick.winner
        won += trick.complete and leader % 2 == contract.declarer % 2
    return won


def _contract(board: Board) -> Contract | None:
    auction = Auction([word.name for word in BIDS], board.dealer, lambda seat: seat % 2)
    for call in board.calls:
        auction.add(_WORDS.get(call, call.lower()))
    return auction.contract() if auction.over else None
