"""Install the wheel with pipx in a clean system, as docs/start/build-a-table.md says, and try it there.

    python -m tools.release.wheel --suite trixie --arch amd64 --work build/packages

The records, pictures and games of packaging/proof.py must give what they give with this tree. What the wheel needs is
taken from the files that `tools.release.debian` has downloaded for the suite and architecture.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tools.release.checks import proof
from tools.release.chroots import MACHINES, SUITES, ReleaseError, call, options, reported, step, system, unpacked

EXTRAS: Final = "pi,displays"
NEEDED: Final = ("pipx", "libzbar0", "libgl1", "libglib2.0-0")
"""The packages that the document installs; apt knows newer names of some."""
DISPLAYS: Final = {"arm64": ("python3-spidev",)}
"""For the small displays of a Raspberry Pi."""
TOOLS: Final = ("pip", "setuptools", "wheel")
HOME: Final = "/root/.local"


def check(suite: str, arch: str, work: Path) -> None:
    """Install the wheel in a clean system, and use it. Raises `ReleaseError`."""
    wheels = work / "wheels" / f"{suite}-{arch}"
    found = sorted(wheels.glob("cardtable-*.whl"))
    if not found:
        raise ReleaseError(f"{wheels} has no wheel of the table: build the packages first (tools.release.debian)")
    wheel, name = found[-1], f"{suite} {arch}"
    with unpacked(system(suite, arch, "base", work), work) as chroot:
        with step(f"{name}: apt install pipx"):
            chroot.apt("update")
            chroot.apt("install", *NEEDED, *DISPLAYS.get(arch, ()))
        # pipx makes an environment with the newest of these.
        call([sys.executable, "-m", "pip", "download", "--quiet", "--dest", wheels, *TOOLS])
        chroot.put(wheels, "/wheels")
        with step(f"{name}: pipx install"):
            # Not --pip-args, which pipx does not use for pip itself.
            offline = ["env", "PIP_NO_INDEX=1", "PIP_FIND_LINKS=/wheels", "PIP_NO_COMPILE=1"]
            package = f"/wheels/{wheel.name}[{EXTRAS}]"
            chroot.run([*offline, "pipx", "install", "--system-site-packages", package], quiet=True)
        version = chroot.run([f"{HOME}/bin/cardtable", "--version"], quiet=True).strip()
        # Where pipx keeps its environments differs between its versions; the command names its interpreter.
        python = chroot.run(["head", "--lines=1", f"{HOME}/bin/cardtable"], quiet=True).strip().removeprefix("#!")
        print(f"{name}: {version}; {proof(chroot, name, work, wheel, python)}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the wheel in the systems that the arguments name; 0, or 1 with the message of the step that failed."""
    args = options("Install the wheel with pipx in clean systems, and use it.", selected=True).parse_args(arguments)

    def work() -> None:
        for suite in args.suite or SUITES:
            for arch in args.arch or MACHINES:
                check(suite, arch, args.work.resolve())

    return reported("make release", work)


if __name__ == "__main__":
    sys.exit(main())
