"""Sources that fail in the middle of a game: a camera, readers, or both at once.

If the board cannot follow the game, it must say so within 3 seconds by the source's clock; it must recover without a
restart; and the record must be what was really played. Robots play at the simulated table, where they see only the
board and the cards. The readers are simulated boards with the real firmware.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from cardtable.simulation.checking import first_difference
from cardtable.simulation.source import Setting
from engine.games import HOUSE, load_game
from firmware_bridge import NotBuilt
from lab.torture.harness import Figure, Scale
from lab.torture.sources_faults import CAMERA_FAULTS, READER_FAULTS, Lasting
from lab.torture.sources_table import CameraFault, ReaderFault, WatchedTable

REPORTED_S: Final = 3.0
"""Seconds within which the board must say that a source fails."""
RECOVERED_S: Final = 8.0
"""Seconds within which it must work again; a reader board needs two to start."""
_EACH: Final = 12
"""The most faults in one game."""

SETTINGS: Final = tuple(
    Setting(game, load_game(game).seats[number % 2 % len(load_game(game).seats)], 3 + 2 * number, "aruco", "fast")
    for number, game in enumerate(HOUSE)
)
"""Each kind of game, with the fewest players or one more."""


@dataclass(frozen=True)
class Failing:
    """What fails at once: the camera, the readers, or both; another source, if there is one, works."""

    camera: CameraFault | None = None
    readers: ReaderFault | None = None

    @property
    def name(self) -> str:
        """The faults, in words."""
        names = [fault.__name__.replace("_", " ") for fault in (self.camera, self.readers) if fault]
        return " and ".join(names)

    @property
    def lasting(self) -> dict[str, Lasting]:
        """How long each of them lasts, by the beginning of its source's name."""
        found = {"camera": CAMERA_FAULTS[self.camera]} if self.camera else {}
        return found | ({"board": READER_FAULTS[self.readers]} if self.readers else {})


@dataclass
class Seen:
    """What was seen of one fault: how often it happened, when it was reported, and how long it took to recover."""

    times: int = 0
    reported: list[float] = field(default_factory=list)
    recovered: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def note(self) -> str:
        """The figures, in words."""
        notes = [f"reported {len(self.reported)} times, after {max(self.reported):.1f} s"] if self.reported else []
        return ", ".join([*notes, f"works again after {max(self.recovered):.1f} s"] if self.recovered else notes)


def faults_in_a_game(
    table: WatchedTable,
    failing: Sequence[Failing],
    seen: dict[str, Seen],
    report: Callable[[str], None] = lambda line: None,
    between: tuple[float, float] = (3.0, 7.0),
) -> str | None:
    """Cause one fault after the other, and add to `seen`; return what is wrong with the record, or None.

    `between`: seconds of undisturbed play before each fault, at least and at most.
    """
    where = f"{table.setting.game}, {table.setting.players} players, seed {table.setting.seed}"
    for fault in failing:
        table.run(float(table.rng.uniform(*between)))
        if table.over:
            break
        found = seen.setdefault(fault.name, Seen())
        found.times += 1
        found.failures += [f"{where}: {fault.name}{what}" for what in _happen(table, fault, found)]
        report(f"{where}: {fault.name} until {table.time:.0f} s, {len(found.failures)} failed")
    table.run(between[1])
    done, record = table.director.done, table.live.table.actions
    wrong = first_difference(record, [*done, *record[len(done) :][:1]], table.director.again) or table.gave_up
    return f"{where}: {wrong}" if wrong else None


def _happen(table: WatchedTable, fault: Failing, found: Seen) -> Iterator[str]:
    """Cause the fault; yield what the board failed to say, or still says afterwards."""
    seconds = max(lasting.seconds for lasting in fault.lasting.values())
    table.camera.fault = fault.camera
    with closing(fault.readers(table) if fault.readers else _nothing()) as happening:
        reported = table.run(seconds, happening)
    table.camera.fault = None
    for source, lasting in fault.lasting.items():
        after = min((at for name, at in reported.items() if name.startswith(source)), default=None)
        found.reported += [] if after is None else [after]
        if lasting.must and not table.over and (after is None or after > REPORTED_S):
            yield f" is reported after {after} s"
    if (over := table.recovered(RECOVERED_S)) is None:
        yield f": afterwards the board still says {table.troubles}"
    else:
        found.recovered.append(over)


def _nothing() -> Iterator[None]:
    while True:
        yield


def _both() -> list[Failing]:
    """Return pairs of simultaneous faults of camera and readers: each fault that must be reported, with another one."""
    cameras = [fault for fault, lasting in CAMERA_FAULTS.items() if lasting.must]
    readers = [fault for fault, lasting in READER_FAULTS.items() if lasting.must]
    return [Failing(camera, fault) for camera, fault in zip(cycle(cameras), readers * 2, strict=False)]


@dataclass(frozen=True)
class Way:
    """A table, and its faults. `games`: at full length."""

    what: str
    failing: Callable[[], list[Failing]]
    games: int
    camera: bool = False
    readers: bool = False


WAYS: Final = (
    Way("camera", lambda: [Failing(camera=fault) for fault in CAMERA_FAULTS], 20, camera=True),
    Way("readers", lambda: [Failing(readers=fault) for fault in READER_FAULTS], 40, readers=True),
    Way("both", _both, 10, camera=True, readers=True),
)


def run(scale: Scale) -> Iterator[Figure]:
    """Yield one figure for each fault, and one for the records of each way."""
    for way in WAYS:
        if scale.has(way.what):
            yield from figures(way, scale)


def figures(way: Way, scale: Scale) -> Iterator[Figure]:
    """Play the games of one way."""
    seen: dict[str, Seen] = {}
    wrong: list[str] = []
    games, each = scale.of(way.games), min(_EACH, scale.of(_EACH * way.games))
    for number in range(games):
        base = SETTINGS[(number + scale.seed) % len(SETTINGS)]
        setting = replace(base, seed=base.seed + 100 * scale.seed + number)
        failing = islice(cycle(way.failing()), number * each, (number + 1) * each)
        with tempfile.TemporaryDirectory() as folder:
            try:
                table = WatchedTable(setting, Path(folder), way.camera, way.readers)
            except NotBuilt as error:
                yield Figure(f"{way.what}: left out, {error}", 0)
                return
            with table:
                wrong += filter(None, [faults_in_a_game(table, list(failing), seen, scale.report)])
    for name, found in seen.items():
        yield Figure(f"{way.what}: {name}", found.times, tuple(found.failures), found.note)
    yield Figure(f"{way.what}: the record", games, tuple(wrong))
