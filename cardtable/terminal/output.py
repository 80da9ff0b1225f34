"""What is told in the terminal, in the language of whoever types there.

`--language` decides where a command has it, else the `table.toml` that the command reads, else the environment. The
language of the table itself (its board, displays and voice) never comes from the environment. The catalogue is read
only where the language is not English, so that a small command starts as quickly as before.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TextIO

from engine.texts import Text, in_language

LOCALE: Final = Path(__file__).parents[1] / "locale"
_AT_TOP: Final = re.compile(r"""^\s*language\s*=\s*["']([a-z]+)["']""", re.MULTILINE)
_UNTRANSLATED: Final = ("c", "posix")
_translate: Callable[[str], str] | None = None


def is_language(name: str) -> bool:
    """Whether the program speaks it: English, or a language with a catalogue."""
    return name == "en" or (re.fullmatch("[a-z]{2,3}", name) is not None and (LOCALE / f"{name}.po").exists())


def environment_language(environ: Mapping[str, str]) -> str:
    """The language that the environment asks for, as gettext reads it; English where there is no such catalogue.

    The first of LC_ALL, LC_MESSAGES and LANG that is set is the locale; where none is, it is `C`. LANGUAGE, a list
    with colons, goes before it, but for the locale `C` (in whatever encoding), which asks for no translation (GNU
    gettext manual, “The LANGUAGE variable”).
    """
    locale = next((environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environ.get(name)), "C")
    if _language_of(locale) in _UNTRANSLATED:
        return "en"
    for wanted in (environ.get("LANGUAGE") or locale).split(":"):
        name = _language_of(wanted)
        if name in _UNTRANSLATED:
            return "en"
        if is_language(name):
            return name
    return "en"


def _language_of(locale: str) -> str:
    """`fr` of `fr_CA.UTF-8@euro`."""
    return re.split("[_.@]", locale)[0].lower()


def configured_language(path: Path) -> str | None:
    """The language that the `table.toml` at `path` sets; None where it sets none, or none that there is.

    A mistake elsewhere in the file is no hindrance: it is to be told in this language.
    """
    import tomllib  # most commands read no configuration

    try:
        if not path.is_file():  # a pipe can be read only once, and that is the command's to do
            return None
        written = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
    try:
        found = tomllib.loads(written).get("language")
    except tomllib.TOMLDecodeError:
        top = re.split(r"^\s*\[", written, maxsplit=1, flags=re.MULTILINE)[0]
        match = _AT_TOP.search(top)
        found = match[1] if match else None
    return found if isinstance(found, str) and is_language(found) else None


def set_language(language: str) -> None:
    """Tell everything in this language from now on."""
    global _translate
    if language == "en":
        _translate = None
        return
    from cardtable.languages import translator

    _translate = translator(language)


def translated(said: str) -> str:
    """`said` in the language of the terminal."""
    return str.__str__(said) if _translate is None else in_language(said, _translate)


def say(said: Text, file: TextIO | None = None) -> None:
    """Print it, on standard output where no other file is named."""
    print(translated(said), file=file or sys.stdout, flush=True)
