"""What a step of the first start shows; the page and the terminal draw it, each in its own way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from cardtable.doctor.finding import Finding, good, trouble, warning
from engine.texts import Translate, in_language

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
