"""`cardtable install`: make the table a service that starts with the machine."""

from __future__ import annotations

import argparse
import grp
import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from cardtable.errors import CardtableError, UsageError, why
from cardtable.service.install import CHROMIUM, COMPOSITORS
from cardtable.terminal.output import say
from engine.texts import text

SUMMARY = text("start the table when the machine starts: systemd units, and a name for the reader")
DOING = text("installing the service")
EXAMPLE = "sudo .venv/bin/cardtable install -c table.toml"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "-c", "--config", default="table.toml", metavar="FILE", help=text("the configuration (default: table.toml)")
    )
    parser.add_argument("--user", metavar="NAME", help=text("who the table runs as (default: who called sudo)"))
    parser.add_argument(
        "--display",
        nargs="?",
        const="cage",
        choices=COMPOSITORS,
        help=text(
            "on a machine without a desktop: show the board on the attached display, with cage (default) or labwc"
        ),
    )
    parser.add_argument("--into", type=Path, metavar="DIR", help=text("write the files below DIR, and start nothing"))


def run(args: argparse.Namespace) -> int:
    """Write the files that differ, and start the service. A second run changes nothing."""
    from cardtable.config.load import read_config
    from cardtable.play.games import checked
    from cardtable.service.install import DISPLAY, GROUPS, TABLE, Setting, buses, files, reachable

    path = Path(args.config).resolve()
    config = read_config(path)
    checked(config.header)
    user = args.user or os.environ.get("SUDO_USER") or pwd.getpwuid(os.getuid()).pw_name
    try:
        pwd.getpwnam(user)
    except KeyError as error:
        raise UsageError(text("install: --user: there is no user {user!r} on this machine", user=user)) from error
    if args.into is None and os.geteuid() != 0:
        raise UsageError(text("install: writing below /etc needs more rights: {example}", example=EXAMPLE))
    setting = Setting(
        user=user,
        python=Path(sys.executable),
        config=path,
        url=f"http://{reachable(config.board.host)}:{config.board.port}",
        groups=[name for name in GROUPS if name in {group.gr_name for group in grp.getgrall()}],
        display=args.display,
        browser=_browser(args.display, only_files=args.into is not None) if args.display else CHROMIUM,
    )
    changed = write(args.into or Path("/"), files(setting))
    for each in changed:
        say(text("written: {file}", file=each))
    if not changed:
        say(text("everything is in place already"))
    if args.into is None:
        services = [TABLE, *([DISPLAY] if args.display else [])]
        _call(["systemctl", "daemon-reload"])
        _call(["udevadm", "control", "--reload"])
        _call(["udevadm", "trigger", "--subsystem-match=tty"])
        if shutil.which("raspi-config") is not None:
            for bus in buses(config):
                _call(["raspi-config", "nonint", f"do_{bus}", "0"])
        _call(["systemctl", "enable", *services])
        _call(["systemctl", "restart" if changed else "start", *services])
        say(text("the table runs: systemctl status {unit}; its log: journalctl -u {unit}", unit=TABLE))
    return 0


def write(root: Path, wanted: Mapping[Path, str]) -> list[Path]:
    """Replace each file whose content differs and return their paths. Raises `CardtableError`."""
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
    return changed


def _browser(compositor: str, only_files: bool) -> Path:
    """Return the path of Chromium on this machine. Raises `UsageError` if it or the compositor is missing.

    `only_files`: nothing is started, and the files may be for another machine, so print a warning instead.
    """
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None or shutil.which(compositor) is None:
        missing = "install: --display needs {compositor} and Chromium: sudo apt install {compositor} chromium"
        message = text(missing, compositor=compositor)
        if not only_files:
            raise UsageError(message)
        say(text("cardtable: {message}", message=message), sys.stderr)
    return Path(found) if found else CHROMIUM


def _call(command: Sequence[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise CardtableError(
            text("install: there is no {command}: this machine starts its services in another way", command=command[0])
        ) from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip().splitlines()
        reason = said[-1] if said else text("it failed")
        raise CardtableError(text("install: {command}: {reason}", command=" ".join(command), reason=reason)) from error
