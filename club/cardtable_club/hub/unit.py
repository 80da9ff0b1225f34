"""The systemd unit of a hub."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cardtable.maintenance.install import ALWAYS, unit_text

HUB: Final = "cardtable-hub.service"


def hub_unit(user: str, python: Path, config: Path) -> str:
    """Return the unit of a club's hub, which runs as `user` with its files beside `config`, a `hub.toml`.

    That file need not exist. A mosquitto that the hub starts ends with it.
    """
    config = config.absolute()
    return f"""\
[Unit]
Description=The hub of a club of card tables
After=network-online.target postgresql.service mosquitto.service
Wants=network-online.target
# However often it fails, for example while the database is not there yet: it is started again.
StartLimitIntervalSec=0

[Service]
User={user}
WorkingDirectory={unit_text(config.parent, quote=False)}
ExecStart={unit_text(python)} -m cardtable hub -c {unit_text(Path(config.name))}
{ALWAYS}"""
