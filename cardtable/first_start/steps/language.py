"""Which language the table speaks; writes `language`."""

from __future__ import annotations

from typing import ClassVar, Final

from cardtable.first_start.question import Choice, Question
from cardtable.first_start.step import Site, Step, Unfit
from cardtable.languages import LANGUAGES
from engine.texts import text

_NAMES: Final = {"en": "English", "fr": "Français"}
"""Each language in its own words."""


class LanguageStep(Step):
    """Asks in all languages at once, because none is known yet."""

    name: ClassVar[str] = "language"

    def question(self, site: Site) -> Question:
        """Return the languages."""
        now = site.config.language
        return Question(
            "English · Français",
            text("Which language does the table speak?"),
            choices=[Choice(name, _NAMES[name], chosen=name == now) for name in LANGUAGES],
            forward=text("Continue"),
        )

    def answer(self, site: Site, value: str) -> bool:
        """Store the chosen language; return True."""
        if value not in LANGUAGES:
            raise Unfit(text("The table does not speak this language: choose one that is shown."))
        if value != site.config.language:
            site.change({("language",): value}, reopen=True)
        return True
