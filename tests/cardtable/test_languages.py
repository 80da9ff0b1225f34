"""Catalogues: every text of the program that is to be translated, in every language, with everything in it."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from cardtable.languages import LOCALE, BadCatalogue, catalogue, read_catalogue, translate_prompts, translator
from engine.cards import COLOUR_TEXTS, SUIT_TEXTS
from engine.errors import Refused
from engine.games import HOUSE, load_game
from engine.record import read_record
from engine.referee.prompts import Prompt, turn
from engine.rules.wording import ZONES
from engine.table import Table
from engine.texts import Text, text, word_text
from hardware.drawing import width_of
from tests.cardtable.french import templates
from tests.cardtable.marked_texts import (
    PAGE,
    ROOT,
    Unclear,
    bare_in_a_command,
    bare_texts,
    every_text,
    marked,
    on_the_page,
)

LANGUAGES = sorted(path.stem for path in LOCALE.glob("*.po"))


def fields(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)


def test_there_is_french() -> None:
    assert LANGUAGES == ["fr"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalogue_has_every_text_and_none_that_is_not_used(language: str) -> None:
    entries = read_catalogue((LOCALE / f"{language}.po").read_text("utf-8"))
    header = entries.pop("")
    assert "charset=UTF-8" in header and f"Language: {language}\n" in header
    wanted = every_text()
    assert len(wanted) > 350
    assert sorted(wanted - entries.keys()) == [], "these texts have no translation yet"
    assert sorted(entries.keys() - wanted) == [], "these texts are not in the program any more"


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_have_the_same_values_and_end_as_sentences_do(language: str) -> None:
    for original, translation in catalogue(language).items():
        assert fields(translation) == fields(original), original
        assert (original[-1] == ".") == (translation[-1] == "."), original


def test_french_signs_are_not_parted_from_their_words() -> None:
    """A colon, a question mark, guillemets stand apart in French, and never at the beginning of a line."""
    for original, translation in catalogue("fr").items():
        assert not re.search(r" [:;?!»]|« ", translation), original


@pytest.mark.parametrize("game", ["all-fives", "cribbage", "fifteen", "its-15", "le-quinze"])
def test_what_games_bring_along_is_in_the_catalogues(game: str) -> None:
    """Words, zones and colours come from the rules as they are, and are looked up one by one."""
    kind = load_game(game)
    known = every_text()
    assert {word_text(word) for word in kind.vocabulary} <= known
    assert {each for word in kind.words for each in (word.label, word.question, word.prompt) if each} <= known
    assert {*kind.zones, *kind.face_down} <= ZONES.keys() <= known
    assert {card.suit for card in kind.deck} <= {*SUIT_TEXTS, *COLOUR_TEXTS}
    assert {*SUIT_TEXTS.values(), *COLOUR_TEXTS.values()} <= known


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_every_word_has_room_on_a_small_display(language: str) -> None:
    translate = translator(language)
    words = {word_text(word) for game in HOUSE for word in load_game(game).vocabulary}
    assert [word for word in words if width_of(f"•• {translate(word)}") > 100] == []


def test_the_page_says_nothing_that_is_not_in_the_catalogues() -> None:
    """Every text of the page that people read stands in `t(…)`, or in an element that is translated."""
    assert len(on_the_page()) > 35
    page = (PAGE / "index.html").read_text("utf-8")
    for element, inside in re.findall(r"<(button|div|h1|h2|title)\b([^<]*)", page):
        attributes, _, words = inside.partition(">")
        if re.search(r"[A-Za-z]{3}", words):
            assert "data-t=" in attributes or 'id="undo"' in attributes, (element, words)
    for attribute, mark in (("aria-label", "data-label"), ("alt", "data-alt")):
        assert len(re.findall(rf'\s{attribute}="', page)) == len(re.findall(rf'\s{mark}="', page)), attribute
    for path in sorted(PAGE.glob("*.js")):
        bare = re.sub(r'\bt\("[^"]*"', "t(", re.sub(r"//.*", "", path.read_text("utf-8")))
        assert re.findall(r'"[A-Z][a-z]+ [^"]*"|`[A-Z][a-z]+ [^`]*`', bare) == []


def test_a_text_that_is_not_written_out_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "new.py"
    head = "from engine.texts import text\n"
    file.write_text(
        head + 'def f(bad):\n    told = "one {n}" if bad else "two {n}"\n    return text(told, n=1)\n', "utf-8"
    )
    assert list(marked(file, tmp_path)) == ["one {n}", "two {n}"]
    file.write_text(head + "def f(given):\n    return text(given)\n", "utf-8")
    with pytest.raises(Unclear, match=r"new\.py:3: write the text out"):
        list(marked(file, tmp_path))


def test_what_people_are_told_is_nowhere_a_bare_text() -> None:
    """Refusals, prompts, trouble and hints: a sentence put together on the spot could not be translated."""
    assert list(bare_texts()) == []


def test_a_help_text_that_no_catalogue_can_have_is_noticed(tmp_path: Path) -> None:
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


def test_french_is_told_wherever_a_game_goes() -> None:
    """Games of every kind, with mistakes in them: every prompt, refusal and fact that comes up has its French."""
    french, told_texts = catalogue("fr"), 0
    for path in sorted((ROOT / "tests" / "engine" / "records").glob("*.record.jsonl")):
        record = read_record(path.read_text("utf-8").splitlines())
        table = Table(record.header)
        for action in record.actions:
            said: list[str] = []
            try:
                table.do(action)
            except Refused as refusal:
                said.append(refusal.message)
            view = table.view(None)
            said += [turn(view).text, *(each for fact in view.facts for each in fact)]
            for text_ in said:
                told_texts += isinstance(text_, Text)
                for template in templates(text_):
                    assert template in french, template
    assert told_texts > 5000


def test_french_is_told() -> None:
    translate = translator("fr")
    assert translate("take one") == "un point"
    assert translate("not in any catalogue") == "not in any catalogue"
    prompt = Prompt("turn", 1, text("{name} wins the trick.", name="Élodie"))
    assert translate_prompts([prompt, Prompt("source", None, "Bo")], translate) == (
        Prompt("turn", 1, "Élodie gagne le pli."),
        Prompt("source", None, "Bo"),
    )
    assert translate("") == "", "and not the header of the catalogue"
    assert translator("en")("take one") == "take one"


def test_a_language_without_a_catalogue() -> None:
    with pytest.raises(FileNotFoundError):
        translator("xx")


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ('msgid "a"\nmsgstr ""\n', "line 3: the text above has no translation: 'a'"),
        ('msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"\n', "line 6: the text above stands twice: 'a'"),
        ('msgid "a\nmsgstr "b"\n', "line 1: "),
        ('msgstr "b"\n', "line 1: 'msgstr' is not expected here"),
        ('msgid "a"\nmsgid "b"\n', "line 2: 'msgid' is not expected here"),
    ],
)
def test_a_mistake_in_a_catalogue_is_told_with_its_line(entries: str, message: str) -> None:
    with pytest.raises(BadCatalogue, match=f"^{message}"):
        read_catalogue(entries)


def test_long_texts_over_several_lines_are_read() -> None:
    text = '# a comment\n#: place\nmsgid "one "\n"and \\"two\\""\nmsgstr ""\n"un "\n"et «\\u00a0deux\\u00a0»\\n"\n'
    assert read_catalogue(text) == {'one and "two"': "un et «\xa0deux\xa0»\n"}
