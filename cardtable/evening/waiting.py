"""The table while no game is played: the lobby with its live check, and the sleeping table."""

from __future__ import annotations

from collections.abc import Callable

from cardtable.board.screen_parts import Tally, common
from cardtable.board.screens import AsleepState
from cardtable.errors import CardtableError
from cardtable.evening.equipment import lobby_mat
from cardtable.evening.idle_sources import IdleSources
from cardtable.evening.lobby import Lobby
from cardtable.evening.lobby_state import lobby_state
from cardtable.evening.past_games import PastGames
from cardtable.evening.services import Services
from cardtable.play.camera_picture import counts_of, picture_of
from cardtable.play.rfid_source import RfidSource
from engine.games import load_game
from engine.observations import Observation
from engine.texts import in_language, text
from vision.camera_pipeline import CameraPipeline


class Waiting:
    """Shows the lobby, or that the table sleeps. Closes what it opens.

    `observed`: called with each observation; `changed`: when what the table sees has changed. `unfit`: what is wrong
    with all cameras, after a fault in one of them; they stay closed then.
    """

    def __init__(
        self,
        services: Services,
        lobby: Lobby,
        observed: Callable[[Observation], None],
        asleep: bool = False,
        unfit: str | None = None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._services = services
        self._observed = observed
        self._changed = changed
        self._asleep = asleep
        self._unfit = unfit
        self._lobby = lobby
        self._remembered: list[str] = []
        self._past = PastGames()
        self._tally: Tally = {"games": 0, "players": []}
        self._focus: str | None = None
        self._trouble: str | None = None
        self._again = False
        self._round_shown = 0
        if asleep:
            services.equipment.close()
        self._idle_sources = self._look()

    @property
    def idle_sources(self) -> IdleSources:
        """The cameras and readers that look at the table now."""
        return self._idle_sources

    def show_lobby(
        self,
        lobby: Lobby,
        remembered: list[str],
        past: PastGames,
        tally: Tally,
        focus: str | None,
        trouble: str | None,
    ) -> None:
        """Show this lobby, with the mat of its game under the cameras."""
        again = self._mat_key(lobby) != self._mat_key(self._lobby)
        self._lobby, self._remembered, self._past = lobby, remembered, past
        self._tally, self._focus, self._trouble = tally, focus, trouble
        self._again = self._again or (again and not self._asleep)
        self._show()

    def run(self, until: Callable[[], bool]) -> None:
        """Look until `until()` is true. Raises whatever is raised in the thread of a source."""
        if self._again:
            self._again = False
            self._idle_sources.close()
            self._idle_sources = self._look()
            self._show()
        outputs, seats = self._services.outputs, self._services.next_round
        if seats.version != self._round_shown:
            self._show()
        shown = self._round_shown
        self._idle_sources.run(lambda: until() or seats.version != shown, outputs.step if outputs else lambda: None)

    def wake(self) -> None:
        """Let `run` ask again whether it is to end, soon; called in any thread."""
        self._idle_sources.wake()

    def close(self) -> None:
        """Stop idle."""
        self._idle_sources.close()

    def _show_again(self) -> None:
        self._show()
        self._changed()

    def _show(self) -> None:
        services = self._services
        self._round_shown = services.next_round.version
        if self._asleep:
            asleep = text("Good night. Touch the screen, or press a button, to wake the table.")
            state: AsleepState = {
                "screen": "asleep",
                **common(),
                "text": in_language(asleep, services.translate),
            }
            services.board.show_screen(state)
            return
        idle = self._idle_sources
        services.board.show_screen(
            lobby_state(
                self._lobby,
                self._remembered,
                self._past,
                self._tally,
                idle.sources(),
                idle.cards(),
                self._focus,
                self._trouble,
                services.translate,
                services.next_round.state(),
            )
        )

    def _look(self) -> IdleSources:
        services, lobby = self._services, self._lobby
        mat = lobby_mat(load_game(lobby.game) if lobby.game else None, len(lobby.players))
        cameras: list[CameraPipeline] = []
        waiting: list[str] = []
        failed: dict[str, str] = {}
        for camera in () if self._asleep else services.config.cameras:
            if self._unfit is not None:
                failed[camera.name] = self._unfit
                continue
            try:
                opened = services.equipment.camera_in_lobby(camera, lobby.game, mat)
            except CardtableError as error:
                failed[camera.name] = str(error)
                continue
            if opened is None:
                waiting.append(camera.name)
            else:
                cameras.append(opened)
        readers: list[RfidSource] = []
        try:
            readers = services.equipment.readers()
        except CardtableError as error:
            failed["readers"] = str(error)
        idle = IdleSources(
            cameras,
            readers,
            mat,
            services.journal,
            services.translate,
            services.alive,
            self._observed,
            self._show_again,
            waiting,
            failed,
        )
        names = [camera.name for camera in cameras]
        services.board.feed("", None, lambda name: picture_of(idle.cameras, name), names)
        services.board.integrations.measures.cameras = lambda: counts_of(idle.cameras)
        if services.outputs:
            services.outputs.start(idle.enter, idle.watchdog)
            services.outputs.rest()
        return idle

    @staticmethod
    def _mat_key(lobby: Lobby) -> tuple[str | None, int]:
        return lobby.game, max(len(lobby.players), 2)
