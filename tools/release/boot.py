"""Boot an image of a memory card in an emulator, look at its page from outside, and use a USB stick in it."""

from __future__ import annotations

import argparse
import base64
import contextlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import httpx

from tools.release.chroots import ReleaseError, call, reported, step

# A USB stick in the emulated machine: a backup is saved on it and put back from outside, as a phone does it.

LABEL: Final = "CARDS"
SIZE: Final = 64 * 1024 * 1024
STICK_LONGEST_S: Final = 600.0
STICK_PAUSE_S: Final = 2.0
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


def until(missing: str, look: Callable[[], Any], longest_s: float = STICK_LONGEST_S) -> Any:
    """Return what `look` finds, as soon as it finds something. Raises `ReleaseError` with `missing`."""
    end = time.monotonic() + longest_s
    while time.monotonic() < end:
        try:
            if found := look():
                return found
        except (httpx.TransportError, ValueError, OSError):  # the table is being opened
            pass
        time.sleep(STICK_PAUSE_S)
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
    content: dict[str, Any] = answer.json()
    if answer.status_code != 200:
        raise ReleaseError(f"{path}: {answer.status_code} {content.get('refused', content)}")
    return content


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
        make_stick(stick)
        with Emulated(card, arch, folder / "console", plugged_in(stick)) as machine:
            with step("boot, first start"):
                state = machine.await_lobby(longest_s)
            _print(state, "first start")
            with step("a backup on a USB stick, and back"):
                backup = save_and_put_back(machine.client, machine.console)
            _check_room(machine.client)
        check_stick(stick, backup, folder)
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


# Press a button on the pins of an emulated machine that runs from a card image: `python -m tools.release.boot`.
#
#     python -m tools.release.boot --image build/packages/image/cardtable_0.2.0+deb13_arm64.img
#
# The emulator has eight GPIO lines. On line 3 it has a power button, which its monitor presses for a tenth of a second.
# A device tree says that the machine is a Raspberry Pi 4 and leaves that button to programs. On the image's kernel, the
# environment of the image opens the pins as the table does, switches a light, dims another, is refused a pin that is in
# use, and waits for the button. Needs root and, besides what `--boot` needs, the package device-tree-compiler.

PRESSES: Final = 3
PINS_LONGEST_S: Final = 1200.0
PROGRAM: Final = """
import gpiod, threading, time
from gpiozero import Button, GPIOZeroError, LED, PWMLED
from hardware.wiring import open_pins
f = open_pins()
print("opened by", type(f).__name__, f.board_info.model, flush=True)
light = LED(4)
light.on()
print("light on", f.chip.get_info().label, light.value, flush=True)
light.off()
print("light off", light.value, flush=True)
dim, levels = PWMLED(5, initial_value=0.5), []
for _ in range(400):
    levels.append(dim.pin._request.get_value(5).value)
    time.sleep(.003)
print("dimmed:", sum(levels) * 100 // 400, "percent", flush=True)
dim.close()
other = gpiod.Chip("/dev/gpiochip0").request_lines({6: None})
try:
    LED(6)
except GPIOZeroError as e:
    print("taken:", e, flush=True)
b, pressed = Button(3), threading.Semaphore(0)
b.when_pressed = pressed.release
print("ready", flush=True)
for n in range(%d):
    pressed.acquire()
    print("pressed", n + 1, flush=True)
print("done", flush=True)
time.sleep(1e6)
"""
"""Runs as the first program of the machine, instead of systemd. The kernel takes 2,048 characters of arguments."""
EXPECTED: Final = ("opened by LineFactory 4B", "light on", "light off 0", "dimmed:", "taken:", f"pressed {PRESSES}")


def device_tree(file: Path) -> None:
    """Write the device tree of the emulated machine, as a Raspberry Pi 4 whose button switches nothing, to `file`."""
    machine, *more = MACHINES["arm64"][0][2:]
    dump = ["qemu-system-aarch64", "-machine", f"{machine},dumpdtb={file}", *more, "-smp", "2", "-m", "2048"]
    for command in (
        dump,
        ["fdtput", "-r", str(file), "/gpio-keys"],
        ["fdtput", "-c", str(file), "/system"],
        ["fdtput", "-t", "x", str(file), "/system", "linux,revision", "c03111"],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise ReleaseError(f"{command[0]}: {done.stderr.strip()}")


def press(monitor: Path) -> None:
    """Press the emulated machine's button for a tenth of a second."""
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(str(monitor))
        channel.settimeout(30)
        channel.recv(4096)  # its greeting
        channel.sendall(b"system_powerdown\n")
        channel.recv(4096)


def try_pins(image: Path) -> list[str]:
    """Return what the program printed on the machine that runs from a copy of `image`. Raises `ReleaseError`."""
    code = base64.b64encode((PROGRAM % PRESSES).encode()).decode()
    start = (
        "CARDTABLE_GPIOCHIP=/dev/gpiochip0 init=/opt/cardtable/bin/python panic=-1 -- "
        f"-c exec(__import__('base64').b64decode('{code}'))"
    )
    with on_a_card(image) as card:
        tree, console, monitor = (card.with_name(name) for name in ("tree", "console", "monitor"))
        device_tree(tree)
        more = ["-dtb", str(tree), "-monitor", f"unix:{monitor},server,nowait"]
        process = subprocess.Popen(emulator(card, "arm64", free_port(), console, more, start), stdin=subprocess.DEVNULL)
        try:
            printed = _await(process, console, monitor)
        finally:
            process.kill()
            process.wait()
    return printed


def _await(process: subprocess.Popen[bytes], console: Path, monitor: Path) -> list[str]:
    """Press the button until the program is done; return its lines. Raises `ReleaseError`."""
    end = time.monotonic() + PINS_LONGEST_S
    while time.monotonic() < end and process.poll() is None:
        lines = console.read_text("utf-8", "replace").splitlines() if console.exists() else []
        if "done" in lines:
            return [line for line in lines if line.startswith(EXPECTED)]
        if "ready" in lines:
            press(monitor)
        time.sleep(PAUSE_S)
    tail = console.read_text("utf-8", "replace")[-4000:] if console.exists() else ""
    raise ReleaseError(f"the button was not pressed in {PINS_LONGEST_S:.0f} s; the end of the console:\n{tail}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the pins of the image that the arguments name; 0, or 1 with what failed."""
    parser = argparse.ArgumentParser(description="Press a button on the pins of an emulated machine.")
    parser.add_argument("--image", type=Path, required=True, help="a card image for arm64, its kernel beside it")
    args = parser.parse_args(arguments)

    def make() -> None:
        with step("pins"):
            printed = try_pins(args.image)
        print("\n".join(printed))
        missing = [start for start in EXPECTED if not any(line.startswith(start) for line in printed)]
        if missing:
            raise ReleaseError(f"missing: {', '.join(missing)}")

    return reported("the pins", make)


if __name__ == "__main__":
    sys.exit(main())
