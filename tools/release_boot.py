"""Boot an image of a memory card in an emulator, and look at its page from outside."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Final

from tools.release_chroots import ReleaseError, step

LONGEST_S: Final = 1500.0
"""The emulator needs minutes for what a Raspberry Pi does in seconds."""
PAUSE_S = 2.0
PORT: Final = 8015
MACHINES: Final = {
    "arm64": (("qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a72"), "ttyAMA0"),
    # Without KVM: in a virtual machine it may lack instructions that the kernel or the program uses.
    "amd64": (("qemu-system-x86_64", "-machine", "q35", "-cpu", "max"), "ttyS0"),
}
"""For each architecture the emulated machine, and the device of its console."""


def emulator(image: Path, arch: str, port: int, console: Path) -> list[str]:
    """Return the command that starts `image`, a copy that it may change; its page is at `port` of this machine."""
    machine, device = MACHINES[arch]
    return [
        *machine,
        *("-smp", "2", "-m", "2048", "-display", "none", "-serial", f"file:{console}", "-no-reboot"),
        *("-kernel", str(image.with_name("vmlinuz")), "-initrd", str(image.with_name("initrd.img"))),
        *("-append", f"root=LABEL=ct-root ro console={device}"),
        *("-drive", f"file={image},format=raw,if=virtio", "-device", "virtio-rng-pci"),
        *("-netdev", f"user,id=net,hostfwd=tcp:127.0.0.1:{port}-:{PORT}", "-device", "virtio-net-pci,netdev=net"),
    ]


def free_port() -> int:
    """Return a TCP port of this machine that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def fetch(port: int, path: str) -> bytes | None:
    """Return what the emulated table answers, asked as a phone in its network asks; None if it does not answer yet."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Host": f"cardtable.local:{PORT}"})
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as answer:
            return bytes(answer.read())
    except (OSError, urllib.error.URLError):
        return None


def boot(image: Path, arch: str, longest_s: float = LONGEST_S) -> dict[str, Any]:
    """Boot a copy of `image`, built for `arch`, until its lobby is reached from outside; return the page's state.

    Pulls the plug then, boots again from the same card, and waits for the lobby a second time. Raises `ReleaseError`
    with the end of the console.
    """
    state: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(dir=image.parent) as folder:
        card = Path(folder) / "card.img"
        for name in ("vmlinuz", "initrd.img"):
            shutil.copyfile(image.with_name(name), card.with_name(name))
        subprocess.run(["cp", "--sparse=always", str(image), str(card)], check=True)
        for attempt in ("first start", "after pulling the plug"):
            with step(f"boot, {attempt}"):
                state = _until_lobby(card, arch, Path(folder) / "console", longest_s)
            games = ", ".join(game["game"] for game in state["games"])
            print(f"{attempt}: the page from outside shows the {state['screen']}, with {games}", flush=True)
    return state


def _until_lobby(card: Path, arch: str, console: Path, longest_s: float) -> dict[str, Any]:
    port = free_port()
    process = subprocess.Popen(emulator(card, arch, port, console), stdin=subprocess.DEVNULL)
    end = time.monotonic() + longest_s
    try:
        while time.monotonic() < end and process.poll() is None:
            answer = fetch(port, "/state.json")
            state: dict[str, Any] = json.loads(answer) if answer is not None else {}
            if "screen" in state:  # absent while the table starts
                page = fetch(port, "/")
                if state["screen"] != "lobby" or page is None or b"<html" not in page.lower():
                    raise ReleaseError(f"the page does not show the lobby: {state['screen']}")
                return state
            time.sleep(PAUSE_S)
    finally:
        process.kill()
        process.wait()
    tail = console.read_text("utf-8", "replace")[-4000:] if console.exists() else ""
    raise ReleaseError(f"no lobby after {longest_s:.0f} s, or the emulator ended; the end of the console:\n{tail}")
