"""Press the buttons of the simulated table: words are said with a button if a button can say them.

A player reads from the display which press means which word, and waits until the board shows the word; if it does not,
the button is pressed again. The contacts of the buttons bounce.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from cardtable.simulation.acts import Act
from cardtable.simulation.director import TRIES, Director, GaveUp
from engine.observations import ActionCard
from engine.words import Word
from hardware.button import DOUBLE_PRESS_S, HOLD_TIME_S
from hardware.words import Press, presses, words_of

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


class PressingDirector(Director):
    """A director whose players have buttons."""

    fingers: Fingers

    def _perform(self, act: Act) -> Iterator[None]:
        if act.kind != "press":
            yield from super()._perform(act)
            return
        word = act.face.text if isinstance(act.face, ActionCard) else ""
        yield from self._frames(self.rng.randint(*self.stage.pace.pause))
        for _ in range(TRIES):
            offer = words_of(self.board.view(), act.seat) if self.board else ()
            meant = next((press for press, each in presses(offer).items() if each == word), None)
            if meant:
                yield from self.fingers.press(act.seat, meant)
            if act.expect and (yield from self._shown(act.expect, act.seat)):
                # The hand comes back to the table, as it does from an action card.
                yield from self._frames(self.stage.pace.into + self.stage.pace.out)
                return
        raise GaveUp(f"the board does not show that {word!r} was said, though it was pressed {TRIES} times")


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
