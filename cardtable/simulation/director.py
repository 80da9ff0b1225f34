"""The director: lets the people at the simulated table do one act after another.

They see what people see: the cards before them, and the board. Nobody goes on before the board shows what was done;
if it does not, or asks for the card to be laid again, the card is taken up and laid a bit elsewhere.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from cardtable.simulation import movements
from cardtable.simulation.acts import Act, Face, agree
from cardtable.simulation.places import Place, pile, somewhere
from cardtable.simulation.stage import Movement, Piece, Stage
from engine.actions import Action
from engine.observations import Zone
from engine.prompts import Prompt
from engine.views import View

LAY_AGAIN: Final = ("unreadable", "outside")
"""The prompts that ask somebody to lay his card again."""
TRIES: Final = 8
"""After so many tries the people give up."""
_QUIET_FRAMES: Final = 6
"""Without a board people look at the card laid for so long, and go on."""
_PROMPT_FRAMES: Final = 12
_WAIT: Final = 8
"""Where nothing can be laid again (cards taken away) people wait so many times longer."""


@dataclass(eq=False, slots=True)
class Board:
    """What everybody at the table can read: `view` and `prompts` give what the board shows now."""

    view: Callable[[], View]
    prompts: Callable[[], tuple[Prompt, ...]]


class GaveUp(Exception):
    """The board does not show what was done, however often it is done again; the message says what."""


@dataclass(eq=False)
class Director:
    """Runs `acts` on `stage`; `run` is advanced once for each frame.

    `already`: what the record of an unfinished game holds; acts that led to it are passed over. `done`: the actions
    that were really done, in order. `laid_again`: how many cards had to be laid again.
    """

    stage: Stage
    acts: Iterator[Act]
    rng: random.Random
    already: Sequence[Action] = ()
    board: Board | None = None
    done: list[Action] = field(default_factory=list)
    laid_again: int = 0

    def run(self) -> Iterator[None]:
        """Everything that happens, a step for each frame. Raises `GaveUp`."""
        self._lying: dict[tuple[Face, Zone], Piece] = {}
        self._emptied: dict[Zone, float] = {}
        self._pack = pile(self.stage.mat, self.stage.mat.areas, self.rng)
        for _ in range(4):
            x, y = self._pack.at
            at = (x + self.rng.gauss(0, 0.6), y + self.rng.gauss(0, 0.6))
            self.stage.put(self.stage.card(None, 0, Place(at, self._pack.angle + self.rng.gauss(0, 1.2), None)))
        rest = self._catch_up()
        yield from self._frames(self.stage.pace.away)
        for act in rest:
            yield from self._perform(act)
            if act.action:
                self.done.append(act.action)
        while self.stage.busy():
            yield
        yield from self._frames(self.stage.pace.away)

    # A game that was broken off

    def _catch_up(self) -> Iterator[Act]:
        """Lay out what lies after the actions of `already`; the acts that are still to do."""
        table: dict[tuple[Face, Zone], int] = {}
        waiting: list[Act] = []
        for act in self.acts:
            if act.action and not self._stored(act.action):
                waiting.append(act)
                break
            waiting.append(act)
            if act.action:
                self.done.append(act.action)
                for earlier in waiting:
                    _imagine(earlier, table)
                waiting = []
        while waiting and waiting[0].tidy:
            _imagine(waiting.pop(0), table)
        for (face, zone), seat in table.items():
            self._put(face, zone, seat)
        return _chain(waiting, self.acts)

    def _stored(self, action: Action) -> bool:
        """Whether the record goes on with `action`; a card that was taken up and laid again is passed over."""
        while True:
            ahead = self.already[len(self.done) :]
            again = Action("withdraw", seat=action.seat, card=action.card)
            if action.do == "play" and ahead[:3] == (action, again, action):
                self.done += ahead[:2]
                continue
            return ahead[:1] == (action,)

    def _put(self, face: Face, zone: Zone, seat: int) -> None:
        piece = self._piece(face, zone, seat)
        self._lying[face, zone] = piece
        self.stage.put(piece)

    # One act

    def _perform(self, act: Act) -> Iterator[None]:
        stage, zone = self.stage, act.to or act.zone
        if act.kind == "deal":
            if stage.pace.deals:
                yield from self._deal(act.seat)
            return
        while stage.busy(act.seat):
            yield
        low, high = stage.pace.pause
        yield from self._frames(self.rng.randint(low, high) if not act.tidy else 0)
        if act.kind in ("lay", "move"):
            assert act.face is not None and zone is not None
            yield from self._until_empty(zone)
            piece = self._piece(act.face, zone, act.seat)
            if act.kind == "move" and act.zone:
                movement = movements.move(stage, self._lying.pop((act.face, act.zone)), piece)
                self._emptied[act.zone] = stage.time
            else:
                movement = movements.lay(stage, piece)
            self._lying[act.face, zone] = piece
            yield from self._move(movement, act.seat, lambda: piece.laid is not None)
            if act.expect:
                yield from self._until_seen(act, piece)
        else:
            yield from self._take_away(act)

    def _take_away(self, act: Act) -> Iterator[None]:
        stage = self.stage
        named = act.faces if act.kind == "sweep" else ((act.face, act.zone),)
        pieces = [self._lying.pop((face, zone)) for face, zone in named if face and zone]
        pieces.sort(key=stage.pieces.index)
        movement = movements.sweep(stage, act.seat, pieces) if act.kind == "sweep" else movements.lift(stage, pieces[0])
        if act.tidy:
            stage.start(movement, act.seat)
        else:
            yield from self._move(movement, act.seat, lambda: all(piece.lifted is not None for piece in pieces))
        for piece in pieces:
            if piece.place.zone:
                self._emptied[piece.place.zone] = math.inf if act.tidy else stage.time
        if act.tidy:
            self._gone = [*getattr(self, "_gone", []), *pieces]
        elif act.expect:
            yield from self._until_gone(act)
        else:
            yield from self._frames(stage.pace.away)
