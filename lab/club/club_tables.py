"""The playing tables of a club: `python -m lab.club.club_tables FOLDER PORT FIRST COUNT SECONDS RATE SEED OFF`.

Each has its own journal, which it fills with random legal games of cribbage, and the connection of a real table. Every
second one knows the hands, as with readers; the others see what is laid, as a camera does. Their clocks are OFF seconds
ahead. After a kill, the same call goes on with the same journals. It ends when everything is acknowledged, or after
`WAIT_S`. The times of the scores are in `scores-PROCESS.txt` (`lab.club.club_wall`).
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from cardtable.journal.journal import Journal
from cardtable_club.config import ClubConfig
from cardtable_club.member.link import Link
from engine.actions import Action
from engine.record import Header
from engine.table import Table
from tests.cardtable.stored import append

CLUB = "bench"
WAIT_S = 400.0
UNDO = 0.05
"""Probability that an action is taken back."""


class PlayingTable:
    """The table with this number: its journal in `folder`, its game, and its connection to the broker at `port`."""

    def __init__(self, folder: Path, port: int, number: int, seed: int, scores: TextIO, off: float = 0.0) -> None:
        self._scores = scores
        self._written: tuple[int, ...] = ()
        self.name = f"table-{number}"
        self._knows_hands = number % 2 == 1
        self._chance = random.Random(seed * 10_000 + number)
        self.journal = Journal(folder / f"{self.name}.sqlite", lambda: time.time() + off)
        self._table: Table | None = None
        last = self.journal.last()
        if last is not None and not last.over:
            self.journal.resume(last.id)
            self._table = Table(last.header)
            for action in last.actions:
                self._table.do(action)
        config = ClubConfig(name=CLUB, table=self.name, port=port)
        self.link = Link(config, self.journal.path, lambda: self.journal.number).start()

    def act(self) -> None:
        """Play one action, or begin another game if this one is over or needs hands that are not known."""
        table = self._table
        legal = [] if table is None else self._legal(table)
        if table is None or not legal:
            self.journal.put_down()
            header = Header("cribbage", (f"{self.name}-A", f"{self.name}-B"), self._chance.randrange(2))
            self.journal.begin(header)
            self._table = Table(header)
            self._note((0, 0))
            return
        undo = table.actions and self._chance.random() < UNDO
        action = Action("undo") if undo else self._chance.choice(legal)
        table.do(action)
        append(self.journal, [action], over=table.over)
        self._note(table.scores)
        self._show(table)

    def _legal(self, table: Table) -> list[Action]:
        """Return the possible actions: hands are dealt to a table that knows them; at another, discards are unseen."""
        offer: Any = table.question.offers.get("deal")
        if self._knows_hands and offer is not None and offer.seats:
            cards = self._chance.sample([*offer.game.pack.unaccounted()], offer.counts[offer.seats[0]])
            return [Action("deal", offer.seats[0], cards=tuple(cards))]
        legal = table.legal_actions()
        return (
            legal
            if self._knows_hands
            else [replace(each, cards=None) if each.do == "discard" else each for each in legal]
        )

    def _show(self, table: Table) -> None:
        """Send the part of the board's state that the hub reads."""
        view = table.view()
        seats = [{"name": name, "score": score} for name, score in zip(view.players, view.scores, strict=True)]
        about = {"game": view.game, "sides": len(seats), "winners": view.winners, "over": view.over}
        self.link.show(json.dumps({"screen": "game", "seats": seats, **about}))

    def _note(self, scores: Sequence[int]) -> None:
        """Write when these scores were committed, if they have changed."""
        if (found := tuple(scores)) != self._written:
            self._written = found
            print(time.monotonic(), self.name, *found, file=self._scores, flush=True)


def main() -> None:
    """Play as the arguments say."""
    folder, port, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    seconds, rate, seed, off = float(sys.argv[5]), float(sys.argv[6]), int(sys.argv[7]), float(sys.argv[8])
    scores = (folder / f"scores-{os.getpid()}.txt").open("w")
    tables = [PlayingTable(folder, port, number, seed, scores, off) for number in range(first, first + count)]
    began = time.monotonic()
    played = 0
    while (now := time.monotonic() - began) < seconds:
        tables[played % count].act()
        played += 1
        time.sleep(max(played / (rate * count) - now, 0.0))
    for table in tables:
        table.journal.put_down()  # the hands of a game that has just ended may leave the table now
    until = time.monotonic() + WAIT_S
    while any(table.link.waiting or not table.link.connected for table in tables) and time.monotonic() < until:
        time.sleep(0.05)
    print(f"{time.process_time() / (count * (time.monotonic() - began))} ", end="")
    print(f"{time.monotonic() - began - seconds:.1f}", flush=True)
    for table in tables:
        table.link.close()
        table.journal.close()
    scores.close()


if __name__ == "__main__":
    main()
