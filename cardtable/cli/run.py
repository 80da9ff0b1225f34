"""`cardtable run`: an evening at the real table, as table.toml describes it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final, TypeVar

from cardtable.languages import translator
from cardtable.plugins import installed
from cardtable.terminal.arguments import add_diagnostics, port, start_logging
from cardtable.terminal.output import say, translated
from cardtable.terminal.progress import load
from engine.texts import Text, in_language, plural, text

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

    from cardtable.config.model import TableConfig
    from cardtable.evening.equipment import Services
    from cardtable.evening.host import Host
    from cardtable.maintenance.machine_watch import MachineWatch
    from cardtable.setup.terminal import TerminalQuestions
    from cardtable.setup.without_display import WithoutDisplay
    from cardtable.table.game_loop import GameLoop
    from cardtable.table.messages import Role
    from cardtable.web.server import Board

Part = TypeVar("Part")

SUMMARY = text("run the table: cameras, referee, journal and board, as table.toml says")
ACTIVITY = text("starting the table")
EXAMPLE = "cardtable run -c table.toml"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "-c", "--config", default="table.toml", metavar="FILE", help=text("the configuration (default: table.toml)")
    )
    parser.add_argument("--new", action="store_true", help=text("begin a new game, even if the last one is not over"))
    parser.add_argument(
        "--port", type=port, metavar="N", help=text("serve the board on port N instead of the configured one")
    )
    parser.add_argument(
        "--network",
        action="store_true",
        help=text("let phones in the network open the board, as `network` in [board] does"),
    )
    parser.add_argument(
        "--journal", type=Path, metavar="FILE", help=text("store the games in FILE instead of the configured journal")
    )
    add_diagnostics(parser)


def run(args: argparse.Namespace, questions: TerminalQuestions | None = None) -> int:
    """Run until Ctrl-C; an interrupted game is continued. Return 0.

    `questions` ask in the terminal first what the table needs, and end the table unless a game was begun.

    Raises `CardtableError` for hardware, files or a port that cannot be used, `UsageError` for a wrong configuration.
    """
    start_logging(args.log_level)
    while _evening(args, questions):
        args.new = False
    return 0


def _evening(args: argparse.Namespace, questions: TerminalQuestions | None) -> bool:
    """Run the table with the present configuration; return whether it is to be opened again, with a changed one.

    The port that was chosen at the first time is kept in `args`.
    """
    load("cv2", "cardtable.web.server", "cardtable.evening.host", "cardtable.history.pages")
    from cardtable.config.model import use_time_zone
    from cardtable.maintenance.backup import restore_waiting

    restored = restore_waiting(Path(args.config))
    if restored is not None:
        _report(restored)
    config = _configuration(args)
    use_time_zone(config.time_zone)
    if questions is not None:  # not also asked on the board
        config = config.model_copy(update={"first_start": False})
    with ExitStack() as stack:
        table = _OpenTable(config, args, stack)
        args.port = table.page.port
        if questions is None or questions.finished:
            table.begin(args.new, restored)
        elif not table.ask(questions):
            return table.reopening.is_set()
        table.run()
    return table.reopening.is_set()


def _configuration(args: argparse.Namespace) -> TableConfig:
    """Return the configuration in the file, with what the command line changes. Raises `UsageError`."""
    from cardtable.config.load import read_config

    config = read_config(Path(args.config))
    changes = {"port": args.port} if args.port is not None else {}
    changes |= {"network": True} if args.network else {}
    if changes:
        config = config.model_copy(update={"board": config.board.model_copy(update=changes)})
    if args.journal is not None:
        config = config.model_copy(update={"journal": args.journal})
    return config


def _opened(part: Part | None) -> Part:
    """Return a part of the table. Raises `HTTPException` 503 if it is not open yet."""
    from starlette.exceptions import HTTPException

    if part is None:
        raise HTTPException(503)
    return part


class _OpenTable:
    """The parts of a table that is open: journal, board and host. `stack` closes them, the last one opened first.

    OpenCV and the web server load only when a table is opened.
    """

    def __init__(self, config: TableConfig, args: argparse.Namespace, stack: ExitStack) -> None:
        from cardtable.evening.equipment import Equipment, Services
        from cardtable.evening.host import Host
        from cardtable.journal.journal import Journal
        from cardtable.maintenance.systemd import Service
        from cardtable.table.game_loop import GameLoop
        from cardtable.table.outputs import open_outputs

        self._config, self._file = config, Path(args.config)
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
            trace=args.trace,
            trace_hands=args.trace_hands,
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
        from cardtable.doctor.pages import doctor_routes
        from cardtable.history.pages import Answers, history_routes
        from cardtable.maintenance.pages import CarePages
        from cardtable.setup.pages import StartPages
        from cardtable.web.access import Access
        from cardtable.web.access_file import phones_file
        from cardtable.web.server import Board

        config, journal = self._config, self._journal
        start_pages = StartPages(self._file, self.host, self.role_of, self.reopen, self._by_phone)
        stack.callback(start_pages.close)
        care_pages = CarePages(self._file, self.host, self.role_of, self.reopen)
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
            guest = plugin.join(_TableForPlugin(name, services, self._faults))
            if guest is not None:
                stack.callback(guest.close)
                self.page.publish_to(guest.show)

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
        from cardtable.config.load import add_games
        from cardtable.evening.host import start
        from cardtable.evening.playing import Playing

        host = self.host()
        if left_out := add_games(self._file.parent):
            single, many = "{count} game is left out: {fault}", "{count} games are left out; the first: {fault}"
            host.notice = plural(single, many, len(left_out), fault=left_out[0])
        start(host, new_game, _report)
        if restored is not None:
            host.notice = restored
            host.shown()
        if isinstance(host.stage, Playing) and host.stage.past and not host.stage.table.over:
            _report(text("continuing the interrupted game: {past} actions so far", past=len(host.stage.past)))

    def ask(self, questions: TerminalQuestions) -> bool:
        """Show the lobby while `questions` are asked in the terminal; return whether a game has begun.

        Raises `CardtableError`.
        """
        from cardtable.evening.memory import Evening
        from cardtable.evening.playing import Playing
        from cardtable.setup.first_start import open_first_start
        from cardtable.setup.step import Site

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
        return isinstance(host.stage, Playing)

    def run(self) -> None:
        """Say where the board is, and run the table until Ctrl-C or `reopen`."""
        from cardtable.maintenance.machine_watch import MachineWatch, enter_of
        from cardtable.setup.without_display import WithoutDisplay
        from cardtable.web.connections import phone_url

        board, url = self._config.board, self.page.url
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
                self.page.access.open_setup()
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

    def show_message(self, message: str) -> None:
        self._services.board.show_message(message)


def _report(message: Text) -> None:
    say(message, sys.stderr)
