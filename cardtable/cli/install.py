"""`cardtable install`: make the table a service that starts with the machine."""

from __future__ import annotations

import argparse
import grp
import shutil
import sys
from pathlib import Path

from cardtable.errors import UsageError
from cardtable.maintenance.install import (
    CHROMIUM,
    COMPOSITORS,
    check_rights,
    run_tool,
    service_user,
    write_files,
    write_first_config,
)
from cardtable.terminal.arguments import add_config
from cardtable.terminal.output import say
from engine.texts import text

SUMMARY = text("start the table when the machine starts, and give the reader board's port a fixed name")
ACTIVITY = text("installing the service")
EXAMPLE = "sudo .venv/bin/cardtable install -c table.toml"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_config(parser)
    parser.add_argument(
        "--user", metavar="NAME", help=text("the user that the table runs as (default: the one who called sudo)")
    )
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
    """Write the files that differ, and start the service. A second run changes nothing.

    Without a configuration, one is written with which the board begins with the first start.
    """
    from cardtable.config.load import read_config
    from cardtable.evening.playing import checked
    from cardtable.maintenance.install import DISPLAY, GROUPS, TABLE, Installation, buses, files, reachable

    path = Path(args.config).resolve()
    user = service_user(args.user)
    check_rights(args.into, EXAMPLE)
    if args.into is None:
        write_first_config(path, user)
    config = read_config(path)
    checked(config.header)
    installation = Installation(
        user=user,
        python=Path(sys.executable),
        config=path,
        url=f"http://{reachable(config.board.host)}:{config.board.port}",
        groups=[name for name in GROUPS if name in {group.gr_name for group in grp.getgrall()}],
        display=args.display,
        browser=_browser(args.display, only_files=args.into is not None) if args.display else CHROMIUM,
    )
    changed = write_files(args.into or Path("/"), files(installation))
    if args.into is None:
        services = [TABLE, *([DISPLAY] if args.display else [])]
        run_tool(["systemctl", "daemon-reload"])
        run_tool(["udevadm", "control", "--reload"])
        run_tool(["udevadm", "trigger", "--subsystem-match=tty"])
        if shutil.which("raspi-config") is not None:
            for bus in buses(config):
                run_tool(["raspi-config", "nonint", f"do_{bus}", "0"])
        run_tool(["systemctl", "enable", *services])
        run_tool(["systemctl", "restart" if changed else "start", *services])
        say(text("the table is running: systemctl status {unit}; its log: journalctl -u {unit}", unit=TABLE))
    return 0


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
