"""The hub: the store, the receiver and the pages, put together."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from cardtable.errors import CardtableError, why
from cardtable.languages import translator
from cardtable.web.access import Access
from cardtable.web.connections import is_loopback, own_addresses
from cardtable_club.hub.authority import Authority, Enrolment
from cardtable_club.hub.broker import Mosquitto
from cardtable_club.hub.config import HubConfig
from cardtable_club.hub.director import TournamentLog
from cardtable_club.hub.games import Mirror
from cardtable_club.hub.health import TableHealth
from cardtable_club.hub.pages import (
    HubPages,
    TournamentState,
    WallState,
    as_json,
    places_of,
    standings_of,
    tables_of,
    tournament_of,
    waiting_of,
)
from cardtable_club.hub.receiver import Receiver
from cardtable_club.hub.store import Seat, Store, StoreError
from engine.texts import Translate

SHOWN: Final = 40
"""Players in the standings of the wall."""
_SHOW_S: Final = 0.25
"""Seconds between two states of the wall."""
_SEATS_S: Final = 2.0
"""Seconds after which the seats are read again: another program may have changed them."""
_END_S: Final = 10.0
"""Seconds for which the end of the hub waits for the wall's thread, which may be starting mosquitto."""

_LOG: Final = logging.getLogger("cardtable_club.member.hub")


class Hub:
    """A hub until `close`. `folder`: for the files of a mosquitto that it starts.

    A broker elsewhere that is away is waited for. Raises `CardtableError` for a port that is in use, a mosquitto that
    cannot be started, and a broker that refuses the hub.
    """

    def __init__(self, config: HubConfig, folder: Path) -> None:
        self.config: Final = config
        self._translate = translator(config.language)
        self._changed = threading.Event()
        self._ending = False
        self._seats: list[Seat] = []
        self._tournament: TournamentState | None = None
        self._seats_at = -_SEATS_S
        self.mosquitto: Mosquitto | None = None
        self._broker_trouble = ""
        """Why mosquitto cannot be started again, as it was logged last."""
        self.awaited: str | None = None
        """Why the broker, which is away since the start of the hub, cannot be reached; None if it was reached."""
        self._fault: CardtableError | None = None
        self._over = threading.Event()
        self.store: Final = Store(config.database)
        self.log: Final = TournamentLog(self.store)
        broker = config.broker.broker
        self._broker = broker
        self._folder = folder
        self.authority: Authority | None = None
        if config.broker.secure:
            self.authority = authority_of(config, folder)
            at = self.authority.folder
            self._broker = broker = replace(broker, ca=at / "ca.crt", certificate=at / "hub.crt", key=at / "hub.key")
        self._listed = self._issued_at()
        own = config.broker.start and is_loopback(broker.host) and config.broker.ca is None
        if own and not broker.answers():
            self.mosquitto = self._start_broker()
        else:
            self._try_broker()
        try:
            self.mirror: Final = Mirror()
            self.receiver: Final = Receiver(config.name, broker, self.store, self.mirror, self._changed.set)
        except BaseException:
            self._end_broker()
            raise
        try:
            self.pages: Final = HubPages(config, self, Access(path=director_file(folder)))
        except BaseException:
            self.receiver.close()
            self._end_broker()
            raise
        self._thread = threading.Thread(target=self._show, name="wall", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address of the wall."""
        return self.pages.url

    def wait(self) -> None:
        """Wait for ever. Raises `CardtableError` if the broker, which was away at the start, refuses the hub now."""
        self._over.wait()
        if self._fault is not None:
            raise self._fault

    def close(self) -> None:
        """End everything that was started."""
        self._ending = True
        self._changed.set()
        self._thread.join(_END_S)
        self.pages.close()
        self.receiver.close()
        self.store.close()
        self._end_broker()

    def _end_broker(self) -> None:
        if self.mosquitto is not None:
            self.mosquitto.close()

    def enrol(self, request: bytes, proof: str, at: str) -> dict[str, object] | None:
        """Return what a table that has proved to know a code gets; None if it has not. Raises `StoreError`.

        `at`: the address of this machine at which the table has asked.
        """
        if self.authority is None:
            return None
        accepted = Enrolment(self.store, self.authority).accept(request, proof)
        if accepted is None:
            return None
        table, certificate = accepted
        if self.authority.write_access(self.config.name) and self.mosquitto is not None:
            self.mosquitto.reload()
        names = self.config.broker.names
        host = names[0] if names else self.config.broker.host
        if not names and is_loopback(host) and not is_loopback(at):
            host = at
            self.authority.name_broker([at], more=True)
        return {
            "club": self.config.name,
            "table": table,
            "certificate": certificate.decode(),
            "ca": self.authority.certificate.decode(),
            "host": host,
            "port": self.config.broker.port,
        }

    def _try_broker(self) -> None:
        """Note whether the broker is away. Raises `CardtableError` if it refuses the hub."""
        self.awaited = None
        try:
            self._broker.try_connection()
        except OSError as error:
            self.awaited = why(error)

    def _await_broker(self) -> None:
        """Look whether the broker that was away at the start takes the hub now; if it refuses, the hub ends."""
        if self.awaited is None or self.receiver.connected:
            self.awaited = None
            return
        try:
            self._try_broker()
        except CardtableError as error:
            self._fault = error
            self._over.set()

    def _start_broker(self) -> Mosquitto:
        config = self.config
        host = config.listens_at if config.network else config.broker.host
        return Mosquitto(self._folder, host, config.broker.port, self.authority.folder if self.authority else None)

    def _issued_at(self) -> list[int]:
        """Return when the list of revoked certificates and the broker's certificate were written."""
        folder = self.authority.folder if self.authority else None
        return [(folder / name).stat().st_mtime_ns for name in ("crl.pem", "broker.crt")] if folder else []

    def _keep_broker(self) -> None:
        """Start mosquitto again if it has ended, or has to read its certificates again.

        After a table was cut off, this ends its open connections too.
        """
        if self.mosquitto is None:
            return
        listed = self._issued_at()
        if self.mosquitto.runs:
            if listed == self._listed:
                return
            self.mosquitto.close()
        elif not self._broker_trouble:
            _LOG.error("mosquitto has ended")
            self._broker_trouble = "ended"
        if self._broker.answers():
            return  # another broker has taken the port
        try:
            self.mosquitto = self._start_broker()
        except (CardtableError, OSError) as error:
            if str(error) != self._broker_trouble:
                _LOG.error("mosquitto is not started: %s", error)
            self._broker_trouble = str(error)
            return
        self._listed, self._broker_trouble = listed, ""
        _LOG.info("mosquitto is started again")

    def ready(self, table: str, number: int) -> bool:
        """Store that a table is ready for a round; return whether it has seats in it. Raises `StoreError`."""
        known = self.store.ready(number, table)
        self._seats_at = -_SEATS_S
        self._changed.set()
        return known

    def health(self, translate: Translate) -> list[TableHealth]:
        """Return how the tables are, with sentences in the language of `translate`."""
        receiver = self.receiver
        about = receiver.reconnects.duplicates(time.monotonic()), receiver.conflicting()
        return receiver.healths.shown(dict(receiver.online), *about, translate)

    def show_message(self, tables: Sequence[str], message: str) -> dict[str, str | None]:
        """Show a message on the boards of tables, or take the last one back if it is empty.

        Return for each why that was not done: None if it was, empty if the table does not reply.
        """
        return self.receiver.commands.give(tables, do="show", text=message)

    def state(self) -> WallState:
        """Return what the wall shows."""
        now = time.monotonic()
        if now - self._seats_at >= _SEATS_S:
            self._seats_at = now
            with contextlib.suppress(StoreError):  # the wall goes on with what it knows
                self.log.collect(self.mirror.all_games())
                self._tournament = tournament_of(self.log.tournament(), SHOWN, self._translate)
                self._seats = self.store.assigned()
        receiver = self.receiver
        places = places_of(self._seats)
        turn = self._seats[0].round if self._seats else None
        receiver.assign(
            {place["table"]: {"round": turn, "players": place["players"], "ready": place["ready"]} for place in places}
        )
        return {
            "club": self.config.name,
            "broker": receiver.connected,
            "trouble": receiver.trouble is not None,
            "tables": tables_of(
                dict(receiver.online),
                dict(receiver.boards),
                receiver.conflicting(),
                receiver.reconnects.duplicates(now),
                self.mirror,
                self._translate,
                receiver.knew_hands,
            ),
            "standings": standings_of(self.mirror, SHOWN),
            "waiting": waiting_of(self.mirror, self._seats),
            "round": turn,
            "places": places,
            "tournament": self._tournament,
        }

    def _show(self) -> None:
        while not self._ending:
            self._changed.wait(_SEATS_S)
            self._changed.clear()
            try:
                self._keep_broker()
                self._await_broker()
                self.pages.show(as_json(self.state()))
            except Exception:  # a fault must not end the wall
                _LOG.exception("the wall goes on after a fault")
            time.sleep(_SHOW_S)


def director_file(folder: Path) -> Path:
    """Return the file of the director's PIN, of a hub whose mosquitto has its files in `folder`."""
    return folder.parent / "hub-director.json"


def authority_of(config: HubConfig, folder: Path) -> Authority:
    """Return the authority of a hub's own mosquitto, whose files are in `folder`, and write its access list.

    Raises `CardtableError`.
    """
    names = config.broker.names or ([*own_addresses()] if config.network else [])
    names = [*dict.fromkeys([*names, config.broker.host, "localhost"])]
    found = Authority(folder / "certificates", config.name, names)
    found.write_access(config.name)
    return found
