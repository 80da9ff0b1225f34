"""A simulated hand that shows a deck to the camera: `synthetic:deck?game=its-15&marks=plain&seed=3`.

It lays card by card, or several on the table at a time.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from cardtable.errors import UsageError, suggestion
from cardtable.simulation import movements
from cardtable.simulation.pace import FAST, FPS, HUMAN, Pace
from cardtable.simulation.places import Place
from cardtable.simulation.settings import settings
from cardtable.simulation.stage import Movement, Stage
from cardtable.simulation.textures import KINDS, Marks
from engine.cards import SUIT_NAMES, Card, UnknownCard, parse_card
from engine.games import DEFAULT_GAME, game_names, load_game
from engine.texts import text
from vision.frames import Frame
from vision.table.mat import Mat, lay_out

_REST: Final = 14
"""Frames for which a card stays on the table, and for which the table then stays empty."""
_MOST: Final = 6
"""Cards that have room beside one another."""
_PITCH_MM: Final = (150.0, 130.0)
"""Distance between the middles of cards that lie beside and above one another, millimetres."""


@dataclass(frozen=True, slots=True)
class ShowSetting:
    """Which deck is shown: each different card of `game`, or the cards `only` if there are any.

    `at_once`: how many cards lie on the table before they are taken away, 1 to 6.
    """

    game: str = DEFAULT_GAME
    marks: Marks = "faces"
    seed: int = 1
    only: tuple[Card, ...] = ()
    at_once: int = 1
    pace: Pace = FAST

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in the order in which they are shown."""
        return self.only or tuple(load_game(self.game).deck)


def parse_show(query: str) -> ShowSetting:
    """Return the settings after `synthetic:deck?`. Raises `UsageError` if one is unknown or has a wrong value."""
    values = settings("synthetic:deck", query, ("game", "marks", "seed", "cards", "at_once", "pace"))
    game = values.get("game", DEFAULT_GAME)
    if game not in game_names():
        raise UsageError(
            text(
                "synthetic:deck: there is no game {game!r}{guess}; games: {names}",
                game=game,
                guess=suggestion(game, game_names()),
                names=", ".join(game_names()),
            )
        )
    ordinary = all(card.suit in SUIT_NAMES for card in load_game(game).deck)
    wanted = values.get("marks", "faces" if ordinary else "plain")
    marks = next((marks for marks in KINDS if marks == wanted), None)
    if marks is None:
        raise UsageError(text("marks are {names}, not {given!r}", names=", ".join(KINDS), given=wanted))
    try:
        only = tuple(parse_card(name) for name in values["cards"].split(",")) if "cards" in values else ()
        seed = int(values.get("seed", 1))
    except UnknownCard as error:
        raise UsageError(text("synthetic:deck: {error}", error=str(error))) from error
    except ValueError:
        raise UsageError(text("synthetic:deck: a seed is a whole number, as in seed=7")) from None
    at_once = values.get("at_once", "1")
    if at_once not in map(str, range(1, _MOST + 1)):
        raise UsageError(text("synthetic:deck: at_once is 1 to {most}, not {given!r}", most=_MOST, given=at_once))
    paces = {"fast": FAST, "human": HUMAN}
    if (pace := values.get("pace", "fast")) not in paces:
        raise UsageError(text("synthetic:deck: the pace is fast or human, not {given!r}", given=pace))
    return ShowSetting(game, marks, seed, only, int(at_once), paces[pace])


class DeckShow:
    """A `FrameSource`: a hand lays each card, or some at a time, on the empty table, and takes them away.

    It ends after the last card.
    """

    live = False

    def __init__(self, setting: ShowSetting, cards: Sequence[Card] | None = None, mat: Mat | None = None) -> None:
        self.name = f"synthetic:deck-{setting.game}-{setting.marks}-{setting.seed}"
        self._mat = mat or lay_out(2, load_game(setting.game).zones)
        self.stage: Final = Stage(self._mat, setting.marks, setting.pace, setting.seed)
        self._rng = random.Random(setting.seed)
        self._script = self._show(setting.cards if cards is None else tuple(cards), setting.at_once)
        self._number = 0

    def read(self) -> Frame | None:
        """Return the next frame; None after the last card."""
        if next(self._script, None) is None:
            return None
        seconds = self._number / FPS
        frame = Frame(self.stage.frame(seconds), seconds, self._number)
        self._number += 1
        return frame

    def close(self) -> None:
        """Do nothing: the source holds no resources."""

    def _show(self, cards: Sequence[Card], at_once: int) -> Iterator[bool]:
        yield from self._wait()
        for first in range(0, len(cards), at_once):
            some = cards[first : first + at_once]
            shown = [self.stage.card(card, 0, self._place(number, len(some))) for number, card in enumerate(some)]
            for card in shown:
                yield from self._done(movements.lay(self.stage, card))
            yield from self._wait()
            away = movements.lift(self.stage, shown[0]) if len(shown) == 1 else movements.sweep(self.stage, 0, shown)
            yield from self._done(away)
            yield from self._wait()

    def _place(self, number: int, of: int) -> Place:
        """Return where a card lies: near the middle, or one of up to six in two rows."""
        width, height = self._mat.size_mm
        x, y = width / 2, height / 2
        if of == 1:
            x, y = x + self._rng.uniform(-60, 60), y + self._rng.uniform(-40, 40)
            return Place((x, y), self._rng.uniform(-25, 25), None)
        across, along = _PITCH_MM
        x += across * (number % 3 - 1) + self._rng.uniform(-8, 8)
        y += along * (number // 3 - 0.5) + self._rng.uniform(-6, 6)
        return Place((x, y), self._rng.uniform(-12, 12), None)

    def _done(self, movement: Movement) -> Iterator[bool]:
        doing = self.stage.start(movement, 0)
        while not doing.done:
            yield True

    def _wait(self) -> Iterator[bool]:
        for _ in range(_REST):
            yield True
