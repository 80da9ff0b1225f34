"""The director: runs the acts of the players at the simulated table, one after another.

The players see only the cards on the table and the board. After an act they wait until the board shows it. If it does
not, or asks for the card again, they take the card up and lay it in a slightly different place. If an action has
several cards they lay them again one after another, because they cannot see which of them was not read.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final, Literal, NamedTuple

from cardtable.simulation import stage as movements
from cardtable.simulation.places import Place, Slot, in_rows, pile, somewhere
from cardtable.simulation.stage import FPS, Movement, SimulatedCard, Stage
from engine.actions import Action
from engine.cards import Card
from engine.observations import ActionCard, Zone
from engine.views import Prompt, View
from engine.words import Word
from hardware.buttons import DOUBLE_PRESS_S, HOLD_TIME_S, Press, presses, words_of

# Acts: the movements of players' hands at the table, and the actions of the game that they do.

Kind = Literal["lay", "lift", "move", "sweep", "shuffle", "deal", "pass", "press"]
Face = Card | ActionCard
Spot = tuple[Face | None, Zone]
"""A card on the table: its face (None if it is face down) and its zone. Several cards can be equal."""


@dataclass(frozen=True, slots=True)
class Act:
    """One movement of the hand of `seat`.

    `kind`:

    - `lay`: lay `face` in `zone`, face down if it is None;
    - `lift`: take such a card away from `zone`;
    - `move`: take `face` from `zone` and lay it in `to`;
    - `sweep`: take all `faces` off the table;
    - `shuffle`: gather all cards into the pack;
    - `deal`: deal cards to every player;
    - `pass`: push `face` across the RFID reader in `zone`, without leaving it there;
    - `press`: say the word `face` with the seat's button.

    `action`: what this does in the game. None if it does nothing, or if further cards complete the action; the act with
    the last card has it. `expect`: what the board must show before the next act; None if the players do not wait.
    `tidy`: the act only clears up after the previous action. `refused`: it breaks the rules, and the next act waits
    until the board asks for the card to be taken back. `slot`: for a card of a hand laid open, its number in the hand
    and the number of cards, so that none covers another's corner; None for a card laid anywhere.
    """

    kind: Kind
    seat: int
    face: Face | None = None
    zone: Zone | None = None
    to: Zone | None = None
    faces: tuple[Spot, ...] = ()
    action: Action | None = None
    expect: View | None = None
    tidy: bool = False
    refused: bool = False
    slot: tuple[int, int] | None = None

    @property
    def takes(self) -> tuple[Spot, ...]:
        """The cards that this act takes from their places."""
        return ((self.face, self.zone),) if self.kind in ("lift", "move") and self.zone else self.faces

    @property
    def lays(self) -> Spot | None:
        """The card that this act lays, and its zone."""
        zone = self.to or self.zone
        return (self.face, zone) if self.kind in ("lay", "move") and zone else None


class PlacedCard(NamedTuple):
    """A card on the table: its face (None: face down), its zone, the seat that laid it, and the `slot` of its act."""

    face: Face | None
    zone: Zone
    seat: int
    slot: tuple[int, int] | None = None


def imagine(act: Act, lying: list[PlacedCard]) -> None:
    """Update the cards in `lying` with one act. Raises `ValueError` if the act takes a card that is not there."""
    for face, zone in act.takes:
        at = next((at for at in reversed(range(len(lying))) if lying[at][:2] == (face, zone)), None)
        if at is None:
            raise ValueError(f"{face or 'a card face down'} does not lie in {zone}, and cannot be taken from there")
        del lying[at]
    if act.lays:
        lying.append(PlacedCard(*act.lays, act.seat, act.slot))


def same(action: Action | None, other: Action | None) -> bool:
    """Return whether both are the same action, with the cards of the action in any order."""
    if action is None or other is None or not action.cards:
        return action == other
    return replace(action, cards=_sorted(action.cards)) == replace(other, cards=_sorted(other.cards or ()))


def described(action: Action) -> str:
    """Return the action as one line of text: `do=play seat=1 card=KS`."""
    keys = action.to_json().items()
    return " ".join(f"{key}={','.join(value) if isinstance(value, list) else value}" for key, value in keys)


def _sorted(cards: Sequence[Card]) -> tuple[Card, ...]:
    return tuple(sorted(cards, key=str))


def agree(board: View, expected: View) -> bool:
    """Return whether the board shows what the players expect to read there."""
    return _read(board) == _read(expected)


def _read(view: View) -> tuple[object, ...]:
    lying = Counter((lying.card, lying.zone) for lying in view.lying)
    return view.phase, view.turn, view.dealer, view.scores, lying, view.won, view.trump, view.words, view.over


# Resume an interrupted game: which actions were done, which cards are on the table, and which acts remain.


def catch_up(acts: Iterator[Act], already: Sequence[Action]) -> tuple[list[Action], list[PlacedCard], Iterator[Act]]:
    """Return the actions of `already` that `acts` reproduces, the cards on the table then, and the remaining acts."""
    done: list[Action] = []
    table: list[PlacedCard] = []
    waiting: list[Act] = []
    for act in acts:
        waiting.append(act)
        if act.action is None:
            continue
        done += _taken_up(act.action, already[len(done) :])
        if not same(next(iter(already[len(done) :]), None), act.action):
            break
        done.append(act.action)
        for earlier in waiting:
            imagine(earlier, table)
        waiting = []
    while waiting and waiting[0].tidy:
        imagine(waiting.pop(0), table)
    return done, table, chain(waiting, acts)


def _taken_up(action: Action, ahead: Sequence[Action]) -> list[Action]:
    """Return the actions that the record may have before `action`: its card was played and withdrawn, repeatedly."""
    out: list[Action] = []
    taken_up = Action("withdraw", seat=action.seat, card=action.card)
    while action.do == "play" and tuple(ahead[len(out) : len(out) + 3]) == (action, taken_up, action):
        out += [action, taken_up]
    return out


LAY_AGAIN: Final = ("unreadable", "outside")
"""The kinds of prompts that ask for a card to be laid again."""
_PASSING: Final = 5  # frames for which a card pushed across a reader is in its field
_AFTER_DEAL_S: Final = 4.0  # the shortest time from dealing a card to laying it away
TRIES: Final = 8
"""Number of tries after which the players give up."""
_QUIET_FRAMES: Final = 6  # to wait after a card was laid without a board
_PROMPT_FRAMES: Final = 12
_WAIT: Final = 8  # factor of the patience when nothing can be laid again


@dataclass(eq=False, slots=True)
class ShownBoard:
    """The board as the players read it: `view` and `prompts` return what it shows now."""

    view: Callable[[], View]
    prompts: Callable[[], tuple[Prompt, ...]]


class GaveUp(Exception):
    """The board does not show an act although it was repeated; the message names the act."""


# The buttons of the simulated table, whose contacts bounce.

_SHORT: Final = 3
"""Frames for which a finger stays down: 0.1 s at 30 frames a second."""
_LONG: Final = round((HOLD_TIME_S + 0.2) * 30)
_BETWEEN: Final = round(DOUBLE_PRESS_S * 30 / 2)


class Fingers:
    """Presses buttons. `buttons`: gpiozero's mock pin of each seat's button, which connects it to ground."""

    def __init__(self, buttons: Mapping[int, Any]) -> None:
        self._buttons = buttons
        self.pressed: Final[list[tuple[int, Press]]] = []

    def press(self, seat: int, press: Press) -> Iterator[None]:
        """Press the button of `seat`, one step for each frame."""
        self.pressed.append((seat, press))
        yield from self._hold(seat, _LONG if press == "long" else _SHORT)
        if press == "double":
            yield from (None for _ in range(_BETWEEN))
            yield from self._hold(seat, _SHORT)

    def _hold(self, seat: int, frames: int) -> Iterator[None]:
        button = self._buttons[seat]
        for down in (True, False):
            for closed in (down, not down, down):  # the contacts bounce
                (button.drive_low if closed else button.drive_high)()
            yield from (None for _ in range(frames if down else 1))


@dataclass(eq=False)
class Director:
    """Runs `acts` on `stage`. Advance `run` once for each frame.

    `already`: the actions in the record of an unfinished game; the acts that led to them are skipped. `done`: the
    actions really done, in order. `laid_again`: number of cards that had to be laid again. `again`: indices in `done`
    of their actions. `refused`: number of cards laid against the rules, and refused. `fingers`: press the buttons;
    None if the players have no buttons.
    """

    stage: Stage
    acts: Iterator[Act]
    rng: random.Random
    already: Sequence[Action] = ()
    board: ShownBoard | None = None
    done: list[Action] = field(default_factory=list)
    laid_again: int = 0
    again: set[int] = field(default_factory=set)
    refused: int = 0
    fingers: Fingers | None = None

    def __post_init__(self) -> None:
        # The cards on the table, the lowest first, and those of them that were laid since the last action.
        self._lying: list[SimulatedCard] = []
        self._group: list[SimulatedCard] = []
        self._leaving: dict[Zone | None, list[SimulatedCard]] = {}
        self._passed: dict[Face | None, float] = {}
        self._pack = pile(self.stage.mat, self.rng)

    def run(self) -> Iterator[None]:
        """Run the whole game, one step for each frame. Raises `GaveUp` if the board never shows an act."""
        if self._pack:
            self._lay_pack(self._pack)
        rest = self._catch_up()
        yield from self._frames(self.stage.pace.away)
        for act in rest:
            yield from self._perform(act)
            if act.action:
                self.done.append(act.action)
                self._group.clear()
        while self.stage.busy():
            yield
        yield from self._frames(self.stage.pace.away)

    def _lay_pack(self, pack: Place) -> None:
        x, y = pack.at
        for _ in range(4):
            at = (x + self.rng.gauss(0, 0.6), y + self.rng.gauss(0, 0.6))
            self.stage.put(self.stage.card(None, 0, Place(at, pack.angle + self.rng.gauss(0, 1.2), None)))

    # An interrupted game

    def _catch_up(self) -> Iterator[Act]:
        """Put the cards that lie after the actions `already` on the stage, and return the remaining acts."""
        self.done, table, rest = catch_up(self.acts, self.already)
        for placed in table:
            card = self._new_card(*placed)
            self._lying.append(card)
            self.stage.put(card)
        return rest

    # One act

    def _perform(self, act: Act) -> Iterator[None]:
        if act.kind == "shuffle":
            if self.done:  # before the first action the table is empty
                yield from self._shuffle()
            return
        if act.kind == "deal":
            if self.stage.pace.deals and self._pack:
                yield from self._deal(act.seat, self._pack)
            return
        if act.kind == "press":
            yield from self._press(act)
            return
        while self.stage.busy(act.seat):
            yield
        if not act.tidy:
            yield from self._frames(self.rng.randint(*self.stage.pace.pause))
        if act.kind == "pass":
            yield from self._pass(act)
        elif act.lays:
            yield from self._lay(act, *act.lays)
        else:
            yield from self._take_away(act)

    def _shuffle(self) -> Iterator[None]:
        while self.stage.busy():
            yield
        yield from self._frames(self.stage.pace.shuffle)

    def _deal(self, dealer: int, pack: Place) -> Iterator[None]:
        for to in range(len(self.stage.mat.turns)):
            if to != dealer:
                doing = self.stage.start(movements.deal(self.stage, dealer, pack, to), dealer)
                while not doing.done:
                    yield

    def _lay(self, act: Act, face: Face | None, zone: Zone) -> Iterator[None]:
        yield from self._until_empty(zone)
        card = self._new_card(face, zone, act.seat, act.slot)
        if before := [self._take(spot) for spot in act.takes]:
            movement = movements.move(self.stage, before[0], card)
        else:
            movement = movements.lay(self.stage, card)
        yield from self._until_laid(card, movement)
        self._group.append(card)
        if act.refused:
            yield from self._until_refused(act)
        elif act.expect:
            yield from self._until_seen(act, act.expect, card)
        elif face and not act.tidy:
            # The next card of this action may cover this one, so give the camera time to read it.
            while self.stage.busy(act.seat):
                yield
            yield from self._frames(_QUIET_FRAMES)

    def _pass(self, act: Act) -> Iterator[None]:
        """Push a card across a reader beside the mat."""
        while self.stage.busy():  # cards of the previous hand are still being taken away
            yield
        while self.stage.time < self._passed.get(act.face, -_AFTER_DEAL_S) + _AFTER_DEAL_S:
            yield
        self._passed[act.face] = self.stage.time
        card = self.stage.card(act.face, act.seat, Place((0.0, 0.0), 0.0, act.zone))
        self.stage.put(card)
        yield from self._frames(_PASSING)
        self.stage.take(card)
        if act.expect and not (yield from self._shown(act.expect, act.seat, again=False)):
            raise GaveUp(f"the board does not show that this was done: {_described(act)}")

    def _press(self, act: Act) -> Iterator[None]:
        """Say a word with the button, as the board explains it; press again until the board shows the word."""
        word = act.face.text if isinstance(act.face, ActionCard) else ""
        yield from self._frames(self.rng.randint(*self.stage.pace.pause))
        for _ in range(TRIES):
            offer = words_of(self.board.view(), act.seat) if self.board else ()
            meant = next((press for press, each in presses(offer).items() if each == word), None)
            if meant and self.fingers:
                yield from self.fingers.press(act.seat, meant)
            if act.expect and (yield from self._shown(act.expect, act.seat)):
                # The hand comes back to the table, as it does from an action card.
                yield from self._frames(self.stage.pace.into + self.stage.pace.out)
                return
        raise GaveUp(f"the board does not show that {word!r} was said, though it was pressed {TRIES} times")

    def _until_refused(self, act: Act) -> Iterator[None]:
        """Wait until the board asks for the card to be taken back. Raises `GaveUp` if it never does."""
        for _ in range(self.stage.pace.patience * _WAIT):
            prompts = self.board.prompts() if self.board else ()
            if ("take-back", act.seat) in [(prompt.kind, prompt.seat) for prompt in prompts]:
                self.refused += 1
                return
            yield
        raise GaveUp(f"the board does not ask {act.face} to be taken back, which the rules do not allow")

    def _until_laid(self, card: SimulatedCard, movement: Movement) -> Iterator[None]:
        self._lying.append(card)
        self.stage.start(movement, card.seat)
        while card.laid is None:
            yield

    def _take(self, spot: Spot) -> SimulatedCard:
        """Mark the uppermost such card as leaving, and return it."""
        card = next(card for card in reversed(self._lying) if (card.face, card.place.zone) == spot)
        self._leave(card)
        return card

    def _leave(self, card: SimulatedCard) -> None:
        self._lying.remove(card)
        self._leaving.setdefault(card.place.zone, []).append(card)

    def _take_away(self, act: Act) -> Iterator[None]:
        cards = sorted((self._take(spot) for spot in act.takes), key=lambda card: card.laid or 0.0)
        if act.kind == "sweep":
            movement = movements.sweep(self.stage, act.seat, cards)
        else:
            movement = movements.lift(self.stage, cards[0])
        self.stage.start(movement, act.seat)
        if act.tidy:
            return
        while any(card.lies for card in cards):
            yield
        if act.expect is None:
            yield from self._frames(self.stage.pace.away)
        elif not (yield from self._shown(act.expect, act.seat, again=False)):
            raise GaveUp(f"the board does not show that this was done: {_described(act)}")

    def _until_seen(self, act: Act, expect: View, last: SimulatedCard) -> Iterator[None]:
        """Wait until the board shows what was laid; if it does not, lay a card again. Raises `GaveUp` after `TRIES`."""
        zone = last.place.zone
        group = [card for card in self._group if (card.seat, card.place.zone) == (act.seat, zone)]
        for attempt in range(TRIES):
            if (yield from self._shown(expect, act.seat)) or (yield from self._say_if_asked(act)):
                return
            which = -1 - attempt % len(group)
            group[which] = yield from self._lay_again(group[which])
        raise GaveUp(f"the board does not show that this was done, though it was laid {TRIES} times: {_described(act)}")

    def _say_if_asked(self, act: Act) -> Generator[None, None, bool]:
        """Say the word of a card laid face down, with an action card, if the board asks for it; return whether."""
        prompts = self.board.prompts() if self.board and act.face is None else ()
        word = act.action.word if act.action else None
        if word is None or ("drawn", act.seat) not in [(prompt.kind, prompt.seat) for prompt in prompts]:
            return False
        card, zone = ActionCard(word), Zone("say", act.seat)
        yield from self._lay(replace(act, face=card, zone=zone), card, zone)
        yield from self._take_away(Act("lift", act.seat, card, zone, tidy=True))
        return True

    def _lay_again(self, old: SimulatedCard) -> Generator[None, None, SimulatedCard]:
        """Take the card up, lay it in a slightly different place, and return it as laid there."""
        zone = old.place.zone
        assert zone is not None
        card = self._new_card(old.face, zone, old.seat, old.place.slot)
        self._leave(old)
        lifting = self.stage.start(movements.lift(self.stage, old), old.seat)
        while not lifting.done:
            yield
        self.laid_again += 1
        self.again.add(len(self.done))
        yield from self._until_empty(zone)
        yield from self._until_laid(card, movements.lay(self.stage, card))
        return card

    def _shown(self, expect: View, seat: int, again: bool = True) -> Generator[None, None, bool]:
        """Wait until the board agrees with `expect`. Return False if patience ends, or the board asks for a card.

        `again`: something can be laid again. Otherwise they are patient, and ignore what the board asks for.
        """
        if self.board is None:
            yield from self._frames(_QUIET_FRAMES)
            return True
        asked = waited = 0
        patience = self.stage.pace.patience * (1 if again else _WAIT)
        while waited < patience and asked < _PROMPT_FRAMES:
            if self._agrees(expect):
                return True
            waited += not self.stage.busy(seat)
            wanted = any(prompt.kind in LAY_AGAIN and prompt.seat in (seat, None) for prompt in self.board.prompts())
            asked = asked + 1 if wanted and again else 0
            yield
        return False

    def _agrees(self, expect: View) -> bool:
        return self.board is not None and agree(self.board.view(), expect)

    def _until_empty(self, zone: Zone) -> Iterator[None]:
        """Wait until the camera has seen that the cards taken from `zone` are gone."""
        seconds = self.stage.pace.away / FPS
        while any(not _left(card, self.stage.time - seconds) for card in self._leaving.get(zone, ())):
            yield
        self._leaving.pop(zone, None)

    def _frames(self, count: int) -> Iterator[None]:
        yield from (None for _ in range(count))

    def _new_card(self, face: Face | None, zone: Zone, seat: int, slot: Slot | None = None) -> SimulatedCard:
        """Return a card of `seat` with a free place in `zone`; with a `slot`, in its place in a hand laid open."""
        if slot is not None:
            return self.stage.card(face, seat, in_rows(self.stage.mat, zone, seat, slot, self.rng))
        taken = [card.place.at for card in self.stage.lying() if card.place.zone]
        return self.stage.card(face, seat, somewhere(self.stage.mat, zone, seat, taken, self.rng))


def _left(card: SimulatedCard, before: float) -> bool:
    """Return whether the card was taken up at the time `before` or earlier, seconds."""
    return card.lifted is not None and card.lifted <= before


def _described(act: Act) -> str:
    return described(act.action) if act.action else f"{act.kind} {act.face}"


def with_buttons(acts: Iterator[Act], vocabulary: Mapping[str, Word]) -> Iterator[Act]:
    """Yield the acts with a press instead of each action card whose word a button can say.

    `vocabulary`: the words of the game, by name.
    """
    for act in acts:
        word = act.face.text if isinstance(act.face, ActionCard) else None
        if word is None or vocabulary[word].needs or act.zone is None or act.zone.name != "say":
            yield act
        elif act.kind == "lay":  # and nothing is taken up afterwards
            yield Act("press", act.seat, act.face, action=act.action, expect=act.expect)
