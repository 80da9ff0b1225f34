"""The hub: puts the database, the receiver and the pages together."""

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
from cardtable_club.hub.broker import Mosquitto, try_connection
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
"""The most players in the standings on the wall."""
_SHOW_S: Final = 0.25
"""Seconds between two states of the wall."""
_SEATS_S: Final = 2.0
"""Seconds between two readings of the seats, which another program may change."""
_END_S: Final = 10.0
"""Seconds to wait at the end for the wall's thread, which may be starting mosquitto."""

_LOG: Final = logging.getLogger("cardtable_club.member.hub")


class Hub:
    """A hub that runs until `close`. `folder`: for the files of a mosquitto that it starts.

    If an external broker cannot be reached, the hub waits for it. Raises `CardtableError` if a port is in use,
    mosquitto cannot be started, or the broker refuses the hub.
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
        """Why mosquitto could not be restarted, as logged last."""
        self.awaited: str | None = None
        """Why the broker has been unreachable since the start of the hub; None once it was reached."""
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
            keys = self.authority.folder
            broker = replace(broker, ca=keys / "ca.crt", certificate=keys / "hub.crt", key=keys / "hub.key")
            self._broker = broker
        self._listed = self._issued_at()
        may_start = config.broker.start and is_loopback(broker.host) and config.broker.ca is None
        if may_start and not broker.listens():
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
        """Wait forever. Raises `CardtableError` if a broker that could not be reached at the start refuses the hub."""
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
        """Return the certificate and settings for a table; None if `proof` does not match a valid code.

        `at`: the address of this machine that the table used. Raises `StoreError`.
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
        """Note whether the broker can be reached. Raises `CardtableError` if it refuses the hub."""
        self.awaited = None
        try:
            try_connection(self._broker)
        except OSError as error:
            self.awaited = why(error)

    def _await_broker(self) -> None:
        """Try again to reach a broker that could not be reached at the start; if it refuses, end the hub."""
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
        """Return when the revocation list and the broker's certificate were written."""
        folder = self.authority.folder if self.authority else None
        return [(folder / name).stat().st_mtime_ns for name in ("crl.pem", "broker.crt")] if folder else []

    def _keep_broker(self) -> None:
        """Restart mosquitto if it has ended, or if it must read new certificates.

        A restart also closes the connections of a table whose certificate was revoked.
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
        if self._broker.listens():
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
        has_seats = self.store.ready(number, table)
        self._seats_at = -_SEATS_S
        self._changed.set()
        return has_seats

    def health(self, translate: Translate) -> list[TableHealth]:
        """Return the state of the tables, with sentences in the language of `translate`."""
        receiver = self.receiver
        duplicates, conflicts = receiver.reconnects.duplicates(time.monotonic()), receiver.conflicting()
        return receiver.healths.shown(dict(receiver.online), duplicates, conflicts, translate)

    def show_message(self, tables: Sequence[str], message: str) -> dict[str, str | None]:
        """Show a message on the boards of tables; an empty one removes the last one.

        Return for each table why that failed: None if it was done, empty if the table did not reply.
        """
        return self.receiver.commands.give(tables, do="show", text=message)

    def state(self) -> WallState:
        """Return what the wall shows."""
        now = time.monotonic()
        if now - self._seats_at >= _SEATS_S:
            self._seats_at = now
            with contextlib.suppress(StoreError):  # the wall keeps showing what it has
                self.log.collect(self.mirror.all_games())
                self._tournament = tournament_of(self.log.tournament(), SHOWN, self._translate)
                self._seats = self.store.assigned()
        receiver = self.receiver
        places = places_of(self._seats)
        round_number = self._seats[0].round if self._seats else None
        receiver.assign(
            {
                place["table"]: {"round": round_number, "players": place["players"], "ready": place["ready"]}
                for place in places
            }
        )
        return {
            "club": self.config.name,
            "broker": receiver.connected,
            "trouble": receiver.trouble is not None,
            "twin": receiver.has_twin(now),
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
            "round": round_number,
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
    """Return the file with the director's PIN for a hub whose mosquitto has its files in `folder`."""
    return folder.parent / "hub-director.json"


def authority_of(config: HubConfig, folder: Path) -> Authority:
    """Return the authority for the hub's own mosquitto, with files in `folder`, and write the access list.

    Raises `CardtableError`.
    """
    names = config.broker.names or ([*own_addresses()] if config.network else [])
    names = [*dict.fromkeys([*names, config.broker.host, "localhost"])]
    authority = Authority(folder / "certificates", config.name, names)
    authority.write_access(config.name)
    return authority
