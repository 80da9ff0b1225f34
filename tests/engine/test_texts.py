"""Texts that can be told in another language, and are ordinary English texts otherwise."""

from __future__ import annotations

import copy
import json

from engine.errors import Refused
from engine.referee.prompts import Prompt
from engine.texts import in_language, text

FRENCH = {"{name} must follow {suit}.": "{name} doit fournir à {suit}.", "hearts": "cœur", "{a}: {b}": "{b} ({a})"}
translate = FRENCH.__getitem__


def test_a_text_is_its_english_text() -> None:
    said = text("{name} must follow {suit}.", name="Bo", suit=text("hearts"))
    assert said == "Bo must follow hearts." and isinstance(said, str)
    assert json.dumps([said]) == '["Bo must follow hearts."]'
    assert Prompt("refused", 1, said) == Prompt("refused", 1, "Bo must follow hearts.")
    assert Refused("must-follow-suit", said).message == "Bo must follow hearts."
    assert copy.deepcopy(Prompt("refused", 1, said)).text == said


def test_texts_in_texts_are_translated_and_names_are_not() -> None:
    said = text("{name} must follow {suit}.", name="hearts", suit=text("hearts"))
    assert in_language(said, translate) == "hearts doit fournir à cœur."
    assert in_language(text("{a}: {b}", a=3, b=said), translate) == "hearts doit fournir à cœur. (3)"
    assert in_language("hearts", translate) == "hearts"


def test_braces_in_a_name_are_a_name() -> None:
    said = text("{name} must follow {suit}.", name="{suit}", suit="♥")
    assert said == "{suit} must follow ♥."
    assert in_language(said, translate) == "{suit} doit fournir à ♥."
