"""A table that is open: its journal, its devices, its board with all pages, and the host of the evening.

Opening loads OpenCV and the web server, which takes seconds on a small machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from threading import Event
from typing import Final, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from cardtable.config.load import add_games
from cardtable.config.model import TableConfig
from cardtable.doctor.pages import doctor_routes
from cardtable.evening.equipment import Equipment, Services
from cardtable.evening.host import Host, start
from cardtable.evening.memory import Evening
from cardtable.evening.playing import Playing
from cardtable.history.pages import Answers, history_routes
from cardtable.journal.journal import Journal
from cardtable.languages import translator
from cardtable.maintenance.machine_watch import MachineWatch, enter_of
from cardtable.maintenance.pages import CarePages
from cardtable.maintenance.systemd import Service
from cardtable.plugins import Visit, blamed, in_time, installed
from cardtable.setup.first_start import open_first_start
from cardtable.setup.pages import StartPages
from cardtable.setup.step import Site
from cardtable.setup.terminal import TerminalQuestions
from cardtable.setup.without_display import WithoutDisplay, code_on_card
from cardtable.table.game_loop import GameLoop
from cardtable.table.messages import Role
from cardtable.table.outputs import open_outputs
from cardtable.terminal.output import say, translated
from cardtable.web.access import Access
from cardtable.web.access_file import phones_file
from cardtable.web.connections import phone_url
from cardtable.web.https import open_https
from cardtable.web.server import Board
from engine.texts import Text, in_language, plural, text

Part = TypeVar("Part")


def _opened(part: Part | None) -> Part:
    """Return a part of the table. Raises `HTTPException` 503 if it is not open yet."""
    if part is None:
        raise HTTPException(503)
    return part


class OpenTable:
    """The parts of a table that is open. `stack` closes them, the last one opened first.

    `file`: the file of the configuration. `trace`: where judgements are written; with `trace_hands` also hidden cards.
    `restored`: what came of a backup, for the page that restores one.
    Raises `CardtableError` for hardware, files or a port that cannot be used.
    """

    def __init__(
        self,
        config: TableConfig,
        file: Path,
        stack: ExitStack,
        trace: Path | None = None,
        trace_hands: bool = False,
        restored: Text | None = None,
    ) -> None:
        self._config, self._file, self._restored = config, file, restored
        self._translate = translator(config.language)
        self._host: Host | None = None
        self._page: Board | None = None
        self._without: WithoutDisplay | None = None
        self._watch: MachineWatch | None = None
        self.reopening = Event()
        """Set when the table is to be opened again."""
        self._journal = stack.enter_context(closing(Journal(config.journal)))
        equipment = stack.enter_context(closing(Equipment(config, self._journal, _report)))
        outputs = open_outputs(config)
        if outputs:
            stack.callback(outputs.close)
        self._service = Service()
        loop = GameLoop(self._service.alive)
        self._page = self._open_page(loop, stack)
        services = Services(
            config,
            self._journal,
            loop,
            self.page,
            equipment,
            self._translate,
            outputs,
            trace=trace,
            trace_hands=trace_hands,
        )
        self._host = Host(services)
        self._admit_plugins(services, stack)
        stack.callback(self._host.close)

    def host(self) -> Host:
        """Return what the requests of the pages go to. Raises `HTTPException` 503 while the table is being opened."""
        return _opened(self._host)

    @property
    def page(self) -> Board:
        """The board. Raises `HTTPException` 503 while it is being opened: it serves pages before the table has it."""
        return _opened(self._page)

    def reopen(self) -> None:
        """Let `run` end, so that the table is opened again with a changed configuration."""
        self.reopening.set()

    def role_of(self, request: HTTPConnection) -> Role:
        """Return what the sender of a request may do on the board."""
        return self.page.role_of(request)

    def _open_page(self, loop: GameLoop, stack: ExitStack) -> Board:
        """Serve the board, with the pages of the history, the first start, care and the doctor."""
        config, journal = self._config, self._journal
        start_pages = StartPages(self._file, self.host, self.role_of, self.reopen, self._by_phone)
        stack.callback(start_pages.close)
        care_pages = CarePages(self._file, self.host, self.role_of, self.reopen)
        care_pages.restored = self._restored
        stack.callback(care_pages.close)
        answers = Answers(journal.path, self._translate, lambda: journal.number)
        page = Board(
            config.board,
            config.language,
            loop.put,
            more=(
                *history_routes(answers, self._translate, self.role_of),
                *start_pages.routes(config.first_start),
                *care_pages.routes(),
                *doctor_routes(config, self._translate, self.role_of),
            ),
            access=Access(config.access, phones_file(config.journal)),
            https=open_https(config.journal),
        )
        stack.callback(page.close)
        page.integrations.journal = journal.path
        return page

    def _by_phone(self) -> Text | None:
        """Return how a phone sets the table up, while that is possible."""
        return self._without.announced if self._without is not None else None

    def _admit_plugins(self, services: Services, stack: ExitStack) -> None:
        """Let the plug-ins join the table until it closes."""
        for name, plugin in installed().items():
            table = _TableForPlugin(name, services, self._faults)
            with blamed(name):
                guest = in_time(partial(plugin.join, table))
            if guest is not None:
                visit = stack.enter_context(closing(Visit(name, guest)))
                self.page.publish_to(visit.show)

    def _faults(self) -> list[str]:
        """Return what is wrong at the table, as sentences in its language. In any thread."""
        health = self.page.integrations.health()
        troubles = {
            part["name"]: part["trouble"] for part in (health["journal"], *health["sources"]) if part["trouble"]
        }
        for finding in self._watch.found if self._watch is not None else ():
            troubles[finding.check] = text("{what}: {advice}", what=finding.text, advice=finding.advice)
        faults = (text("{place}: {fault}", place=name, fault=trouble) for name, trouble in troubles.items())
        return [in_language(fault, self._translate) for fault in faults]

    def begin(self, new_game: bool, restored: Text | None) -> None:
        """Continue the interrupted game, or show the lobby. `restored`: what a backup has put back."""
        host = self.host()
        if left_out := add_games(self._file.parent):
            single, many = "{count} game is left out: {fault}", "{count} games are left out; the first: {fault}"
            host.notice = plural(single, many, len(left_out), fault=left_out[0])
        start(host, new_game, _report)
        if restored is not None:
            host.notice = restored
            host.shown()
        if isinstance(host.activity, Playing) and host.activity.past and not host.activity.table.over:
            _report(text("continuing the interrupted game: {past} actions so far", past=len(host.activity.past)))

    def ask(self, questions: TerminalQuestions) -> bool:
        """Show the lobby while `questions` are asked in the terminal; return whether they are over, and the table open.

        Raises `CardtableError`.
        """
        host = self.host()
        stored = host.memory.load() or Evening()
        host.wait(Evening("lobby", stored.lobby, None, stored.since))
        with (
            closing(open_first_start(Site(host, self._file))) as first_start,
            ThreadPoolExecutor(1, "questions") as pool,
        ):
            answer = pool.submit(questions.ask, first_start)
            try:
                host.run(answer.done)
            except BaseException:  # Ctrl-C
                questions.stop()
                raise
            if answer.result():
                self.reopen()
        return questions.finished and not self.reopening.is_set()

    def run(self) -> None:
        """Say where the board is, and run the table until Ctrl-C or `reopen`."""
        board, url = self._config.board, self.page.url
        if self._config.first_start:
            self.page.access.open_setup(code_on_card())
        _report(text("the board: {url} (Ctrl-C ends)", url=url))
        if self._config.first_start:
            _report(text("the first start: {url}/start", url=url))
        phones = phone_url(board.listens_at, self.page.port)
        if phones is not None:
            _report(text("phones: {url}", url=phones))
        elif board.network:
            _report(text("phones: this machine is in no network now, so no phone can open the board"))
        self._service.ready(translated(text("the board: {url}", url=url)))
        with ExitStack() as stack:
            self._watch = stack.enter_context(closing(MachineWatch(self._config, lambda: enter_of(self.host()))))
            self._watch.start()
            if self._config.first_start:
                self._without = stack.enter_context(closing(WithoutDisplay(self.host().services, _report)))
                self._without.start()
            self.host().run(self.reopening.is_set)


class _TableForPlugin:
    """The running table as the plug-in `name` sees it: a `HostTable`."""

    def __init__(self, name: str, services: Services, faults: Callable[[], list[str]]) -> None:
        self.config: Final = services.config
        self.journal: Final = services.journal.path
        self.next_round: Final = services.next_round
        self.faults: Final = faults
        self._name = name
        self._services = services

    def playing(self) -> int | None:
        return self._services.journal.number

    def say(self, seat: int, word: str) -> bool:
        return self._services.board.hear(self._name, seat, word)

    def not_before(self, time: float) -> None:
        journal = self._services.journal
        journal.earliest = max(journal.earliest, time)

    def show_message(self, message: str) -> None:
        self._services.board.show_message(message)


def _report(message: Text) -> None:
    say(message, sys.stderr)
