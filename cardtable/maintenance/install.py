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

# Boards by Arduino, and compatible boards with a CH340: (vendor, product or None), from the USB id list.
_READERS: Final = (("2341", None), ("2a03", None), ("1a86", "7523"))


_LABWC_CONFIG: Final = """\
<?xml version="1.0"?>
<!-- The board of the card table fills the display. -->
<labwc_config>
  <windowRules>
    <windowRule identifier="*" serverDecoration="no"><action name="Maximize"/></windowRule>
  </windowRules>
</labwc_config>
"""
_LABWC_AUTOSTART: Final = """\
# Nothing: the system's own autostart would add a desktop, and a timer that blanks the display during a game.
"""

ALWAYS: Final = """\
Restart=always
RestartSec=2
# Ctrl-C and a stop by systemd are not failures.
SuccessExitStatus=130 143
NoNewPrivileges=yes

[Install]
WantedBy=multi-user.target
"""
"""The end of the unit of a service that starts with the machine, and again whenever it stops."""


@dataclass(frozen=True, slots=True)
class Setting:
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


def files(setting: Setting) -> Mapping[Path, str]:
    """Return the text of each file, by its path relative to the root."""
    out = {
        UNITS / TABLE: table_unit(setting),
        RULES: udev_rules(setting.user),
        RIGHTS: polkit_rules(setting.user),
        WATCHDOG: machine_watchdog(),
    }
    if setting.display:
        out[UNITS / DISPLAY] = display_unit(setting)
    if setting.display == "labwc":
        out |= {LABWC / "rc.xml": _LABWC_CONFIG, LABWC / "autostart": _LABWC_AUTOSTART}
    return out


def buses(config: TableConfig) -> list[str]:
    """Return the buses that the displays of a configuration need: `i2c`, `spi`."""
    used = {display.wiring.resolved_bus for display in config.display}
    return [bus for bus in ("i2c", "spi") if bus in used]


def machine_watchdog() -> str:
    """Return the part of systemd's configuration that restarts the machine itself if it hangs."""
    return "# The hardware watchdog of a Raspberry Pi ends after 15 s; without one this does nothing.\n" + (
        "[Manager]\nRuntimeWatchdogSec=15\n"
    )


def table_unit(setting: Setting) -> str:
    """Return the unit of the table. It is started at boot, and restarted whenever it stops or hangs."""
    groups = f"SupplementaryGroups={' '.join(setting.groups)}\n" if setting.groups else ""
    return f"""\
[Unit]
Description=The card table
After=network.target sound.target
# However often it fails, for example while a disk or a network port is not there yet: it is started again.
StartLimitIntervalSec=0

[Service]
Type=notify
# A slow memory card, or an emulator, needs longer than systemd's 90 s until everything is loaded.
TimeoutStartSec=10min
User={setting.user}
{groups}WorkingDirectory={unit_text(setting.config.parent, quote=False)}
# Where lgpio is installed, it drives the pins, and makes pipes in the folder LG_WD.
RuntimeDirectory=cardtable
Environment=CARDTABLE_LOG_LEVEL=info LG_WD=/run/cardtable
ExecStart={unit_text(setting.python)} -m cardtable run -c {unit_text(setting.config)}
# The program reports that it is alive only while cameras, readers, buttons, referee and journal make progress.
WatchdogSec=30
{ALWAYS}"""


def display_unit(setting: Setting) -> str:
    """Return the unit that shows the board on the attached display of a machine without a desktop.

    It runs a compositor with the browser in it; when the browser ends, both are restarted.
    """
    kiosk = f"{unit_text(setting.browser)} --kiosk --noerrdialogs --ozone-platform=wayland {setting.url}"
    command = (
        f"/usr/bin/cage -s -- {kiosk}" if setting.display != "labwc" else f"/usr/bin/labwc -C /{LABWC} -S '{kiosk}'"
    )
    return f"""\
[Unit]
Description=The card table's board on the attached display
Wants={TABLE} dbus.socket systemd-logind.service
After={TABLE} dbus.socket systemd-logind.service systemd-user-sessions.service getty@tty1.service
Conflicts=getty@tty1.service
ConditionPathExists=/dev/tty0
StartLimitIntervalSec=0

[Service]
User={setting.user}
PAMName=login
TTYPath=/dev/tty1
TTYReset=yes
TTYVHangup=yes
StandardInput=tty-fail
UtmpIdentifier=tty1
UtmpMode=user
ExecStart={command}
Restart=always
RestartSec=2

[Install]
WantedBy=multi-user.target
"""


def udev_rules(user: str) -> str:
    """Return udev rules: the reader is /dev/cardtable-reader on any port; pins, buses and USB sticks are for `user`."""
    lines = ["# Readers of the card table: a name that stays, and no modem programs that talk to it first."]
    for vendor, product in _READERS:
        which = f'ATTRS{{idVendor}}=="{vendor}"' + (f', ATTRS{{idProduct}}=="{product}"' if product else "")
        lines.append(
            f'SUBSYSTEM=="tty", {which}, GROUP="dialout", MODE="0660", '
            'SYMLINK+="cardtable-reader", ENV{ID_MM_DEVICE_IGNORE}="1"'
        )
    lines.append("# The pins of a Raspberry Pi and its buses for small displays; Debian leaves them to root.")
    for which in ('SUBSYSTEM=="gpio", KERNEL=="gpiochip*"', 'SUBSYSTEM=="i2c-dev"', 'SUBSYSTEM=="spidev"'):
        lines.append(f'{which}, OWNER="{user}"')
    lines.append("# USB sticks for backups, mounted below /run/media; nothing on them is executed.")
    for kinds, more in (("vfat", ",flush"), ("exfat|ntfs", "")):
        options = f"--owner={user} --options=nosuid,nodev,noexec{more}"
        mount = f"/usr/bin/systemd-mount --no-block --collect --fsck=no {options} $devnode /run/media/%k"
        lines.append(
            'ACTION=="add", SUBSYSTEM=="block", ENV{ID_BUS}=="usb", ENV{ID_FS_USAGE}=="filesystem", '
            f'ENV{{ID_FS_TYPE}}=="{kinds}", RUN+="{mount}"'
        )
    return "\n".join(lines) + "\n"


def polkit_rules(user: str) -> str:
    """Return polkit rules that let `user`, who is not logged in, do what the first start needs."""
    return f"""\
// The card table may join networks, make one, and set the time zone; nothing else.
polkit.addRule(function (action, subject) {{
    if (subject.user !== {json.dumps(user)}) {{
        return polkit.Result.NOT_HANDLED;
    }}
    if (action.id.indexOf("org.freedesktop.NetworkManager.") === 0) {{
        return polkit.Result.YES;
    }}
    if (action.id === "org.freedesktop.timedate1.set-timezone") {{
        return polkit.Result.YES;
    }}
    return polkit.Result.NOT_HANDLED;
}});
"""


def unit_text(path: Path, quote: bool = True) -> str:
    """Escape a path for a unit file: percent and dollar signs are special there, and spaces need quotes."""
    text = str(path).replace("%", "%%")
    if not quote:
        return text
    text = text.replace("$", "$$")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' if re.search(r"[\s\"'\\]", text) else text


FIRST_CONFIG: Final = """\
# The board asks first what every table needs: language, network, camera, mat, players. It writes false here at the end.
# `cardtable config` prints every key, with its default and its meaning.
first_start = true
"""
"""The configuration of a table that has none yet."""


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
    """Write the configuration `path`, owned by `user`, unless it exists. Raises `CardtableError`."""
    owner = pwd.getpwnam(user)
    try:
        with path.open("x", encoding="utf-8") as file:
            os.fchown(file.fileno(), owner.pw_uid, owner.pw_gid)
            file.write(FIRST_CONFIG)
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
            fresh = file.with_name(f".{file.name}.new")
            fresh.write_text(content, "utf-8")
            fresh.chmod(0o644)
            fresh.replace(file)
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
