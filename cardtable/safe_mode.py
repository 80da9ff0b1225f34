"""Safe mode: if the table cannot start, its board says why, and offers what can be done about it.

`cardtable run --safe-mode`, which the systemd unit uses, serves one page instead of ending: on the table's own display,
and in the network if the configuration lets phones in. Only the display and the director's devices may choose.

    GET  /safe             the page; /, /phone and /start redirect to it
    GET  /safe/state.json  {"session", "text", "choices": [{"do", "label", "question"}, …], "care": whether /care can do
                           anything}; others: {"refused", "pin"}
    POST /safe/do          {"do": "again"} opens the table again, {"do": "good"} with the configuration with which it
                           last ran, {"do": "defaults"} with the default one, {"do": "plain"} without plug-ins,
                           {"do": "salvage"} with what can be got out of the journal, {"do": "begin"} with an empty
                           journal; answers {"opening": true} or {"refused": sentence}
    /care, /doctor         backups and updates, and the doctor, as at a table that runs

Nothing is deleted: what is replaced is kept beside it, as `.aside-1` and so on. The table is also opened again by
itself from time to time, because a disk, a network or another program may have been in the way. Plug-ins are left out
here.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import secrets
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from cardtable import stopping
from cardtable.config.load import ConfigError, readable_part
from cardtable.config.model import EVERYWHERE, LOOPBACK, BoardConfig, TableConfig
from cardtable.config.writing import KeyPath, changed_text
from cardtable.doctor.pages import doctor_routes
from cardtable.errors import CardtableError, why
from cardtable.journal.aside import free_name, has_lone_log, replace_journal
from cardtable.journal.file import JournalError
from cardtable.journal.journal import Journal
from cardtable.journal.salvage import salvage
from cardtable.languages import catalogue, translator
from cardtable.maintenance.pages import FORBIDDEN, NOT_NOW, CarePages
from cardtable.maintenance.systemd import Service
from cardtable.plugins import IGNORED, VARIABLE, left_out
from cardtable.starts import Killed, last_good
from cardtable.table.messages import Identity, Role
from cardtable.terminal.output import say, translated
from cardtable.web.access import Access
from cardtable.web.access_file import phones_file
from cardtable.web.connections import device_of
from cardtable.web.https import open_https
from cardtable.web.phones import AccessRoutes
from cardtable.web.server import PAGE
from cardtable.web.serving import BadRequest, Pages, json_answer, page, read_json, refusal
from engine.texts import Text, both, commas, in_language, plural, text
from vision.atomic_files import store

_AGAIN_S: Final = 60.0
"""Seconds until the table is opened again by itself."""
_USED_S: Final = 600.0
"""The same after somebody has chosen something or sent a backup, which may take long in a slow network."""
_ALIVE_S: Final = 1.0
_ROOM_BYTES: Final = 1_000_000
"""What a new journal or configuration takes, with a log."""
_COPIES: Final = 3
"""Copies of the journal that are written while its games are saved."""
Do = Literal["again", "good", "defaults", "plain", "salvage", "begin"]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    do: Do


_REQUEST: Final = TypeAdapter(_Request)


def wait_in_safe_mode(config: Path, error: BaseException, port: int | None, journal: Path | None) -> Text | None:
    """Serve the page until the table is to be opened again; return what to report then. `error`: why it cannot start.

    `port` and `journal`: those of the command line. Raises `error` if the page cannot be served.
    """
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = IGNORED
    safe_mode = _SafeMode(config, error, port, journal, [] if before else left_out())
    try:
        return safe_mode.wait()
    finally:
        if not safe_mode.plain:
            os.environ.pop(VARIABLE)
            os.environ.update({} if before is None else {VARIABLE: before})


class _SafeMode:
    """The page and its server. `wait` serves it."""

    def __init__(
        self, config: Path, error: BaseException, port: int | None, journal: Path | None, plugins: Sequence[str]
    ) -> None:
        self.plain = False
        """Whether the table is to be opened without plug-ins."""
        self._plugins = plugins
        self._config = config
        self._good = last_good(config)
        self._error = error
        self._port = port
        good = readable_part(self._good, TableConfig())
        basics = readable_part(config, good)
        self._boards = [basics.board, good.board, BoardConfig()]
        self._own_journal = basics.journal
        self._journal = journal or config.parent / basics.journal
        self._language = basics.language
        self._translate = translator(self._language)
        self._access = Access(basics.access, phones_file(self._journal))
        self._basics = basics.model_copy(update={"journal": self._journal})
        self._session = secrets.token_hex(4)
        self._no_config, self._no_journal = _unwritable(config), _unwritable(self._journal)
        """Why no other configuration or journal can be written, and what to do about it."""
        self._pages: Pages | None = None
        self._phones = AccessRoutes(self._access, lambda: (), self._served, self._translate)
        self._again_at = time.monotonic() + _AGAIN_S
        self._over = threading.Event()
        self._doing = threading.Lock()
        self._report: Text | None = None

    def wait(self) -> Text | None:
        """Serve the page until the table is to be opened again; return what to report then."""
        say(text("the table cannot start: {why}", why=self._why()), sys.stderr)
        with ExitStack() as stack:
            host: Any = SimpleNamespace(
                services=SimpleNamespace(translate=self._translate), evening=SimpleNamespace(screen="safe")
            )
            care = stack.enter_context(closing(CarePages(self._config, lambda: host, self._role_of, self._over.set)))
            care.saves = False
            self._pages = stack.enter_context(closing(self._serve((*self._routes(), *care.routes()))))
            self._pages.show(lambda identity: json.dumps({"safe": True}))
            say(text("safe mode: {url}", url=self._pages.url), sys.stderr)
            service = Service()
            service.ready(translated(text("safe mode: {url}", url=self._pages.url)))
            while not self._over.wait(_ALIVE_S) and time.monotonic() < self._again_at:
                stopping.check()
                service.alive()
            with self._doing:  # after what was begun in the last moment
                self._over.set()
        return self._report

    def _why(self) -> str:
        fault: str = text("a fault of the program ({why})", why=repr(self._error))
        if self._is_incomplete():
            message = "a file of the program is missing or damaged: install it again ({why})"
            fault = text(message, why=str(self._error))
        if isinstance(self._error, CardtableError):
            fault = str(self._error)
        of_config = self._no_config if isinstance(self._error, ConfigError) else None
        disk = self._no_journal or of_config
        return fault if disk is None else text("{what}. {advice}", what=fault, advice=disk)

    def _is_incomplete(self) -> bool:
        """Return whether a file of the program seems to be missing or damaged: its text, or a net of onnxruntime."""
        module = type(self._error).__module__
        return isinstance(self._error, ImportError | SyntaxError) or module.startswith("onnxruntime")

    def _serve(self, routes: Sequence[BaseRoute]) -> Pages:
        """Serve the page at the first address that can be used. Raises the error of the table if there is none."""
        https, hosts = open_https(self._journal), self._basics.board.hosts
        for host, port in _addresses(self._boards, self._port):
            with suppress(CardtableError):
                return Pages(
                    PAGE, self._hear, lambda name: None, host, port, hosts, routes, self._identify, https=https
                )
        raise self._error

    def _served(self) -> Pages:
        assert self._pages is not None
        return self._pages

    def _identify(self, connection: HTTPConnection, device: str | None) -> Identity:
        return self._phones.identify(connection, device)

    def _role_of(self, request: HTTPConnection) -> Role:
        role = self._access.sender(self._identify(request, device_of(request)), ()).role
        if role in ("board", "director") and request.scope.get("method") == "POST":
            self._again_at = time.monotonic() + _USED_S
        return role

    async def _hear(self, message: str, identity: Identity) -> str:
        return json.dumps({"refused": in_language(text("The table cannot start."), self._translate)})

    def _routes(self) -> Iterator[BaseRoute]:
        yield Route("/", self._redirect)
        yield Route("/phone", self._redirect)
        yield Route("/start", self._redirect)
        yield Route("/safe", self._get_page, middleware=[Middleware(GZipMiddleware)])
        yield Route("/safe/state.json", self._get_state)
        yield Route("/safe/do", self._post_request, methods=["POST"])
        yield Route("/start/state.json", self._get_no_question)
        yield Route("/texts.json", self._get_texts, middleware=[Middleware(GZipMiddleware)])
        yield from self._phones.routes()
        yield from doctor_routes(self._basics, self._translate, self._role_of)

    async def _redirect(self, request: Request) -> Response:
        return RedirectResponse("safe", headers={"cache-control": "no-store"})

    async def _get_page(self, request: Request) -> Response:
        return page(PAGE / "safe.html")

    async def _get_texts(self, request: Request) -> Response:
        return json_answer({"language": self._language, "texts": catalogue(self._language)})

    async def _get_no_question(self, request: Request) -> Response:
        return json_answer({"over": True})  # the page of the first start then opens the board

    async def _get_state(self, request: Request) -> Response:
        state: dict[str, Any] = {"session": self._session}
        if self._role_of(request) not in ("board", "director"):
            refused = text("The table cannot start: do something about it at the table.")
            pin = in_language(text("The director’s PIN"), self._translate) if self._access.has_pin else ""
            return json_answer(state | {"refused": in_language(refused, self._translate), "pin": pin}, FORBIDDEN)
        why = in_language(self._why(), self._translate)
        choices = [
            {"do": do, "label": in_language(label, self._translate), "question": in_language(question, self._translate)}
            for do, label, question in self._choices()
        ]
        return json_answer(
            state | {"text": why, "choices": choices, "care": self._no_config is self._no_journal is None}
        )

    def _choices(self) -> Iterator[tuple[Do, Text, str]]:
        """Yield what can be done about the error, the label of its button, and the question before it is done."""
        yield "again", text("Try again"), ""
        if self._no_config is None and self._good.exists() and not _same(self._good, self._config):
            question = text("Go back to the settings with which the table last ran? Those of now are kept beside them.")
            yield "good", text("The last settings that worked"), question
        settings = self._no_config is None and not isinstance(self._error, JournalError)
        if settings and os.path.lexists(self._config):
            question = text("Start with the default settings? Those of now are kept beside them.")
            yield "defaults", text("The default settings"), question
        if isinstance(self._error, ConfigError):
            return
        if self._plugins and not isinstance(self._error, JournalError):
            question = text(
                "Play without plug-ins ({names})? They are left out until the program starts again.",
                names=commas(self._plugins),
            )
            yield "plain", text("Without plug-ins"), question
        if self._no_journal is not None or self._is_incomplete():
            return
        if isinstance(self._error, JournalError) and (self._journal.is_file() or has_lone_log(self._journal)):
            question = text("Get out of the journal what can be got out? The damaged one is kept beside it.")
            yield "salvage", text("Save the games"), question
        if isinstance(self._error, CardtableError) and not isinstance(self._error, JournalError | Killed):
            return
        question = text("Begin a new journal, without the games played so far? The old one is kept beside it.")
        yield "begin", text("A new journal"), question

    async def _post_request(self, request: Request) -> Response:
        if self._role_of(request) not in ("board", "director"):
            return refusal(FORBIDDEN, text("This is for the board and the director only."), self._translate)
        try:
            wanted = await read_json(request, _REQUEST)
            await asyncio.to_thread(self._do, wanted.do)
        except BadRequest as bad:
            return refusal(bad.status, str(bad), self._translate)
        except CardtableError as error:
            return refusal(NOT_NOW, str(error), self._translate)
        return json_answer({"opening": True, "session": self._session})

    def _do(self, do: Do) -> None:
        """Do what was chosen, then let the table be opened again. Raises `CardtableError`."""
        with self._doing:
            if self._over.is_set():  # twice, or from two devices
                return
            match do:
                case "plain":
                    self.plain = True
                case "good":
                    self._replace_config(self._good.read_bytes)
                case "defaults":
                    self._replace_config(self._defaults)
                case "begin":
                    Journal(new := free_name(self._journal, "new")).close()
                    kept = replace_journal(self._journal, new)
                    self._report = text("the old journal is kept as {path}", path=kept)
                case "salvage":
                    salvaged = free_name(self._journal, "salvaged")
                    found = salvage(self._journal, salvaged)
                    kept = replace_journal(self._journal, salvaged)
                    games = plural("{count} game", "{count} games", found.games)
                    actions = plural("{count} action", "{count} actions", found.actions)
                    message = "saved from the damaged journal, which is kept as {path}: {parts}"
                    self._report = text(message, path=kept, parts=both([games, actions]))
            self._over.set()

    def _replace_config(self, content: Callable[[], bytes]) -> None:
        try:
            new, kept = content(), free_name(self._config)
            if self._config.is_file():
                store(kept, self._config.read_bytes(), 0o600)
            elif os.path.lexists(self._config):
                self._config.rename(kept)
            self._report = text("the settings of before are kept as {path}", path=kept)
            store(self._config, new, 0o600)
        except OSError as error:
            raise CardtableError(text("{path} cannot be written: {why}", path=self._config, why=why(error))) from error

    def _defaults(self) -> bytes:
        """Return a configuration with nothing but the language, and where the games and the pages are."""
        basics, board = self._basics, self._basics.board
        values: dict[KeyPath, object] = {
            ("language",): basics.language,
            ("journal",): str(self._own_journal),
            ("first_start",): True,
            ("board", "port"): board.port,
            ("board", "network"): board.network,
            ("board", "hosts"): board.hosts,
        }
        return changed_text("", values).encode()


def _unwritable(path: Path) -> Text | None:
    """Return what is wrong with the disk, and what to do about it, unless there is room for copies of this file."""
    folder, size = path.parent, _ROOM_BYTES
    try:
        with suppress(FileNotFoundError):
            size += _COPIES * path.stat().st_size
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, size)
    except OSError as error:
        message = "Nothing can be written in {folder} ({why}): allow that, then try again."
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            message = (
                "The disk with {folder} is full. Make room, for example by moving files whose names end in .aside-1, "
                ".aside-2 and so on to a stick; then try again."
            )
        if error.errno in (errno.EROFS, errno.EIO):
            message = (
                "The disk with {folder} is read-only: Linux protects it after an error. Switch the table off and on; "
                "if this happens again, restore a backup on a new card."
            )
        return text(message, folder=folder, why=why(error))
    return None


def _same(one: Path, other: Path) -> bool:
    with suppress(OSError):
        return one.read_bytes() == other.read_bytes()
    return False


def _addresses(boards: Sequence[BoardConfig], port: int | None) -> Iterator[tuple[str, int]]:
    """Yield addresses and ports for the page, best first: as configured, then where the display finds this machine."""
    for board in boards:
        at = board.port if port is None else port
        yield board.listens_at, at
        yield LOOPBACK[0] if board.listens_at in LOOPBACK else EVERYWHERE, at
