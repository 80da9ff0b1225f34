"""Build the Debian packages in a clean system of each suite: `make deb`.

    python -m tools.release.debian --arch amd64 --suite trixie --work build/packages

Without `--arch` or `--suite`, builds for all of them. As everything compiled comes from wheels, packages for every
architecture are built natively; `python -m tools.release.checks` installs and tries them in clean systems of their own
architecture. Needs root, mmdebstrap, and an index of Python packages for pip. Docs: docs/how-to/releasing.md.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Final

from tools.release.chroots import (
    MACHINES,
    NATIVE,
    SUITES,
    ReleaseError,
    Suite,
    call,
    options,
    reported,
    step,
    system,
    unpacked,
)
from tools.release.supply import LOCK, bill_of_materials, public_key, sign

ROOT: Final = Path(__file__).parents[2]
DEBIAN: Final = ROOT / "packaging" / "debian"
EXTRAS: Final = "pi,displays,club"
LIMIT_MB: Final = 450
"""The most that the package may occupy, installed."""


def project_version() -> str:
    """Return the version in pyproject.toml."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def debian_version(version: str, suite: Suite) -> str:
    """Return the version of the package for a suite: an upgrade of Debian upgrades it.

    Python's pre-releases, such as 1.0rc1, sort before 1.0 in Debian with a tilde.

    >>> debian_version("0.2.0", SUITES["trixie"])
    '0.2.0+deb13'
    >>> debian_version("1.0rc1", SUITES["bookworm"])
    '1.0~rc1+deb12'
    """
    version = re.sub(r"\.dev", "~~dev", re.sub(r"(?<=\d)(a|b|rc)(?=\d)", r"~\1", version))
    return f"{version}+deb{suite.number}"


def changelog(version: str, suite: Suite, seconds: int) -> str:
    """Return debian/changelog with one entry. `seconds`: its date, since 1970."""
    date = datetime.fromtimestamp(seconds, UTC)
    entry = f"cardtable ({version}) {suite.name}; urgency=medium\n\n  * Release; see releases.md in this folder.\n\n"
    return f"{entry} -- The cardtable developers <maintainers@cardtable.invalid>  {format_datetime(date)}\n"


def commit_time() -> int:
    """Return the time of the last commit, in seconds since 1970: the date of everything in the package."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    shown = ["git", "log", "-1", "--format=%ct"]
    return int(subprocess.run(shown, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def platform_tags(arch: str, libc: int) -> list[str]:
    """Return the tags of wheels that a system with glibc 2.`libc` and the architecture `arch` can use, newest first."""
    machine = MACHINES[arch]
    return [f"manylinux_2_{minor}_{machine}" for minor in range(libc, 16, -1)] + [f"manylinux2014_{machine}"]


def wheel(work: Path) -> Path:
    """Build the wheels of this tree, cardtable and its club, in a new folder below `work`; return that of cardtable."""
    folder = Path(tempfile.mkdtemp(prefix="wheel-", dir=work))
    for project in (ROOT, ROOT / "club"):
        call([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, project])
    (built,) = folder.glob("cardtable-*.whl")
    return built


def download(package: Path, suite: Suite, arch: str, folder: Path) -> None:
    """Put `package`, the wheel of this tree, and the wheels that it needs into `folder`, for a suite and architecture.

    The wheel of the club lies beside `package`. Of the others only the files in `LOCK` are accepted.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    tags = [part for tag in platform_tags(arch, suite.libc) for part in ("--platform", tag)]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", folder, "--only-binary=:all:", *tags]
    command += ["--python-version", suite.python, "--implementation", "cp", "--require-hashes", "--requirement", LOCK]
    call(command)
    for each in package.parent.glob("*.whl"):
        shutil.copy2(each, folder)


def assemble(package: Path, suite: Suite, wheels: Path, tree: Path) -> None:
    """Make the source tree of the package in `tree`: debian/, wheels/ and files/."""
    version = debian_version(package.name.split("-")[1], suite)
    shutil.copytree(DEBIAN, tree / "debian")
    (tree / "debian" / "changelog").write_text(changelog(version, suite, commit_time()), "utf-8")
    shutil.copytree(wheels, tree / "wheels")
    (tree / "files").mkdir()
    shutil.copy2(ROOT / "packaging" / "table.toml", tree / "files")
    # By another name: debhelper would take it for Debian's changelog, which has another format.
    shutil.copy2(ROOT / "CHANGELOG.md", tree / "files" / "releases.md")
    (tree / "files" / "sbom.cdx.json").write_text(bill_of_materials(wheels, version, commit_time()), "utf-8")
    (tree / "files" / "cardtable-release.gpg").write_bytes(public_key())


def build(package: Path, suite: Suite, arch: str, work: Path) -> list[Path]:
    """Build the packages for a suite and architecture; return their files in `work`/debs. Raises `ReleaseError`."""
    wheels = work / "wheels" / f"{suite.name}-{arch}"
    with step(f"{suite.name} {arch}: wheels"):
        download(package, suite, arch, wheels)
    archive = system(suite.name, NATIVE, "build", work)
    target = work / "debs"
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work) as folder, unpacked(archive, work) as chroot:
        tree = Path(folder) / "cardtable"
        assemble(package, suite, wheels, tree)
        chroot.put(tree, "/build/cardtable")
        # Cross-building needs no cross-compiler here, so dpkg does not look for one (-d).
        command = f"cd /build/cardtable && dpkg-buildpackage --host-arch={arch} -b -uc -us -d"
        with step(f"{suite.name} {arch}: dpkg-buildpackage"):
            printed = chroot.run(["sh", "-c", command], quiet=True)
        print(next(line for line in printed.splitlines() if line.startswith("environment: ")))
        with step(f"{suite.name} {arch}: lintian"):
            # What lintian finds in wheels is overridden one by one in cardtable.lintian-overrides.
            check = "lintian --fail-on error,warning --display-info --tag-display-limit 0 /build/*.changes"
            chroot.run(["sh", "-c", check])
        built = sorted((chroot.root / "build").glob("*.deb"))
        copies = [Path(shutil.copy2(file, target)) for file in built]
    for file in copies:
        fields = ["dpkg-deb", "--field", str(file), "Installed-Size"]
        size = int(subprocess.run(fields, capture_output=True, text=True, check=True).stdout) * 1024 / 1e6
        print(f"{file.name}: {file.stat().st_size / 1e6:.0f} MB, installed {size:.0f} MB")
        if size > LIMIT_MB:
            raise ReleaseError(
                f"{file.name} occupies {size:.0f} MB, more than {LIMIT_MB}: see packaging/debian/environment.py"
            )
    return copies


def main(arguments: Sequence[str] | None = None) -> int:
    """Build what the arguments say; 0, or 1 with the message of the step that failed."""
    args = options("Build the Debian packages in clean systems.", selected=True).parse_args(arguments)

    def build_all() -> None:
        work = args.work.resolve()
        work.mkdir(parents=True, exist_ok=True)
        package = wheel(work)
        try:
            for suite in args.suite or SUITES:
                for arch in args.arch or MACHINES:
                    built = build(package, SUITES[suite], arch, work)
                    for file in built:
                        print(f"built: {file}", flush=True)
                    sign(built)
        finally:
            shutil.rmtree(package.parent)

    return reported("make deb", build_all)


if __name__ == "__main__":
    sys.exit(main())
