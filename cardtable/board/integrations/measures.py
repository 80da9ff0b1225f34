"""What the table measures about itself, for `/metrics`: in a registry of its own, one for each board.

The main thread and the server's thread write; any thread reads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

_BUCKETS_S: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


@dataclass(frozen=True, slots=True)
class CameraCounts:
    """What a camera has done since it was opened, and what it sees now.

    `frames`: the frames processed. `reads`: pieces of frames that were given to the readers. `cards`: the cards that it
    sees now, or has not yet seen taken away. `restarts`: how often it has stopped and was opened again.
    """

    name: str
    frames: int
    reads: int
    cards: int
    restarts: int = 0


class Measures:
    """The figures of one board. `clock`: seconds, monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._turned_at = clock()
        self.cameras: Callable[[], Iterable[CameraCounts]] = tuple
        """Returns the counts of the cameras that are open now."""
        self.registry: Final = CollectorRegistry()
        registry = self.registry
        self.observation: Final = Histogram(
            "cardtable_observation_seconds",
            "Seconds from taking an observation until what follows from it is stored and shown.",
            buckets=_BUCKETS_S,
            registry=registry,
        )
        self.actions: Final = Counter("cardtable_actions", "Actions accepted and stored.", registry=registry)
        self.states: Final = Counter("cardtable_states", "States shown on the board.", registry=registry)
        self.messages: Final = Counter("cardtable_messages", "Messages of pages.", ["answer"], registry=registry)
        for answer in ("accepted", "refused"):
            self.messages.labels(answer)
        self.pages: Final = Gauge("cardtable_pages", "Pages that are connected.", registry=registry)
        loop = Gauge("cardtable_main_loop_age_seconds", "Seconds since the last turn.", registry=registry)
        loop.set_function(self.loop_age)
        self.healthy: Final = Gauge("cardtable_healthy", "1 if /healthz answers 200, else 0.", registry=registry)
        self.journal: Final = Gauge("cardtable_journal_writable", "1 if the journal can be written.", registry=registry)
        self.sources: Final = Gauge(
            "cardtable_source_up", "1 if the camera or reader works.", ["source"], registry=registry
        )
        registry.register(_Cameras(self))

    def turned(self) -> None:
        """Note a turn of the main loop."""
        self._turned_at = self._clock()

    def loop_age(self) -> float:
        """Return the seconds since the last turn of the main loop."""
        return max(self._clock() - self._turned_at, 0.0)


class _Cameras(Collector):
    """The counts of the cameras, asked for when the figures are read."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures

    def describe(self) -> Iterator[Metric]:
        """Yield the metrics without values, so that registering counts nothing."""
        yield from self._families()

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        frames, reads, cards, restarts = self._families()
        for camera in self._measures.cameras():
            frames.add_metric([camera.name], camera.frames)
            reads.add_metric([camera.name], camera.reads)
            cards.add_metric([camera.name], camera.cards)
            restarts.add_metric([camera.name], camera.restarts)
        yield from (frames, reads, cards, restarts)

    @staticmethod
    def _families() -> tuple[CounterMetricFamily, CounterMetricFamily, GaugeMetricFamily, CounterMetricFamily]:
        return (
            CounterMetricFamily("cardtable_frames", "Frames of a camera that were processed.", labels=["camera"]),
            CounterMetricFamily("cardtable_reads", "Pieces of frames given to the readers.", labels=["camera"]),
            GaugeMetricFamily("cardtable_cards", "Cards that a camera sees.", labels=["camera"]),
            CounterMetricFamily(
                "cardtable_camera_restarts", "Times a camera stopped and was opened again.", labels=["camera"]
            ),
        )
