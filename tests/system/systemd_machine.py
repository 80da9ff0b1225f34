"""systemd as the first process of namespaces of its own, with units of the program and the targets that they need.

That takes root, on Linux.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final

ROOT: Final = Path(__file__).parents[2]
SYSTEMD: Final = Path("/lib/systemd/systemd")
HIERARCHY: Final = Path("/sys/fs/cgroup/systemd")
TARGETS: Final = ("sysinit", "basic", "shutdown", "network", "sound", "umount", "final", "multi-user")
SOON_S: Final = 60.0
INSIDE: Final = """
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /sys/fs/cgroup
mkdir /sys/fs/cgroup/systemd
mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
exec env -i PATH=/usr/bin:/bin container=other SYSTEMD_UNIT_PATH={units} {systemd} --system \
    --unit={unit} --log-target=console --log-level=warning --show-status=0 --default-standard-output=inherit
"""
WANTED: Final = (sys.platform == "linux" and os.geteuid() == 0 and SYSTEMD.exists() and HIERARCHY.is_dir()) and all(
    shutil.which(program) for program in ("unshare", "nsenter", "systemctl")
)


class Machine:
    """A machine on which systemd runs the unit `name`, with the text `unit`. Its log is in `folder`.

    `more`: the texts of units that this one starts.
    """

    def __init__(self, folder: Path, name: str, unit: str, more: Mapping[str, str] = MappingProxyType({})) -> None:
        units = folder / "units"
        units.mkdir()
        for other, content in more.items():
            (units / other).write_text(content, "utf-8")
        (units / name).write_text(unit.replace("[Service]\n", f"[Service]\nEnvironment=PYTHONPATH={ROOT}\n"), "utf-8")
        self._name = name
        for target in TARGETS:
            (units / f"{target}.target").write_text("[Unit]\nDefaultDependencies=no\n", "utf-8")
        inside = INSIDE.format(units=units, systemd=SYSTEMD, unit=name)
        namespaces = ["--pid", "--mount", "--mount-proc", "--cgroup", "--ipc", "--uts"]
        self.cgroup = HIERARCHY / f"cardtable-test-{os.getpid()}"
        self.cgroup.mkdir()
        command = ["unshare", "--fork", "--kill-child", *namespaces, "sh", "-ec", inside]
        join = f'echo $$ > {self.cgroup}/cgroup.procs; exec "$@"'
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self._unshare = subprocess.Popen(["sh", "-ec", join, "sh", *command], stdout=log, stderr=log)

    def systemctl(self, *arguments: str) -> str:
        """Run systemctl inside; return what it prints."""
        children = Path(f"/proc/{self._unshare.pid}/task/{self._unshare.pid}/children").read_text("ascii").split()
        inside = ["nsenter", "-t", children[0], "-m", "-p", "--"] if children else ["false"]
        ran = subprocess.run([*inside, "systemctl", *arguments], capture_output=True, text=True, check=False)
        return ran.stdout.strip()

    def shown(self, name: str) -> str:
        """Return a property of the unit."""
        return self.systemctl("show", self._name, "--value", "-p", name)

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        self.systemctl("kill", "--kill-whom=main", f"--signal={number.name}", self._name)

    def until(self, wanted: Callable[[], bool]) -> None:
        """Wait until `wanted` holds; fail with the log after `SOON_S`."""
        end = time.monotonic() + SOON_S
        while not wanted():
            assert time.monotonic() < end, self.log.read_text("utf-8", "replace")
            time.sleep(0.1)

    def close(self) -> None:
        """End everything that runs inside."""
        self._unshare.kill()
        self._unshare.wait()
        for folder in [*sorted(self.cgroup.glob("**/"), reverse=True)]:
            self.until(lambda each=folder: _removed(each))  # type: ignore[misc]


def _removed(folder: Path) -> bool:
    """Remove a control group; return whether it is gone, which takes until its last process has ended."""
    with suppress(FileNotFoundError):
        try:
            folder.rmdir()
        except OSError as error:
            return isinstance(error, FileNotFoundError)
    return True
