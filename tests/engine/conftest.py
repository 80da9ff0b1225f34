"""What holds in every test of the engine: texts are complete and can be translated; refusals and prompts are known."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

import pytest

from engine.errors import CODES, HeaderError, Refused
from engine.games.cribbage.counting import count_rank_key
from engine.referee import prompts
from engine.rules.questions import Offer, Question
from engine.texts import Text
from engine.views import Prompt
from tests.cardtable.french import FRENCH

QUOTES = ("engine.actions", "engine.record")
"""The modules whose texts quote a record, which may hold anything."""

PROMPTS = frozenset(re.findall(r"^\| `([a-z-]+)` \|", prompts.__doc__ or "", re.MULTILINE))
"""The kinds of prompts that `engine.referee.prompts` documents."""


def maker() -> tuple[str, str]:
    """Return the module that is making a text, and the functions of `engine.texts` that it uses for it."""
    frame = sys._getframe(2)
    functions = frame.f_code.co_name
    while frame.f_back and frame.f_globals["__name__"].startswith(("engine.texts", "mutmut")):
        functions += " " + frame.f_code.co_name
        frame = frame.f_back
    return frame.f_globals["__name__"], functions


@pytest.fixture(autouse=True)
def _no_kept_counts() -> None:
    """Counts that the program keeps are worked out again in every test, also in a process that has run others."""
    count_rank_key.cache_clear()


@pytest.fixture(autouse=True)
def _complete_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every text that the engine makes has a template with a French translation, and a value for each of its names.

    Words of a game are excepted: a test may say one that no game has.
    """

    def keep(text: Text, name: str, value: object) -> None:
        object.__setattr__(text, name, value)
        if name == "values" and isinstance(value, Mapping) and None in value.values():
            module, _ = maker()
            assert not module.startswith("engine.") or module in QUOTES, (str(text), value)
        if name == "template" and isinstance(value, str) and value not in FRENCH:
            module, functions = maker()
            has_words = re.search("[A-Za-z]", re.sub(r"{.*?}", "", value))
            assert not module.startswith("engine.") or "word_text" in functions or not has_words, value

    monkeypatch.setattr(Text, "__setattr__", keep)


@pytest.fixture(autouse=True)
def _known_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every refusal has a code of the record, or `misread`; every header error names the part that is wrong."""
    refuse, wrong = Refused.__init__, HeaderError.__init__

    def refused(self: Refused, code: str, message: str) -> None:
        assert code in CODES or (code, message) == ("misread", ""), code
        assert isinstance(message, str)
        refuse(self, code, message)

    def header_error(self: HeaderError, message: str, key: str) -> None:
        assert re.fullmatch(r"[a-z_]+(\.\w+)?", key), key
        wrong(self, message, key)

    monkeypatch.setattr(Refused, "__init__", refused)
    monkeypatch.setattr(HeaderError, "__init__", header_error)


@pytest.fixture(autouse=True)
def _questions_with_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hint of every question is a text; it is empty if the general ones will do."""
    begin = Question.__init__

    def checked(self: Question, phase: str, turn: int | None, offers: Mapping[str, Offer], hint: str = "") -> None:
        assert isinstance(hint, str)
        begin(self, phase, turn, offers, hint)

    monkeypatch.setattr(Question, "__init__", checked)


@pytest.fixture(autouse=True)
def _documented_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every prompt is of a kind that the document lists, and has a text."""
    begin = Prompt.__init__

    def checked(self: Prompt, kind: str, seat: int | None, text: str, urgent: bool = False) -> None:
        assert kind in PROMPTS and isinstance(text, str), (kind, text)
        begin(self, kind, seat, text, urgent)

    monkeypatch.setattr(Prompt, "__init__", checked)
