"""Boot an image of a memory card in an emulator, look at its page from outside, and use a USB stick in it."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import httpx

from tools import release_stick
from tools.release_chroots import ReleaseError, step

LONGEST_S: Final = 3600.0
"""The emulator needs minutes for what a Raspberry Pi does in seconds; on a busy machine, up to an hour."""
PAUSE_S = 2.0
ROOM_BYTES: Final = 2_000 * 1024 * 1024
"""By so much the emulated card is larger than the image."""
PORT: Final = 8015
MACHINES: Final = {
    "arm64": (("qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a72"), "ttyAMA0"),
    # Without KVM: in a virtual machine it may lack instructions that the kernel or the program uses.
    "amd64": (("qemu-system-x86_64", "-machine", "q35", "-cpu", "max"), "ttyS0"),
}
"""For each architecture the emulated machine, and the device of its console."""


def started_from(image: Path) -> tuple[Path, Path]:
    """Return the files of kernel and initial RAM disk that belong to `image` and lie beside it."""
    return image.with_suffix(".vmlinuz"), image.with_suffix(".initrd")


def emulator(image: Path, arch: str, port: int, console: Path, more: Sequence[str] = (), start: str = "") -> list[str]:
    """Return the command that starts `image`, a copy that it may change; its page is at `port` of this machine.

    `more`: arguments for further devices; `start`: further arguments of the kernel.
    """
    machine, device = MACHINES[arch]
    kernel, initrd = started_from(image)
    return [
        *machine,
        *("-smp", "2", "-m", "2048", "-display", "none", "-serial", f"file:{console}", "-no-reboot"),
        *("-kernel", str(kernel), "-initrd", str(initrd)),
        *("-append", f"root=LABEL=ct-root ro console={device} {start}".strip()),
        *("-drive", f"file={image},format=raw,if=virtio", "-device", "virtio-rng-pci"),
        *("-netdev", f"user,id=net,hostfwd=tcp:127.0.0.1:{port}-:{PORT}", "-device", "virtio-net-pci,netdev=net"),
        *more,
    ]


def free_port() -> int:
    """Return a TCP port of this machine that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def opened(port: int) -> httpx.Client:
    """Return a client that asks the emulated table as a phone in its network does."""
    headers = {"Host": f"cardtable.local:{PORT}"}
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60, trust_env=False)


@contextlib.contextmanager
def on_a_card(image: Path) -> Iterator[Path]:
    """Yield a copy of `image` on a card that is larger, with its kernel beside it, in a folder of its own."""
    with tempfile.TemporaryDirectory(dir=image.parent) as folder:
        card = Path(folder) / "card.img"
        for source, copy in zip(started_from(image), started_from(card), strict=True):
            shutil.copyfile(source, copy)
        subprocess.run(["cp", "--sparse=always", str(image), str(card)], check=True)
        with card.open("r+b") as larger:
            larger.truncate(card.stat().st_size + ROOM_BYTES)
        yield card


def boot(image: Path, arch: str, longest_s: float = LONGEST_S) -> dict[str, Any]:
    """Boot a copy of `image`, built for `arch`, until its lobby is reached from outside; return the page's state.

    Saves a backup on a USB stick and puts it back; pulls the plug then, boots again from the same card, and waits for
    the lobby a second time. Raises `ReleaseError` with the end of the console.
    """
    with on_a_card(image) as card:
        folder, stick = card.parent, card.with_name("stick.img")
        release_stick.make_stick(stick)
        with Emulated(card, arch, folder / "console", release_stick.plugged_in(stick)) as machine:
            with step("boot, first start"):
                state = machine.await_lobby(longest_s)
            _print(state, "first start")
            with step("a backup on a USB stick, and back"):
                backup = release_stick.save_and_put_back(machine.client, machine.console)
            _check_room(machine.client)
        release_stick.check_stick(stick, backup, folder)
        with Emulated(card, arch, folder / "console") as machine:
            with step("boot, after pulling the plug"):
                state = machine.await_lobby(longest_s)
            _print(state, "after pulling the plug")
    return state


def _check_room(client: httpx.Client) -> None:
    """Check that the data of the table have grown to the end of the card, as the doctor says. Raises `ReleaseError`."""
    findings = client.get("/doctor/findings.json", timeout=300).json()["findings"]
    room = next(finding["text"] for finding in findings if " GB free in " in finding["text"])
    print(f"on a card {ROOM_BYTES / 1e9:.1f} GB larger than the image: {room}", flush=True)
    if float(room.split()[0]) * 1e9 < 0.8 * ROOM_BYTES:
        raise ReleaseError("the partition of the data has not grown with the card")


def _print(state: dict[str, Any], when: str) -> None:
    games = ", ".join(game["game"] for game in state["games"])
    print(f"{when}: the page from outside shows the {state['screen']}, with {games}", flush=True)


class Emulated:
    """A machine that runs from `card`; leaving the context pulls its plug. `console`: what it prints."""

    def __init__(self, card: Path, arch: str, console: Path, more: Sequence[str] = ()) -> None:
        self.console: Final = console
        port = free_port()
        self.client: Final = opened(port)
        self._process = subprocess.Popen(emulator(card, arch, port, console, more), stdin=subprocess.DEVNULL)

    def __enter__(self) -> Emulated:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()
        self.client.close()

    def await_lobby(self, longest_s: float) -> dict[str, Any]:
        """Wait until the lobby is reached from outside; return the page's state. Raises `ReleaseError`."""
        end = time.monotonic() + longest_s
        while time.monotonic() < end and self._process.poll() is None:
            try:
                state: dict[str, Any] = self.client.get("/state.json").json()
                if "screen" in state:  # absent while the table starts
                    page = self.client.get("/", follow_redirects=True).text
                    if state["screen"] != "lobby" or "<html" not in page.lower():
                        raise ReleaseError(f"the page does not show the lobby: {state['screen']}")
                    return state
            except (httpx.HTTPError, ValueError):  # it does not answer yet
                pass
            time.sleep(PAUSE_S)
        tail = self.console.read_text("utf-8", "replace")[-4000:] if self.console.exists() else ""
        raise ReleaseError(f"no lobby after {longest_s:.0f} s, or the emulator ended; the end of the console:\n{tail}")
