"""Boot a clean system with the package and update it there: `python -m tools.release.updates DEB`.

Real systemd, apt and dpkg, in namespaces of their own on a root folder; the source of packages is a folder in it, with
newer versions made from the package: one that works, one that does not start, and one during whose installation the
system is killed. Checks that the first is installed, that the second is taken back with the games, and that the third
is finished after the next boot; each is asked for as the table does it, by its user, with a file. Needs what
`tools.release.checks` needs, and dpkg-dev.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tools.release.checks import target
from tools.release.chroots import NATIVE, Chroot, ReleaseError, call, options, reported, step, system, unpacked

LONGEST_S: Final = 600.0
PAUSE_S: Final = 0.5
SOURCE: Final = "srv/packages"
STATUS: Final = "var/lib/cardtable-updater/status.json"
GAMES: Final = "var/lib/cardtable"
BOOT: Final = """
ip link set lo up
mount --make-rprivate /
mount --bind "$0" "$0"
mount -t proc proc "$0/proc"
mount -t sysfs -o ro sysfs "$0/sys"
mount -t cgroup2 cgroup2 "$0/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$0/run"
hostname cardtable
exec chroot "$0" env -i container=cardtable PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd
"""
HEALTH: Final = """
import json, urllib.error, urllib.request
try:
    answer = urllib.request.urlopen("http://127.0.0.1:8015/healthz", timeout=5)
except urllib.error.HTTPError as error:
    answer = error
print(json.load(answer)["screen"])
"""


class Booted:
    """A system that runs in namespaces of its own; `close` is a power cut."""

    def __init__(self, root: Path) -> None:
        apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc", "--cgroup", "--net"]
        self._root = root
        self._process = subprocess.Popen(
            [*apart, "bash", "-ec", BOOT, str(root)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def run(self, *command: str) -> str:
        """Run a command in the system; return what it printed. Raises `ReleaseError` if it fails."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text("ascii").split()
        enter = ["nsenter", "--target", children[0] if children else "0", "--all", "chroot", str(self._root)]
        done = subprocess.run([*enter, *command], capture_output=True, text=True, check=False, errors="replace")
        if done.returncode:
            raise ReleaseError(f"{' '.join(command)}: {(done.stdout + done.stderr)[-1000:]}")
        return done.stdout

    def await_screen(self) -> str:
        """Wait until the table answers; return the screen that it shows. Raises `ReleaseError`."""
        until = time.monotonic() + LONGEST_S
        while True:
            with contextlib.suppress(ReleaseError):
                if (screen := self.run("python3", "-c", HEALTH).strip()) != "None":
                    return screen
            if time.monotonic() > until:
                raise ReleaseError(f"the table does not answer:\n{self.run('journalctl', '--lines', '40')}")
            time.sleep(PAUSE_S)

    def ask(self, wanted: str) -> None:
        """Ask for an update as the table does."""
        self.run("su", "cardtable", "-s", "/bin/sh", "-c", f"touch /{GAMES}/update-{wanted}")

    def close(self) -> None:
        """Kill everything at once."""
        self._process.kill()
        self._process.wait()


@contextlib.contextmanager
def booted(root: Path) -> Iterator[Booted]:
    """Boot the system in `root`, and kill it afterwards."""
    running = Booted(root)
    try:
        yield running
    finally:
        running.close()


def status(root: Path) -> dict[str, Any]:
    """Return the updater's status; an empty one if there is none."""
    try:
        stored: dict[str, Any] = json.loads((root / STATUS).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stored


def await_state(root: Path, states: tuple[str, ...]) -> dict[str, Any]:
    """Wait until the updater has come to one of these states. Raises `ReleaseError`."""
    until = time.monotonic() + LONGEST_S
    while (now := status(root)).get("state") not in states:
        if time.monotonic() > until:
            raise ReleaseError(f"the updater did not come to {states}: {now}")
        time.sleep(PAUSE_S)
    return now


def newer(deb: Path, version: str, folder: Path, starts: bool = True) -> Path:
    """Make a newer version of a package in `folder`; return its file. `starts`: whether its table starts."""
    tree = folder / "tree"
    call(["dpkg-deb", "--raw-extract", deb, tree])
    control = tree / "DEBIAN/control"
    lines = control.read_text("utf-8").splitlines(keepends=True)
    control.write_text("".join(f"Version: {version}\n" if line.startswith("Version:") else line for line in lines))
    if not starts:
        (main,) = tree.glob("opt/cardtable/lib/python3.*/site-packages/cardtable/__main__.py")
        main.write_text("from pathlib import Path\nPath('/var/lib/cardtable/marker').write_text('harmed')\n1 / 0\n")
        shutil.rmtree(main.parent / "__pycache__")
    file = folder / f"cardtable_{version}_{deb.stem.split('_')[-1]}.deb"
    call(["dpkg-deb", "--root-owner-group", "-Zzstd", "-z1", "--build", tree, file])
    shutil.rmtree(tree)
    return file


def offer(file: Path, root: Path) -> None:
    """Put a package into the source of the system."""
    shutil.move(file, root / SOURCE)
    scanned = subprocess.run(
        ["dpkg-scanpackages", "--multiversion", "."], cwd=root / SOURCE, capture_output=True, text=True, check=True
    )
    (root / SOURCE / "Packages").write_text(scanned.stdout, "utf-8")


def expect(what: str, found: object, wanted: object) -> None:
    """Raise `ReleaseError` if something is not as it should be."""
    if found != wanted:
        raise ReleaseError(f"{what}: {found}, not {wanted}")


def prove(deb: Path, work: Path) -> None:
    """Update a clean system with `deb` three times. Raises `ReleaseError`."""
    suite, arch = target(deb)
    if arch != NATIVE:
        raise ReleaseError("a system of another architecture is not booted here")
    with unpacked(system(suite, arch, "base", work), work) as chroot:
        root = chroot.root
        (root / SOURCE).mkdir(parents=True)
        (root / SOURCE / "Packages").touch()
        chroot.put(deb, f"/debs/{deb.name}")
        with step(f"{suite} {arch}: apt install"):
            chroot.apt("update")
            chroot.apt("install", "systemd-sysv", "dbus", f"{root}/debs/{deb.name}")
        without_network(chroot)
        (root / GAMES / "marker").write_text("whole", "utf-8")
        first = deb.stem.split("_")[1]
        with booted(root) as table:
            with step("boot"):
                print(f"the table shows: {table.await_screen()}")
            with step("a newer version is found and installed"):
                offer(newer(deb, f"99.1+{first}", work), root)
                table.ask("check")
                expect("offered", await_state(root, ("available", "failed")).get("available"), f"99.1+{first}")
                table.ask("install")
                ended = await_state(root, ("updated", "went-back", "failed"))
                expect("state", (ended["state"], ended.get("said")), ("updated", ""))
                expect("installed", version_in(chroot), f"99.1+{first}")
                expect("screen", table.await_screen(), "lobby")
            with step("a version that does not start is taken back"):
                offer(newer(deb, f"99.2+{first}", work, starts=False), root)
                table.ask("install")
                ended = await_state(root, ("went-back", "failed"))
                expect("state", (ended.get("state"), ended.get("why")), ("went-back", "not-up"))
                expect("installed", version_in(chroot), f"99.1+{first}")
                expect("games", (root / GAMES / "marker").read_text("utf-8"), "whole")
                expect("screen", table.await_screen(), "lobby")
            offer(newer(deb, f"99.3+{first}", work), root)
            table.ask("install")
            until = time.monotonic() + LONGEST_S
            while version_in(chroot) == f"99.1+{first}" and time.monotonic() < until:
                time.sleep(0.05)
        print(f"killed while dpkg was at work: {version_in(chroot)}")
        with booted(root) as table, step("boot after the cut"):
            ended = await_state(root, ("updated", "went-back", "failed"))
            print(f"the updater: {ended['state']}, {ended['installed']}")
            expect("whole", chroot.run(["dpkg", "--audit"], quiet=True), "")
            expect("screen", table.await_screen(), "lobby")
            expect("failed", ended["state"] == "failed", False)


def without_network(chroot: Chroot) -> None:
    """Leave the folder as the only source of packages, and let services start.

    Without those that would change how this machine runs programs of other architectures.
    """
    for unit in ("systemd-binfmt.service", "proc-sys-fs-binfmt_misc.automount"):
        (chroot.root / "etc/systemd/system" / unit).symlink_to("/dev/null")
    for sources in (*chroot.root.glob("etc/apt/sources.list"), *chroot.root.glob("etc/apt/sources.list.d/*")):
        sources.unlink()
    line = f"deb [trusted=yes] file:/{SOURCE} ./\n"
    (chroot.root / "etc/apt/sources.list").write_text(line, "utf-8")
    (chroot.root / "usr/sbin/policy-rc.d").unlink()


def version_in(chroot: Chroot) -> str:
    """Return state and version of the package; the version alone if it is installed completely."""
    shown = chroot.run(["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}", "cardtable"], quiet=True)
    return shown.removeprefix("installed ")


def main(arguments: list[str] | None = None) -> int:
    """Prove updates with the package in the arguments; 0, or 1 with the message of the step that failed."""
    parser = options("Boot a system with a package, and update it there.")
    parser.add_argument("deb", type=Path, metavar="DEB")
    args = parser.parse_args(arguments)

    def work() -> None:
        prove(args.deb, args.work.resolve())
        print("updates are installed, taken back and finished")

    return reported("make release", work)


if __name__ == "__main__":
    sys.exit(main())
