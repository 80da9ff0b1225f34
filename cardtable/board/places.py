"""Places for open pages: how many the board serves, in all and to one device in the network."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Iterator
from typing import Final

from starlette.websockets import WebSocket

MAX_PAGES: Final = 64
"""Pages that devices in the network may have open, and as many on this machine."""
MAX_PAGES_OF_DEVICE: Final = 16
"""Pages that one device in the network may have open."""


class Place:
    """The place of an open page. `changed` is set if there is something new to send, `over` if the page must go."""

    def __init__(self, device: str | None) -> None:
        self.device: Final = device
        self.changed: Final = asyncio.Event()
        self.over: Final = asyncio.Event()


class Places:
    """The places that are taken, oldest first.

    The pages of this machine have places of their own, so that no device in the network can take that of the table's
    display; if all of them are taken, the oldest page must go.
    """

    def __init__(self) -> None:
        self._taken: dict[Place, None] = {}

    def __iter__(self) -> Iterator[Place]:
        return iter(self._taken)

    def take(self, device: str | None) -> Place | None:
        """Return a place for a page of `device` (`device_of`), or None if it must be turned away."""
        if device is None:
            own = [place for place in self._taken if place.device is None and not place.over.is_set()]
            if len(own) >= MAX_PAGES:
                own[0].over.set()
        else:
            devices = [place.device for place in self._taken if place.device is not None]
            if len(devices) >= MAX_PAGES or devices.count(device) >= MAX_PAGES_OF_DEVICE:
                return None
        place = Place(device)
        self._taken[place] = None
        return place

    def leave(self, place: Place) -> None:
        """Free a place."""
        self._taken.pop(place, None)


def device_of(page: WebSocket) -> str | None:
    """Return the device that a page is on: its address, for IPv6 its network; None for this machine itself."""
    if page.client is None:
        return None
    host = page.client.host.partition("%")[0]
    server = page.scope.get("server")
    if server and host == server[0].partition("%")[0]:
        return None
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            # A device chooses as many addresses in its network as it wants.
            return None if address.is_loopback else str(ipaddress.ip_network((address, 64), strict=False))
        address = address.ipv4_mapped
    return None if address.is_loopback else str(address)
