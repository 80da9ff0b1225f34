"""Write the tables of docs/interface.md and docs/interface.schema.json: `python -m tools.interface_tables`.

They come from the models of the board's messages and states. A table is between the lines `<!-- shape: NAME -->` and
`<!-- end of shape -->`; NAME is the name of a shape in the schema, or `messages` for the list of all messages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from cardtable.web.server import interface_schema

DOCS: Final = Path(__file__).parents[1] / "docs"
DOCUMENT: Final = DOCS / "interface.md"
SCHEMA: Final = DOCS / "interface.schema.json"
_TABLE: Final = re.compile(r"(?<=<!-- shape: )(\w+) -->\n.*?(?=<!-- end of shape -->)", re.DOTALL)


def schema_text() -> str:
    """Return the text of docs/interface.schema.json."""
    return json.dumps(interface_schema(), indent=1, ensure_ascii=False) + "\n"


def with_tables(document: str) -> str:
    """Return the Markdown document with its tables written again."""
    shapes = interface_schema()["$defs"]
    return _TABLE.sub(
        lambda match: f"{match[1]} -->\n" + "".join(f"{line}\n" for line in _table(match[1], shapes)), document
    )


def shapes_in(document: str) -> list[str]:
    """Return the names of the shapes that the document has a table of."""
    return [match[1] for match in _TABLE.finditer(document)]


def messages() -> list[str]:
    """Return the names of the shapes that are messages of pages."""
    return [part["$ref"].rpartition("/")[2] for part in interface_schema()["properties"]["message"]["oneOf"]]


def _table(name: str, shapes: dict[str, Any]) -> Iterator[str]:
    if name == "messages":
        yield "| `do` | further keys | meaning |"
        yield "| --- | --- | --- |"
        for each in messages():
            shape = shapes[each]
            keys = [_key(key, part, shape) for key, part in shape["properties"].items() if key != "do"]
            yield f"| `{shape['properties']['do']['const']}` | {'; '.join(keys)} | {_about(shape)} |"
        return
    shape = shapes[name]
    yield "| key | value | meaning |"
    yield "| --- | --- | --- |"
    for key, part in shape["properties"].items():
        left_out = "" if key in shape["required"] else " (may be missing)"
        yield f"| `{key}` | {_kind(part)}{left_out} | {_about(part)} |"


def _key(key: str, part: dict[str, Any], shape: dict[str, Any]) -> str:
    kind = _kind(part) + ("" if key in shape["required"] else ", may be left out")
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


if __name__ == "__main__":
    DOCUMENT.write_text(with_tables(DOCUMENT.read_text("utf-8")), "utf-8")
    SCHEMA.write_text(schema_text(), "utf-8")
