"""Update a memory card in the emulator, as the board does it: from a source of packages in its network, with apt.

The root of a card is read-only and small, and its updater's folder is on another partition: what works in an ordinary
system (`tools.release_updates`) is tried there too. A newer version of the package is served on this machine.
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tools.release_boot import LONGEST_S, Emulated, on_a_card
from tools.release_chroots import ReleaseError, call, step
from tools.release_stick import become_director, care_state, post, until
from tools.release_updates import newer

THIS_MACHINE: Final = "10.0.2.2"
"""Its address in the emulator's network."""
UPDATE_S: Final = 3000.0
SOURCES: Final = "etc/apt/sources.list"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder and prints nothing."""

    def log_message(self, *args: Any) -> None:
        """Print nothing."""


@contextlib.contextmanager
def served(folder: Path) -> Iterator[int]:
    """Serve a folder on this machine; yield the port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def write_sources(card: Path, line: str, folder: Path) -> None:
    """Make `line` the only source of packages on the card. Raises `ReleaseError`."""
    shown = subprocess.run(["sfdisk", "--json", str(card)], capture_output=True, text=True, check=True).stdout
    start = json.loads(shown)["partitiontable"]["partitions"][1]["start"] * 512
    content = folder / "sources"
    content.write_text(f"{line}\n", "utf-8")
    commands = folder / "commands"
    present = [f"rm {SOURCES}", "rm etc/apt/sources.list.d/debian.sources"]
    commands.write_text("\n".join([*present, f"write {content} {SOURCES}"]) + "\n", "utf-8")
    call(["debugfs", "-w", "-f", commands, f"{card}?offset={start}"])


def prove(image: Path, deb: Path, arch: str) -> None:
    """Update a copy of `image`, which has the package `deb` and perhaps that of the display, which lies beside it.

    Raises `ReleaseError`.
    """
    with on_a_card(image) as card, tempfile.TemporaryDirectory(dir=image.parent) as name:
        folder = Path(name)
        own = deb.stem.split("_")[1]
        packages = folder / "packages"
        packages.mkdir()
        for each in (deb, *deb.parent.glob(f"cardtable-kiosk_{own}_all.deb")):
            newer(each, f"99.1+{own}", packages)
        scanned = subprocess.run(
            ["dpkg-scanpackages", "--multiversion", "."], cwd=packages, capture_output=True, text=True, check=True
        )
        (packages / "Packages").write_text(scanned.stdout, "utf-8")
        with served(packages) as port:
            write_sources(card, f"deb [trusted=yes] http://{THIS_MACHINE}:{port} ./", folder)
            with Emulated(card, arch, folder / "console") as machine:
                with step("boot of a card whose source has a newer version"):
                    machine.await_lobby(LONGEST_S)
                become_director(machine.client, machine.console)
                with step("the card's system is updated"):
                    update(machine)


def update(machine: Emulated) -> None:
    """Ask for the newer version and wait until the table runs with it. Raises `ReleaseError`."""
    client = machine.client
    post(client, "/care/do", {"do": "check"})
    offer = until("no update is offered", lambda: care_state(client)["update"]["offer"])
    print(f"offered: {offer}", flush=True)
    post(client, "/care/do", {"do": "install"})

    def ended() -> dict[str, Any] | None:
        state: dict[str, Any] = care_state(client)["update"]
        return None if state["busy"] or state["offer"] else state

    state = until("the update does not end", ended, UPDATE_S)
    print(f"the board: {state['text']}", flush=True)
    if state["wrong"] or "99.1" not in state["text"]:
        raise ReleaseError(f"the update has failed: {state['text']}")
