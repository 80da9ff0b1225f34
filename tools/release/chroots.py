"""Clean Debian systems for building and trying packages: made once by mmdebstrap, unpacked for each use.

Needs root, the packages mmdebstrap and, for another architecture than this machine's, qemu-user-static with
binfmt-support (`update-binfmts --display qemu-aarch64` says enabled).
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class Suite:
    """A Debian release. `number`: its number; `python`: its version of Python; `libc`: the minor version of glibc 2."""

    name: str
    number: int
    python: str
    libc: int


SUITES: Final = {suite.name: suite for suite in (Suite("bookworm", 12, "3.11", 36), Suite("trixie", 13, "3.13", 41))}
WORK: Final = Path(__file__).parents[2] / "build" / "packages"
MACHINES: Final = {"amd64": "x86_64", "arm64": "aarch64"}
"""Debian's names of the architectures, and the kernel's."""
NATIVE: Final = {machine: name for name, machine in MACHINES.items()}.get(platform.machine(), "")

EMULATED: Final = {} if NATIVE == "arm64" else {"QEMU_CPU": "cortex-a72"}
"""For qemu-user: the processor of a Raspberry Pi 4. By default it is one with SVE and pointer authentication, whose
emulation more than doubles the time of a picture (docs/how-to/releasing.md)."""

BUILD_TOOLS: Final = ("debhelper", "fakeroot", "lintian", "python3", "python3-pip")
# Under emulation the questions of debconf take a minute at each installation, and are not asked.
_APT: Final = ("#clear DPkg::Pre-Install-Pkgs", 'Acquire::Languages "none"', 'Acquire::Retries "3"')


class ReleaseError(Exception):
    """A step of the release failed. The message says what to do, or is the end of the output."""


@dataclass(frozen=True, slots=True)
class Chroot:
    """An unpacked system in the folder `root`."""

    root: Path

    def run(self, command: Sequence[str], *, quiet: bool = False, check: bool = True) -> str:
        """Run `command` as root in the system, with its own processes and mounts; return what it printed.

        Everything that it starts ends with it, and every mount disappears with it. `quiet`: do not print the output
        too. Raises `ReleaseError` if it fails and `check` is true.
        """
        return self._start(["chroot", str(self.root), *command], {}, quiet, check)

    def apt(self, *arguments: str) -> str:
        """Run apt-get for the system with this machine's apt, which an emulated one would take minutes for.

        Only dpkg and the maintainer scripts run in the system. A package file is given by its path on this machine,
        below `root`. Raises `ReleaseError` if it fails.
        """
        arch = self.run(["dpkg", "--print-architecture"], quiet=True).strip()
        with tempfile.NamedTemporaryFile("w", prefix="apt-", suffix=".conf") as configuration:
            configuration.write(
                f'Dir "{self.root}/";\nDPkg::Chroot-Directory "{self.root}";\n'
                f'APT::Architecture "{arch}";\nAPT::Architectures "{arch}";\nAPT::Sandbox::User "root";\n'
            )
            configuration.flush()
            options = ["-qq", "-y", "-o", "APT::Install-Recommends=false", "-o", "Dpkg::Use-Pty=false"]
            return self._start(["apt-get", *options, *arguments], {"APT_CONFIG": configuration.name}, True, True)

    def _start(self, command: Sequence[str], more: Mapping[str, str], quiet: bool, check: bool) -> str:
        apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={self.root}/proc"]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        environment |= {name: os.environ[name] for name in os.environ if name.lower().endswith("_proxy")}
        process = subprocess.Popen(
            [*apart, *command],
            env=environment | EMULATED | {"HOME": "/root"} | more,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        lines = []
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if not quiet:
                sys.stdout.write(f"    {line}")
                sys.stdout.flush()
        if process.wait() and check:
            raise ReleaseError(f"{' '.join(command)}: exit status {process.returncode}\n{''.join(lines[-20:])}")
        return "".join(lines)

    def put(self, source: Path, target: str) -> None:
        """Copy a file or folder into the system, to the absolute path `target`."""
        destination = self.root / target.lstrip("/")
        destination.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, destination, symlinks=True)
        else:
            shutil.copy2(source, destination)


def call(command: Sequence[str | Path], folder: Path | None = None) -> None:
    """Run a command of this machine; raises `ReleaseError` with the end of its output if it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=os.environ | EMULATED,
        capture_output=True,
        text=True,
        check=False,
        errors="replace",
    )
    if done.returncode:
        raise ReleaseError(f"{command[0]}: exit status {done.returncode}\n{(done.stdout + done.stderr)[-3000:]}")


def options(description: str, selected: bool = False) -> argparse.ArgumentParser:
    """Return a parser with `--work`, the folder for everything made. `selected`: with `--arch` and `--suite` too."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--work", type=Path, default=WORK, help="default: build/packages")
    if selected:
        parser.add_argument("--arch", choices=tuple(MACHINES), action="append", help="default: all")
        parser.add_argument("--suite", choices=tuple(SUITES), action="append", help="default: all")
    return parser


def reported(command: str, work: Callable[[], None]) -> int:
    """Do `work` and return 0; or print the message of the step that failed, after `command`, and return 1."""
    try:
        work()
    except ReleaseError as error:
        print(f"{command}: {error}", file=sys.stderr)
        return 1
    return 0


@contextlib.contextmanager
def step(name: str) -> Iterator[None]:
    """Print `name`, and after the step the seconds it took."""
    print(f"{name} ...", flush=True)
    start = time.monotonic()
    yield
    print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)


def check_machine(arch: str) -> None:
    """Raise `ReleaseError` if this machine cannot make systems of the architecture `arch`."""
    if os.geteuid() != 0:
        raise ReleaseError("clean systems are made by root: sudo make deb")
    for program in ("mmdebstrap", "unshare"):
        if shutil.which(program) is None:
            raise ReleaseError(f"there is no {program}: sudo apt install {program}")
    if arch != NATIVE and not Path(f"/proc/sys/fs/binfmt_misc/qemu-{MACHINES[arch]}").exists():
        raise ReleaseError(
            f"this machine does not run programs for {arch}: sudo apt install qemu-user-static binfmt-support, then "
            f"sudo update-binfmts --enable qemu-{MACHINES[arch]}"
        )


def system(suite: str, arch: str, kind: str, work: Path, include: Sequence[str] = ()) -> Path:
    """Return the archive of a clean system, made if `work` has none yet.

    `kind`: "build", with what builds packages, or "base", the least that has apt. `include`: further packages.
    """
    archive = work / "chroots" / f"{kind}-{suite}-{arch}.tar"
    if archive.exists():
        return archive
    check_machine(arch)
    archive.parent.mkdir(parents=True, exist_ok=True)
    packages = [*include, *(BUILD_TOOLS if kind == "build" else ())]
    command = [
        *("mmdebstrap", f"--variant={'buildd' if kind == 'build' else 'apt'}", f"--arch={arch}"),
        *(f"--aptopt={option}" for option in _APT),
        # Nothing has to survive a power cut here, and documents in ten languages are of no use.
        *(
            "--dpkgopt=force-unsafe-io",
            "--dpkgopt=path-exclude=/usr/share/man/*",
            "--dpkgopt=path-exclude=/usr/share/locale/*",
        ),
        *([f"--include={','.join(packages)}"] if packages else []),
        *("--format=tar", suite, str(archive.with_suffix(".new"))),
    ]
    with step(f"{suite} {arch}: a clean system ({kind})"):
        call(command)
    archive.with_suffix(".new").rename(archive)
    return archive


@contextlib.contextmanager
def unpacked(archive: Path, work: Path) -> Iterator[Chroot]:
    """Unpack a system into a temporary folder below `work`, which is deleted afterwards."""
    work.mkdir(parents=True, exist_ok=True)
    root = Path(tempfile.mkdtemp(prefix="system-", dir=work))
    try:
        root.chmod(0o755)
        call(["tar", "--extract", "--numeric-owner", "--file", archive, "--directory", root])
        for name in ("resolv.conf", "hosts"):
            # Downloads by apt need the name servers of this machine.
            target = root / "etc" / name
            target.unlink(missing_ok=True)
            shutil.copyfile(Path("/etc", name), target)
        # apt of this machine reads it too (Chroot.apt).
        (root / "etc/apt/apt.conf.d/99release").write_text("".join(f"{option};\n" for option in _APT), "utf-8")
        # No service is started in a system that has not been booted.
        policy = root / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n", "utf-8")
        policy.chmod(0o755)
        yield Chroot(root)
    finally:
        shutil.rmtree(root, ignore_errors=True)


# What a release is made from, and what of the trials is prepared once for the same tree.

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = (
    *(
        "cardtable",
        "club",
        "engine",
        "firmware_bridge",
        "hardware",
        "vision",
        "packaging/debian",
        "packaging/table.toml",
    ),
    *("pyproject.toml", "CHANGELOG.md", "tools/release/debian.py"),
)
"""What the packages are made from; a change in it makes every step due again."""
PROOF: Final = (
    *("packaging/proof.py", "tests/engine/records", "docs/pictures/table.jpg", "docs/pictures/paper"),
    "tools/release/checks.py",
)
"""What the packages are tried with."""


def digest(paths: Sequence[Path]) -> str:
    """Return the SHA-256 of the names and contents of files, and of all files below folders; not of compiled ones."""
    whole = hashlib.sha256()
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and file.suffix not in (".pyc", ".mo"):
                whole.update(f"{file.name}\0{file.stat().st_size}\0".encode() + file.read_bytes())
    return whole.hexdigest()


def digest_of(*names: str) -> str:
    """Return the digest of files and folders of this tree."""
    return digest([ROOT / name for name in names])


def prepared(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Return `folder`, made by `fill` unless it is there already for the same tree."""
    note, key = folder / "tree", digest_of(*PACKAGE, *PROOF)
    if not note.exists() or note.read_text("ascii") != key:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        fill(folder)
        note.write_text(key, "ascii")
    return folder
