"""Tables of the board's messages and states, from their models; `tools/docs_hook.py` puts them into pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from cardtable.web.server import interface_schema


def schema_text() -> str:
    """Return the JSON Schema of all messages and states."""
    return json.dumps(interface_schema(), indent=1, ensure_ascii=False) + "\n"


def shape_table(name: str) -> str:
    """Return the table of a shape's keys. `name`: a shape of the schema, or `messages` for the list of all messages."""
    shapes = interface_schema()["$defs"]
    return "\n".join(_message_rows(shapes) if name == "messages" else _rows(shapes[name]))


def messages() -> list[str]:
    """Return the names of the shapes that are messages of pages."""
    return [part["$ref"].rpartition("/")[2] for part in interface_schema()["properties"]["message"]["oneOf"]]


def _message_rows(shapes: dict[str, Any]) -> Iterator[str]:
    yield "| `do` | further keys | meaning |"
    yield "| --- | --- | --- |"
    for name in messages():
        shape = shapes[name]
        keys = [_key(key, part, shape) for key, part in shape["properties"].items() if key != "do"]
        yield f"| `{shape['properties']['do']['const']}` | {'; '.join(keys)} | {_about(shape)} |"


def _rows(shape: dict[str, Any]) -> Iterator[str]:
    yield "| key | value | meaning |"
    yield "| --- | --- | --- |"
    for key, part in shape["properties"].items():
        optional = "" if key in shape["required"] else " (optional)"
        yield f"| `{key}` | {_kind(part)}{optional} | {_about(part)} |"


def _key(key: str, part: dict[str, Any], shape: dict[str, Any]) -> str:
    kind = _kind(part) + ("" if key in shape["required"] else ", optional")
    about = _about(part)
    return f"`{key}` ({kind}){': ' if about else ''}{about.rstrip('.')}"


def _about(part: dict[str, Any]) -> str:
    return " ".join(part.get("description", "").split())


def _kind(part: dict[str, Any]) -> str:
    """Return the type of a value in words."""
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in part:
        return " or ".join(dict.fromkeys(_kind(each) for each in part["anyOf"]))
    if "const" in part:
        return f"`{json.dumps(part['const'])}`"
    if "enum" in part:
        return ", ".join(f"`{json.dumps(each)}`" for each in part["enum"])
    if part.get("type") == "array":
        return f"list of {_kind(part['items'])}"
    return {"null": "null", "integer": "whole number", "number": "number", "boolean": "true/false", "string": "text"}[
        part["type"]
    ]
