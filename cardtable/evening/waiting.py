"""The table while no game is played: the lobby with its live check, and the sleeping table."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Sequence
from typing import Final, Literal, cast

from cardtable.doctor.cameras import check_view
from cardtable.doctor.devices import copies
from cardtable.doctor.finding import Finding
from cardtable.errors import CardtableError
from cardtable.evening.equipment import Services, lobby_mat
from cardtable.evening.lobby import Lobby, lobby_state
from cardtable.evening.playing import Cameras
from cardtable.evening.results import PastGames
from cardtable.journal.file import JournalError
from cardtable.journal.journal import Journal
from cardtable.table.readers import RfidSource
from cardtable.table.snapshot import Snapshot
from cardtable.table.sources import CameraSource, Received, Sources, Watchdog
from cardtable.web.screens import AsleepState, Check, Light, LobbyCard, Result, SourceCheck, Tally, common
from engine.cards import Card
from engine.games import card_label, load_game
from engine.observations import ActionCard, Back, Lost, Observation, Scene, Sighting
from engine.texts import Translate, commas, in_language, text
from vision.camera_pipeline import CameraPipeline
from vision.mat.layout import Mat

# What the table sees while no game is played: the live check of the lobby, and action cards.
#
# Cameras and readers run as in a game, but no referee gets it. The events of a reader board are acknowledged at
# once, so that the next game does not get them.

_CHECK_S: Final = 1.0
"""Seconds from one check of the cameras to the next."""
_STATES: Final[dict[str, Light]] = {"good": "good", "warning": "warning", "trouble": "bad"}
_WORST: Final[tuple[Light, ...]] = ("bad", "warning", "good")

_LOG: Final = logging.getLogger(__name__)


class IdleSources(Cameras):
    """Runs `cameras` over `mat`, and `readers`; closes them.

    `waiting`: the names of cameras that begin with the game, such as recordings. `failed`: what is wrong with those
    that could not be opened, by name. `observed` is called with each observation, in the main thread. `changed` is
    called when `sources` or `cards` would return something else. `clock`: seconds.
    """

    def __init__(
        self,
        cameras: Sequence[CameraPipeline],
        readers: Sequence[RfidSource],
        mat: Mat,
        journal: Journal,
        translate: Translate,
        alive: Callable[[], None] = lambda: None,
        observed: Callable[[Observation], None] = lambda observation: None,
        changed: Callable[[], None] = lambda: None,
        waiting: Sequence[str] = (),
        failed: dict[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.cameras = tuple(cameras)
        self.title: Final = ""
        self.playing: Final = False
        self._readers = tuple(readers)
        self._mat = mat
        self._journal = journal
        self._translate = translate
        self._observed = observed
        self._changed = changed
        self._waiting = tuple(waiting)
        self._failed = dict(failed or {})
        self._clock = clock
        self.watchdog: Final = Watchdog(alive)
        self._sources = Sources([*readers, *map(CameraSource, cameras)], self.watchdog)
        self._scenes: dict[str, Scene] = {}
        self._lost: dict[str, str] = {}
        self._check_at = 0.0
        self._shown: tuple[str, str] | None = None

    def run(self, until: Callable[[], bool], step: Callable[[], None] = lambda: None) -> None:
        """Look until `until()` is true; `step` is called several times a second.

        Raises whatever was raised in the thread of a source.
        """
        self._sources.start()
        while not until():
            for received in self._sources.turn():
                self._process(received)
            step()
            if self._clock() >= self._check_at:
                self._check_at = self._clock() + _CHECK_S
                self._report()
            self.watchdog.check(storing=True)

    def put(self, received: Received) -> None:
        """Take what has happened elsewhere; called in any thread."""
        self._sources.put(received)

    def enter(self, observation: Observation) -> None:
        """Take an observation of the hardware; called in any thread."""
        self.put(Received(observation))

    def result_of(self, snapshot: Snapshot) -> Result | None:
        """Return no result: no game is played."""

    def wake(self) -> None:
        """Let `run` ask again whether it is to end, soon; called in any thread."""
        self._sources.wake()

    def close(self) -> None:
        """Close the cameras and the readers."""
        self._sources.close()

    # What is seen

    def sources(self) -> list[SourceCheck]:
        """Return what each camera, each reader board and each failed device has to say."""
        checks = [self._of_camera(camera) for camera in self.cameras]
        for name in self._waiting:
            waits = Finding(name, "good", text("it begins with the game"), what="picture")
            checks.append(self._check(name, "camera", [waits]))
        for name, why in self._failed.items():
            checks.append(self._check(name, "camera", [Finding(name, "trouble", why, what="picture")]))
        for reader in self._readers:
            lost = self._lost.get(reader.name)
            found = [Finding(reader.name, "good", text("it is connected"), what="connection")]
            if lost is not None:
                found = [Finding(reader.name, "trouble", lost, what="connection")]
            elif reader.name not in self._scenes:
                found = [Finding(reader.name, "warning", text("it has not answered yet"), what="connection")]
            own = [why for name, why in self._lost.items() if name.startswith(f"{reader.name}, ")]
            found += [Finding(reader.name, "trouble", why, what="reader") for why in own]
            if lost is None:
                found += [*copies(reader.places, reader.chips, reader.name), *self._of_cards(reader.name)]
            checks.append(self._check(reader.name, "readers", found))
        known = {check["name"] for check in checks}
        for name, why in self._lost.items():
            if name not in known and not any(name.startswith(f"{reader.name}, ") for reader in self._readers):
                kind: Literal["buttons", "voice", "display"] = (
                    "buttons" if name == "buttons" else "voice" if name == "voice" else "display"
                )
                checks.append(self._check(name, kind, [Finding(name, "trouble", why, what="connection")]))
        return checks

    def cards(self) -> list[LobbyCard]:
        """Return the cards that are seen now."""
        return [self._seen(source, sighting) for source, scene in self._scenes.items() for sighting in scene.sightings]

    def _of_camera(self, camera: CameraPipeline) -> SourceCheck:
        lost = self._lost.get(camera.name)
        if lost is not None and camera.homography is not None:  # not only marks are missing: the frame is an old one
            found = [Finding(camera.name, "trouble", lost, what="picture")]
        else:
            found = list(check_view(camera, self._mat, camera.name, lost))
            found += self._of_cards(camera.name) if camera.homography is not None else []
        return self._check(camera.name, "camera", found, f"camera.jpg?of={camera.name}")

    def _of_cards(self, source: str) -> list[Finding]:
        scene = self._scenes.get(source)
        faces = [sighting.face for sighting in scene.sightings] if scene else []
        read = [_name(face) for face in faces if face is not None]
        if len(read) < len(faces):
            message = text("it cannot read every card that lies there")
            return [Finding(source, "warning", message, text("turn the cards face up, and apart"), "cards")]
        if read:
            return [Finding(source, "good", text("it reads {cards}", cards=commas(read)), what="cards")]
        advice = text("lay a card face up to try it")
        return [Finding(source, "good", text("no card lies there"), advice, "cards")]

    def _check(
        self,
        name: str,
        kind: Literal["camera", "readers", "buttons", "display", "voice"],
        found: Sequence[Finding],
        picture: str | None = None,
    ) -> SourceCheck:
        checks = [_shown(finding, self._translate) for finding in found]
        worst: Light = next((state for state in _WORST if any(check["state"] == state for check in checks)), "good")
        return {"name": name, "kind": kind, "state": worst, "checks": checks, "picture": picture}

    def _seen(self, source: str, sighting: Sighting) -> LobbyCard:
        face = sighting.face
        label = text("not read") if face is None else _name(face)
        return {
            "source": source,
            "card": None if face is None else str(face),
            "label": in_language(label, self._translate),
            "zone": sighting.zone.name if sighting.zone else None,
            "seat": sighting.zone.seat if sighting.zone else None,
            "sure": face is not None and not sighting.alternatives,
        }

    def _take(self, observation: Observation) -> None:
        match observation:
            case Scene():
                self._scenes[observation.source] = observation
                self._lost.pop(observation.source, None)
            case Lost():
                self._lost[observation.source] = observation.reason
            case Back():
                self._lost.pop(observation.source, None)
        self._observed(observation)
        self._report()

    def _process(self, received: Received) -> None:
        source, event = received.source, received.event
        if source and event:
            try:
                with self._journal.transaction(event):
                    pass  # nothing else is stored
            except JournalError as error:  # it stays unacknowledged, and is reported again
                _LOG.warning("%s: an event is not acknowledged: %s", source.name, error)
            else:
                source.acknowledge(event)
        if isinstance(received.what, Observation):
            self._take(received.what)

    def _report(self) -> None:
        """Report what is seen if it has changed."""
        shown = _calm(self.sources()), str(self.cards())
        if shown != self._shown:
            self._shown = shown
            self._changed()


def _name(face: Card | ActionCard) -> str:
    return face.glyph if isinstance(face, Card) else card_label(face.text)


def _shown(finding: Finding, translate: Translate) -> Check:
    said = finding.in_language(translate)
    what = said.what or "picture"
    return cast(Check, {"what": what, "state": _STATES[said.state], "text": said.text, "advice": said.advice})


def _calm(shown: object) -> str:
    """Return what is compared: measured numbers alone are no news."""
    return re.sub(r"\d+", "0", str(shown))


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
        services.board.watch(idle)
        if services.outputs:
            services.outputs.start(idle.enter, idle.watchdog)
            services.outputs.rest()
        return idle

    @staticmethod
    def _mat_key(lobby: Lobby) -> tuple[str | None, int]:
        return lobby.game, max(len(lobby.players), 2)
