"""Install an update of the card table with apt, and go back if the table does not come up.

Runs as root, started by cardtable-update-due.path and .timer, so that the table itself needs no further rights. The
table asks by making a file in its own folder, which is deleted here and never read:

    /var/lib/cardtable/update-check      look for an update
    /var/lib/cardtable/update-install    install it

The answer is /var/lib/cardtable-updater/status.json, which everybody may read:

    {"state": "available", "installed": "0.2.0+deb13", "available": "0.3.0+deb13", "why": "", "said": "", "time": 0.0}

`state`: current, available, looking, installing, updated, went-back, failed; `why`: no-source, no-answer, game,
no-room, refused, not-up, interrupted, or empty; `said`: the last lines of the program that failed. `refused`: versions
that did not come up, which are not offered again.

An update replaces `cardtable` and, if it is installed, `cardtable-kiosk`; apt may add packages and remove none. Before
it, both packages are packed again as they are installed, and the games and the configuration are copied while the
table is stopped. If apt fails, or the table does not answer at /healthz, those are put back.

A note on the disk, `unfinished`, says how far an update is, as soon as the table is stopped. If the updater is killed,
or the power goes, cardtable-update-due.path starts it again because of this note, and it goes on from there:

    stopping     the table was stopped, and nothing has changed: it is started again
    installing   apt was at work: the update is completed, or taken back
    fetching     the games and configuration of before are being brought beside those of the new version
    set-aside    those of the new version are being set aside, where they stay
    going-back   those of before are taking their place
    back         they have, and the old packages are being installed
    done         the copies are being deleted

Bringing them there may fail, if the disk is full: nothing has changed then, and the old version goes on with the games
of now. The other steps only rename. Whatever fails, the table is started at the end.
"""

import contextlib
import errno
import fcntl
import json
import os
import shutil
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from cardtable_updater import LINES, Failed, last_lines
from cardtable_updater.packages import Packages, output

# The games and the configuration as they were before an update, and the note that one is not finished.


class KeptState:
    """Copies of the folders `games` and `configuration` in `folder`, the updater's own."""

    def __init__(self, folder: Path, games: Path, configuration: Path) -> None:
        self._folder = folder
        self._places: Final = {"games": games, "configuration": configuration}
        self._note: Final = folder / "unfinished"

    def size(self) -> int:
        """Return how many bytes a copy needs."""
        size = 0
        for each in (each for place in self._places.values() for each in place.rglob("*")):
            with contextlib.suppress(OSError):  # the table is running, and may have deleted it
                size += each.lstat().st_size
        return size

    def copy(self) -> None:
        """Copy games and configuration; the table is stopped. Raises `Failed`."""
        fresh, kept = self._folder / "before.new", self._folder / "before"
        shutil.rmtree(fresh, ignore_errors=True)
        self.keep()  # of an update whose note was damaged
        fresh.mkdir(mode=0o700)
        for name, place in self._places.items():
            output(["cp", "--archive", str(place), str(fresh / name)])
        os.sync()
        fresh.rename(kept)

    def fetch(self) -> None:
        """Bring the copies among games and configuration, as `FETCHED`. May be repeated.

        Raises `Failed` and `OSError`, after which games, configuration and copies are as they were.
        """
        try:
            for copied, place in self._places.items():
                if (kept := self._folder / "before" / copied).is_dir():
                    shutil.rmtree(place / FETCHED, ignore_errors=True)  # half copied
                    _bring(kept, place / FETCHED)
        except (Failed, OSError):
            for copied, place in self._places.items():
                if (self._folder / "before" / copied).is_dir():
                    shutil.rmtree(place / FETCHED, ignore_errors=True)
                elif (place / FETCHED).is_dir():
                    (place / FETCHED).rename(self._folder / "before" / copied)
            raise
        os.sync()

    def new_aside(self) -> str:
        """Return a name, the same for games and configuration, for a folder that does not exist yet."""
        return free_name(*(place / "update" for place in self._places.values())).name

    def set_aside(self, name: str) -> None:
        """Move games and configuration into folders called `name` among them, if those of before were fetched.

        A journal and its log keep their names, and so belong together. May be repeated, also after a table has run.
        """
        for place in self._places.values():
            if not (place / FETCHED).is_dir():
                continue
            aside = place / name
            aside.mkdir(mode=0o700, exist_ok=True)
            os.chown(aside, place.stat().st_uid, place.stat().st_gid)
            for each in list(place.iterdir()):  # the folder itself may be a mount
                if each.name != FETCHED and ASIDE not in each.name:
                    to = aside / each.name
                    each.rename(free_name(to) if os.path.lexists(to) else to)
        os.sync()

    def put_back(self) -> None:
        """Let what was fetched take its place. May be repeated, also after a table has run."""
        for place in self._places.values():
            if (place / FETCHED).is_dir():
                for each in list((place / FETCHED).iterdir()):
                    if os.path.lexists(place / each.name):
                        (place / each.name).rename(free_name(place / each.name))
                    each.rename(place / each.name)
                (place / FETCHED).rmdir()
        os.sync()

    @property
    def is_unfinished(self) -> bool:
        """Whether an update has begun and not ended."""
        return self._note.exists()

    def store_note(self, note: Mapping[str, Any]) -> None:
        """Note on the disk what has to be finished if this program is interrupted."""
        fresh = self._note.with_suffix(".new")
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(note, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._note)
        os.sync()

    def read_note(self) -> dict[str, Any] | None:
        """Return the note; None if it is damaged."""
        try:
            note: dict[str, Any] = json.loads(self._note.read_text("utf-8"))
        except ValueError:
            return None
        return note

    def keep(self) -> Path | None:
        """Keep the copies for good, under another name; return it, None if there are none."""
        kept = self._folder / "before"
        return kept.rename(free_name(kept)) if kept.is_dir() and any(kept.iterdir()) else None

    def forget_note(self) -> None:
        """Delete the note."""
        self._note.unlink(missing_ok=True)

    def forget(self) -> None:
        """Delete the copies and the note."""
        self.store_note({"step": "done"})
        shutil.rmtree(self._folder / "before", ignore_errors=True)
        self.forget_note()

    def clean(self) -> None:
        """Delete what an interrupted update has left half made."""
        for each in (*self._folder.glob("repack-*"), self._folder / "before.new"):
            shutil.rmtree(each, ignore_errors=True)
        for each in (*self._folder.glob("previous/*.new"), *self._folder.glob("*.new")):
            each.unlink(missing_ok=True)


ASIDE: Final = ".aside-"
"""In the names of all files and folders that are put aside, before a number: those of the table, too."""
FETCHED: Final = "update.new"
"""The folder, among the games and the configuration, with those of before an update that is taken back."""


def free_name(*paths: Path) -> Path:
    """Return the first of `path.aside-1`, `path.aside-2` and so on that is free for all `paths`, for the first one."""
    number = 1
    while any(os.path.lexists(path.with_name(f"{path.name}{ASIDE}{number}")) for path in paths):
        number += 1
    return paths[0].with_name(f"{paths[0].name}{ASIDE}{number}")


def _bring(folder: Path, to: Path) -> None:
    """Rename a folder, or copy it to another file system."""
    try:
        folder.rename(to)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        output(["cp", "--archive", str(folder), str(to)])


# What the updater reports: a file that everybody may read, written whole.

KEPT: Final = ("available", "refused")
"""Fields that stay as they are unless a report names them."""


class Status:
    """The status in `file`."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def read(self) -> dict[str, Any]:
        """Return the last report; an empty one if there is none, or if it is damaged."""
        try:
            stored = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return stored if isinstance(stored, dict) else {}

    @property
    def refused(self) -> list[str]:
        """The versions that did not come up, which are not offered again."""
        return list(self.read().get("refused") or [])

    def report(self, state: str, installed: str | None, **more: Any) -> str:
        """Store `state`, the installed version and further fields; return `state`."""
        before = self.read()
        kept = {name: before.get(name) for name in KEPT}
        now = {"state": state, "installed": installed, "why": "", "said": "", "time": time.time()}
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps(kept | now | more), "utf-8")
        fresh.chmod(0o644)
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        fresh.replace(self._file)
        return state


# The table's service: whether it answers, and stays up.

TABLE: Final = "cardtable.service"
PORT: Final = 8015
PAUSE_S: Final = 1.0


class TableService:
    """The table whose configuration is in the folder `configuration`.

    `comes_up_s`: the longest that it may take to answer, in seconds; `stays_up_s`: for how long it must answer then.
    """

    def __init__(self, configuration: Path, comes_up_s: float, stays_up_s: float) -> None:
        self._configuration = configuration
        self._comes_up_s = comes_up_s
        self._stays_up_s = stays_up_s

    def health(self) -> dict[str, Any] | None:
        """Return what the table answers at /healthz; None if it does not answer."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"http://127.0.0.1:{self._port()}/healthz", timeout=5) as answer:
                content = json.load(answer)
        except urllib.error.HTTPError as error:  # it answers, and has a trouble
            try:
                content = json.load(error)
            except ValueError:
                return None
        except (OSError, ValueError):
            return None
        return content if isinstance(content, dict) else None

    def stop(self, check: bool = True) -> None:
        """Stop the table. Raises `Failed` if that fails and `check` is true."""
        output(["systemctl", "stop", TABLE], check=check)

    def start(self) -> None:
        """Start the table, and do not wait for it."""
        output(["systemctl", "start", TABLE], check=False)

    def start_and_wait(self, well: bool) -> None:
        """Start the table and wait until it is up, and stays up. Raises `Failed`.

        `well`: it must find nothing wrong.
        """
        self.start()
        until, since = time.monotonic() + self._comes_up_s, None
        while True:
            health, now = self.health(), time.monotonic()
            up = health is not None and health.get("screen") is not None and (health.get("ok") is True or not well)
            since = (now if since is None else since) if up else None
            if since is not None and now - since >= self._stays_up_s:
                return
            if since is None and now >= until:
                raise Failed("not-up")
            time.sleep(PAUSE_S)

    def log(self) -> str:
        """Return the last lines of the table's log; empty if journalctl is missing."""
        command = ["journalctl", "--unit", TABLE, "--lines", str(LINES), "--no-pager", "--output", "cat"]
        try:
            return last_lines(output(command, check=False))
        except OSError:
            return ""

    def _port(self) -> int:
        try:
            board = tomllib.loads((self._configuration / "table.toml").read_text("utf-8")).get("board", {})
            return int(board.get("port", PORT))
        except (OSError, ValueError, AttributeError, TypeError):
            return PORT


COMES_UP_S: Final = 180.0
"""Seconds that the table may take to answer after an update; a Raspberry Pi 4 needs about 20."""
STAYS_UP_S: Final = 15.0
"""Seconds for which it must answer without a break."""
PACKING_BYTES: Final = 900_000_000
"""Room that an update needs in the updater's folder: the new package, and the old one packed again."""
UNPACKING_BYTES: Final = 600_000_000
"""Room that it needs in /opt: the new package, unpacked beside the old one."""


def _as_failed(error: Failed | OSError) -> Failed:
    """Return the failure that an error is, also one of a disk."""
    if isinstance(error, Failed):
        return error
    return Failed("no-room" if error.errno == errno.ENOSPC else "refused", str(error))


class Updater:
    """`root`: the folder below which everything lies; tests name another one than `/`. Times: seconds."""

    def __init__(self, root: Path = Path("/"), comes_up_s: float = COMES_UP_S, stays_up_s: float = STAYS_UP_S) -> None:
        self._root = root
        self._games: Final = root / "var/lib/cardtable"
        self._folder: Final = root / "var/lib/cardtable-updater"
        configuration = root / "etc/cardtable"
        self.status: Final = Status(self._folder / "status.json")
        self.packages: Final = Packages(root, self._folder)
        self._kept: Final = KeptState(self._folder, self._games, configuration)
        self._table: Final = TableService(configuration, comes_up_s, stays_up_s)

    def run(self) -> str:
        """Do what is due, and return the state afterwards."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._folder.chmod(0o755)
        with (self._folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._kept.clean()
            self._asked("update-check")
            install = self._asked("update-install")
            try:
                if self._kept.is_unfinished:
                    return self._finish()
                return self._install() if install else self._look()
            except (Failed, OSError) as error:  # of a disk, too: the board must not show "installing" for ever
                failed = _as_failed(error)
                if self._kept.is_unfinished:
                    self._table.start()
                return self._report("failed", why=failed.why, said=failed.output)

    def _asked(self, name: str) -> bool:
        """Return whether the table has made this file, and delete it. It belongs to the table: it is not followed."""
        try:
            (self._games / name).unlink()
        except FileNotFoundError:
            return False
        except (IsADirectoryError, PermissionError):
            shutil.rmtree(self._games / name, ignore_errors=True)
            return False
        return True

    def _report(self, state: str, **more: Any) -> str:
        return self.status.report(state, self.packages.installed("cardtable"), **more)

    def _look(self) -> str:
        self._report("looking")
        version = self.packages.newer(self.status.refused)
        return self._report("available" if version else "current", available=version)

    def _install(self) -> str:
        present = self.packages.present()
        self._report("installing")
        version = self.packages.newer(self.status.refused)
        if version is None:
            return self._report("current", available=None)
        before = self._health_between_games()
        self._check_room()
        wanted = [f"{package}={version}" for package in present]
        self.packages.download(wanted)
        with self._writable():
            for package in present:
                self.packages.repack(package)
            # A game may have begun meanwhile.
            self._health_between_games()
            well = bool(before and before.get("ok"))
            note: dict[str, Any] = {"step": "stopping", "from": present, "to": version, "well": well}
            self._kept.store_note(note)
            try:
                self._table.stop()
                self._kept.copy()
                note["step"] = "installing"
                self._kept.store_note(note)
            except (Failed, OSError):
                self._table.start()
                self._kept.forget_note()
                raise
            try:
                self.packages.install(wanted)
                self._table.start_and_wait(note["well"])
            except Failed as failed:
                return self._go_back(note, failed)
            return self._done(note)

    def _health_between_games(self) -> dict[str, Any] | None:
        """Return what the table answers; None if it does not answer. Raises `Failed` during a game."""
        health = self._table.health()
        if health is not None and health.get("screen") in ("game", "result"):
            raise Failed("game")
        return health

    def _check_room(self) -> None:
        """Raise `Failed` if there is too little room. On the card image the two folders are on two file systems."""
        wanted: dict[int, int] = {}
        kept = self._kept.size()
        rooms = ((self._folder, PACKING_BYTES + kept), (self._root / "opt", UNPACKING_BYTES), (self._games, kept))
        for path, size in rooms:
            device = path.stat().st_dev
            wanted[device] = wanted.get(device, 0) + size
            if shutil.disk_usage(path).free < wanted[device]:
                raise Failed("no-room")

    def _finish(self) -> str:
        """Finish an update in which this program was interrupted."""
        note = self._kept.read_note()
        step = "stopping" if note is None else note.get("step", "installing")
        if note is None or step in ("stopping", "done"):
            self._table.start()
            if step == "done":
                self._kept.forget()
                return self._look()
            self._kept.forget_note()
            return self._report("failed", why="interrupted")
        self._report("installing")
        with self._writable():
            if step != "installing":
                return self._go_back(note, Failed(note["why"], note["said"]))
            try:
                self.packages.configure()
                if any(self.packages.installed(package) != note["to"] for package in note["from"]):
                    raise Failed("interrupted")
                self._table.start_and_wait(note["well"])
            except Failed as failed:
                return self._go_back(note, failed)
            return self._done(note)

    def _done(self, note: Mapping[str, Any]) -> str:
        self._report("updated", available=None, before=note["from"].get("cardtable"))
        self._kept.forget()
        self.packages.forget_downloads()
        return "updated"

    def _go_back(self, note: Mapping[str, Any], failed: Failed) -> str:
        """Install what was there before, with the games and the configuration of then, and start it.

        What fails is left as it is: a person has to look. If the games are only half put back, the note stays.
        """
        self._table.stop(check=False)
        report = {"why": failed.why, "said": failed.output or self._table.log()}
        now, state = {"step": "installing", **note, **report}, "went-back"
        steps: list[Callable[[], None]] = [
            lambda: self._games_back(now),
            lambda: self.packages.put_back(list(note["from"])),
            lambda: self._table.start_and_wait(note["well"]),
        ]
        for step in steps:
            try:
                step()
            except (Failed, OSError) as error:
                worse = _as_failed(error)
                if state != "failed":
                    state, report = "failed", {"why": worse.why, "said": worse.output or self._table.log()}
        if now["step"] in ("set-aside", "going-back"):
            return self._report(state, **report)
        refused = sorted({*self.status.refused, note["to"]})
        if now["step"] != "back" and (kept := self._kept.keep()):
            report["said"] += f"\nThe games of before the update are kept: {kept}"
        self._report(state, available=None, refused=refused, tried=note["to"], **report)
        self._kept.forget()
        return state

    def _games_back(self, note: dict[str, Any]) -> None:
        """Put games and configuration of before back, from the step of `note` on.

        Raises `Failed` if that is not possible, and those of now stay; `OSError` if it is half done.
        """
        if note["step"] == "installing":
            note["step"] = "fetching"
        if note["step"] == "fetching":
            try:
                self._kept.store_note(note)
                self._kept.fetch()
            except OSError as error:
                raise _as_failed(error) from error
            note |= {"step": "set-aside", "aside": self._kept.new_aside()}
            self._kept.store_note(note)
        if note["step"] == "set-aside":
            self._kept.set_aside(note["aside"])
            note["step"] = "going-back"
            self._kept.store_note(note)
        if note["step"] == "going-back":
            self._kept.put_back()
            note["step"] = "back"
            self._kept.store_note(note)

    @contextlib.contextmanager
    def _writable(self) -> Iterator[None]:
        """Make a read-only root writable meanwhile, as on the card image."""
        mounts = Path("/proc/self/mounts").read_text("utf-8").splitlines()
        options = next((line.split()[3] for line in reversed(mounts) if line.split()[1] == "/"), "rw").split(",")
        if self._root != Path("/") or "rw" in options:
            yield
            return
        output(["mount", "-o", "remount,rw", "/"])
        try:
            yield
        finally:
            os.sync()
            # A program that still uses a replaced file keeps it writable until the next start.
            output(["mount", "-o", "remount,ro", "/"], check=False)
