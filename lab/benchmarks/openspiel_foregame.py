"""The first thirteen tricks of German whist in OpenSpiel's own program, built from `lab/benchmarks/foregame/`."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from engine.cards import Card

PROGRAM: Final = Path(__file__).parents[2] / "build" / "foregame" / "foregame"
CARDS: Final = [Card(rank, suit) for suit in "CDHS" for rank in ("A", "K", "Q", "J", *map(str, range(10, 1, -1)))]
"""The card of each of OpenSpiel's actions."""
OVER: Final = -4


class Foregame(AbstractContextManager["Foregame"]):
    """The program, to be used in a `with` statement. `player`: 0 or 1, who leads first; -1 if a card is to be dealt.

    `legal`: the cards that may be played or dealt now.
    """

    def __init__(self, program: Path = PROGRAM) -> None:
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.player = OVER
        self.legal: set[Card] = set()

    def __exit__(self, *error: object) -> None:
        self._process.communicate()

    @property
    def over(self) -> bool:
        """Whether the stock is exhausted."""
        return self.player == OVER

    def deal(self, first: Sequence[Card], second: Sequence[Card], turned: Card) -> None:
        """Begin a deal with the hands of the leader and of the other player, and turn the next card up."""
        self._send("new")
        for cards in zip(first, second, strict=True):
            for card in cards:
                self.next(card)
        self.next(turned)

    def next(self, card: Card) -> None:
        """Play or deal `card`, one of `legal`."""
        self._send(str(CARDS.index(card)))

    def _send(self, line: str) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        player, *legal = map(int, self._process.stdout.readline().split())
        self.player, self.legal = player, {CARDS[number] for number in legal}
