"""Press a button on the pins of an emulated machine that runs from a card image: `python -m tools.release_pins`.

    python -m tools.release_pins --image build/packages/image/cardtable_0.2.0+deb13_arm64.img

The emulator has eight GPIO lines. On line 3 it has a power button, which its monitor presses for a tenth of a second. A
device tree says that the machine is a Raspberry Pi 4 and leaves that button to programs. On the image's kernel, the
environment of the image opens the pins as the table does, switches a light, dims another, is refused a pin that is in
use, and waits for the button. Needs root and, besides what `--boot` needs, the package device-tree-compiler.
"""

from __future__ import annotations

import argparse
import base64
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tools.release_boot import MACHINES, PAUSE_S, emulator, free_port, on_a_card
from tools.release_chroots import ReleaseError, reported, step

PRESSES: Final = 3
LONGEST_S: Final = 1200.0
PROGRAM: Final = """
import gpiod, threading, time
from gpiozero import Button, GPIOZeroError, LED, PWMLED
from hardware.pins import open_pins
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


def try_pins(image: Path, longest_s: float = LONGEST_S) -> list[str]:
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
            printed = _await(process, console, monitor, longest_s)
        finally:
            process.kill()
            process.wait()
    return printed


def _await(process: subprocess.Popen[bytes], console: Path, monitor: Path, longest_s: float) -> list[str]:
    """Press the button until the program is done; return its lines. Raises `ReleaseError`."""
    end = time.monotonic() + longest_s
    while time.monotonic() < end and process.poll() is None:
        lines = console.read_text("utf-8", "replace").splitlines() if console.exists() else []
        if "done" in lines:
            return [line for line in lines if line.startswith(EXPECTED)]
        if "ready" in lines:
            press(monitor)
        time.sleep(PAUSE_S)
    tail = console.read_text("utf-8", "replace")[-4000:] if console.exists() else ""
    raise ReleaseError(f"the button was not pressed in {longest_s:.0f} s; the end of the console:\n{tail}")


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
