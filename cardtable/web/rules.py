"""The rules of a game in plain words, as the board and the phone tell them.

A game's rules are in a Markdown file beside its class: `hearts.md` for the game `hearts`. A game without one, or
with faults in it, has no rules to read. The file consists of sections:

    ## Passing <!-- cut deal discard -->

    Deal the whole pack.

    <!-- passing: left -->
    Pass three cards face down to the left.

    > J♦ **K♦** 4♥
    > Diamonds led: the king takes it.

The comment in a heading names the phases and words in which the section is what the players want to read. One before a
paragraph names the options, and the values of each, with which it is true: `form: classic; undertrump: classic always`.
A quotation shows cards, those between asterisks lit, with a caption. `{target}` stands for the value of an option.
Every heading, paragraph and caption is a text of the catalogues.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple, TypedDict

from engine.cards import SUIT_GLYPHS, Card, parse_card
from engine.errors import HeaderError
from engine.games import load_game
from engine.rules.game import Game, Option
from engine.texts import Text, Translate, in_language, text, word_text

_LOG: Final = logging.getLogger(__name__)
_HEADING: Final = re.compile(r"## (.+?)(?: <!-- (.+) -->)?")
_CONDITION: Final = re.compile(r"<!-- (.+) -->\n")
_LETTERS: Final = str.maketrans({glyph: suit for suit, glyph in SUIT_GLYPHS.items()})


class Part(NamedTuple):
    """A paragraph, or `cards` with their caption.

    `lit`: the places of the cards that matter most. `when`: by option, the values with which the part is true.
    """

    text: str
    cards: tuple[Card, ...] = ()
    lit: tuple[int, ...] = ()
    when: Mapping[str, tuple[str, ...]] = {}

    def is_true(self, values: Mapping[str, object]) -> bool:
        """Return whether the part is true of a game with these options."""
        return all(_written(values[name]) in allowed for name, allowed in self.when.items())


class Section(NamedTuple):
    """A section of the rules. `during`: the phases, and the words that may be said, in which it is to be read first."""

    name: str
    during: tuple[str, ...]
    parts: tuple[Part, ...]


class RulesPart(TypedDict):
    """A paragraph, or the caption of `cards`, of which those at the places in `lit` matter most."""

    text: str
    cards: list[str]
    lit: list[int]


class RulesSection(TypedDict):
    """A section of the rules. `during`: the phases and words in which it is to be read first."""

    name: str
    during: list[str]
    parts: list[RulesPart]


class HouseRule(TypedDict):
    """An option of the game and its present value."""

    label: str
    value: str


class RulesPage(TypedDict):
    """The rules of a game, as it is played now."""

    game: str
    title: str
    sections: list[RulesSection]
    options: list[HouseRule]


def has_rules(game: str) -> bool:
    """Return whether this game has rules to read; not if there is no such game."""
    try:
        return bool(rules_of(load_game(game)))
    except HeaderError:
        return False


def rules_of(kind: type[Game]) -> tuple[Section, ...]:
    """Return the sections of the rules of a game; none if it has no file with rules, or one with faults."""
    package = sys.modules[kind.__module__].__package__ or kind.__module__
    return _read(package, f"{kind.name}.md", frozenset(option.name for option in kind.options))


@cache
def _read(package: str, name: str, options: frozenset[str]) -> tuple[Section, ...]:
    file = files(package) / name
    try:
        sections = tuple(_sections(file.read_text("utf-8"))) if file.is_file() else ()
        for part in (part for section in sections for part in section.parts):
            part.text.format(**dict.fromkeys(options))
            if unknown := part.when.keys() - options:
                raise ValueError(f"the game has no option {min(unknown)!r}")
    except Exception as error:  # a package with games may be faulty in any way
        _LOG.warning("%s: these rules are left out: %r", file, error)
        return ()
    return sections


def _sections(written: str) -> Iterator[Section]:
    for section in re.split(r"^(?=## )", written, flags=re.MULTILINE)[1:]:
        head, *blocks = re.split(r"\n\n+", section.strip())
        heading = _HEADING.fullmatch(head)
        if heading is None:
            raise ValueError(f"a heading of the rules is '## NAME <!-- PHASES -->', not {head!r}")
        yield Section(heading[1], tuple((heading[2] or "").split()), tuple(map(_part, blocks)))


def _part(block: str) -> Part:
    when: dict[str, tuple[str, ...]] = {}
    if found := _CONDITION.match(block):
        block = block[found.end() :]
        for condition in found[1].split("; "):
            name, _, allowed = condition.partition(": ")
            when[name] = tuple(allowed.split())
    lines = block.split("\n")
    if not block.startswith("> "):
        return Part(" ".join(lines), when=when)
    row, *caption = [line.removeprefix("> ") for line in lines]
    written = row.split()
    cards = tuple(parse_card(card.strip("*").translate(_LETTERS)) for card in written)
    return Part(" ".join(caption), cards, tuple(place for place, card in enumerate(written) if "*" in card), when)


def _written(value: object) -> str:
    """Return the value of an option as the file writes it."""
    return value if isinstance(value, str) else json.dumps(value)


def rules_page(game: str, options: Mapping[str, object], translate: Translate) -> RulesPage | None:
    """Return the rules of a game that is played with `options`; None if it has none.

    An option that is missing has the value of a game that leaves it out.
    """
    kind = load_game(game)
    values = {option.name: options.get(option.name, option.left_out) for option in kind.options}
    sections: list[RulesSection] = []
    for section in rules_of(kind):
        parts: list[RulesPart] = [
            {
                "text": translate(part.text).format(**values),
                "cards": list(map(str, part.cards)),
                "lit": list(part.lit),
            }
            for part in section.parts
            if part.is_true(values)
        ]
        if parts:
            sections.append({"name": translate(section.name), "during": list(section.during), "parts": parts})
    if not sections:
        return None
    house: list[HouseRule] = [
        {
            "label": in_language(option.label or option.name.replace("_", " "), translate),
            "value": in_language(_value(option, values[option.name]), translate),
        }
        for option in kind.options
    ]
    return {"game": game, "title": kind.title, "sections": sections, "options": house}


def _value(option: Option, value: object) -> str | Text:
    if isinstance(value, bool):
        return text("yes") if value else text("no")
    return word_text(str(value)) if option.choices else str(value)


def rules_as_markdown(game: str) -> str:
    """Return the rules for the game's page of the documentation, with what is true only with other options."""
    kind = load_game(game)
    values = {option.name: option.default for option in kind.options}
    lines: list[str] = []
    for section in rules_of(kind):
        lines.append(f"**{section.name}**")
        for part in section.parts:
            options = ", ".join(f"`{name} = {' / '.join(allowed)}`" for name, allowed in part.when.items())
            head = "" if part.is_true(values) else f"*With {options}:* "
            row = [f"**{card.glyph}**" if place in part.lit else card.glyph for place, card in enumerate(part.cards)]
            cards = f"{' '.join(row)}<br>" if row else ""
            lines.append(head + cards + part.text.format(**values))
    return "\n\n".join(lines)
