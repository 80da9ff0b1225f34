"""The files of the International Skat Server (ISS): games of Skat in a form of SGF, each in a line of its own.

`P0` to `P2` are forehand, middlehand and rearhand, `MV` the deal and the moves, `R` the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.errors import HeaderError, Refused
from engine.formats.board import Fault, card_of
from engine.games.skat import DEALT, SKAT, Skat
from engine.record import Header
from engine.table import Table
from engine.texts import text

PLAYERS: Final = 3
FACE_DOWN: Final = "w"
"""Who moves if it is no player: the server deals and shows the skat."""
_PROPERTY: Final = re.compile(r"(?P<game>\(;)|([A-Z][A-Z0-9]?)\[([^\[\]]*+)\]")
_GAME: Final = re.compile(r"([CSHDGN])([HOSZ]*)((?:\.[CSHD][789TJQKA])*)", re.ASCII)
_GAMES: Final = {"C": "club", "S": "spade", "H": "heart", "D": "diamond", "G": "grand", "N": "null"}
_LEVELS: Final = {"O": "ouvert", "Z": "schwarz", "S": "schneider"}
"""What is announced, the highest first: it includes those after it."""
_BIDS: Final = {"y": "hold", "p": "pass"}
_DECLARER: Final = re.compile(r"\bd:([012])\b", re.ASCII)
_VALUE: Final = re.compile(r"\bv:(-?\d{1,4})\b", re.ASCII)


@dataclass(frozen=True, slots=True)
class SkatGame:
    """One game. `number`: its place in the file. `names`: forehand, middlehand and rearhand.

    `moves`: pairs of a seat, or `w`, and what it does. `scores`: by seat, what the game scored; None if it was broken
    off. `line`: its line in the file.
    """

    number: int
    names: tuple[str, ...]
    moves: tuple[tuple[str, str], ...]
    scores: tuple[int, ...] | None
    line: int
    faults: tuple[Fault, ...] = ()

    def record(self) -> tuple[Header, list[Action]]:
        """Return the record of the game, which rearhand deals. A game that a player resigned ends with its last card.

        Raises `Fault` if the rules refuse a move.
        """
        header = Header(Skat.name, self.names, PLAYERS - 1, {"rounds": 1})
        try:
            header.check()
            table = Table(header)
            for action in self._actions(table):
                table.do(action)
        except (Refused, HeaderError) as error:
            raise Fault(str(error), self.number, self.line, "MV") from None
        return header, list(table.actions)

    def _actions(self, table: Table) -> Iterator[Action]:
        """Yield the actions. The caller does each one on `table` before it asks for the next."""
        deal = self._cards(self.moves[0][1] if self.moves else "", PLAYERS * DEALT + SKAT)
        dealt = [deal[DEALT * seat : DEALT * seat + DEALT] for seat in range(PLAYERS)]
        hands = [{*cards} for cards in dealt]
        for seat, cards in enumerate(dealt):
            yield Action("deal", seat, cards=tuple(cards))
        skat, named = deal[PLAYERS * DEALT :], ""
        taken, announced = False, ""
        for who, what in self.moves[1:]:
            if who not in ("0", "1", "2"):
                continue
            seat = int(who)
            if not named and (what in _BIDS or what.isdecimal()):
                yield Action("say", seat, word=_BIDS.get(what, what))
            elif not named and what == "s":
                yield Action("say", seat, word="take-up")
                hands[seat].update(skat)
                taken = True
            elif not named and (match := _GAME.fullmatch(what)):
                if not taken:
                    yield Action("say", seat, word="hand")
                named, announced = _GAMES[match[1]], match[2]
                if not taken or match[3]:
                    yield from self._named(seat, named, announced, match[3][1:], hands[seat], taken)
            elif named and "." in what and taken and table.phase != "play":
                yield from self._named(seat, named, announced, what, hands[seat], taken)
            elif card := card_of(what):
                yield Action("play", seat, card)

    def _named(
        self, seat: int, game: str, announced: str, written: str, hand: set[Card], taken: bool
    ) -> Iterator[Action]:
        """Yield laying cards away, announcing, naming the game, and showing the hand of an ouvert."""
        if taken:
            discards = self._cards(".".join(written.split(".")[:SKAT]), SKAT)
            hand.difference_update(discards)
            yield Action("discard", seat, cards=tuple(discards))
        if level := next((word for letter, word in _LEVELS.items() if letter in announced), None):
            yield Action("say", seat, word=level)
        yield Action("say", seat, word=game)
        if level == "ouvert":
            for card in sorted(hand, key=str):
                yield Action("expose", seat, card)

    def _cards(self, written: str, count: int) -> list[Card]:
        """Return the cards written with points between them. Raises `Fault` if there are not `count` of them."""
        cards = [card for each in written.split(".") if (card := card_of(each))]
        if len({*cards}) != count or len(written.split(".")) != count:
            reason = text("{count} cards are expected, not {written!r}", count=count, written=written[:40])
            raise Fault(reason, self.number, self.line, "MV")
        return cards


def read_iss(written: str) -> Iterator[SkatGame | Fault]:
    """Yield the games in the text of a file, in order, and what is wrong with the others."""
    said: dict[str, str] = {}
    number, line, begin, at = 0, 1, 1, 0
    for match in [*_PROPERTY.finditer(written), None]:
        if match is None or match["game"]:
            if said:
                number += 1
                yield _game(said, number, begin)
            said = {}
        if match:
            line, at = line + written.count("\n", at, match.start()), match.start()
            if match["game"]:
                begin = line
            else:
                said.setdefault(match[2], match[3])


def _game(said: dict[str, str], number: int, line: int) -> SkatGame | Fault:
    if said.get("GM", "Skat") != "Skat":
        return Fault(text("this is a game of {game}, not of Skat", game=said["GM"][:20]), number, line, "GM")
    moves = said.get("MV", "").split()
    if moves[:1] != [FACE_DOWN]:
        return Fault(text("the moves do not begin with the deal"), number, line, "MV")
    names = tuple(said.get(f"P{seat}", "").strip() or f"P{seat}" for seat in range(PLAYERS))
    result, scores = said.get("R", ""), None
    declarer, value = _DECLARER.search(result), _VALUE.search(result)
    if declarer and value:
        scores = tuple(int(value[1]) if seat == int(declarer[1]) else 0 for seat in range(PLAYERS))
    return SkatGame(number, names, tuple(pairwise(moves))[::2], scores, line)
