"""Show the table to a real Home Assistant: `python -m lab.home_assistant COMMAND…` (club/docs/club.md).

COMMAND starts a Python in which homeassistant and paho-mqtt are installed. The real mosquitto, the real connection of
a table and Home Assistant's MQTT integration run; for each game, Home Assistant must have the entities that the table
describes and no others, and a press of each button must reach the table. Exits 1 if something differs.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cardtable.journal.journal import Journal
from cardtable.table.snapshot import Snapshot
from cardtable.web.state import state_of
from cardtable_club.config import ClubConfig
from cardtable_club.hub.broker import Mosquitto
from cardtable_club.member.home_assistant import discovery, id_of, shown_in
from cardtable_club.member.link import Link
from cardtable_club.member.messages import Topics
from engine.games import game_names, load_game, title_of
from engine.record import Header
from engine.table import Table

INSIDE = Path(__file__).with_name("home_assistant_inside.py")
TABLE = "table.1"
"""With a dot, which Home Assistant replaces in names."""
NAMES = ("Ann", "Bo", "Cy", "Di")
WAIT_S = 20.0
LOBBY = '{"screen":"lobby","players":["Ann","Bo"]}'


class HomeAssistant:
    """A Home Assistant at the broker at `port`, in the Python that `command` starts."""

    def __init__(self, command: list[str], port: int) -> None:
        program = [*command, "-c", INSIDE.read_text("utf-8"), str(port)]
        self._process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.version = self._read()

    def entities(self) -> dict[str, dict[str, str]]:
        """Return by unique name the `entity`, its `state` and its `name`."""
        found: dict[str, dict[str, str]] = self._ask({"do": "entities"})
        return found

    def press(self, entity: str) -> None:
        """Press a button."""
        self._ask({"do": "press", "entity": entity})

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30.0)

    def _ask(self, question: dict[str, str]) -> Any:
        assert self._process.stdin is not None
        print(json.dumps(question), file=self._process.stdin, flush=True)
        return self._read()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit("Home Assistant has ended; its errors are above")
        return json.loads(line)


def main(argv: list[str]) -> int:
    """Compare, and print a line for each game."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.home_assistant", description="Show the table to a real Home Assistant."
    )
    parser.add_argument("command", metavar="COMMAND", help="starts a Python in which homeassistant is installed")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(argv)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    topics, wrong = Topics("check", TABLE), 0
    with tempfile.TemporaryDirectory(prefix="ha-") as folder:
        broker = Mosquitto(Path(folder) / "mosquitto", "127.0.0.1", port)
        journal = Journal(Path(folder) / "journal.sqlite")
        config = ClubConfig(name="check", table=TABLE, port=port, home_assistant=True)
        home = HomeAssistant([options.command, *options.arguments], port)
        print(f"Home Assistant {home.version}")
        link, words = Link(config, journal.path), list[tuple[int, str]]()
        link.say = lambda seat, word: words.append((seat, word)) is None
        link.start()
        for game in (*game_names(), None):
            state = LOBBY if game is None else _state(game)
            link.show(state)
            described = discovery(topics, shown_in(state))["cmps"].values()
            wanted = {about["uniq_id"]: about["name"] for about in described}
            found = _awaited(home, lambda now, wanted=wanted: _names(now) == wanted and _available(now))
            title = found.get(f"{id_of(topics)}_game", {}).get("state")
            buttons = [each["entity"] for each in found.values() if each["entity"].startswith("button.")]
            words.clear()
            for button in buttons:
                home.press(button)
            until = time.monotonic() + WAIT_S
            while len(words) < len(buttons) and time.monotonic() < until:
                time.sleep(0.05)
            names = _names(found)
            same = names == wanted and len({*words}) == len(buttons) and title == (title_of(game) if game else "")
            wrong += not same
            print(f"{game or 'lobby'}: {len(found)} entities, {len(words)} of {len(buttons)} words said", end="")
            print(
                "" if same else f"; DIFFERS: {sorted(set(wanted.items()) ^ set(names.items()))[:5]}, title {title!r}",
                flush=True,
            )
        link.close()
        without = Link(ClubConfig(name="check", table=TABLE, port=port), journal.path).start()
        gone = not _awaited(home, lambda now: not now)
        print(f"after the setting was taken back: {'removed' if gone else 'NOT removed'}")
        without.close()
        home.close()
        journal.close()
        broker.close()
    return int(bool(wrong) or not gone)


def _state(game: str) -> str:
    kind = load_game(game)
    view = Table(Header(game, NAMES[: kind.seats[0]], 0)).view()
    return json.dumps(state_of(Snapshot(1, 0.0, view, (), (), (), ()), title_of(game)))


def _names(entities: dict[str, dict[str, str]]) -> dict[str, str]:
    return {key: each["name"] for key, each in entities.items()}


def _available(entities: dict[str, dict[str, str]]) -> bool:
    return all(each["state"] != "unavailable" for each in entities.values())


def _awaited(home: HomeAssistant, right: Callable[[dict[str, dict[str, str]]], bool]) -> dict[str, dict[str, str]]:
    """Return the entities once they are `right`, or after `WAIT_S`."""
    until = time.monotonic() + WAIT_S
    while True:
        now = home.entities()
        if right(now) or time.monotonic() > until:
            return now
        time.sleep(0.2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
