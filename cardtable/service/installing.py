"""Installing services: who they run as, the files that are written, and the tools of the system that are called."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from cardtable.errors import CardtableError, UsageError, why
from cardtable.terminal.output import say
from engine.texts import text

FIRST_CONFIG: Final = """\
# The board asks first what every table needs: language, network, camera, mat, players. It writes false here at the end.
# `cardtable config` prints every key, with its default and its meaning.
first_start = true
"""
"""The configuration of a table that has none yet."""


def service_user(named: str | None) -> str:
    """Return the user whom a service runs as: `named`, or who called sudo. Raises `UsageError` for an unknown one."""
    user = named or os.environ.get("SUDO_USER") or pwd.getpwuid(os.getuid()).pw_name
    try:
        pwd.getpwnam(user)
    except KeyError as error:
        raise UsageError(text("install: --user: there is no user {user!r} on this machine", user=user)) from error
    return user


def check_rights(into: Path | None, example: str) -> None:
    """Raise `UsageError`, with a command as an `example`, if the files go to /etc and this user may not write there."""
    if into is None and os.geteuid() != 0:
        raise UsageError(text("install: writing below /etc needs more rights: {example}", example=example))


def write_first_config(path: Path, user: str) -> None:
    """Write the configuration `path`, for `user` to change, if there is none. Raises `CardtableError`."""
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
    """Run a tool of the system that must succeed. Raises `CardtableError` with its last words."""
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
