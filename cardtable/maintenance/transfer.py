"""A `table.toml` that comes from elsewhere, in a backup: what of it this machine takes over.

Programs, files and addresses are those of a machine, and so are its passwords, and who may do what. Each key says in
the model which of its values may come from elsewhere (`cardtable.config.section.Transfer`). Wherever one of the two
values is another one, the machine's own stays, even if that is none.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import tomlkit
from pydantic import ValidationError

from cardtable.config.checks import faults
from cardtable.config.decks import FOLDER, SUFFIX, deck_file
from cardtable.config.load import ConfigError, checked_config
from cardtable.config.model import TableConfig, table_model
from cardtable.config.section import Section, section_in, transfer_of
from cardtable.config.toml_file import read_toml
from cardtable.config.writing import KeyPath, changed_text


class Adopted(NamedTuple):
    """A configuration from elsewhere as this machine takes it over. `own`: the keys that stay its own, as `club.host`.

    `text`: the content of the file. `config`: the configuration in it.
    """

    text: str
    config: TableConfig
    own: tuple[str, ...]


def adopted(written: str, path: Path) -> Adopted:
    """Return what this machine, with the configuration `path`, takes over of the configuration `written` elsewhere.

    If both do not fit together, a device whose address must not come from elsewhere is left out, or else the whole
    configuration of this machine stays. Raises `ConfigError` if there is no valid one.
    """
    values = tomllib.loads(written)
    here = own_text(path)
    fault: ConfigError | None = None
    for mine in (here, "") if here else ("",):
        changes = _changes(table_model(), values, tomllib.loads(mine))
        own = tuple(dict.fromkeys(".".join(str(part) for part in place) for place in changes))
        fitting = changed_text(written, changes)
        for text, keys in ((_complete(fitting), own), *([(mine, (path.name,))] if mine else [])):
            try:
                return Adopted(text, checked_config(path, text, tomllib.loads(text)), keys)
            except ConfigError as error:
                fault = fault or error
    assert fault is not None
    raise fault


def _complete(written: str) -> str:
    """Return the configuration without the devices that lack a key, or have a wrong one."""
    values = tomllib.loads(written)
    try:
        wrong = [fault.where for fault in faults(table_model().model_validate(values))]
    except ValidationError as error:
        wrong = [each["loc"] for each in error.errors()]
    devices = {(str(where[0]), where[1]) for where in wrong if len(where) > 1 and isinstance(where[1], int)}
    if not devices:
        return written
    return _complete(changed_text(written, {place: None for place in sorted(devices, reverse=True)}))


def own_text(path: Path) -> str:
    """Return the configuration of this machine, whether or not its values are valid; empty without one in TOML."""
    try:
        return read_toml(path, ConfigError)[0]
    except (ConfigError, OSError):
        return ""


def public_config(path: Path) -> tuple[str, dict[str, Path]]:
    """Return the configuration `path` without secrets and comments, which may hold any. Raises `ConfigError`.

    A file of a device that has another name than a backup may restore gets one; also return these files by their names.
    """
    values = read_toml(path, ConfigError)[1]
    for *place, last in [*_secrets(table_model(), values)]:
        section: Any = values
        for part in place:
            section = section[part]
        del section[last]
    files = dict(_renamed(table_model(), values, path.parent, set()))
    return tomlkit.dumps(values), files


_NAMES: Final = {
    "calibration": "{}.calibration.json",
    "deck": f"{FOLDER}/{{}}{SUFFIX}",
    "tags": "tags-{}.json",
}
"""The keys of devices that name a file which a backup holds, and the names that such a file may have there."""


def _renamed(model: type[Section], values: dict[str, Any], folder: Path, taken: set[str]) -> Iterator[tuple[str, Path]]:
    """Change the names in `values` of files that a backup may not restore; yield the new names, and the files."""
    for name, field in model.model_fields.items():
        value = values.get(name)
        if name in _NAMES and value is not None and not transfer_of(field).allows(value):
            file = deck_file(value, folder) if name == "deck" else folder / value
            stem = re.sub(r"[^a-z0-9_-]", "-", file.name.split(".")[0].lower())
            while (new := _NAMES[name].format(stem)) in taken or (folder / new).exists():
                stem += "-2"
            if file.is_file():
                taken.add(new)
                values[name] = stem if name == "deck" else new
                yield new, file
        elif section := section_in(field.annotation):
            for each in value if isinstance(value, list) else [value] if value else []:
                yield from _renamed(section, each, folder, taken)


def _changes(
    model: type[Section], values: Mapping[str, Any], own: Mapping[str, Any], place: KeyPath = ()
) -> dict[KeyPath, object]:
    """Return the changes of `values`, a configuration from elsewhere, with which the machine's `own` values stay."""
    changes: dict[KeyPath, object] = {}
    for name, field in model.model_fields.items():
        section, there, here = section_in(field.annotation), values.get(name), own.get(name)
        if section is None:
            transfer = transfer_of(field)
            stays = transfer.identity and here is not None
            if there != here and (stays or not (transfer.allows(there) and transfer.allows(here))):
                changes[*place, name] = here
        elif isinstance(there, list):
            mine = [each for each in here if isinstance(each, dict)] if isinstance(here, list) else []
            for number, each in enumerate(there):
                own_device = _same_device(section, each, number, mine)
                changes |= _changes(section, each, own_device, (*place, name, number))
        elif there is None and isinstance(here, dict) and any(map(_is_required, section.model_fields.values())):
            changes[*place, name] = here
        elif there is not None or isinstance(here, dict):
            changes |= _changes(section, there or {}, here if isinstance(here, dict) else {}, (*place, name))
    return changes


def _same_device(
    section: type[Section], device: Mapping[str, Any], number: int, mine: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Return which of the machine's devices `device`, at this place in its list, is: by its name if it has one."""
    if (name := section.model_fields.get("name")) is not None:
        wanted = device.get("name", name.default)
        return next((each for each in mine if each.get("name", name.default) == wanted), {})
    return mine[number] if number < len(mine) else {}


def _secrets(model: type[Section], values: Mapping[str, Any], place: KeyPath = ()) -> Iterator[KeyPath]:
    """Yield the places of the secrets in `values`."""
    for name, field in model.model_fields.items():
        section, value = section_in(field.annotation), values.get(name)
        if section is None:
            transfer = transfer_of(field)
            if transfer.secret and not transfer.allows(value):
                yield (*place, name)
        elif isinstance(value, list):
            for number, each in enumerate(value):
                yield from _secrets(section, each, (*place, name, number))
        elif value is not None:
            yield from _secrets(section, value, (*place, name))


def _is_required(field: Any) -> bool:
    return bool(field.is_required())
