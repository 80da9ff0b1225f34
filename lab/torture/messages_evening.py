"""One evening that is attacked at random, and what must hold after each step, for `lab.torture.messages`."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final, cast

from cardtable.evening.playing import Playing
from cardtable.simulation.source import NAMES, Setting, marks_for
from cardtable.table.messages import HERE, MESSAGE, HostMessage, Identity
from cardtable.web.access import Access
from cardtable.web.server import REFUSAL, STATE
from engine.actions import Action
from engine.games import HOUSE, load_game, table_words, word_marks
from engine.observations import ActionCard, Back, Lost, Observation, Scene, Sighting, Zone
from hardware.buttons import Control
from lab.torture.cut_games import standing
from lab.torture.error_log import ErrorLog
from lab.torture.load_table import observed
from lab.torture.messages_devices import ACCESS, Device, may
from lab.torture.messages_random import KINDS, WORDS, message
from tests.cardtable.evening.evenings import TestEvening
from tests.cardtable.limits import full_disk

GAMES: Final = tuple((game, players) for game in HOUSE for players in load_game(game).seats)


@cache
def script(game: str, players: int, seed: int) -> tuple[Observation, ...]:
    """Return what a table sees and hears in a whole game."""
    return tuple(observed(Setting(game, players, seed, marks_for(game))))


class Attacked:
    """One evening with the journal in `folder`; `step` does one random thing and checks everything."""

    def __init__(self, folder: Path, game: tuple[str, int], seed: int, tally: Counter[str]) -> None:
        self.rng: Final = random.Random(f"messages/{game}/{seed}")
        self.access: Final = ACCESS[seed % len(ACCESS)]
        self.tally = tally
        self.did: list[str] = []
        self._path = folder / "journal.sqlite"
        self._seed = seed
        self._wanted = game
        self._phones: dict[str, Identity] = {}
        self._script: Iterator[Observation] = iter(())
        self._activity: object = None
        self._scene = Scene(0.0, "camera", ())
        self._extra: list[Sighting] = []
        self._stored: dict[int, list[str]] = defaultdict(list)
        self.log = ErrorLog()
        logging.getLogger().addHandler(self.log)
        try:
            self._open()
            self._watch = sqlite3.connect(self._path, isolation_level=None)
        except BaseException:
            logging.getLogger().removeHandler(self.log)
            raise

    def close(self) -> None:
        """End the evening."""
        self._watch.close()
        self.evening.__exit__()
        logging.getLogger().removeHandler(self.log)

    def _open(self) -> None:
        access = Access(self.access, self._path.with_name("phones.json"))
        self.evening = TestEvening(self._path, access=access)
        self._activity = None
        if not self._phones:
            access.set_pin("12345")
            self._phones["director"] = Identity(False, access.enter_pin("12345", Identity(False), None, "").phone)
            for seat, name in enumerate(NAMES[:3]):
                code = access.make_code(name, seat)
                self._phones[name] = Identity(False, access.pair(code.code, Identity(False), None, "").phone)

    # Doing

    def step(self) -> None:
        """Do one thing, and check what must hold then."""
        ways = (
            self._play,
            self._send,
            self._lay_card,
            self._press,
            self._begin,
            self._restart,
            self._see_odd,
            self._fill_disk,
        )
        (way,) = self.rng.choices(ways, (40, 40, 6, 6, 4, 0.5, 3, 0.5))
        way()
        self.tally[way.__name__.strip("_")] += 1
        self._check()

    def _play(self) -> None:
        """Let the table see or hear what comes next in the game."""
        activity = self.evening.host.activity
        if not isinstance(activity, Playing):
            return
        if activity is not self._activity:
            header = activity.table.header
            self._activity, self._script = activity, iter(script(header.game, len(header.players), self._seed % 4))
            self._extra = []
        for seen in [each for each, _ in zip(self._script, range(self.rng.choice([1, 1, 3, 8])), strict=False)]:
            if isinstance(seen, Scene):
                self._scene = seen
                seen = self._with_extra()
            activity.enter(seen) if not isinstance(seen, Scene) else self.evening.show(seen)
        self.evening.turn()

    def _with_extra(self) -> Scene:
        return replace(self._scene, sightings=(*self._scene.sightings, *self._extra))

    def _lay_card(self) -> None:
        """Lay an action card, or take some up."""
        if self._extra and self.rng.random() < 0.5:
            self._extra = self._extra[1:]
        else:
            words = [*word_marks(), *WORDS, *table_words() * 4, "nonsense"]
            zone = self.rng.choice(["play", "table", "bid", "show", "actions", "turn-up", "crib", "centre"])
            seat = self.rng.choice([None, 0, 1, 3, 6])
            face = ActionCard(self.rng.choice(words))
            name = f"extra-{self.rng.getrandbits(32):x}"
            self._extra.append(Sighting(name, face, Zone(zone, seat), self._scene.time))
            self._note(f"lay {face}")
        self._scene = replace(self._scene, time=self._scene.time + 1.0)
        self.evening.show(self._with_extra())

    def _see_odd(self) -> None:
        """Lose a source, or see a card that cannot be read, or nothing."""
        self._note("see something odd")
        activity, now = self.evening.host.activity, self._scene.time
        if isinstance(activity, Playing):
            blank = Scene(now, "camera", self.rng.choice([(), self._scene.sightings[:1], self._scene.sightings[::2]]))
            unread = Sighting("unread", None, self.rng.choice([Zone("play", 0), Zone("table"), None]), now)
            odd: list[Observation] = [Lost(now, "camera", "no picture"), Back(now, "camera"), blank]
            odd.append(replace(blank, sightings=(*blank.sightings, unread)))
            activity.enter(self.rng.choice(odd))
        self.evening.turn()

    def _fill_disk(self) -> None:
        """Make the disk full for some steps."""
        self._note("the disk is full")
        log = self._path.with_name("journal.sqlite-wal")
        with full_disk(log.stat().st_size if log.exists() else 0):
            for _ in range(self.rng.randint(1, 5)):
                self.rng.choice([self._play, self._send, self._lay_card, self._press])()
        activity = self.evening.host.activity
        if isinstance(activity, Playing):
            activity.game.check_store()
        self.evening.turn()
        self.log.errors = [error for error in self.log.errors if "nothing can be stored" not in error]

    def _press(self) -> None:
        """Press a button, or turn an encoder."""
        kind = self.rng.choice(["short", "short", "long", "double", "turn"])
        encoder = self.rng.random() < 0.5 or kind == "turn"
        control = Control(self.rng.choice([0, 0, 1, 6]), kind, self.rng.choice([-1, 1]) * (kind == "turn"), encoder)
        self._note(f"press {control}")
        self.evening.press(control)
        self.evening.turn()

    def _begin(self) -> None:
        """Begin a whole game as its recorded people expect, if the table is in the lobby or at a result."""
        game, players = self.rng.choice([self._wanted, self.rng.choice(GAMES)])
        header = Setting(game, players, self._seed % 4, marks_for(game)).header
        screen = self.evening.host.evening.screen
        wake = {"asleep": "wake", "result": "other-game"}.get(screen)
        if screen == "game":
            return
        if wake:
            self._board(do=wake)
        for name in self.evening.host.evening.lobby.players:
            self._board(do="remove-player", name=name)
        self._board(do="choose-game", game=game)
        for name in header.players:
            self._board(do="add-player", name=name)
        self._board(do="set-dealer", seat=header.dealer)
        self._board(do="begin")

    def _restart(self) -> None:
        """End the program, and start it again with the same journal."""
        self._note("restart")
        before = self._summary()
        self.evening.__exit__()
        self._open()
        self.evening.turn()
        assert self._summary() == before, f"after a restart {self._summary()}, before {before}"

    def _summary(self) -> object:
        host = self.evening.host
        actions = host.activity.table.actions if isinstance(host.activity, Playing) else None
        lobby = host.evening.lobby
        chosen = lobby.game, lobby.players, lobby.dealer, lobby.game and lobby.values(lobby.game)
        return host.evening.screen, chosen, host.evening.game, actions

    def _board(self, **keys: object) -> None:
        """Do this as the board, whatever a page at it may do."""
        answer = self.evening.host.request(cast(HostMessage, MESSAGE.validate_python(keys)))
        self.evening.turn(answer.done)

    def _send(self) -> None:
        """Send a random message from a random device, and check that it is obeyed only if the device may send it."""
        self.evening.turn()  # what an action card asked for
        role, seat, identity = device = self.rng.choice(self._devices())
        shown = json.loads(self.evening.board._pages._render(identity))
        seen = [{"source": "camera", "id": each.card_id, "card": str(each.face)} for each in self._scene.sightings]
        shown["seen"] = shown.get("seen") or seen
        wanted = message(self.rng, shown)
        written = json.dumps(wanted)
        self._note(f"{role} {seat}: {written}")
        version, phones = self._version(), self.evening.board.access.phones()
        last = self._last()
        answer = self._exchange(written, identity)
        self.tally["refused" if answer else "accepted"] += 1
        if not answer:
            self.tally[f"accepted {wanted['do']}"] += 1
        if answer:
            REFUSAL.validate_json(answer)
            assert "fault" not in json.loads(answer)["refused"], answer
        if str(wanted["do"]) in KINDS and not may(self.access, device, wanted, last):
            assert answer, f"a {role} at {seat} may not send {written}"
            self.tally["forbidden"] += 1
        if answer and self.evening.host.evening.screen != "game":
            assert self._version() == version or str(wanted["do"]) in _MAY_FALL_BACK, (
                f"{answer}, but something was stored"
            )
        if answer:
            assert self.evening.board.access.phones() == phones

    def _devices(self) -> list[Device]:
        sender, players = self.evening.board.access.sender, self.evening.board.players()
        roles = [(identity, sender(identity, players)) for identity in self._phones.values()]
        return [*((who.role, who.seat, identity) for identity, who in roles), ("spectator", None, Identity(False)),
                *[("board", None, HERE)] * 3]  # fmt: skip

    def _exchange(self, written: str, identity: Identity) -> str | None:
        board, evening = self.evening.board, self.evening
        loop = board._pages._loop
        assert loop
        answer = asyncio.run_coroutine_threadsafe(board._hear(written, identity), loop)
        evening.turn(answer.done)
        evening.turn()
        return answer.result()

    def _note(self, what: str) -> None:
        self.did.append(what)

    # Checking

    def _version(self) -> int:
        return int(self._watch.execute("PRAGMA data_version").fetchone()[0])

    def _last(self) -> int | None:
        """Return the seat of the last action that stands."""
        activity = self.evening.host.activity
        actions = activity.table.actions if isinstance(activity, Playing) else ()
        return actions[-1].seat if actions and isinstance(actions[-1].seat, int) else None

    def _check(self) -> None:
        assert self.log.errors == [], self.log.errors
        stored: dict[int, list[str]] = defaultdict(list)
        for game, action in self._watch.execute("SELECT game, action FROM action ORDER BY game, n"):
            stored[game].append(action)
        for game, before in self._stored.items():
            assert stored[game][: len(before)] == before, f"game {game} has lost actions"
        self._stored = stored
        host = self.evening.host
        activity = host.activity
        assert activity is not None
        if isinstance(activity, Playing):
            number = host.services.journal.number
            kept = standing(map(_parsed, stored[number or 0]))
            assert kept == list(activity.table.actions), f"shown {activity.table.actions}, stored {kept}"
            assert activity.game.snapshot.trouble is None
        for identity in {identity for _, _, identity in self._devices()}:
            STATE.validate_json(self.evening.board._pages._render(identity))


def _parsed(written: str) -> Action:
    return Action.from_json(json.loads(written))


_MAY_FALL_BACK: Final = ("begin", "go-on", "again", "join", "leave", "rename-player", "forget-player")
"""Messages that can be refused after something was stored: the table is then in the lobby."""
