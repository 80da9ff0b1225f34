"""Build the firmware and the simulator that runs it: `make firmware`, or `python -m firmware_bridge.building`.

Nothing is downloaded: the compiler and Arduino's core come from the Debian packages in `PACKAGES`. Results are cached
by a digest of the sources.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.texts import text
from firmware_bridge import NotBuilt

PACKAGES: Final = ("gcc", "libc6-dev", "gcc-avr", "avr-libc", "arduino-core-avr", "libsimavr-dev", "libelf-dev")
"""The Debian packages with the tools."""

_HERE: Final = Path(__file__).parent
SKETCH: Final = _HERE / "arduino" / "cardtable"
SIMULATOR: Final = _HERE / "simulator"
_ARDUINO: Final = Path("/usr/share/arduino/hardware/arduino/avr")
_HERTZ: Final = 16_000_000
_CORE_VERSION: Final = 10808


@dataclass(frozen=True, slots=True)
class Board:
    """An Arduino model: microcontroller, preprocessor macro, directory of the pin layout, memory sizes in bytes."""

    mcu: str
    macro: str
    variant: str
    flash: int
    ram: int


BOARDS: Final = {
    "uno": Board("atmega328p", "ARDUINO_AVR_UNO", "standard", 32256, 2048),
    "nano": Board("atmega328p", "ARDUINO_AVR_NANO", "eightanaloginputs", 30720, 2048),
    "mega": Board("atmega2560", "ARDUINO_AVR_MEGA2560", "mega", 253952, 8192),
}


@dataclass(frozen=True, slots=True)
class Firmware:
    """Firmware built for a board: `elf` for the simulator, `hex` for flashing, and its flash and RAM use in bytes."""

    elf: Path
    hex: Path
    flash: int
    ram: int


def default_folder() -> Path:
    """Return the default build directory, in the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "cardtable" / "firmware"


def build_firmware(board: str = "uno") -> Firmware:
    """Return the firmware for `board` (a key of `BOARDS`), built if necessary. Raises `NotBuilt`."""
    kind, folder = BOARDS[board], default_folder()
    name = f"cardtable-{board}-{_digest(SKETCH)}"
    elf, image = folder / f"{name}.elf", folder / f"{name}.hex"
    with _locked(folder):
        if not image.exists():
            if not _ARDUINO.is_dir():
                raise _missing("Arduino's core for AVR")
            work = folder / name
            work.mkdir(exist_ok=True)
            _compile(kind, work, elf)
            _run(["avr-objcopy", "-O", "ihex", "-R", ".eeprom", str(elf), str(work / "image")])
            (work / "image").replace(image)
            shutil.rmtree(work)
        flash, ram = _size(elf)
    return Firmware(elf, image, flash, ram)


def build_simulator() -> Path:
    """Return the path of the simulator, built if necessary. Raises `NotBuilt`."""
    folder = default_folder()
    program = folder / f"board-{_digest(SIMULATOR)}"
    with _locked(folder):
        if not program.exists():
            if not Path("/usr/include/simavr").is_dir():
                raise _missing("the AVR simulator")
            made = program.with_suffix(".new")
            sources = sorted(map(str, SIMULATOR.glob("*.c")))
            _run(["gcc", "-std=gnu11", "-O2", "-o", str(made), *sources, "-lsimavr", "-lelf", "-lutil"])
            made.replace(program)
    return program


def _compile(board: Board, work: Path, elf: Path) -> None:
    """Compile and link as the Arduino IDE does: the sketch with its `src`, the libraries, and the core's archive."""
    core = _ARDUINO / "cores" / "arduino"
    spi = _ARDUINO / "libraries" / "SPI" / "src"
    includes = [core, _ARDUINO / "variants" / board.variant, spi, _ARDUINO / "libraries" / "EEPROM" / "src"]
    common = ["-c", "-Os", "-ffunction-sections", "-fdata-sections", "-flto", f"-mmcu={board.mcu}"]
    common += [f"-DF_CPU={_HERTZ}L", f"-DARDUINO={_CORE_VERSION}", "-DARDUINO_ARCH_AVR", f"-D{board.macro}"]
    # Arduino's WString needs DECIMAL_DIG, which avr-libc's float.h does not define.
    common += ["-DDECIMAL_DIG=__DECIMAL_DIG__", *(f"-I{path}" for path in includes)]
    languages = {
        ".c": ["avr-gcc", "-std=gnu11", "-fno-fat-lto-objects"],
        ".cpp": ["avr-g++", "-std=gnu++11", "-fno-exceptions", "-fno-threadsafe-statics"],
        ".S": ["avr-gcc", "-x", "assembler-with-cpp"],
    }
    ours = [*sorted((SKETCH / "src").rglob("*.c*")), SKETCH / "cardtable.ino", *spi.glob("*.cpp")]
    objects: list[str] = []
    archived: list[str] = []
    for number, source in enumerate([*sorted(core.iterdir()), *ours]):
        suffix = ".cpp" if source.suffix == ".ino" else source.suffix
        if suffix not in languages:
            continue
        strict = ["-Wall", "-Wextra", "-Werror"] if SKETCH in source.parents else ["-w"]
        sketch = ["-include", "Arduino.h", "-x", "c++"] if source.suffix == ".ino" else []
        compiled = str(work / f"{number}.o")
        (archived if core in source.parents else objects).append(compiled)
        _run([*languages[suffix], *common, *strict, *sketch, str(source), "-o", compiled])
    _run(["avr-gcc-ar", "rcs", str(work / "core.a"), *archived])
    linking = ["avr-gcc", "-Os", "-flto", "-fuse-linker-plugin", "-Wl,--gc-sections", f"-mmcu={board.mcu}"]
    _run([*linking, *objects, str(work / "core.a"), "-lm", "-o", str(elf)])


def _size(elf: Path) -> tuple[int, int]:
    text, data, bss = map(int, _run(["avr-size", str(elf)]).splitlines()[1].split()[:3])
    return text + data, data + bss


def _digest(folder: Path) -> str:
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".c", ".cpp", ".h", ".ino"):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on `folder`, which is created if necessary. Raises `NotBuilt` if it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        message = f"{error.filename or folder} cannot be written: {error.strerror}; another place: XDG_CACHE_HOME=/tmp"
        raise NotBuilt(message) from error


def _run(command: Sequence[str]) -> str:
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError as error:
        raise _missing(command[0]) from error
    except subprocess.CalledProcessError as error:
        first = next((line for line in error.stderr.splitlines() if re.search(r"error|undefined", line)), error.stderr)
        raise NotBuilt(text("{command} failed: {reason}", command=command[0], reason=first.strip())) from error


def _missing(what: str) -> NotBuilt:
    return NotBuilt(
        text(
            "{what} is missing; to install it: sudo apt-get install {packages}", what=what, packages=" ".join(PACKAGES)
        )
    )


def main(argv: Sequence[str]) -> int:
    """Build the firmware for the boards named in `argv`, or for all, into build/firmware, and print its memory use."""
    unknown = [name for name in argv if name not in BOARDS]
    if unknown:
        print(f"there is no board {unknown[0]!r}; known: {', '.join(BOARDS)}", file=sys.stderr)
        return 2
    for name in argv or BOARDS:
        board = BOARDS[name]
        try:
            built = build_firmware(name)
        except NotBuilt as error:
            print(f"firmware: {error}", file=sys.stderr)
            return 1
        image = Path("build/firmware") / f"cardtable-{name}.hex"
        try:
            image.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(built.hex, image)
        except OSError as error:
            print(f"firmware: {image} cannot be written: {error.strerror}", file=sys.stderr)
            return 1
        flash = f"{built.flash} of {board.flash} bytes of flash ({built.flash / board.flash:.0%})"
        ram = f"{built.ram} of {board.ram} bytes of RAM ({built.ram / board.ram:.0%})"
        print(f"{image}: {flash}, {ram}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
