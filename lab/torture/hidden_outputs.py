"""Every output of the table, what it may show of hidden cards, and which code writes to it.

`lab/torture/test_hidden.py` finds the routes, commands, messages of the log and writing calls of the program in its
source, and fails for one that is not listed here: say then to which output it belongs, or why it knows no hidden card.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, Literal, NamedTuple


class Output(NamedTuple):
    """What one output may show: no hidden card, the hand of its own seat, or the hands, because they are asked for."""

    what: str
    shows: Literal["nothing", "own hand", "hands"] = "nothing"
    seat: int | None = None

    def may_show(self, seats: Collection[int]) -> bool:
        """Return whether it may show a card that was dealt to one of `seats`."""
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
    ("cardtable/web/serving.py", "/state.json"): "page: /state.json",
    ("cardtable/web/serving.py", "/live"): "page: /live",
    ("cardtable/web/serving.py", "/camera.jpg"): "page: /camera.jpg",
    ("cardtable/web/serving.py", "/"): "page: /",
    ("cardtable/web/server.py", "/texts.json"): "page: /texts.json",
    ("cardtable/web/server.py", "/schema.json"): "page: /schema.json",
    ("cardtable/web/server.py", "/actions.json"): "page: /actions.json",
    ("cardtable/web/server.py", "/phone"): "page: /phone",
    ("cardtable/setup/pages.py", "/start/backup.zip"): "not during a game",
    ("cardtable/maintenance/pages.py", "/care/do"): "not during a game",
    ("cardtable/maintenance/pages.py", "/care/restore"): "not during a game",
    **{
        ("cardtable/maintenance/pages.py", path): "no game: updates, sticks and names of backups"
        for path in ("/care", "/care/state.json", "/care/offer.json")
    },
    ("cardtable/doctor/pages.py", "/doctor"): "no game: the state of the machine",
    ("cardtable/doctor/pages.py", "/doctor/findings.json"): "no game: the state of the machine",
    **{
        ("cardtable/setup/pages.py", path): "no game: the questions before the first one"
        for path in ("/", "/start", "/start/state.json", "/start/do", "/start/mat.jpg", "/start/{name:str}.pdf")
    },
    **{
        ("cardtable/web/phones.py", path): "page: pairing"
        for path in (
            *("/phone/code", "/phone/hide", "/phone/pair", "/phone/leave", "/phone/remove", "/phone/network"),
            *("/director", "/director/pin"),
        )
    },
    ("cardtable/web/integrations.py", "/healthz"): "page: /healthz",
    ("cardtable/web/integrations.py", "/metrics"): "page: /metrics",
    ("cardtable/web/integrations.py", "/overlay"): "page: /overlay",
    ("cardtable/web/integrations.py", "/overlay/hands.json"): "page: /overlay/hands.json",
    ("cardtable/web/server.py", "/files.json"): "page: /",
    ("cardtable/history/pages.py", "/history/{name}"): "page: /history/",
    **{
        ("club/cardtable_club/hub/director_pages.py", path): "no game: results of a tournament"
        for path in ("/director.json", "/director/do", "/director/message", "/director/results")
    },
    **{
        ("club/cardtable_club/hub/pages.py", path): "club"
        for path in (
            *(
                "/enrol",
                "/texts.json",
                "/ready",
                "/games.json",
                "/statistics.json",
                "/games.csv",
                "/games/{number:int}.jsonl",
            ),
            *("/tables/{name}/live", "/tables/{name}/texts.json", "/tables/{name}/", "/tables/{name}/index.html"),
        )
    },
    ("cardtable/web/guide.py", "/texts.json"): "no game: the page that guides through calibration and learning",
}

COMMANDS: Final[Mapping[str, str]] = {
    "backup": "the whole journal, for who owns the machine",
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
    "print": "no game",
    "replay": "a record that the user has",
    "run": "the outputs of a session",
    "see": "no game",
    "tournament": "no game: results of games that are over, which the hub has",
    "setup": "no game: it ends before the first card, or goes on as run",
    "tags": "no game: it needs the readers' port, which a running table holds",
    "watch": "watch; it has no readers, so it knows no hidden card",
}

LOGGED: Final[Mapping[tuple[str, str], str]] = {
    ("vision/faces/runtime_choice.py", "%s cannot open %s, onnxruntime does: %s"): "no game: the nets",
    ("vision/faces/runtime_choice.py", "%s: %s %s; onnxruntime runs the nets"): "no game: the nets",
    (
        "vision/faces/runtime_choice.py",
        "%s takes %.2f of onnxruntime's time, outputs differ by %.1e",
    ): "no game: the nets",
    ("vision/faces/runtime_choice.py", "%s cannot run the nets: %s %s"): "no game: the nets",
    ("vision/faces/runtime_choice.py", "the choice of a runtime is not kept: %s"): "no game: the nets",
    ("cardtable/setup/sites.py", "a camera or a reader has failed"): "no game is played",
    ("cardtable/setup/without_display.py", "no hotspot is opened: %s"): "no game: why there is no network",
    ("cardtable/setup/first_start.py", "%s: the first start begins again: %s"): "a file of the first start",
    (
        "cardtable/web/access_file.py",
        "%s cannot be read, no phone is paired: %s",
    ): "a path and why",
    ("cardtable/web/connections.py", "a connection of %s is closed: no request, or nothing read"): "an address",
    ("cardtable/web/server.py", "ignored a message of a page: %s"): "why, from the page's own message",
    ("cardtable/web/serving.py", "devices in the network are let in at %s"): "addresses",
    ("cardtable/web/serving.py", "page %s connected"): "an address",
    ("cardtable/web/serving.py", "page %s disconnected"): "an address",
    ("cardtable/web/serving.py", "page %s is slow: it took %.1f s to read the state"): "an address and seconds",
    ("cardtable/web/serving.py", "page %s turned away: too many pages are open"): "an address",
    ("club/cardtable_club/member/link.py", "a message of the club was not understood"): "the traceback",
    ("club/cardtable_club/member/link.py", "connected to the club"): "nothing more",
    ("club/cardtable_club/member/link.py", "disconnected from the club: %s"): "why",
    ("club/cardtable_club/member/link.py", "ignored a message of the club: %s"): "why",
    ("club/cardtable_club/member/link.py", "no connection to the club: %s"): "why",
    (
        "club/cardtable_club/member/link.py",
        "the hub has other lines of game %s: is the journal an older copy?",
    ): "a stream",
    ("club/cardtable_club/member/link.py", "the broker refuses the table: %s"): "why",
    ("club/cardtable_club/member/link.py", "the club's thread goes on after a fault"): "the traceback",
    ("club/cardtable_club/member/link.py", "the journal cannot be sent now: %s"): "the error of the journal",
    ("club/cardtable_club/hub/service.py", "mosquitto has ended"): "nothing more",
    ("club/cardtable_club/hub/service.py", "mosquitto is not started: %s"): "why",
    ("club/cardtable_club/hub/service.py", "mosquitto is started again"): "nothing more",
    ("club/cardtable_club/hub/service.py", "the wall goes on after a fault"): "the traceback",
    ("club/cardtable_club/hub/receiver.py", "a message of table %s was not understood"): "a table and the traceback",
    ("club/cardtable_club/hub/receiver.py", "ignored a message of table %s: %s"): "a table and why",
    ("club/cardtable_club/hub/receiver.py", "table %s sends another game as %s than before"): "a table and a stream",
    ("club/cardtable_club/hub/receiver.py", "table %s comes and goes: are there two tables of this name?"): "a table",
    ("club/cardtable_club/hub/receiver.py", "the broker refuses the hub: %s"): "why",
    ("club/cardtable_club/hub/receiver.py", "the database can be used again"): "nothing more",
    (
        "club/cardtable_club/hub/receiver.py",
        "the database cannot be used now: %s",
    ): "the first line of the database's error",
    ("club/cardtable_club/hub/receiver.py", "the hub goes on after a fault"): "the traceback",
    ("club/cardtable_club/hub/receiver.py", "the hub is connected to the broker"): "nothing more",
    ("club/cardtable_club/hub/receiver.py", "the hub is not connected to the broker: %s"): "why",
    ("cardtable/config/load.py", "the calibration of camera %s is %s"): "no game",
    ("cardtable/config/load.py", "the configuration has no source; the camera is %s"): "no game",
    ("cardtable/maintenance/machine_watch.py", "%s: %s"): "no game: a fault of the machine",
    ("cardtable/maintenance/machine_watch.py", "%s has failed"): "no game: the name of a thread, and its fault",
    ("cardtable/maintenance/backup.py", "the backup was not restored: %s"): "a file that is no backup, and why",
    ("cardtable/doctor/finding.py", "%s: %s"): "no game: a command and why it failed",
    ("cardtable/evening/host.py", "back to the lobby"): "nothing more",
    ("cardtable/evening/host.py", "the end of the game is not stored: %s"): "the error of the journal",
    ("cardtable/evening/waiting.py", "%s: an event is not acknowledged: %s"): "a board and why",
    ("vision/cameras/network.py", "the memory of %s cannot be limited: %s"): "a library and why",
    ("cardtable/history/pictures.py", "%s cannot be written: %s"): "a path",
    ("cardtable/table/game_loop.py", "%s"): "an observation without the cards of hands",
    ("cardtable/table/game_loop.py", "%s is back"): "a source",
    ("cardtable/table/game_loop.py", "%s is lost: %s"): "a source and why",
    ("cardtable/table/game_loop.py", "ignored an undo of action %s: there are %d now"): "numbers",
    (
        "cardtable/table/game_loop.py",
        "ignored while nothing can be stored: %s",
    ): "an observation without cards of hands",
    ("cardtable/table/game_loop.py", "nothing can be stored: %s"): "the error of the journal",
    ("cardtable/table/game_loop.py", "storing still fails: %s"): "the error of the journal",
    ("cardtable/table/game_loop.py", "storing works again"): "nothing more",
    ("cardtable/history/pictures.py", "%s cannot be written: %s"): "a path",
    ("cardtable/table/outputs.py", "%s given up"): "the error of a device",
    ("cardtable/journal/journal.py", "%s was moved or deleted: its game is now in the file that is there"): "a path",
    ("cardtable/journal/journal.py", "%s: game %d, %d actions so far"): "a path and numbers",
    ("cardtable/journal/journal.py", "%s: upgraded from version %d to %d"): "a path and numbers",
    ("vision/cameras/sources.py", "%s ends early after %d frames: %s"): "a path",
    ("vision/cameras/sources.py", "%s has changed: reading on from frame %d"): "a path",
    ("cardtable/table/readers.py", "%s: connected, boot %d"): "a board",
    ("cardtable/table/readers.py", "%s: event %d is not stored, so not acknowledged"): "a board and a number",
    ("cardtable/evening/playing.py", "%s cannot be written: %s"): "a path",
    ("cardtable/evening/playing.py", "%s: %s"): "who entered what kind of observation on a page",
    ("cardtable/table/trace.py", "%s cannot be written: %s"): "a path",
    ("cardtable/table/trace.py", "%s can be written again"): "a path",
    ("cardtable/table/sources.py", "%s goes on"): "a source",
    ("cardtable/table/sources.py", "%s hangs: systemd is not notified until it goes on"): "a source",
    ("cardtable/terminal/output.py", "the language %r of %s is ignored: there is no catalogue"): "no game",
    ("cardtable/terminal/output.py", "the language %r of the environment is ignored: there is no catalogue"): "no game",
    ("cardtable/terminal/output.py", "the language of %s is not known: %s"): "no game",
    ("firmware_bridge/bridge.py", "%s: connected"): "an address",
    ("firmware_bridge/bridge.py", "%s: connection lost: %s"): "an address and why",
    ("firmware_bridge/bridge.py", "%s: no reader board: %s"): "an address and why",
    ("firmware_bridge/bridge.py", "%s: the reader board is silent"): "an address",
    ("vision/cameras/live.py", "%s hangs: its thread is abandoned, %d so far"): "a camera",
    ("vision/cameras/live.py", "%s: %s"): "a camera and why",
    ("vision/cameras/live.py", "%s: opening"): "a camera",
    ("vision/cameras/sources.py", "%s: %s"): "no game: a picture file and why",
}
"""For each message of the log what it is about. The ones that a game causes are compared as the output `log`."""
