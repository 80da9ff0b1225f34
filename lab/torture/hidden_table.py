"""A table with every possible output, for `lab.torture.hidden`: whatever each writes is kept as bytes.

The parts are those of the program: game, journal, trace, log, the board with its server, voice, displays, lights and
buzzer, and the commands that read the journal. Only the pins are gpiozero's mock pins, and the voice's sentences are
kept instead of spoken.
"""

from __future__ import annotations

import contextlib
import io
import logging
import re
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final

import httpx
from gpiozero.pins.mock import MockFactory
from websockets.sync.client import connect

from cardtable.cli.watch import Printer
from cardtable.doctor import Machine
from cardtable.history.pages import Answers, history_routes
from cardtable.journal.journal import Journal
from cardtable.languages import translator
from cardtable.maintenance.support_bundle import parts
from cardtable.table.live_game import LiveGame
from cardtable.table.messages import Identity
from cardtable.table.outputs import HardwareOutputs
from cardtable.table.snapshot import Snapshot
from cardtable.table.trace import Trace
from cardtable.terminal.arguments import PACKAGES
from cardtable_club.member.outbox import public_line
from engine.games import load_game
from engine.observations import Observation
from engine.record import Header
from engine.table import Table
from hardware.displays import Display
from hardware.seats import Seats
from hardware.signals import light_state
from hardware.voice import Speech
from hardware.wiring import DisplayWiring, SeatWiring
from lab.torture.hidden_commands import of_commands, of_history
from lab.torture.kept_outputs import KeptDisplay, KeptVoice, names_hands
from tests.cardtable.boards import board_for
from tests.cardtable.shown import Shown
from tests.hardware.bench import PI_5, Clock, board

READERS: Final = "readers"
PICTURE: Final = b"\xff\xd8 a picture"
BUTTONS: Final = (4, 5, 6, 12, 13, 16, 24)
LIGHTS: Final = (17, 18, 19, 20, 21, 22, 25)
BUZZER: Final = 23
_TIMES: Final = re.compile(rb'"main_loop_age_s": [\d.]+|^cardtable_\S+(_seconds\S*|_created\S*) .*$', re.MULTILINE)
_WEB: Final = re.compile(rb"(127\.0\.0\.1|localhost):\d+")


class HiddenTable:
    """One game of `header` with all outputs, in the new folder `folder`. `language`: the table's."""

    _acting: ClassVar[HiddenTable | None] = None

    def __init__(self, header: Header, folder: Path, language: str = "en") -> None:
        HiddenTable._acting = self
        self.header: Final = header
        self._folder = folder
        self._stack = ExitStack()
        self._clock = Clock()
        self._kept: dict[str, list[bytes]] = {}
        self._log = io.StringIO()
        self._printed = io.StringIO()
        self._stack.enter_context(self._logging())
        try:
            self._open(language)
        except BaseException:
            self.close()
            raise

    def _open(self, language: str) -> None:
        title, stack = load_game(self.header.game).title, self._stack
        translate = translator(language)
        self._answers = Answers(self._folder / "journal.sqlite", translate, lambda: 1)
        self.board = board_for(
            title,
            lambda message, sender: None,
            {"": PICTURE}.get,
            port=0,
            language=language,
            more=history_routes(self._answers, translate),
        )
        stack.callback(self.board.close)
        self._pages = self._identities()
        self._http = stack.enter_context(httpx.Client(base_url=f"http://127.0.0.1:{self.board.port}", timeout=10))
        self._pins: MockFactory = board(PI_5)
        seats = range(len(self.header.players))
        wired = [SeatWiring(seat, button=BUTTONS[seat], light=(LIGHTS[seat],)) for seat in seats]
        self._outputs = HardwareOutputs(
            Seats(self._pins, wired, BUZZER, clock=self._clock),
            [self._display(seat) for seat in (None, *seats)],
            self._voice(),
            Speech("all", translate),
            translate,
            self._clock,
            stepped=True,
        )
        stack.callback(self._outputs.close)
        self._printers = [Printer(self.header, as_json, self._printed) for as_json in (False, True)]
        self._journal = Journal(self._folder / "journal.sqlite", lambda: 86400.0)
        stack.callback(self._journal.close)
        self._journal.begin(self.header)
        self._traces = {
            name: Trace(self._folder / f"{name}.jsonl", self.header, clock=lambda: 86400.0, hands=hands)
            for name, hands in (("trace", False), ("trace --trace-hands", True))
        }
        for trace in self._traces.values():
            stack.callback(trace.close)
        self._open_traces_both()
        self.table = Table(self.header)
        self.live = LiveGame(self.table, self._journal, [Shown(self._show)], trace=self._traces["trace"])

    def _identities(self) -> dict[str, Identity]:
        """Return a paired phone for each seat, a director without a seat, and a spectator."""
        access, away = self.board.access, Identity(here=False)
        access.set_pin("1234")
        director = access.enter_pin("1234", away, None, "")
        pages = {"phone of the director": access.identify(False, director.token), "phone of a spectator": away}
        for seat, player in enumerate(self.header.players):
            phone = access.pair(access.make_code(player, seat).code, away, None, "")
            pages[f"phone of seat {seat}"] = access.identify(False, phone.token)
        return pages

    def _open_traces_both(self) -> None:
        """Also write to the second trace whatever the first one gets."""
        first, second = self._traces.values()
        for name in ("observation", "judgement", "actions", "not_stored", "write"):
            setattr(first, name, _both(getattr(first, name), getattr(second, name)))

    def _display(self, seat: int | None) -> Display:
        name = "display" if seat is None else f"display of seat {seat}"
        return KeptDisplay(self.keep, name, DisplayWiring("png", seat, file=self._folder / f"{name}.png"))

    def _voice(self) -> Any:
        return KeptVoice(self.keep)

    def keep(self, output: str, what: bytes) -> None:
        """Keep what an output has written."""
        self._kept.setdefault(output, []).append(what)

    def take(self, observation: Observation) -> None:
        """Process the observation; everything that follows from it is written."""
        HiddenTable._acting = self
        self._clock.now = 100.0 + observation.time
        self.live.take(observation)
        self._outputs.step()
        for pin in (*LIGHTS[: len(self.header.players)], BUZZER):
            self.keep("lights and buzzer", f"{pin}={self._pins.pin(pin).state}".encode())

    def _show(self, snapshot: Snapshot) -> None:
        self.board.show(snapshot, self.table.view)
        self.keep("page: /state.json", self._http.get("/state.json").content)
        for output, identity in self._pages.items():
            self.keep(output, self.board._pages._render(identity).encode())
        self._outputs.show(replace(snapshot, seen=True), self.table.view)
        for seat in range(len(self.header.players)):
            self.keep("lights of reader boards", light_state(snapshot.view, snapshot.prompts, seat).encode())
        self.keep(
            "python: str, repr and SVG of a table", f"{self.table}{self.table!r}{self.table._repr_svg_()}".encode()
        )
        with contextlib.redirect_stdout(self._printed):
            for printer in self._printers if not names_hands(snapshot) else ():
                printer.show(snapshot, self.table.view)

    def outputs(self, whole: bool = False) -> dict[str, bytes]:
        """Return everything that each output has written so far.

        `whole`: include what commands and other routes write.
        """
        HiddenTable._acting = self
        kept = {name: b"\n".join(each) for name, each in self._kept.items()}
        kept["log"] = self._log.getvalue().encode()
        kept["watch"] = self._printed.getvalue().encode()
        for name in self._traces:
            kept[name] = (self._folder / f"{name}.jsonl").read_bytes()
        kept["journal"] = self._rows()
        kept["club"] = "\n".join(map(public_line, self._lines())).encode()
        if whole:
            kept |= of_commands(self._journal.path) | self._routes() | self._bundles()
        return {name: self._same_place(written) for name, written in kept.items()}

    def _rows(self) -> bytes:
        with contextlib.closing(sqlite3.connect(f"file:{self._journal.path}?mode=ro", uri=True)) as database:
            return "\n".join(database.iterdump()).encode()

    def _lines(self) -> list[str]:
        """Return the actions of the game as the journal stores them."""
        with contextlib.closing(sqlite3.connect(f"file:{self._journal.path}?mode=ro", uri=True)) as database:
            return [row for (row,) in database.execute("SELECT action FROM action ORDER BY n")]

    def journal_modes(self) -> set[int]:
        """Return the modes of the journal's files."""
        files = self._folder.glob("journal.sqlite*")
        return {path.stat().st_mode & 0o777 for path in files if path.suffix != ".sqlite-lock"}

    def _routes(self) -> dict[str, bytes]:
        out = {
            f"page: {path}": self._http.get(path).content
            for path in (
                "/texts.json",
                "/schema.json",
                "/actions.json",
                "/camera.jpg",
                "/overlay",
                "/overlay/hands.json",
                "/",
                "/phone",
            )
        }
        out["page: /rules.json"] = self._http.get("/rules.json", params={"game": "fifteen"}).content
        out["page: pairing"] = b"".join(
            self._http.post(path, json=body).content
            for path, body in (
                ("/phone/hide", {"seat": 0}),
                ("/phone/pair", {"code": "wrong"}),
                ("/phone/leave", {}),
                ("/phone/remove", {"id": 99}),
                ("/phone/answer", {"id": 99, "allowed": True}),
                ("/director", {"pin": "0000"}),
                ("/director/pin", {"pin": "12"}),
            )
        )
        self.board.integrations.measures.turned()  # it counts as alive on a slow machine, too
        for path in ("/healthz", "/metrics"):  # without times, which differ from run to run
            out[f"page: {path}"] = _TIMES.sub(b"", self._http.get(path).content)
        out["page: /history/"] = of_history(self._http, self._answers)
        with connect(f"ws://127.0.0.1:{self.board.port}/live") as page:
            first = page.recv(timeout=10)
            page.send('{"do": "say", "seat": 0, "word": "nothing"}')
            page.send("{}")
            out["page: /live"] = f"{first}\n{page.recv(timeout=10)}".encode()
        return out

    def _bundles(self) -> dict[str, bytes]:
        header, path = self.header, self._folder / "table.toml"
        path.write_text(
            f'game = "{header.game}"\nplayers = {list(header.players)}\ndealer = {header.dealer or 0}\n'
            f'source = "dir:none"\n[board]\nport = {self.board.port}\n',
            "utf-8",
        )
        machine = Machine(run=lambda command: self._log.getvalue(), now=lambda: 86400.0, free=lambda path: 10**12)
        out = {}
        for name, hands in (("bundle", False), ("bundle --hands", True)):
            files = [(file, content) for file, content in parts(path, machine, hands) if file != "table.toml"]
            out[name] = b"\n".join(file.encode() + b"\n" + content for file, content in files)
        return out

    def _same_place(self, written: bytes) -> bytes:
        """Replace what differs from run to run: the folder and the port."""
        return _WEB.sub(rb"\1:PORT", written.replace(str(self._folder).encode(), b"FOLDER"))

    @contextmanager
    def _logging(self) -> Iterator[None]:
        """Keep the program's log, at every level, while this table is active."""
        handler = logging.StreamHandler(self._log)
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        # The server's thread logs at any time which pages come and go; these messages say nothing of the game.
        handler.addFilter(lambda record: HiddenTable._acting is self and not record.name.startswith("cardtable.web."))
        levels = {name: logging.getLogger(name).level for name in PACKAGES}
        for name in levels:
            logging.getLogger(name).addHandler(handler)
            logging.getLogger(name).setLevel(logging.DEBUG)
        try:
            yield
        finally:
            for name, level in levels.items():
                logging.getLogger(name).removeHandler(handler)
                logging.getLogger(name).setLevel(level)

    def close(self) -> None:
        """Close everything."""
        self._stack.close()


def _both(first: Any, second: Any) -> Any:
    return lambda *arguments: (first(*arguments), second(*arguments))
