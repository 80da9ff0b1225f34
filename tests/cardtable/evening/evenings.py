"""An evening with a served board: messages over the WebSocket, cards as scenes, a main loop that the test runs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from starlette.routing import BaseRoute
from websockets.sync.client import ClientConnection, connect

from cardtable.config.model import BoardConfig, TableConfig
from cardtable.evening.equipment import Equipment, Services
from cardtable.evening.host import Host, start
from cardtable.evening.memory import Memory
from cardtable.evening.playing import Playing
from cardtable.history.pages import Answers, history_routes
from cardtable.journal.journal import Journal
from cardtable.languages import translator
from cardtable.table.game_loop import GameLoop
from cardtable.table.messages import HERE, Refusal
from cardtable.table.outputs import HardwareOutputs
from cardtable.table.sources import Received
from cardtable.web.access import Access
from cardtable.web.server import STATE, Board
from engine.observations import Scene
from engine.texts import as_written
from hardware.buttons import Control
from tests.cardtable.scenes import Scenes
from tests.waiting import LONGEST_S, tries
from vision.frames import FrameSource

State = dict[str, Any]
NOTHING = TableConfig()


class TestEvening:
    """The evening of one run of the program, on the journal at `path`. Used in a `with` statement.

    `now`: seconds since 1970, which the test sets. `more`: further schemes of cameras. `access`, `routes`: the board's.
    """

    __test__ = False

    def __init__(
        self,
        path: Path,
        config: TableConfig = NOTHING,
        outputs: HardwareOutputs | None = None,
        new: bool = False,
        now: float = 1_000_000.0,
        more: Mapping[str, Callable[[str], FrameSource]] | None = None,
        access: Access | None = None,
        routes: Sequence[BaseRoute] = (),
    ) -> None:
        self.now = now
        self.messages: list[str] = []
        self._stack = ExitStack()
        self.journal = self._stack.enter_context(closing(Journal(path, clock=lambda: self.now)))
        self.loop = GameLoop()
        self._answers: list[str | None] = []
        self.board = Board(
            BoardConfig(port=0),
            config.language,
            put=self._put,
            more=(*history_routes(Answers(path, as_written, lambda: self.journal.number), as_written), *routes),
            access=access,
        )
        self._stack.callback(self.board.close)
        equipment = Equipment(config, self.journal, more=more)
        translate = translator(config.language)
        services = Services(config, self.journal, self.loop, self.board, equipment, translate, outputs)
        self.host = Host(services, Memory(self.journal))
        self._stack.callback(self.host.close)
        start(self.host, new, self.messages.append)
        self.page = self._stack.enter_context(self.open_page())
        self.scenes = Scenes()

    def __enter__(self) -> TestEvening:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def open_page(self) -> ClientConnection:
        return connect(f"ws://127.0.0.1:{self.board.port}/live", proxy=None, max_queue=None)

    def turn(self, until: Callable[[], bool] | None = None) -> None:
        """Run the main loop until `until()` is true; without it, until nothing is left to do."""
        end = time.monotonic() + LONGEST_S
        steps = iter(range(3))

        def done() -> bool:
            assert time.monotonic() < end, "what the test waits for does not happen"
            if until is not None:
                return until()
            self.loop.put(Received())  # so that it does not wait for something
            return next(steps, None) is None

        self.host.run(done)

    def send(self, do: str, **keys: object) -> str | None:
        """Send a message of the page and run until it is done; return the refusal."""
        self._answers.clear()
        self.page.send(json.dumps({"do": do, **keys}))
        self.turn(lambda: bool(self._answers))
        return self._answers[0]

    def _put(self, received: Received) -> None:
        """Take what is entered on the page, and keep the answer."""

        def keep(answer: Future[Refusal | None]) -> None:
            refusal = answer.result()
            self._answers.append(None if refusal is None else refusal["refused"])

        if received.answer is not None:
            received.answer.add_done_callback(keep)
        self.loop.put(received)

    def press(self, control: Control) -> None:
        """Press a button or turn an encoder."""
        self.loop.put(Received(control))

    def state(self, wanted: Callable[[State], bool] = lambda state: True) -> State:
        """Return the next state of the page of which `wanted` is true; it has the documented shape."""
        for _ in tries("a state of the page"):
            message: State = json.loads(self.page.recv(timeout=10))
            if "refused" not in message and wanted(message):
                STATE.validate_python(message)
                return message

    def shown(self) -> State:
        """Return the state that the board shows now."""
        screen = json.loads(self.board._pages._render(HERE))
        STATE.validate_python(screen)
        return dict(screen)

    @property
    def playing(self) -> Playing:
        assert isinstance(self.host.activity, Playing)
        return self.host.activity

    def lay(self, face: str, zone: str, seat: int | None = None) -> None:
        """Lay a card before the camera, and let the table process it."""
        self.see(self.scenes.lay(face, zone, seat))

    def see(self, scene: Scene) -> None:
        self.show(scene)

    def show(self, scene: Scene) -> None:
        """Let the table see a scene, on whatever screen."""
        self.loop.observe(scene)
        self.turn()

    def say(self, seat: int, word: str) -> None:
        """Say a word on the page."""
        n = self.playing.game.snapshot.n
        self.page.send(json.dumps({"do": "say", "seat": seat, "word": word}))
        self.turn(lambda: self.playing.game.snapshot.n > n)

    def seat_players(self, *names: str, game: str = "all-fives", **options: object) -> None:
        """Choose a game, players and options in the lobby; seat 0 deals."""
        assert self.send("choose-game", game=game) is None
        for name in names:
            assert self.send("add-player", name=name) is None
        for option, value in options.items():
            assert self.send("set-option", name=option, value=value) is None
        assert self.send("set-dealer", seat=0) is None

    def one_point(self) -> None:
        """Play an All Fives or Fifteen with target 1 to its end: the eldest begs and gets a point."""
        view = self.playing.table.view()
        assert view.dealer is not None
        eldest = (view.dealer + 1) % len(view.players)
        self.scenes = Scenes()
        self.see(self.scenes.again())
        self.lay("4H", "turn-up")
        self.say(eldest, "beg")
        self.say(view.dealer, "take-one")
        self.turn()
