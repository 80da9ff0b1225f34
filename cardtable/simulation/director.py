"""The director: lets the people at the simulated table do one act after another.

They see what people see: the cards before them, and the board. Nobody goes on before the board shows what was done;
if it does not, or asks for the card to be laid again, the card is taken up and laid a bit elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from cardtable.simulation import movements
from cardtable.simulation.acts import Act, Face, agree
from cardtable.simulation.pace import FPS
from cardtable.simulation.pace import FPS
from cardtable.simulation.places import Place, pile, somewhere
from cardtable.simulation.stage import Piece, Stage
from engine.actions import Action
from engine.observations import Zone
from engine.prompts import Prompt
from engine.views import View

LAY_AGAIN: Final = ("unreadable", "outside")
"""The prompts that ask somebody to lay his card again."""
TRIES: Final = 8
"""After so many tries the people give up."""
_PROMPT_FRAMES: Final = 12
_RECENT: Final = 40
_WAIT: Final = 8
"""Where nothing can be laid again (cards taken away) people wait so many times longer."""


@dataclass(eq=False, slots=True)
class Board:
    """What everybody at the table can read: `view` and `prompts` give what the board shows now."""

    view: Callable[[], View]
    prompts: Callable[[], tuple[Prompt, ...]]


class GaveUp(Exception):
    """The board does not show what was done, however often it is done again; the message says what."""


class Director:
    """Runs `acts` on `stage`; `run` is advanced once for each frame.

    `already`: what the record of an unfinished game holds; the acts that led to it are passed over. `done`: the
    actions that were really done, in order. `laid_again`: how many cards had to be laid again.
    """

    def __init__(self, stage: Stage, acts: Iterator[Act], rng: random.Random, already: Sequence[Action] = ()) -> None:
        self.board: Board | None = None
        self.done: list[Action] = []
        self.laid_again = 0
        self._stage = stage
        self._acts = acts
        self._rng = rng
        self._already = already
        self._lying: dict[tuple[Face, Zone], Piece] = {}
        self._pack = pile(stage.mat, rng)

    def run(self) -> Iterator[None]:
        """Everything that happens, a step for each frame. Raises `GaveUp`."""
        self._lay_pack()
        rest = self._catch_up()
        yield from self._frames(self._stage.pace.away)
        for act in chain(rest, self._acts):
            yield from self._perform(act)
            if act.action:
                self.done.append(act.action)
        while self._stage.busy():
            yield
        yield from self._frames(self._stage.pace.away)

    def _lay_pack(self) -> None:
        (x, y), angle = self._pack.at, self._pack.angle
        for _ in range(4):
            at = (x + self._rng.gauss(0, 0.6), y + self._rng.gauss(0, 0.6))
            self._stage.put(self._stage.card(None, 0, Place(at, angle + self._rng.gauss(0, 1.2), None)))

    # A game that was broken off

    def _catch_up(self) -> list[Act]:
        """Pass over the acts that led to `already`, lay out what lies then; the first acts that are still to do."""
        table: dict[tuple[Face, Zone], int] = {}
        waiting: list[Act] = []
        while len(self.done) < len(self._already) and (act := next(self._acts, None)) is not None:
            waiting.append(act)
            if act.action:
                if not self._stored(act.action):
                    break
                self.done.append(act.action)
                for earlier in waiting:
                    _imagine(earlier, table)
                waiting = []
        while not waiting or waiting[-1].tidy:
            act = next(self._acts, None)
            if act is None:
                break
            waiting.append(act)
        while self.done and waiting and waiting[0].tidy:
            _imagine(waiting.pop(0), table)
        for (face, zone), seat in table.items():
            piece = self._lying[face, zone] = self._piece(face, zone, seat)
            self._stage.put(piece)
        return waiting

    def _stored(self, action: Action) -> bool:
        """Whether the record goes on with `action`; a card that was taken up and laid again is passed over."""
        again = Action("withdraw", seat=action.seat, card=action.card)
        ahead = tuple(self._already[len(self.done) : len(self.done) + 3])
        if action.do == "play" and ahead == (action, again, action):
            self.done += ahead[:2]
        return self._already[len(self.done)] == action

    # One act

    def _perform(self, act: Act) -> Iterator[None]:
        stage = self._stage
        if act.kind == "deal":
            if stage.pace.deals:
                yield from self._deal(act.seat)
            return
        while stage.busy(act.seat):
            yield
        if not act.tidy:
            yield from self._frames(self._rng.randint(*stage.pace.pause))
        if act.kind in ("lay", "move"):
            yield from self._lay(act)
        else:
            yield from self._take_away(act)

    def _lay(self, act: Act) -> Iterator[None]:
        stage, zone = self._stage, act.to or act.zone
        assert act.face is not None and act.zone is not None and zone is not None
        yield from self._until_empty(zone)
        piece = self._piece(act.face, zone, act.seat)
        if act.kind == "move":
            before = self._lying.pop((act.face, act.zone))
            before.going = True
            doing = stage.start(movements.move(stage, before, piece), act.seat)
        else:
            doing = stage.start(movements.lay(stage, piece), act.seat)
        while piece.laid is None or (act.expect is None and not doing.done):
            yield
        self._lying[act.face, zone] = piece
        if act.expect is None:
            return
        for _ in range(TRIES):
            if (yield from self._seen(act.expect, act.seat, self._stage.pace.patience)):
                return
            lifting = stage.start(movements.lift(stage, piece), act.seat)
            counted = False
            while not lifting.done:
                counted = counted or self._shows(act.expect)
                yield
            if counted and act.action and act.action.do != "play":
                return  # it was seen as the hand came: a word is said, and cannot be taken back
            if counted and act.action and act.action.card:
                self.done += (act.action, Action("withdraw", seat=act.seat, card=act.action.card))
            yield from self._until_empty(zone)
            self.laid_again += 1
            piece = self._lying[act.face, zone] = self._piece(act.face, zone, act.seat)
            doing = stage.start(movements.lay(stage, piece), act.seat)
            while piece.laid is None:
                yield
        raise GaveUp(f"the board does not take notice of {act.face} {act.zone}")

    def _take_away(self, act: Act) -> Iterator[None]:
        stage = self._stage
        named = act.faces if act.kind == "sweep" else ((act.face, act.zone),)
        pieces = [self._lying.pop((face, zone)) for face, zone in named if face and zone]
        pieces.sort(key=stage.pieces.index)
        for piece in pieces:
            piece.going = True
        if act.kind == "sweep":
            doing = stage.start(movements.sweep(stage, act.seat, pieces), act.seat)
        else:
            doing = stage.start(movements.lift(stage, pieces[0]), act.seat)
        if act.tidy:
            return
        while any(piece.lies for piece in pieces):
            yield
        if act.expect is None:
            while not doing.done:
                yield
            yield from self._frames(stage.pace.away)
        elif not (yield from self._seen(act.expect, None, stage.pace.patience * _WAIT)):
            raise GaveUp(f"the board does not take notice that {named[0][0]} was taken away")

    def _deal(self, dealer: int) -> Iterator[None]:
        """Some cards to everybody, by the dealer's hand."""
        seats = len(self._stage.mat.turns)
        for step in range(seats):
            yield from self._frames(self._rng.randint(0, 3))
            while self._stage.busy(dealer):
                yield
            to = (dealer + 1 + step) % seats
            self._stage.start(movements.deal(self._stage, dealer, self._pack, to), dealer)

    # Waiting

    def _frames(self, count: int) -> Iterator[None]:
        for _ in range(count):
            yield

    def _until_empty(self, zone: Zone) -> Iterator[None]:
        """Nobody lays a card where one is just being taken away: everybody must see that it is gone."""
        stage = self._stage
        while True:
            there = [piece for piece in stage.pieces[-_RECENT:] if piece.place.zone == zone]
            away = stage.pace.away / FPS
            if not any(
                piece.going and (piece.lifted is None or stage.time - piece.lifted < away) for piece in there
            ):
                return
            yield

    def _seen(self, expect: View, seat: int | None, patience: int) -> Generator[None, None, bool]:
        """Whether the board shows `expect` within `patience` frames after the hand has gone."""
        waited = 0
        while not self._shows(expect):
            if self.board is None and waited >= self._stage.pace.away:
                return True
            asked = seat is not None and waited >= _PROMPT_FRAMES and self._asked_again(seat)
            if waited >= patience or asked:
                return False
            yield
            waited += not self._stage.busy(seat)
        return True

    def _shows(self, expect: View) -> bool:
        return self.board is not None and agree(self.board.view(), expect)

    def _asked_again(self, seat: int) -> bool:
        """Whether the board asks for a card to be laid again, of this seat or of nobody in particular."""
        prompts = self.board.prompts() if self.board else ()
        return any(prompt.kind in LAY_AGAIN and prompt.seat in (seat, None) for prompt in prompts)

    def _piece(self, face: Face, zone: Zone, seat: int) -> Piece:
        taken = [piece.place.at for piece in self._stage.lying()]
        return self._stage.card(face, seat, somewhere(self._stage.mat, zone, seat, taken, self._rng))


def _imagine(act: Act, table: dict[tuple[Face, Zone], int]) -> None:
    """What `act` changes of the cards that lie on the table: who laid what where."""
    for face, zone in act.faces or ((act.face, act.zone),):
        if act.kind != "lay" and face and zone:
            del table[face, zone]
    target = act.to or act.zone
    if act.kind in ("lay", "move") and act.face and target:
        table[act.face, target] = act.seat
