"""One game of the real program in many lives: it is started, watched by a page, ended, and started again."""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cardtable.simulation.source import Setting, marks_for
from engine.actions import Action
from engine.games import HOUSE, load_game
from lab.torture.faults import Faults
from lab.torture.pages import Page, State, game_shown
from lab.torture.programs import Program, Programs, StillRuns
from lab.torture.stored import differs_from_shown, first_difference, is_whole, stored_actions, truth

GAMES: Final = tuple(HOUSE)
NO_PICTURES: Final = "no_pictures"
BACK_S: Final = 3.0
"""Processor seconds within which a restarted program must show the board."""
_STUCK_S: Final = 240.0
"""Wall-clock seconds without an action after which a game counts as stuck, on a busy machine."""
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass
class Tally:
    """What the lives of several games measured. `back`: wall seconds from each start to the first state."""

    lives: int = 0
    killed: int = 0
    games: int = 0
    actions: int = 0
    states: int = 0
    back: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def note(self) -> str:
        """The measurements, for the table."""
        if not self.back:
            return f"{self.games} games finished"
        half, most = statistics.median(self.back), max(self.back)
        return (
            f"{self.games} games finished, {self.actions:,} actions; back after {half:.1f} s, at most {most:.1f} s "
            f"({max(self.work):.1f} s of the processor)"
        )


class Table:
    """A game on the simulated table in `folder`.

    `readers`: RFID readers instead of a camera. `drawn`: with pictures.
    """

    def __init__(
        self, programs: Programs, folder: Path, game: str, seed: int, readers: bool = False, drawn: bool = False
    ) -> None:
        self.programs: Final = programs
        self.folder: Final = folder
        self.readers: Final = readers
        self.drawn: Final = drawn
        marks = "aruco" if drawn and not readers else marks_for(game)
        self.setting: Final = Setting(game, load_game(game).seats[0], seed, marks, "fast")
        self.truth: Final = truth(self.setting, readers)
        self.journal: Final = folder / "cardtable" / f"demo-{self.setting.name}.sqlite"
        self.slow: Final = folder / "slow"
        """While this file exists, the players wait."""
        self.last: State | None = None
        """The last state that the page was shown in the previous life."""
        self._control = 0
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def name(self) -> str:
        """A name for messages."""
        return f"{self.setting.name}{' (readers)' if self.readers else ''}{' (pictures)' if self.drawn else ''}"

    @property
    def arguments(self) -> Sequence[str]:
        """The command line."""
        out = ["demo", "--fast", "--whole", "--json", "--port", "0", "--game", self.setting.game]
        out += ["--players", str(self.setting.players), "--seed", str(self.setting.seed), "--marks", self.setting.marks]
        return [*out, "--reader", "simavr"] if self.readers else out

    def faults(self, match: str = ".sqlite", log: Path | None = None) -> Faults:
        """Return new faults for the files of the journal."""
        self._control += 1
        return Faults(self.folder / f"control-{self._control}", match, log)

    def start(self, faults: Faults | None = None, fps: int = 0) -> Program:
        """Start the program. `fps`: most frames of the table per second of real time; 0 for no limit."""
        environment = {"XDG_STATE_HOME": str(self.folder), "TORTURE_FPS": str(fps), "TORTURE_SLOW": str(self.slow)}
        world = "" if self.drawn else NO_PICTURES
        return self.programs.start(self.arguments, environment, faults.path if faults else None, world)

    def stored(self) -> list[Action]:
        """Return the actions stored, read with plain SQLite. Raises `AssertionError` for a damaged journal."""
        return stored_actions(self.journal)

    def wrong_with_record(self) -> str | None:
        """Return how the record differs from what the robots have done so far; None if it does not."""
        try:
            return first_difference(self.stored(), self.truth)
        except AssertionError as error:
            return str(error)

    def wrong_at_end(self, program: Program, status: int) -> str | None:
        """Return what is wrong with a program that has ended by itself: the game must be over, the record right."""
        if status != 0:
            return f"it ended with {status}: {_last_line(program.errors)}; {_last_line(program.printed)}"
        if "Traceback" in program.errors:
            return f"a traceback: {_last_line(program.errors)}"
        if wrong := self.wrong_with_record():
            return wrong
        return None if is_whole(self.stored(), self.truth) else f"the record ends after {len(self.stored())} actions"


def live(table: Table, tally: Tally, faults: Faults | None, seconds: float | None, actions: int | None = None) -> bool:
    """Run one life; return whether the game is over.

    It is ended by `faults`, killed after `seconds` or after this many `actions`, or else runs to the end. What was
    shown is compared with what is stored, and the first state with the last one of the previous life.
    """
    before = table.stored()
    program = table.start(faults)
    end = program.begun + seconds if seconds is not None else None
    page: Page | None = None
    tally.lives += 1
    try:
        if url := _url(program, end):
            page = Page(url)
            first = page.wait_for_first(_left(end, 20.0))
            if first is not None and page.first_at is not None:
                _note_return(table, tally, program, page.first_at, before, page)
        status = program.status(_left(end, _STUCK_S)) if end is not None else _end_of_game(program, page, actions)
        if status is None:
            status = program.kill()
    finally:
        program.kill()
        if page:
            table.last = page.close()
            tally.states += page.shown
    stored = table.stored()
    tally.actions += max(len(stored) - len(before), 0)
    where = f"{table.name}, life {tally.lives}"
    if table.last is not None and (wrong := differs_from_shown(table.last, stored, table.setting)):
        tally.failures.append(f"{where}: {wrong}")
    if len(stored) < len(before) or stored[: len(before)] != before:
        tally.failures.append(f"{where}: the record of {len(before)} actions has changed")
    if status == -9:
        tally.killed += 1
        if wrong := table.wrong_with_record():
            tally.failures.append(f"{where}: {wrong}")
        over = is_whole(stored, table.truth)  # killed after its last action: the next start would begin another game
        tally.games += over
        return over
    if wrong := table.wrong_at_end(program, status):
        tally.failures.append(f"{where}: {wrong}")
    tally.games += 1
    return True


def _end_of_game(program: Program, page: Page | None, most: int | None) -> int | None:
    """Return the exit status of a program that plays to the end of its game; None at `most` actions.

    Raises `StillRuns` if it stops playing.
    """
    actions, changed = 0, time.monotonic()
    while (status := program.status(1.0)) is None:
        if page and page.last and page.last["n"] != actions:
            actions, changed = page.last["n"], time.monotonic()
            if most is not None and actions >= most:
                return None
        elif time.monotonic() - changed > _STUCK_S:
            raise StillRuns(f"the game stopped after {actions} actions: {_last_line(program.errors)}")
    return status


def _note_return(table: Table, tally: Tally, program: Program, at: float, before: Sequence[Action], page: Page) -> None:
    """Measure how long the start took; compare the first state with the journal, and with the last one before."""
    tally.back.append(at - program.begun)
    work = _processor_seconds(program.pid)
    tally.work.append(min(work, tally.back[-1]))
    if tally.work[-1] > BACK_S:
        tally.failures.append(f"{table.name}, life {tally.lives}: back after {tally.back[-1]:.1f} s")
    first = page.first
    if first is None:
        return
    if first["n"] < len(before):
        tally.failures.append(f"{table.name}, life {tally.lives}: {len(before)} stored, back with {first['n']}")
    if table.last is not None and first["n"] == table.last["n"] and game_shown(first) != game_shown(table.last):
        keys = [key for key, value in game_shown(first).items() if game_shown(table.last)[key] != value]
        tally.failures.append(f"{table.name}, life {tally.lives}: back with other {', '.join(keys)}")


def _processor_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _url(program: Program, end: float | None) -> str | None:
    """Return the board's address; None if the program ends, or its time to be killed comes, before it has one."""
    while True:
        if url := program.url:
            return url
        if end is not None and time.monotonic() >= end:
            return None
        if program.status(min(0.005, _left(end, 0.005))) is not None:
            return program.url


def _left(end: float | None, most: float) -> float:
    return most if end is None else min(max(end - time.monotonic(), 0.0), most)


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "(nothing)")


def shortest(game: str, rng: random.Random) -> int:
    """Return a seed for the robots: among several, the one with the shortest game."""
    seeds = [rng.randrange(1, 100_000) for _ in range(6)]
    return min(
        seeds, key=lambda seed: len(truth(Setting(game, load_game(game).seats[0], seed, marks_for(game), "fast")))
    )


def page_of(program: Program, within: float = 20.0) -> Page | None:
    """Return a page of the program's board as soon as it has an address; None if the program ends before."""
    end = time.monotonic() + within
    while program.url is None and time.monotonic() < end and program.status(0.003) is None:
        pass
    return Page(program.url) if program.url else None
