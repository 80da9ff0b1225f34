"""Install a package in a clean system of its architecture and try it there, beside what this tree does here.

    python -m tools.release.checks build/packages/debs/cardtable_0.2.0+deb13_arm64.deb --work build/packages

Checks, in a system that has only apt: the package installs with its dependencies; every library of its environment
loads; the service is enabled; the table answers with its lobby; a downgrade is refused; remove keeps games and
configuration, purge leaves nothing. With `--results` instead: the sample records, random games, pictures and a
simulated game give what they give with this tree on this machine (packaging/proof.py). `--piuparts` runs piuparts
instead. Needs what `make deb` needs; for piuparts the packages piuparts and debootstrap.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tools.release.chroots import (
    NATIVE,
    ROOT,
    SUITES,
    Chroot,
    ReleaseError,
    call,
    digest,
    options,
    prepared,
    reported,
    step,
    system,
    unpacked,
)
from tools.release.debian import project_version

PROOF: Final = ROOT / "packaging" / "proof.py"
GAMES: Final = ("all-fives", "cribbage", "fifteen", "its-15", "le-quinze")
MOMENTS: Final = (90, 140, 190, 240)
"""Frames of each simulated game that become pictures."""

PHOTOGRAPHS: Final = 20

LIBRARIES: Final = """
find /opt/cardtable -name '*.so*' -type f | while read -r file; do
    ldd "$file" 2>/dev/null | grep 'not found' | sed "s|^|$file:|"
done
"""
SERVICE: Final = """
cd /etc/cardtable
su cardtable -s /bin/sh -c 'cardtable run -c /etc/cardtable/table.toml' >/tmp/run.log 2>&1 &
/opt/cardtable/bin/python - <<EOF
import json, time, urllib.request
for attempt in range(600):
    try:
        state = json.load(urllib.request.urlopen("http://127.0.0.1:8015/state.json"))
        if "screen" in state:  # absent while the table starts
            break
    except OSError:
        pass
    time.sleep(0.5)
else:
    raise SystemExit("the board does not answer:\\n" + open("/tmp/run.log").read())
print("the board shows:", state["screen"])
EOF
"""
AFTER_REMOVE: Final = (
    "test -e /var/lib/cardtable/journal.sqlite && test -e /etc/cardtable/table.toml && ! test -e /usr/bin/cardtable"
)
AFTER_PURGE: Final = (
    "find / -xdev -not -path '/proc/*' -not -path '/debs*' -not -path '/proof*' "
    r"\( -name '*cardtable*' -not -path '/var/log/*' -not -path '/var/cache/*' \) -print"
)


def chosen_photographs(photos: Path) -> list[Path]:
    """Return `PHOTOGRAPHS` pictures from the folder `photos`, as many from each of its sets, `SET/images/PICTURE`."""
    sets = sorted(photos.glob("*/images"))
    if not sets:
        raise ReleaseError(f"{photos} has no photographs, SET/images/PICTURE")
    each = -(-PHOTOGRAPHS // len(sets))
    chosen = []
    for folder in sets:
        pictures = sorted(path for path in folder.iterdir() if path.is_file())
        chosen += [pictures[len(pictures) * number // each] for number in range(min(each, len(pictures)))]
    return chosen[:PHOTOGRAPHS]


def materials(folder: Path, photos: Path | None = None) -> None:
    """Fill `folder` with the sample records, and with pictures.

    These are those of the documents, simulated ones, and twenty from the folder `photos` if it is given. Raises
    `ReleaseError`.
    """
    import cv2

    from cardtable.simulation.source import open_synthetic

    (folder / "records").mkdir(parents=True)
    (folder / "pictures").mkdir()
    for record in sorted((ROOT / "tests/engine/records").glob("*.record.jsonl")):
        shutil.copy2(record, folder / "records")
    for picture in ("table.jpg", "paper/10H-aruco.png", "paper/QS-qr.png"):
        shutil.copy2(ROOT / "docs/pictures" / picture, folder / "pictures")
    for picture in chosen_photographs(photos) if photos else ():
        shutil.copy2(picture, folder / "pictures" / f"{picture.parents[1].name}-{picture.name}")
    for game in GAMES:
        source = open_synthetic(f"{game}?seed=5&pace=fast")
        for number in range(max(MOMENTS) + 1):
            frame = source.read()
            if frame is None:
                break
            if number in MOMENTS:
                cv2.imwrite(str(folder / "pictures" / f"{game}-{number}.png"), frame.image)
        source.close()


def expected(folder: Path) -> str:
    """Return what packaging/proof.py prints with this tree. Raises `ReleaseError`."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(folder / "state")}
    command = [sys.executable, str(PROOF), str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"packaging/proof.py fails on this tree:\n{done.stderr[-2000:]}")
    return done.stdout


def compare(name: str, here: str, there: str) -> str:
    """Return a summary of a proof that agrees. Raises `ReleaseError` with the parts that differ."""
    if here != there:
        mine, theirs = json.loads(here), json.loads(there)
        differing = [
            f"{part}: {key}"
            for part in mine
            for key in {*mine[part], *theirs.get(part, {})}
            if mine[part].get(key) != theirs.get(part, {}).get(key)
        ]
        raise ReleaseError(f"{name}: other results than with this tree: {', '.join(sorted(differing))}")
    parts: dict[str, Any] = json.loads(there)
    counts = ", ".join(f"{len(parts[part])} {part}" for part in ("records", "random games", "pictures"))
    read = sum(len(cards) for cards in parts["pictures"].values())
    short = hashlib.sha256(there.encode()).hexdigest()[:16]
    return f"{name}: {counts} with {read} cards, and a simulated game agree (SHA-256 {short}…)"


def refuses_downgrade(chroot: Chroot, deb: str) -> None:
    """Check that the package refuses to replace a newer version. Raises `ReleaseError`."""
    status = chroot.root / "var/lib/dpkg/status"
    original = status.read_text("utf-8")
    version = chroot.run(["dpkg-query", "--show", "--showformat=${Version}", "cardtable"], quiet=True).strip()
    status.write_text(original.replace(f"\nVersion: {version}\n", "\nVersion: 99.0+deb99\n"), "utf-8")
    printed = chroot.run(["dpkg", "--install", deb], quiet=True, check=False)
    status.write_text(original, "utf-8")
    if f"version {version} is older than 99.0+deb99" not in printed or "CARDTABLE_DOWNGRADE" not in printed:
        raise ReleaseError(f"a downgrade is not refused with a message:\n{printed[-1000:]}")
    print("a downgrade is refused:", next(line for line in printed.splitlines() if "is older than" in line))


def proof(chroot: Chroot, name: str, work: Path, package: Path, python: str, photos: Path | None = None) -> str:
    """Return a summary of what the program in the system makes of records and pictures, if it is what this tree does.

    `package`: the file that is installed there; `python`: the system's interpreter that has the program; `photos`: a
    folder of photographs. What is read of the pictures stays in `work`: a run that is cut off goes on where it was.
    Raises `ReleaseError`.
    """

    def fill(folder: Path) -> None:
        with step("this tree: records, random games, pictures, a simulated game"):
            materials(folder, photos)
            (folder / "expected.json").write_text(expected(folder), "utf-8")

    folder = prepared(work / ("proof-photos" if photos else "proof"), fill)
    for part in ("records", "pictures"):
        chroot.put(folder / part, f"/proof/{part}")
    chroot.put(PROOF, "/proof/proof.py")
    read = work / "read" / digest([package, folder / "pictures"])[:16]
    read.mkdir(parents=True, exist_ok=True)
    chroot.put(read, "/proof/cards")
    with step(f"{name}: records, random games, pictures, a simulated game"):
        command = ["env", "XDG_STATE_HOME=/proof/state", python, "/proof/proof.py", "/proof"]
        try:
            chroot.run(["sh", "-c", '"$@" 2>/proof/errors >/proof/result.json', "sh", *command], check=False)
        finally:
            for file in chroot.root.glob("proof/cards/*.json"):
                shutil.copy2(file, read)
    there = (chroot.root / "proof/result.json").read_text("utf-8")
    if not there:
        raise ReleaseError((chroot.root / "proof/errors").read_text("utf-8")[-2000:])
    return compare(name, (folder / "expected.json").read_text("utf-8"), there)


@contextlib.contextmanager
def installed(deb: Path, work: Path) -> Iterator[Chroot]:
    """Install `deb` in a clean system of its suite and architecture. Raises `ReleaseError`."""
    suite, arch = target(deb)
    with unpacked(system(suite, arch, "base", work), work) as chroot:
        chroot.put(deb, f"/debs/{deb.name}")
        with step(f"{suite} {arch}: apt install"):
            chroot.apt("update")
            chroot.apt("install", f"{chroot.root}/debs/{deb.name}")
        yield chroot


def results(deb: Path, work: Path, photos: Path | None) -> None:
    """Compare what `deb` makes of records and pictures in a clean system. Raises `ReleaseError`."""
    with installed(deb, work) as chroot:
        print(proof(chroot, " ".join(target(deb)), work, deb, "/opt/cardtable/bin/python", photos), flush=True)


def check(deb: Path, work: Path) -> None:
    """Install, use, remove and purge `deb` in a clean system. Raises `ReleaseError`."""
    name = " ".join(target(deb))
    with installed(deb, work) as chroot:
        print(chroot.run(["id", "cardtable"], quiet=True), end="")
        if not (chroot.root / "etc/systemd/system/multi-user.target.wants/cardtable.service").is_symlink():
            raise ReleaseError("cardtable.service is not enabled")
        with step(f"{name}: every library finds what it needs"):
            missing = chroot.run(["sh", "-c", LIBRARIES], quiet=True)
        if missing:
            raise ReleaseError(f"libraries are missing; add their packages to packaging/debian/control:\n{missing}")
        with step(f"{name}: the table as its user"):
            chroot.run(["sh", "-c", SERVICE])
        refuses_downgrade(chroot, f"/debs/{deb.name}")
        with step(f"{name}: upgrade to itself, remove, purge"):
            chroot.run(["dpkg", "--install", f"/debs/{deb.name}"], quiet=True)
            chroot.apt("remove", "cardtable")
            chroot.run(["sh", "-c", AFTER_REMOVE])
            chroot.apt("purge", "cardtable")
            left = chroot.run(["sh", "-c", AFTER_PURGE], quiet=True)
        if left:
            raise ReleaseError(f"purge leaves:\n{left}")


def target(deb: Path) -> tuple[str, str]:
    """Return the suite and the architecture that a package's file name says. Raises `ReleaseError`.

    >>> target(Path("cardtable_0.2.0+deb13_arm64.deb"))
    ('trixie', 'arm64')
    """
    _, version, arch = deb.stem.split("_")
    for suite in SUITES.values():
        if version.endswith(f"+deb{suite.number}"):
            return suite.name, arch
    raise ReleaseError(f"{deb.name}: built for no known suite")


def piuparts(deb: Path, work: Path) -> None:
    """Run piuparts: install, remove, purge and again, with nothing left. Raises `ReleaseError`."""
    suite, arch = target(deb)
    # Its scripts make users, for which the base has no program.
    archive = system(suite, arch, "piuparts", work, include=("passwd",))
    packed = archive.with_suffix(".tar.gz")
    if not packed.exists():
        with archive.open("rb") as plain, gzip.open(packed, "wb", compresslevel=1) as out:
            shutil.copyfileobj(plain, out)
    log = work / f"piuparts-{suite}-{arch}.log"
    command = ["piuparts", "--basetgz", packed, "--distribution", suite, "--arch", arch, "--log-file", log]
    with tempfile.TemporaryDirectory(prefix="cardtable-piuparts-") as scripts, step(f"{suite} {arch}: piuparts"):
        for script in Path("/etc/piuparts/scripts").iterdir():
            # This one replaces `sync`, which piuparts then finds changed.
            if not script.name.endswith("force-unsafe-io"):
                shutil.copy2(script, scripts)
        # No archive has the package, so piuparts finds no older version to upgrade from.
        call([*command, "--no-eatmydata", "--no-upgrade-test", f"--scriptsdir={scripts}", deb])


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the packages in the arguments; 0, or 1 with the message of the step that failed."""
    parser = options("Try packages in clean systems of their architecture.")
    parser.add_argument("debs", type=Path, nargs="+", metavar="DEB")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--results", action="store_true", help="compare what it makes of records and pictures instead")
    instead.add_argument("--piuparts", action="store_true", help="run piuparts instead")
    parser.add_argument("--photos", type=Path, help="for --results: also twenty photographs of SET/images/PICTURE here")
    args = parser.parse_args(arguments)

    def work() -> None:
        for deb in args.debs:
            if args.piuparts:
                piuparts(deb, args.work.resolve())
            elif args.results:
                results(deb, args.work.resolve(), args.photos)
            else:
                check(deb, args.work.resolve())
            print(f"{deb.name}: {'piuparts finds nothing' if args.piuparts else 'good'}", flush=True)

    print(f"cardtable {project_version()}, checked on {NATIVE}", flush=True)
    return reported("make release", work)


if __name__ == "__main__":
    sys.exit(main())
