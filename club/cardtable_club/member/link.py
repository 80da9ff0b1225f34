"""The connection of a table to its club. It has its own thread, for which nothing at the table waits.

Whatever fails here (no broker, no hub, a journal that cannot be read now) is logged and retried; the game goes on.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from cardtable.doctor.finding import Finding, good, trouble
from cardtable_club.config import ClubConfig
from cardtable_club.member.home_assistant import STATUS, Shown, discovery, measured, shown_in, topic_of
from cardtable_club.member.messages import VERSION, Malformed, Topics, read_ack, read_object, read_seats
from cardtable_club.member.outbox import JournalStreams, Outbox
from engine.texts import text, why

LONGEST: Final = 200
"""The most letters of a message of the director."""


def answer(
    message: bytes,
    now: float,
    resend: Callable[[], None],
    waiting: int,
    say: Callable[[int, str], bool] | None = None,
    show: Callable[[str], None] = lambda message: None,
) -> dict[str, object]:
    """Carry out the command in `message` and return the reply. `now`: seconds since 1970. Raises `Malformed`.

    A command has an id, which the reply repeats, and expires, so that a table that reconnects does not carry out old
    commands. `report`: reply with the number of waiting lines. `resend`: ask the hub about every game again. `say`: say
    a word for a seat, if table.toml lets Home Assistant do so. `show`: show a message of the director on the board; an
    empty one removes the last one. Expired and unknown commands are refused.
    """
    command = read_object(message)
    number, expires = command.get("id"), command.get("expires")
    if not isinstance(number, str) or not 0 < len(number) <= 64:
        raise Malformed("'id' is missing")
    if not isinstance(expires, int | float) or isinstance(expires, bool):
        return {"id": number, "done": False, "why": "'expires' is missing"}
    if now > expires:
        return {"id": number, "done": False, "why": "expired"}
    match command.get("do"):
        case "report":
            return {"id": number, "done": True, "waiting": waiting}
        case "say" if say is not None:
            seat, word = command.get("seat"), command.get("word")
            if type(seat) is int and isinstance(word, str) and re.fullmatch(r"[a-z0-9-]{1,32}", word):
                return {"id": number, "done": say(seat, word)}
            return {"id": number, "done": False, "why": "'seat' or 'word' is missing"}
        case "show":
            message_text = command.get("text")
            if isinstance(message_text, str) and len(message_text) <= LONGEST and message_text.isprintable():
                show(message_text)
                return {"id": number, "done": True}
            return {"id": number, "done": False, "why": "'text' is not a line of text"}
        case "resend":
            resend()
            return {"id": number, "done": True}
    return {"id": number, "done": False, "why": "unknown"}


_STEP_S: Final = 0.5
"""Seconds between two looks at the journal while the state does not change."""
_STATE_S: Final = 0.25
"""Seconds between two published states."""
_HEALTH_S: Final = 10.0
"""Seconds between two health messages."""
_TROUBLE_S: Final = 2.0
"""Seconds before a journal that could not be read is tried again."""
_PATIENCE_S: Final = 15.0
"""Seconds without the broker after which the board says so."""
_QUEUED: Final = 200
"""The most messages that wait for a slow broker; others are sent again later."""

_REMEMBERED: Final = 50
"""The most commands that are known again; a command is valid for about ten seconds."""

_LOG: Final = logging.getLogger("cardtable_club.member.link")


class Link:
    """Publishes the journal at `path` and the state of the table, from `start` until `close`.

    `playing` returns the number of the game being played, or None. Problems with the certificates are logged, not
    raised.
    """

    def __init__(self, config: ClubConfig, path: Path, playing: Callable[[], int | None] = lambda: None) -> None:
        self._topics = Topics(config.name, config.table)
        self._config, self._path = config, path
        self._streams = JournalStreams(path, playing)
        self._outbox = Outbox()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._ending = False
        self._connected = False
        self._lost_at = time.monotonic()
        self._refused = ""
        """Why the broker or its certificate was refused when the table tried to connect last."""
        self._taken_over = 0
        """How often another table of the same name was found to have been connected meanwhile."""
        self._start = secrets.token_hex(8)
        """Distinguishes this start of the table from others, and from another table of the same name."""
        self._was_online = False
        """Whether the broker has said that this start of the table is online."""
        self._notice = ""
        """What the board shows about the connection."""
        self._state: str | None = None
        self._shown: str | None = None
        """The last published state."""
        self._state_at = self._health_at = self._read_at = 0.0
        self._trouble = ""
        self.when_assigned: Callable[[int | None, list[str], bool], None] = lambda number, players, ready: None
        """Called in the client's thread with the table's next round, its players, and whether it is ready."""
        self.say: Callable[[int, str], bool] = lambda seat, word: False
        """Called in the client's thread to say a word for a seat; returns whether it could be said."""
        self.show_message: Callable[[str], None] = lambda message: None
        """Called with what is wrong with the connection, or a message of the club's director; empty to remove it."""
        self.faults: Callable[[], Iterable[str]] = tuple
        """Called in the link's thread; returns what is wrong at the table, as sentences in its language."""
        self.not_before: Callable[[float], None] = lambda time: None
        """Called in the client's thread with a time that is past, in seconds since 1970, whatever the clock says."""
        self._replies: dict[bytes, dict[str, object]] = {}
        """The replies to the last commands."""
        self._described: Shown | None = None
        """The content of the last description for Home Assistant; None after a start of Home Assistant."""
        self._components: set[str] | None = None
        """The components in that description; None before the first one."""
        self._client = client = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=f"ct-{config.name}-{config.table}", reconnect_on_failure=True
        )
        client.max_queued_messages_set(_QUEUED)
        client.reconnect_delay_set(1, 8)
        client.will_set(self._topics.of("online"), self._online(False), qos=1, retain=True)
        client.on_connect, client.on_disconnect, client.on_message = (
            self._on_connect,
            self._on_disconnect,
            self._on_message,
        )
        self._thread = threading.Thread(target=self._work, name="club", daemon=True)

    def start(self) -> Link:
        """Connect to the broker, now or as soon as it can be reached; return this link."""
        try:
            self._config.broker.prepare(self._client)
            self._client.connect_async(self._config.host, self._config.port, keepalive=15)
            self._client.loop_start()
        except (OSError, ValueError) as error:
            self._refused = str(error)
            _LOG.error("no connection to the club: %s", error)
        self._thread.start()
        return self

    @property
    def connected(self) -> bool:
        """Whether the broker is connected."""
        return self._connected

    @property
    def waiting(self) -> int:
        """The number of unacknowledged lines."""
        with self._lock:
            return self._outbox.waiting

    def show(self, state: str) -> None:
        """Publish this state (JSON, what everybody may see) soon, unless a newer one replaces it. Returns at once."""
        self._state = state
        self._wake.set()

    def ready(self, number: int) -> None:
        """Tell the hub that the table is ready for a round; lost if the broker is not connected. Thread-safe."""
        self._client.publish(self._topics.of("ready"), _json({"round": number}), qos=1)

    def close(self) -> None:
        """Tell the hub that the table is offline, and stop. Unacknowledged lines are sent after the next start."""
        self._ending = True
        self._wake.set()
        self._thread.join(2.0)
        if self._connected:
            message = self._client.publish(self._topics.of("online"), self._online(False), qos=1, retain=True)
            with suppress(ValueError, RuntimeError):
                message.wait_for_publish(0.5)
        self._client.disconnect()
        self._client.loop_stop()

    def _work(self) -> None:
        while not self._ending:
            self._wake.wait(self._pause())
            self._wake.clear()
            self._show_connection(time.monotonic())
            try:
                self._step(time.monotonic())
            except (sqlite3.Error, OSError, LookupError, ValueError, TypeError) as error:
                if str(error) != self._trouble:
                    self._trouble = str(error)
                    _LOG.warning("the journal cannot be sent now: %s", error)
                self._streams.close()
                self._read_at = time.monotonic() + _TROUBLE_S
            except Exception:  # a bug here must end neither the game nor this thread
                _LOG.exception("the club's thread goes on after a fault")
                self._read_at = time.monotonic() + _TROUBLE_S
        self._streams.close()

    def _pause(self) -> float:
        """Return how many seconds to wait for something new; less if a state waits to be published."""
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

    def _show_connection(self, now: float) -> None:
        """Show on the board what is wrong with the connection, and remove that when it works again."""
        notice = ""
        if self._taken_over:
            message = (
                'Another table of the club is called "{table}", too: give one of them another name under [club] in its '
                "table.toml, and start both again."
            )
            notice = text(message, table=self._topics.table)
        elif not self._connected and now - self._lost_at >= _PATIENCE_S:
            message = (
                "No connection to the club ({broker}{why}): games are kept here and sent later. Is the hub on, and in "
                "the same network?"
            )
            broker = f"{self._config.host}:{self._config.port}"
            notice = text(message, broker=broker, why=self._refused and f": {self._refused}")
        if notice != self._notice:
            self._notice = notice
            self.show_message(notice)

    def _send_state(self, now: float) -> None:
        if self._state is not None and now - self._state_at >= _STATE_S:
            state, self._state, self._state_at = self._state, None, now
            self._shown = state
            self._client.publish(self._topics.of("state"), state.encode(), qos=0, retain=True)
            if self._config.home_assistant:
                self._describe(shown_in(state))

    def _describe(self, shown: Shown) -> None:
        """Describe the table for Home Assistant, if the description has changed."""
        if self._described == shown:
            return
        message = discovery(self._topics, shown, self._components or ())
        self._described, self._components = shown, set(message["cmps"])
        self._client.publish(topic_of(self._topics), json.dumps(message).encode(), qos=1, retain=True)

    # Called in the thread of the client

    def _on_connect(self, client: mqtt.Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            _LOG.warning("the broker refuses the table: %s", reason)
            self._refused = str(reason)
            return
        self.not_before(self._config.broker.shown_since(client))
        topics = (*map(self._topics.of, ("ack", "cmd", "online")), self._topics.assign)
        client.subscribe([(topic, 1) for topic in topics])
        if self._config.home_assistant:
            client.subscribe(STATUS, 1)
        if not self._config.home_assistant or self._components is None:
            client.publish(
                topic_of(self._topics), b"", qos=1, retain=True
            )  # removes the description from an earlier start
        self._described = None
        client.publish(self._topics.of("online"), self._online(True), qos=1, retain=True)
        with self._lock:
            self._outbox.connected(time.monotonic())
        self._state = self._state or self._shown
        self._health_at = 0.0
        self._connected, self._refused = True, ""
        _LOG.info("connected to the club")
        self._wake.set()

    def _on_disconnect(self, client: mqtt.Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if self._connected:
            self._connected, self._lost_at = False, time.monotonic()
        _LOG.info("disconnected from the club: %s", reason)

    def _on_message(self, client: mqtt.Client, data: Any, message: mqtt.MQTTMessage) -> None:
        try:
            if message.topic == self._topics.of("ack"):
                ack = read_ack(bytes(message.payload))
                with self._lock:
                    conflicts = self._outbox.conflicts
                    self._outbox.acknowledged(ack, time.monotonic())
                if self._config.ca is not None:  # otherwise anybody may have sent it
                    self.not_before(ack.time)
                for game in sorted(ack.conflicts - conflicts):
                    _LOG.error("the hub has different lines for game %s: is the journal an older copy?", game)
            elif message.topic == self._topics.of("online"):
                self._look_for_twin(read_object(bytes(message.payload)))
            elif message.topic == STATUS:
                if bytes(message.payload) == b"online":
                    self._described = None
                    self._state = self._state or self._shown
            elif message.topic == self._topics.assign:
                self.when_assigned(*read_seats(bytes(message.payload)))
            elif not message.retain:  # a retained command is an old one
                client.publish(self._topics.of("cmd/reply"), _json(self._obey(bytes(message.payload))), qos=1)
        except Malformed as error:
            _LOG.info("ignored a message of the club: %s", error)
        except Exception:  # an exception would end the client's thread
            _LOG.exception("a message of the club was not understood")
        self._wake.set()

    def _online(self, online: bool) -> bytes:
        return _json({"online": online, "start": self._start})

    def _look_for_twin(self, online: dict[str, Any]) -> None:
        """Show that another table of the same name was connected since this one was; the second time, stop as well.

        A broker disconnects a client when another one connects with its name. By connecting once more, each table lets
        the other one find out.
        """
        start = online.get("start")  # an earlier version sends none
        if start == self._start:
            self._was_online = True
        elif self._was_online and start and isinstance(start, str):
            self._taken_over += 1
            if self._taken_over > 1:
                self._client.disconnect()

    def _obey(self, message: bytes) -> dict[str, object]:
        """Carry out a command, once even if the broker delivers it twice, and return the reply. Raises `Malformed`."""
        if message not in self._replies:
            reply = answer(message, time.time(), self._resend, self.waiting, self._may_say(), self._show_directors)
            self._replies[message] = reply
            if len(self._replies) > _REMEMBERED:
                del self._replies[next(iter(self._replies))]
        return self._replies[message]

    def _show_directors(self, message: str) -> None:
        self.show_message(message and text("The director of the club: {message}", message=message))

    def _may_say(self) -> Callable[[int, str], bool] | None:
        return self.say if self._config.home_assistant else None

    def _resend(self) -> None:
        with self._lock:
            self._outbox.forget()


def check_broker(config: ClubConfig) -> Finding:
    """Return whether the club's broker answers and accepts the table, for the doctor."""
    where = {"host": config.host, "port": config.port}
    try:
        answer = config.broker.answer(f"ct-doctor-{config.table}")
    except OSError as error:
        found = text("the club's broker at {host}:{port} cannot be used: {why}", **where, why=why(error))
        advice = (
            "games are kept here and sent later; is the hub on, and in the same network? Then check host, port and "
            "certificates under [club] in table.toml"
        )
        return trouble("club", found, text(advice))
    if answer is None or answer.is_failure:
        found = text(
            "the club's broker at {host}:{port} refuses the table ({why})",
            **where,
            why="" if answer is None else answer.getName(),
        )
        return trouble("club", found, text("check user and password under [club] in table.toml, or enrol the table"))
    return good("club", text("the club's broker at {host}:{port} accepts the table", **where))


def _json(value: dict[str, object]) -> bytes:
    return json.dumps({"v": VERSION, **value}).encode()
