"""The steps of the first start about the machine: language, time zone, Wi-Fi, and a phone with the director's PIN.

`LanguageStep` writes `language`. `TimeZoneStep` sets the machine's time zone, or writes `time_zone` if this user may
not set it. NetworkManager remembers the network that `WifiStep` joins.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar, Final
from zoneinfo import available_timezones

from cardtable.doctor.finding import Finding
from cardtable.languages import LANGUAGES, NAMES
from cardtable.setup.network import HOTSPOT, Hotspot, Network, SystemRefused
from cardtable.setup.step import Choice, Entry, Question, Site, Step, Unfit, doubtful, fine, wrong
from engine.texts import text


class LanguageStep(Step):
    """Ask for the language of the table, in all languages because none is known yet."""

    name: ClassVar[str] = "language"

    def question(self, site: Site) -> Question:
        """Offer the languages."""
        now = site.config.language
        return Question(
            " · ".join(NAMES.values()),
            text("Which language does the table speak?"),
            choices=[Choice(name, NAMES[name], chosen=name == now) for name in LANGUAGES],
            forward=text("Continue"),
        )

    def answer(self, site: Site, value: str) -> bool:
        """Store the language."""
        if value != site.config.language:
            site.change({("language",): value}, reopen=True)
        return True


_PIN: Final = "pin:"


class PhoneStep(Step):
    """Ask for the director's PIN, then show the address with which a phone continues the first start."""

    name: ClassVar[str] = "phone"

    def is_needed(self, site: Site, left: Collection[str]) -> bool:
        """Return whether the machine is in a network, in which a phone may be."""
        return site.is_in_network()

    def question(self, site: Site) -> Question:
        """Ask for the PIN, or show the address."""
        if not self.answers:
            return Question(
                text("A phone"),
                text(
                    "A phone can take over from here, and direct the table later. Choose a PIN of 4 to 12 digits, or "
                    "continue without a phone."
                ),
                entry=Entry(text("PIN"), "digits", _PIN),
                forward=text("Continue without a phone"),
            )
        address = site.phone_address()
        if address is None:
            found = [
                doubtful(text("this table is not connected to a network"), text("go back to Wi-Fi, or continue here"))
            ]
            asked = text("The PIN is stored. Phones need a network.")
            return Question(text("A phone"), asked, found, forward=text("Continue"))
        return Question(
            text("A phone"),
            text("Open {address} on the phone, enter the PIN, and go on there or here.", address=address),
            [fine(text("the PIN is stored"))],
            code=address,
            code_label=text("opens the table on a phone"),
            forward=text("Continue"),
        )

    def answer(self, site: Site, value: str) -> bool:
        """Store the PIN."""
        site.set_pin(value.removeprefix(_PIN))
        self.answers.append("PIN")
        return False


_UNSET: Final = ("", "UTC", "Etc")
"""The regions of a clock that nobody has set."""


class TimeZoneStep(Step):
    """Ask for the region and then for the city, so that nothing needs to be typed."""

    name: ClassVar[str] = "time-zone"

    def __init__(self) -> None:
        super().__init__()
        self._zones: Sequence[str] = ()
        self._now = ""
        self._unset: bool | None = None

    def is_needed(self, site: Site, left: Collection[str]) -> bool:
        """Return whether nobody has set the time zone yet."""
        if self._unset is None:
            try:
                zone = site.config.time_zone or site.system.time_zone()
            except SystemRefused:
                zone = ""
            self._unset = zone.partition("/")[0] in _UNSET
        return self._unset

    def begin(self, site: Site) -> None:
        """Read the time zones of the machine."""
        try:
            self._now = site.config.time_zone or site.system.time_zone()
            self._zones = site.system.time_zones()
        except SystemRefused:
            self._zones = sorted(available_timezones())

    def question(self, site: Site) -> Question:
        """Offer the regions, or the cities of a region."""
        region, _, city = self._now.partition("/")
        if self.answers:
            chosen = self.answers[0]
            places = [zone.partition("/")[2] for zone in self._zones if zone.startswith(f"{chosen}/")]
            return Question(
                text("Time zone"),
                text("Which place has the same time as you?"),
                choices=[
                    Choice(place, place.replace("_", " "), chosen=(chosen, place) == (region, city)) for place in places
                ],
            )
        regions = list(dict.fromkeys(zone.partition("/")[0] for zone in self._zones if "/" in zone))
        here: list[Finding] = []
        if "/" in self._now:
            here = [fine(text("the clock is set for {place}", place=city.replace("_", " ")))]
        elif self._now:
            here = [doubtful(text("the clock shows {zone}", zone=self._now), text("choose where the table stands"))]
        return Question(
            text("Time zone"),
            text("Where does the table stand?"),
            here,
            [Choice(name, name, chosen=name == region) for name in regions],
            forward=text("Continue") if self._now else None,
        )

    def answer(self, site: Site, value: str) -> bool:
        """Accept a region, then a city."""
        if not self.answers:
            self.answers.append(value)
            return False
        zone = f"{self.answers[0]}/{value}"
        try:
            site.system.set_time_zone(zone)
        except SystemRefused:  # a time zone for the table alone needs no rights
            site.change({("time_zone",): zone}, reopen=True)
        else:
            if site.config.time_zone is not None:
                site.change({("time_zone",): None}, reopen=True)
        return True


_NETWORK: Final = "network:"
_PASSWORD: Final = "password:"
_AGAIN: Final = "again"
_HOTSPOT: Final = "hotspot"
_MIN_PASSWORD: Final = 8
"""Length of the shortest WPA password."""


class WifiStep(Step):
    """Ask for the Wi-Fi network, then for its password. The table can also open a network itself."""

    name: ClassVar[str] = "wifi"

    def __init__(self) -> None:
        super().__init__()
        self._networks: Sequence[Network] = ()
        self._connection: str | None = None
        self._hotspot: Hotspot | None = None
        self._trouble: str | None = None
        self._has_wifi = False
        self._alone: bool | None = None

    def is_needed(self, site: Site, left: Collection[str]) -> bool:
        """Return whether the machine has Wi-Fi, and is in no network but its own."""
        if self._alone is None:
            try:
                self._alone = site.system.connection() in (None, HOTSPOT) and site.system.has_wifi()
            except SystemRefused:
                self._alone = False
        return self._alone

    def begin(self, site: Site) -> None:
        """Look for networks. This takes seconds."""
        self._trouble = None
        try:
            self._connection = site.system.connection()
            self._has_wifi = site.system.has_wifi()
            self._networks = site.system.networks() if self._has_wifi else ()
        except SystemRefused as error:
            self._trouble, self._networks, self._has_wifi = str(error), (), False

    def question(self, site: Site) -> Question:
        """Offer the networks, or ask for the password of the chosen one."""
        if self.answers:
            password = Entry(text("Password"), "secret", _PASSWORD)
            return Question(self.answers[0], text("The password of this network:"), entry=password)
        choices = [
            Choice(f"{_NETWORK}{network.name}", network.name, f"{network.signal} %", network.joined)
            for network in self._networks
        ]
        if self._has_wifi:
            choices.append(Choice(_AGAIN, text("Search again")))
            choices.append(
                Choice(
                    _HOTSPOT,
                    text("The table’s own network"),
                    text("for phones, no internet"),
                    self._hotspot is not None,
                )
            )
        if self._trouble is not None:
            found = [wrong(self._trouble, text("skip this if the table needs no network"))]
        elif self._connection is not None:
            found = [fine(text("the table is connected to {name}", name=self._connection))]
        elif self._has_wifi:
            found = [doubtful(text("the table is not connected to a network"))]
        else:
            found = [doubtful(text("this machine has no Wi-Fi"), text("use a cable, or skip this"))]
        hotspot = self._hotspot
        asked = text(
            "Phones open the board in the same network, and updates come through it. A table plays without one."
        )
        if hotspot is not None:
            asked = text(
                "The table’s own network is {name}, its password {password}. Join it with a phone.",
                name=hotspot.name,
                password=hotspot.password,
            )
        return Question(
            text("Wi-Fi"),
            asked,
            found,
            choices,
            code=hotspot.code if hotspot else "",
            code_label=text("joins a phone") if hotspot else "",
            forward=text("Continue") if self._connection is not None else None,
        )

    def answer(self, site: Site, value: str) -> bool:
        """Accept a network or its password, look again, or open a hotspot."""
        if value == _AGAIN:
            self.begin(site)
            return False
        if value == _HOTSPOT:
            self._hotspot = site.system.open_hotspot()
            self._connection = self._hotspot.name
            return False
        if value.startswith(_PASSWORD):
            password = value.removeprefix(_PASSWORD)
            if len(password) < _MIN_PASSWORD:
                message = "A Wi-Fi password has at least {least} characters: type all of it."
                raise Unfit(text(message, least=_MIN_PASSWORD))
            return self._join(site, self.answers[0], password)
        network = next(each for each in self._networks if value == f"{_NETWORK}{each.name}")
        if network.joined:
            return True
        if not network.locked:
            return self._join(site, network.name, None)
        self.answers.append(network.name)
        return False

    def _join(self, site: Site, name: str, password: str | None) -> bool:
        site.system.join(name, password)
        self._connection, self._hotspot = name, None
        return True
