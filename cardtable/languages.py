"""The languages of the program. English is in the source; every other language is a catalogue `locale/*.po`.

Plug-ins bring catalogues of their own. A text that no catalogue has stays English; the tests find such texts. `make
setup` and the build of the wheel compile the catalogues into `*.mo` files. Without an up-to-date one, Babel compiles
the catalogue in memory, which takes about 0.2 s. English needs neither.
"""

from __future__ import annotations

import gettext
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, get_args

from cardtable.plugins import installed
from engine.texts import Translate, as_written, either, in_language

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

    from engine.views import Prompt  # at run time it would only make the start slower

Language = Literal["en", "de", "es", "fr"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
NAMES: Final[Mapping[Language, str]] = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français"}
"""The name of each language in that language."""
WRITTEN: Final = either([f'"{language}"' for language in LANGUAGES])
"""The languages as people read which ones table.toml may name."""
LOCALE: Final = Path(__file__).parent / "locale"


@cache
def translator(language: str) -> Translate:
    """Return the function that translates the program's texts into `language`: `en`, or one with a catalogue.

    Raises `FileNotFoundError` if the language has no catalogue, and Babel's `PoFileError` if it cannot be read.
    """
    if language == "en":
        return as_written
    translations = gettext.GNUTranslations(io.BytesIO(_compiled(language, LOCALE)))
    translations.add_fallback(_PluginTexts(language))

    def translate(template: str, plural: str = "", count: int = 1, /) -> str:
        if not template:  # to gettext the empty text is the catalogue's header
            return ""
        return translations.ngettext(template, plural, count) if plural else translations.gettext(template)

    return translate


class _PluginTexts(gettext.NullTranslations):
    """The catalogues of the plug-ins, which are looked for when a text is not in the program's own catalogue."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def gettext(self, message: str) -> str:
        return _in_one(self._language, tuple(plugin_catalogues())).gettext(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return _in_one(self._language, tuple(plugin_catalogues())).ngettext(msgid1, msgid2, n)


@cache
def _in_one(language: str, folders: tuple[Path, ...]) -> gettext.NullTranslations:
    """Return the catalogues in these folders as one."""
    found = gettext.NullTranslations()
    for folder in _with(language, folders):
        catalogue = gettext.GNUTranslations(io.BytesIO(_compiled(language, folder)))
        catalogue.add_fallback(found)
        found = catalogue
    return found


def plugin_catalogues() -> list[Path]:
    """Return the folders of catalogues that the installed plug-ins bring. Raises `CardtableError` for a broken one."""
    return [plugin.locale for plugin in installed().values() if plugin.locale is not None]


def _with(language: str, folders: Iterable[Path]) -> list[Path]:
    return [folder for folder in folders if (folder / f"{language}.po").exists()]


def _compiled(language: str, folder: Path) -> bytes:
    """Return a catalogue in gettext's binary form: the `.mo` file, unless the `.po` file has changed since.

    The last 32 bytes are the SHA-256 of the `.po` file; gettext ignores them.
    """
    digest = sha256((folder / f"{language}.po").read_bytes()).digest()
    compiled = folder / f"{language}.mo"
    if compiled.exists() and (content := compiled.read_bytes()).endswith(digest):
        return content
    from babel.messages.mofile import write_mo

    out = io.BytesIO()
    write_mo(out, read_catalogue(language, folder))
    return out.getvalue() + digest


def compile_catalogues(folder: Path = LOCALE) -> None:
    """Write the `.mo` file of every catalogue in `folder`, beside its `.po` file."""
    for source in folder.glob("*.po"):
        source.with_suffix(".mo").write_bytes(_compiled(source.stem, folder))


@cache
def read_catalogue(language: str, folder: Path = LOCALE) -> Catalog:
    """Return the catalogue of `language` in `folder` as Babel reads it. Raises as `translator` does."""
    from babel.messages.pofile import read_po

    with (folder / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def catalogue(language: str) -> dict[str, str]:
    """Return every text with its translation, for pages, which translate by themselves; nothing for English.

    A text with a plural is there twice: the singular and the plural, each with the translation of the same number.
    """
    if language == "en":
        return {}
    entries: dict[str, str] = {}
    for folder in _with(language, (*plugin_catalogues(), LOCALE)):
        for message in read_catalogue(language, folder):
            originals = [message.id] if isinstance(message.id, str) else message.id
            translations = [message.string] if isinstance(message.string, str) else message.string or []
            pairs = zip(originals, translations, strict=False)
            entries |= {original: translation for original, translation in pairs if original and translation}
    return entries


def translate_prompts(prompts: Sequence[Prompt], translate: Translate) -> tuple[Prompt, ...]:
    """Return the prompts with their texts translated."""
    return tuple(replace(prompt, text=in_language(prompt.text, translate)) for prompt in prompts)
