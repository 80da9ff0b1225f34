"""The files that install the table on a machine: systemd units, and rules of udev and polkit.

`files` returns their texts, and `write_files` writes them, for `cardtable install` and for plug-ins with a service.
"""

from __future__ import annotations

import json
import os
import pwd
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, get_args

from cardtable.errors import CardtableError, UsageError, why
from cardtable.terminal.output import say
from engine.texts import text
from vision.atomic_files import store

if TYPE_CHECKING:
    from cardtable.config.model import TableConfig


UNITS: Final = Path("etc/systemd/system")
RULES: Final = Path("etc/udev/rules.d/85-cardtable.rules")
"""After 60-persistent-storage.rules, which finds out what is on a stick and how it is connected."""
RIGHTS: Final = Path("etc/polkit-1/rules.d/50-cardtable.rules")
WATCHDOG: Final = Path("etc/systemd/system.conf.d/cardtable.conf")
LABWC: Final = Path("etc/xdg/cardtable-labwc")
TABLE, DISPLAY = "cardtable.service", "cardtable-display.service"
GROUPS: Final = ("video", "gpio", "i2c", "spi", "dialout", "audio")
"""Groups whose members may use cameras, pins, buses, readers and sound; a machine may have only some of them."""

Compositor = Literal["cage", "labwc"]
COMPOSITORS: Final[tuple[Compositor, ...]] = get_args(Compositor)
"""Compositors that show one program on a display without a desktop; labwc comes with Raspberry Pi OS."""

CHROMIUM: Final = Path("/usr/bin/chromium")

TEMPLATES: Final = Path(__file__).with_name("templates")
"""The files as they are installed, with placeholders for what depends on the machine."""


@dataclass(frozen=True, slots=True)
class Installation:
    """What to install.

    `user`: who runs the table. `python`: the interpreter of the program. `config`: the table's `table.toml`. `url`: the
    address of the board, which `browser` shows on the attached display. `groups`: the existing ones of `GROUPS`, or
    none if the user is a member of them. `display`: the compositor for the attached display; None for no display.
    """

    user: str
    python: Path
    config: Path
    url: str
    groups: Sequence[str] = GROUPS
    display: Compositor | None = None
    browser: Path = CHROMIUM


def reachable(host: str) -> str:
    """Return the host part of the URL at which this machine reaches a board that listens on `host`."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{host}]" if ":" in host else host


def filled(template: Path, **values: str) -> str:
    """Return the text of a template, with each placeholder such as `@user@` replaced by the value of that name."""
    content = template.read_text("utf-8")
    for name, value in values.items():
        content = content.replace(f"@{name}@", value)
    return content


def files(installation: Installation) -> Mapping[Path, str]:
    """Return the text of each file, by its path relative to the root."""
    out = {
        UNITS / TABLE: filled(
            TEMPLATES / TABLE,
            user=installation.user,
            groups=" ".join(installation.groups),
            folder=unit_text(installation.config.parent, quote=False),
            writable=unit_text(installation.config.parent, command=False),
            python=unit_text(installation.python),
            config=unit_text(installation.config),
        ),
        RULES: filled(TEMPLATES / "udev.rules", user=installation.user),
        RIGHTS: filled(TEMPLATES / "polkit.rules", user=json.dumps(installation.user)),
        WATCHDOG: filled(TEMPLATES / "watchdog.conf"),
    }
    if installation.display:
        options = "--kiosk --noerrdialogs --hide-crash-restore-bubble --ozone-platform=wayland"
        kiosk = f"{unit_text(installation.browser)} {options} {installation.url}"
        labwc = f"/usr/bin/labwc -C /{LABWC} -S '{kiosk}'"
        command = labwc if installation.display == "labwc" else f"/usr/bin/cage -s -- {kiosk}"
        out[UNITS / DISPLAY] = filled(TEMPLATES / DISPLAY, user=installation.user, command=command)
    if installation.display == "labwc":
        out |= {LABWC / name: filled(TEMPLATES / f"labwc-{name}") for name in ("rc.xml", "autostart")}
    return out


def buses(config: TableConfig) -> list[str]:
    """Return the buses that the displays of a configuration need: `i2c`, `spi`."""
    used = {display.wiring.resolved_bus for display in config.display}
    return [bus for bus in ("i2c", "spi") if bus in used]


def unit_text(path: Path, quote: bool = True, command: bool = True) -> str:
    """Escape a path for a unit file: percent signs are special there, and spaces need quotes.

    `quote`: whether the setting may have several values. `command`: whether dollar signs are special, too.
    """
    text = str(path).replace("%", "%%")
    if not quote:
        return text
    if command:
        text = text.replace("$", "$$")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' if re.search(r"[\s\"'\\]", text) else text


def service_user(named: str | None) -> str:
    """Return the user of a service: `named`, or who called sudo. Raises `UsageError` if there is no such user."""
    user = named or os.environ.get("SUDO_USER") or pwd.getpwuid(os.getuid()).pw_name
    try:
        pwd.getpwnam(user)
    except KeyError as error:
        raise UsageError(text("install: --user: there is no user {user!r} on this machine", user=user)) from error
    return user


def check_rights(into: Path | None, example: str) -> None:
    """Raise `UsageError` if the files go to /etc and this user may not write there. `example` is a correct command."""
    if into is None and os.geteuid() != 0:
        raise UsageError(text("install: writing below /etc needs more rights: {example}", example=example))


def write_first_config(path: Path, user: str) -> None:
    """Write the configuration of a new table to `path`, owned by `user`, unless it exists. Raises `CardtableError`."""
    owner = pwd.getpwnam(user)
    try:
        with path.open("x", encoding="utf-8") as file:
            os.fchown(file.fileno(), owner.pw_uid, owner.pw_gid)
            file.write(filled(TEMPLATES / "first_table.toml"))
    except FileExistsError:
        return
    except OSError as error:
        raise CardtableError(text("install: {file} cannot be written: {why}", file=path, why=why(error))) from error
    say(text("written: {file}", file=path))


def write_files(root: Path, wanted: Mapping[Path, str]) -> list[Path]:
    """Replace each file below `root` whose content differs, say so, and return their paths. Raises `CardtableError`."""
    changed = []
    for path, content in wanted.items():
        file = root / path
        try:
            if file.exists() and file.read_text("utf-8") == content:
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            store(file, content.encode(), mode=0o644)
        except OSError as error:
            raise CardtableError(text("install: {file} cannot be written: {why}", file=file, why=why(error))) from error
        changed.append(file)
        say(text("written: {file}", file=file))
    if not changed:
        say(text("everything is in place already"))
    return changed


def run_tool(command: Sequence[str]) -> None:
    """Run a tool of the system. Raises `CardtableError`, with the last line of its errors, if it fails."""
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise CardtableError(
            text("install: there is no {command}: this machine starts its services in another way", command=command[0])
        ) from error
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines()
        reason = lines[-1] if lines else text("it failed")
        raise CardtableError(text("install: {command}: {reason}", command=" ".join(command), reason=reason)) from error
