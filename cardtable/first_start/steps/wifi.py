"""Which network the table is in; NetworkManager keeps it. Without one the table can make its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from cardtable.first_start.question import Choice, Entry, Question, doubtful, fine, wrong
from cardtable.first_start.step import Site, Step, Unfit
from cardtable.first_start.system import Hotspot, Network, SystemRefused
from engine.texts import text

_NETWORK: Final = "network:"
_PASSWORD: Final = "password:"
_AGAIN: Final = "again"
_OWN: Final = "own"
_SHORTEST: Final = 8
"""Letters of the shortest password of WPA."""


class WifiStep(Step):
    """Asks for the network, then for its password."""

    name: ClassVar[str] = "wifi"

    def __init__(self) -> None:
        self._networks: Sequence[Network] = ()
        self._connection: str | None = None
        self._hotspot: Hotspot | None = None
        self._chosen: Network | None = None
        self._trouble: str | None = None
        self._has_wifi = False

    def begin(self, site: Site) -> None:
        """Look for networks; takes seconds."""
        self._chosen = self._trouble = None
        try:
            self._connection = site.system.connection()
            self._has_wifi = site.system.has_wifi()
            self._networks = site.system.networks() if self._has_wifi else ()
        except SystemRefused as error:
            self._trouble, self._networks, self._has_wifi = str(error), (), False

    def question(self, site: Site) -> Question:
        """Return the networks, or ask for the password of the one that was chosen."""
        if self._chosen is not None:
            return Question(
                self._chosen.name,
                text("The password of this network:"),
                entry=Entry(text("Password"), "secret", _PASSWORD),
                inner=True,
            )
        choices = [
            Choice(f"{_NETWORK}{network.name}", network.name, f"{network.signal} %", network.joined)
            for network in self._networks
        ]
        if self._has_wifi:
            choices.append(Choice(_AGAIN, text("Look again")))
            choices.append(
                Choice(
                    _OWN,
                    text("The table’s own network"),
                    text("for phones, no internet"),
                    self._hotspot is not None,
                )
            )
        if self._trouble is not None:
            found = [wrong(self._trouble, text("skip this if the table needs no network"))]
        elif self._connection is not None:
            found = [fine(text("the table is in the network {name}", name=self._connection))]
        elif self._has_wifi:
            found = [doubtful(text("the table is in no network"))]
        else:
            found = [doubtful(text("this machine has no Wi-Fi"), text("use a cable, or skip this"))]
        own = self._hotspot
        asked = text(
            "Phones open the board in the same network, and updates come through it. A table plays without one."
        )
        if own is not None:
            asked = text(
                "The table’s own network is {name}, its password {password}. Join it with a phone.",
                name=own.name,
                password=own.password,
            )
        return Question(
            text("Wi-Fi"),
            asked,
            found,
            choices,
            code=own.code if own else "",
            code_label=text("joins a phone") if own else "",
            forward=text("Continue") if self._connection is not None else None,
        )

    def answer(self, site: Site, value: str) -> bool:
        """Take a network, its password, or the wish to look again or to make a network."""
        if value == _AGAIN:
            self.begin(site)
            return False
        if value == _OWN:
            self._hotspot = site.system.open_hotspot()
            self._connection = self._hotspot.name
            return False
        if value.startswith(_NETWORK):
            name = value.removeprefix(_NETWORK)
            network = next((network for network in self._networks if network.name == name), None)
            if network is None:
                raise Unfit(text("{network} is out of reach now: look again.", network=name))
            if network.joined or not network.locked:
                return network.joined or self._join(site, network, None)
            self._chosen = network
            return False
        if value.startswith(_PASSWORD) and self._chosen is not None:
            password = value.removeprefix(_PASSWORD)
            if len(password) < _SHORTEST:
                message = "A Wi-Fi password has at least {least} characters: type all of it."
                raise Unfit(text(message, least=_SHORTEST))
            return self._join(site, self._chosen, password)
        raise Unfit(text("Choose a network that is shown, or skip this."))

    def _join(self, site: Site, network: Network, password: str | None) -> bool:
        site.system.join(network.name, password)
        self._connection, self._chosen, self._hotspot = network.name, None, None
        return True

    def back(self) -> bool:
        """Return to the networks."""
        within, self._chosen = self._chosen is not None, None
        return within
