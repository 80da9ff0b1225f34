"""Every output of the table, what it may show of hidden cards, and which rooms of the program write to it.

`lab/torture/test_hidden.py` finds the routes, commands and writing calls in the program's source, and fails if one is
not listed here for its room. Then enter the output that it belongs to, or the reason why it knows no hidden card. A
room is a package of the program, one level deep (`hidden_writers.room`), so that modules can be renamed, split and
merged without a change here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, Literal, NamedTuple


class Output(NamedTuple):
    """What one output may show: no hidden card, the hand of its own seat, or all hands on request."""

    what: str
    shows: Literal["nothing", "own hand", "hands"] = "nothing"
    seat: int | None = None

    def may_show(self, seats: Collection[int]) -> bool:
        """Return whether the output may show a card that was dealt to one of `seats`."""
        return self.shows == "hands" or (self.shows == "own hand" and self.seat in seats)


SEATS: Final = 7

OUTPUTS: Final[Mapping[str, Output]] = {
    "page: /state.json": Output("the state that every page gets, after every change"),
    **{f"phone of seat {n}": Output("the state that the phone of a seat gets", "own hand", n) for n in range(SEATS)},
    "phone of the director": Output("the state that the director gets"),
    "phone of a spectator": Output("the state that any other device gets"),
    "page: /phone": Output("the page of phones itself"),
    "page: pairing": Output("what the requests answer with which phones are paired"),
    "page: /live": Output("the same over the WebSocket, and the answers to what a page sends"),
    "page: /texts.json": Output("the catalogue of the language"),
    "page: /rules.json": Output("the rules of a game"),
    "page: /actions.json": Output("all actions of the game and all corrections, as sentences"),
    "page: /schema.json": Output("the interface of the board as a JSON schema"),
    "page: /healthz": Output("whether sources, journal and main loop work"),
    "page: /metrics": Output("figures: counts of actions, frames and pages, and times"),
    "page: /overlay": Output("the page of the overlay for streams"),
    "page: /overlay/hands.json": Output("known hands, if table.toml sets after how many seconds; here it does not"),
    "page: /camera.jpg": Output("the last frame of a camera"),
    "page: /": Output("the page itself"),
    "page: /history/": Output("every answer about the game that is played, and about all games"),
    "display": Output("the display for everyone"),
    **{f"display of seat {n}": Output("the display of a seat", "own hand", n) for n in range(SEATS)},
    "lights and buzzer": Output("the levels of their pins"),
    "lights of reader boards": Output("the lights that a reader board switches"),
    "voice": Output("the sentences that are spoken"),
    "log": Output("the log of every level"),
    "trace": Output("the file of --trace"),
    "trace --trace-hands": Output("the file of --trace with --trace-hands: hands are asked for", "hands"),
    "club": Output("public lines, states, health and descriptions that a table sends; hands of a game that is over"),
    "watch": Output("what `watch` prints and records, as text and as JSON"),
    "journal": Output("the journal, which must know the hands: mode 0600, as the test checks", "hands"),
    "history": Output("the list of games, the statistics and the evenings, as text, as JSON and as CSV"),
    "history N": Output("a game that is not over as a record, as CSV, in PBN, and the course of its score"),
    "history N --hands": Output("the same with --hands: hands are asked for", "hands"),
    "bundle": Output("the support bundle: doctor, log, last game, the board's state"),
    "bundle --hands": Output("the same with --hands: hands are asked for", "hands"),
    "python: str, repr and SVG of a table": Output("what a Python program or notebook shows of a table"),
}

ROUTES: Final[Mapping[tuple[str, str], str]] = {
    **{
        ("cardtable/web", path): f"page: {path}"
        for path in (
            *("/", "/state.json", "/live", "/camera.jpg", "/phone", "/texts.json", "/schema.json", "/actions.json"),
            *("/healthz", "/metrics", "/overlay", "/overlay/hands.json", "/rules.json"),
        )
    },
    ("cardtable/web", "/files.json"): "page: /",
    ("cardtable/web", "/wall"): "page: /",
    ("cardtable/web", "/streaming"): "page: /",
    ("cardtable/web", "/socket.js"): "page: /",
    **{
        ("cardtable/web", path): "no game: the certificate, and whether a phone trusts it"
        for path in ("/card-table.crt", "/app", "TRUST_PATH", "/phone/app", "/phone/secure")
    },
    **{
        ("cardtable/web", path): "page: pairing"
        for path in (
            *(
                "/phone/code",
                "/phone/hide",
                "/phone/pair",
                "/phone/leave",
                "/phone/remove",
                "/phone/answer",
                "/phone/network",
                "/phone/screens",
                "/phone/keepsake",
            ),
            *("/director", "/director/pin"),
        )
    },
    **{
        ("cardtable", path): "no game: safe mode, while the table does not run"
        for path in (
            "/",
            "/phone",
            "/start",
            "/start/state.json",
            "/safe",
            "/safe/state.json",
            "/safe/do",
            "/texts.json",
        )
    },
    ("cardtable/history", "/history/{name}"): "page: /history/",
    **{
        ("cardtable/maintenance", path): "not during a game"
        for path in (
            *("/care", "/care/state.json", "/care/offer.json", "/care/do", "/care/restore"),
            "/start/backup.zip",
        )
    },
    ("cardtable/doctor", "/doctor"): "no game: the state of the machine",
    ("cardtable/doctor", "/doctor/findings.json"): "no game: the state of the machine",
    **{
        ("cardtable/setup", path): "no game: the questions before the first one"
        for path in (*("/", "/start", "/start/state.json", "/start/do", "/start/mat.jpg", "/start/{name:str}.pdf"),)
    },
}
"""The routes of the table's server, by room and path. Those of a club's hub show what the tables have sent to it
(`club`)."""

COMMANDS: Final[Mapping[str, str]] = {
    "backup": "no hands of a deal that is not over: tests/cardtable/maintenance/test_backup.py",
    "bundle": "bundle, bundle --hands",
    "calibrate": "no game",
    "club": "no game: certificates",
    "config": "no game",
    "deck": "no game",
    "director": "no game: the PIN",
    "demo": "the outputs of a session; its summary has counts and the scores of a game that is over",
    "doctor": "bundle",
    "games": "no game",
    "history": "history, history N, history N --hands",
    "hub": "club: what tables have sent to it",
    "install": "no game",
    "journal": "journal: a new one, of mode 0600",
    "print": "no game",
    "replay": "a record that the user has",
    "run": "the outputs of a session",
    "see": "no game",
    "tournament": "no game: results of games that are over, which the hub has",
    "setup": "no game: it ends before the first card, or goes on as run",
    "tags": "no game: it needs the readers' port, which a running table holds",
    "watch": "watch; it has no readers, so it knows no hidden card",
}


class Room(NamedTuple):
    """For each room that is given parts of a game: the names of its writing calls, and their outputs."""

    calls: str
    outputs: tuple[str, ...]


ROOMS_WITH_A_GAME: Final[Mapping[str, Room]] = {
    # Messages at the start of the table; compiled catalogues; safe mode.
    "cardtable": Room("json_answer run say write write_bytes", ()),
    "cardtable/cli": Room(
        "fdopen open print run say write write_bytes writelines writestr",
        ("bundle", "bundle --hands", "history", "history N", "history N --hands", "watch"),
    ),
    "cardtable/evening": Room("execute executemany run save", ("journal", "log")),
    "cardtable/history": Room("Response execute open save write", ("page: /history/",)),
    "cardtable/journal": Room("execute executemany open write", ("journal", "log")),
    "cardtable/table": Room(
        "say set_lights write", ("voice", "display", "lights and buzzer", "lights of reader boards", "trace", "log")
    ),
    "cardtable/web": Room(
        "FileResponse HTMLResponse JSONResponse PlainTextResponse Response json_answer open send send_text write",
        ("page: /state.json", "page: /live", "page: /actions.json", "page: pairing", "log"),
    ),
    "hardware": Room("Popen display on save value= write write_bytes", ("display", "lights and buzzer", "voice")),
}
"""The rooms in which a module that writes or logs something has functions that are given parts of a game."""

ROOMS_WITHOUT_A_GAME: Final[Mapping[str, str]] = {
    "cardtable/config": "table.toml",
    "cardtable/doctor": "the state of the machine",
    "cardtable/maintenance": "backups, without the hands of a deal that is not over; updates; the support bundle",
    "cardtable/paper": "sheets to print",
    "cardtable/setup": "it ends before the first card",
    "cardtable/simulation": "the pins of the simulated table",
    "cardtable/terminal": "what its callers print; commands have outputs of their own",
    "club": "lines of the journal that a table makes public, compared as the output `club`",
    "firmware_bridge": "lights that the table sets, and tags",
    "vision": "what cameras see, calibrations and decks",
}
"""Other rooms that write or log something, and what; no function in such a module is given a part of a game."""

LOGGED: Final[Mapping[str, str]] = {
    "%s cannot be written: %s": "a path",
    "%s: %s": "who entered what kind of observation on a page",
    "%s: an event is not acknowledged: %s": "a board and why",
    "back to the lobby": "nothing more",
    "the end of the game is not stored: %s": "the error of the journal",
    "%s was moved or deleted: its game is now in the file that is there": "a path",
    "%s: game %d, %d actions so far": "a path and numbers",
    "%s": "an observation without the cards of hands",
    "%s can be written again": "a path",
    "%s given up": "the error of a device",
    "%s goes on": "a source",
    "%s: these rules are left out: %r": "the name of a game and an error",
    "the plug-in %r gets no more states": "a name",
    "no HTTPS: %s": "an error of a file or a certificate",
    "no TLS handshake with %s: %s": "an address and an error",
    "%s hangs: systemd is not notified until it goes on": "a source",
    "%s is back": "a source",
    "%s is lost: %s": "a source and why",
    "%s: connected, boot %d: %s": "a board, and why it started",
    "%s: event %d is not stored, so not acknowledged": "a board and a number",
    "ignored an undo of action %s: there are %d now": "numbers",
    "ignored while nothing can be stored: %s": "an observation without cards of hands",
    "nothing can be stored: %s": "the error of the journal",
    "storing still fails: %s": "the error of the journal",
    "storing works again": "nothing more",
    "%s cannot be read, no phone is paired: %s": "a path and why",
    "a connection of %s is closed: no request, or nothing read": "an address",
    "devices in the network are let in at %s": "addresses",
    "ignored a message of a page: %s": "why, from the page's own message",
    "page %s connected": "an address",
    "page %s disconnected": "an address",
    "page %s is slow: it took %.1f s to read the state": "an address and seconds",
    "page %s turned away: too many pages are open": "an address",
}
"""Messages logged by rooms that are given parts of a game, and what each is about. Those that a game causes are
compared as the output `log`."""
