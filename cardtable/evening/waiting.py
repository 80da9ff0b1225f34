"""The table while no game is played: the lobby with its live check, and the sleeping table."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Sequence
from typing import Final, Literal, cast

import numpy as np

from cardtable.doctor.cameras import check_view
from cardtable.doctor.devices import copies
from cardtable.doctor.finding import Finding
from cardtable.evening.equipment import LobbyDevices, Services
from cardtable.evening.lobby import Lobby, LobbyContent, lobby_state
from cardtable.journal.file import JournalError
from cardtable.journal.journal import Journal
from cardtable.table.game_loop import GameLoop
from cardtable.table.messages import Refusal
from cardtable.table.sources import NO_GAME, CameraSource, Received
from cardtable.web.screens import AsleepState, Check, Light, LobbyCard, SourceCheck, common
from cardtable.web.server import CameraPictures
from engine.cards import Card
from engine.games import card_label
from engine.observations import ActionCard, Back, Lost, Observation, Scene, Sighting, Zone
from engine.texts import Translate, commas, in_language, text
from vision.camera_pipeline import CameraPipeline
from vision.mat.layout import Mat

_CHECK_S: Final = 1.0
"""Seconds from one check of the cameras to the next."""
_STATES: Final[dict[str, Light]] = {"good": "good", "warning": "warning", "trouble": "bad"}
_WORST: Final[tuple[Light, ...]] = ("bad", "warning", "good")

_LOG: Final = logging.getLogger(__name__)


class LiveCheck:
    """What cameras and readers see while no game is played, and whether they work, until `close`.

    No referee gets what is seen. The events of reader boards are acknowledged at once, so that the next game does not
    get them. `devices` are closed at the end. `clock` returns seconds.
    """

    def __init__(
        self,
        loop: GameLoop,
        devices: LobbyDevices,
        journal: Journal,
        translate: Translate,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.cameras: Final = tuple(devices.cameras)
        self._loop = loop
        self._devices = devices
        self._journal = journal
        self._translate = translate
        self._clock = clock
        self._scenes: dict[str, Scene] = {}
        self._lost: dict[str, str] = {}
        self._check_at = 0.0
        self._shown: tuple[str, str, int] | None = None
        loop.open([*devices.readers, *map(CameraSource, devices.cameras)])

    def process(self, received: Received) -> Refusal | None:
        """Note what a source has reported; refuse corrections."""
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
            return None
        return None if received.what is None else {"refused": NO_GAME}

    def enter(self, observation: Observation) -> None:
        """Add an observation that no camera or reader has made; called in any thread."""
        self._loop.observe(observation)

    def has_changed(self) -> bool:
        """Return whether `sources`, `cards` or `hands` have changed since the last call.

        Measured numbers alone are no change. Called in every turn of the loop.
        """
        if self._clock() < self._check_at:
            return False
        self._check_at = self._clock() + _CHECK_S
        before, self._shown = self._shown, (_without_numbers(self.sources()), str(self.cards()), self.hands())
        return self._shown != before

    def close(self) -> None:
        """Close the cameras and the readers."""
        self._loop.release()

    def _take(self, observation: Observation) -> None:
        match observation:
            case Scene():
                self._scenes[observation.source] = observation
                self._lost.pop(observation.source, None)
            case Lost():
                self._lost[observation.source] = observation.reason
            case Back():
                self._lost.pop(observation.source, None)
        self._check_at = 0.0

    def sources(self) -> list[SourceCheck]:
        """Return the checks of each camera, each reader board and each failed device. Called in any thread."""
        checks = [self._of_camera(camera) for camera in self.cameras]
        for name in self._devices.waiting:
            waits = Finding(name, "good", text("it begins with the game"), what="picture")
            checks.append(self._check(name, "camera", [waits]))
        for name, why in self._devices.failed.items():
            checks.append(self._check(name, "camera", [Finding(name, "trouble", why, what="picture")]))
        for reader in self._devices.readers:
            lost = self._lost.get(reader.name)
            found = [Finding(reader.name, "good", text("it is connected"), what="connection")]
            if lost is not None:
                found = [Finding(reader.name, "trouble", lost, what="connection")]
            elif reader.name not in self._scenes:
                found = [Finding(reader.name, "warning", text("it has not answered yet"), what="connection")]
            broken = [why for name, why in self._lost.items() if name.startswith(f"{reader.name}, ")]
            found += [Finding(reader.name, "trouble", why, what="reader") for why in broken]
            if lost is None:
                found += [*copies(reader.places, reader.chips, reader.name), *self._of_cards(reader.name)]
            checks.append(self._check(reader.name, "readers", found))
        known = {check["name"] for check in checks}
        for name, why in self._lost.items():
            if name not in known and not any(name.startswith(f"{reader.name}, ") for reader in self._devices.readers):
                kind: Literal["buttons", "voice", "display"] = (
                    "buttons" if name == "buttons" else "voice" if name == "voice" else "display"
                )
                checks.append(self._check(name, kind, [Finding(name, "trouble", why, what="connection")]))
        return checks

    def cards(self) -> list[LobbyCard]:
        """Return the cards that are seen now. Called in any thread."""
        return [self._seen(source, sighting) for source, scene in self._scenes.items() for sighting in scene.sightings]

    def hands(self) -> int:
        """Return the largest number of players for which cards lie at every seat, 0 if none. Called in any thread."""
        full = (len(mat.turns) for mat in self._devices.mats if self._seats(mat) >= {*range(len(mat.turns))})
        return max(full, default=0)

    def _seats(self, mat: Mat) -> set[int | None]:
        """Return the seats in whose zones cards lie if the cameras look at `mat`."""
        cameras = {camera.name: camera for camera in self.cameras}
        zones = [
            _zone_on(mat, cameras[source], sighting.card_id) if source in cameras else sighting.zone
            for source, scene in self._scenes.items()
            for sighting in scene.sightings
        ]
        return {zone.seat for zone in zones if zone}

    def _of_camera(self, camera: CameraPipeline) -> SourceCheck:
        lost = self._lost.get(camera.name)
        if lost is not None and camera.homography is not None:  # the last frame is too old to be judged
            found = [Finding(camera.name, "trouble", lost, what="picture")]
        else:
            found = list(check_view(camera, self._devices.mat, camera.name, lost))
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


def _zone_on(mat: Mat, camera: CameraPipeline, card_id: str) -> Zone | None:
    """Return the zone of `mat` in which a card lies that the camera sees."""
    table, corners = camera.homography, camera.places.get(card_id)
    if table is None or corners is None:
        return None
    ((x, y),) = table.to_mm([np.mean(corners, axis=0) * table.image_size])
    return mat.zone_at(x, y)


def _name(face: Card | ActionCard) -> str:
    return face.glyph if isinstance(face, Card) else card_label(face.text)


def _shown(finding: Finding, translate: Translate) -> Check:
    shown = finding.in_language(translate)
    what = shown.what or "picture"
    return cast(Check, {"what": what, "state": _STATES[shown.state], "text": shown.text, "advice": shown.advice})


def _without_numbers(shown: object) -> str:
    """Return `shown` as text in which all numbers are equal."""
    return re.sub(r"\d+", "0", str(shown))


class Waiting:
    """The activity that shows the lobby, or that the table sleeps. `close` closes what it opens.

    `unfit`: what is wrong with all cameras, after a fault in one of them; they stay closed then.
    """

    def __init__(self, services: Services, lobby: Lobby, asleep: bool = False, unfit: str | None = None) -> None:
        self._services = services
        self._asleep = asleep
        self._unfit = unfit
        self._content = LobbyContent(lobby)
        self._round_shown = 0
        self._other_mat = False  # whether the cameras have to be opened again, over another mat
        self.storing: Final = True
        if asleep:
            services.equipment.close()
        self.check = self._open_check()
        """What the table sees."""

    def show_lobby(self, content: LobbyContent) -> None:
        """Show the lobby, with the mat of its game under the cameras."""
        if not self._asleep and _mat_key(content.lobby) != _mat_key(self._content.lobby):
            self._other_mat = True
        self._content = content
        self._show()

    def process(self, received: Received) -> Refusal | None:
        """Note what a source has reported; refuse corrections."""
        return self.check.process(received)

    def pass_time(self) -> None:
        """Do what is due: open the cameras over another mat, drive the hardware, show the offer of another round."""
        self._services.board.integrations.measures.turned()
        if self._other_mat:
            self._other_mat = False
            self.check.close()
            self.check = self._open_check()
            self._show()
        if self._services.outputs:
            self._services.outputs.step()
        if self._services.next_round.version != self._round_shown:
            self._show()

    def show_changes(self) -> bool:
        """Show what the table sees if that has changed; return whether it has. Called in every turn of the loop."""
        changed = self.check.has_changed()
        if changed:
            self._show()
        return changed

    def close(self) -> None:
        """Stop waiting."""
        self.check.close()

    def _show(self) -> None:
        services = self._services
        self._round_shown = services.next_round.version
        if self._asleep:
            asleep = text("Good night. Touch the screen, or press a button, to wake the table.")
            night: AsleepState = {
                "screen": "asleep",
                **common(),
                "text": in_language(asleep, services.translate),
                "tally": self._content.tally,
                "keepsake": self._content.last,
            }
            services.board.show_screen(night)
            return
        seen, offer = (self.check.sources(), self.check.cards()), services.next_round.state()
        state = lobby_state(self._content, *seen, services.translate, offer, self.check.hands())
        services.board.show_screen(state)

    def _open_check(self) -> LiveCheck:
        services, lobby = self._services, self._content.lobby
        devices = services.equipment.open_for_lobby(lobby.game, len(lobby.players), self._asleep, self._unfit)
        check = LiveCheck(services.loop, devices, services.journal, services.translate)
        services.board.watch(CameraPictures(devices.cameras))
        if services.outputs:
            services.outputs.start(services.loop.put, services.loop.watchdog)
            services.outputs.rest()
        return check


def _mat_key(lobby: Lobby) -> tuple[str | None, int]:
    """Return what the mat of the live check depends on."""
    return lobby.game, max(len(lobby.players), 2)
