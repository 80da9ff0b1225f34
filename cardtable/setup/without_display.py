"""The first start of a table without a display: a phone gets the address and a code, and if necessary a network.

Until the table has a director, its code lets one device set it up. Address and code are printed (the service's log and
console), shown on small displays and with the first question on a large one, and spoken if no large display is
connected. Where nothing can show or say it, the code is written on the memory card beforehand. Without a network, the
table opens a Wi-Fi network called `cardtable` with the password `cardtable`; everybody knows it, so a phone in that
network needs the code, too.
"""

from __future__ import annotations

import contextlib
import logging
import re
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
CODE_ON_CARD: Final = Path("/boot/firmware/cardtable-code.txt")
"""The file in the part of a Raspberry Pi's memory card that every computer can read."""
CODE: Final = re.compile(r"[0-9]{6,12}")
SCREENS: Final = Path("/sys/class/drm")
_LOG: Final = logging.getLogger(__name__)


def code_on_card(path: Path = CODE_ON_CARD) -> str | None:
    """Return the code that somebody has written to the file `path` of the memory card; None if it holds no code."""
    try:
        written = path.read_text("ascii").strip()
    except (OSError, ValueError):
        return None
    return written if CODE.fullmatch(written) else None


def has_display(screens: Path = SCREENS) -> bool:
    """Return whether a display is connected, as Linux reports it."""
    for status in screens.glob("card*-*/status"):
        with contextlib.suppress(OSError):
            if status.read_text("ascii").strip() == "connected":
                return True
    return False


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
