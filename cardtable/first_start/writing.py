"""KeyPath in the configuration the steps write."""

from __future__ import annotations

from pathlib import Path

from cardtable.config.changing import KeyPath
from cardtable.config.load import ConfigError
from cardtable.config.toml_file import read_toml


def camera_key(path: Path, key: str) -> KeyPath:
    """Return the place of a key of the first camera in the file `path`: at the top, in `[camera]`, or in `[[cameras]]`.

    Raises `ConfigError` if the file is damaged.
    """
    try:
        values = read_toml(path, ConfigError)[1]
    except FileNotFoundError:
        values = {}
    if values.get("cameras"):
        return "cameras", 0, key
    if key == "source" and "source" not in values.get("camera", {}):
        return (key,)
    return "camera", key
