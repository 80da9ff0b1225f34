"""What holds in every test of the engine: texts are complete and can be translated; refusals and prompts are known."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping

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


def keep(text: Text, name: str, value: object) -> None:
    """Set an attribute of a text; check that its template is translated, and that each of its values is there.

    Words of a game are excepted: a test may say one that no game has.
    """
    object.__setattr__(text, name, value)
    if name == "values" and isinstance(value, Mapping) and None in value.values():
        module, _ = maker()
        assert not module.startswith("engine.") or module in QUOTES, (str(text), value)
    if name == "template" and isinstance(value, str) and value not in FRENCH:
        module, functions = maker()
        has_words = re.search("[A-Za-z]", re.sub(r"{.*?}", "", value))
        assert not module.startswith("engine.") or "word_text" in functions or not has_words, value


@pytest.fixture(scope="module", autouse=True)
def checked() -> Iterator[None]:
    """Check every text, refusal, header error, question and prompt that the engine makes.

    Every refusal has a code of the record, or `misread`. Every header error names the part that is wrong. The hint of a
    question is a text, empty if the general ones will do. Every prompt is of a kind that the document lists.
    """
    refuse, wrong, ask, request = Refused.__init__, HeaderError.__init__, Question.__init__, Prompt.__init__

    def refused(self: Refused, code: str, message: str) -> None:
        assert code in CODES or (code, message) == ("misread", ""), code
        assert isinstance(message, str)
        refuse(self, code, message)

    def header_error(self: HeaderError, message: str, key: str) -> None:
        assert re.fullmatch(r"[a-z_]+(\.\w+)?", key), key
        wrong(self, message, key)

    def question(self: Question, phase: str, turn: int | None, offers: Mapping[str, Offer], hint: str = "") -> None:
        assert isinstance(hint, str)
        ask(self, phase, turn, offers, hint)

    def prompt(self: Prompt, kind: str, seat: int | None, text: str, urgent: bool = False) -> None:
        assert kind in PROMPTS and isinstance(text, str), (kind, text)
        request(self, kind, seat, text, urgent)

    count_rank_key.cache_clear()  # counts are worked out again, also in a process that has run other tests
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "__setattr__", keep)
        patch.setattr(Refused, "__init__", refused)
        patch.setattr(HeaderError, "__init__", header_error)
        patch.setattr(Question, "__init__", question)
        patch.setattr(Prompt, "__init__", prompt)
        yield
