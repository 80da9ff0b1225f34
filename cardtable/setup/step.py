"""A step of the first start, and what steps find and change: the site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

from cardtable.config.load import ConfigError
from cardtable.config.model import TableConfig
from cardtable.config.toml_file import read_toml
from cardtable.config.writing import Changes, KeyPath
from cardtable.doctor.finding import Finding, Machine, good, trouble, warning
from cardtable.errors import CardtableError
from cardtable.evening.lobby import Lobby
from cardtable.setup.network import System
from cardtable.table.messages import AddPlayer, Begin, ChooseGame, RemovePlayer, SetDealer
from cardtable.web.screens import LobbyCard, SourceCheck
from engine.texts import Translate, in_language, text
from vision.camera_pipeline import CameraPipeline

# What a step of the first start shows; the page and the terminal draw it, each in its own way.

Picture = Literal["camera", "mat"]
"""A live picture: what the camera sees, or the same with marks, zones and cards drawn on it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose. `value`: the answer. `about`: a remark. `chosen`: it is the present setting."""

    value: str
    label: str
    about: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to type. `prefix`: stands before what was typed in the answer; `example`: what it may look like.

    `kind`: `text`, such as a name; `address`, with signs and small letters; `secret`, the same, hidden in a terminal;
    `digits`, hidden too.
    """

    label: str
    kind: Literal["text", "address", "secret", "digits"] = "text"
    prefix: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Something to print. `name`: of the PDF file, by which the page and the terminal ask for it."""

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `forward`: the label of the button that goes on without an answer; None if an answer is needed.

    `code`: a text to be read by a phone as a QR code, and `code_label` what it is.
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
    inner: bool = field(default=False)
    """Whether the question belongs to an answer that was just given, so that *back* returns to the step's first one."""

    def to_json(self, translate: Translate) -> dict[str, Any]:
        """Return the question for the page, in the language of `translate`."""

        def said(words: str) -> str:
            return in_language(words, translate)

        return {
            "title": said(self.title),
            "text": said(self.text),
            "findings": [
                {"state": found.state, "text": said(found.text), "advice": said(found.advice)}
                for found in self.findings
            ],
            "choices": [
                {
                    "value": choice.value,
                    "label": said(choice.label),
                    "about": said(choice.about),
                    "chosen": choice.chosen,
                }
                for choice in self.choices
            ],
            "entry": None if self.entry is None else asdict(self.entry) | {"label": said(self.entry.label)},
            "picture": self.picture,
            "sheets": [{"name": sheet.name, "label": said(sheet.label)} for sheet in self.sheets],
            "code": self.code,
            "code_label": said(self.code_label),
            "forward": None if self.forward is None else said(self.forward),
        }


def fine(message: str) -> Finding:
    """Return a finding that something works."""
    return good("", message)


def doubtful(message: str, advice: str = "") -> Finding:
    """Return a finding of something that could be better."""
    return warning("", message, advice)


def wrong(message: str, advice: str = "") -> Finding:
    """Return a finding of something that does not work."""
    return trouble("", message, advice)


LobbyMessage = AddPlayer | RemovePlayer | ChooseGame | SetDealer | Begin
"""What the last steps ask the lobby for."""


class Unfit(CardtableError):
    """An answer that cannot be accepted; nothing has changed. The message says what to do."""


class Site(Protocol):
    """The machine, the configuration, and the table in front of the camera."""

    path: Path
    """The configuration."""
    system: System
    machine: Machine

    @property
    def config(self) -> TableConfig:
        """The configuration as it is now."""
        ...

    def change(self, changes: Changes, reopen: bool = False) -> None:
        """Write values into the configuration; `reopen`: cameras, readers and texts change with them.

        Raises `CardtableError`; nothing has changed then.
        """
        ...

    def sources(self) -> Sequence[SourceCheck]:
        """Return what the cameras and readers have to say, in the language of the table."""
        ...

    def cards(self) -> Sequence[LobbyCard]:
        """Return the cards that are seen now."""
        ...

    def cameras(self) -> Sequence[CameraPipeline]:
        """Return the cameras that are open."""
        ...

    def lobby(self) -> Lobby:
        """Return what is chosen in the lobby."""
        ...

    def remembered(self) -> Sequence[str]:
        """Return the names of players of earlier evenings."""
        ...

    def ask_lobby(self, message: LobbyMessage) -> None:
        """Do this in the lobby. Raises `CardtableError` with the lobby's refusal."""
        ...

    def set_pin(self, pin: str) -> None:
        """Set the director's PIN, and let phones in. Raises `CardtableError`."""
        ...

    def phone_address(self) -> str | None:
        """Return the address that a phone opens; None if no network reaches this machine."""
        ...


class Step:
    """One question of the first start, with the questions that follow from its answer. It has its own state.

    A step is begun when it is shown, and again when it is come back to.
    """

    name: ClassVar[str]
    """The name of the step in addresses and in the stored progress."""

    def begin(self, site: Site) -> None:
        """Look at what the step needs; may take seconds."""

    def look(self, site: Site) -> None:
        """Look at what has happened since; called again and again while the step is shown, and must be quick."""

    def question(self, site: Site) -> Question:
        """Return what is asked now."""
        raise NotImplementedError

    def answer(self, site: Site, value: str) -> bool:
        """Take an answer; return whether the step is done. Raises `CardtableError` if it cannot be accepted."""
        raise Unfit(text("There is nothing to choose here."))

    def back(self) -> bool:
        """Return to the first question of the step; False if it is shown already."""
        return False

    def end(self, site: Site) -> None:
        """Close what the step has opened; called when another step is shown."""


# Where in the configuration the steps write.


def camera_key(path: Path, key: str) -> KeyPath:
    """Return the place of a key of the first camera in the file `path`: at the top, in `[camera]`, or in `[[cameras]]`.

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
