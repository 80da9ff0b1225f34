"""Write the tables of the keys of `table.toml` in docs/: `python -m tools.config_tables`.

They come from the configuration's model. A table is between the lines `<!-- keys: NAME -->` and
`<!-- end of keys -->`. NAME is the name of a section, such as `board`, or `top` for the keys at the top of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic.fields import FieldInfo

from cardtable.config.model import TableConfig
from cardtable.config.section import heading, section_in, toml

DOCS: Final = Path(__file__).parents[1] / "docs"
_TABLE: Final = re.compile(r"(?<=<!-- keys: )(\w+) -->\n.*?(?=<!-- end of keys -->)", re.DOTALL)


def with_tables(document: str) -> str:
    """Return the Markdown document with its tables of keys written again."""
    return _TABLE.sub(lambda match: f"{match[1]} -->\n" + "".join(f"{line}\n" for line in _table(match[1])), document)


def _table(name: str) -> Iterator[str]:
    top = TableConfig.model_fields
    if name == "top":
        first = "key"
        fields = {key: field for key, field in top.items() if section_in(field.annotation) is None}
    else:
        section = section_in(top[name].annotation)
        assert section is not None, f"{name} is not a section"
        first, fields = f"`{heading(name, top[name])}`", section.model_fields
    yield f"| {first} | default | meaning |"
    yield "| --- | --- | --- |"
    for key, field in fields.items():
        shown = "[options]" if key == "options" else key
        yield f"| `{shown}` | {_default(field)} | {field.description} |"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "must be given"
    if field.default is None or (field.examples and not field.default):
        return "none"
    return "the game's own" if field.default == {} else f"`{toml(field.default, field)}`"


if __name__ == "__main__":
    for path in sorted(DOCS.glob("*.md")):
        path.write_text(with_tables(path.read_text("utf-8")), "utf-8")
