"""Catalogues: each has every text of the program, with the same values in it, and nothing else."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.checkers import num_plurals
from babel.messages.pofile import PoFileError

from cardtable import languages
from cardtable.languages import LOCALE, catalogue, compile_catalogues, read_catalogue, translate_prompts, translator
from engine.cards import COLOUR_TEXTS, SUIT_TEXTS
from engine.errors import Refused
from engine.games import HOUSE, load_game
from engine.record import read_record
from engine.referee.prompts import turn
from engine.rules.wording import ZONES
from engine.table import Table
from engine.texts import Text, in_language, plural, text, word_text
from engine.views import Prompt
from hardware.displays import width_of
from tests.cardtable.french import templates
from tests.cardtable.marked_texts import (
    PAGE,
    ROOT,
    SHOWN_VALUE_ERRORS,
    NotLiteral,
    TextId,
    bare_in_a_command,
    bare_texts,
    every_text,
    marked,
    on_the_page,
)

LANGUAGES = sorted(path.stem for path in LOCALE.glob("*.po"))


def fields(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)


def translations(language: str) -> Iterator[tuple[str, str]]:
    """Yield each template with its translation; the forms of a plural text each with the English plural."""
    for message in read_catalogue(language):
        if isinstance(message.id, str):
            assert isinstance(message.string, str)
            if message.id:
                yield message.id, message.string
        else:
            yield from ((message.id[1], form) for form in message.string)


def test_every_language_has_a_catalogue() -> None:
    assert ["en", *LANGUAGES] == list(languages.LANGUAGES) == list(languages.NAMES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalogue_has_every_text_and_no_unused_one(language: str) -> None:
    entries: set[TextId] = {message.id for message in read_catalogue(language)} - {""}
    wanted = every_text()
    assert len(wanted) > 350
    assert sorted(map(str, wanted - entries)) == [], "these texts have no translation yet"
    assert sorted(map(str, entries - wanted)) == [], "these texts are not in the program any more"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalogue_is_well_formed(language: str) -> None:
    path = LOCALE / f"{language}.po"
    entries = read_catalogue(language)
    assert entries.locale_identifier == language and entries.charset == "utf-8"
    for message in entries:
        num_plurals(entries, message)
    assert [message for message, translation in translations(language) if not translation] == [], (
        "these have no translation"
    )
    assert len(re.findall(r"^msgid ", path.read_text("utf-8"), re.MULTILINE)) == len(entries) + 1, "one is there twice"


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_have_the_same_values_and_end_like_the_original(language: str) -> None:
    for original, translation in translations(language):
        assert fields(translation) == fields(original), original
        assert (original[-1] == ".") == (translation[-1] == "."), original


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_begins_or_ends_with_punctuation(language: str) -> None:
    """A space before a colon, a question mark or inside guillemets, as in French, does not break; others have none."""
    for original, translation in translations(language):
        assert not re.search(r" [:;?!»]|[«„¿¡] ", translation), original
        if language != "fr":
            assert not re.search(r"[\xa0\u202f][:;?!]", translation), original
        if language == "de":
            assert translation.count("„") == translation.count("“"), original


@pytest.mark.parametrize("game", HOUSE)
def test_the_words_of_the_games_are_in_the_catalogues(game: str) -> None:
    """Words, zones and colours come from the rules unchanged, and are looked up one by one."""
    kind = load_game(game)
    known = every_text()
    assert {word_text(word).template for word in kind.vocabulary if not word.isdecimal()} <= known
    assert {each for word in kind.words for each in (word.label, word.question, word.prompt) if each} <= known
    assert {*kind.zones, *kind.face_down} <= ZONES.keys() <= known
    assert {card.suit for card in kind.deck} <= {*SUIT_TEXTS, *COLOUR_TEXTS}
    assert {*SUIT_TEXTS.values(), *COLOUR_TEXTS.values()} <= known


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_every_word_fits_on_a_small_display(language: str) -> None:
    translate = translator(language)
    words = {word_text(word) for game in HOUSE for word in load_game(game).vocabulary}
    assert [word for word in words if width_of(f"•• {translate(word)}") > 100] == []


def test_every_text_of_the_page_is_marked() -> None:
    """Every text of the page that people read is an argument of `t(…)`, or in an element that is translated."""
    assert len(on_the_page()) > 35
    page = (PAGE / "index.html").read_text("utf-8")
    for element, inside in re.findall(r"<(button|div|h1|h2|title)\b([^<]*)", page):
        attributes, _, words = inside.partition(">")
        if re.search(r"[A-Za-z]{3}", words):
            assert "data-t" in attributes or 'id="undo"' in attributes, (element, words)
    for attribute, mark in (("aria-label", "data-label"), ("alt", "data-alt")):
        assert len(re.findall(rf'\s{attribute}="', page)) == len(re.findall(rf"\s{mark}\b", page)), attribute
    for path in sorted(PAGE.glob("*.js")):
        bare = re.sub(r'\bt\(\s*"[^"]*"', "t(", re.sub(r"//.*", "", path.read_text("utf-8")))
        assert re.findall(r'"[A-Z][a-z]+ [^"]*"|`[A-Z][a-z]+ [^`]*`', bare) == []


def test_a_text_that_is_not_a_literal_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "new.py"
    head = "from engine.texts import plural, text\n"
    file.write_text(
        head + 'def f(bad):\n    message = "one {n}" if bad else "two {n}"\n    return text(message, n=1)\n', "utf-8"
    )
    assert list(marked(file, tmp_path)) == ["one {n}", "two {n}"]
    file.write_text(head + 'def f(n):\n    single, many = "a", "b"\n    return plural(single, many, n)\n', "utf-8")
    assert list(marked(file, tmp_path)) == [("a", "b")]
    for call in ("text(value)", "plural(value, value, 1)"):
        file.write_text(head + f"def f(value):\n    return {call}\n", "utf-8")
        with pytest.raises(NotLiteral, match=r"new\.py:3: write the text out"):
            list(marked(file, tmp_path))


def test_no_message_for_people_is_a_plain_string() -> None:
    """Refusals, prompts, trouble and hints: a sentence that is put together from pieces could not be translated."""
    assert list(bare_texts()) == []
    assert all((ROOT / name).exists() for name in SHOWN_VALUE_ERRORS)


def test_a_help_text_that_is_not_marked_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "new.py"
    file.write_text(
        'SUMMARY = "do it"\n'
        'parser.add_argument("--it", help="what to do")\n'
        'parser.add_argument("--it", help=text("what to do"))\n'
        'print(f"done: {count}")\n'
        "print(json.dumps(done))\n"
        'print(f"{left} {right}")\n',
        "utf-8",
    )
    assert list(bare_in_a_command(file)) == [1, 2, 4]


def test_every_text_of_whole_games_has_its_french() -> None:
    """Games of every kind, with mistakes in them: every prompt, refusal and fact is in the catalogue."""
    french, checked = catalogue("fr"), 0
    for path in sorted((ROOT / "tests" / "engine" / "records").glob("*.record.jsonl")):
        record = read_record(path.read_text("utf-8").splitlines())
        table = Table(record.header)
        for action in record.actions:
            messages: list[str] = []
            try:
                table.do(action)
            except Refused as refusal:
                messages.append(refusal.message)
            view = table.view()
            messages += [turn(view).text, *(each for fact in view.facts for each in fact)]
            for message in messages:
                checked += isinstance(message, Text)
                for template in templates(message):
                    assert template in french, template
    assert checked > 5000


def test_texts_are_translated() -> None:
    translate = translator("fr")
    assert translate("take one") == "un point"
    assert translate("not in any catalogue") == "not in any catalogue"
    prompt = Prompt("turn", 1, text("{name} wins the trick", name="Élodie"))
    assert translate_prompts([prompt, Prompt("source", None, "Bo")], translate) == (
        Prompt("turn", 1, "Élodie gagne le pli"),
        Prompt("source", None, "Bo"),
    )
    assert translate("") == "", "and not the header of the catalogue"
    assert translator("en")("take one") == "take one"


@pytest.mark.parametrize(
    ("count", "english", "french"),
    [(0, "0 pictures", "0 image"), (1, "1 picture", "1 image"), (2, "2 pictures", "2 images")],
)
def test_a_number_chooses_the_form_of_the_text(count: int, english: str, french: str) -> None:
    """In French, 0 takes the singular."""
    message = plural("{folder}: {count} picture", "{folder}: {count} pictures", count, folder="out")
    assert message == in_language(message, translator("en")) == f"out: {english}"
    assert in_language(message, translator("fr")) == f"out\xa0: {french}"
    assert in_language(text("{shown}!", shown=message), translator("fr")) == f"out\xa0: {french}!"


def test_the_page_gets_both_forms() -> None:
    french = catalogue("fr")
    assert french["{count} frame"] == "{count} image" and french["{count} frames"] == "{count} images"
    assert "" not in french and catalogue("en") == {}


def test_a_language_without_a_catalogue() -> None:
    with pytest.raises(FileNotFoundError):
        translator("xx")


def test_a_catalogue_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "xx.po").write_text('xyz "a"\n', "utf-8")
    with pytest.raises(PoFileError):
        read_catalogue("xx", tmp_path)


def test_a_compiled_catalogue_is_used_unless_the_source_has_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    source, compiled = tmp_path / "xx.po", tmp_path / "xx.mo"
    monkeypatch.setattr(languages, "LOCALE", tmp_path)
    written = f'{header}msgid "card"\nmsgstr "source"\n'
    source.write_text(written, "utf-8")
    compile_catalogues(tmp_path)
    compiled.write_bytes(compiled.read_bytes().replace(b"source", b"binary"))
    for changed, expected in ((written, "binary"), (written.replace("source", "change"), "change")):
        source.write_text(changed, "utf-8")
        for cached in (translator, read_catalogue):
            cached.cache_clear()
        assert translator("xx")("card") == expected
    translator.cache_clear()
    read_catalogue.cache_clear()
