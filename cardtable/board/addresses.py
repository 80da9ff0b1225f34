"""The address at which a browser in the network finds this machine."""

from __future__ import annotations

import fcntl
import ipaddress
import socket
import struct
from collections.abc import Iterator
from urllib.parse import urlsplit

_SIOCGIFADDR = 0x8915
"""The request for the IPv4 address of a network interface (netdevice(7))."""


def url_of(host: str, port: int) -> str:
    """Return the URL of a server that listens at `host` and `port`, as a telephone in the network can open it.

    `0.0.0.0` and `::` mean all addresses of this machine; the one in the network is taken, or the loopback address
    without a network.

    >>> url_of("127.0.0.1", 8015), url_of("::1", 8015)
    ('http://127.0.0.1:8015', 'http://[::1]:8015')
    """
    try:
        if ipaddress.ip_address(host).is_unspecified:
            host = next(own_addresses(), "127.0.0.1")
    except ValueError:  # a name
        pass
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def phone_url(host: str, port: int) -> str | None:
    """Return the URL of the phones' page on a server at `host` and `port`; None if no other device can open it.

    >>> phone_url("192.168.1.9", 8015), phone_url("127.0.0.1", 8015)
    ('http://192.168.1.9:8015/phone', None)
    """
    url = url_of(host, port)
    name = urlsplit(url).hostname or ""
    try:
        if ipaddress.ip_address(name).is_loopback:
            return None
    except ValueError:  # a name
        if name == "localhost":
            return None
    return f"{url}/phone"


def own_addresses() -> Iterator[str]:
    """Yield the IPv4 addresses of this machine that are not loopback; the one on the way to the internet first."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation; nothing is sent
            address = probe.getsockname()[0]
            if not ipaddress.ip_address(address).is_loopback:
                yield address
        except OSError:  # no way to the internet, as in a network that the Raspberry Pi makes itself
            pass
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
            except OSError:  # it has no address
                continue
            address = socket.inet_ntoa(answer[20:24])
            if not ipaddress.ip_address(address).is_loopback:
                yield address
