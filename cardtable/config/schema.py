"""The JSON Schema of `table.toml`, for editors that complete and check the file while it is written."""

from __future__ import annotations

from typing import Any

from cardtable.config.model import TableConfig
from engine.games import game_names


def config_schema() -> dict[str, Any]:
    """Return the JSON Schema, draft 2020-12, of `table.toml`: types, limits and descriptions of the model's fields."""
    schema = TableConfig.model_json_schema()
    schema["properties"]["game"]["enum"] = list(game_names())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "table.toml"}
