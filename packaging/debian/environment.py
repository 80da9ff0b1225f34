"""Fill the Python environment of the package; debian/rules runs this with the Python of the chroot.

    python3 debian/environment.py --wheels wheels --root debian/cardtable --machine aarch64

Installs the wheel of cardtable and what it needs from the folder `--wheels`, without a network, into
`opt/cardtable` below `--root`, for machines of the kind `--machine` (x86_64 or aarch64). Deletes files that the program
does not need, compiles the rest, and writes the command, the systemd units, the udev rules and the dependency on the
Python version. Nothing of the environment is executed here but pure Python, so that amd64 builds for arm64.
"""

from __future__ import annotations

import argparse
import compileall
import os
import py_compile
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

HOME: Final = Path("opt/cardtable")
EXTRAS: Final = "pi,displays,club"
VERSION: Final = f"{sys.version_info.major}.{sys.version_info.minor}"
PYTHON: Final = f"/usr/bin/python{VERSION}"

FOLDERS: Final = (
    "**/tests",  # the tests of numpy and others
    "**/__pycache__",
    "bin",  # commands of other packages
    "cv2/qt",  # windows: the program opens none
    "numpy/_core/include",
    "numpy/distutils",
    "numpy/f2py",
    "numpy/random/lib",
    "onnxruntime/backend",
    "onnxruntime/datasets",
    "onnxruntime/quantization",
    "onnxruntime/tools",
    "onnxruntime/transformers",
)
"""Folders of the environment that the program does not need, as patterns below site-packages."""

FILES: Final = ("**/*.pyi", "**/*.pyx", "**/*.pxd", "**/*.h", "**/*.a", "**/*.c")
"""Files that only matter when something is compiled or type-checked."""

OWN: Final = ("cardtable", "cardtable_club", "engine", "firmware_bridge", "hardware", "vision")
"""The program's own packages, which stay whole: the firmware of the readers is built from its .c and .h files."""


COMMAND: Final = f"""\
#!/{HOME}/bin/python
import sys

from cardtable.__main__ import main

sys.exit(main())
"""


def unneeded(packages: Path) -> Iterator[Path]:
    """Yield the files and folders below `packages` (site-packages) that the program does not need."""
    for pattern in (*FOLDERS, *FILES):
        yield from (path for path in packages.glob(pattern) if path.relative_to(packages).parts[0] not in OWN)
    locales = {"root", "en", *(file.stem for file in packages.glob("cardtable/locale/*.po"))}
    yield from (file for file in packages.glob("babel/locale-data/*.dat") if file.stem not in locales)


def needed_libraries(file: Path) -> set[str]:
    """Return the names of the libraries that a shared library needs itself. Raises `CalledProcessError`."""
    shown = subprocess.run(["readelf", "--dynamic", str(file)], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", shown))


def unused_libraries(folder: Path, module: Path) -> Iterator[Path]:
    """Yield the libraries in `folder` that `module` does not need, and that those it needs do not need either."""
    used: set[str] = set()
    waiting = needed_libraries(module)
    while waiting:
        name = waiting.pop()
        file = folder / name
        if name not in used and file.exists():
            waiting |= needed_libraries(file)
        used.add(name)
    yield from (file for file in folder.iterdir() if file.name not in used)


def trim(packages: Path) -> None:
    """Delete what `unneeded` yields, and the libraries that OpenCV needs for windows only."""
    paths = [*unneeded(packages), *unused_libraries(packages / "opencv_python.libs", packages / "cv2" / "cv2.abi3.so")]
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    for folder in sorted((path for path in packages.rglob("*") if path.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


def set_modes(packages: Path) -> None:
    """Make all files readable for everybody and only libraries executable; some wheels have odd modes."""
    for path in packages.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or ".so" in path.suffixes else 0o644)


def platforms(machine: str) -> list[str]:
    """Return the platform tags of wheels that run on `machine` with this system's C library or an older one."""
    libc = os.confstr("CS_GNU_LIBC_VERSION") or "glibc 2.28"
    newest = int(libc.split(".")[1])
    return [f"manylinux_2_{minor}_{machine}" for minor in range(newest, 16, -1)] + [f"manylinux2014_{machine}"]


def install(wheels: Path, packages: Path, machine: str) -> None:
    """Install cardtable with its extras from `wheels` into `packages`. Raises `CalledProcessError`."""
    (wheel,) = wheels.glob("cardtable-*.whl")
    command = [
        *(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--find-links", str(wheels)),
        *("--target", str(packages), "--no-compile", "--only-binary=:all:"),
        *(part for tag in platforms(machine) for part in ("--platform", tag)),
        f"{wheel}[{EXTRAS}]",
    ]
    subprocess.run(command, check=True)


def write_environment(home: Path) -> None:
    """Make the folder `home` an environment of the system's Python, with the command `cardtable`."""
    (home / "bin").mkdir(parents=True, exist_ok=True)
    # With the system's packages: spidev and picamera2 come from apt. The environment's own come first.
    configuration = f"home = /usr/bin\ninclude-system-site-packages = true\nversion = {VERSION}\n"
    (home / "pyvenv.cfg").write_text(configuration, "utf-8")
    for name in ("python", "python3"):
        (home / "bin" / name).symlink_to(PYTHON)
    command = home / "bin" / "cardtable"
    command.write_text(COMMAND, "utf-8")
    command.chmod(0o755)


def write_files(packages: Path, root: Path, debian: Path) -> None:
    """Write the units and udev rules for debhelper into `debian`, and the link to the command below `root`."""
    sys.path.insert(0, str(packages))
    from cardtable.maintenance.install import DISPLAY, RIGHTS, RULES, TABLE, UNITS, WATCHDOG, Installation, files

    installation = Installation(
        user="cardtable",
        python=Path("/", HOME, "bin/python"),
        config=Path("/etc/cardtable/table.toml"),
        url="http://127.0.0.1:8015",
        groups=(),  # the maintainer script adds the user to those that exist
        display="cage",
    )
    content = files(installation)
    for path, installed in (
        (debian / "cardtable.service", UNITS / TABLE),
        (debian / "cardtable-kiosk.cardtable-display.service", UNITS / DISPLAY),
        (debian / "cardtable.udev", RULES),
        (root / "usr/lib/systemd/system.conf.d/cardtable.conf", WATCHDOG),
        (root / "usr/share/polkit-1/rules.d/50-cardtable.rules", RIGHTS),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content[installed], "utf-8")
    following = f"{sys.version_info.major}.{sys.version_info.minor + 1}"
    dependency = f"cardtable:Python=python3 (>= {VERSION}~), python3 (<< {following}~)\n"
    (debian / "python.substvars").write_text(dependency, "utf-8")
    link = root / "usr/bin/cardtable"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(Path("/", HOME, "bin/cardtable"))


def compile_all(packages: Path, root: Path) -> None:
    """Compile all modules; the compiled ones are used without a look at their sources, which nothing changes."""
    compileall.compile_dir(
        packages,
        quiet=2,
        stripdir=str(root),
        prependdir="/",
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        maxlevels=30,
    )


def size(folder: Path) -> int:
    """Return the number of bytes of all files below `folder`."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if not file.is_dir() or file.is_symlink())


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the environment and print its size."""
    parser = argparse.ArgumentParser(description="Fill the Python environment of the package.")
    parser.add_argument("--wheels", type=Path, required=True)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--machine", choices=("x86_64", "aarch64"), required=True)
    args = parser.parse_args(arguments)
    sys.dont_write_bytecode = True
    home = args.root / HOME
    packages = home / "lib" / f"python{VERSION}" / "site-packages"
    packages.mkdir(parents=True)
    install(args.wheels, packages, args.machine)
    before = size(packages)
    trim(packages)
    set_modes(packages)
    write_environment(home)
    write_files(packages, args.root, Path("debian"))
    compile_all(packages, args.root)
    print(
        f"environment: {size(home) / 1e6:.0f} MB; as installed by pip, without compiled modules: {before / 1e6:.0f} MB"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
