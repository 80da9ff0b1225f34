"""The keys of a configuration that take any text or path, read from its JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cardtable.config.section import Section, Transfer, section_in


def text_keys(model: type[Section]) -> dict[str, bool]:
    """Return these keys, and whether the model says which of their values may come from elsewhere."""
    return dict(_text_keys(model, ""))


def _text_keys(model: type[Section], place: str) -> Iterator[tuple[str, bool]]:
    schema = model.model_json_schema()
    for name, field in model.model_fields.items():
        section = section_in(field.annotation)
        if section is not None:
            yield from _text_keys(section, f"{place}{name}.")
        elif _takes_text(schema["properties"][name], schema.get("$defs", {})):
            yield f"{place}{name}", any(isinstance(each, Transfer) for each in field.metadata)


def _takes_text(schema: Mapping[str, Any], named: Mapping[str, Any]) -> bool:
    if "$ref" in schema:
        return _takes_text(named[schema["$ref"].rpartition("/")[2]], named)
    parts = [*schema.get("anyOf", ()), *schema.get("prefixItems", ())]
    parts += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
    if {"enum", "const"} & schema.keys():
        return False
    anything = not {"type", "anyOf"} & schema.keys()
    return anything or schema.get("type") == "string" or any(_takes_text(part, named) for part in parts)
