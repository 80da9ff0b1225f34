"""Write `table.toml`: change values in an existing file, and make the commented template and the JSON Schema.

`change_config` keeps everything else in the file: comments, order, empty lines. All changes of a configuration that
people may have edited go through it. The schema is for editors, which complete and check the file while it is written.
"""

from __future__ import annotations

import json
import textwrap
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import tomlkit
from pydantic.fields import FieldInfo
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT

from cardtable.config.load import ConfigError, checked_config
from cardtable.config.model import TableConfig, table_model
from cardtable.config.section import Section, example, heading, section_in
from cardtable.config.toml_file import read_toml
from cardtable.errors import CardtableError, why
from cardtable.terminal.output import translated
from engine.games import game_names, load_game
from engine.record import Header
from engine.texts import text
from vision.atomic_files import store

KeyPath = tuple[str | int, ...]
"""Keys and list indices that lead to a value, such as `("seat", 1, "button")`. An index past the end adds a section."""
Changes = Mapping[KeyPath, object]
"""The new value for each place; None removes the key."""

_NEW_FILE: Final = (
    "# The configuration of a card table: docs/reference/configuration.md explains every key, and\n"
    "# `cardtable config` prints one with all of them.\n"
)


class NotChanged(CardtableError):
    """The file cannot be changed, and is as it was. The message says why, and what to do."""


def change_config(path: Path, changes: Changes) -> TableConfig:
    """Write the values into the configuration `path`, and return the new configuration. The file need not exist.

    The result is checked before it replaces the file. Raises `ConfigError` if the file is wrong, before or after the
    changes, and `NotChanged` if it cannot be written.
    """
    try:
        written = read_toml(path, ConfigError)[0]
    except FileNotFoundError:
        written = _NEW_FILE
    changed = changed_text(written, changes)
    try:
        values = tomllib.loads(changed)
    except tomllib.TOMLDecodeError as error:  # a bug in the library
        message = "{path} cannot be changed by the program ({why}): change it in an editor"
        raise NotChanged(text(message, path=path, why=str(error))) from error
    config = checked_config(path, changed, values)
    if changed != written or not path.exists():
        try:
            store(path, changed.encode(), mode=path.stat().st_mode & 0o777 if path.exists() else None)
        except OSError as error:
            message = "{path} cannot be written: {why}. Allow this user to write in its folder, then try again."
            raise NotChanged(text(message, path=path, why=why(error))) from error
    return config


def changed_text(written: str, changes: Changes) -> str:
    """Return the TOML text with the changes made. Raises `NotChanged`.

    >>> changed_text('# the camera\\nsource = "usb:0"  # above\\n', {("source",): "usb:2", ("board", "port"): 8016})
    '# the camera\\nsource = "usb:2"  # above\\n\\n[board]\\nport = 8016\\n'
    """
    try:
        document = tomlkit.parse(written)
        for where, value in changes.items():
            _set(document, where, value)
        return document.as_string()
    except (TOMLKitError, ValueError, TypeError, AttributeError, LookupError) as error:
        # The library cannot change some ways to write TOML, such as sections as a list of inline tables.
        what = str(error) or type(error).__name__
        message = "{path} cannot be changed by the program ({why}): change it in an editor"
        raise NotChanged(text(message, path="table.toml", why=what)) from error


def _set(document: Any, where: KeyPath, value: object) -> None:
    *path, last = where
    if value is None:
        _remove(document, where)
        return
    parent = document
    for part, following in zip(path, where[1:], strict=True):
        if isinstance(part, int):
            while len(parent) <= part:
                parent.append(tomlkit.table())
        elif part not in parent:
            parent[part] = tomlkit.aot() if isinstance(following, int) else tomlkit.table()
        parent = parent[part]
    parent[last] = list(value) if isinstance(value, tuple) else value


def _remove(document: Any, where: KeyPath) -> None:
    parent: Any = document
    for part in where[:-1]:
        inside = isinstance(part, int) and isinstance(parent, AoT | Sequence) and part < len(parent)
        if not inside and not (isinstance(part, str) and part in parent):
            return
        parent = parent[part]
    last = where[-1]
    if last < len(parent) if isinstance(last, int) else last in parent:
        del parent[last]


def config_schema() -> dict[str, Any]:
    """Return the JSON Schema, draft 2020-12, of `table.toml`: types, limits and descriptions of the model's fields."""
    schema = table_model().model_json_schema()
    schema["properties"]["game"]["enum"] = list(game_names())
    schema["allOf"] = [
        {
            "if": {"properties": {"game": {"const": name}}, "required": ["game"]},
            "then": {"properties": {"options": {"properties": _option_schemas(name)}}},
        }
        for name in game_names()
    ]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "table.toml"}


def _option_schemas(game: str) -> dict[str, Any]:
    """Return the JSON Schema of each option of a game."""
    kinds = {bool: "boolean", int: "integer", str: "string"}
    schemas: dict[str, Any] = {}
    for option in load_game(game).options:
        schema: dict[str, Any] = {"type": kinds[type(option.default)], "default": option.default}
        schema["description"] = str(option.about)
        if option.least is not None:
            schema["minimum"] = option.least
        if option.choices:
            schema["enum"] = list(option.choices)
        schemas[option.name] = schema
    return schemas


_MAX_DESCRIPTION = 90
"""Length limit for the description of a game's option."""


def config_text(header: Header) -> str:
    """Return a `table.toml` for this game and these players, with comments in the terminal's language."""
    return "\n".join(_lines(header)) + "\n"


def _lines(header: Header) -> Iterator[str]:
    fields = table_model().model_fields
    for comment in (
        text(
            "The configuration of a card table. Lines that begin with # may be left out: they "
            "show the default or an example."
        ),
        text(
            "docs/reference/configuration.md explains every key; "
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
        about = textwrap.shorten(translated(option.about), _MAX_DESCRIPTION, placeholder=" …")
        if option.choices:
            about += f": {', '.join(option.choices)}"
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
