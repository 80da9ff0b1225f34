"""The documents of the configuration: their tables are up to date and their examples are valid."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cardtable.config.model import TableConfig
from cardtable.config.section import section_in
from hardware.wiring import KINDS, check_pins
from tests.cardtable.config.configs import GOOD, read
from tests.hardware.bench import board
from tools.config_tables import DOCS, with_tables


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.stem)
def test_the_tables_of_keys_are_up_to_date(path: Path) -> None:
    document = path.read_text("utf-8")
    assert with_tables(document) == document, "run python -m tools.config_tables"


def test_every_section_has_a_table() -> None:
    shown = [
        name for path in DOCS.glob("*.md") for name in re.findall(r"<!-- keys: (\w+) -->", path.read_text("utf-8"))
    ]
    sections = [name for name, field in TableConfig.model_fields.items() if section_in(field.annotation)]
    assert sorted(shown) == sorted({*sections, "top"} - {"cameras"})  # `cameras` has the keys of `camera`


def test_a_stale_table_is_noticed() -> None:
    document = "Before.\n<!-- keys: buzzer -->\n| old |\n<!-- end of keys -->\nAfter.\n"
    fresh = with_tables(document)
    assert fresh != document and with_tables(fresh) == fresh
    assert fresh.startswith("Before.\n<!-- keys: buzzer -->\n| `[buzzer]` | default | meaning |\n")
    assert "\n| `pin` | must be given | a GPIO number |\n" in fresh and fresh.endswith("<!-- end of keys -->\nAfter.\n")


def test_the_examples_of_the_configuration_are_valid(tmp_path: Path) -> None:
    text = (DOCS / "configuration.md").read_text("utf-8")
    whole, one, cameras = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(read(tmp_path, whole).cameras) == 1
    assert len(read(tmp_path, GOOD + cameras).cameras) == 2
    (locked,) = read(tmp_path, GOOD + one).cameras
    assert (locked.exposure, locked.white_balance, locked.source) == ("cards", "lock", "picamera")


@pytest.mark.parametrize("name", ["seats", "displays", "voice"])
def test_the_examples_of_wired_hardware_are_valid(tmp_path: Path, name: str) -> None:
    text = (DOCS / f"{name}.md").read_text("utf-8")
    examples = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert examples
    for example in examples:
        config = read(tmp_path, GOOD + example)
        check_pins(board(), [use for seat in config.seat for use in seat.wiring.uses()])
        assert config.seat or config.display or config.voice.say != "off"


def test_the_document_of_displays_names_every_kind() -> None:
    text = (DOCS / "displays.md").read_text("utf-8")
    assert [kind for kind in KINDS if f"`{kind}`" not in text] == []


def test_the_example_of_the_readers_is_valid(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", (DOCS / "rfid.md").read_text("utf-8"), re.DOTALL)
    assert len(read(tmp_path, GOOD + example).reader) == 1
