"""`cardtable hub`: the hub of a club, as hub.toml describes it."""

from __future__ import annotations

import argparse
import re
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from cardtable.errors import CardtableError, UsageError, why
from cardtable.files import read_text
from cardtable.maintenance.install import UNITS, check_rights, run_tool, service_user, write_files
from cardtable.terminal.arguments import add_log_level, port, start_logging
from cardtable.terminal.input import new_pin
from cardtable.terminal.output import say
from cardtable.terminal.progress import load
from cardtable.web.connections import is_loopback
from cardtable_club.commands import add_hub
from cardtable_club.hub.unit import HUB, hub_unit
from engine.texts import text

SUMMARY = text("run the hub of a club: standings of many tables, a wall page, history, pairings")
ACTIVITY = text("starting the hub")
EXAMPLE = (
    "cardtable hub --network\n  cardtable hub -c hub.toml\n  cardtable hub --pairings round-1.csv\n"
    "  cardtable hub enroll table-1\n  sudo /opt/hub/bin/cardtable hub install -c hub.toml"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "task",
        nargs="?",
        choices=("enroll", "cut-off", "home-assistant", "pin", "install"),
        help=text(
            "enroll: print a code with which a table can enrol once, within an hour; cut-off: end its connections for "
            "ever, because it was stolen or sold; home-assistant: write key and certificates for Home Assistant; pin: "
            "set the PIN of the director's page; install: start the hub when the machine starts; without one: run the "
            "hub"
        ),
    )
    parser.add_argument("table", nargs="?", metavar="TABLE", help=text("the name of that table"))
    add_hub(parser)
    parser.add_argument("--user", metavar="NAME", help=text("install: who the hub runs as (default: who called sudo)"))
    parser.add_argument("--into", type=Path, metavar="DIR", help=text("write the files below DIR, and start nothing"))
    parser.add_argument("--port", type=port, metavar="N", help=text("serve the pages on port N"))
    parser.add_argument(
        "--network", action="store_true", help=text("let other devices open the pages, and tables reach the broker")
    )
    parser.add_argument(
        "--pairings",
        type=Path,
        metavar="FILE",
        help=text("store the seats of a round for the running hub, and end: lines of round,table,player,player"),
    )
    add_log_level(parser)


def run(args: argparse.Namespace) -> int:
    """Run until Ctrl-C, or store pairings; return 0. Raises `CardtableError`."""
    start_logging(args.log_level)
    if (args.task in ("enroll", "cut-off")) != (args.table is not None):
        raise UsageError(text("name the table: cardtable hub {task} table-1", task=args.task))
    try:
        load("cardtable_club.hub.service")
        from cardtable_club.hub.authority import Enrolment
        from cardtable_club.hub.config import read_hub_config
        from cardtable_club.hub.service import Hub, authority_of, director_file
        from cardtable_club.hub.store import Store, StoreError
    except ModuleNotFoundError as error:
        message = "the hub needs the package {name}: pip install 'cardtable[hub]'"
        raise CardtableError(text(message, name=error.name or "")) from error
    config = read_hub_config(args.config)
    if args.task == "install":
        return _install(args)
    changes: dict[str, Any] = {"port": args.port} if args.port is not None else {}
    changes |= {"network": True} if args.network else {}
    changes |= {"database": args.database} if args.database is not None else {}
    config = config.model_copy(update=changes)
    if args.pairings is not None:
        with closing(Store(config.database)) as store:
            return _store_pairings(args.pairings, store)
    folder = args.config.parent / "mosquitto"
    if args.task == "pin":
        return _set_pin(director_file(folder))
    if args.task is not None:
        if not config.broker.secure:
            raise UsageError(text("certificates need secure = true under [broker] in hub.toml"))
        authority = authority_of(config, folder)
        if args.task == "home-assistant":
            return _admit_home_assistant(authority, args.into or Path())
        with closing(Store(config.database)) as store:
            do = _invite if args.task == "enroll" else _cut_off
            return do(_table(args.table, args.task), Enrolment(store, authority), authority)
    with closing(Hub(config, folder)) as hub:
        if hub.mosquitto is not None:
            say(text("started mosquitto, the MQTT broker, at port {port}", port=config.broker.port), sys.stderr)
        elif hub.awaited is None and config.network and is_loopback(config.broker.host):
            message = "a broker was there at port {port}: other devices reach it only if its own configuration says so"
            say(text(message, port=config.broker.port), sys.stderr)
        if hub.awaited is not None:
            message = (
                "no MQTT broker answers at {host}:{port} ({why}): the hub waits for it; if it is another one, name it "
                "in hub.toml"
            )
            at = config.broker
            say(text(message, host=at.host, port=at.port, why=hub.awaited), sys.stderr)
        say(text("the wall: {url} (Ctrl-C ends)", url=hub.url), sys.stderr)
        try:
            hub.store.check()
        except StoreError as error:  # it is tried again; meanwhile the wall says so too
            say(text("the database cannot be used: {why}", why=str(error)), sys.stderr)
        hub.wait()
    return 0


def _install(args: argparse.Namespace) -> int:
    """Install the hub as a service that starts with the machine. A second run changes nothing."""
    if args.network or args.port is not None or args.database is not None:
        raise UsageError(text("a service reads hub.toml alone: write network, port and database there"))
    user = service_user(args.user)
    check_rights(args.into, "sudo /opt/hub/bin/cardtable hub install -c hub.toml")
    changed = write_files(args.into or Path("/"), {UNITS / HUB: hub_unit(user, Path(sys.executable), args.config)})
    if args.into is None:
        run_tool(["systemctl", "daemon-reload"])
        run_tool(["systemctl", "enable", HUB])
        run_tool(["systemctl", "restart" if changed else "start", HUB])
        say(text("the hub runs: systemctl status {unit}; its log: journalctl -u {unit}", unit=HUB))
    return 0


def _set_pin(path: Path) -> int:
    from cardtable.web.access import Access, Denied

    try:
        Access(path=path).set_pin(new_pin())
    except Denied as denied:
        raise UsageError(str(denied)) from denied
    say(text("the PIN is set; devices that used the old one must enter it again"), sys.stderr)
    return 0


def _store_pairings(path: Path, store: Any) -> int:
    from cardtable_club.hub.director import read_pairings
    from cardtable_club.hub.store import StoreError

    try:
        lines = read_text(path).splitlines()
    except OSError as error:
        raise UsageError(text("{path} cannot be read: {why}", path=path, why=why(error))) from error
    except UnicodeDecodeError as error:
        raise UsageError(text("{path} is not UTF-8 text", path=path)) from error
    seats = read_pairings(lines, str(path))
    try:
        store.assign(seats)
    except StoreError as error:
        raise CardtableError(text("the database cannot be used: {why}", why=str(error))) from error
    say(text("{count} seats are stored; the wall shows the last round", count=len(seats)), sys.stderr)
    return 0


def _admit_home_assistant(authority: Any, folder: Path) -> int:
    """Write the files with which Home Assistant connects to the broker, and print their names."""
    from cardtable_club.hub.authority import HOME_ASSISTANT

    for file in authority.issue_to(HOME_ASSISTANT, folder):
        sys.stdout.write(f"{file}\n")
    say(text("upload these files in the MQTT settings of Home Assistant, then delete the key here"), sys.stderr)
    return 0


def _table(name: str, task: str) -> str:
    """Check the name of a table and return it; Home Assistant can be cut off, too. Raises `UsageError`."""
    from cardtable_club.hub.authority import HOME_ASSISTANT, RESERVED
    from cardtable_club.member.messages import NAME

    allowed = name not in RESERVED or (task == "cut-off" and name == HOME_ASSISTANT)
    if not re.fullmatch(NAME, name) or not allowed:
        raise UsageError(text("{table!r} is not the name of a table", table=name))
    return name


def _cut_off(table: str, enrolment: Any, authority: Any) -> int:
    """Revoke the certificates of a table, even if the database cannot be used, and withdraw its code."""
    from cardtable_club.hub.store import StoreError

    try:
        withdrawn, trouble = enrolment.withdraw(table), None
    except StoreError as error:
        withdrawn, trouble = False, error
    count = authority.cut_off(table)
    if not count and not withdrawn and trouble is None:
        known = ", ".join(authority.tables()) or "–"
        raise UsageError(text("table {table} has no certificate and no code; known: {known}", table=table, known=known))
    say(text("certificates revoked: {count}", count=count), sys.stderr)
    if withdrawn:
        say(text("the code for this table is no longer valid"), sys.stderr)
    if trouble is not None:
        raise CardtableError(text("the database cannot be used: {why}", why=str(trouble))) from trouble
    return 0


def _invite(table: str, enrolment: Any, authority: Any) -> int:
    from cardtable_club.hub.store import StoreError

    try:
        code = enrolment.invite(table)
    except StoreError as error:
        raise CardtableError(text("the database cannot be used: {why}", why=str(error))) from error
    sys.stdout.write(f"{code}\n")
    say(text("enter it at the table: cardtable club {code} --hub http://…", code=code), sys.stderr)
    return 0
