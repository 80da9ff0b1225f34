"""Updates and backups on the board's server.

Only the table's own display and the director's devices may use these pages, and nothing is changed during a game.

    GET  /care              the page
    GET  /care/state.json   updates, USB sticks and their backups, and "restored": what came of a backup that was put
                            back; {"refused": sentence} for anybody else
    POST /care/do           {"do": "check"}, {"do": "install"}, {"do": "save", "value": mount point of a stick} or
                            {"do": "restore", "value": file on a stick}; answers {"said": sentence}, or
                            {"opening": true} if the table is going to be opened again
    POST /care/restore      a backup (application/zip) to restore; answers as /care/do
    GET  /care/offer.json   {"offer": version or null}, for the lobby
    GET  /start/backup.zip  a backup; not during a game, because the journal contains hidden hands. What it lacks is in
                            the state after it: "left_out", sentences

`DirectorPages` is what these pages share with those of the first start (`cardtable.setup.pages`).
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.background import BackgroundTask
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from cardtable.errors import CardtableError, why
from cardtable.maintenance.backup import (
    UNFINISHED,
    Stick,
    find_sticks,
    queue_restore,
    save_on,
    saved_at,
    write_backup,
)
from cardtable.maintenance.updates import Updates
from cardtable.table.messages import Role
from cardtable.web.server import PAGE
from cardtable.web.serving import BadRequest, check_type, json_answer, page, read_json, refusal
from engine.texts import Text, decimals, in_language, spaced, text

if TYPE_CHECKING:  # safe mode has no host, and must not need the libraries of the table
    from cardtable.evening.host import Host

Answer = TypeVar("Answer")

_BACKUP: Final = "cardtable-backup-%Y%m%d.zip"
_MAX_UPLOAD_BYTES: Final = 500_000_000
FORBIDDEN, NOT_NOW, _TOO_LARGE = 403, 409, 413


class CareRequest(BaseModel):
    """A request from the page."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    do: Literal["check", "install", "save", "restore"]
    value: str = Field(default="", max_length=400)


_REQUEST: Final = TypeAdapter(CareRequest)


class DirectorPages:
    """Pages of a running table for its own display and the director's devices. A thread does their work.

    `path` is the configuration; `host` returns the running host, and `role_of` the role of the sender of a request.
    `reopen` asks the table to close and open again with what has changed; these routes end with it.
    """

    def __init__(
        self,
        path: Path,
        host: Callable[[], Host],
        role_of: Callable[[Request], Role],
        reopen: Callable[[], None],
        thread: str,
    ) -> None:
        self._path = path
        self._host = host
        self._role_of = role_of
        self._reopen = reopen
        self._pool = ThreadPoolExecutor(1, thread)
        self._session = secrets.token_hex(4)
        """New each time the table is opened, so that a page notices when it has been opened again."""

    def close(self) -> None:
        """End the thread."""
        self._pool.shutdown()

    async def _in_thread(self, work: Callable[[], Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    @property
    def _playing(self) -> bool:
        return self._host().evening.screen == "game"

    def _is_allowed(self, request: Request) -> bool:
        return self._role_of(request) in ("board", "director")

    def _refused(self, status: int, why: str) -> Response:
        return refusal(status, why, self._host().services.translate)

    def _refuse_others(self) -> Response:
        return self._refused(FORBIDDEN, text("This is for the board and the director only."))

    def _refuse_during_game(self) -> Response:
        return self._refused(NOT_NOW, text("A game is being played: end it first."))


class CarePages(DirectorPages):
    """The routes of updates and backups. `sticks` returns the USB sticks that are plugged in."""

    def __init__(
        self,
        path: Path,
        host: Callable[[], Host],
        role_of: Callable[[Request], Role],
        reopen: Callable[[], None],
        updates: Updates | None = None,
        sticks: Callable[[], list[Stick]] = find_sticks,
    ) -> None:
        super().__init__(path, host, role_of, reopen, "care")
        self.saves = True
        """Whether the page offers to save a backup."""
        self.restored: Text | None = None
        """What came of the backup that was restored before the table was opened; None without one."""
        self._updates = updates or Updates()
        self._sticks = sticks
        self._left_out: list[Text] = []
        """What to say about the last backup that was saved on a device of the network."""

    def routes(self) -> tuple[BaseRoute, ...]:
        """Return the routes."""
        return (
            Route("/care", self._get_page, middleware=[Middleware(GZipMiddleware)]),
            Route("/care/state.json", self._get_state),
            Route("/care/do", self._post_request, methods=["POST"]),
            Route("/care/restore", self._post_backup, methods=["POST"]),
            Route("/care/offer.json", self._get_offer),
            *([Route("/start/backup.zip", self._get_backup)] if self.saves else []),
        )

    # Routes

    async def _get_page(self, request: Request) -> Response:
        return page(PAGE / "care.html")

    async def _get_offer(self, request: Request) -> Response:
        offer = self._updates.state().offer if self._is_allowed(request) else None
        return json_answer({"offer": offer})

    async def _get_state(self, request: Request) -> Response:
        if not self._is_allowed(request):
            return self._refuse_others()
        return json_answer(await self._in_thread(self._state))

    async def _post_request(self, request: Request) -> Response:
        if refused := self._refusal(request):
            return refused
        try:
            care_request = await read_json(request, _REQUEST)
        except BadRequest as bad:
            return self._refused(bad.status, str(bad))
        return await self._in_thread(lambda: self._carry_out(care_request))

    async def _post_backup(self, request: Request) -> Response:
        if refused := self._refusal(request):
            return refused
        try:
            check_type(request, "application/zip")
            with TemporaryDirectory(dir=self._path.parent, prefix=".received-") as folder:
                packed, size = Path(folder) / "backup.zip", 0
                with packed.open("wb") as file:
                    async for part in request.stream():
                        size += file.write(part)
                        if size > _MAX_UPLOAD_BYTES:
                            return self._refused(_TOO_LARGE, text("this file is too large for a backup of a table"))
                return await self._in_thread(lambda: self._queue_restore(packed))
        except BadRequest as bad:
            return self._refused(bad.status, str(bad))
        except OSError as error:
            return self._refused(NOT_NOW, text("the backup cannot be stored: {why}", why=why(error)))

    async def _get_backup(self, request: Request) -> Response:
        if refused := self._refusal(request):
            return refused
        folder = TemporaryDirectory(dir=self._path.parent, prefix=UNFINISHED[2])
        packed = Path(folder.name) / "backup.zip"
        try:
            written = await self._in_thread(lambda: write_backup(self._path, packed))
        except CardtableError as error:
            folder.cleanup()
            return self._refused(NOT_NOW, str(error))
        self._left_out = written.warnings()
        # With its length the browser shows how far it is.
        return FileResponse(
            packed,
            media_type="application/zip",
            filename=time.strftime(_BACKUP),
            headers={"cache-control": "no-store"},
            background=BackgroundTask(folder.cleanup),
        )

    def _refusal(self, request: Request) -> Response | None:
        """Return the answer if the request is refused."""
        if not self._is_allowed(request):
            return self._refuse_others()
        return self._refuse_during_game() if self._playing else None

    def _translated(self, words: str) -> str:
        return in_language(words, self._host().services.translate)

    # In the thread

    def _state(self) -> dict[str, Any]:
        update = self._updates.state()
        return {
            "session": self._session,
            "playing": self._playing,
            "saves": self.saves,
            "update": {
                "text": self._translated(update.text),
                "offer": update.offer,
                "busy": update.busy,
                "wrong": update.wrong,
                "can_look": self._updates.is_there and not update.busy,
            },
            "restored": self._translated(self.restored) if self.restored else None,
            "left_out": [self._translated(warning) for warning in self._left_out],
            "sticks": [self._stick(stick) for stick in self._sticks()],
        }

    def _stick(self, stick: Stick) -> dict[str, Any]:
        backups = []
        for path in stick.backups():
            try:
                written = saved_at(path)
            except OSError:  # unplugged
                continue
            backups.append({"file": str(path), "name": path.name, "time": written})
        free = self._translated(text("{size} GB free", size=decimals(stick.free / 1e9)))
        return {"place": str(stick.place), "label": stick.label, "free": free, "backups": backups}

    def _carry_out(self, request: CareRequest) -> Response:
        try:
            match request.do:
                case "check" | "install":
                    self._updates.ask(request.do)
                    return json_answer({"said": self._translated(self._updates.state().text)})
                case "save":
                    stick = next((each for each in self._sticks() if str(each.place) == request.value), None)
                    if stick is None:
                        raise CardtableError(text("This stick is gone: plug it in again."))
                    saved = save_on(stick, self._path)
                    said = text("Saved as {name}. You can unplug the stick now.", name=saved.path.name)
                    return json_answer({"said": self._translated(spaced([said, *saved.warnings()]))})
                case "restore":
                    files = [path for stick in self._sticks() for path in stick.backups()]
                    packed = next((path for path in files if str(path) == request.value), None)
                    if packed is None:
                        raise CardtableError(text("This backup is gone: plug the stick in again."))
                    return self._queue_restore(packed)
        except CardtableError as error:
            return self._refused(NOT_NOW, str(error))

    def _queue_restore(self, packed: Path) -> Response:
        if self._playing:  # begun while the backup was sent
            return self._refuse_during_game()
        try:
            queue_restore(packed, self._path)
        except CardtableError as error:
            return self._refused(NOT_NOW, str(error))
        self._reopen()
        return json_answer({"opening": True, "session": self._session})
