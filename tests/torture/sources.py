"""Sources: a camera and readers that fail in the middle of a game.

The board must say so within 3 seconds of the source's own clock, if it cannot follow the game; it must work again
without a restart; and the record must be what was really played. Robots play at the simulated table, where they see
only the board and the cards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from cardtable.simulation.checking import first_difference
from cardtable.simulation.source import Setting
from tests.torture.harness import Figure, Scale
from tests.torture.sources_table import Fault, FaultyCamera, WatchedTable
from vision.frames import Image, SourceLost

REPORTED_S: Final = 3.0
"""Seconds within which the board must say that a source fails."""
_BETWEEN: Final = (3.0, 7.0)
"""Seconds of undisturbed play between two faults."""


def unplugged(camera: FaultyCamera, image: Image) -> Image | None:
    """The camera gives no picture."""
    raise SourceLost("The camera is unplugged: plug it in again.")


def frozen(camera: FaultyCamera, image: Image) -> Image | None:
    """The driver repeats the last picture."""
    return camera.before


def black(camera: FaultyCamera, image: Image) -> Image | None:
    """The pictures are black, with the noise of the sensor."""
    noise = camera.rng.normal(3.0, 2.0, image.shape[:2])
    return np.repeat(np.clip(noise, 0, 255).astype(np.uint8)[:, :, None], 3, axis=2)


def torn(camera: FaultyCamera, image: Image) -> Image | None:
    """The lower part of every third picture is grey."""
    if camera.ticks % 3:
        return image
    picture = image.copy()
    picture[int(camera.rng.integers(100, 900)) :] = 128
    return picture


def two_a_second(camera: FaultyCamera, image: Image) -> Image | None:
    """The camera gives two pictures a second."""
    return None if camera.ticks % 15 else image


def frames_lost(camera: FaultyCamera, image: Image) -> Image | None:
    """60 % of the pictures are lost."""
    return None if camera.rng.random() < 0.6 else image


FAULTS: Final[dict[Fault, tuple[float, bool]]] = {
    unplugged: (5.0, True),
    frozen: (5.0, True),
    black: (5.0, True),
    two_a_second: (9.0, True),
    torn: (5.0, False),
    frames_lost: (8.0, False),
}
"""Each fault: for how many seconds, and whether the board must say so; it may follow the game in spite of others."""

SETTINGS: Final = (
    Setting("all-fives", 2, 3, "aruco", "fast"),
    Setting("cribbage", 3, 5, "aruco", "fast"),
    Setting("le-quinze", 2, 7, "aruco", "fast"),
    Setting("its-15", 3, 9, "aruco", "fast"),
    Setting("fifteen", 2, 11, "aruco", "fast"),
)


def faults_in_a_game(
    setting: Setting, number: int, faults: tuple[Fault, ...]
) -> Iterator[tuple[str, float | None, str]]:
    """Play with `number` faults; yield each fault, after how many seconds it was reported, and what went wrong."""
    table = WatchedTable(setting)
    where = f"{setting.game}, {setting.players} players, seed {setting.seed}"
    table.run(3.0)
    for at in range(number):
        fault = faults[at % len(faults)]
        seconds, must = FAULTS[fault]
        table.run(float(table.camera.rng.uniform(*_BETWEEN)))
        if table.camera.over:
            break
        table.camera.fault = fault
        reported = table.run(seconds)
        table.camera.fault = None
        wrong = ""
        if must and (reported is None or reported > REPORTED_S):
            wrong = f"{where}: {fault.__name__} is reported after {reported} s"
        elif table.recovered() is None:
            wrong = f"{where}: after {fault.__name__} the board still says: {table.trouble}"
        yield fault.__name__, reported, wrong
    table.run(4.0)
    director, record = table.camera.director, table.controller.table.actions
    done = [*director.done, *record[len(director.done) :][:1]]
    wrong = first_difference(record, done, director.again) or table.camera.gave_up
    yield "record", None, f"{where}: {wrong}" if wrong else ""


def run(scale: Scale) -> Iterator[Figure]:
    """Yield one figure for each fault, and one for the records."""
    names = tuple(FAULTS)
    games, each = max(1, scale.of(20)), min(12, max(1, scale.of(240)))
    times: dict[str, list[float]] = {}
    tried: dict[str, int] = {}
    failures: dict[str, list[str]] = {}
    for number in range(games):
        base = SETTINGS[number % len(SETTINGS)]
        setting = Setting(base.game, base.players, base.seed + 100 * scale.seed + number, base.marks, base.pace)
        turned = names[number % len(names) :] + names[: number % len(names)]
        for name, reported, wrong in faults_in_a_game(setting, each, turned):
            tried[name] = tried.get(name, 0) + 1
            times.setdefault(name, []).extend([] if reported is None else [reported])
            failures.setdefault(name, []).extend([wrong] if wrong else [])
        scale.report(f"sources: {number + 1} of {games} games")
    for name, count in tried.items():
        said = times[name]
        note = f"reported {len(said)} times, after at most {max(said):.1f} s" if said else ""
        yield Figure(f"camera: {name.replace('_', ' ')}", count, tuple(failures[name]), note)
