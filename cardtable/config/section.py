"""`Section`, the base of all sections of `table.toml`: a pydantic model whose fields are the keys.

Each field has a description, its limits, and a default or an example. The template of `cardtable config`, the JSON
Schema, the tables of the documentation and the examples in error messages are made from these fields.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict
from pydantic.fields import FieldInfo

HEX: Final = "hexadecimal"
"""Metadata of a field whose number is shown in hexadecimal, such as an I2C address."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """Metadata of a key: which of its values a file from elsewhere, such as a backup, may set.

    `values`: a pattern of those values, None for no value. All others stay the machine's own: programs, paths of files,
    addresses, passwords, and who may do what. `secret`: they are not even written into a backup. `identity`: if the
    machine has a value, it keeps it.
    """

    values: str | None = None
    secret: bool = False
    identity: bool = False

    def allows(self, value: object) -> bool:
        """Return whether `value`, as it is in the file, may come from elsewhere; None: the key is not set."""
        if value is None or self.values is None:
            return value is None
        parts = value if isinstance(value, list) else [value]
        return all(re.fullmatch(self.values, str(part), re.DOTALL) for part in parts)


ANY_ORIGIN: Final = Transfer(".*")
"""Metadata of a key whose values are harmless, wherever they come from."""
OWN: Final = Transfer()
"""Metadata of a key that stays the machine's own."""
SECRET: Final = Transfer(secret=True)
"""Metadata of a key that stays the machine's own, and whose value leaves it in no backup."""
IDENTITY: Final = Transfer(".*", identity=True)
"""Metadata of a key that says which of several machines this is: an empty one may take another one's place."""


class Section(BaseModel):
    """A section of the configuration. Unknown keys and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    about: ClassVar[str] = ""
    """What the section of a plug-in is for: the comment above it in the template, and its description in the schema."""


def transfer_of(field: FieldInfo) -> Transfer:
    """Return which values of a key may come from elsewhere; without a `Transfer`: numbers and the words of a list."""
    marked = next((each for each in field.metadata if isinstance(each, Transfer)), None)
    return marked or (ANY_ORIGIN if _is_harmless(field.annotation) else OWN)


def _is_harmless(annotation: Any) -> bool:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _is_harmless(parts[0])
    if origin in (tuple, Union, UnionType):
        return all(map(_is_harmless, parts))
    return origin is Literal or annotation in (bool, int, float, NoneType, Ellipsis)


def section_in(annotation: Any) -> type[Section] | None:
    """Return the section in `Section`, `Section | None` or `tuple[Section, ...]`; None for any other type."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    return next((found for part in get_args(annotation) if (found := section_in(part))), None)


def heading(name: str, field: FieldInfo) -> str:
    """Return the line that begins a section: `[board]`, or `[[seat]]` if there may be several."""
    return f"[[{name}]]" if get_origin(field.annotation) is tuple else f"[{name}]"


def example(field: FieldInfo) -> str:
    """Return the first example of the field, or else its default, in TOML."""
    return toml(field.examples[0] if field.examples else field.default, field)


def toml(value: Any, field: FieldInfo) -> str:
    """Return `value` in the TOML notation of this field."""
    if HEX in field.metadata:
        return f"0x{value:X}"
    if isinstance(value, Path):
        value = str(value)
    return json.dumps(value, ensure_ascii=False)
