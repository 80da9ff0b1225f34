"""The table's service: whether it answers, and stays up."""

import json
import time
import tomllib
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Final

from cardtable_updater.errors import LINES, Failed, last_lines
from cardtable_updater.programs import output

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
                said = json.load(answer)
        except urllib.error.HTTPError as error:  # it answers, and has a trouble
            try:
                said = json.load(error)
            except ValueError:
                return None
        except (OSError, ValueError):
            return None
        return said if isinstance(said, dict) else None

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
