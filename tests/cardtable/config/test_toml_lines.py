"""The line of a value in a TOML file: soon found, or not at all."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from cardtable.config.load import ConfigError, read_config, readable_part
from cardtable.config.model import TableConfig
from cardtable.config.toml_file import line_of
from cardtable.terminal.output import configured_language


def test_the_line_of_a_value() -> None:
    written = 'game = "x"\nlong = [\n 1,\n 2,\n]\n[[seat]]\nseat = 0\n[[seat]]\nseat = 1\n'
    assert [line_of(written, where) for where in (("game",), ("long", 1), ("seat", 1, "seat"), ("no",))] == [
        1,
        2,
        9,
        None,
    ]


def test_the_line_is_that_of_a_slow_search() -> None:
    written = "".join(
        f'[[part]]\nname = \'part {number}\'\nlist = [\n  {number},\n  # no more\n]\ntext = """\na\n\n"""\n'
        for number in range(6)
    )
    lines = written.split("\n")
    for part in range(6):
        for key, start in (("name", "name"), ("list", "list"), ("text", "text")):
            places = [number for number, line in enumerate(lines, 1) if line.startswith(start)]
            assert line_of(written, ("part", part, key)) == places[part]
        assert line_of(written, ("part", part)) == [n for n, line in enumerate(lines, 1) if line == "[[part]]"][part]


def test_in_a_very_long_file_the_line_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    written = "".join(f"key-{number} = {number}\n" for number in range(500))
    assert line_of(written, ("key-3",)) == 4
    monkeypatch.setattr("cardtable.config.toml_file._MAX_PARSED", len(written) * 3 // 2)
    assert line_of(written, ("key-3",)) is None


def test_of_a_damaged_file_the_lines_count_that_are_toml(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    lines = ['language = "fr"', 'language = "en"', "[boa", "port = 1", "[board]", "port = 2", "port =", "[[seat]]", "x"]
    path.write_text("\n".join([*lines, "port = 3", *(f"key{number} = 1" for number in range(3000))]), "utf-8")
    began = time.process_time()
    found = readable_part(path, TableConfig())
    assert (found.language, found.board.port) == ("fr", 2)
    assert time.process_time() - began < 5, "the time does not grow with the square of the length"


@pytest.mark.parametrize("begin", ["", "[", "x = {"])
def test_a_key_of_very_many_parts_is_refused_at_once(begin: str, tmp_path: Path) -> None:
    path, began = tmp_path / "table.toml", time.process_time()
    path.write_text('language = "fr"\n' + begin + ".".join("a" * 30_000) + "=1\n", "utf-8")
    with pytest.raises(ConfigError, match="nested too deeply"):
        read_config(path)
    assert (configured_language(path), readable_part(path, TableConfig()).language) == ("fr", "fr")
    assert time.process_time() - began < 5, "the time does not grow with the square of the length"
