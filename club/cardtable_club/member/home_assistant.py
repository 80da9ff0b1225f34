"""The health of a table, and the table as a device in Home Assistant.

One retained message describes the sensors and buttons of the device. Its keys are those of MQTT device discovery (Home
Assistant 2024.11 and later): `dev` the device, `o` the origin, `cmps` the components, each with its platform `p` and
`uniq_id`. The values come from the topics that the table publishes anyway.
"""

from __future__ import annotations

import importlib.metadata
import json
import shutil
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from cardtable_club.member.messages import VERSION, Malformed, Topics, read_object

MOST_FAULTS: Final = 20
LONGEST: Final = 300
"""The most letters of a fault."""
_THERMAL: Final = Path("/sys/class/thermal/thermal_zone0/temp")
"""Where Linux reports the temperature of the processor, in thousandths of a degree."""


class Health(NamedTuple):
    """What a table reports about itself every few seconds on the topic `health`.

    `time`: seconds since 1970 on the table's clock. `waiting`: the number of unacknowledged lines. `trouble`: why the
    journal cannot be sent; empty if it can. `faults`: what is wrong with cameras, readers, journal and machine, as
    sentences in the table's language. `temperature`: of the processor, in degrees Celsius. `free`: free bytes on the
    disk of the journal. `version`: of the program. Unknown values are None.
    """

    time: float
    waiting: int
    trouble: str = ""
    faults: tuple[str, ...] = ()
    temperature: float | None = None
    free: int | None = None
    version: str | None = None

    def to_json(self) -> dict[str, object]:
        """Return the message."""
        return self._asdict() | {"faults": [fault[:LONGEST] for fault in self.faults[:MOST_FAULTS]]}


def measured(time: float, waiting: int, trouble: str, faults: Iterable[str], journal: Path) -> Health:
    """Return the health of this table. `journal`: the file of its journal."""
    try:
        free = shutil.disk_usage(journal.parent).free
    except OSError:
        free = None
    return Health(time, waiting, trouble, tuple(faults), temperature(), free, _version())


@cache
def _version() -> str | None:
    try:
        return importlib.metadata.version("cardtable")
    except importlib.metadata.PackageNotFoundError:
        return None


def temperature(file: Path = _THERMAL) -> float | None:
    """Return the temperature of the processor in degrees Celsius; None on a machine that does not report it."""
    try:
        return round(int(file.read_text("ascii")) / 1000, 1)
    except (OSError, ValueError):
        return None


def read_health(message: bytes) -> Health:
    """Return the health in a message from `health`. Raises `Malformed`. Older tables send only the first three keys."""
    found = read_object(message)
    time, waiting, trouble = found.get("time", 0.0), found.get("waiting"), found.get("trouble", "")
    if not _is_number(time) or type(waiting) is not int or waiting < 0 or not isinstance(trouble, str):
        raise Malformed("'time', 'waiting' or 'trouble' is missing")
    faults, heat, free, version = (found.get(key) for key in ("faults", "temperature", "free", "version"))
    if not isinstance(faults, list | None) or not all(isinstance(fault, str) for fault in faults or ()):
        raise Malformed("'faults' is not a list of sentences")
    if not (heat is None or _is_number(heat)) or not (free is None or (type(free) is int and free >= 0)):
        raise Malformed("'temperature' or 'free' is not a number")
    if not isinstance(version, str | None):
        raise Malformed("'version' is not a text")
    sentences = tuple(fault[:LONGEST] for fault in (faults or ())[:MOST_FAULTS])
    return Health(float(time), waiting, trouble[:LONGEST], sentences, heat, free, version and version[:40])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12


STATUS: Final = "homeassistant/status"
"""The topic on which Home Assistant sends `online` after its start."""
PRESS_S: Final = 10
"""How long the press of a button is valid, in seconds."""
_GAME: Final = "value_json.seats is defined"


class Shown(NamedTuple):
    """What the components depend on: the players, and the words of the game with the labels of their buttons.

    A word that needs a card or a player has no button.
    """

    players: tuple[str, ...] = ()
    words: tuple[tuple[str, str], ...] = ()


def shown_in(state: str) -> Shown:
    """Extract players and words from a board state (JSON); empty outside a game.

    >>> shown_in('{"screen":"game","seats":[{"name":"Ann"}],"words":[{"word":"no-bid","label":"","needs":[]}]}')
    Shown(players=('Ann',), words=(('no-bid', 'No bid'),))
    """
    found = json.loads(state)
    players = tuple(str(seat["name"]) for seat in found.get("seats", ()))
    words = [(str(word["word"]), str(word["label"])) for word in found.get("words", ()) if not word["needs"]]
    return Shown(players, tuple((word, label or word.replace("-", " ").capitalize()) for word, label in words))


def id_of(topics: Topics) -> str:
    """Return the name of the device in Home Assistant, which allows only letters, digits, `-` and `_`.

    >>> id_of(Topics("north", "t.1"))
    'cardtable_north_t_dot_1'
    """
    return f"cardtable_{topics.club}_{topics.table}".replace(".", "_dot_")


def topic_of(topics: Topics) -> str:
    """Return the topic of the device; an empty retained message there removes it."""
    return f"homeassistant/device/{id_of(topics)}/config"


def discovery(topics: Topics, shown: Shown, gone: Iterable[str] = ()) -> dict[str, Any]:
    """Return the message that describes the table.

    `gone`: keys of components in an earlier message. Home Assistant removes a component of which only the platform is
    named.
    """
    device = id_of(topics)
    components = {key: {"uniq_id": f"{device}_{key}", **about} for key, about in _components(topics, shown).items()}
    for key in gone:
        components.setdefault(key, {"p": "button" if key.startswith("say_") else "sensor"})
    return {
        "dev": {"ids": [device], "name": f"Card table {topics.table}", "mf": "cardtable"},
        "o": {"name": "cardtable"},
        "avty_t": topics.of("online"),
        "avty_tpl": "{{ 'online' if value_json.online else 'offline' }}",
        "stat_t": topics.of("state"),
        "cmps": components,
    }


def _components(topics: Topics, shown: Shown) -> dict[str, Mapping[str, Any]]:
    turn = f"value_json.seats[value_json.turn].name if {_GAME} and value_json.turn is not none else ''"
    points = "value_json.points.list | map(attribute='points') | sum if value_json.points is defined else 0"
    found: dict[str, Mapping[str, Any]] = {
        "game": {"p": "sensor", "name": "Game", "val_tpl": "{{ value_json.title | default('') }}"},
        "phase": {"p": "sensor", "name": "Phase", "val_tpl": "{{ value_json.phase | default(value_json.screen) }}"},
        "turn": {"p": "sensor", "name": "Turn", "val_tpl": f"{{{{ {turn} }}}}"},
        "points": {"p": "sensor", "name": "Last points", "val_tpl": f"{{{{ {points} }}}}"},
        "waiting": {
            "p": "sensor",
            "name": "Lines not sent",
            "stat_t": topics.of("health"),
            "val_tpl": "{{ value_json.waiting }}",
            "ent_cat": "diagnostic",
        },
        "trouble": {
            "p": "binary_sensor",
            "name": "Trouble",
            "dev_cla": "problem",
            "stat_t": topics.of("health"),
            "val_tpl": "{{ 'ON' if value_json.trouble or value_json.faults else 'OFF' }}",
            "json_attr_t": topics.of("health"),
            "json_attr_tpl": "{{ {'faults': value_json.faults | default([])} | tojson }}",
            "ent_cat": "diagnostic",
        },
        "online": {
            "p": "binary_sensor",
            "name": "Online",
            "dev_cla": "connectivity",
            "stat_t": topics.of("online"),
            "val_tpl": "{{ 'ON' if value_json.online else 'OFF' }}",
        },
    }
    for seat, player in enumerate(shown.players):
        score = f"value_json.seats[{seat}].score if {_GAME} and value_json.seats | length > {seat} else 0"
        found[f"score_{seat}"] = {"p": "sensor", "name": f"Score of {player}", "val_tpl": f"{{{{ {score} }}}}"}
        for word, label in shown.words:
            found[f"say_{seat}_{word}"] = {
                "p": "button",
                "name": f"{player}: {label}",
                "cmd_t": topics.of("cmd"),
                "cmd_tpl": _press(seat, word),
            }
    return found


def _press(seat: int, word: str) -> str:
    """Return the template of the command that a button sends."""
    fixed = json.dumps({"v": VERSION, "do": "say", "seat": seat, "word": word})[1:-1]
    return "{" + fixed + ', "id": "{{ now().timestamp() }}", "expires": {{ now().timestamp() + ' + f"{PRESS_S} }}}}}}"
