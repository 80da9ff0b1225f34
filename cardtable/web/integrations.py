"""Monitoring the table (`/healthz`, `/metrics`), and the overlay for video streams (`/overlay`)."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from secrets import compare_digest
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from pydantic import with_config
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from typing_extensions import TypedDict  # pydantic cannot read the one of Python 3.11

from cardtable.table.messages import SHAPE
from cardtable.web.screens import SourceCheck, State
from cardtable.web.serving import page
from engine.texts import Translate, in_language, text

# The hands that the overlay shows, after a delay.

Hands = tuple[tuple[str, ...], ...]
"""For each seat the known cards of its hand; empty if no game is played."""


class DelayedHands:
    """Returns hands as they were `after_s` seconds ago; None: no hands at all.

    `clock` returns seconds and is never set back. The main thread writes; any thread reads.
    """

    def __init__(self, after_s: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.after_s: Final = after_s
        self._clock = clock
        self._kept: deque[tuple[float, Hands]] = deque()
        self._lock = threading.Lock()

    def note(self, hands: Hands) -> None:
        """Keep the hands as they are now."""
        if self.after_s is None:
            return
        with self._lock:
            if not self._kept or self._kept[-1][1] != hands:
                self._kept.append((self._clock(), hands))
            self._forget()

    def shown(self) -> Hands:
        """Return the hands as they were `after_s` seconds ago; none if they are not known."""
        if self.after_s is None:
            return ()
        with self._lock:
            self._forget()
            return self._kept[0][1] if self._kept and self._is_due(self._kept[0]) else ()

    def _is_due(self, kept: tuple[float, Hands]) -> bool:
        return self.after_s is not None and self._clock() - kept[0] >= self.after_s

    def _forget(self) -> None:
        """Drop the entries that a later due entry replaces."""
        while len(self._kept) > 1 and self._is_due(self._kept[1]):
            self._kept.popleft()


# The health of the table, from the state of the board, the journal's disk and the main loop.

STALLED_S: Final = 10.0
"""Seconds without a turn of the main loop after which the table counts as stalled."""
LEAST_FREE: Final = 1 << 20
"""Bytes that must be free on the journal's disk."""


LIGHT: Final = ("light", "focus")
"""Checks of the lobby about conditions in which a camera works badly."""


class PartHealth(TypedDict):
    """A camera, a reader board, or the journal."""

    name: str
    ok: bool
    trouble: str | None
    """What is wrong and what to do, in the table's language; None if nothing is. A source that works badly, such as a
    camera in a glare, is `ok` and has a trouble.
    """


@with_config(SHAPE)
class Health(TypedDict):
    """The answer of `/healthz`: status 200 if `ok`, else 503."""

    ok: bool
    """Whether the main loop turns, the journal can be written, and every source works."""
    screen: str | None
    """The screen that the table shows; None before the first state."""
    main_loop_age_s: float
    """Seconds since the last turn of the main loop; at most 0.3 while nothing happens, and not `ok` from 10 on."""
    journal: PartHealth
    sources: list[PartHealth]
    """The cameras and readers, and voice, buttons and displays if they have failed."""


def health_of(state: State | None, loop_age_s: float, journal: Path | None) -> Health:
    """Return the health of a table that shows `state`. `journal`: its file; None if the table stores nothing."""
    sources = [] if state is None else _sources(state)
    stored = _part("journal", (state["trouble"] if state is not None else None) or _unwritable(journal))
    ok = state is not None and loop_age_s < STALLED_S and stored["ok"] and all(source["ok"] for source in sources)
    return {
        "ok": ok,
        "screen": None if state is None else state["screen"],
        "main_loop_age_s": round(loop_age_s, 3),
        "journal": stored,
        "sources": sources,
    }


def _part(name: str, trouble: str | None, works: bool = False) -> PartHealth:
    return {"name": name, "ok": trouble is None or works, "trouble": trouble}


def _sources(state: State) -> list[PartHealth]:
    if state["screen"] == "asleep":
        return []
    if state["screen"] == "lobby":
        return [_of_checks(source) for source in state["sources"]]
    return [_part(source["name"], source["trouble"], source["works"]) for source in state["sources"]]


def _of_checks(source: SourceCheck) -> PartHealth:
    """Return the health of a source in the lobby. Bad light does not make it unhealthy; other faults come first."""
    bad = sorted((check["what"] in LIGHT, check["text"]) for check in source["checks"] if check["state"] == "bad")
    return _part(source["name"], bad[0][1], works=bad[0][0]) if bad else _part(source["name"], None)


def _unwritable(journal: Path | None) -> str | None:
    """Return why the journal cannot be written, without writing to it; None if it can be written."""
    if journal is None:
        return None
    try:
        if not journal.exists():
            return text("the file was moved, deleted or truncated: put it back, or a new one will be created")
        disk = os.statvfs(journal.parent)
        if disk.f_bavail * disk.f_frsize < LEAST_FREE:
            return text("the disk is full: make room, the game goes on by itself")
        if os.access(journal, os.W_OK):
            return None
    except OSError:
        pass
    return text("the disk cannot be written: check whether it is full or was removed")


_BUCKETS_S: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


@dataclass(frozen=True, slots=True)
class CameraCounts:
    """Figures of a camera since it was opened.

    `frames`: frames processed. `reads`: parts of frames given to the readers. `cards`: cards that it sees now, or has
    not yet seen taken away. `restarts`: how often it has stopped and been opened again.
    """

    name: str
    frames: int
    reads: int
    cards: int
    restarts: int = 0


class Measures:
    """The metrics of one board, in a registry of their own.

    The main thread and the server's thread write; any thread reads.
    """

    def __init__(self) -> None:
        self._turned_at = time.monotonic()
        self.cameras: Callable[[], Iterable[CameraCounts]] = tuple
        """Returns the figures of the open cameras."""
        self.registry: Final = CollectorRegistry()
        registry = self.registry
        self.observation: Final = Histogram(
            "cardtable_observation_seconds",
            "Seconds from taking an observation until its effect is stored and shown.",
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
        self._turned_at = time.monotonic()

    def loop_age(self) -> float:
        """Return the seconds since the last turn of the main loop."""
        return time.monotonic() - self._turned_at


class _Cameras(Collector):
    """Collects the figures of the cameras when the metrics are read."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures

    def describe(self) -> Iterable[Metric]:
        """Return nothing, so that registering does not ask the cameras."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        frames = CounterMetricFamily("cardtable_frames", "Frames of a camera that were processed.", labels=["camera"])
        reads = CounterMetricFamily("cardtable_reads", "Pieces of frames given to the readers.", labels=["camera"])
        cards = GaugeMetricFamily("cardtable_cards", "Cards that a camera sees.", labels=["camera"])
        restarts = CounterMetricFamily(
            "cardtable_camera_restarts", "Times a camera stopped and was opened again.", labels=["camera"]
        )
        for camera in self._measures.cameras():
            frames.add_metric([camera.name], camera.frames)
            reads.add_metric([camera.name], camera.reads)
            cards.add_metric([camera.name], camera.cards)
            restarts.add_metric([camera.name], camera.restarts)
        yield from (frames, reads, cards, restarts)


class Integrations:
    """The routes for monitoring the table, and for video streams of it.

    `shown` returns the state of the board, None before the first. `translate`: into the table's language. `pages`:
    the folder of the pages. `hands_after_s`: see `DelayedHands`. `hands_key`: the key that a request for hands must
    contain; None if it needs none.
    """

    def __init__(
        self,
        shown: Callable[[], State | None],
        translate: Translate,
        pages: Path,
        hands_after_s: float | None = None,
        hands_key: str | None = None,
    ) -> None:
        self._shown = shown
        self._translate = translate
        self._pages = pages
        self._hands_key = hands_key
        self.hands: Final = DelayedHands(hands_after_s)
        self.measures: Final = Measures()
        self.journal: Path | None = None
        """The journal's file; None if games are not stored."""

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the server."""
        return [
            Route("/healthz", self._get_health),
            Route("/metrics", self._get_metrics),
            Route("/overlay", self._get_overlay),
            Route("/streaming", self._get_streaming),
            Route("/overlay/hands.json", self._get_hands),
        ]

    def health(self) -> Health:
        """Return the health of the table now, and update the metrics about it."""
        health, measures = health_of(self._shown(), self.measures.loop_age(), self.journal), self.measures
        for part in (health["journal"], *health["sources"]):
            if part["trouble"] is not None:
                part["trouble"] = in_language(part["trouble"], self._translate)
        measures.healthy.set(health["ok"])
        measures.journal.set(health["journal"]["ok"])
        measures.sources.clear()
        for source in health["sources"]:
            measures.sources.labels(source["name"]).set(source["ok"])
        return health

    async def _get_health(self, request: Request) -> Response:
        health = self.health()
        content = json.dumps(health, ensure_ascii=False)
        return Response(content, 200 if health["ok"] else 503, media_type="application/json")

    async def _get_metrics(self, request: Request) -> Response:
        self.health()
        return Response(generate_latest(self.measures.registry), media_type=CONTENT_TYPE_LATEST)

    async def _get_overlay(self, request: Request) -> Response:
        return page(self._pages / "overlay.html")

    async def _get_streaming(self, request: Request) -> Response:
        return page(self._pages / "streaming.html")

    async def _get_hands(self, request: Request) -> Response:
        allowed = self._hands_key is None or compare_digest(
            request.query_params.get("key", "").encode(), self._hands_key.encode()
        )
        answer: dict[str, object] = {"after_s": self.hands.after_s, "hands": self.hands.shown() if allowed else ()}
        if not allowed:
            refusal = text("The key of this overlay is missing or wrong: open it with ?key= and the key in table.toml.")
            answer["refused"] = in_language(refusal, self._translate)
        content = json.dumps(answer, ensure_ascii=False)
        headers = {"cache-control": "no-store"}
        return Response(content, 200 if allowed else 403, headers, media_type="application/json")
