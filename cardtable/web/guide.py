"""A page that guides through setting up the table: the next step, the camera's picture, findings and progress.

`cardtable calibrate` and `cardtable deck` serve it at the address at which a game serves the board.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cardtable.config.model import BoardConfig
from cardtable.languages import catalogue, translator
from cardtable.table.messages import Identity
from cardtable.web.access import Access
from cardtable.web.phones import AccessRoutes
from cardtable.web.server import PAGE
from cardtable.web.serving import Pages, page, small_jpeg
from engine.texts import Translate, in_language, text
from vision.frames import Image

_PICTURE_WIDTH: Final = 1600
_MOST_CHARACTERS: Final = 200
_WHO_MAY: Final = text("The buttons are on the table’s own display and on the director’s devices.")


@dataclass(frozen=True, slots=True)
class Guidance:
    """What the page shows. `text`: what to do now. `alert`: whether something is wrong.

    `findings`: objects with `state` (`good`, `warning`, `trouble`), `text` and `advice`. `progress`: the number of
    steps done and of all steps. `buttons`: the name that each button sends, and its label.
    """

    title: str
    text: str
    alert: bool = False
    findings: Sequence[Mapping[str, Any]] = ()
    progress: tuple[int, int] | None = None
    buttons: Sequence[tuple[str, str]] = ()

    def to_json(self, translate: Translate) -> dict[str, Any]:
        """Return the object that is sent to the page, with translated texts."""
        findings = [{key: in_language(value, translate) for key, value in finding.items()} for finding in self.findings]
        return {
            "title": in_language(self.title, translate),
            "text": in_language(self.text, translate),
            "alert": self.alert,
            "findings": findings,
            "progress": list(self.progress) if self.progress else None,
            "buttons": [{"do": do, "label": in_language(label, translate)} for do, label in self.buttons],
        }


class Guide:
    """Serves the page in `language` until `close`. Raises `CardtableError` if the port cannot be used.

    Only the display of this machine and the director's devices may press its buttons. `access` knows these devices.
    """

    def __init__(self, board: BoardConfig, language: str = "en", access: Access | None = None) -> None:
        self._translate = translator(language)
        self._access = access or Access()
        self._texts = json.dumps({"language": language, "texts": catalogue(language)}, ensure_ascii=False)
        self._pressed: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._allowed: frozenset[str] = frozenset()
        self._lock = threading.Lock()
        self._image: Image | None = None
        self._jpeg: bytes | None = None
        self._number = 0
        self._shown: dict[str, Any] = {}
        routes = [Route("/", _get_page), Route("/texts.json", self._get_texts)]
        phones = AccessRoutes(self._access, lambda: (), lambda: self._pages, self._translate)
        self._pages = Pages(
            *(PAGE, self._hear, self._picture, board.listens_at, board.port, board.hosts, routes, phones.identify)
        )
        self.url: Final = self._pages.url

    def show(self, guidance: Guidance, image: Image | None = None) -> None:
        """Show `guidance` and `image` (uint8 BGR; None keeps the previous picture). Returns at once."""
        if image is not None:
            with self._lock:
                self._image, self._jpeg = image, None
                self._number += 1
        self._allowed = frozenset(do for do, _ in guidance.buttons)
        state = {**guidance.to_json(self._translate), "picture": self._number}
        if state != self._shown:
            self._shown = state
            shown = json.dumps(state, ensure_ascii=False)
            who = in_language(_WHO_MAY, self._translate) if state["buttons"] else ""
            watched = json.dumps(state | {"buttons": [], "who": who}, ensure_ascii=False)
            self._pages.show(lambda identity: shown if self._may_press(identity) else watched)

    def pressed(self) -> Iterable[str]:
        """Return the names of the buttons pressed on any page since the last call."""
        while not self._pressed.empty():
            yield self._pressed.get()

    def close(self) -> None:
        """Stop serving."""
        self._pages.close()

    async def _get_texts(self, request: Request) -> Response:
        return Response(self._texts, media_type="application/json")

    def _may_press(self, identity: Identity) -> bool:
        return self._access.sender(identity, ()).role in ("board", "director")

    async def _hear(self, message: str, identity: Identity) -> str | None:
        if not self._may_press(identity):
            return json.dumps({"refused": in_language(_WHO_MAY, self._translate)})
        try:
            do = json.loads(message[:_MOST_CHARACTERS])["do"]
        except (ValueError, KeyError, TypeError):
            do = None
        if not isinstance(do, str) or do not in self._allowed:
            return json.dumps({"refused": self._translate(text("That cannot be chosen now."))})
        self._pressed.put(do)
        return None

    def _picture(self, name: str) -> bytes | None:
        """Return the last picture as JPEG. It is encoded on the first request."""
        with self._lock:
            if self._jpeg is None and self._image is not None:
                self._jpeg = small_jpeg(self._image, _PICTURE_WIDTH, 85)
            return self._jpeg


async def _get_page(request: Request) -> Response:
    return page(PAGE / "guide.html")
