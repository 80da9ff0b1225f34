"""A USB stick in the emulated machine: a backup is saved on it and put back from outside, as a phone does it."""

from __future__ import annotations

import re
import subprocess
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import httpx

from tools.release_chroots import ReleaseError, call

LABEL: Final = "CARDS"
SIZE: Final = 64 * 1024 * 1024
LONGEST_S: Final = 600.0
PAUSE_S: Final = 2.0
_CODE: Final = re.compile(r"http://\S+ .*?(\d{6})\.")
"""Address and code of the first start, as the console shows them."""


def make_stick(file: Path) -> None:
    """Write the image of an empty stick, one FAT file system as it comes from the shop."""
    with file.open("wb") as empty:
        empty.truncate(SIZE)
    call(["mkfs.vfat", "-n", LABEL, file])


def plugged_in(file: Path) -> list[str]:
    """Return the arguments with which the emulated machine has the stick in a USB socket."""
    stick = ("-drive", f"file={file},format=raw,if=none,id=stick")
    return ["-device", "qemu-xhci", *stick, "-device", "usb-storage,drive=stick,removable=on"]


def save_and_put_back(client: httpx.Client, console: Path) -> str:
    """Become the director's phone, save a backup on the stick and put it back.

    `client`: asks the table's page. Returns the name of the backup. Raises `ReleaseError`.
    """
    become_director(client, console)
    stick = until("the table finds no stick", lambda: care_state(client).get("sticks"))[0]
    if stick["label"] != LABEL:
        raise ReleaseError(f"the stick is called {stick['label']}, not {LABEL}")
    print(post(client, "/care/do", {"do": "save", "value": stick["place"]})["said"], flush=True)
    (backup,) = care_state(client)["sticks"][0]["backups"]
    before = post(client, "/care/do", {"do": "restore", "value": backup["file"]})["session"]
    until("the table is not opened again", lambda: care_state(client).get("session", before) != before)
    notice = until("the table does not say what it has put back", lambda: _notice(client))
    print(f"opened again: {notice}", flush=True)
    return str(backup["name"])


def become_director(client: httpx.Client, console: Path) -> None:
    """Make the client the director's phone by the code on the console. Raises `ReleaseError`."""
    code = until("no code on the console", lambda: _CODE.findall(console.read_text("utf-8", "replace")))[-1]
    post(client, "/director", {"pin": code})


def check_stick(file: Path, name: str, folder: Path) -> None:
    """Check that the stick, pulled out without a word, has the whole backup `name`. Raises `ReleaseError`."""
    copy = folder / name
    call(["mcopy", "-i", file, f"::{name}", copy])
    with zipfile.ZipFile(copy) as packed:
        if damaged := packed.testzip():
            raise ReleaseError(f"{name}: {damaged} is damaged")
        names = packed.namelist()
    checked = subprocess.run(["fsck.vfat", "-n", str(file)], capture_output=True, text=True, check=False)
    print(f"{name}: {', '.join(sorted(names))}; fsck.vfat: exit status {checked.returncode}", flush=True)
    if "table.toml" not in names:
        raise ReleaseError(f"{name} lacks the configuration")


def until(missing: str, look: Callable[[], Any], longest_s: float = LONGEST_S) -> Any:
    """Return what `look` finds, as soon as it finds something. Raises `ReleaseError` with `missing`."""
    end = time.monotonic() + longest_s
    while time.monotonic() < end:
        try:
            if found := look():
                return found
        except (httpx.TransportError, ValueError, OSError):  # the table is being opened
            pass
        time.sleep(PAUSE_S)
    raise ReleaseError(missing)


def care_state(client: httpx.Client) -> dict[str, Any]:
    """Return what the page of care shows; {"refused": sentence} to a phone that may not see it."""
    state: dict[str, Any] = client.get("/care/state.json").json()
    return state


def _notice(client: httpx.Client) -> str | None:
    notice: str | None = client.get("/state.json").json().get("notice")
    return notice


def post(client: httpx.Client, path: str, content: dict[str, str]) -> dict[str, Any]:
    """Ask the table for something; return its answer. Raises `ReleaseError` if it refuses."""
    answer = client.post(path, json=content)
    said: dict[str, Any] = answer.json()
    if answer.status_code != 200:
        raise ReleaseError(f"{path}: {answer.status_code} {said.get('refused', said)}")
    return said
