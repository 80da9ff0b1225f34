"""What the menus of buttons and encoders depend on, and what they consist of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from cardtable.board.correction_messages import CorrectionMessage, UndoTo
from cardtable.board.messages import HostMessage
from cardtable.board.screen_lobby import SourceCheck, UnfinishedGame
from cardtable.board.snapshot import Snapshot
from cardtable.evening.lobby import Lobby
from cardtable.evening.states import Screen


@dataclass(frozen=True, slots=True)
class Misfit:
    """A correction that was refused because `lost` later actions no longer fit."""

    message: CorrectionMessage
    lost: int


@dataclass(frozen=True, slots=True)
class Situation:
    """What the menus depend on. `ready`: whether the game can begin. `restoring`: whether the players
    are asked to put cards back. `between_hands`: whether players can join and leave the game. `game`: the game that is
    played, or is over. `misfit`: the correction that was refused last. `look`: returns what the table sees in
    the lobby.
    """

    screen: Screen
    lobby: Lobby
    remembered: Sequence[str] = ()
    ready: bool = False
    unfinished: Sequence[UnfinishedGame] = ()
    restoring: bool = False
    between_hands: bool = False
    game: Snapshot | None = None
    misfit: Misfit | None = None
    look: Callable[[], Sequence[SourceCheck]] = tuple

    def playing(self, shown: Snapshot) -> Situation:
        """Return the situation during this game, or at its result."""
        return replace(self, game=shown, restoring=shown.restoring is not None, between_hands=shown.between_hands)

    @property
    def take_back(self) -> UndoTo | None:
        """The message that takes back the last action of the game; None if there is none."""
        if self.game is None or not self.game.history:
            return None
        before = [entry.n for entry in self.game.history[-2:-1]] or [1]
        return UndoTo(do="undo-to", n=self.game.n, line=before[0])


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a menu: it sends a message, or opens another page; with neither it closes the menu."""

    label: str
    message: HostMessage | None = None
    opens: str | None = None
