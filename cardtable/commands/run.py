"""`cardtable run`: an evening at the real table, as table.toml describes it."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event

from cardtable.languages import translator
from cardtable.terminal.arguments import port
from cardtable.terminal.diagnostics import add_diagnostics, start_logging
from cardtable.terminal.output import say, translated
from cardtable.terminal.progress import load
from engine.texts import Text, plural, text

SUMMARY = text("run the table: cameras, referee, journal and board, as table.toml says")
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


def run(args: argparse.Namespace) -> int:
    """Run until Ctrl-C; an interrupted game is continued. Return 0.

    Raises `CardtableError` for hardware, files or a port that cannot be used, `UsageError` for a wrong configuration.
    """
    start_logging(args.log_level)
    while _evening(args):
        args.new = False
    return 0


def _evening(args: argparse.Namespace) -> bool:
    """Run the table with the present configuration; return whether it is to be opened again, with a changed one.

    The port that was chosen at the first time is kept in `args`.
    """
    load("cv2", "cardtable.board.server", "cardtable.evening.requests", "cardtable.history.web")
    from starlette.exceptions import HTTPException

    from cardtable.board.access.access import Access
    from cardtable.board.access.store import phones_file
    from cardtable.board.addresses import phone_url
    from cardtable.board.server import Board
    from cardtable.care.restoring import put_waiting_back
    from cardtable.care.web import CarePages
    from cardtable.club.opening import open_link
    from cardtable.config.games import add_games
    from cardtable.config.load import read_config
    from cardtable.config.time_zone import use_time_zone
    from cardtable.doctor.web import doctor_routes
    from cardtable.evening.equipment import Equipment
    from cardtable.evening.host import Host  # OpenCV and the web server load only when they are needed
    from cardtable.evening.playing import Playing
    from cardtable.evening.requests import handle, start
    from cardtable.evening.services import Services
    from cardtable.first_start.web import StartPages
    from cardtable.history.answers import Answers
    from cardtable.history.web import history_routes
    from cardtable.play.hardware_opening import open_outputs
    from cardtable.play.journal import Journal
    from cardtable.service.systemd import Service

    def report(message: Text) -> None:
        say(message, sys.stderr)

    restored = put_waiting_back(Path(args.config))
    if restored is not None:
        report(restored)
    config = read_config(Path(args.config))
    use_time_zone(config.time_zone)
    changes = {"port": args.port} if args.port is not None else {}
    changes |= {"network": True} if args.network else {}
    if changes:
        config = config.model_copy(update={"board": config.board.model_copy(update=changes)})
    if args.journal is not None:
        config = config.model_copy(update={"journal": args.journal})

    with ExitStack() as stack:
        journal = stack.enter_context(closing(Journal(config.journal)))
        equipment = stack.enter_context(closing(Equipment(config, journal, report)))
        outputs = open_outputs(config)
        if outputs:
            stack.callback(outputs.close)
        board, translate = config.board, translator(config.language)
        reopening = Event()

        def reopen() -> None:
            reopening.set()
            if host.stage is not None:
                host.stage.wake()

        hosts: list[Host] = []

        def opened() -> Host:
            if not hosts:  # a page was quicker than the table, which is being opened
                raise HTTPException(503)
            return hosts[0]

        start_pages = StartPages(Path(args.config), opened, lambda request: page.role_of(request), reopen)
        stack.callback(start_pages.close)
        care_pages = CarePages(Path(args.config), opened, lambda request: page.role_of(request), reopen)
        stack.callback(care_pages.close)
        page = Board(
            "",
            None,
            host=board.listens_at,
            port=board.port,
            hosts=board.hosts,
            language=config.language,
            manage=lambda message, sender: host.request(message, sender),
            overlay_hands_s=board.overlay_hands_s,
            overlay_key=board.overlay_key,
            more=(
                *history_routes(
                    Answers(journal.path, translate, lambda: journal.number),
                    translate,
                    lambda request: page.role_of(request),
                ),
                *start_pages.routes(config.first_start),
                *care_pages.routes(),
                *doctor_routes(config, translate, lambda request: page.role_of(request)),
            ),
            access=Access(config.access, phones_file(config.journal)),
        )
        stack.callback(page.close)
        page.integrations.journal = journal.path
        service = Service()
        services = Services(
            config,
            journal,
            page,
            equipment,
            translate,
            outputs,
            service.alive,
            args.trace,
            args.trace_hands,
        )
        host = Host(services, handle)
        hosts.append(host)
        if config.club is not None:
            link = open_link(config.club, journal.path, lambda: journal.number)
            stack.callback(link.close)
            page.publish = link.show
            link.say = page.hear
            link.when_assigned = services.next_round.put
            services.next_round.say_ready = link.ready
        stack.callback(host.close)
        if outputs:
            outputs.when_control = lambda control: host.press(control)
        if left_out := add_games(Path(args.config).parent):
            one, many = "{count} game is left out: {fault}", "{count} games are left out; the first: {fault}"
            host.notice = plural(one, many, len(left_out), fault=left_out[0])
        start(host, args.new, report)
        if restored is not None:
            host.notice = restored
            host.shown()
        if isinstance(host.stage, Playing) and host.stage.past:
            report(text("continuing the interrupted game: {past} actions so far", past=len(host.stage.past)))
        args.port = page.port
        report(text("the board: {url} (Ctrl-C ends)", url=page.url))
        if config.first_start:
            report(text("the first start: {url}/start", url=page.url))
        phones = phone_url(board.listens_at, page.port)
        if phones is not None:
            report(text("phones: {url}", url=phones))
        elif board.network:
            report(text("phones: this machine is in no network now, so no phone can open the board"))
        service.ready(translated(text("the board: {url}", url=page.url)))
        host.run(reopening.is_set)
    return reopening.is_set()
