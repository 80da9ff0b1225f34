"""Described games compared with the same games in Python: `python -m lab.benchmarks.described --games N --seed S`.

Random games with all hands known. Before every action the turn and the legal actions must agree, after it the scores;
at the end the winners. The exit status is 1 at the first difference.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from cardtable.config.load import read_game
from engine.actions import Action
from engine.cards import Card
from engine.games import add_game, load_game
from engine.record import Header
from engine.rules.offers import Deal, Discard
from engine.table import Table
from lab.benchmarks.agreement import Differs, agree

FOLDER: Final = Path(__file__).parent / "descriptions"
NAMES: Final = ("North", "East", "South", "West", "Ed", "Flo", "Gus")
LISTED: Final = ("play", "say", "withdraw", "gather")
OPTIONS: Final[Mapping[str, Mapping[str, object]]] = {
    "all-fives": {},
    "hearts": {"passing": "left"},
    "oh-hell": {},
    "whist": {},
}
"""By game: the options of the game in Python with which its description agrees."""


def described(game: str) -> str:
    """Add the description of `game`, and return its name."""
    kind = read_game(FOLDER / f"described-{game}.toml")
    add_game(kind)
    return kind.name


def play(game: str, seed: int) -> int:
    """Play the game of this seed on both sides. Return the number of actions. Raises `Differs`."""
    return _Game(game, described(game), seed).play()


class _Game:
    """One game, played in Python (`ours`) and from the description (`theirs`)."""

    def __init__(self, game: str, name: str, seed: int) -> None:
        self._rng = random.Random(seed)
        count = self._rng.choice(list(load_game(name).seats))
        dealer = self._rng.randrange(count)
        self.ours = Table(Header(game, NAMES[:count], dealer, OPTIONS[game]))
        self.theirs = Table(Header(name, NAMES[:count], dealer))
        self._stock: list[Card] = []
        self._last: Card | None = None

    def play(self) -> int:
        """Play to the end; return the number of actions."""
        while not self.ours.over:
            action = self._choose(self._compare())
            self.ours.do(action)
            self.theirs.do(action)
            agree("scores", self.theirs.scores, self.ours.scores, self.ours)
        agree("winners", self.theirs.winners, self.ours.winners, self.ours)
        return len(self.ours.actions)

    def _compare(self) -> list[Action]:
        """Return the legal actions of those kinds that can be listed, which must be the same on both sides."""
        agree("turn", self.theirs.turn, self.ours.turn, self.ours)
        legal = _legal(self.ours)
        agree("legal actions", {*_legal(self.theirs)}, {*legal}, self.ours)
        return legal

    def _choose(self, legal: list[Action]) -> Action:
        """Return the next action: all cards are dealt and passed by name, then a random legal action follows."""
        offers = self.ours.question.offers
        deal, discard = offers.get("deal"), offers.get("discard")
        if isinstance(deal, Deal) and deal.seats:
            return self._deal(deal)
        if "turn" in offers:
            return Action("turn", card=self._stock[-1] if self._stock else self._last)
        if isinstance(discard, Discard) and discard.seats:
            seat = discard.seats[0]
            held = list(self.ours.view(seat).hands[seat].cards)
            return Action("discard", seat, cards=tuple(self._rng.sample(held, discard.count)))
        return self._rng.choice([each for each in legal if each.do in ("play", "say")])

    def _deal(self, deal: Deal) -> Action:
        if len(deal.seats) == len(self.ours.view().players):
            self._stock = sorted(deal.game.pack.unaccounted(), key=str)  # some are dealt if the cards are run
            self._rng.shuffle(self._stock)
        cards = tuple(self._stock.pop() for _ in range(deal.counts[deal.seats[0]]))
        if deal.seats[0] == self.ours.view().dealer:
            self._last = cards[-1]
        return Action("deal", deal.seats[0], cards=cards)


def _legal(table: Table) -> list[Action]:
    return [action for action in table.legal_actions() if action.do in LISTED]


def main(argv: Sequence[str] = ()) -> int:
    """Compare all games, or the one that is named. Return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.described", description=__doc__)
    parser.add_argument("game", nargs="?", choices=sorted(OPTIONS))
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(list(argv))
    for game in [asked.game] if asked.game else sorted(OPTIONS):
        begin, actions = time.perf_counter(), 0
        for number in range(asked.games):
            try:
                actions += play(game, asked.seed * 1_000_003 + number)
            except Differs as difference:
                print(f"{game}, --seed {asked.seed}, game {number}: {difference}")
                return 1
        took = time.perf_counter() - begin
        print(f"{game}: {asked.games:,} games, {actions:,} actions, no difference, {took:.0f} s (--seed {asked.seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
