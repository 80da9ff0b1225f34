"""Accidents in drawn pictures: the camera is bumped, the lamp goes off and on, a sleeve covers half of the mat.

Robots play at the simulated table; the real vision reads its pictures. They wait while the board reports a failing
source or a covered zone, and go on afterwards. After each accident the record is right, or a prompt says what is
uncertain.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from cardtable.simulation.checking import first_difference
from cardtable.simulation.sprites import HEIGHT, WIDTH
from lab.torture.harness import Figure, Scale
from lab.torture.sources import SETTINGS
from lab.torture.sources_table import Draw, FaultyCamera, WatchedTable
from vision.frames import Image

Accident = Callable[[WatchedTable], Iterator[None]]
"""An accident, one step for each frame; what remains afterwards is in `FaultyCamera.views`."""

GAMES: Final = 100
"""Games at full length, each with every accident once."""
_PLAY: Final = (2.0, 6.0)
"""Seconds of play before an accident."""
_AFTER_S: Final = 6.0
"""Seconds of play after it, before the record is compared."""
_ASKING: Final = ("check", "put-back", "take-back", "unreadable", "misread", "unclear", "two-cards", "outside")
"""The kinds of prompts that say what is uncertain."""


def camera_bumped(table: WatchedTable) -> Iterator[None]:
    """The camera shakes for half a second, and then sees the table from a slightly different place."""
    rng, camera = table.rng, table.camera
    for _ in range(int(rng.integers(8, 20))):
        camera.fault = _warped(_moved(rng, 60.0, 3.0), blur=int(rng.integers(1, 25)))
        yield
    camera.fault = None
    matrix = _moved(rng, 18.0, 0.8)
    camera.views = [view for view in camera.views if not isinstance(view, _Warp)] + [_Warp(matrix)]


def lamp_off_and_on(table: WatchedTable) -> Iterator[None]:
    """The lamp goes off for some seconds; then its light is brighter or darker than before."""
    rng, camera = table.rng, table.camera
    after = _Lamp(float(rng.uniform(0.7, 1.1)))
    for _ in range(int(rng.integers(20, 120))):
        camera.fault = _lit(0.02)
        yield
    for step in range(10):  # it warms up
        camera.fault = _lit(after.gain * step / 10)
        yield
    camera.fault = None
    camera.views = [view for view in camera.views if not isinstance(view, _Lamp)] + [after]


def sleeve_for_a_minute(table: WatchedTable) -> Iterator[None]:
    """A sleeve covers half of the table for a minute; the camera gives six pictures a second meanwhile."""
    rng, camera = table.rng, table.camera
    cloth = _Sleeve(table, rng)
    begin = table.time
    while table.time - begin < 60.0:
        skipped = table.time - begin > 5.0 and table.ticks % 5
        camera.fault = _no_picture if skipped else cloth.over
        yield
    camera.fault = None


ACCIDENTS: Final[tuple[Accident, ...]] = (camera_bumped, lamp_off_and_on, sleeve_for_a_minute)


@dataclass(frozen=True, eq=False)
class _Warp:
    """A moved camera: `matrix` (2, 3) maps pixels of the earlier picture to those of the present one."""

    matrix: np.ndarray

    def __call__(self, image: Image) -> Image:
        moved = cv2.warpAffine(image, self.matrix, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(moved, np.uint8)


@dataclass(frozen=True)
class _Lamp:
    """Other light: `gain` times as bright."""

    gain: float

    def __call__(self, image: Image) -> Image:
        return np.asarray(cv2.convertScaleAbs(image, alpha=self.gain), np.uint8)


class _Sleeve:
    """A piece of cloth over the left, right, upper or lower part of the mat, without its corner marks."""

    def __init__(self, table: WatchedTable, rng: np.random.Generator) -> None:
        width, height = table.mat.size_mm
        x0, x1, y0, y1 = 0.12 * width, 0.88 * width, 0.06 * height, 0.94 * height
        side, deep = int(rng.integers(4)), float(rng.uniform(0.35, 0.5))
        x0, x1 = (x1 - deep * width, x1) if side == 0 else (x0, x0 + deep * width) if side == 1 else (x0, x1)
        y0, y1 = (y1 - deep * height, y1) if side == 2 else (y0, y0 + deep * height) if side == 3 else (y0, y1)
        corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
        self._outline = table.pixels(corners).round().astype(np.int32)
        colour, weave = rng.uniform(30, 150, 3), rng.normal(0, 6, (HEIGHT, WIDTH, 1))
        self._cloth = np.clip(colour + weave, 0, 255).astype(np.uint8)
        mask = np.zeros((HEIGHT, WIDTH), np.uint8)
        cv2.fillPoly(mask, [self._outline], 255)
        self._mask = mask
        self._noise = rng

    def over(self, camera: FaultyCamera, draw: Draw) -> Image | None:
        """Return the picture with the sleeve."""
        picture = draw().copy()
        flicker = self._noise.integers(-3, 4, dtype=np.int16)
        cloth = np.clip(self._cloth[self._mask > 0].astype(np.int16) + flicker, 0, 255)
        picture[self._mask > 0] = cloth.astype(np.uint8)
        return picture


def _moved(rng: np.random.Generator, pixels: float, degrees: float) -> np.ndarray:
    """Return the (2, 3) matrix of a camera that is pushed, turned by up to this much, and moved away a little."""
    matrix = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), float(rng.uniform(-degrees, degrees)), 0.96)
    matrix[:, 2] += rng.uniform(-pixels, pixels, 2)
    return np.asarray(matrix, np.float64)


def _warped(matrix: np.ndarray, blur: int) -> Callable[[FaultyCamera, Draw], Image | None]:
    def fault(camera: FaultyCamera, draw: Draw) -> Image | None:
        return np.asarray(cv2.blur(_Warp(matrix)(draw()), (blur, 1)), np.uint8)

    return fault


def _lit(gain: float) -> Callable[[FaultyCamera, Draw], Image | None]:
    def fault(camera: FaultyCamera, draw: Draw) -> Image | None:
        noise = camera.rng.integers(0, 7, (HEIGHT, WIDTH), dtype=np.uint8)
        return np.asarray(cv2.add(cv2.convertScaleAbs(draw(), alpha=gain), cv2.merge([noise] * 3)), np.uint8)

    return fault


def _no_picture(camera: FaultyCamera, draw: Draw) -> Image | None:
    return None


@dataclass
class Tally:
    """The outcomes of an accident: how often the record was right, the table asked, or neither."""

    times: int = 0
    asked: int = 0
    longest: float = 0.0
    """Seconds until the board stopped reporting trouble."""
    failures: list[str] = field(default_factory=list)


def one_game(
    table: WatchedTable, accidents: list[Accident], tallies: dict[str, Tally], report: Callable[[str], None]
) -> None:
    """Play one game with these accidents, or until the record differs from what was played."""
    where = f"{table.setting.game}, {table.setting.players} players, seed {table.setting.seed}"
    for accident in accidents:
        table.run(float(table.rng.uniform(*_PLAY)))
        if table.over:
            return
        tally = tallies.setdefault(accident.__name__, Tally())
        tally.times += 1
        with closing(accident(table)) as happening:
            table.run_through(happening)
        recovered = table.recovered(10.0)
        tally.longest = max(tally.longest, recovered or 0.0)
        table.run(_AFTER_S)
        done, record = table.director.done, table.live.table.actions
        wrong = first_difference(record, [*done, *record[len(done) :][:1]], table.director.again) or table.gave_up
        asks = [prompt.text for prompt in table.live.snapshot.prompts if prompt.kind in _ASKING]
        if recovered is None:
            tally.failures.append(f"{where}, {accident.__name__}: the board still says {table.waits_for}")
        elif wrong and not asks:
            tally.failures.append(f"{where}, {accident.__name__}: {wrong}")
        tally.asked += bool(wrong and asks)
        report(f"{where}: {accident.__name__} until {table.time:.0f} s: {wrong or 'right'} {asks or ''}")
        if wrong or recovered is None:
            return


def run(scale: Scale) -> Iterator[Figure]:
    """Yield one figure for each accident."""
    tallies: dict[str, Tally] = {}
    for number in range(scale.of(GAMES)):
        base = SETTINGS[number % len(SETTINGS)]
        setting = replace(base, seed=base.seed + 1000 * scale.seed + number)
        order = [ACCIDENTS[(number + at) % len(ACCIDENTS)] for at in range(len(ACCIDENTS))]
        with tempfile.TemporaryDirectory() as folder, WatchedTable(setting, Path(folder)) as table:
            one_game(table, order, tallies, scale.report)
    for name, tally in tallies.items():
        note = f"asked {tally.asked} times, works again after {tally.longest:.1f} s"
        yield Figure(f"drawn: {name.replace('_', ' ')}", tally.times, tuple(tally.failures), note)
