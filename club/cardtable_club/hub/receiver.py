"""The hub's connection to the tables: it receives their lines, stores them in batches and acknowledges them.

The thread of the MQTT client only reads messages; another thread stores and acknowledges. A message that finds the
queue full, or arrives while the database is unusable, is dropped: the table sends it again.
"""

from __future__ import annotations

import contextlib
import json
import logging
import queue
import re
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any, Final, NamedTuple

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from cardtable_club.broker import Broker
from cardtable_club.hub.broker import prepare
from cardtable_club.hub.games import Mirror, Results
from cardtable_club.hub.health import Commands, Healths
from cardtable_club.hub.store import Key, Ready, Received, Store, StoreError
from cardtable_club.member.home_assistant import read_health
from cardtable_club.member.messages import (
    NAME,
    VERSION,
    Ack,
    Malformed,
    Topics,
    game_of,
    read_ack,
    read_line,
    read_object,
    read_ready,
    table_of,
)
from engine.names import plain_name

RECENT: Final = 100
"""How many streams, the last acknowledged ones, the retained acknowledgement of a table names."""


class Acknowledgements:
    """Sends acknowledgements to the tables. For one thread.

    Until the broker has accepted the last acknowledgement for a table, the next one waits, so that a busy broker gets
    only the newest. `start`: identifies this start of the hub. `conflicts`: the streams whose stored lines differ from
    those of the table. `send` sends a message to a table and returns its number.
    """

    def __init__(self, start: str, conflicts: Set[Key], send: Callable[[str, bytes], int]) -> None:
        self._start = start
        self._conflicts = conflicts
        self._send = send
        self._recent: dict[str, OrderedDict[str, int]] = {}
        self._under_way: dict[str, int] = {}
        """By table: the number of the message that the broker has not accepted yet."""
        self._later: set[str] = set()
        """The tables whose next acknowledgement waits for that."""

    def announce(self, cursors: Iterable[tuple[Key, int]]) -> None:
        """Tell every table what is committed. `cursors`: every stream, the last changed one first."""
        self._under_way.clear()
        by_table: dict[str, OrderedDict[str, int]] = {}
        for key, count in cursors:
            recent = by_table.setdefault(key.table, OrderedDict())
            if len(recent) < RECENT:
                recent[key.game] = count
        for table, recent in by_table.items():
            self._recent[table] = OrderedDict(reversed(recent.items()))
            self.send(table)

    def acknowledge(self, counts: Mapping[Key, int]) -> None:
        """Tell the tables how many lines of their streams are committed."""
        for key, count in counts.items():
            recent = self._recent.setdefault(key.table, OrderedDict())
            recent[key.game] = count
            recent.move_to_end(key.game)
        for table in {key.table for key in counts}:
            self.send(table)

    def send(self, table: str) -> None:
        """Send a table its acknowledgement, now or once the broker has accepted the last one."""
        if table in self._under_way:
            self._later.add(table)
            return
        self._later.discard(table)
        recent = self._recent.get(table, OrderedDict())
        games = {game: count - 1 for game, count in recent.items()}
        while len(recent) > RECENT:  # each stream committed now is named once, even if there are more
            recent.popitem(last=False)
        conflicts = frozenset(key.game for key in self._conflicts if key.table == table)
        ack = Ack(self._start, games, conflicts, time.time())
        self._under_way[table] = self._send(table, ack.to_bytes())

    def taken(self, numbers: Set[int]) -> None:
        """Send what waited until the broker accepted the messages with these numbers."""
        done = {table for table, number in self._under_way.items() if number in numbers}
        for table in done:
            del self._under_way[table]
        for table in done & self._later:
            self.send(table)


class BoardScores(NamedTuple):
    """The game on the board of a table. `scores`: one for each side. `winners`: sides; empty before the end."""

    game: str
    players: tuple[str, ...]
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    over: bool


def read_board(state: str) -> BoardScores | None:
    """Extract the scores from a board state (docs/reference/interface.md); None outside a game or if malformed.

    >>> seats = '[{"name": "Ann", "score": 3}]'
    >>> read_board(f'{{"game": "whist", "sides": 1, "seats": {seats}, "winners": [], "over": false}}')
    BoardScores(game='whist', players=('Ann',), scores=(3,), winners=(), over=False)
    >>> read_board('{"screen": "lobby"}')
    >>> read_board('{"game": "whist", "sides": Infinity, "seats": []}')
    """
    try:
        value: Any = json.loads(state)
        seats = value["seats"]
        scores = tuple(int(seat["score"]) for seat in seats[: int(value["sides"])])
        winners = tuple(map(int, value["winners"]))
        players = tuple(plain_name(str(seat["name"])) for seat in seats)
        return BoardScores(plain_name(str(value["game"])), players, scores, winners, bool(value["over"]))
    except (ValueError, ArithmeticError, LookupError, TypeError, RecursionError):
        return None


OFTEN: Final = 6
"""Reconnects within `WITHIN_S` that trigger a warning."""
WITHIN_S: Final = 60.0
WARNING_S: Final = 120.0
"""How long the warning stays visible, in seconds."""


class ReconnectMonitor:
    """Finds tables that reconnect too often, perhaps because two have the same name.

    The broker keeps only the last connection of a name, so two such tables disconnect each other again and again.
    """

    def __init__(self) -> None:
        self._times: dict[str, deque[float]] = {}
        self._noticed: dict[str, float] = {}

    def connected(self, table: str, now: float) -> bool:
        """Count a connection, at `now` on a monotonic clock in seconds; return whether there were too many.

        Counting then starts over.
        """
        times = self._times.setdefault(table, deque(maxlen=OFTEN))
        times.append(now)
        if len(times) < OFTEN or now - times[0] > WITHIN_S:
            return False
        times.clear()
        self._noticed[table] = now
        return True

    def duplicates(self, now: float) -> set[str]:
        """Return the names that two tables seemed to share in the last `WARNING_S` seconds. Thread-safe."""
        return {table for table, at in list(self._noticed.items()) if now - at < WARNING_S}


BATCH: Final = 500
"""The most messages that are stored in one transaction."""
QUEUED: Final = 20_000
"""The most messages that wait to be stored."""
MOST_TABLES: Final = 5_000
MOST_STATE: Final = 300_000
"""Size of the largest state of a table, in bytes."""
_AGAIN_S: Final = 0.5
"""Seconds after a failure before the next attempt."""

_LOG: Final = logging.getLogger("cardtable_club.member.receiver")


_Item = Received | Ready | tuple[str, bool] | None


class Receiver:
    """Receives what the tables of a club send to `broker`, until `close`.

    `mirror`: receives the results of games. `changed`: called in the receiver's threads when there is something to
    show.
    """

    def __init__(
        self, club: str, broker: Broker, store: Store, mirror: Mirror, changed: Callable[[], None] = lambda: None
    ) -> None:
        self._club = club
        self._store = store
        self._changed = changed
        self._start = secrets.token_hex(8)
        self._results = Results(store, mirror)
        self._queue: queue.Queue[_Item] = queue.Queue(QUEUED)
        self._noted: dict[tuple[bool, str], Ready | tuple[str, bool]] = {}
        """What is yet to be stored about each table besides its lines."""
        self.reconnects: Final = ReconnectMonitor()
        self._announce = threading.Event()
        self._ending = False
        self._assigned: dict[str, dict[str, object]] = {}
        self.states: Final[dict[str, tuple[int, str]]] = {}
        """By table: how many states it has sent, and the last one."""
        self.boards: Final[dict[str, BoardScores | None]] = {}
        """By table: the scores in its last state."""
        self.online: Final[dict[str, bool]] = {}
        self.healths: Final = Healths()
        self.commands: Final = Commands(lambda table, command: self.publish(table, "cmd", command), self.healths.behind)
        self.conflicts: Final[set[Key]] = set()
        """Streams whose stored lines differ from those of the table; further lines of their games are refused."""
        self._taken: Final[deque[int]] = deque()
        """The numbers of the messages that the broker has accepted."""
        self._acks = Acknowledgements(self._start, self.conflicts, self._send_ack)
        self.trouble: str | None = None
        """Why nothing can be stored now."""
        self.connected = False
        self._twin_at = -WARNING_S
        """When another hub of the club was last heard, on a monotonic clock in seconds."""
        self._client = client = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=f"ct-hub-{club}-{self._start[:6]}", reconnect_on_failure=True
        )
        client.reconnect_delay_set(1, 4)
        client.on_connect, client.on_disconnect = self._on_connect, self._on_disconnect
        client.on_message, client.on_publish = self._on_message, self._on_publish
        prepare(client, broker)
        self._thread = threading.Thread(target=self._work, name="hub", daemon=True)
        self._thread.start()
        client.connect_async(broker.host, broker.port, keepalive=15)
        client.loop_start()

    def close(self) -> None:
        """Stop. Tables send again what was not acknowledged, after the next start."""
        self._ending = True
        with contextlib.suppress(queue.Full):
            self._queue.put_nowait(None)
        self._thread.join(5.0)
        self._client.disconnect()
        self._client.loop_stop()

    def conflicting(self) -> set[str]:
        """Return the tables whose journal contradicts the stored lines. Thread-safe."""
        return {key.table for key in list(self.conflicts)}

    def has_twin(self, now: float) -> bool:
        """Return whether another hub of this club was heard in the last `WARNING_S` seconds. Thread-safe."""
        return now - self._twin_at < WARNING_S

    def knew_hands(self, game: Key) -> bool:
        """Return whether the table knows hands of a game that are not in its lines. Thread-safe."""
        return self._results.knew_hands(game)

    def publish(self, table: str, what: str, message: dict[str, object]) -> None:
        """Send a message to a table; it is lost if the broker is not connected."""
        if self.connected:
            self._client.publish(Topics(self._club, table).of(what), json.dumps(message).encode(), 1)

    def assign(self, places: Mapping[str, dict[str, object]]) -> None:
        """Send each table its seats in the next round if they have changed. `places`: the messages by table."""
        if not self.connected:
            self._assigned.clear()  # the broker may have lost its retained messages
        for table in {*self._assigned, *places, *self.online}:
            if not re.fullmatch(NAME, table):
                continue  # paired before names were checked; it cannot be part of a topic
            message = places.get(table, {"round": None, "players": [], "ready": False})
            if self._assigned.get(table) != message:
                self._assigned[table] = message
                content = json.dumps({"v": VERSION, **message}).encode()
                self._client.publish(Topics(self._club, table).assign, content, 1, True)

    # Called in the thread of the client

    def _on_connect(self, client: mqtt.Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            _LOG.warning("the broker refuses the hub: %s", reason)
            return
        topics = ("journal", "online", "state", "health", "ready", "cmd/reply", "ack")
        client.subscribe([(Topics(self._club, "+").of(topic), 1) for topic in topics])
        self.connected = True
        self.online.update(dict.fromkeys(self.online, False))  # the broker says which tables are connected now
        self._announce.set()
        self._put(None)
        _LOG.info("the hub is connected to the broker")
        self._changed()

    def _on_disconnect(self, client: mqtt.Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        self.connected = False
        _LOG.warning("the hub is not connected to the broker: %s", reason)
        self._changed()

    def _on_message(self, client: mqtt.Client, data: Any, message: mqtt.MQTTMessage) -> None:
        found = table_of(message.topic, self._club)
        if found is None:
            return
        table, what = found
        try:
            self._take(table, what, bytes(message.payload), message.retain)
        except Malformed as error:
            _LOG.info("ignored a message of table %s: %s", table, error)
        except Exception:  # an exception would end the client's thread
            _LOG.exception("a message of table %s was not understood", table)

    def _on_publish(self, client: mqtt.Client, data: Any, number: int, reason: Any, properties: Any) -> None:
        self._taken.append(number)
        self._put(None)

    def _take(self, table: str, what: str, payload: bytes, retained: bool) -> None:
        if what == "ack":
            if not retained and read_ack(payload).hub != self._start:
                self._twin_at = time.monotonic()
                self._changed()
            return
        if table not in self.online:
            if len(self.online) >= MOST_TABLES:
                raise Malformed("there are too many tables")
            self.online[table] = False
        if what == "journal":
            self._put(Received(table, read_line(payload)))
        elif what == "ready":
            self._put(Ready(table, read_ready(payload)))
        elif what == "online":
            online = read_object(payload).get("online") is True
            if online and not retained and self.reconnects.connected(table, time.monotonic()):
                _LOG.warning("table %s keeps reconnecting: do two tables have this name?", table)
            self.online[table] = online
            self._put((table, online))
            self._changed()
        elif what == "state":
            if len(payload) <= MOST_STATE:
                state = payload.decode("utf-8", "replace")
                self.states[table] = self.states.get(table, (0, ""))[0] + 1, state
                self.boards[table] = read_board(state)
                self._changed()
        elif what == "health":
            self.healths.put(table, read_health(payload), retained)
        elif what == "cmd/reply":
            self.commands.replied(table, payload)

    def _put(self, item: _Item) -> None:
        with contextlib.suppress(queue.Full):
            self._queue.put_nowait(item)

    # Called in the hub's thread

    def _work(self) -> None:
        loaded = False
        while not self._ending:
            try:
                if not loaded:
                    self._results.load()
                    for table in self._store.tables():
                        self.online.setdefault(table, False)
                    loaded = True
                    self._recovered()
                self._step()
            except StoreError as error:
                if self.trouble is None:
                    _LOG.error("the database cannot be used now: %s", error)
                self.trouble = str(error)
                self._changed()
                time.sleep(_AGAIN_S)
            except Exception:  # a fault must not end the hub
                _LOG.exception("the hub goes on after a fault")
                time.sleep(_AGAIN_S)

    def _step(self) -> None:
        items = [] if self._results.waiting or self._noted else [self._queue.get()]
        with contextlib.suppress(queue.Empty):
            while len(items) < BATCH:
                items.append(self._queue.get_nowait())
        if self._announce.is_set():  # after the start, and after each new connection
            self._announce.clear()
            self._acks.announce(self._store.cursors())
        self._acks.taken({self._taken.popleft() for _ in range(len(self._taken))})
        received = [each for each in items if isinstance(each, Received)]
        for each in items:
            if each is not None and not isinstance(each, Received):
                self._noted[isinstance(each, Ready), each[0]] = each
        wrote = bool(received or self._noted or self._results.waiting)
        self._store_noted()
        if received:
            self._store_lines(received)
        if self._results.waiting:
            self._results.store()
            self._changed()
        if wrote:
            self._recovered()

    def _store_noted(self) -> None:
        """Store which tables are online or ready. Tables do not send that again, so it is kept until it is stored."""
        while self._noted:
            key, each = next(iter(self._noted.items()))
            if isinstance(each, Ready):
                self._store.ready(each.round, each.table)
                self._changed()
            else:
                self._store.note_table(*each)
            del self._noted[key]

    def _store_lines(self, received: list[Received]) -> None:
        closed = {Key(key.table, game_of(key.game)) for key in self.conflicts}
        accepted = [each for each in received if Key(each.table, game_of(each.line.game)) not in closed]
        stored = self._store.take(accepted)
        for key in stored.conflicts:
            self.conflicts.add(key)
            _LOG.error("table %s sends another game as %s than before", key.table, key.game)
        self._acks.acknowledge(stored.counts)
        for table in {each.table for each in received} - {each.table for each in accepted}:
            self._acks.send(table)  # a table that does not know about its conflict
        if stored.conflicts:
            self._changed()
        same = [each for each in accepted if Key(each.table, each.line.game) not in stored.conflicts]
        self._results.note(same, stored)

    def _recovered(self) -> None:
        if self.trouble is not None:
            self.trouble = None
            _LOG.info("the database can be used again")

    def _send_ack(self, table: str, ack: bytes) -> int:
        return self._client.publish(Topics(self._club, table).of("ack"), ack, qos=1, retain=True).mid
