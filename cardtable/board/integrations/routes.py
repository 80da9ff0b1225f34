"""The routes for other programs: `/healthz`, `/metrics`, and the overlay for streams with its hands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from secrets import compare_digest
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from cardtable.board.integrations.delayed_hands import DelayedHands
from cardtable.board.integrations.health import Health, health_of
from cardtable.board.integrations.measures import Measures
from cardtable.board.screens import State
from engine.texts import Translate, in_language, text


class Integrations:
    """The routes for monitoring the table, and for video streams of it.

    `shown` returns the state that the board shows, None before the first. `translate`: to the table's language.
    `overlay`: the file of the overlay's page. `hands_after_s`: see `DelayedHands`.
    `hands_key`: what a request for hands must name; None: nothing.
    """

    def __init__(
        self,
        shown: Callable[[], State | None],
        translate: Translate,
        overlay: Path,
        hands_after_s: float | None = None,
        hands_key: str | None = None,
    ) -> None:
        self._shown = shown
        self._translate = translate
        self._overlay = overlay
        self._hands_key = hands_key
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
        content = json.dumps(health, ensure_ascii=False)
        return Response(content, 200 if health["ok"] else 503, media_type="application/json")

    async def _get_metrics(self, request: Request) -> Response:
        self.health()
        return Response(generate_latest(self.measures.registry), media_type=CONTENT_TYPE_LATEST)

    async def _get_overlay(self, request: Request) -> Response:
        return FileResponse(self._overlay, media_type="text/html")

    async def _get_hands(self, request: Request) -> Response:
        allowed = self._hands_key is None or compare_digest(
            request.query_params.get("key", "").encode(), self._hands_key.encode()
        )
        answer: dict[str, object] = {"after_s": self.hands.after_s, "hands": self.hands.shown() if allowed else ()}
        if not allowed:
            refusal = text("This overlay has no key, or a wrong one: open it with ?key= and the key in table.toml.")
            answer["refused"] = in_language(refusal, self._translate)
        content = json.dumps(answer, ensure_ascii=False)
        headers = {"cache-control": "no-store"}
        return Response(content, 200 if allowed else 403, headers, media_type="application/json")
