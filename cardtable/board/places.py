"""Places for open pages: how many the board serves, in all and to one device in the network."""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from starlette.requests import HTTPConnection

from cardtable.board.access.sender import HERE, Identity

MAX_PAGES: Final = 64
"""Pages that devices in the network may have open, and as many on this machine."""
MAX_PAGES_OF_DEVICE: Final = 16
"""Pages that one device in the network may have open."""


class Place:
    """The place of an open page. `changed` is set if there is something new to send, `over` if the page must go.

    `identity`: who has opened the page.
    """

    def __init__(self, device: str | None, identity: Identity = HERE) -> None:
        self.device: Final = device
        self.identity: Final = identity
        self.changed: Final = asyncio.Event()
        self.over: Final = asyncio.Event()


class Places:
    """The places that are taken, oldest first.

    The pages of this machine have places of their own, so that no device in the network can take that of the table's
    display; if all of them are taken, the oldest page must go. If the network has all of its places, the device with
    the most pages gives up its oldest to a device that has fewer.
    """

    def __init__(self) -> None:
        self._taken: dict[Place, None] = {}

    def __iter__(self) -> Iterator[Place]:
        return iter(self._taken)

    def __len__(self) -> int:
        return len(self._taken)

    def phones(self) -> frozenset[int]:
        """Return the paired phones that have a page open."""
        return frozenset(place.identity.phone for place in self._taken if place.identity.phone is not None)

    def take(self, device: str | None, identity: Identity = HERE) -> Place | None:
        """Return a place for a page of `device` (`device_of`), or None if it must be turned away."""
        if device is None:
            own = [place for place in self._taken if place.device is None and not place.over.is_set()]
            if len(own) >= MAX_PAGES:
                own[0].over.set()
        else:
            network = [place for place in self._taken if place.device is not None and not place.over.is_set()]
            devices = [place.device for place in network if place.device]
            if devices.count(device) >= MAX_PAGES_OF_DEVICE:
                return None
            if len(devices) >= MAX_PAGES:
                giving = crowded_out(devices, device)
                if giving is None:
                    return None
                next(place for place in network if place.device == giving).over.set()
        place = Place(device, identity)
        self._taken[place] = None
        return place

    def leave(self, place: Place) -> None:
        """Free a place."""
        self._taken.pop(place, None)


def crowded_out(devices: Sequence[str], newcomer: str) -> str | None:
    """Return the device that gives up a place to `newcomer`; None if none has more than the newcomer would have.

    `devices`: that of every place taken.

    >>> crowded_out(["a", "b", "b", "b"], "a"), crowded_out(["a", "b", "b"], "a")
    ('b', None)
    """
    counts = Counter(devices)
    most, count = counts.most_common(1)[0]
    return most if count > counts[newcomer] + 1 else None


def device_of(connection: HTTPConnection) -> str | None:
    """Return the device from which a request comes, or on which a page is open (`device_at`)."""
    server, client = connection.scope.get("server"), connection.client
    return None if client is None else device_at(client.host, server[0] if server else None)


def device_at(client: str, server: str | None) -> str | None:
    """Return the device at the address `client`; None for this machine itself.

    `server`: the address of this machine to which the client is connected. A device is an address; for IPv6 outside
    this machine's own network it is the client's network, in which a client chooses as many addresses as it wants.
    """
    client, here = client.partition("%")[0], (server or "").partition("%")[0]
    if client == here:
        return None
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return client
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            network = ipaddress.ip_network((address, 64), strict=False)
            near = address.is_link_local or (":" in here and ipaddress.ip_address(here) in network)
            return None if address.is_loopback else str(address if near else network)
        address = address.ipv4_mapped
    return None if address.is_loopback else str(address)
