"""Tables of the keys of `table.toml`, from the configuration's model; `tools/docs_hook.py` puts them into pages."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic.fields import FieldInfo

from cardtable.config.model import TableConfig
from cardtable.config.section import heading, section_in, toml


def sections() -> dict[str, dict[str, FieldInfo]]:
    """Return the keys of each section; those at the top of the file have the name `top`."""
    top = TableConfig.model_fields
    found = {"top": {key: field for key, field in top.items() if section_in(field.annotation) is None}}
    for name, field in top.items():
        section = section_in(field.annotation)
        if section is not None:
            found[name] = section.model_fields
    return found


def key_table(name: str) -> str:
    """Return the table of a section's keys."""
    return "\n".join(_rows(name))


def _rows(name: str) -> Iterator[str]:
    first = "key" if name == "top" else f"`{heading(name, TableConfig.model_fields[name])}`"
    yield f"| {first} | default | meaning |"
    yield "| --- | --- | --- |"
    for key, field in sections()[name].items():
        shown = "[options]" if key == "options" else key
        yield f"| `{shown}` | {_default(field)} | {field.description} |"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default is None or (field.examples and not field.default):
        return "none"
    return "the game's own" if field.default == {} else f"`{toml(field.default, field)}`"
