"""A simulated hand that shows a deck to the camera, card by card: `synthetic:deck?game=its-15&marks=plain&seed=3`."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from cardtable.errors import UsageError, suggestion
from cardtable.simulation import movements
from cardtable.simulation.pace import FAST, FPS
from cardtable.simulation.places import Place
from cardtable.simulation.settings import settings
from cardtable.simulation.stage import Stage
from cardtable.simulation.textures import KINDS, Marks
from engine.cards import SUIT_NAMES, Card, UnknownCard, parse_card
from engine.games import DEFAULT_GAME, game_names, load_game
from engine.texts import text
from vision.frames import Frame
from vision.table.mat import Mat, lay_out

_REST: Final = 14
"""Frames for which a card stays on the table, and for which the table then stays empty."""


@dataclass(frozen=True, slots=True)
class ShowSetting:
    """Which deck is shown: each different card of `game`, or the cards `only` if there are any."""

    game: str = DEFAULT_GAME
    marks: Marks = "faces"
    seed: int = 1
    only: tuple[Card, ...] = ()

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in the order in which they are shown."""
        return self.only or tuple(load_game(self.game).deck)


def parse_show(query: str) -> ShowSetting:
    """Return the settings after `synthetic:deck?`. Raises `UsageError` if one is unknown or has a wrong value."""
    values = settings("synthetic:deck", query, ("game", "marks", "seed", "cards"))
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
    return ShowSetting(game, marks, seed, only)


class DeckShow:
    """A `FrameSource`: a hand lays each card on the empty table and takes it away. It ends after the last card."""

    live = False

    def __init__(self, setting: ShowSetting, cards: Sequence[Card] | None = None, mat: Mat | None = None) -> None:
        self.name = f"synthetic:deck-{setting.game}-{setting.marks}-{setting.seed}"
        self._mat = mat or lay_out(2, load_game(setting.game).zones)
        self.stage: Final = Stage(self._mat, setting.marks, FAST, setting.seed)
        self._rng = random.Random(setting.seed)
        self._script = self._show(setting.cards if cards is None else tuple(cards))
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

    def _show(self, cards: Sequence[Card]) -> Iterator[bool]:
        yield from self._wait()
        for card in cards:
            width, height = self._mat.size_mm
            at = (width / 2 + self._rng.uniform(-60, 60), height / 2 + self._rng.uniform(-40, 40))
            shown = self.stage.card(card, 0, Place(at, self._rng.uniform(-25, 25), None))
            for movement in (movements.lay, movements.lift):
                doing = self.stage.start(movement(self.stage, shown), 0)
                while not doing.done:
                    yield True
                yield from self._wait()

    def _wait(self) -> Iterator[bool]:
        for _ in range(_REST):
            yield True
