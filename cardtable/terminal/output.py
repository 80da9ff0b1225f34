"""Print texts in the language of the person at the terminal.

The language comes from `--language` if the command has that option, otherwise from the `table.toml` that it reads,
otherwise from the environment. The language of the table itself (board, displays, voice) never comes from the
environment. English needs no catalogue, so that a small command starts quickly.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TextIO

from cardtable.files import MAX_TOML_BYTES, toml_values
from engine.texts import Text, Translate, in_language

LOCALE: Final = Path(__file__).parents[1] / "locale"
_TOP_LEVEL_LANGUAGE: Final = re.compile(r"""^\s*language\s*=\s*["']([a-z]+)["']""", re.MULTILINE)
_UNTRANSLATED: Final = ("c", "posix")
_log: Final = logging.getLogger(__name__)
_translate: Translate | None = None


def is_language(name: str) -> bool:
    """Return whether the program speaks the language `name`: English, or one with a catalogue."""
    return name == "en" or (re.fullmatch("[a-z]{2,3}", name) is not None and (LOCALE / f"{name}.po").exists())


def environment_language(environ: Mapping[str, str]) -> str:
    """Return the language of the environment by gettext's rules; English if there is no catalogue for it.

    The first of LC_ALL, LC_MESSAGES and LANG that is set is the locale; the default is `C`. LANGUAGE, a list separated
    by colons, takes precedence unless the locale is `C` (in any encoding), which means no translation (GNU gettext
    manual, “The LANGUAGE variable”).
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
        _log.info("the language %r of the environment is ignored: there is no catalogue", wanted)
    return "en"


def _language_of(locale: str) -> str:
    """Return `fr` for `fr_CA.UTF-8@euro`."""
    return re.split("[_.@]", locale)[0].lower()


def configured_language(path: Path) -> str | None:
    """Return the language set in the `table.toml` at `path`; None without a language, or without a catalogue for it.

    The file may contain mistakes: their error messages should be in this language.
    """
    try:
        if not path.is_file() or path.stat().st_size > MAX_TOML_BYTES:  # a pipe can be read only once, by the command
            return None
        written = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        _log.info("the language of %s is not known: %s", path, error)
        return None
    try:
        found = toml_values(written).get("language")
    except (ValueError, RecursionError):  # not TOML, nested too deeply, or with too long a number
        top = re.split(r"^\s*\[", written, maxsplit=1, flags=re.MULTILINE)[0]
        match = _TOP_LEVEL_LANGUAGE.search(top)
        found = match[1] if match else None
    if isinstance(found, str) and is_language(found):
        return found
    if found is not None:
        _log.info("the language %r of %s is ignored: there is no catalogue", found, path)
    return None


def set_language(language: str) -> None:
    """Translate everything that is printed from now on into `language`."""
    global _translate
    if language == "en":
        _translate = None
        return
    from cardtable.languages import translator

    _translate = translator(language)


def translated(message: str) -> str:
    """Return `message` in the language of the terminal."""
    return str.__str__(message) if _translate is None else in_language(message, _translate)


def translation() -> Translate:
    """Return the function that translates into the language of the terminal."""
    from cardtable.languages import translator

    return _translate or translator("en")


def say(message: Text, file: TextIO | None = None) -> None:
    """Print `message` to `file`, by default to standard output."""
    print(translated(message), file=file or sys.stdout, flush=True)
