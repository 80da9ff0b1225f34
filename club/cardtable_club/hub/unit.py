"""The systemd unit of a hub."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cardtable.maintenance.install import filled, unit_text

HUB: Final = "cardtable-hub.service"


def hub_unit(user: str, python: Path, config: Path) -> str:
    """Return the unit of a club's hub, which runs as `user` with its files beside `config`, a `hub.toml`.

    That file need not exist. A mosquitto that the hub starts ends with it.
    """
    config = config.absolute()
    return filled(
        Path(__file__).with_name(HUB),
        user=user,
        folder=unit_text(config.parent, quote=False),
        writable=unit_text(config.parent, command=False),
        python=unit_text(python),
        config=unit_text(Path(config.name)),
    )
