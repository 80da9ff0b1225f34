"""The parts of the first start: a `Step` asks a `Question` about a `Site`, and writes the answer there.

A page and the terminal draw a question, each in its own way. The site is the running table.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from cardtable.config.load import ConfigError, read_or_default_config
from cardtable.config.model import TableConfig
from cardtable.config.toml_file import read_toml
from cardtable.config.writing import Changes, KeyPath, change_config
from cardtable.doctor.finding import Finding, Machine, good, trouble, warning
from cardtable.errors import CardtableError
from cardtable.evening.host import Host
from cardtable.evening.waiting import LiveCheck, Waiting
from cardtable.setup.network import System
from cardtable.web.access import Denied
from cardtable.web.connections import own_addresses, phone_url
from cardtable.web.screens import LobbyCard, SourceCheck
from engine.texts import Translate, in_language
from vision.camera_pipeline import CameraPipeline

_CHECK_PERIOD_S: Final = 0.3
"""How long the checks of the cameras and readers stay valid, because checking a picture takes milliseconds."""

Picture = Literal["camera", "mat"]
"""A live picture: what the camera sees, without or with marks, zones and cards drawn on it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A possible answer, `value`, with its label and a remark. `chosen`: it is the present setting."""

    value: str
    label: str
    about: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A field to type into. The answer is `prefix` followed by the typed text.

    `kind` is `text`, such as a name; `address`, with punctuation and small letters; `secret`, the same, but hidden in a
    terminal; or `digits`, also hidden.
    """

    label: str
    kind: Literal["text", "address", "secret", "digits"] = "text"
    prefix: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet to print. `name` is that of its PDF file."""

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question. `forward` labels the button that continues without an answer; None if an answer is required.

    `code` is a text for a phone, shown as a QR code with the label `code_label`.
    """

    title: str
    text: str
    findings: Sequence[Finding] = ()
    choices: Sequence[Choice] = ()
    entry: Entry | None = None
    picture: Picture | None = None
    sheets: Sequence[Sheet] = ()
    code: str = ""
    code_label: str = ""
    forward: str | None = None

    def allows(self, answer: str) -> bool:
        """Return whether this is one of the choices, or a text for the field."""
        typed = self.entry is not None and answer.startswith(self.entry.prefix)
        return typed or any(answer == choice.value for choice in self.choices)

    def to_json(self, translate: Translate) -> dict[str, Any]:
        """Return the question for the page, in the language of `translate`."""
        return {field.name: _for_page(getattr(self, field.name), translate) for field in fields(self)}


def _for_page(value: Any, translate: Translate) -> Any:
    """Return a part of a question as JSON, with its texts translated."""
    if isinstance(value, str):
        return in_language(value, translate)
    if isinstance(value, Finding):
        return value.in_language(translate).for_page()
    if isinstance(value, Sequence):
        return [_for_page(each, translate) for each in value]
    if is_dataclass(value):
        return {field.name: _for_page(getattr(value, field.name), translate) for field in fields(value)}
    return value


def fine(message: str) -> Finding:
    """Return a finding about something that works."""
    return good("", message)


def doubtful(message: str, advice: str = "") -> Finding:
    """Return a finding about something that could be better."""
    return warning("", message, advice)


def wrong(message: str, advice: str = "") -> Finding:
    """Return a finding about something that does not work."""
    return trouble("", message, advice)


class Unfit(CardtableError):
    """An answer that cannot be accepted. The message says what to do."""


class Site:
    """The running table of `host`, configured by the file `path`. Not used in the thread of the host."""

    def __init__(self, host: Host, path: Path) -> None:
        self.path: Final = path
        self.machine = Machine()
        self.system: Final = System()
        self.reopening = False
        """Whether the table has to be opened again because the configuration has changed."""
        self._host = host
        self._config = read_or_default_config(path)
        self._sources: tuple[float, Sequence[SourceCheck]] | None = None

    @property
    def config(self) -> TableConfig:
        """The present configuration."""
        return self._config

    def change(self, changes: Changes, reopen: bool = False) -> None:
        """Write values into the configuration. `reopen`: they concern cameras, readers or texts.

        Raises `CardtableError`; the file is then unchanged.
        """
        self._config = change_config(self.path, changes)
        self.reopening = self.reopening or reopen
        self._sources = None

    @property
    def _idle(self) -> LiveCheck | None:
        """The cameras and readers of the lobby; None during a game."""
        activity = self._host.activity
        return activity.check if isinstance(activity, Waiting) else None

    def sources(self) -> Sequence[SourceCheck]:
        """Return the checks of the cameras and readers, in the language of the table."""
        now = time.monotonic()
        if self._sources is None or now - self._sources[0] > _CHECK_PERIOD_S:
            idle = self._idle
            self._sources = now, idle.sources() if idle else ()
        return self._sources[1]

    def cards(self) -> Sequence[LobbyCard]:
        """Return the cards that are in view."""
        idle = self._idle
        return idle.cards() if idle else ()

    def cameras(self) -> Sequence[CameraPipeline]:
        """Return the open cameras."""
        idle = self._idle
        return idle.cameras if idle else ()

    def set_pin(self, pin: str) -> None:
        """Set the director's PIN, and admit phones now and after the next start. Raises `CardtableError`."""
        board = self._host.services.board
        try:
            board.access.set_pin(pin, keep_directors=self.config.first_start)
        except Denied as error:
            raise Unfit(str(error)) from error
        self.change({("board", "network"): True})
        with contextlib.suppress(CardtableError):  # no network, as the question says
            board.network().let_network_in()

    def is_in_network(self) -> bool:
        """Return whether the machine has an address in a network."""
        return next(own_addresses(), None) is not None

    def phone_address(self) -> str | None:
        """Return the address that a phone opens; None without a network."""
        return phone_url(*self._host.services.board.network().address)


class Step:
    """A question of the first start, and the questions that follow from its answers.

    `begin` is called each time the step is shown, and `end` when another step is shown.
    """

    name: ClassVar[str]
    """The name of the step in addresses and in the stored progress."""

    def __init__(self) -> None:
        self.answers: list[str] = []
        """The answers given so far in this step; `back` removes the last."""

    def is_needed(self, site: Site, left: Collection[str]) -> bool:
        """Return whether there is anything to ask. Called often. `left`: the steps that were answered or skipped."""
        return True

    def begin(self, site: Site) -> None:
        """Prepare the step. This may take seconds."""

    def look(self, site: Site) -> None:
        """Notice what has happened meanwhile. Called often while the step is shown, so it must be quick."""

    def question(self, site: Site) -> Question:
        """Return the present question."""
        raise NotImplementedError

    def answer(self, site: Site, value: str) -> bool:
        """Accept an answer that the present question allows; return whether the step is done.

        Raises `CardtableError` if the answer is refused.
        """
        raise NotImplementedError

    def back(self) -> bool:
        """Return to the question before, or return False if the first one is shown."""
        if not self.answers:
            return False
        self.answers.pop()
        return True

    def end(self, site: Site) -> None:
        """Close what the step has opened."""


def camera_key(path: Path, key: str) -> KeyPath:
    """Return where the file `path` has a key of the first camera: at the top, in `[camera]`, or in `[[cameras]]`.

    Raises `ConfigError` if the file is damaged.
    """
    try:
        values = read_toml(path, ConfigError)[1]
    except FileNotFoundError:
        values = {}
    if values.get("cameras"):
        return "cameras", 0, key
    if key == "source" and "source" not in values.get("camera", {}):
        return (key,)
    return "camera", key
