"""The routes for makers: `/healthz` and `/metrics`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from cardtable.board.makers.health import Health, health_of
from cardtable.board.makers.measures import Measures
from cardtable.board.screens import State
from engine.texts import Translate, in_language


class Makers:
    """Answers those who watch over the table. `shown` returns the state that the board shows; None before the first.

    `translate`: to the table's language.
    """

    def __init__(self, shown: Callable[[], State | None], translate: Translate) -> None:
        self._shown = shown
        self._translate = translate
        self.measures: Final = Measures()
        self.journal: Path | None = None
        """The file that the games are stored in; None if they are not stored."""

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the server."""
        return [Route("/healthz", self._get_health), Route("/metrics", self._get_metrics)]

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
