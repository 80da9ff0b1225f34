"""`cardtable install`: the table as a service that starts with the machine."""

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

from cardtable.errors import CardtableError, UsageError
from cardtable.setting_up import CHROMIUM, COMPOSITORS

SUMMARY = "start the table with the machine: systemd units, and a name for the reader"
EXAMPLE = "sudo .venv/bin/cardtable install -c table.toml"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "-c", "--config", default="table.toml", metavar="FILE", help="the configuration (default: table.toml)"
    )
    parser.add_argument("--user", metavar="NAME", help="who the table runs as (default: who called sudo)")
    parser.add_argument(
        "--display",
        nargs="?",
        const="cage",
        choices=COMPOSITORS,
        help="on a machine without a desktop: show the board on the attached display, by cage (default) or labwc",
    )
    parser.add_argument("--into", type=Path, metavar="DIR", help="write the files below DIR, and start nothing")


def run(args: argparse.Namespace) -> int:
    """Write what differs, and start it. Run again it changes nothing."""
    from cardtable.app import checked
    from cardtable.config import read_config
    from cardtable.setting_up import DISPLAY, GROUPS, TABLE, Setting, files, reachable

    path = Path(args.config).resolve()
    config = read_config(path)
    checked(config.header)
    user = args.user or os.environ.get("SUDO_USER") or pwd.getpwuid(os.getuid()).pw_name
    try:
        pwd.getpwnam(user)
    except KeyError as error:
        raise UsageError(f"install: --user: there is no user {user!r} on this machine") from error
    if args.into is None and os.geteuid() != 0:
        raise UsageError(f"install: writing below /etc needs more rights: {EXAMPLE}")
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
        print(f"written: {each}")
    if not changed:
        print("everything is in place already")
    if args.into is None:
        services = [TABLE, *([DISPLAY] if args.display else [])]
        _call(["systemctl", "daemon-reload"])
        _call(["udevadm", "control", "--reload"])
        _call(["udevadm", "trigger", "--subsystem-match=tty"])
        _call(["systemctl", "enable", *services])
        _call(["systemctl", "restart" if changed else "start", *services])
        print(f"the table runs: systemctl status {TABLE}; its log: journalctl -u {TABLE}")
    return 0


def write(root: Path, wanted: Mapping[Path, str]) -> list[Path]:
    """Write each file that is not as wanted, whole; those that were written. Raises `CardtableError`."""
    changed = []
    for path, text in wanted.items():
        file = root / path
        try:
            if file.exists() and file.read_text("utf-8") == text:
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            fresh = file.with_name(f".{file.name}.new")
            fresh.write_text(text, "utf-8")
            fresh.chmod(0o644)
            fresh.replace(file)
        except OSError as error:
            raise CardtableError(f"install: {file} cannot be written: {error.strerror}") from error
        changed.append(file)
    return changed


def _browser(compositor: str, only_files: bool) -> Path:
    """Chromium, under the name that it has on this machine; the compositor must be there too.

    `only_files`: nothing is started, and the files may be for another machine.
    """
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None or shutil.which(compositor) is None:
        told = f"install: --display needs {compositor} and Chromium: sudo apt install {compositor} chromium"
        if not only_files:
            raise UsageError(told)
        print(f"cardtable: {told}", file=sys.stderr)
    return Path(found) if found else CHROMIUM


def _call(command: Sequence[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise CardtableError(
            f"install: there is no {command[0]}: this machine starts its services otherwise"
        ) from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip().splitlines()
        raise CardtableError(f"install: {' '.join(command)}: {said[-1] if said else 'it failed'}") from error
