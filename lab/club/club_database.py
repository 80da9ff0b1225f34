"""A PostgreSQL server in a folder, for tests and benchmarks, with a socket in that folder and no port."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import time
from pathlib import Path
from typing import Final

_SECONDS: Final = 60.0


def program(name: str) -> str:
    """Return the path of a program of PostgreSQL, the newest one that is installed. Raises `FileNotFoundError`."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    path = str(found[-1]) if found else shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"{name} is not installed: sudo apt install postgresql")
    return path


class Postgres:
    """A database in `folder` until `close`.

    PostgreSQL refuses to run as root; for root it runs as the user `postgres`.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user:
            about = pwd.getpwnam(self._user)
            os.chown(folder, about.pw_uid, about.pw_gid)
        self.url: Final = f"postgresql://club@/postgres?host={folder}"
        command = [
            program("initdb"),
            "-D",
            str(folder / "data"),
            "-U",
            "club",
            "-A",
            "trust",
            "--no-sync",
            "-E",
            "UTF8",
            "--locale=C",
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", user=self._user)
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = ("listen_addresses=", f"unix_socket_directories={self._folder}", "max_connections=20")
        options = [part for setting in settings for part in ("-c", setting)]
        command = [program("postgres"), "-D", str(self._folder / "data"), *options]
        quiet = subprocess.DEVNULL
        ready = [program("pg_isready"), "-q", "-h", str(self._folder)]
        until = time.monotonic() + _SECONDS
        while True:
            self._process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, cwd="/", user=self._user)
            while self._process.poll() is None and time.monotonic() < until:
                if subprocess.run(ready, cwd="/").returncode == 0:
                    return
                time.sleep(0.05)
            # After a kill, a new server exits at once while a helper process of the old one still runs.
            self.close()
            if time.monotonic() > until:
                raise RuntimeError("PostgreSQL does not start")
            time.sleep(0.2)

    def kill(self) -> None:
        """End it like a power cut: the database recovers at the next start."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it. May be called twice."""
        if self._process.poll() is None:
            self._process.send_signal(2)  # SIGINT: a fast shutdown
            try:
                self._process.wait(10.0)
            except subprocess.TimeoutExpired:
                self.kill()
