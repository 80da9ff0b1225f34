"""A game with a served board, for tests that act at the table and on the page."""

from __future__ import annotations

import queue

from cardtable.table.live_game import LiveGame
from engine.observations import Said, UndoAsked
from engine.record import Header
from engine.table import Table
from tests.cardtable.boards import board_for
from tests.cardtable.scenes import Scenes

# One red pixel, as PNG.
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc00000030101"
    "00c9fe92ef0000000049454e44ae426082"
)


class AtTheTable:
    """A game whose board is open in a browser. Input on the page reaches the game as in a real session."""

    def __init__(self, players: tuple[str, ...] = ("Ann", "Bo"), language: str = "en", game: str = "all-fives") -> None:
        self.header = Header(game, players, 0)
        self.pictures: dict[str, bytes] = {}
        self.entered: queue.SimpleQueue[Said | UndoAsked] = queue.SimpleQueue()
        self.board = board_for(
            "All Fives",
            lambda message, sender: self.entered.put(message),
            self.pictures.get,
            port=0,
            language=language,
            cameras=("above", "camera"),
        )
        self.begin()

    def begin(self) -> None:
        """Begin a new game on the same board."""
        self.pictures.clear()
        self.pictures.update({"": PICTURE, "camera": PICTURE})
        while not self.entered.empty():
            self.entered.get()
        self.game = LiveGame(Table(self.header), None, [self.board])
        self.scenes = Scenes()
        self.game.take(self.scenes.again())

    def lay(self, *cards: tuple[str, str, int | None]) -> None:
        for card in cards:
            self.game.take(self.scenes.lay(*card))

    def say(self, seat: int, word: str) -> None:
        self.game.take(Said(0.0, "button", seat, word))

    def pass_on(self) -> Said | UndoAsked:
        """Wait for input on the page, as long as tests of pages wait for the page, and give it to the game."""
        message = self.entered.get(timeout=30)
        self.game.take(message)
        return message
