"""The cost of the camera pipeline on one core at 1080p: `python -m lab.benchmarks.eye`.

Frames come from the simulated table, rendered before the measurement: six cards lie there, a hand lays a seventh partly
over another one and leaves, and an eighth appears from one frame to the next. Times are CPU time of one thread,
including OpenCV; medians of the frames.

- still: a frame of a table on which nothing happens (goal: under 4 ms);
- read whole: for comparison, reading a whole frame;
- moving: a frame with a hand over the table, without the readers (goal: under 20 ms); at most: the slowest frame;
- one change: everything for the seventh card, from the first frame with the hand to the scene, with the readers;
- latency: frames from the first one with the eighth card to the scene that has it (goal: at most 4).
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from statistics import median
from typing import ClassVar, Final, Literal

from cardtable.simulation import stage as movements
from cardtable.simulation.places import Place, somewhere
from cardtable.simulation.stage import FPS, HUMAN, Stage
from engine.cards import parse_card
from engine.observations import Scene, Zone
from lab.benchmarks.yolo_shaped import share_of_yolo
from vision.camera_pipeline import CameraPipeline
from vision.faces.net_threads import use_one_thread
from vision.frames import Frame, Image
from vision.mat.layout import lay_out
from vision.readings import Reader, Reading
from vision.see import readers_for

Kind = Literal["aruco", "qr", "faces"]
KINDS: Final[tuple[Kind, ...]] = ("aruco", "qr", "faces")
STILL_MS, MOVING_MS, LATENCY = 4.0, 20.0, 4
_STILL_FRAMES = 40
_LYING = ("KS", "7H", "QD", "2C", "10H", "AS")


@dataclass
class Timed:
    """A reader that measures the CPU time of each of its readings, milliseconds."""

    min_px_per_mm: ClassVar[float] = 0.0

    reader: Reader
    spent: list[float] = field(default_factory=list)

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """Read with the reader, and measure it."""
        begin = time.thread_time()
        found = self.reader.read(image, mm_per_px)
        self.spent.append((time.thread_time() - begin) * 1e3)
        return found


class Film:
    """A frame source of rendered frames."""

    name = "film"
    live = False

    def __init__(self, frames: list[Frame]) -> None:
        self._frames = iter(frames)

    def read(self) -> Frame | None:
        """Return the next frame; None at the end."""
        return next(self._frames, None)

    def close(self) -> None:
        """Do nothing."""


def shoot(marks: Kind) -> tuple[Stage, list[Frame], int]:
    """Return the stage, its frames, and the number of the first frame with the eighth card."""
    mat = lay_out(2, ("play", "say", "show", "turn-up"))
    stage = Stage(mat, marks, HUMAN, 7)
    chance = random.Random(7)
    zones = [zone for zone in mat.areas if zone.name != "play"]
    for number, face in enumerate(_LYING):
        zone = Zone("play", 0) if number == 0 else zones[number % len(zones)]
        lying = [piece.place.at for piece in stage.lying()]
        stage.put(stage.card(parse_card(face), 0, somewhere(mat, zone, 0, lying, chance)))
    frames = [_frame(stage, number) for number in range(_STILL_FRAMES)]
    first = stage.lying()[0].place
    new = stage.card(parse_card("4D"), 0, Place((first.at[0] + 48, first.at[1] - 12), 14.0, Zone("play", 0)))
    stage.start(movements.lay(stage, new), 0)
    while stage.busy() or new.laid is None:
        frames.append(_frame(stage, len(frames)))
    frames += [_frame(stage, len(frames) + number) for number in range(10)]
    stage.put(stage.card(parse_card("9C"), 1, Place(mat.centre(Zone("play", 1)), 31.0, Zone("play", 1))))
    at = len(frames)
    frames += [_frame(stage, at + number) for number in range(10)]
    return stage, frames, at


def _frame(stage: Stage, number: int) -> Frame:
    return Frame(stage.frame(number / FPS), number / FPS, number)


def measure(marks: Kind) -> bool:
    """Print the row for one kind of marks; return whether every goal is reached."""
    stage, frames, eighth = shoot(marks)
    readers = [Timed(reader) for reader in readers_for(marks)]
    pipeline = CameraPipeline(Film(frames), stage.mat, readers)
    costs: list[float] = []
    without_readers: list[float] = []
    scenes: list[int] = []
    """The numbers of the frames that gave a scene."""
    for frame in frames:
        before = sum(sum(reader.spent) for reader in readers)
        begin = time.thread_time()
        seen = pipeline.step()
        cost = (time.thread_time() - begin) * 1e3
        costs.append(cost)
        without_readers.append(cost - (sum(sum(reader.spent) for reader in readers) - before))
        if frame.number >= _STILL_FRAMES and any(isinstance(observation, Scene) for observation in seen):
            scenes.append(frame.number)
    still = median(costs[10:_STILL_FRAMES])
    moving = median(
        cost for cost, frame in zip(without_readers, frames, strict=True) if _STILL_FRAMES <= frame.number < scenes[0]
    )
    change = sum(costs[_STILL_FRAMES : scenes[0] + 1])
    latency = scenes[1] - eighth + 1
    whole = []
    for frame in frames[10:18]:
        begin = time.thread_time()
        for reader in readers:
            reader.read(frame.image)
        whole.append((time.thread_time() - begin) * 1e3)
    good = still < STILL_MS and moving < MOVING_MS and len(scenes) == 2 and latency <= LATENCY
    slowest = max(without_readers[_STILL_FRAMES:])
    print(
        f"{marks:8}{still:10.2f}{median(whole):14.1f}{moving:12.2f}{slowest:12.2f}"
        f"{change:14.1f}{latency:12d}   {'' if good else 'MISSED'}"
    )
    shares = [share_of_yolo(ms) for ms in (still, median(whole), moving, slowest, change)]
    print("{:8}{:>10}{:>14}{:>12}{:>12}{:>14}".format("of YOLO", *shares))
    return good


def main() -> int:
    """Measure each kind of marks."""
    use_one_thread()
    print(f"{'':8}{'still':>10}{'read whole':>14}{'moving':>12}{'at most':>12}{'one change':>14}{'latency':>12}")
    print(f"{'marks':8}{'ms/frame':>10}{'ms/frame':>14}{'ms/frame':>12}{'ms/frame':>12}{'ms in all':>14}{'frames':>12}")
    return int(not all([measure(marks) for marks in KINDS]))


if __name__ == "__main__":
    raise SystemExit(main())
