"""Languages: the program's texts as the players read and hear them.

English is what stands in the program. Another language is a catalogue in `cardtable/locale`, a `.po` file as
translators know it, read when the program starts (gettext itself wants the compiled form, which `_compiled` makes in
memory: nothing is to be built). A text without a translation stays English; the tests see to it that there is none.
"""

from __future__ import annotations

import gettext
import io
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from engine.referee.prompts import Prompt
from engine.texts import in_language
from hardware.texts import Translate, as_written

LOCALE: Final = Path(__file__).parent / "locale"
_MO_MAGIC: Final = 0x950412DE


class BadCatalogue(ValueError):
    """A catalogue that cannot be read; the message names the line."""


def translator(language: str) -> Translate:
    """What translates a text of the program into `language`: `en`, or one that has a catalogue.

    Raises `FileNotFoundError` where there is none, `BadCatalogue`.
    """
    if language == "en":
        return as_written
    texts = read_catalogue((LOCALE / f"{language}.po").read_text("utf-8"))
    translations = gettext.GNUTranslations(io.BytesIO(_compiled(texts)))
    # To gettext the empty text is the catalogue's header; here it is a list of nothing.
    return lambda template: translations.gettext(template) if template else ""


def catalogue(language: str) -> dict[str, str]:
    """Every text that has a translation, with it: for the page, which translates by itself. None in English."""
    if language == "en":
        return {}
    texts = read_catalogue((LOCALE / f"{language}.po").read_text("utf-8"))
    return {text: translation for text, translation in texts.items() if text}


def translate_prompts(prompts: Sequence[Prompt], translate: Translate) -> tuple[Prompt, ...]:
    """The prompts in another language."""
    return tuple(replace(prompt, text=in_language(prompt.text, translate)) for prompt in prompts)


def read_catalogue(text: str) -> dict[str, str]:
    """The texts of a `.po` file and their translations, its header (the text "") among them.

    Raises `BadCatalogue`: also for a text without a translation, or one that stands twice.
    """
    entries: dict[str, str] = {}
    parts = {"msgid": "", "msgstr": ""}
    key = ""
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        stripped = line.strip()
        if stripped.startswith("#"):
            continue
        try:
            if stripped.startswith('"') and key:
                parts[key] += json.loads(stripped)
                continue
            word, _, quoted = stripped.partition(" ")
            if word == "msgstr" and key == "msgid":
                key, parts["msgstr"] = word, json.loads(quoted)
                continue
            if key == "msgstr":
                _enter(entries, parts)
                key = ""
            if word == "msgid" and not key:
                key, parts["msgid"] = word, json.loads(quoted)
            elif stripped:
                raise ValueError(f"{word!r} is not expected here")
        except ValueError as error:
            raise BadCatalogue(f"line {number}: {error}") from error
    return entries


def _enter(entries: dict[str, str], parts: Mapping[str, str]) -> None:
    if parts["msgid"] in entries:
        raise ValueError(f"the text above stands twice: {parts['msgid']!r}")
    if not parts["msgstr"]:
        raise ValueError(f"the text above has no translation: {parts['msgid']!r}")
    entries[parts["msgid"]] = parts["msgstr"]


def _compiled(catalogue: Mapping[str, str]) -> bytes:
    """The catalogue in gettext's binary form (GNU gettext manual, “The Format of GNU MO Files”)."""
    entries = sorted((key.encode(), value.encode()) for key, value in catalogue.items())
    count = len(entries)
    offset = 28 + 16 * count  # after the header and two tables of (length, offset)
    tables: list[list[int]] = [[], []]
    data = b""
    for side, table in enumerate(tables):
        for entry in entries:
            table += [len(entry[side]), offset + len(data)]
            data += entry[side] + b"\0"
    header = struct.pack("<7I", _MO_MAGIC, 0, count, 28, 28 + 8 * count, 0, 0)
    return header + struct.pack(f"<{4 * count}I", *tables[0], *tables[1]) + data
