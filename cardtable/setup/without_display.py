"""The first start of a table without a display: its address and a code reach a phone, and it makes a network if needed.

Until it has a director, the table has a code that lets one device set it up. The code and the address
are printed (the service's log and console), shown on the small displays and with the first question on the display, and
spoken if no large display is connected. Without a network, the table makes one of its own, `cardtable` with the
password `cardtable`; a phone in it needs no code unless a display shows it, because nothing else can show it there.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cardtable.errors import CardtableError
from cardtable.evening.equipment import Services
from cardtable.evening.lobby import menu_screen
from cardtable.maintenance.machine_watch import Repeated
from cardtable.setup.network import HOTSPOT, System, SystemRefused
from cardtable.web.connections import phone_url
from engine.texts import Text, in_language, text
from hardware.voice import ESPEAK, Voice
from hardware.wiring import HardwareError

EVERY_S: Final = 15.0
SPEAKS_EVERY_S: Final = 60.0
PASSWORD: Final = "cardtable"
"""Of the table's own network at the first start: printed in the documents, because nothing can show another one."""
OWN_NETWORK: Final = ipaddress.ip_network("10.42.0.0/24")
"""The addresses that NetworkManager gives in a network that it makes (`ipv4.method shared`)."""
SCREENS: Final = Path("/sys/class/drm")
WATCHED_S: Final = 10.0
"""Seconds after which a display that has not asked for the question again does not show it; it asks every second."""
SETTLES_S: Final = 60.0
"""Seconds after the start in which a connected display may still begin to show the question."""
_LOG: Final = logging.getLogger(__name__)


def is_in_own_network(device: str | None, system: System | None = None) -> bool:
    """Return whether a device with this address is in the network that the table has made itself."""
    try:
        inside = device is not None and ipaddress.ip_address(device) in OWN_NETWORK
        return inside and (system or System()).connection() == HOTSPOT
    except (ValueError, SystemRefused):
        return False


def has_display(screens: Path = SCREENS) -> bool:
    """Return whether a display is connected, as Linux reports it."""
    for status in screens.glob("card*-*/status"):
        with contextlib.suppress(OSError):
            if status.read_text("ascii").strip() == "connected":
                return True
    return False


class DisplayWatch:
    """Whether the table's own display shows the first start, and with it the code. `clock`: seconds."""

    def __init__(self, screens: Path = SCREENS, clock: Callable[[], float] = time.monotonic) -> None:
        self._screens = screens
        self._clock = clock
        self._opened_at = clock()
        self._asked_at: float | None = None

    def asked(self) -> None:
        """A page on the table's own machine has asked for the question."""
        self._asked_at = self._clock()

    @property
    def shows(self) -> bool:
        """Whether it shows the question, or may be about to."""
        now = self._clock()
        if self._asked_at is not None and now - self._asked_at < WATCHED_S:
            return True
        return now - self._opened_at < SETTLES_S and has_display(self._screens)


class WithoutDisplay:
    """Lets a phone begin the first start. `report` prints; `clock`: seconds; `step` looks once.

    `open_voice` returns a voice, and raises `HardwareError` if there is none.
    """

    def __init__(
        self,
        services: Services,
        report: Callable[[Text], None],
        system: System | None = None,
        screens: Path = SCREENS,
        open_voice: Callable[[str], Voice] = lambda language: Voice(ESPEAK, language),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._services = services
        self._report = report
        self._system = system or System()
        self._screens = screens
        self._open_voice = open_voice
        self._clock = clock
        self._voice: Voice | None = None
        self.said: Text | None = None
        """How a phone sets the table up, with address and code; None if nothing has been said yet."""
        self._speak_at = 0.0
        self._repeated = Repeated(self.step, EVERY_S, "without display")

    def step(self) -> None:
        """Make a network if there is none, and say address and code if a phone may set the table up."""
        access, board = self._services.board.access, self._services.board
        code = access.setup_code
        if code is None:
            return
        own = self._make_network()
        address = phone_url(*board.network().address)
        if address is None:
            return
        url = address.removesuffix("/phone")
        said = text("Open {address} on a phone. The code is {code}.", address=url, code=code)
        if own:
            template = (
                "Join the Wi-Fi {name}, password {password}, with a phone, and open {address}. The code is {code}."
            )
            said = text(template, name=HOTSPOT, password=PASSWORD, address=url, code=code)
        if said != self.said:
            self.said, self._speak_at = said, 0.0
            self._report(said)
        if outputs := self._services.outputs:
            sentence = in_language(said, self._services.translate)
            outputs.show_screen(lambda seat: menu_screen(None, sentence, seat))
        if self._clock() >= self._speak_at and not has_display(self._screens):
            self._speak_at = self._clock() + SPEAKS_EVERY_S
            self._speak(said, code)

    def _make_network(self) -> bool:
        """Make a network if the machine is in none and has Wi-Fi; return whether it is in its own."""
        try:
            connection = self._system.connection()
            if connection is None and self._system.has_wifi():
                connection = self._system.open_hotspot(PASSWORD).name
        except SystemRefused as refused:  # without NetworkManager the network is set up in another way
            _LOG.info("no network is made: %s", refused)
            return False
        if connection != HOTSPOT:
            return False
        with contextlib.suppress(CardtableError):  # it is served already, or has no address yet
            self._services.board.network().let_network_in()
        return True

    def _speak(self, said: Text, code: str) -> None:
        if self._voice is None:
            try:
                self._voice = self._open_voice(self._services.config.language)
            except HardwareError:
                return
        sentence = in_language(said, self._services.translate)
        self._voice.say([sentence.replace(code, " ".join(code))])

    def start(self) -> None:
        """Look again and again, in a thread."""
        self._repeated.start()

    def close(self) -> None:
        """Stop. May be called twice."""
        self._repeated.close()
        if self._voice is not None:
            self._voice.close()
            self._voice = None
