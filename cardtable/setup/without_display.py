"""The first start of a table without a display: a phone gets the address and a code, and if necessary a network.

Until the table has a director, its code lets one device set it up. Address and code are printed (the service's log and
console), shown on small displays and with the first question on a large one, and spoken if no large display is
connected. Without a network, the table opens a Wi-Fi network called `cardtable` with the password `cardtable`. A phone
in that network needs no code unless a display shows it, because nothing else could.
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
from cardtable.maintenance.machine_watch import RepeatedTask
from cardtable.setup.network import HOTSPOT, System, SystemRefused
from cardtable.web.connections import phone_url
from engine.texts import Text, in_language, text
from hardware.voice import ESPEAK, Voice
from hardware.wiring import HardwareError

PERIOD_S: Final = 15.0
SPEAKING_PERIOD_S: Final = 60.0
PASSWORD: Final = "cardtable"
"""The password of the hotspot at the first start. It is in the documents, because nothing could show another one."""
HOTSPOT_ADDRESSES: Final = ipaddress.ip_network("10.42.0.0/24")
"""The addresses that NetworkManager assigns in a hotspot (`ipv4.method shared`)."""
SCREENS: Final = Path("/sys/class/drm")
DISPLAY_TIMEOUT_S: Final = 10.0
"""A display requests the question every second; after this time without a request it does not show the question."""
DISPLAY_START_S: Final = 60.0
"""Time after the start within which a connected display may still begin to show the question."""
_LOG: Final = logging.getLogger(__name__)


def is_in_own_network(device: str | None) -> bool:
    """Return whether a device with this address is in the table's own hotspot."""
    try:
        inside = device is not None and ipaddress.ip_address(device) in HOTSPOT_ADDRESSES
        return inside and System().connection() == HOTSPOT
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
    """Know whether the table's own display shows the first start, and with it the code. `clock` is in seconds."""

    def __init__(self, screens: Path = SCREENS, clock: Callable[[], float] = time.monotonic) -> None:
        self._screens = screens
        self._clock = clock
        self._opened_at = clock()
        self._requested_at: float | None = None

    def note_request(self) -> None:
        """Note that a page on the table's own machine has requested the question."""
        self._requested_at = self._clock()

    @property
    def shows(self) -> bool:
        """Whether the display shows the question, or may be about to."""
        now = self._clock()
        if self._requested_at is not None and now - self._requested_at < DISPLAY_TIMEOUT_S:
            return True
        return now - self._opened_at < DISPLAY_START_S and has_display(self._screens)


class WithoutDisplay:
    """Announce regularly, between `start` and `close`, how a phone can begin the first start. `step` does so once.

    `report` prints a message. `open_voice` returns a voice, or raises `HardwareError`. `clock` is in seconds.
    """

    def __init__(
        self,
        services: Services,
        report: Callable[[Text], None],
        screens: Path = SCREENS,
        open_voice: Callable[[str], Voice] = lambda language: Voice(ESPEAK, language),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._services = services
        self._report = report
        self._system = System()
        self._screens = screens
        self._open_voice = open_voice
        self._clock = clock
        self._voice: Voice | None = None
        self.announced: Text | None = None
        """The last announcement, with address and code; None before the first one."""
        self._speak_at = 0.0
        self._task = RepeatedTask(self.step, PERIOD_S, "without display")

    def step(self) -> None:
        """Open a hotspot if there is no network, and announce address and code if a phone may set the table up."""
        access, board = self._services.board.access, self._services.board
        code = access.setup_code
        if code is None:
            return
        is_hotspot = self._ensure_network()
        address = phone_url(*board.network().address)
        if address is None:
            return
        url = address.removesuffix("/phone")
        announcement = text("Open {address} on a phone. The code is {code}.", address=url, code=code)
        if is_hotspot:
            template = (
                "Join the Wi-Fi {name}, password {password}, with a phone, and open {address}. The code is {code}."
            )
            announcement = text(template, name=HOTSPOT, password=PASSWORD, address=url, code=code)
        if announcement != self.announced:
            self.announced, self._speak_at = announcement, 0.0
            self._report(announcement)
        if outputs := self._services.outputs:
            sentence = in_language(announcement, self._services.translate)
            outputs.show_screen(lambda seat: menu_screen(None, sentence, seat))
        if self._clock() >= self._speak_at and not has_display(self._screens):
            self._speak_at = self._clock() + SPEAKING_PERIOD_S
            self._speak(announcement, code)

    def _ensure_network(self) -> bool:
        """Open a hotspot if the machine has Wi-Fi but no network; return whether it uses its hotspot."""
        try:
            connection = self._system.connection()
            if connection is None and self._system.has_wifi():
                connection = self._system.open_hotspot(PASSWORD).name
        except SystemRefused as refused:  # without NetworkManager, the network is set up in another way
            _LOG.info("no hotspot is opened: %s", refused)
            return False
        if connection != HOTSPOT:
            return False
        with contextlib.suppress(CardtableError):  # already served, or no address yet
            self._services.board.network().let_network_in()
        return True

    def _speak(self, announcement: Text, code: str) -> None:
        if self._voice is None:
            try:
                self._voice = self._open_voice(self._services.config.language)
            except HardwareError:
                return
        sentence = in_language(announcement, self._services.translate)
        self._voice.say([sentence.replace(code, " ".join(code))])

    def start(self) -> None:
        """Announce regularly in a thread."""
        self._task.start()

    def close(self) -> None:
        """Stop announcing. May be called twice."""
        self._task.close()
        if self._voice is not None:
            self._voice.close()
            self._voice = None
