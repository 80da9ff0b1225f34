"""The games and the configuration as they were before an update, and the note that one is not finished."""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from cardtable_updater.programs import output


class KeptState:
    """Copies of the folders `games` and `configuration` in `folder`, the updater's own."""

    def __init__(self, folder: Path, games: Path, configuration: Path) -> None:
        self._folder = folder
        self._places: Final = {"games": games, "configuration": configuration}
        self._note: Final = folder / "unfinished"

    def copy(self) -> None:
        """Copy games and configuration; the table is stopped. Raises `Failed`."""
        fresh, kept = self._folder / "before.new", self._folder / "before"
        for old in (fresh, kept):
            shutil.rmtree(old, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        for name, place in self._places.items():
            output(["cp", "--archive", str(place), str(fresh / name)])
        os.sync()
        fresh.rename(kept)

    def put_back(self) -> None:
        """Replace games and configuration by the copies, if there are any. Raises `Failed`."""
        for name, place in self._places.items():
            kept = self._folder / "before" / name
            if not kept.is_dir():
                continue
            for each in place.iterdir():  # the folder itself may be a mount
                if each.is_dir() and not each.is_symlink():
                    shutil.rmtree(each)
                else:
                    each.unlink()
            output(["cp", "--archive", f"{kept}/.", str(place)])
        os.sync()

    @property
    def is_unfinished(self) -> bool:
        """Whether an update has begun and not ended."""
        return self._note.exists()

    def store_note(self, note: Mapping[str, Any]) -> None:
        """Note on the disk what has to be finished after a power cut."""
        with self._note.open("w", encoding="utf-8") as file:
            json.dump(note, file)
            file.flush()
            os.fsync(file.fileno())
        os.sync()

    def read_note(self) -> dict[str, Any] | None:
        """Return the note; None if it was cut off while it was written, when nothing had changed yet."""
        try:
            note: dict[str, Any] = json.loads(self._note.read_text("utf-8"))
        except ValueError:
            return None
        return note

    def forget(self) -> None:
        """Delete the note and the copies."""
        self._note.unlink(missing_ok=True)
        shutil.rmtree(self._folder / "before", ignore_errors=True)
