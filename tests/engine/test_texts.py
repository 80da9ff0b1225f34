"""Texts are ordinary English strings that can be translated afterwards."""

from __future__ import annotations

import copy
import json

from engine.errors import CODES, Refused
from engine.texts import decimals, in_language, plural, text
from engine.views import Prompt

FRENCH = {"{name} must follow {suit}.": "{name} doit fournir à {suit}.", "hearts": "cœur", "{a}: {b}": "{b} ({a})"}
translate = FRENCH.__getitem__


def test_a_number_has_the_decimal_mark_of_its_language() -> None:
    french = {"{whole}.{fraction}": "{whole},{fraction}", "{seconds:>10} s": "{seconds:>10} s"}.__getitem__
    message = text("{seconds:>10} s", seconds=decimals(-3.0625, 3))
    assert message == "    -3.062 s"
    assert in_language(message, french) == "    -3,062 s"
    assert [decimals(number, 2, sign=True) for number in (0.0, 2.125, -0.5)] == ["+0.00", "+2.12", "-0.50"]


def test_a_text_is_its_english_text() -> None:
    message = text("{name} must follow {suit}.", name="Bo", suit=text("hearts"))
    assert message == "Bo must follow hearts." and isinstance(message, str)
    assert json.dumps([message]) == '["Bo must follow hearts."]'
    assert Prompt("refused", 1, message) == Prompt("refused", 1, "Bo must follow hearts.")
    assert Refused("must-follow-suit", message).message == "Bo must follow hearts."
    assert copy.deepcopy(Prompt("refused", 1, message)).text == message


def test_a_refusal_that_follows_from_a_hand_may_show_its_cards() -> None:
    hidden = [code for code in CODES if Refused(code, "no").shows_hand]
    assert {"not-in-hand", "must-follow-suit", "bad-call"} <= {*hidden}
    assert not {"wrong-phase", "not-your-turn", "no-such-card", "over-31", "nothing-to-undo"} & {*hidden}


def test_texts_in_texts_are_translated_and_names_are_not() -> None:
    message = text("{name} must follow {suit}.", name="hearts", suit=text("hearts"))
    assert in_language(message, translate) == "hearts doit fournir à cœur."
    assert in_language(text("{a}: {b}", a=3, b=message), translate) == "hearts doit fournir à cœur. (3)"
    assert in_language("hearts", translate) == "hearts"


def test_braces_in_a_name_are_a_name() -> None:
    message = text("{name} must follow {suit}.", name="{suit}", suit="♥")
    assert message == "{suit} must follow ♥."
    assert in_language(message, translate) == "{suit} doit fournir à ♥."


def test_a_plural_text_is_translated_by_its_count() -> None:
    def translate(template: str, many: str = "", count: int = 1, /) -> str:
        assert (template, many) == ("{count} {suit} of {name}", "{count} {suit}s of {name}")
        return "{name}: {suit} × {count}" if count < 2 else "{name}: {suit} ×× {count}"

    for count, english, other in (
        (0, "0 clubs of Bo", "Bo: club × 0"),
        (1, "1 club of Bo", "Bo: club × 1"),
        (2, "2 clubs of Bo", "Bo: club ×× 2"),
    ):
        message = plural("{count} {suit} of {name}", "{count} {suit}s of {name}", count, suit="club", name="Bo")
        assert message == english
        assert in_language(message, translate) == other
        assert in_language(copy.deepcopy(message), translate) == other
