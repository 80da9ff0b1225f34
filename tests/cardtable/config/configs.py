"""Write and read configurations in tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardtable.config.load import ConfigError, read_config
from cardtable.config.model import TableConfig

GOOD = 'game = "all-fives"\nplayers = ["Ann", "Bo"]\n'


def read(folder: Path, text: str) -> TableConfig:
    path = folder / "table.toml"
    path.write_text(text, "utf-8")
    return read_config(path)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as refused:
        read(folder, text)
    assert "\n" not in str(refused.value)
    return str(refused.value).removeprefix(str(folder / "table.toml"))
