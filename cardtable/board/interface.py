"""The JSON Schema of what the board sends and accepts: `GET /schema.json`, docs/interface.schema.json.

It is generated from the messages' models (`cardtable.board.messages`) and the states' shapes
(`cardtable.board.screens`).
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter

from cardtable.board.messages import MESSAGE
from cardtable.board.screen_game import TableState
from cardtable.board.screen_parts import Common
from cardtable.board.screens import Refusal, State

STATE: Final[TypeAdapter[Any]] = TypeAdapter(Annotated[State, Field(discriminator="screen")])
REFUSAL: Final = TypeAdapter(Refusal)


def interface_schema() -> dict[str, Any]:
    """Return the JSON Schema, draft 2020-12: `$defs` has every shape, `properties` the three kinds of messages."""
    schemas, shared = TypeAdapter.json_schemas(
        [("state", "validation", STATE), ("refusal", "validation", REFUSAL), ("message", "validation", MESSAGE)]
    )
    for base in (Common, TableState):  # pydantic finds the docstrings of a shape's own keys only
        inherited = TypeAdapter(base).json_schema()["properties"]
        for reference in schemas["state", "validation"]["oneOf"]:
            shape = shared["$defs"][reference["$ref"].rpartition("/")[2]]
            for key in shape["properties"].keys() & inherited.keys():
                about = inherited[key].get("description")
                if about:
                    shape["properties"][key].setdefault("description", about)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The board's interface",
        "description": "`state` and `refusal`: what the board sends; `message`: what it accepts.",
        "type": "object",
        "properties": {name: schema for (name, _), schema in schemas.items()},
        "$defs": shared["$defs"],
    }
