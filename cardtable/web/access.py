"""Access to the board: paired phones, the director, and the identity of each connection."""

from __future__ import annotations

import hashlib
import math
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, get_args

from cardtable.config.model import AccessConfig, Who
from cardtable.table.messages import BOARD, SPECTATOR, Identity, Role, Sender, at_seat
from cardtable.web.access_file import PIN, Phone, PinHash, Store, Stored
from engine.texts import Text, either, plural, text

# The codes that pair a phone with a player: short, valid for minutes, and for one phone only unless they are for all.

LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""The letters of a code, without those that are easily confused: I, L, O, 0, 1."""
LENGTH: Final = 6
"""Letters in a code: 31 ** 6 is nearly 900 million codes."""
VALID_S: Final = 180.0
"""How long a code is valid, in seconds."""
_MOST_OF_PLAYER: Final = 2
"""Valid codes of one player at a time: while one is typed, the board may already show the next."""


@dataclass(frozen=True, slots=True)
class Code:
    """A code for the phone of `player`, who sits at `seat`; for all phones if `player` is None, which choose a player.

    `until`: when it expires, in seconds of the clock.
    """

    code: str
    player: str | None
    seat: int
    until: float


@dataclass(frozen=True, slots=True)
class Ask:
    """A phone asks for the place of `player`, who has a phone already. `secret`: the code with which it asks again.

    `device`: its address. `about`: its system. `allowed`: the board's answer; None before it.
    """

    id: int
    secret: str
    player: str
    seat: int
    device: str | None
    about: str
    until: float
    allowed: bool | None = None


class Codes:
    """The valid codes, which are kept in memory only. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float], choose: Callable[[str], str] = secrets.choice) -> None:
        self._clock = clock
        self._choose = choose
        self._valid: dict[str, Code] = {}

    def make(self, player: str | None, seat: int) -> Code:
        """Return a new code for the phone of `player`, or for all phones."""
        self._expire()
        mine = [code for code in self._valid.values() if code.player == player]
        for old in mine[: len(mine) - _MOST_OF_PLAYER + 1]:
            del self._valid[old.code]
        while (letters := "".join(self._choose(LETTERS) for _ in range(LENGTH))) in self._valid:
            pass
        code = Code(letters, player, seat, self._clock() + VALID_S)
        self._valid[letters] = code
        return code

    def use(self, written: str) -> Code | None:
        """Return the code that a person has typed, and use it up unless it is for all; None if it is not valid."""
        self._expire()
        letters = "".join(letter for letter in written.upper() if letter in LETTERS)
        code = self._valid.get(letters)
        if code is not None and code.player is not None:
            del self._valid[letters]
        return code

    def withdraw(self, player: str | None) -> None:
        """Make the codes of `player`, or those for all phones, invalid."""
        self._valid = {letters: code for letters, code in self._valid.items() if code.player != player}

    def rename(self, player: str, to: str) -> None:
        """Keep the codes of a player valid under a new name."""
        for letters, code in self._valid.items():
            if code.player == player:
                self._valid[letters] = replace(code, player=to)

    def _expire(self) -> None:
        now = self._clock()
        self._valid = {letters: code for letters, code in self._valid.items() if code.until > now}


# Permissions: who may say, accuse, undo, correct and host, according to the section `[access]` of `table.toml`.

Deed = Literal["say", "accuse", "undo", "correct", "host"]
"""What a message asks for."""
DEEDS: Final[tuple[Deed, ...]] = get_args(Deed)
_WHO_FOR: Final[dict[Role, Who]] = {"board": "board", "director": "director"}


class Permissions:
    """The permissions of `config`."""

    def __init__(self, config: AccessConfig) -> None:
        self._config = config

    def may(self, sender: Sender, deed: Deed, seat: int | None = None) -> bool:
        """Return whether `sender` may do this.

        `seat`: the seat of the word, the accusation or the action to undo; None if the deed concerns no seat.
        """
        allowed: tuple[Who, ...] = getattr(self._config, deed)
        if "spectator" in allowed or _WHO_FOR.get(sender.role) in allowed:
            return True
        if sender.seat is None:
            return False
        any_seat = deed in ("correct", "host")
        return "seats" in allowed or ("seat" in allowed and (any_seat or sender.seat == seat))

    def refusal(self, sender: Sender, deed: Deed, seat: int | None = None, name: str = "") -> Text | None:
        """Return None if `sender` may do this, or a sentence that says who may. `name`: the player at `seat`."""
        if self.may(sender, deed, seat):
            return None
        where = self._where(deed, seat, name)
        match deed:
            case "say":
                return text("{name}’s words cannot be said here. They can be said on {where}.", name=name, where=where)
            case "accuse":
                return text("{name} cannot accuse here. That is possible on {where}.", name=name, where=where)
            case "undo":
                return text("This action cannot be taken back here. That is possible on {where}.", where=where)
            case "correct":
                return text("The record cannot be corrected here. That is possible on {where}.", where=where)
            case "host":
                return text("This cannot be chosen here. That is possible on {where}.", where=where)

    def _where(self, deed: Deed, seat: int | None, name: str) -> str:
        allowed: tuple[Who, ...] = getattr(self._config, deed)
        places: list[str] = []
        if "board" in allowed:
            places.append(text("the board"))
        if "director" in allowed:
            places.append(text("the director’s device"))
        if "seats" in allowed or ("seat" in allowed and deed in ("correct", "host")):
            places.append(text("a player’s phone"))
        elif "seat" in allowed and seat is not None and name:
            places.append(text("{name}’s phone", name=name))
        return either(places) if places else text("no device: the section [access] of table.toml forbids it")


# Limits on guessing. A stranger can have many addresses, but cannot keep out a paired device, or the board's display.

CODES_OF_DEVICE: Final = 5
"""Wrong codes that one device may enter in a minute."""
CODES: Final = 1000
"""Wrong codes that all devices together may enter in a minute: more than those with the addresses of one stranger in a
home network, and hardly any of 900 million codes."""
PINS_OF_DEVICE: Final = 5
"""Wrong PINs that one device may enter in a day."""
PINS: Final = 10
"""Wrong PINs that all devices that are not paired may enter in a day: 10,000 PINs of four digits take 2.7 years."""
SETUP_CODES_OF_DEVICE: Final = 20
"""Wrong codes of the first start, of six digits, that one device may enter in a day."""
SETUP_CODES: Final = 1000
"""Wrong codes of the first start that all devices together may enter in a day."""
_MINUTE_S: Final = 60.0
_DAY_S: Final = 24 * 3600.0


class Guesses:
    """Wrong guesses, `most` of which may be made at once, and within `period` on average. Times are in seconds.

    Each of them is forgiven `period / most` after the one before it.
    """

    def __init__(self, clock: Callable[[], float], most: int, period: float) -> None:
        self._clock = clock
        self._each = period / most
        self.period: Final = period
        self._forgiven_at: dict[object, float] = {}

    def left(self, device: object = None) -> float:
        """Return the time until the guesses of `device` are forgiven."""
        return max(self._forgiven_at.get(device, 0.0) - self._clock(), 0.0)

    def wait(self, device: object = None) -> float:
        """Return the time until `device` may guess again, to the millisecond; 0 if it may now."""
        return max(round(self.left(device) + self._each - self.period, 3), 0.0)

    def add(self, device: object = None, times: int = 1) -> None:
        """Count a wrong guess, or take one back (-1)."""
        self.set_left(self.left(device) + times * self._each, device)

    def set_left(self, left: float, device: object = None) -> None:
        """Set the time until the guesses of `device` are forgiven."""
        now = self._clock()
        self._forgiven_at = {other: at for other, at in self._forgiven_at.items() if at > now}
        self._forgiven_at[device] = now + left


ASK_S: Final = 120.0
"""How long a phone waits for the board's answer, in seconds."""
MOST_ASKS: Final = 4
"""Phones that may wait for an answer at once."""
MOST_PHONES: Final = 24
"""Devices that can be paired; a further one replaces the oldest."""
_SETUP_DIGITS: Final = 6


class Denied(Exception):
    """A code or PIN was not accepted. The text says what to do. `wait`: whether waiting is the only remedy."""

    def __init__(self, message: str, wait: bool = False) -> None:
        super().__init__(message)
        self.wait = wait


class Asking(Exception):
    """The board is asked whether the phone may have this place; the phone asks again with the code `secret`."""

    def __init__(self, secret: str) -> None:
        super().__init__(secret)
        self.secret = secret


class Choosing(Exception):
    """The code is for all phones, and no player was chosen yet."""


@dataclass(frozen=True, slots=True)
class Paired:
    """A newly paired device. `token`: the value of its cookie, which is stored nowhere else."""

    phone: int
    token: str


class Access:
    """Who may do what, and the devices that were paired.

    `config`: the permissions. `path`: the file of phones and PIN; None keeps them in memory. `clock` returns seconds
    and is never set back; `now` returns seconds since 1970. Methods may be called in any thread. Those that change
    something raise `CardtableError` if it cannot be stored, and otherwise call `changed`.
    """

    def __init__(
        self,
        config: AccessConfig | None = None,
        path: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        choose: Callable[[str], str] = secrets.choice,
    ) -> None:
        self.permissions: Final = Permissions(config or AccessConfig())
        self.changed: Callable[[], None] = lambda: None
        self._store = Store(path)
        self._clock = clock
        self._now = now
        self._choose = choose
        self._codes = Codes(clock, choose)
        self._codes_of_device = Guesses(clock, CODES_OF_DEVICE, _MINUTE_S)
        self._codes_of_all = Guesses(clock, CODES, _MINUTE_S)
        self._pins_of_device = Guesses(clock, PINS_OF_DEVICE, _DAY_S)
        self._pins_of_strangers = Guesses(clock, PINS, _DAY_S)
        self._setup_codes_of_device = Guesses(clock, SETUP_CODES_OF_DEVICE, _DAY_S)
        self._setup_codes_of_all = Guesses(clock, SETUP_CODES, _DAY_S)
        self._lock = threading.RLock()
        self._pin_lock = threading.Lock()
        """A lock of its own, because checking a PIN takes 0.1 s and must not delay states."""
        self._counted: tuple[PinHash | None, float | None] = None, None
        """The stored PIN, and the time at which the strangers' wrong PINs are forgiven, for which they are counted."""
        self._setup: str | None = None
        """The code with which one device may set up the table."""
        self._asks: tuple[Ask, ...] = ()
        """Replaced as a whole, so that it can be read without the lock: who reads it may hold the board's."""
        self._asked = 0

    # Identities

    def identify(self, here: bool, token: str | None) -> Identity:
        """Return the identity of a connection. `here`: whether it comes from this machine. `token`: its cookie."""
        if token is not None:
            hashed = _hash(token)
            for phone in self.phones():
                if phone.token == hashed:
                    return Identity(False, phone.id)
        return Identity(here)

    def sender(self, identity: Identity, players: tuple[str, ...]) -> Sender:
        """Return the sender with this identity. `players`: the names at the table, in seat order."""
        phone = self._phone(identity)
        if phone is None or (phone.player is None and not phone.director):
            return BOARD if identity.here else SPECTATOR
        seat = phone.seat_among(players)
        if phone.director or phone.player is None:
            return Sender("director", seat, "director" if phone.player is None else f"director: {phone.player}")
        return Sender("seat", None, f"phone: {phone.player}") if seat is None else at_seat(seat, phone.player)

    def player_of(self, identity: Identity) -> str | None:
        """Return the player to whom the phone belongs; None without one."""
        phone = self._phone(identity)
        return phone.player if phone else None

    def phones(self) -> tuple[Phone, ...]:
        """Return the paired devices, oldest first."""
        return self._store.read().phones

    def _phone(self, identity: Identity) -> Phone | None:
        return next((phone for phone in self.phones() if phone.id == identity.phone), None)

    # Pairing

    def seconds(self) -> float:
        """Return the time on the clock of the codes, in seconds."""
        return self._clock()

    def make_code(self, player: str | None, seat: int) -> Code:
        """Return a code that pairs one phone with `player`, who sits at `seat`; or any phones (None)."""
        with self._lock:
            return self._codes.make(player, seat)

    def withdraw_codes(self, player: str | None) -> None:
        """Make the codes of `player`, or those for all phones, invalid."""
        with self._lock:
            self._codes.withdraw(player)

    def pair(
        self, written: str, identity: Identity, device: str | None, about: str, chosen: tuple[str, int] | None = None
    ) -> Paired:
        """Pair a phone with the code that was typed. `device`: its address. `about`: its system, for the list.

        `chosen`: the player that the phone has chosen, and the seat, if the code is for all phones. If that player has
        a phone already, the board is asked first. Raises `Choosing`, `Asking`, or `Denied` if the code is wrong or used
        up.
        """
        with self._lock:  # a seat that is free now is still free when it is given
            player, seat = self._place(written, identity, device, about, chosen)
            return self._add(identity, player, seat, False, about)

    def _place(
        self, written: str, identity: Identity, device: str | None, about: str, chosen: tuple[str, int] | None
    ) -> tuple[str, int]:
        """Return the player and the seat to which the code leads. Raises as `pair`."""
        if (answered := self._answered(written)) is not None:
            return answered.player, answered.seat
        if self._codes_of_device.wait(device) or self._codes_of_all.wait():
            raise Denied(text("Too many wrong codes: wait a minute, then try again."), wait=True)
        code = self._codes.use(written)
        if code is None:
            self._codes_of_device.add(device)
            self._codes_of_all.add()
            raise Denied(text("This code is wrong or no longer valid: type the one that the board shows now."))
        if code.player is not None:
            return code.player, code.seat
        if chosen is None:
            raise Choosing
        if self.is_held(chosen[0], identity):
            raise Asking(self._ask(*chosen, device, about))
        return chosen

    def is_held(self, player: str, identity: Identity) -> bool:
        """Return whether another phone than that of `identity` is paired with `player`."""
        return any(phone.player == player and phone.id != identity.phone for phone in self.phones())

    @property
    def asks(self) -> tuple[Ask, ...]:
        """The phones that wait for an answer, oldest first."""
        return tuple(ask for ask in self._asks if ask.allowed is None and ask.until > self._clock())

    def answer(self, number: int, allowed: bool) -> None:
        """Answer the phone that asks with this number."""
        self._change_asks(lambda ask: replace(ask, allowed=allowed) if ask.id == number else ask)

    def end_old_asks(self) -> None:
        """End the asks whose time is over."""
        self._change_asks(lambda ask: ask if ask.until > self._clock() else None)

    def _change_asks(self, changed: Callable[[Ask], Ask | None]) -> None:
        if not self._asks:  # does not wait for the lock in every turn of the loop
            return
        with self._lock:
            before = self._asks
            after = self._asks = tuple(filter(None, map(changed, before)))
        if after != before:
            self.changed()

    def _ask(self, player: str, seat: int, device: str | None, about: str) -> str:
        """Ask the board for a phone; return the code with which it asks again. Raises `Denied`.

        A device asks for one place at a time, the last that it has chosen.
        """
        now = self._clock()
        mine = next((ask for ask in self.asks if ask.device == device), None)
        if mine is not None and mine.player == player:
            return mine.secret
        others = tuple(ask for ask in self._asks if ask.until > now and ask.device != device)
        if sum(ask.allowed is None for ask in others) >= MOST_ASKS:
            raise Denied(text("Other phones wait for an answer on the board: try again in a minute."), wait=True)
        self._asked += 1
        ask = Ask(self._asked, secrets.token_urlsafe(16), player, seat, device, about, now + ASK_S)
        self._asks = (*others, ask)
        self.changed()
        return ask.secret

    def _answered(self, written: str) -> Ask | None:
        """Return the phone that may be paired now, once; None if it has not asked. Raises `Asking`, or `Denied`."""
        secret = written.encode("utf-8", "surrogatepass")
        ask = next((each for each in self._asks if secrets.compare_digest(each.secret.encode(), secret)), None)
        if ask is None or ask.until <= self._clock():
            return None
        if ask.allowed is None:
            raise Asking(ask.secret)
        self._asks = tuple(each for each in self._asks if each is not ask)
        if not ask.allowed:
            raise Denied(text("The board has not allowed a second phone for {name}.", name=ask.player))
        return ask

    def renew(self, identity: Identity) -> Paired | None:
        """Give a paired device another token; None if it is not paired."""
        phone = self._phone(identity)
        return None if phone is None else self._add(identity, phone.player, phone.seat, phone.director, phone.device)

    def remove(self, phone: int) -> None:
        """End the pairing of a device."""
        self._change(lambda stored: _with_phones(stored, [each for each in stored.phones if each.id != phone]))

    def rename_player(self, name: str, to: str) -> None:
        """Keep a player's phones paired, and let those that are about to be, under a new name."""

        def renamed(stored: Stored) -> Stored:
            phones = [each.model_copy(update={"player": to}) if each.player == name else each for each in stored.phones]
            return _with_phones(stored, phones)

        with self._lock:
            self._codes.rename(name, to)
        self._change_asks(lambda ask: replace(ask, player=to) if ask.player == name else ask)
        if any(phone.player == name for phone in self.phones()):
            self._change(renamed)

    def let_go(self, player: str, until: float = 0.0) -> None:
        """End the codes and asks for a player who goes, and the pairing of phones that were paired before `until`.

        `until`: in seconds since 1970. A director's device stays one.
        """

        def kept(stored: Stored) -> Stored:
            phones = [
                each.model_copy(update={"player": None}) if each.player == player and each.since < until else each
                for each in stored.phones
            ]
            return _with_phones(stored, [each for each in phones if each.player is not None or each.director])

        self.withdraw_codes(player)
        self._change_asks(lambda ask: ask if ask.player != player else None)
        if kept(stored := self._store.read()) != stored:
            self._change(kept)

    # The director

    @property
    def has_pin(self) -> bool:
        """Whether there is a PIN."""
        return self._store.read().pin is not None

    def open_setup(self, code: str | None = None) -> None:
        """Accept a code, by default a new one, that makes one device the director's.

        There is none if there is already such a device, or a PIN.
        """
        stored = self._store.read()
        if stored.pin is None and not any(phone.director for phone in stored.phones):
            self._setup = code or "".join(self._choose("0123456789") for _ in range(_SETUP_DIGITS))

    def close_setup(self) -> None:
        """Withdraw that code, because the first start is over."""
        self._setup = None

    @property
    def setup_code(self) -> str | None:
        """The code with which one device may set up the table; None if there is none."""
        return self._setup

    def set_pin(self, pin: str | None, keep_directors: bool = False) -> None:
        """Set the PIN, or remove it (None). Raises `Denied` if it is not 4 to 12 digits.

        Directors lose their rights, unless `keep_directors` is true, as at the first start, before the first PIN.
        """
        if pin is not None and not PIN.fullmatch(pin):
            raise Denied(text("A PIN has 4 to 12 digits: choose another one."))
        hashed = None if pin is None else PinHash.of(pin)

        def changed(stored: Stored) -> Stored:
            phones = [each.model_copy(update={"director": False}) for each in stored.phones if each.player is not None]
            if keep_directors:
                phones = list(stored.phones)
            return _with_phones(stored, phones).model_copy(update={"pin": hashed, "until": 0.0})

        self._change(changed)
        self._setup = None

    def enter_pin(self, pin: str, identity: Identity, device: str | None, about: str) -> Paired:
        """Make a device the director's. Raises `Denied` for a wrong PIN, or after too many.

        `device`: its address. `identity`: that of a phone; `here` if it is the board's own display.
        A guess is stored as wrong before it is checked, so that ending the program does not help an attacker.
        """
        with self._pin_lock:
            stored = self._store.read()
            if stored.pin is None and self._setup is None:
                raise Denied(text("There is no PIN yet: set one on the board, or with cardtable director."))
            phone = self._phone(identity)
            known = phone is not None or identity.here
            guesser = phone.id if phone else (identity.here, device)
            if stored.pin is None:
                return self._enter_setup(pin, identity, guesser, about)
            self._read_count(stored)
            if wait := self._pins_of_device.wait(guesser):
                raise _must_wait(wait)
            if not known and self._pins_of_strangers.wait():
                message = (
                    "Other devices have entered too many wrong PINs: pair this one with a player first, "
                    "or set a new PIN at the table."
                )
                raise Denied(text(message), wait=True)
            self._count(guesser, known)
            if not stored.pin.fits(pin):
                raise Denied(text("This PIN is wrong."))
            self._count(guesser, known, -1)
            player, seat = (phone.player, phone.seat) if phone else (None, 0)
            return self._add(identity, player, seat, True, about)

    def _enter_setup(self, written: str, identity: Identity, guesser: object, about: str) -> Paired:
        """Make a device the director's with the code of the first start, and use up the code. Raises `Denied`."""
        assert self._setup is not None
        if wait := max(self._setup_codes_of_device.wait(guesser), self._setup_codes_of_all.wait()):
            raise _must_wait(wait)
        if not secrets.compare_digest(written.encode(), self._setup.encode()):
            self._setup_codes_of_device.add(guesser)
            self._setup_codes_of_all.add()
            raise Denied(text("This code is wrong."))
        self._setup = None
        return self._add(identity, None, 0, True, about)

    def _count(self, guesser: object, known: bool, times: int = 1) -> None:
        """Count a wrong PIN, or take one back (-1). That of a device that is not `known` is stored."""
        self._pins_of_device.add(guesser, times)
        if not known:
            self._pins_of_strangers.add(times=times)
            until = self._now() + self._pins_of_strangers.left()
            stored = self._store.change(lambda old: old.model_copy(update={"until": until}))
            self._counted = stored.pin, until

    def _read_count(self, stored: Stored) -> None:
        """Forget the wrong tries of another PIN, and count those that are stored, after a restart.

        The date may be wrong, so they are forgiven within a whole period.
        """
        pin, until = self._counted
        if stored.pin != pin:
            self._pins_of_device = Guesses(self._clock, PINS_OF_DEVICE, _DAY_S)
        if stored.until != until:
            left = min(max(stored.until - self._now(), 0.0), self._pins_of_strangers.period)
            self._pins_of_strangers.set_left(left)
        self._counted = stored.pin, stored.until

    # Storing

    def _add(self, identity: Identity, player: str | None, seat: int, director: bool, about: str) -> Paired:
        token = secrets.token_urlsafe(32)

        def added(stored: Stored) -> Stored:
            others = [each for each in stored.phones if each.id != identity.phone][-(MOST_PHONES - 1) :]
            old = next((each for each in stored.phones if each.id == identity.phone), None)
            phone = Phone(
                id=old.id if old else stored.next,
                token=_hash(token),
                player=player,
                seat=seat,
                director=director or (old is not None and old.director),
                device=about,
                since=self._now(),
            )
            return _with_phones(stored, [*others, phone]).model_copy(
                update={"next": stored.next if old else stored.next + 1}
            )

        return Paired(self._change(added).phones[-1].id, token)

    def _change(self, changed: Callable[[Stored], Stored]) -> Stored:
        stored = self._store.change(changed)
        self.changed()
        return stored


def _must_wait(seconds: float) -> Denied:
    single = "Too many wrong tries: wait {count} minute, or set a new PIN at the table."
    many = "Too many wrong tries: wait {count} minutes, or set a new PIN at the table."
    return Denied(plural(single, many, math.ceil(seconds / 60.0)), wait=True)


def _with_phones(stored: Stored, phones: list[Phone]) -> Stored:
    return stored.model_copy(update={"phones": tuple(phones)})


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="surrogateescape")).hexdigest()
