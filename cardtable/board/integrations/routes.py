"""The routes for other programs: `/healthz`, `/metrics`, and the overlay for streams with its hands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from cardtable.board.integrations.delayed_hands import DelayedHands
from cardtable.board.integrations.health import Health, health_of
from cardtable.board.integrations.measures import Measures
from cardtable.board.screens import State
from engine.texts import Translate, in_language


class Integrations:
    """The routes for monitoring the table, and for video streams of it.

    `shown` returns the state that the board shows, None before the first. `translate`: to the table's language.
    `overlay`: the file of the overlay's page. `hands_after_s`: see `DelayedHands`.
    """

    def __init__(
        self,
        shown: Callable[[], State | None],
        translate: Translate,
        overlay: Path,
        hands_after_s: float | None = None,
    ) -> None:
        self._shown = shown
        self._translate = translate
        self._overlay = overlay
        self.hands: Final = DelayedHands(hands_after_s)
        self.measures: Final = Measures()
        self.journal: Path | None = None
        """The file that the games are stored in; None if they are not stored."""

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the server."""
        return [
            Route("/healthz", self._get_health),
            Route("/metrics", self._get_metrics),
            Route("/overlay", self._get_overlay),
            Route("/overlay/hands.json", self._get_hands),
        ]

    def health(self) -> Health:
        """Return the health of the table now, and note it among the figures."""
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
        text = json.dumps(health, ensure_ascii=False)
        return Response(text, 200 if health["ok"] else 503, media_type="application/json")

    async def _get_metrics(self, request: Request) -> Response:
        self.health()
        return Response(generate_latest(self.measures.registry), media_type=CONTENT_TYPE_LATEST)

    async def _get_overlay(self, request: Request) -> Response:
        return FileResponse(self._overlay, media_type="text/html")

    async def _get_hands(self, request: Request) -> Response:
        answer = {"after_s": self.hands.after_s, "hands": self.hands.shown()}
        return Response(json.dumps(answer), media_type="application/json", headers={"cache-control": "no-store"})
