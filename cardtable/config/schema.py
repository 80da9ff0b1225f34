"""The schema of `table.toml`: every key, its kind and what it is for, for editors that check while one writes."""

from __future__ import annotations

from typing import Any

from cardtable.config.model import TableConfig
from cardtable.config.template import key_comments
from engine.games import game_names

TOP = {
    "game": "the game that is played",
    "players": "names, clockwise; seat 0 sits at the bottom edge of the mat",
    "dealer": "the seat that deals first; without it the cut decides",
    "cameras": "Several cameras, a part for each.",
}
"""What the file to begin with says in other words, or does not show."""


def config_schema() -> dict[str, Any]:
    """JSON Schema, draft 2020-12, of what `table.toml` may say; kinds and limits are those that reading it checks."""
    schema = TableConfig.model_json_schema()
    about = key_comments()
    for key, told in schema["properties"].items():
        told["description"] = TOP.get(key) or about.get(("", key)) or about[key, ""]
        for name in _parts_of(told):
            part = schema["$defs"][name]
            part["description"] = told["description"]
            for inner, value in part["properties"].items():
                value["description"] = about["camera" if key == "cameras" else key, inner]
    schema["properties"]["game"]["enum"] = list(game_names())
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "table.toml",
        "description": "The configuration of a card table.",
    }


def _parts_of(told: Any) -> list[str]:
    """The definitions that a key's value refers to."""
    if isinstance(told, list):
        return [name for each in told for name in _parts_of(each)]
    if not isinstance(told, dict):
        return []
    if "$ref" in told:
        return [str(told["$ref"]).rpartition("/")[2]]
    return [name for each in told.values() for name in _parts_of(each)]
