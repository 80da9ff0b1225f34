"""The `table.toml` that `cardtable config` writes: every key with its default or an example, and its description."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

from pydantic.fields import FieldInfo

from cardtable.config.model import TableConfig
from cardtable.config.section import Section, example, heading, section_in
from cardtable.terminal.output import translated
from engine.games import game_names, load_game
from engine.record import Header
from engine.texts import text

_LONGEST_ABOUT = 90
"""Letters of the description of a game's option."""


def config_text(header: Header) -> str:
    """Return a commented `table.toml` for this game and these players, with comments in the terminal's language."""
    return "\n".join(_lines(header)) + "\n"


def _lines(header: Header) -> Iterator[str]:
    fields = TableConfig.model_fields
    for comment in (
        text(
            "The configuration of a card table. Lines that begin with # may be left out: they "
            "show the default or an example."
        ),
        text(
            "docs/configuration.md explains every key; "
            "`cardtable config --check table.toml` says what is wrong with it."
        ),
    ):
        yield f"# {translated(comment)}"
    yield ""
    one_of = text("one of {games}", games=", ".join(game_names()))
    yield f"game = {json.dumps(header.game)}  # {translated(one_of)}"
    yield f"players = {json.dumps(list(header.players), ensure_ascii=False)}  # {_description(fields['players'])}"
    if header.dealer is not None:
        yield f"dealer = {header.dealer}  # {translated(text('the seat that begins'))}"
    for name, field in fields.items():
        is_set = name in ("game", "players") or (name == "dealer" and header.dealer is not None)
        if not is_set and name != "options" and section_in(field.annotation) is None:
            yield _key(name, field)
    yield from _heading("options", fields["options"])
    for option in load_game(header.game).options:
        about = textwrap.shorten(translated(option.about), _LONGEST_ABOUT, placeholder=" …")
        yield f"# {option.name} = {json.dumps(option.default)}  # {about}"
    for name, field in fields.items():
        section = section_in(field.annotation)
        if section is not None and name != "cameras":  # its keys are those of `camera`
            yield from _heading(name, field)
            yield from _keys(section)


def _heading(name: str, field: FieldInfo) -> Iterator[str]:
    yield from ("", f"# {_description(field)}", f"# {heading(name, field)}")


def _keys(section: type[Section]) -> Iterator[str]:
    for name, field in section.model_fields.items():
        yield _key(name, field)


def _key(name: str, field: FieldInfo) -> str:
    return f"# {name} = {example(field)}  # {_description(field)}"


def _description(field: FieldInfo) -> str:
    return translated(field.description or "")
