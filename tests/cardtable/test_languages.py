"""Catalogues: every text of the program that is to be translated, in every language, with everything in it."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardtable.languages import LOCALE, BadCatalogue, read_catalogue, told, translator
from engine.games import load_game
from engine.prompts import Prompt
from engine.texts import text
from hardware.drawing import width_of
from hardware.screen import FACTS, WORDS, spoken

ROOT = Path(__file__).parents[2]
BOARD = ROOT / "cardtable" / "board" / "page"
ROOMS = ("engine", "hardware", "cardtable")
MARKS = ("to_translate", "translate")
"""Functions whose first argument, written out, is a text for the catalogues; `text` and `._translate` are others."""
LANGUAGES = sorted(path.stem for path in LOCALE.glob("*.po"))


def marked(path: Path) -> Iterator[str]:
    source = path.read_text("utf-8")
    marks_texts = "from engine.texts import" in source  # other modules have a `text` of their own
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.args:
            called, first = node.func, node.args[0]
            name = called.id if isinstance(called, ast.Name) else ""
            marks = name in MARKS or (name == "text" and marks_texts) or getattr(called, "attr", "") == "_translate"
            if marks and isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def on_the_page() -> set[str]:
    """The texts of the board's page: what its script translates, and what its elements say by themselves."""
    script, page = ((BOARD / name).read_text("utf-8") for name in ("board.js", "index.html"))
    return {*re.findall(r'\bt\("([^"]*)"', script), *re.findall(r'data-(?:t|label)="([^"]*)"', page)}


def texts() -> set[str]:
    return on_the_page() | {
        text for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")) for text in marked(path)
    }


def fields(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)


def test_there_is_french() -> None:
    assert LANGUAGES == ["fr"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalogue_has_every_text_and_none_that_is_not_used(language: str) -> None:
    catalogue = read_catalogue((LOCALE / f"{language}.po").read_text("utf-8"))
    header = catalogue.pop("")
    assert "charset=UTF-8" in header and f"Language: {language}\n" in header
    wanted = texts()
    assert len(wanted) > 30
    assert catalogue.keys() == wanted, "missing, or not used any more"
    for original, translation in catalogue.items():
        assert fields(translation) == fields(original), original
        assert (original[-1] == ".") == (translation[-1] == "."), original


@pytest.mark.parametrize("game", ["all-fives", "cribbage", "fifteen", "its-15", "le-quinze"])
def test_the_words_of_every_game_are_in_the_catalogues(game: str) -> None:
    assert {spoken(word) for word in load_game(game).words} <= set(WORDS)


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_every_word_has_room_on_a_small_display(language: str) -> None:
    translate = translator(language)
    assert [word for word in WORDS if width_of(f"•• {translate(word)}") > 100] == []


def test_the_page_says_nothing_that_is_not_in_the_catalogues() -> None:
    """Every text of the page that people read stands in `t(…)`, or in an element that is translated."""
    assert len(on_the_page()) > 35
    page = (BOARD / "index.html").read_text("utf-8")
    for element, inside in re.findall(r"<(button|div|h2)\b([^<]*)", page):
        attributes, _, words = inside.partition(">")
        if re.search(r"[A-Za-z]{3}", words):
            assert "data-t=" in attributes or 'id="undo"' in attributes, (element, words)
    script = (BOARD / "board.js").read_text("utf-8")
    bare = re.sub(r'\bt\("[^"]*"', "t(", re.sub(r"//.*", "", script))
    assert re.findall(r'"[A-Z][a-z]+ [^"]*"|`[A-Z][a-z]+ [^`]*`', bare) == []


def test_the_facts_that_games_give_are_in_the_catalogues() -> None:
    """Names written out where the games make their facts; those made of reasons are told as they are counted."""
    source = "".join(path.read_text("utf-8") for path in (ROOT / "engine").rglob("*.py"))
    for name in FACTS:
        assert f'("{name}", ' in source, name


def test_french_is_told() -> None:
    translate = translator("fr")
    assert translate("take one") == "un point"
    assert translate("not in any catalogue") == "not in any catalogue"
    prompt = Prompt("turn", 1, text("{name} wins the trick.", name="Élodie"))
    assert told([prompt, Prompt("source", None, "Bo")], translate) == (
        Prompt("turn", 1, "Élodie gagne la levée."),
        Prompt("source", None, "Bo"),
    )
    assert translator("en")("take one") == "take one"


def test_a_language_without_a_catalogue() -> None:
    with pytest.raises(FileNotFoundError):
        translator("xx")


@pytest.mark.parametrize(
    ("catalogue", "message"),
    [
        ('msgid "a"\nmsgstr ""\n', "line 3: the text above has no translation: 'a'"),
        ('msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"\n', "line 6: the text above stands twice: 'a'"),
        ('msgid "a\nmsgstr "b"\n', "line 1: "),
        ('msgstr "b"\n', "line 1: 'msgstr' is not expected here"),
        ('msgid "a"\nmsgid "b"\n', "line 2: 'msgid' is not expected here"),
    ],
)
def test_a_mistake_in_a_catalogue_is_told_with_its_line(catalogue: str, message: str) -> None:
    with pytest.raises(BadCatalogue, match=f"^{message}"):
        read_catalogue(catalogue)


def test_long_texts_over_several_lines_are_read() -> None:
    text = '# a comment\n#: place\nmsgid "one "\n"and \\"two\\""\nmsgstr ""\n"un "\n"et «\\u00a0deux\\u00a0»\\n"\n'
    assert read_catalogue(text) == {'one and "two"': "un et «\xa0deux\xa0»\n"}
