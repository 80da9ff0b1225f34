"""The simulated table as a source of frames."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Final
from urllib.parse import parse_qsl

from cardtable.errors import UsageError, suggestion
from cardtable.simulation.all_fives import AllFives
from cardtable.simulation.director import Board, Director, GaveUp
from cardtable.simulation.pace import FAST, FPS, HUMAN
from cardtable.simulation.stage import Piece, Stage
from cardtable.simulation.textures import MARKS, Marks
from engine.actions import Action
from engine.games import load_game
from engine.prompts import Prompt
from engine.record import Header
from engine.views import View
from vision.frames import Frame
from vision.mat import lay_out

NAMES: Final = ("Ann", "Bo", "Cy")
ROBOTS: Final = {"all-fives": AllFives}
"""The games that robots can play."""


class SyntheticSource:
    """Frames of robots that play one whole game on a mat. See `vision.frames.FrameSource`.

    `already`: what an unfinished record of the same game (players, seed, marks) holds; the robots go on from there.
    `wait_until`: called before each frame with its time, for a table that plays at the pace of a clock.
    Raises `UsageError` where nobody plays this game.
    """

    live = False

    def __init__(
        self,
        game: str = "all-fives",
        players: int = 2,
        seed: int = 1,
        marks: Marks = "faces",
        *,
        fast: bool = True,
        already: Sequence[Action] = (),
        wait_until: Callable[[float], None] | None = None,
    ) -> None:
        if game not in ROBOTS:
            raise UsageError(f"the simulated table plays {', '.join(ROBOTS)}, not {game!r}")
        kind = load_game(game)
        if players not in kind.seats or players > len(NAMES):
            raise UsageError(f"{kind.title} is for {kind.seats[0]} to {kind.seats[-1]} players, not {players}")
        self.name: Final = f"synthetic:{game}?players={players}&seed={seed}&marks={marks}"
        self.header: Final = Header(game, NAMES[:players])
        self.mat: Final = lay_out(players, kind.zones)
        self.stage: Final = Stage(self.mat, marks, FAST if fast else HUMAN, seed)
        # The game and the way in which cards lie have each their own chance: what is laid again changes no card.
        self._robots = ROBOTS[game](self.header, random.Random(f"{game} {players} {seed}"))
        self._director = Director(self.stage, self._robots.acts(), random.Random(f"places {seed}"), already)
        self._steps: Iterator[None] | None = self._director.run()
        self._wait_until = wait_until
        self._number = 0
        self.gave_up: str | None = None
        """Why the robots broke off, where they did."""

    def watch(self, view: Callable[[], View], prompts: Callable[[], tuple[Prompt, ...]]) -> None:
        """What the board shows, for the robots to read; without it they play on at their own pace."""
        self._director.board = Board(view, prompts)

    def read(self) -> Frame | None:
        """The next frame; None when the game is over and the cards have been gathered."""
        if self._steps is None:
            return None
        time = self._number / FPS
        if self._wait_until is not None:
            self._wait_until(time)
        try:
            next(self._steps)
        except StopIteration:
            self._steps = None
            return None
        except GaveUp as reason:
            self._steps, self.gave_up = None, str(reason)
            return None
        frame = Frame(self.stage.frame(time), time, self._number)
        self._number += 1
        return frame

    def close(self) -> None:
        """The robots go home."""
        self._steps = None

    @property
    def done(self) -> tuple[Action, ...]:
        """What the robots have really done so far, as actions of the game."""
        return tuple(self._director.done)

    @property
    def laid(self) -> tuple[Piece, ...]:
        """Every card that was laid face up in this run, in order, one entry each time that it was laid."""
        return tuple(piece for piece in self.stage.pieces if piece.face is not None)

    @property
    def laid_again(self) -> int:
        """How often a card had to be taken up and laid again."""
        return self._director.laid_again


def open_synthetic(spec: str) -> SyntheticSource:
    """The source that `all-fives?players=2&seed=7&marks=faces` names; everything after the game may be left out.

    `pace=fast|human`. Raises `UsageError`, which says what would be right.
    """
    game, _, query = spec.partition("?")
    keys = ("players", "seed", "marks", "pace")
    try:
        given = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
    except ValueError:
        raise UsageError(f"synthetic:{spec}: write it like synthetic:all-fives?players=2&seed=7&marks=faces") from None
    for key in given:
        if key not in keys:
            raise UsageError(f"synthetic:{spec}: there is no {key!r}{suggestion(key, keys)}")
    marks = next((known for known in MARKS if known == given.get("marks", "faces")), None)
    if marks is None:
        raise UsageError(f"synthetic:{spec}: marks is one of {', '.join(MARKS)}")
    pace = given.get("pace", "fast")
    if pace not in ("fast", "human"):
        raise UsageError(f"synthetic:{spec}: pace is fast or human")
    numbers = {}
    for key, usual in (("players", "2"), ("seed", "1")):
        text = given.get(key, usual)
        if not text.isdecimal():
            raise UsageError(f"synthetic:{spec}: {key} is a whole number")
        numbers[key] = int(text)
    return SyntheticSource(game or "all-fives", numbers["players"], numbers["seed"], marks, fast=pace == "fast")
