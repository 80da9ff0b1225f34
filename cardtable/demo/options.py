"""The options of both demos, with a camera and with RFID readers."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cardtable.board.screen_parts import Tally
from cardtable.board.screen_result import Result
from cardtable.board.snapshot import Snapshot
from cardtable.config.model import BoardConfig
from cardtable.languages import translator
from cardtable.play.ending import result_of
from cardtable.play.journal import Journal
from cardtable.play.session import Session
from cardtable.play.trace import Trace
from cardtable.simulation.source import Setting
from cardtable.terminal.keys import any_key
from cardtable.terminal.output import say
from cardtable.terminal.progress import doing, doing_nothing
from engine.actions import Action
from engine.texts import Text, plural, text

_RESULT_S: Final = 20.0
"""Seconds for which the board shows the end of a game without a keyboard to end it."""


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """A demo to play.

    `journal` has begun or resumed the game; `past` are its actions so far. `board`: where to serve the board; None for
    no board. `fast`: no pauses. `language`: of the board and the displays. `trace`: where observations and their
    effects are written.
    """

    setting: Setting
    journal: Journal
    past: Sequence[Action]
    board: BoardConfig | None
    fast: bool
    language: str
    trace: Trace | None = None

    @property
    def standing(self) -> list[Action]:
        """The actions of `past` without undos and the actions that they took back."""
        out: list[Action] = []
        for action in self.past:
            if action.do == "undo":
                out.pop()
            else:
                out.append(action)
        return out

    def announce(self, session: Session) -> None:
        """Print to standard error whether a game is continued, the address of the board, and how far the game is."""
        if self.past:
            say(text("continuing the interrupted game, {past} actions so far", past=len(self.past)), sys.stderr)
        if session.board:
            say(text("the board: {url}", url=session.board.url), sys.stderr)

        def played() -> Text:
            count = len(session.controller.table.actions)
            return plural("playing: {count} action so far", "playing: {count} actions so far", count)

        doing(played)

    def result_of(self, shown: Snapshot) -> Result | None:
        """Return what the board shows of the game when it is over: who won, and what decided it."""
        number = self.journal.number
        if number is None:
            return None
        entry = next(entry for entry in reversed(self.journal.games.entries()) if entry.id == number)
        seconds = (entry.ended or entry.started) - entry.started
        tally: Tally = {"games": 0, "players": []}
        return result_of(shown, self.setting.header, number, seconds, tally, translator(self.language), choices=False)

    def show_result(self, session: Session) -> None:
        """Keep the board with the end of the game until a key is pressed; without a terminal, for some seconds.

        Return at once without a board, and with `fast` if no key can be pressed.
        """
        doing_nothing()
        if session.board is None:
            return
        with any_key(_keyboard()) as pressed:
            if pressed is not None:
                say(text("the game is over; the board stays open: press any key to end"), sys.stderr)
                session.run(until=pressed)
            elif not self.fast:
                end = time.monotonic() + _RESULT_S
                session.run(until=lambda: time.monotonic() > end)


def _keyboard() -> int:
    """Return the descriptor of standard input; -1 without one."""
    try:
        return sys.stdin.fileno()
    except (AttributeError, ValueError):  # closed, or replaced by an object without one
        return -1
