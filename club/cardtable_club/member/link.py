"""The connection of a table to its club: a thread of its own, for which nothing at the table waits.

Whatever fails here (no broker, no hub, a journal that cannot be read now) is logged and tried again; the table goes on.
"""

from __future__ import annotations

import json
import logging
import re
import sqlite3
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from cardtable_club.config import ClubConfig
from cardtable_club.member.home_assistant import STATUS, Shown, discovery, measured, shown_in, topic_of
from cardtable_club.member.messages import VERSION, Malformed, Topics, read_ack, read_object, read_seats
from cardtable_club.member.outbox import JournalStreams, Outbox

# The commands that a hub may give a table: each has an id, which the reply repeats, and a time when it expires.

LONGEST: Final = 200
"""Letters of a message of the director at most."""


def answer(
    message: bytes,
    now: float,
    resend: Callable[[], None],
    waiting: int,
    say: Callable[[int, str], bool] | None = None,
    show: Callable[[str], None] = lambda message: None,
) -> dict[str, object]:
    """Do the command in `message` and return the reply. `now`: seconds since 1970. Raises `Malformed` without an id.

    `report`: the reply has how many lines wait. `resend`: the table asks the hub about every game again. `say`: a word
    of a seat, with the function `say`, if table.toml lets Home Assistant do so. `show`: a message of the director on
    the board, with the function `show`; an empty one takes the last one back. A command that has expired, or is
    unknown, is refused: a table that comes back does not do what was meant for an hour ago.
    """
    wanted = read_object(message)
    number, expires = wanted.get("id"), wanted.get("expires")
    if not isinstance(number, str) or not 0 < len(number) <= 64:
        raise Malformed("'id' is missing")
    if not isinstance(expires, int | float) or isinstance(expires, bool):
        return {"id": number, "done": False, "why": "'expires' is missing"}
    if now > expires:
        return {"id": number, "done": False, "why": "expired"}
    match wanted.get("do"):
        case "report":
            return {"id": number, "done": True, "waiting": waiting}
        case "say" if say is not None:
            seat, word = wanted.get("seat"), wanted.get("word")
            if type(seat) is int and isinstance(word, str) and re.fullmatch(r"[a-z0-9-]{1,32}", word):
                return {"id": number, "done": say(seat, word)}
            return {"id": number, "done": False, "why": "'seat' or 'word' is missing"}
        case "show":
            message_text = wanted.get("text")
            if isinstance(message_text, str) and len(message_text) <= LONGEST and message_text.isprintable():
                show(message_text)
                return {"id": number, "done": True}
            return {"id": number, "done": False, "why": "'text' is not a line of text"}
        case "resend":
            resend()
            return {"id": number, "done": True}
    return {"id": number, "done": False, "why": "unknown"}


_STEP_S: Final = 0.5
"""Seconds between two looks at the journal while nothing new is shown."""
_STATE_S: Final = 0.25
"""Seconds between two states: 4 a second at most."""
_HEALTH_S: Final = 10.0
_TROUBLE_S: Final = 2.0
"""Seconds until a journal that could not be read is tried again."""
_QUEUED: Final = 200
"""Messages that wait for a slow broker; one that finds no place is sent again later."""

_LOG: Final = logging.getLogger("cardtable_club.member.link")


class Link:
    """Publishes the journal at `path` and the state of the table until `close`.

    `playing` returns the number of the game that is played; None if there is none. Raises nothing: what is wrong with
    the certificates is logged.
    """

    def __init__(self, config: ClubConfig, path: Path, playing: Callable[[], int | None] = lambda: None) -> None:
        self._topics = Topics(config.name, config.table)
        self._path = path
        self._streams = JournalStreams(path, playing)
        self._outbox = Outbox()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._ending = False
        self._connected = False
        self._state: str | None = None
        self._shown: str | None = None
        """The state that was published last."""
        self._state_at = self._health_at = self._read_at = 0.0
        self._trouble = ""
        self.when_assigned: Callable[[int | None, list[str], bool], None] = lambda number, players, ready: None
        """Called in the client's thread with the table's next round, its players, and whether it is ready."""
        self.say: Callable[[int, str], bool] = lambda seat, word: False
        """Called in the client's thread to say a word for a seat; returns whether it could be said."""
        self.show_message: Callable[[str], None] = lambda message: None
        """Called in the client's thread with what the club's director says to the table; empty to take it back."""
        self.faults: Callable[[], Iterable[str]] = tuple
        """Called in this thread; returns what is wrong at the table, sentences in its language."""
        self._home_assistant = config.home_assistant
        self._described: Shown | None = None
        """What the last description for Home Assistant was made from; None after a start of Home Assistant."""
        self._components: set[str] | None = None
        """The components that it has had; None before the first one."""
        self._client = client = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=f"ct-{config.name}-{config.table}", reconnect_on_failure=True
        )
        client.max_queued_messages_set(_QUEUED)
        client.reconnect_delay_set(1, 8)
        client.will_set(self._topics.of("online"), _json({"online": False}), qos=1, retain=True)
        client.on_connect, client.on_disconnect, client.on_message = (
            self._on_connect,
            self._on_disconnect,
            self._on_message,
        )
        if config.user is not None:
            client.username_pw_set(config.user, config.password)
        try:
            if config.ca is not None:
                client.tls_set(
                    str(config.ca),
                    str(config.certificate) if config.certificate else None,
                    str(config.key) if config.key else None,
                    tls_version=ssl.PROTOCOL_TLS_CLIENT,
                )
            client.connect_async(config.host, config.port, keepalive=15)
            client.loop_start()
        except (OSError, ValueError) as error:
            _LOG.error("no connection to the club: %s", error)
        self._thread = threading.Thread(target=self._work, name="club", daemon=True)
        self._thread.start()

    @property
    def connected(self) -> bool:
        """Whether the broker is connected."""
        return self._connected

    @property
    def waiting(self) -> int:
        """How many lines the hub has not acknowledged."""
        with self._lock:
            return self._outbox.waiting

    def show(self, state: str) -> None:
        """Publish this state (JSON, what everybody may see), unless a newer one comes at once. Returns at once."""
        self._state = state
        self._wake.set()

    def ready(self, number: int) -> None:
        """Say that the table is ready for a round; it is lost if the broker is away. May be called in any thread."""
        self._client.publish(self._topics.of("ready"), _json({"round": number}), qos=1)

    def close(self) -> None:
        """Say that the table is away, and stop. What was not acknowledged is sent after the next start."""
        self._ending = True
        self._wake.set()
        self._thread.join(2.0)
        if self._connected:
            message = self._client.publish(self._topics.of("online"), _json({"online": False}), qos=1, retain=True)
            with suppress(ValueError, RuntimeError):
                message.wait_for_publish(0.5)
        self._client.disconnect()
        self._client.loop_stop()

    def _work(self) -> None:
        while not self._ending:
            self._wake.wait(self._pause())
            self._wake.clear()
            try:
                self._step(time.monotonic())
            except (sqlite3.Error, OSError, LookupError, ValueError, TypeError) as error:
                if str(error) != self._trouble:
                    self._trouble = str(error)
                    _LOG.warning("the journal cannot be sent now: %s", error)
                self._streams.close()
                self._read_at = time.monotonic() + _TROUBLE_S
            except Exception:  # nothing of the club ends the table, and nothing ends the club
                _LOG.exception("the club's thread goes on after a fault")
                self._read_at = time.monotonic() + _TROUBLE_S
        self._streams.close()

    def _pause(self) -> float:
        """Return how many seconds to wait for something new: less if a state waits until it may be published."""
        if self._state is None or not self._connected:
            return _STEP_S
        return min(max(self._state_at + _STATE_S - time.monotonic(), 0.01), _STEP_S)

    def _step(self, now: float) -> None:
        if not self._connected:
            return
        self._send_state(now)
        if now < self._read_at:
            return
        counts = self._streams.counts(now)
        with self._lock:
            if counts:
                self._outbox.exist(counts)
            due = list(self._outbox.due(now))
            waiting = self._outbox.waiting
        for each in due:
            for line in self._streams.outgoing(each):
                self._client.publish(self._topics.of("journal"), line.to_bytes(), qos=1)
        if now - self._health_at >= _HEALTH_S:
            self._health_at = now
            health = measured(time.time(), waiting, self._trouble, self.faults(), self._path)
            self._client.publish(self._topics.of("health"), _json(health.to_json()), qos=0, retain=True)
        self._trouble = ""

    def _send_state(self, now: float) -> None:
        if self._state is not None and now - self._state_at >= _STATE_S:
            state, self._state, self._state_at = self._state, None, now
            self._shown = state
            self._client.publish(self._topics.of("state"), state.encode(), qos=0, retain=True)
            if self._home_assistant:
                self._describe(shown_in(state))

    def _describe(self, shown: Shown) -> None:
        """Describe the table for Home Assistant, if something of it has changed."""
        if self._described == shown:
            return
        message = discovery(self._topics, shown, self._components or ())
        self._described, self._components = shown, set(message["cmps"])
        self._client.publish(topic_of(self._topics), json.dumps(message).encode(), qos=1, retain=True)

    # Called in the thread of the client

    def _on_connect(self, client: mqtt.Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            _LOG.warning("the broker refuses the table: %s", reason)
            return
        client.subscribe([(self._topics.of("ack"), 1), (self._topics.of("cmd"), 1), (self._topics.assign, 1)])
        if self._home_assistant:
            client.subscribe(STATUS, 1)
        if not self._home_assistant or self._components is None:
            client.publish(topic_of(self._topics), b"", qos=1, retain=True)  # what an earlier start has described
        self._described = None
        client.publish(self._topics.of("online"), _json({"online": True}), qos=1, retain=True)
        with self._lock:
            self._outbox.connected(time.monotonic())
        self._state = self._state or self._shown
        self._health_at = 0.0
        self._connected = True
        _LOG.info("connected to the club")
        self._wake.set()

    def _on_disconnect(self, client: mqtt.Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        self._connected = False
        _LOG.info("disconnected from the club: %s", reason)

    def _on_message(self, client: mqtt.Client, data: Any, message: mqtt.MQTTMessage) -> None:
        try:
            if message.topic == self._topics.of("ack"):
                ack = read_ack(bytes(message.payload))
                with self._lock:
                    known = self._outbox.conflicts
                    self._outbox.acknowledged(ack, time.monotonic())
                for game in sorted(ack.conflicts - known):
                    _LOG.error("the hub has other lines of game %s: is the journal an older copy?", game)
            elif message.topic == STATUS:
                if bytes(message.payload) == b"online":
                    self._described = None
                    self._state = self._state or self._shown
            elif message.topic == self._topics.assign:
                self.when_assigned(*read_seats(bytes(message.payload)))
            else:
                payload, now = bytes(message.payload), time.time()
                reply = answer(payload, now, self._resend, self.waiting, self._may_say(), self.show_message)
                client.publish(self._topics.of("cmd/reply"), _json(reply), qos=1)
        except Malformed as error:
            _LOG.info("ignored a message of the club: %s", error)
        except Exception:  # an exception would end the client's thread
            _LOG.exception("a message of the club was not understood")
        self._wake.set()

    def _may_say(self) -> Callable[[int, str], bool] | None:
        return self.say if self._home_assistant else None

    def _resend(self) -> None:
        with self._lock:
            self._outbox.forget()


def _json(value: dict[str, object]) -> bytes:
    return json.dumps({"v": VERSION, **value}).encode()
